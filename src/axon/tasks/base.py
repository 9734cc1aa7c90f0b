"""The contract of a task: problems with a prompt and a gold answer, and a verdict on any other answer."""

import hashlib
import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Split = Literal["train", "test"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem; `facts` is what scoring and the split need to know about it."""

    id: str
    prompt: str
    gold: str
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an answer is right, one line on why, and further measures of it by name."""

    correct: bool
    reason: str
    measures: dict[str, bool] = field(default_factory=dict)


class Task(Protocol):
    """A named set of fixed test problems and the rule that scores answers to them."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Changes whenever a problem or the scoring does."""
        ...

    @property
    def stop(self) -> tuple[str, ...]:
        """Texts that end an answer."""
        ...

    @property
    def chat_stop(self) -> tuple[str, ...]:
        """Texts that end an answer given in a chat."""
        ...

    @property
    def max_new_tokens(self) -> int:
        """How many tokens an answer may take."""
        ...

    def problems(self) -> Sequence[Problem]:
        """The fixed test problems."""
        ...

    def score(self, problem: Problem, answer: str) -> Verdict:
        """What the answer is worth."""
        ...


def endless(
    name: str, split: Split, seed: int, make: Callable[[random.Random, Split, str], Problem]
) -> Iterator[Problem]:
    """Problems of a split without end and without repetition of a prompt, the same for the same seed."""
    rng = random.Random(f"{name} {split} {seed}")
    seen = set()
    for number in itertools.count():
        problem = make(rng, split, f"{name}-{split}-{seed}-{number}")
        if problem.prompt not in seen:
            seen.add(problem.prompt)
            yield problem


def until(answer: str, stop: Sequence[str]) -> str:
    """The answer up to its first stop text."""
    return answer[: min((answer.index(text) for text in stop if text in answer), default=len(answer))]


def held_out(*key: object, share: float = 0.15) -> bool:
    """Whether a composition or a set of numbers belongs to the test split; the same on every machine."""
    digest = hashlib.sha256(repr(key).encode()).digest()
    return int.from_bytes(digest[:4], "big") < share * 2**32
