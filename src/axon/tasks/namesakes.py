"""Compositions of the code task that are one function under several names: even is divisible by 2."""

import string
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

from axon.tasks.domains import DOMAINS
from axon.tasks.pieces import Piece

NUMBERS = range(2, 10)
LETTERS = "abcdehilmnorst"
# Elements that tell functions apart: every number near a constant, words of every length with a letter at each place.
_PROBES: dict[str, tuple[Any, ...]] = {
    "numbers": tuple(range(-60, 61)),
    "words": (
        *("xyzxyzxyzxyz"[:length] for length in range(1, 13)),
        *(word for c in LETTERS for word in (c, f"{c}xY", f"Yx{c}", f"Y{c}x")),
    ),
    "letters": tuple(string.printable),
}
Behaviour = tuple[Any, ...]


def behaviour(kind: str, test: str, change: str, fold: str, first: Any, second: Any) -> Behaviour:
    """Which probes are left, each with what the reduction can tell of it; `first` and `second` are the constants."""
    domain = DOMAINS[kind]
    kept = [x for x in _PROBES[kind] if not test or domain.filters[test].apply(x, first)]
    made = [domain.maps[change].apply(x, second) if change else x for x in kept]
    if fold == "distinct":
        # It tells which are equal and no more: as many doubles are different as numbers.
        made = [made.index(value) for value in made]
    return tuple(zip(kept, made, strict=True))


def namesakes(kind: str, fold: str, does: Behaviour) -> set[tuple[str, str]]:
    """Every filter and map that can behave like this in front of a reduction, whatever their constants."""
    return _known(kind, "distinct" if fold == "distinct" else "")[does]


@cache
def _known(kind: str, fold: str) -> dict[Behaviour, set[tuple[str, str]]]:
    domain, found = DOMAINS[kind], defaultdict(set)
    for test in ("", *domain.filters):
        for first in _constants(domain.filters.get(test)):
            for change in ("", *domain.maps):
                for second in _constants(domain.maps.get(change)):
                    found[behaviour(kind, test, change, fold, first, second)].add((test, change))
    return found


def _constants(piece: Piece | None) -> Iterator[Any]:
    if piece is not None and "{c}" in piece.source:
        yield from LETTERS
    elif piece is not None and "{k}" in piece.source:
        yield from NUMBERS
    else:
        yield None
