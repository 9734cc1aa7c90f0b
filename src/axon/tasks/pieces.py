"""What the code task is composed of: filters, maps and reductions, each in English, in Python and as a reference.

{x} stands for the element, {k} for a number and {c} for a letter. The reference is plain Python over values, written
apart from the source text, so that unit tests do not come from the answers they test.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Piece:
    """`english` are wordings that mean the same, `source` the Python expression, `apply` what it computes."""

    english: tuple[str, ...]
    source: str
    apply: Callable[..., Any]


@dataclass(frozen=True)
class Fold:
    """A reduction: `whole` for a collected list {v}; `start`, `add` and `end` for a loop with the variable {r}."""

    english: tuple[str, ...]
    whole: str
    apply: Callable[[list[Any]], Any]
    start: str
    add: str
    end: str = "{r}"


@dataclass(frozen=True)
class Domain:
    """A kind of input: what it is called, how it is walked, and the pieces that fit it.

    `plain` names the elements without a filter, `elements` are names for the variable that stands for one.
    """

    argument: str
    walk: str
    plain: tuple[str, ...]
    filters: dict[str, Piece]
    maps: dict[str, Piece]
    folds: dict[str, Fold]
    elements: tuple[str, ...]


LIST = Fold(
    ("returns them as a list", "returns the list of results", "returns the resulting list", "returns a list of them"),
    "{v}",
    lambda v: v,
    "[]",
    "{r}.append({e})",
)
COUNT = Fold(
    ("returns how many there are", "returns their number", "counts them", "returns the count"),
    "len({v})",
    len,
    "0",
    "{r} += 1",
)
SORTED = Fold(
    ("returns them in sorted order", "returns them sorted", "returns a sorted list of them", "sorts them"),
    "sorted({v})",
    sorted,
    "[]",
    "{r}.append({e})",
    "sorted({r})",
)
BACKWARDS = Fold(
    (
        "returns them in reverse order",
        "returns the list reversed",
        "returns them from last to first",
        "reverses the list",
    ),
    "{v}[::-1]",
    lambda v: v[::-1],
    "[]",
    "{r}.append({e})",
    "{r}[::-1]",
)
DISTINCT = Fold(
    (
        "returns how many different values there are",
        "counts the distinct values",
        "returns the number of different ones",
    ),
    "len(set({v}))",
    lambda v: len(set(v)),
    "[]",
    "{r}.append({e})",
    "len(set({r}))",
)
SUM = Fold(
    ("returns their sum", "returns the total", "adds them up", "sums them up", "returns the sum"),
    "sum({v})",
    sum,
    "0",
    "{r} += {e}",
)
LARGEST = Fold(
    (
        "returns the largest, or 0 if there is none",
        "returns the maximum, or 0 for none",
        "returns the biggest one (0 if none)",
    ),
    "max({v}, default=0)",
    lambda v: max(v, default=0),
    "[]",
    "{r}.append({e})",
    "max({r}, default=0)",
)
SMALLEST = Fold(
    (
        "returns the smallest, or 0 if there is none",
        "returns the minimum, or 0 for none",
        "returns the least one (0 if none)",
    ),
    "min({v}, default=0)",
    lambda v: min(v, default=0),
    "[]",
    "{r}.append({e})",
    "min({r}, default=0)",
)
FALLING = Fold(
    ("returns them from largest to smallest", "returns them in falling order", "sorts them from high to low"),
    "sorted({v}, reverse=True)",
    lambda v: sorted(v, reverse=True),
    "[]",
    "{r}.append({e})",
    "sorted({r}, reverse=True)",
)


def joined(english: tuple[str, ...], glue: str) -> Fold:
    """Texts put together with something between them."""
    return Fold(english, f"'{glue}'.join({{v}})", glue.join, "[]", "{r}.append({e})", f"'{glue}'.join({{r}})")


# Folds that need numbers, and folds that need texts.
ON_NUMBERS = {"sum", "largest", "smallest", "falling"}
ON_TEXTS = {"spaced", "dashed", "glued"}
