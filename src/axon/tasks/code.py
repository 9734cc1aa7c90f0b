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
from axon.tasks.asking import ask
from axon.tasks.base import Problem, Split, Verdict, endless, held_out
from axon.tasks.domains import DOMAINS
from axon.tasks.english import whole
from axon.tasks.namesakes import LETTERS, NUMBERS, behaviour, namesakes
from axon.tasks.pieces import ON_NUMBERS, ON_TEXTS, Domain, Piece

NAME = "solve"
_SAMPLE = (
    "apple", "tree", "Moon", "stone", "a", "river", "ice", "hello", "Sun", "rain", "nest", "Otter", "seed",
    "lamp", "on", "it", "market", "salad", "dear", "noon", "letter", "cash", "bird", "me",
    "mountain", "hamsters", "chocolate", "orchestra", "elephants", "sandstone", "basketball", "illustrate", "on", "no",
)  # fmt: skip
# How many problems are asked for in a text that was written as a whole.
_WHOLE = 0.6
_RESULTS = ("result", "out", "res", "found")
# Filters that are another one turned round by a word; which of the two is meant is learned last, so they are met twice
# as often in training.
_TURNED = {
    "with", "without", "vowels", "no vowels", "same", "different", "other than", "divisible", "not divisible",
    "above", "at least", "below", "at most",
}  # fmt: skip
# Filters that differ in a word or a sign, often with the same words around.
_TWINS = (
    {"even", "odd"}, {"above", "at least", "below", "at most"}, {"divisible", "not divisible"},
    {"positive", "negative"}, {"longer", "shorter"}, {"starting", "ending"}, {"with", "without"},
    {"vowels", "no vowels"}, {"same", "different"},
)  # fmt: skip
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


def _tested(plan: Composition) -> bool:
    return held_out("code", plan)


def _beside_a_test(plan: Composition) -> bool:
    """Whether a plan of the test split is this one but for a twin of its filter.

    Who has met one of two twins only need not read which of them is meant.
    """
    kind, test, *rest = plan
    twins = set().union(*(some for some in _TWINS if test in some)) - {test}
    return any(_tested((kind, twin, *rest)) for twin in twins)


@cache
def _plans(split: Split) -> tuple[tuple[Composition, ...], ...]:
    """The compositions of a split by kind of input, each as often as it is drawn."""
    kept = [
        plan
        for plan in compositions()
        if (_tested(plan) if split == "test" else not (_tested(plan) or _beside_a_test(plan)))
    ]
    drawn = [plan for plan in kept for _ in range(_often(plan, split))]
    return tuple(tuple(plan for plan in drawn if plan[0] == name) for name in DOMAINS)


def _often(plan: Composition, split: Split) -> int:
    return 2 if split == "train" and plan[1] in _TURNED else 1


@cache
def _requests(split: Split) -> tuple[tuple[Composition, str], ...]:
    """Texts that were written as a whole, with their compositions, each as often as it is drawn."""
    kept = set(itertools.chain(*_plans(split)))
    found = ((tuple(plan.split("/")), text) for plan, text in whole("requests"))
    return tuple((plan, text) for plan, text in found if plan in kept for _ in range(_often(plan, split)))


@dataclass(frozen=True)
class Code:
    """Small Python functions over lists of numbers, words and letters."""

    # Run answers without isolation where there is none.
    unsafe: bool = False
    # Which 500 problems of the test split; 0 are the ones that figures are quoted for.
    seed: int = 0

    name: ClassVar[str] = "code"
    version: ClassVar[str] = "6"
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
        request = ""
        if rng.random() < _WHOLE:
            plan, request = rng.choice(_requests(split))
        else:
            plan = rng.choice(rng.choices(_plans(split), weights=(3, 2, 1))[0])
        domain = DOMAINS[plan[0]]
        # A number and a letter for the filter and a number for the map; most pieces want one of them or none.
        first = {"k": rng.choice(NUMBERS), "c": rng.choice(LETTERS)}
        second = {"k": rng.choice(NUMBERS)}
        if split == "train" or _new(domain, plan, first, second):
            break
    prompt = request.format(**first, m=second["k"]) if request else ask(rng, plan, first, second)
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
