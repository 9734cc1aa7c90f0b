"""MBPP: small Python functions from one sentence and three tests; lm-eval's mbpp, three fixed examples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from axon.errors import AxonError
from axon.tasks.base import Problem, Verdict
from axon.tasks.published import lmeval
from axon.tasks.published.base import PublishedCode
from axon.tasks.published.program import fenced, verdict
from axon.tasks.published.source import Row, Source

ALL = Source(
    ("mbpp.jsonl",),
    "google-research-datasets/mbpp",
    "prompt+train+validation+test",
    {"task_id": int, "text": str, "code": str, "test_list": list, "test_setup_code": str},
    ("full",),
)
# The test split, as the data's authors numbered it; the hub cuts it the same way.
TEST = range(11, 511)
# The examples lm-eval has written into its code are these three tasks, word for word.
SHOTS = (2, 3, 4)


@dataclass(frozen=True)
class Mbpp(PublishedCode):
    """Python functions from one sentence and three tests, three worked examples in front of each."""

    name: ClassVar[str] = "mbpp"
    file: ClassVar[str] = "mbpp/mbpp.yaml"

    @cached_property
    def _rows(self) -> dict[int, Row]:
        rows = {row["task_id"]: row for row in ALL.rows(self.data)}
        missing = [str(number) for number in SHOTS if number not in rows]
        if missing:
            raise AxonError(f"mbpp shows the tasks {SHOTS} as examples and its data lacks {' and '.join(missing)}")
        for number, row in rows.items():
            if len(row["test_list"]) < 3:
                raise AxonError(f"mbpp shows three tests and its task {number} has {len(row['test_list'])}")
        return rows

    def _load(self) -> Iterator[Problem]:
        found = [problem for problem in self.every() if problem.facts["task_id"] in TEST]
        if not found:
            raise AxonError(f"mbpp tests the tasks {TEST[0]} to {TEST[-1]} and its data has none of them")
        return iter(found)

    def every(self) -> Sequence[Problem]:
        """All problems of the data, those of the other splits included."""
        shots = [self._rows[number] | {"is_fewshot": True} for number in SHOTS]
        return [
            Problem(
                f"mbpp-{number}",
                lmeval.prompt(self.rules, shots, row),
                row["code"],
                {"task_id": number, "setup": row["test_setup_code"], "tests": tuple(row["test_list"])},
            )
            for number, row in self._rows.items()
        ]

    def score(self, problem: Problem, answer: str) -> Verdict:
        return verdict(self.program(problem, answer), self.unsafe)

    def program(self, problem: Problem, answer: str) -> str:
        """The answer, what its tests want to be set up, and the tests."""
        written = self.cut(answer)
        code = fenced(written)
        # The set-up builds trees of the class the answer defines, so it comes behind it. lm-eval leaves it out, and
        # so no answer to task 367, the one of the test split that has any, passes there.
        return "\n".join([written if code is None else code, problem.facts["setup"], *problem.facts["tests"], ""])
