"""What the bundled model makes of problems in other words than its generators'.

`python docs/results/other_words.py` decodes those of tests/wordings and takes on record how many come out right.
"""

import json
from pathlib import Path

import axon
from axon.evaluation.plan import weight_hash
from axon.models.base import Model
from axon.tasks import Problem, task

RECORD = Path(__file__).parent / "other_words.json"
FOLDER = RECORD.parents[2] / "tests" / "wordings"
# When they were written: while the tasks' wordings were widened, later, and when none was added any more.
FILES = ("", "-later", "-last")
DECODERS = ("confidence", "confidence+axon")
SETTINGS = axon.Settings(max_new_tokens=128, block_length=32, batch_size=20)


def verdicts(model: Model, name: str, decoder: str) -> list[bool]:
    """Whether each problem of a file comes out right."""
    kind = task(name.partition("-")[0])
    lines = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]
    problems = [Problem(f"{name}-{number}", line.pop("prompt"), "", line) for number, line in enumerate(lines)]
    chats = [[{"role": "user", "content": problem.prompt}] for problem in problems]
    outs = axon.generate(model, chats, axon.decoder(decoder), SETTINGS)
    return [kind.score(problem, out.text).correct for problem, out in zip(problems, outs, strict=True)]


def main() -> None:
    """Decode all of them and take the counts on record."""
    model = axon.load("bundled")
    right: dict[str, dict[str, tuple[int, int]]] = {}
    for name in (f"{kind}{file}" for kind in ("sums", "code") for file in FILES):
        right[name] = {}
        for decoder in DECODERS:
            found = verdicts(model, name, decoder)
            right[name][decoder] = sum(found), len(found)
            print(name, decoder, *right[name][decoder], flush=True)
    RECORD.write_text(json.dumps({"weights": weight_hash(model), "right": right}, indent=2) + "\n")


if __name__ == "__main__":
    main()
