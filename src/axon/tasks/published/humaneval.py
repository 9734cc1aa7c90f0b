"""HumanEval: complete a Python function from its docstring; lm-eval's humaneval, no examples."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from axon.tasks.base import Problem, Verdict
from axon.tasks.published import lmeval
from axon.tasks.published.base import PublishedCode
from axon.tasks.published.program import fenced, verdict
from axon.tasks.published.source import Source

TEST = Source(
    ("HumanEval.jsonl.gz", "HumanEval.jsonl"),
    "openai/openai_humaneval",
    "test",
    {"task_id": str, "prompt": str, "canonical_solution": str, "test": str, "entry_point": str},
)


@dataclass(frozen=True)
class HumanEval(PublishedCode):
    """Python functions to complete from their docstrings, scored by their unit tests."""

    name: ClassVar[str] = "humaneval"
    file: ClassVar[str] = "humaneval/humaneval.yaml"

    @property
    def chat_stop(self) -> tuple[str, ...]:
        """None: a chat model writes whole functions, which the stop texts would cut at the first line."""
        return ()

    def _load(self) -> Iterator[Problem]:
        for row in TEST.rows(self.data):
            facts = {"start": row["prompt"], "test": row["test"], "entry_point": row["entry_point"]}
            yield Problem(row["task_id"], lmeval.prompt(self.rules, [], row), row["canonical_solution"], facts)

    def score(self, problem: Problem, answer: str) -> Verdict:
        return verdict(self.program(problem, answer), self.unsafe)

    def program(self, problem: Problem, answer: str) -> str:
        """The given beginning, the answer and the tests.

        An answer in a fence, or one that writes the function anew, is a chat model's: it may hold more than one
        function, so it is not cut at the stop texts, and the later definition counts.
        """
        facts, code = problem.facts, fenced(answer)
        if code is None and not re.search(rf"^def {re.escape(facts['entry_point'])}\(", answer, re.MULTILINE):
            code = self.cut(answer)
        else:
            code = "\n" + (answer if code is None else code)
        return f"{facts['start']}{code}\n{facts['test']}\ncheck({facts['entry_point']})\n"
