"""Problems of the bundled tasks' kinds in other words than the generators', written without sight of those.

`wordings/` holds 220 of each task. What is asked for here is somewhat less than the shipped model reaches on them
(its card has the figures): little, for it was trained on few templates.
"""

import json
from pathlib import Path

import pytest

import axon
from axon.tasks import Problem, task

FOLDER = Path(__file__).parent / "wordings"
SETTINGS = axon.Settings(max_new_tokens=128, block_length=32, batch_size=20)
LEAST = {"sums": 0.15, "code": 0.1}


@pytest.mark.parametrize("name", LEAST)
def test_the_bundled_model_has_some_problems_in_other_words_right(name):
    lines = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]
    problems = [Problem(f"{name}-{number}", line.pop("prompt"), "", line) for number, line in enumerate(lines)]
    chats = [[{"role": "user", "content": problem.prompt}] for problem in problems]
    outs = axon.generate(axon.load("bundled"), chats, axon.decoder("confidence+axon"), SETTINGS)
    right = sum(task(name).score(problem, out.text).correct for problem, out in zip(problems, outs, strict=True))
    assert len(problems) == 220
    assert right / len(problems) >= LEAST[name], f"{right} of {len(problems)}"
