"""How a sums problem is worked out on paper: what is given, then each passage of the text with its equation."""

import random
from dataclasses import dataclass

from axon.tasks.passages import around, of_times

# What is said of steps that no number of the text stands for. An answer keeps to one voice, as a person would.
_VOICES: tuple[dict[str, str], ...] = (
    {
        "plain": "we start with {n} {T}",
        "double": "the number doubles",
        "triple": "the number triples",
        "add": "with the others",
        "together": "both together",
    },
    {
        "plain": "at first {n} {T}",
        "double": "double it",
        "triple": "triple it",
        "add": "add them",
        "together": "add both",
    },
)
# Words that have a capital at the start of a sentence only.
_STARTS = {
    "A", "After", "All", "An", "Another", "At", "Before", "By", "During", "Each", "Every", "For", "From", "He",
    "Her", "His", "If", "In", "It", "Its", "Later", "My", "Next", "Of", "On", "One", "Our", "She", "Some", "That",
    "The", "Their", "Then", "There", "These", "They", "This", "Those", "To", "Today", "Tomorrow", "We", "When",
    "With", "Yesterday", "You", "Your",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Equation:
    """One step: its kind, which numbers of the text it is about, and its two operands."""

    kind: str
    numbers: tuple[int, ...]
    left: int
    sign: str
    right: int
    value: int

    def __str__(self) -> str:
        return f"{self.left}{self.sign}{self.right}={self.value}"


def write(rng: random.Random, text: str, things: str, given: int | None, steps: list[Equation], unit: str) -> str:
    """The answer to a text with marked numbers: what is given, the steps in one of three layouts, then the number.

    No line begins with a word of the text: there it has no space before it and would be another token than in the text.
    """
    voice, layout = rng.choice(_VOICES), rng.choice(("lines", "steps", "sentence"))
    start = _capital(voice["plain"].format(n=given, T=things)) if given is not None else ""
    told = [(_said(text, step, voice), step) for step in steps]
    if layout == "lines":
        body = "\n".join([*([start] if start else []), *(f"- {said}: {step}" for said, step in told)])
    elif layout == "steps":
        lines = [f"{start}."] if start else []
        body = "\n".join([*lines, *(f"{i}. {said}, {step}." for i, (said, step) in enumerate(told, 1))])
    else:
        parts = [f"{_inside(said)}, so {step}" for said, step in told]
        body = (f"{start}; " if start else "Step by step: ") + "; ".join(parts) + f" {unit}."
    return f"{body}\n#### {steps[-1].value}"


def _said(text: str, step: Equation, voice: dict[str, str]) -> str:
    if step.numbers:
        return around(text, step.numbers)
    return (of_times(text, step.kind) if step.kind in ("double", "triple") else None) or voice[step.kind]


def _inside(passage: str) -> str:
    """A passage as it is written within a sentence: a name keeps its capital."""
    first, space, rest = passage.partition(" ")
    return (first.lower() if first in _STARTS else first) + space + rest


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
