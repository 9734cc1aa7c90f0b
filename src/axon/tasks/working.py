"""How a sums problem is worked out on paper: what is given, equation by equation, in one voice and one layout."""

import random
from dataclasses import dataclass

# Each voice says every kind of step in its own way. An answer keeps to one voice, as a person would. No line begins
# with a name: there a name has no space before it and would be another token than in the problem.
_VOICES: tuple[dict[str, str], ...] = (
    {
        "plain": "we know that {P} has {n} {T}",
        "groups": "we see that {P} has {k} groups of {n}",
        "pairs": "we see that {P} has {n} and {k}",
        "gain": "{p} gets {n} more",
        "lose": "{p} loses {n}",
        "double": "the number doubles",
        "triple": "the number triples",
        "more_groups": "{p} gets {k} groups of {n}",
        "add": "{p} adds them",
        "share": "{k} share them",
        "cost": "each one costs {k} dollars",
        "friend": "the other has {n} more",
        "together": "they put them together",
    },
    {
        "plain": "start with {n} {T}",
        "groups": "work out {k} groups of {n}",
        "pairs": "put {n} and {k} together",
        "gain": "add {n}",
        "lose": "take away {n}",
        "double": "double it",
        "triple": "triple it",
        "more_groups": "work out {k} groups of {n}",
        "add": "add them",
        "share": "divide by {k}",
        "cost": "multiply by {k} dollars",
        "friend": "give the other {n} more",
        "together": "add both",
    },
    {
        "plain": "at first there are {n} {T}",
        "groups": "there are {k} groups of {n}",
        "pairs": "there are {n} and {k}",
        "gain": "there are {n} more",
        "lose": "there are {n} fewer",
        "double": "there are twice as many",
        "triple": "there are three times as many",
        "more_groups": "there are {k} more groups of {n}",
        "add": "these are added",
        "share": "there are {k} equal parts",
        "cost": "the price of each is {k} dollars",
        "friend": "the other has {n} more",
        "together": "both are added",
    },
)


@dataclass(frozen=True, slots=True)
class Equation:
    """One step: its kind, the numbers it names, and its two operands."""

    kind: str
    named: dict[str, int]
    left: int
    sign: str
    right: int
    value: int

    def __str__(self) -> str:
        return f"{self.left}{self.sign}{self.right}={self.value}"


def write(rng: random.Random, words: dict[str, str], given: int | None, steps: list[Equation], unit: str) -> str:
    """The answer: what is given, the steps from it in one of three layouts, then the number."""
    # The first voice speaks of one person or thing.
    voices = _VOICES[1:] if words["p"] == "they" else _VOICES
    voice, layout = rng.choice(voices), rng.choice(("lines", "steps", "sentences"))
    start = _capital(voice["plain"].format(**words, n=given)) if given is not None else ""
    told = [(voice[step.kind].format(**words, **step.named), step) for step in steps]
    if layout == "lines":
        body = "\n".join([*([start] if start else []), *(f"{text}: {step}" for text, step in told)])
    elif layout == "steps":
        lines = [f"{start}."] if start else []
        body = "\n".join([*lines, *(f"{i}. {text}, {step}." for i, (text, step) in enumerate(told, 1))])
    else:
        starts = ["First", *["Then"] * (len(told) - 1)]
        if len(told) > 2:
            starts[-1] = "Finally"
        parts = [f"{word} {text}, so {step}" for word, (text, step) in zip(starts, told, strict=True)]
        body = ". ".join([start, *parts] if start else parts) + f" {unit}."
    return f"{body}\n#### {steps[-1].value}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
