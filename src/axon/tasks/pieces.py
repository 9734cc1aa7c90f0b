"""What the code task is composed of: filters, maps and reductions, each in Python and as a reference.

{x} stands for the element, {k} for a number and {c} for a letter. The reference is plain Python over values, written
apart from the source text, so that unit tests do not come from the answers they test.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Piece:
    """`source` is the Python expression, `apply` what it computes; how it is said is in english/."""

    source: str
    apply: Callable[..., Any]


@dataclass(frozen=True)
class Fold:
    """A reduction: `whole` for a collected list {v}; `start`, `add` and `end` for a loop with the variable {r}."""

    whole: str
    apply: Callable[[list[Any]], Any]
    start: str
    add: str
    end: str = "{r}"


@dataclass(frozen=True)
class Domain:
    """A kind of input: what it is called, how it is walked, and the pieces that fit it.

    `elements` are names for the variable that stands for one.
    """

    argument: str
    walk: str
    filters: dict[str, Piece]
    maps: dict[str, Piece]
    folds: dict[str, Fold]
    elements: tuple[str, ...]


LIST = Fold(
    "{v}",
    lambda v: v,
    "[]",
    "{r}.append({e})",
)
COUNT = Fold(
    "len({v})",
    len,
    "0",
    "{r} += 1",
)
SORTED = Fold(
    "sorted({v})",
    sorted,
    "[]",
    "{r}.append({e})",
    "sorted({r})",
)
BACKWARDS = Fold(
    "{v}[::-1]",
    lambda v: v[::-1],
    "[]",
    "{r}.append({e})",
    "{r}[::-1]",
)
DISTINCT = Fold(
    "len(set({v}))",
    lambda v: len(set(v)),
    "[]",
    "{r}.append({e})",
    "len(set({r}))",
)
SUM = Fold(
    "sum({v})",
    sum,
    "0",
    "{r} += {e}",
)
LARGEST = Fold(
    "max({v}, default=0)",
    lambda v: max(v, default=0),
    "[]",
    "{r}.append({e})",
    "max({r}, default=0)",
)
SMALLEST = Fold(
    "min({v}, default=0)",
    lambda v: min(v, default=0),
    "[]",
    "{r}.append({e})",
    "min({r}, default=0)",
)
FALLING = Fold(
    "sorted({v}, reverse=True)",
    lambda v: sorted(v, reverse=True),
    "[]",
    "{r}.append({e})",
    "sorted({r}, reverse=True)",
)


def joined(glue: str) -> Fold:
    """Texts put together with something between them."""
    return Fold(f"'{glue}'.join({{v}})", glue.join, "[]", "{r}.append({e})", f"'{glue}'.join({{r}})")


# Folds that need numbers, and folds that need texts.
ON_NUMBERS = {"sum", "largest", "smallest", "falling"}
ON_TEXTS = {"spaced", "dashed", "glued"}
