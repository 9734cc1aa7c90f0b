"""Word problems in a few sentences, answered step by step, ending in `#### number`.

A problem is a composition (how it opens, what happens, what is asked) filled with numbers. Some compositions and some
sequences of numbers belong to the test split alone, so a test problem is new in its plan and in the numbers of its
text, in their order; a single equation of it may well be known from training.
"""

import itertools
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from axon import checks
from axon.tasks.base import Problem, Split, Verdict, endless, held_out
from axon.tasks.passages import plain
from axon.tasks.telling import Telling, numbers_in
from axon.tasks.wholes import Whole, plans
from axon.tasks.working import Equation, write

# No number in a problem or an answer is larger.
LARGEST = 99
# How many equations each part of a composition takes.
_OPENINGS = {"plain": 0, "groups": 1, "pairs": 1}
_EVENTS = {"gain": 1, "lose": 1, "double": 1, "triple": 1, "more_groups": 2}
_QUESTIONS = {"left": 0, "share": 1, "cost": 1, "together": 2}
_SHORT = 5
# How many problems are told in a text that was written as a whole.
_WHOLE = 0.6
# Of two numbers and no more, all of them whole.
_EQUATION = re.compile(r"(?<![-+*/.\d])(\d+)\s*([-+*/])\s*(\d+)\s*=\s*(\d+)(?!\.?\d)")
_FINAL = re.compile(r"####\s*(-?\d+)(?!\.?\d)")


def calculate(left: int, sign: str, right: int) -> int | None:
    """The value of one operation on whole numbers; None where division leaves a rest."""
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    if sign == "*":
        return left * right
    return left // right if right and left % right == 0 else None


@cache
def compositions() -> tuple[tuple[str, ...], ...]:
    """Every plan: an opening, up to three events (one of them may multiply), a question; one to four equations."""
    found = []
    for count in (0, 1, 2, 3):
        for parts in itertools.product(_OPENINGS, *[_EVENTS] * count, _QUESTIONS):
            # A plain opening is told in the answer too; with four equations on top it would be long.
            most = 3 if parts[0] == "plain" else 4
            if 1 <= _equations(parts) <= most and parts.count("double") + parts.count("triple") <= 1:
                found.append(parts)
    return tuple(found)


def _tested(parts: tuple[str, ...]) -> bool:
    """Whether a plan belongs to the test split; the few without an event are for training, to be learned at all."""
    return len(parts) > 2 and held_out("sums", parts)


def _beside_a_test(parts: tuple[str, ...]) -> bool:
    """Whether a plan of the test split is this one but for a gain that is a loss there, or a loss that is a gain.

    Who has met only one of the two need not read which of them is told.
    """
    turned = {"gain": "lose", "lose": "gain"}
    return any(
        _tested((*parts[:place], turned[part], *parts[place + 1 :]))
        for place, part in enumerate(parts)
        if part in turned
    )


def _equations(parts: tuple[str, ...]) -> int:
    return _OPENINGS[parts[0]] + sum(_EVENTS[event] for event in parts[1:-1]) + _QUESTIONS[parts[-1]]


@cache
def _plans(split: Split) -> tuple[tuple[str, ...], ...]:
    """The plans of a split; the few with one equation several times, for people ask such sums first."""
    kept = [
        parts
        for parts in compositions()
        if (_tested(parts) if split == "test" else not (_tested(parts) or _beside_a_test(parts)))
    ]
    return tuple(parts for parts in kept for _ in range(_SHORT if _equations(parts) == 1 else 1))


@cache
def _whole_plans(split: Split) -> tuple[tuple[str, ...], ...]:
    """The same for texts that were written as a whole, each plan as often as it has texts."""
    known = plans()
    return tuple(parts for parts in dict.fromkeys(_plans(split)) for _ in known.get(parts, ()))


@dataclass(frozen=True)
class Sums:
    """Short word problems with whole numbers up to 99."""

    # Which 500 problems of the test split; 0 are the ones that figures are quoted for.
    seed: int = 0

    name: ClassVar[str] = "sums"
    version: ClassVar[str] = "6"
    stop: ClassVar[tuple[str, ...]] = ()
    chat_stop: ClassVar[tuple[str, ...]] = ()
    max_new_tokens: ClassVar[int] = 128

    def __post_init__(self) -> None:
        checks.whole("seed", self.seed, least=0)

    def problems(self) -> Sequence[Problem]:
        return tuple(itertools.islice(self.generate(self.seed, "test"), 500))

    def generate(self, seed: int, split: Split) -> Iterator[Problem]:
        """Problems of a split without end."""
        return endless(self.name, split, seed, _problem)

    def score(self, problem: Problem, answer: str) -> Verdict:
        right = int(problem.facts["answer"])
        found = _FINAL.findall(answer)
        measures = {"equations": equations_hold(answer)}
        if not found:
            return Verdict(False, "no final number after ####", measures)
        last = int(found[-1])
        reason = f"{last} is right" if last == right else f"{last} instead of {right}"
        return Verdict(last == right, reason, measures)


def equations_hold(answer: str) -> bool:
    """Whether there are equations and every one is true."""
    found = _EQUATION.findall(answer)
    return bool(found) and all(
        calculate(int(left), sign, int(right)) == int(value) for left, sign, right, value in found
    )


def _problem(rng: random.Random, split: Split, name: str) -> Problem:
    while True:
        whole = rng.random() < _WHOLE
        plan = rng.choice(_whole_plans(split) if whole else _plans(split))
        try:
            story = _Story(rng, plan, Whole(rng, plan) if whole else Telling(rng))
        except _TooLarge:
            continue
        if held_out("numbers", story.numbers) == (split == "test"):
            break
    facts = {"answer": story.value, "composition": plan, "numbers": story.numbers}
    return Problem(name, story.prompt, story.answer(), facts)


class _TooLarge(Exception):
    """The numbers left the range; other ones are drawn."""


class _Story:
    """One problem being made: how it is told, its equations and the number reached so far."""

    def __init__(self, rng: random.Random, plan: tuple[str, ...], telling: Telling | Whole) -> None:
        self.rng, self.telling = rng, telling
        self.given: int | None = None
        self.equations: list[Equation] = []
        # How many numbers the text has named so far.
        self.named = 0
        self.value = 0
        self._open(plan[0])
        for event in plan[1:-1]:
            self._happen(event)
        self._ask(plan[-1])
        self.unit = "dollars" if plan[-1] == "cost" else self.telling.words["T"]

    @property
    def prompt(self) -> str:
        return plain(self.telling.text)

    @property
    def numbers(self) -> tuple[int, ...]:
        return numbers_in(self.prompt)

    def answer(self) -> str:
        return write(self.rng, self.telling.text, self.telling.words["T"], self.given, self.equations, self.unit)

    def _reach(self, kind: str, left: int, sign: str, right: int, names: int = 0) -> int:
        """One equation more, for which the text names so many numbers."""
        value = calculate(left, sign, right)
        if value is None or not 2 <= value <= LARGEST:
            raise _TooLarge
        numbers = tuple(range(self.named, self.named + names))
        self.named += names
        self.equations.append(Equation(kind, numbers, left, sign, right, value))
        return value

    def _open(self, kind: str) -> None:
        rng = self.rng
        if kind == "plain":
            self.value = self.given = n = rng.randint(5, 60)
            self.named = 1
            self.telling.open(kind, n=n)
        elif kind == "groups":
            k, n = rng.randint(2, 9), rng.randint(3, 12)
            self.telling.open(kind, k=k, n=n)
            self.value = self._reach(kind, k, "*", n, names=2)
        else:
            n, k = rng.randint(4, 40), rng.randint(4, 40)
            self.telling.open(kind, n=n, k=k)
            self.value = self._reach(kind, n, "+", k, names=2)

    def _happen(self, kind: str) -> None:
        rng = self.rng
        if kind in ("gain", "lose"):
            n = rng.randint(2, 40 if kind == "gain" else max(2, min(60, self.value - 2)))
            self.telling.happen(kind, n=n)
            self.value = self._reach(kind, self.value, "+" if kind == "gain" else "-", n, names=1)
        elif kind in ("double", "triple"):
            self.telling.happen(kind)
            self.value = self._reach(kind, self.value, "*", 2 if kind == "double" else 3)
        else:
            k, n = rng.randint(2, 9), rng.randint(3, 12)
            self.telling.happen(kind, k=k, n=n)
            added = self._reach(kind, k, "*", n, names=2)
            self.value = self._reach("add", self.value, "+", added)

    def _ask(self, kind: str) -> None:
        rng = self.rng
        if kind == "left":
            self.telling.ask("ask")
        elif kind == "share":
            shares = [k for k in range(2, 10) if self.value % k == 0 and self.value > k]
            if not shares:
                raise _TooLarge
            k = rng.choice(shares)
            self.telling.ask(kind, k=k)
            self.value = self._reach(kind, self.value, "/", k, names=1)
        elif kind == "cost":
            k = rng.randint(2, 9)
            self.telling.ask(kind, k=k)
            self.value = self._reach(kind, self.value, "*", k, names=1)
        else:
            n = rng.randint(2, 30)
            self.telling.ask(kind, n=n)
            friend = self._reach("friend", self.value, "+", n, names=1)
            self.value = self._reach("together", self.value, "+", friend)
