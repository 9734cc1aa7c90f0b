"""HumanEval: complete a Python function from its docstring; lm-eval's humaneval, no examples."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from axon.tasks.base import Problem, Verdict
from axon.tasks.published import lmeval
from axon.tasks.published.base import PublishedCode
from axon.tasks.published.program import fenced, verdict
from axon.tasks.published.sanitize import compiles, rewritten, sanitize
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
    def version(self) -> str:
        """As of any published task, and which rule scores it: the second also reports what passes a filter."""
        return f"{super().version}, scoring 2"

    @property
    def chat_stop(self) -> tuple[str, ...]:
        """None: a chat model writes whole functions, which the stop texts would cut at the first line."""
        return ()

    def _load(self) -> Iterator[Problem]:
        for row in TEST.rows(self.data):
            facts = {"start": row["prompt"], "test": row["test"], "entry_point": row["entry_point"]}
            yield Problem(row["task_id"], lmeval.prompt(self.rules, [], row), row["canonical_solution"], facts)

    def score(self, problem: Problem, answer: str) -> Verdict:
        """Of the answer as it is; beside it, whether it passes behind the filter of the papers' authors."""
        chat = self._is_chat(problem, answer)
        written, filtered = self._written(problem, answer, chat), self._filtered(problem, answer, chat)
        if chat and filtered and not compiles(written):
            # Prose behind a function, or a second one torn off at the last token, does not make the first one wrong.
            found = self._run(problem, filtered)
            return replace(found, measures={"sanitized": found.correct})
        found = self._run(problem, written)
        same = filtered == rewritten(written)
        passes = filtered != "" and (found if same else self._run(problem, filtered)).correct
        return replace(found, measures={"sanitized": passes})

    def _run(self, problem: Problem, code: str) -> Verdict:
        facts = problem.facts
        return verdict(f"{code}\n{facts['test']}\ncheck({facts['entry_point']})\n", self.unsafe)

    def _is_chat(self, problem: Problem, answer: str) -> bool:
        """Whether it is a chat model's answer: in a fence, or writing the function anew."""
        anew = rf"^def {re.escape(problem.facts['entry_point'])}\("
        return fenced(answer) is not None or re.search(anew, answer, re.MULTILINE) is not None

    def _written(self, problem: Problem, answer: str, chat: bool) -> str:
        """The given beginning and the answer.

        A chat model's may hold more than one function, so it is not cut at the stop texts, and the later definition
        counts.
        """
        code = fenced(answer)
        rest = "\n" + (answer if code is None else code) if chat else self.cut(answer)
        return f"{problem.facts['start']}{rest}"

    def _filtered(self, problem: Problem, answer: str, chat: bool) -> str:
        """What the authors run: they know but one way to open a fence, and whatever closes one ends the answer."""
        text = answer if chat else self.cut(answer)
        _, opened, inside = text.partition("```python\n")
        code = (inside if opened else text).partition("```")[0]
        return sanitize(f"{problem.facts['start']}\n{code}", problem.facts["entry_point"])
