"""GSM8K: grade-school word problems, five worked examples in front, as lm-eval's gsm8k."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from axon.errors import AxonError
from axon.tasks.base import Problem, Verdict
from axon.tasks.published import lmeval
from axon.tasks.published.base import Published
from axon.tasks.published.source import Source

_FIELDS = {"question": str, "answer": str}
TEST = Source(("gsm8k_test.jsonl",), "openai/gsm8k", "test", _FIELDS, ("main",))
TRAIN = Source(("gsm8k_train.jsonl", "gsm8k_train*.jsonl"), "openai/gsm8k", "train", _FIELDS, ("main",))
TRAIN_SIZE = 7473
SHOTS = 5
# lm-eval's default, which the papers' scripts leave as it is.
SEED = 1234


@dataclass(frozen=True)
class Gsm8k(Published):
    """Grade-school word problems, five worked examples in front of each."""

    name: ClassVar[str] = "gsm8k"
    file: ClassVar[str] = "gsm8k/gsm8k.yaml"

    @property
    def version(self) -> str:
        """As of any published task, and which examples there were to draw from if not the whole train split."""
        size = self.problems()[0].facts["train_size"]
        return super().version + ("" if size == TRAIN_SIZE else f", examples from {size} of {TRAIN_SIZE}")

    def _load(self) -> Iterator[Problem]:
        from lm_eval.api.samplers import get_sampler

        train = [row | {"number": number} for number, row in enumerate(TRAIN.rows(self.data))]
        if len(train) < SHOTS:
            raise AxonError(f"gsm8k shows {SHOTS} worked examples and its train file has {len(train)}")
        # One stream of draws over all problems in order: every problem has its own examples, and the first n
        # problems have the same ones however many follow.
        sampler = get_sampler("default")(train, rnd=SEED)
        for number, row in enumerate(TEST.rows(self.data)):
            shots = sampler.sample(SHOTS)
            facts = {"examples": tuple(shot["number"] for shot in shots), "train_size": len(train)}
            yield Problem(f"gsm8k-{number}", lmeval.prompt(self.rules, shots, row), row["answer"], facts)

    def score(self, problem: Problem, answer: str) -> Verdict:
        written = self.cut(answer)
        numbers = {entry["name"]: lmeval.filtered(entry["filter"], written) for entry in self.rules["filter_list"]}
        strict, flexible = numbers["strict-match"], numbers["flexible-extract"]
        measures = {
            "strict": lmeval.exact_match(self.rules, problem.gold, strict),
            "flexible": lmeval.exact_match(self.rules, problem.gold, flexible),
        }
        # The papers give one figure and do not say which of the two. It is taken to be the flexible one, which dLLM
        # reports quote: a chat model that states the number without "####" has solved the problem.
        right = problem.gold.rpartition("#### ")[2]
        return Verdict(measures["flexible"], f"the answer is {right}, the last number is {flexible}", measures)
