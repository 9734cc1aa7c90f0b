"""Sums problems that were written as a whole, for a plan: only names, things and numbers are filled in."""

import random
from functools import cache

from axon.tasks.english import bank, sentences, whole
from axon.tasks.passages import marked

Plan = tuple[str, ...]


@cache
def plans() -> dict[Plan, tuple[tuple[str, ...], ...]]:
    """The texts there are for each plan, each as (things, text)."""
    found: dict[Plan, list[tuple[str, ...]]] = {}
    for plan, *rest in whole("stories"):
        found.setdefault(tuple(plan.split()), []).append(tuple(rest))
    return {plan: tuple(texts) for plan, texts in found.items()}


class Whole:
    """A story that is told in one go; the plan's numbers fill its slots in their order."""

    def __init__(self, rng: random.Random, plan: Plan) -> None:
        things, self.template = rng.choice(plans()[plan])
        people = bank("names")
        (first, third), (second, fourth) = rng.sample(people["she"], 2), rng.sample(people["he"], 2)
        self.words = {"F": first, "M": second, "F2": third, "M2": fourth, "T": rng.choice(things.split(",")).strip()}
        self.numbers: list[int] = []

    @property
    def text(self) -> str:
        """What is told, with its numbers marked."""
        slots = {"abcdefgh"[place]: marked(value, place) for place, value in enumerate(self.numbers)}
        return sentences(self.template.format(**self.words, **slots))

    def open(self, kind: str, **numbers: int) -> None:
        self.numbers.extend(numbers.values())

    def happen(self, kind: str, **numbers: int) -> None:
        self.numbers.extend(numbers.values())

    def ask(self, kind: str, **numbers: int) -> None:
        self.numbers.extend(numbers.values())
