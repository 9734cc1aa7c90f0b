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


def behaviour(kind: str, test: str, change: str, first: Any, second: Any) -> Behaviour:
    """Which probes are left, each with what became of it; `first` and `second` are the constants."""
    domain = DOMAINS[kind]
    kept = [x for x in _PROBES[kind] if not test or domain.filters[test].apply(x, first)]
    return tuple((x, domain.maps[change].apply(x, second) if change else x) for x in kept)


@cache
def _known(kind: str) -> dict[Behaviour, set[tuple[str, str]]]:
    domain, found = DOMAINS[kind], defaultdict(set)
    for test in ("", *domain.filters):
        for first in _constants(domain.filters.get(test)):
            for change in ("", *domain.maps):
                for second in _constants(domain.maps.get(change)):
                    found[behaviour(kind, test, change, first, second)].add((test, change))
    return found


def namesakes(kind: str, does: Behaviour) -> set[tuple[str, str]]:
    """Every filter and map that can behave like this, whatever their constants."""
    return _known(kind)[does]


def _constants(piece: Piece | None) -> Iterator[Any]:
    if piece is not None and "{c}" in piece.source:
        yield from LETTERS
    elif piece is not None and "{k}" in piece.source:
        yield from NUMBERS
    else:
        yield None
