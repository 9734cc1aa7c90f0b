"""Small Python functions over lists and texts, asked for in English and scored by their unit tests.

A problem is a composition (kind of input, filter, map, reduction) with a number or a letter in it. Some compositions
belong to the test split alone, and a test problem is none that a composition of the training split can express too.
"""

import itertools
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from axon import checks, sandbox
from axon.tasks.base import Problem, Split, Verdict, endless, held_out
from axon.tasks.domains import DOMAINS
from axon.tasks.namesakes import LETTERS, NUMBERS, behaviour, namesakes
from axon.tasks.pieces import ON_NUMBERS, ON_TEXTS, Domain, Piece

NAME = "solve"
_SAMPLE = (
    "apple", "tree", "Moon", "stone", "a", "river", "ice", "hello", "Sun", "rain", "nest", "Otter", "seed",
    "lamp", "on", "it", "market", "salad", "dear", "noon", "letter", "cash", "bird", "me",
    "mountain", "hamsters", "chocolate", "orchestra", "elephants", "sandstone", "basketball", "illustrate", "on", "no",
)  # fmt: skip
_ASKS = (
    "Write a Python function solve({a}) that {v} {f}, {m} and {r}.",
    "Write a function solve({a}) that {v} {f}, {m} and {r}.",
    "Define solve({a}) in Python. It {v} {f}, {m} and {r}.",
    "I need a function solve({a}) which {v} {f}, {m} and then {r}.",
    "Please write solve({a}), a function that {v} {f}, {m} and {r}.",
    "In Python, write solve({a}): it {v} {f}, {m} and {r}.",
    "Write solve({a}). First it {v} {f}. Then it {m}. Finally it {r}.",
    "The function solve({a}) {v} {f}, {m}, and {r}. Write it.",
    "Write a Python function named solve({a}). It {v} {f}, {m} and {r}.",
    "Can you write a function solve({a}) that {v} {f}, {m} and {r}?",
    "Implement solve({a}): it {v} {f}, {m} and then {r}.",
    "Write Python code for solve({a}), which {v} {f}, {m} and {r}.",
)
_TAKES = ("takes", "picks", "keeps", "selects", "chooses")
_RESULTS = ("result", "out", "res", "found")
Composition = tuple[str, str, str, str]


@cache
def compositions() -> tuple[Composition, ...]:
    """Every (input, filter, map, reduction) that makes sense; "" stands for no filter or no map, not both."""
    found = []
    for name, domain in DOMAINS.items():
        for chosen in itertools.product(["", *domain.filters], ["", *domain.maps], domain.folds):
            test, change, fold = chosen
            numeric = name == "numbers" or change == "length"
            if not test and not change:
                continue
            # Counting forgets what a map did, so the two are never asked for together.
            if (fold == "count" and change) or (fold in ON_NUMBERS and not numeric) or (fold in ON_TEXTS and numeric):
                continue
            found.append((name, *chosen))
    return tuple(found)


@cache
def _plans(split: Split) -> tuple[tuple[Composition, ...], ...]:
    """The compositions of a split by kind of input, so that each kind is drawn as often as the others."""
    kept = [plan for plan in compositions() if held_out("code", plan) == (split == "test")]
    return tuple(tuple(plan for plan in kept if plan[0] == name) for name in DOMAINS)


@dataclass(frozen=True)
class Code:
    """Small Python functions over lists of numbers, words and letters."""

    # Run answers without isolation where there is none.
    unsafe: bool = False
    # Which 500 problems of the test split; 0 are the ones that figures are quoted for.
    seed: int = 0

    name: ClassVar[str] = "code"
    version: ClassVar[str] = "3"
    stop: ClassVar[tuple[str, ...]] = ()
    chat_stop: ClassVar[tuple[str, ...]] = ()
    max_new_tokens: ClassVar[int] = 128

    def __post_init__(self) -> None:
        checks.flag("unsafe", self.unsafe)
        checks.whole("seed", self.seed, least=0)

    def problems(self) -> Sequence[Problem]:
        return tuple(itertools.islice(self.generate(self.seed, "test"), 500))

    def generate(self, seed: int, split: Split) -> Iterator[Problem]:
        """Problems of a split without end."""
        return endless(self.name, split, seed, _problem)

    def score(self, problem: Problem, answer: str) -> Verdict:
        outcome = sandbox.run(program(answer, problem.facts["tests"]), unsafe=self.unsafe)
        if outcome.passed:
            return Verdict(True, "all unit tests pass")
        return Verdict(False, (outcome.stderr.strip().splitlines() or [outcome.status])[-1])


def program(answer: str, tests: Sequence[tuple[Any, Any]]) -> str:
    """The answer's source followed by its unit tests."""
    fenced = re.search(r"```(?:python)?\n(.*?)(?:```|\Z)", answer, re.DOTALL)
    source = fenced[1] if fenced else answer
    # In a function, so that no name of the answer is overwritten.
    return f"""{source}

def _check():
    for given, right in {list(tests)!r}:
        got = {NAME}(given)
        # True is 1 to ==, but not the same answer.
        assert (type(got), got) == (type(right), right), f"{NAME}({{given!r}}) gave {{got!r}} instead of {{right!r}}"

_check()
"""


def _problem(rng: random.Random, split: Split, name: str) -> Problem:
    while True:
        plan = rng.choice(rng.choices(_plans(split), weights=(3, 2, 1))[0])
        domain = DOMAINS[plan[0]]
        # A number and a letter for the filter and a number for the map; most pieces want one of them or none.
        first = {"k": rng.choice(NUMBERS), "c": rng.choice(LETTERS)}
        second = {"k": rng.choice(NUMBERS)}
        if split == "train" or _new(domain, plan, first, second):
            break
    prompt = _ask(rng, domain, plan, first, second)
    gold = _write(rng, domain, plan, first, second)
    facts = {"composition": plan, "constants": (first["k"], first["c"], second["k"])}
    return Problem(name, prompt, gold, facts | {"tests": _tests(domain, plan, first, second)})


def _new(domain: Domain, plan: Composition, first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether no composition of the training split computes the same."""
    kind, test, change, fold = plan
    constant = _constant(domain.filters[test], first) if test else None
    does = behaviour(kind, test, change, fold, constant, second["k"])
    trained = _trained()
    return not any((kind, *same, fold) in trained for same in namesakes(kind, fold, does))


@cache
def _trained() -> frozenset[Composition]:
    return frozenset(itertools.chain(*_plans("train")))


def _constant(piece: Piece, given: dict[str, Any]) -> Any:
    """Which of the two kinds of constant a filter wants, its text says."""
    return given["c" if "{c}" in piece.source else "k"]


def _ask(rng: random.Random, domain: Domain, plan: Composition, first: dict[str, Any], second: dict[str, Any]) -> str:
    _, test, change, fold = plan
    taken = rng.choice(domain.filters[test].english if test else domain.plain).format(**first)
    done = rng.choice(domain.maps[change].english).format(**second) if change else None
    text = rng.choice(_ASKS)
    if done is None:
        text = text.replace(", {m}", "").replace(" Then it {m}.", "")
    return text.format(
        a=domain.argument, v=rng.choice(_TAKES), f=taken, m=done, r=rng.choice(domain.folds[fold].english)
    )


def _write(rng: random.Random, domain: Domain, plan: Composition, first: dict[str, Any], second: dict[str, Any]) -> str:
    """The function as a loop, as a list first, or as one expression, with names of its own."""
    _, test, change, fold = plan
    x, result = rng.choice(domain.elements), rng.choice(_RESULTS)
    element = domain.maps[change].source.format(x=x, **second) if change else x
    condition = domain.filters[test].source.format(x=x, **first) if test else None
    folded = domain.folds[fold]
    head = f"def {NAME}({domain.argument}):"
    style = rng.choice(("loop", "list", "expression"))
    if style == "loop":
        lines = [head, f"    {result} = {folded.start}", f"    for {x} in {domain.walk}:"]
        indent = "        "
        if condition is not None:
            lines.append(f"{indent}if {condition}:")
            indent += "    "
        lines.append(indent + folded.add.format(r=result, e=element))
        return "\n".join([*lines, f"    return {folded.end.format(r=result)}"])
    collected = f"[{element} for {x} in {domain.walk}" + (f" if {condition}]" if condition is not None else "]")
    if style == "list" or condition is None:
        return f"{head}\n    {result} = {collected}\n    return {folded.whole.format(v=result)}"
    return f"{head}\n    return {folded.whole.format(v=collected)}"


def _tests(
    domain: Domain, plan: Composition, first: dict[str, Any], second: dict[str, Any]
) -> tuple[tuple[Any, Any], ...]:
    """Pairs of input and right output: the empty input and ten drawn ones, the same for the same problem."""
    kind, test, change, fold = plan
    rng = random.Random(f"code tests {plan} {first} {second}")
    k, c = first["k"], first["c"]
    pairs = []
    for number in range(11):
        given: Any = [] if kind == "numbers" else ""
        if number and kind == "numbers":
            given = [
                rng.choice((rng.randint(-9, 9), rng.randint(1, 30), k + rng.randint(-1, 1), k * rng.randint(1, 4)))
                for _ in range(8)
            ]
        elif number and kind == "words":
            words = [*rng.sample(_SAMPLE, 7), c + rng.choice(_SAMPLE), rng.choice(_SAMPLE) + c, rng.choice(_SAMPLE)]
            given = " ".join(rng.sample(words, len(words)))
        elif number:
            given = "".join(rng.choice("abcdehilmnorstuAEIORST0123456789 -" + c * 4) for _ in range(14))
        elements = given.split() if kind == "words" else list(given)
        if test:
            wanted = domain.filters[test]
            elements = [x for x in elements if wanted.apply(x, _constant(wanted, first))]
        if change:
            elements = [domain.maps[change].apply(x, second["k"]) for x in elements]
        pairs.append((given, domain.folds[fold].apply(elements)))
    return tuple(pairs)
