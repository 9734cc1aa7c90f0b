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
from axon.tasks import stories
from axon.tasks.base import Problem, Split, Verdict, endless, held_out

# No number in a problem or an answer is larger.
LARGEST = 99
# How many equations each part of a composition takes.
_OPENINGS = {"plain": 0, "groups": 1, "pairs": 1}
_EVENTS = {"gain": 1, "lose": 1, "double": 1, "triple": 1, "more_groups": 2}
_QUESTIONS = {"left": 0, "share": 1, "cost": 1, "together": 2}
_SHORT = 5
# Of two numbers and no more, all of them whole.
_EQUATION = re.compile(r"(?<![-+*/.\d])(\d+)\s*([-+*/])\s*(\d+)\s*=\s*(\d+)(?!\.?\d)")
_FINAL = re.compile(r"####\s*(-?\d+)(?!\.?\d)")


@dataclass(frozen=True, slots=True)
class Equation:
    """One step of an answer and the words that name it."""

    left: int
    sign: str
    right: int
    words: str

    @property
    def value(self) -> int:
        value = calculate(self.left, self.sign, self.right)
        assert value is not None
        return value

    def __str__(self) -> str:
        return f"{self.left}{self.sign}{self.right}={self.value}"


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
    """Every plan: an opening, one to three events (one of them may multiply), a question; one to four equations."""
    found = []
    for count in (1, 2, 3):
        for parts in itertools.product(_OPENINGS, *[_EVENTS] * count, _QUESTIONS):
            # A plain opening is told in the answer too; with four equations on top it would be long.
            most = 3 if parts[0] == "plain" else 4
            if _equations(parts) <= most and parts.count("double") + parts.count("triple") <= 1:
                found.append(parts)
    return tuple(found)


def _equations(parts: tuple[str, ...]) -> int:
    return _OPENINGS[parts[0]] + sum(_EVENTS[event] for event in parts[1:-1]) + _QUESTIONS[parts[-1]]


@cache
def _plans(split: Split) -> tuple[tuple[str, ...], ...]:
    """The plans of a split; the few with one equation several times, for people ask such sums first."""
    kept = [parts for parts in compositions() if held_out("sums", parts) == (split == "test")]
    return tuple(parts for parts in kept for _ in range(_SHORT if _equations(parts) == 1 else 1))


@dataclass(frozen=True)
class Sums:
    """Short word problems with whole numbers up to 99."""

    # Which 500 problems of the test split; 0 are the ones that figures are quoted for.
    seed: int = 0

    name: ClassVar[str] = "sums"
    version: ClassVar[str] = "3"
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
        plan = rng.choice(_plans(split))
        theme = stories.THEMES[rng.choice(list(stories.THEMES))]
        try:
            told = _Telling(rng, theme, plan)
        except _TooLarge:
            continue
        if held_out("numbers", told.numbers) == (split == "test"):
            break
    facts = {"answer": told.value, "composition": plan, "numbers": told.numbers}
    return Problem(name, told.prompt, told.answer(), facts)


class _TooLarge(Exception):
    """The numbers left the range; other ones are drawn."""


class _Telling:
    """One problem being told: its sentences, its equations and the number reached so far."""

    def __init__(self, rng: random.Random, theme: stories.Theme, plan: tuple[str, ...]) -> None:
        self.rng, self.theme = rng, theme
        first, later, (subject, possessive, object_) = rng.choice(theme.actors)
        self.words = {"P": first, "Q": later, "p": subject, "s": possessive, "o": object_}
        self.words |= {"T": rng.choice(theme.things), "B": rng.choice(theme.box), "F": rng.choice(stories.FRIENDS)}
        self.links = rng.sample(stories.LINKS, len(stories.LINKS))
        self.sentences: list[str] = []
        self.given = ""
        self.equations: list[Equation] = []
        self.numbers: tuple[int, ...] = ()
        self.value = 0
        self._open(plan[0])
        for event in plan[1:-1]:
            self._happen(event)
        self._ask(plan[-1])
        self._stray()
        self.unit = "dollars" if plan[-1] == "cost" else self.words["T"]

    @property
    def prompt(self) -> str:
        return " ".join(self.sentences)

    def _fill(self, text: str, **numbers: int) -> tuple[str, str]:
        """A text with its words and numbers in, and the part of it that answers quote."""
        self.numbers += tuple(numbers.values())
        filled = text.format(**self.words, **numbers)
        quoted = re.search(r"\[(.*)\]", filled)
        told = filled.replace("[", "").replace("]", "")
        # A text may hold two sentences; each starts with a capital.
        told = re.sub(r"(^|[.?] )([a-z])", lambda match: match[1] + match[2].upper(), told)
        return told, quoted[1] if quoted else ""

    def _reach(self, sign: str, right: int, words: str, left: int | None = None) -> int:
        left = self.value if left is None else left
        value = calculate(left, sign, right)
        if value is None or not 2 <= value <= LARGEST:
            raise _TooLarge
        self.equations.append(Equation(left, sign, right, words))
        return value

    def _open(self, kind: str) -> None:
        rng = self.rng
        if kind == "plain":
            self.value = rng.randint(5, 60)
            told, self.given = self._fill(rng.choice(self.theme.start), n=self.value)
        elif kind == "groups":
            k, n = rng.randint(2, 9), rng.randint(3, 12)
            told, quote = self._fill(rng.choice(stories.GROUPS), k=k, n=n)
            self.value = self._reach("*", n, quote, left=k)
        else:
            n, k = rng.randint(4, 40), rng.randint(4, 40)
            told, quote = self._fill(rng.choice(stories.PAIRS), n=n, k=k)
            self.value = self._reach("+", k, quote, left=n)
        self.sentences.append(told)

    def _happen(self, kind: str) -> None:
        rng = self.rng
        if kind in ("gain", "lose"):
            n = rng.randint(3, 40 if kind == "gain" else max(3, min(60, self.value - 2)))
            told, quote = self._fill(rng.choice(self.theme.gain if kind == "gain" else self.theme.lose), n=n)
            self.value = self._reach("+" if kind == "gain" else "-", n, quote)
        elif kind in ("double", "triple"):
            told, quote = self._fill(rng.choice(stories.DOUBLE if kind == "double" else stories.TRIPLE))
            self.value = self._reach("*", 2 if kind == "double" else 3, quote)
        else:
            k, n = rng.randint(2, 9), rng.randint(3, 12)
            told, quote = self._fill(rng.choice(stories.MORE_GROUPS), k=k, n=n)
            added = self._reach("*", n, quote, left=k)
            self.value = self._reach("+", added, self._fill(stories.ADD_THEM)[0])
        sentence = self.links.pop().format(told[0].lower() + told[1:])
        self.sentences.append(sentence[0].upper() + sentence[1:])

    def _ask(self, kind: str) -> None:
        rng = self.rng
        if kind == "left":
            lost = any(equation.sign == "-" for equation in self.equations)
            told, _ = self._fill(rng.choice(stories.ASK_REST if lost else stories.ASK_LEFT))
        elif kind == "share":
            shares = [k for k in range(2, 10) if self.value % k == 0]
            if not shares:
                raise _TooLarge
            k = rng.choice(shares)
            told, quote = self._fill(rng.choice(stories.ASK_SHARE), k=k)
            self.value = self._reach("/", k, quote)
        elif kind == "cost":
            k = rng.randint(2, 9)
            told, quote = self._fill(rng.choice(stories.ASK_COST), k=k)
            self.value = self._reach("*", k, quote)
        else:
            n = rng.randint(2, 30)
            told, quote = self._fill(rng.choice(stories.ASK_TOGETHER), n=n)
            friend = self._reach("+", n, quote)
            self.value = self._reach("+", friend, stories.TOGETHER)
        self.sentences.append(told)

    def _stray(self) -> None:
        """Now and then a sentence before the question, unless that speaks of "them" or "that" before it."""
        place = self.words["p"] == "it"
        fitting = [aside for aside in stories.ASIDES if not (place and "{Q}" in aside)]
        if self.rng.random() < 0.1 and not re.search(r"\b(them|they|that)\b", self.sentences[-1], re.IGNORECASE):
            self.sentences.insert(-1, self._fill(self.rng.choice(fitting))[0])

    def answer(self) -> str:
        """What is given and the steps from it, in one of three ways of writing them down, then the number."""
        style = self.rng.choice(("lines", "steps", "sentences"))
        steps = [(self._inside(equation.words), equation) for equation in self.equations]
        if style == "lines":
            lines = [self.given] if self.given else []
            body = "\n".join([*lines, *(f"{words}: {equation}" for words, equation in steps)])
        elif style == "steps":
            lines = [f"{self.given}."] if self.given else []
            body = "\n".join([*lines, *(f"{i}. {words}, {step}." for i, (words, step) in enumerate(steps, 1))])
        else:
            starts = ["First", *["Then"] * (len(steps) - 1)]
            if len(steps) > 2:
                starts[-1] = "Finally"
            sentences = [f"{start} {words}, so {step}" for start, (words, step) in zip(starts, steps, strict=True)]
            sentences[-1] += f" {self.unit}"
            body = ". ".join([self.given, *sentences] if self.given else sentences) + "."
        return f"{body}\n#### {self.value}"

    def _inside(self, words: str) -> str:
        """A quote as it stands in the middle of a sentence: a name keeps its capital, other words do not."""
        names = (*stories.GIRLS, *stories.BOYS, *stories.FRIENDS)
        return words if words.startswith(names) else words[0].lower() + words[1:]
