"""Comparisons and identities in plain words, so that noise is not read as gain."""

import math
from typing import Any

from axon.evaluation.statistics import Interval
from axon.evaluation.summary import Comparison

# Fewer pairs than this say nothing, whatever their interval.
_FEW = 5
_MINUS = "\N{MINUS SIGN}"


def signed(value: float, digits: int) -> str:
    """A number with its sign, and a minus sign that is as wide as the plus."""
    text = f"{value:+.{digits}f}"
    # A difference that rounds to nothing has no direction.
    return text.lstrip("+-") if float(text) == 0 else text.replace("-", _MINUS)


def number(value: float | None, digits: int) -> str:
    """A number, or a dash where there is none."""
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def change(value: float, digits: int) -> str:
    """A difference, or a dash where there is none to speak of."""
    return "–" if math.isnan(value) else signed(value, digits)


def p_value(p: float) -> str:
    """A p-value to three digits; none is nothing."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def accuracy(pair: Comparison) -> str:
    """What AXON did to accuracy, in one line."""
    if pair.problems == 0:
        return "no problem was answered by both"
    low, high = (100 * end for end in pair.accuracy_interval)
    said = f"{signed(100 * pair.accuracy, 1)} points, 95 % {signed(low, 1)} … {signed(high, 1)}"
    if pair.gained == pair.lost == 0:
        return f"{said}: the same verdict on every problem"
    sure = _apart(pair.accuracy_interval) and pair.p < 0.05 and pair.problems >= _FEW
    outcome = ("more" if pair.accuracy > 0 else "less") + " accurate" if sure else "not distinguishable from zero"
    return f"{said}: {outcome}"


def evaluations(pair: Comparison) -> str:
    """What AXON did to the number of evaluations, in one line."""
    if math.isnan(pair.nfe):
        return "no problem was decoded by both"
    low, high = pair.nfe_interval
    said = f"{signed(pair.nfe, 2)} evaluations, 95 % {signed(low, 2)} … {signed(high, 2)}"
    if pair.problems < _FEW:
        return f"{said}: too few problems to tell"
    if not _apart(pair.nfe_interval):
        return f"{said}: not distinguishable from zero"
    return f"{said}: {'slower' if pair.nfe > 0 else 'faster'}"


def exact(pair: Comparison) -> str:
    """How the verdicts changed."""
    p = p_value(pair.p)
    return f"{pair.gained} gained, {pair.lost} lost, p {p if p.startswith('<') else f'= {p}'}"


def _apart(interval: Interval) -> bool:
    return interval[0] > 0 or interval[1] < 0


def identity_rows(identity: dict[str, Any]) -> list[tuple[str, str]]:
    """What was run, a line per entry; decoders and the command have places of their own."""
    apart = ("decoders", "command", "date")
    return [(name.replace("_", " "), _plain(value)) for name, value in identity.items() if name not in apart]


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        known = {name: item for name, item in value.items() if item not in (None, (), [], "")}
        return " · ".join(f"{name.replace('_', ' ')} {_plain(item)}" for name, item in known.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value)) or "none"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return str(value)
