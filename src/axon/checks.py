"""Small checks that configs run on themselves, so that a wrong value is named where it is given."""

import math
from collections.abc import Iterable

from axon.errors import AxonError


def whole(name: str, value: object, least: int = 1) -> None:
    """Refuse anything but an int of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise AxonError(f"{name} must be a whole number of at least {least}, got {value!r}")


def number(name: str, value: object, low: float, high: float = math.inf) -> None:
    """Refuse anything but a finite number in [low, high]."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
        or not low <= value <= high
    ):
        allowed = f"at least {low:g}" if high == math.inf else f"between {low:g} and {high:g}"
        raise AxonError(f"{name} must be a number {allowed}, got {value!r}")


def flag(name: str, value: object) -> None:
    """Refuse anything but True or False."""
    if not isinstance(value, bool):
        raise AxonError(f"{name} must be true or false, got {value!r}")


def one_of(name: str, value: object, allowed: Iterable[object]) -> None:
    """Refuse anything outside `allowed`."""
    choices = list(allowed)
    if value not in choices:
        raise AxonError(f"{name} must be one of {', '.join(map(str, choices))}, got {value!r}")


def layers(name: str, value: object) -> None:
    """Refuse anything but "all", a number of last layers, or a fraction of the depth."""
    if value == "all":
        return
    if isinstance(value, float) and 0.0 < value <= 1.0:
        return
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return
    raise AxonError(
        f'{name} must be "all", a number of last layers, or a fraction of the depth such as 1/8, got {value!r}'
    )
