"""What the published tasks share: problems loaded when they are needed, and a version that names them."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from axon import checks
from axon.tasks.base import Problem, Verdict, until
from axon.tasks.published import lmeval
from axon.tasks.published.source import Row


@dataclass(frozen=True)
class Published(ABC):
    """A task of lm-eval; its rows come from the folder `data`, or from the hub if there is none."""

    data: Path | None = None

    name: ClassVar[str]
    # lm-eval's definition of the task, within its folder of tasks.
    file: ClassVar[str]
    # The AXON paper's, for all four.
    max_new_tokens: ClassVar[int] = 256

    @property
    def rules(self) -> Row:
        """lm-eval's definition."""
        return lmeval.definition(self.file)

    @property
    def stop(self) -> tuple[str, ...]:
        return tuple(self.rules["generation_kwargs"]["until"])

    @property
    def chat_stop(self) -> tuple[str, ...]:
        return self.stop

    @property
    def version(self) -> str:
        """lm-eval's version of the task, and a short hash of the problems as they are asked."""
        told = "".join(f"{problem.id}\0{problem.prompt}\0{problem.gold}\0" for problem in self.problems())
        digest = hashlib.sha256(told.encode()).hexdigest()[:8]
        return f"lm-eval {self.rules['metadata']['version']}, {len(self.problems())} problems {digest}"

    def problems(self) -> Sequence[Problem]:
        return self._problems

    @cached_property
    def _problems(self) -> tuple[Problem, ...]:
        return tuple(self._load())

    @abstractmethod
    def _load(self) -> Iterator[Problem]: ...

    @abstractmethod
    def score(self, problem: Problem, answer: str) -> Verdict: ...

    def cut(self, answer: str) -> str:
        """The answer up to its first stop text; scoring does not rely on the decoder having stopped there."""
        return until(answer, self.stop)


@dataclass(frozen=True)
class PublishedCode(Published):
    """A task whose answers are run; `unsafe` permits that without isolation where there is none."""

    unsafe: bool = False

    def __post_init__(self) -> None:
        checks.flag("unsafe", self.unsafe)
