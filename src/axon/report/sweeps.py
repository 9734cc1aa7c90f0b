"""Sweeps found in a run: decoders that differ in one parameter only, whatever else the run holds.

Nothing says "this was a sweep"; the decoders' resolved texts show it.
"""

from dataclasses import dataclass
from fractions import Fraction

from axon.decoders.texts import Part, parts, short, wrapped
from axon.report.source import TaskData

# Fewer values than this are two decoders, not a sweep.
_LEAST = 3
# The parameter of a base that decides how sure is sure enough.
_THRESHOLDS = ("threshold", "confident", "factor")

Point = tuple[str, str]


@dataclass(frozen=True)
class Sweep:
    """Series of (value, decoder) by name, all values in order, and the plain bases the run has beside them."""

    values: tuple[str, ...]
    series: dict[str, tuple[Point, ...]]
    bases: tuple[str, ...]

    @property
    def numeric(self) -> bool:
        """Whether the values are places on a line, and not names."""
        return all(_number(value) is not None for value in self.values)


def sweep(data: TaskData, name: str) -> Sweep | None:
    """The sweep of that name, None if the run holds none; only decoders with results count."""
    groups: dict[tuple[str, ...], list[tuple[str, Point]]] = {}
    for decoder in data.decoders:
        found = _place(data, decoder, name) if decoder in data.cells else None
        if found is not None:
            key, label, value = found
            groups.setdefault(key, []).append((label, (value, decoder)))
    least = 2 if name == "reading" else _LEAST
    kept = {key: own for key, own in groups.items() if len({(label, value) for label, (value, _) in own}) >= least}
    series: dict[str, dict[str, str]] = {}
    for own in kept.values():
        for label, (value, decoder) in own:
            # The same decoder under a second name is no second point.
            series.setdefault(label, {}).setdefault(value, decoder)
    if name == "threshold":
        # With and without AXON are series of one sweep, and each must be swept.
        series = {label: points for label, points in series.items() if len(points) >= _LEAST}
    if not series:
        return None
    # A plain decoder comes before what AXON makes of it.
    series = dict(sorted(series.items(), key=lambda item: wrapped(item[0])))
    values = ordered({value for points in series.values() for value in points})
    bases = dict.fromkeys(base for own in kept.values() for _, (_, decoder) in own if (base := data.bases[decoder]))
    return Sweep(
        values=tuple(values),
        series={
            label: tuple((value, points[value]) for value in values if value in points)
            for label, points in series.items()
        },
        bases=() if name == "threshold" else tuple(base for base in bases if base in data.cells),
    )


def _place(data: TaskData, decoder: str, name: str) -> tuple[tuple[str, ...], str, str] | None:
    """What a decoder shares with the others of its sweep, the series it belongs to, and its value."""
    resolved = parts(data.resolved[decoder])
    if name == "threshold":
        return _threshold(resolved)
    if len(resolved) < 2:
        return None
    base, last = "+".join(map(str, resolved[:-1])), resolved[-1]
    if name == "reading":
        given = parts(decoder)[-1]
        kind = given.name.partition(".")[2] or "released"
        union = last.values.get("commit") == "union"
        label = f"{short(base)}+{last.name}"
        return (base, str(given.without("commit").values)), label, f"{kind}, union" if union else kind
    if name == "objective":
        if "redundancy" not in last.values or "objective" not in last.values:
            return None
        rest = str(last.without("objective", "redundancy"))
        label = f"{short(f'{base}+{rest}')}, {last.values['objective'].replace('_', ' ')}"
        return (base, rest), label, last.values["redundancy"]
    if name not in last.values:
        return None
    rest = str(last.without(name))
    # With what else was set, or two sweeps of one base would be drawn as one line.
    return (base, rest), short(f"{base}+{rest}"), last.values[name]


def _threshold(resolved: list[Part]) -> tuple[tuple[str, ...], str, str] | None:
    base, *wrappers = resolved
    parameter = next((name for name in _THRESHOLDS if name in base.values), None)
    if parameter is None:
        return None
    bare = base.without(parameter)
    series = short("+".join(map(str, (bare, *wrappers))))
    return (base.name, str(bare)), series, base.values[parameter]


Grid = dict[tuple[str, str], str]


def grids(data: TaskData, down: str, across: str) -> dict[str, Grid]:
    """Decoders by the values of two parameters, for every base swept over both."""
    groups: dict[tuple[str, str], Grid] = {}
    for decoder in data.decoders:
        *inner, last = parts(data.resolved[decoder])
        if inner and decoder in data.cells and down in last.values and across in last.values:
            key = "+".join(map(str, inner)), str(last.without(down, across))
            groups.setdefault(key, {})[last.values[down], last.values[across]] = decoder
    return {short("+".join(key)): grid for key, grid in groups.items() if _spans(grid)}


def _spans(grid: Grid) -> bool:
    """Whether both parameters vary, and not only together."""
    down, across = {row for row, _ in grid}, {column for _, column in grid}
    return min(len(down), len(across)) > 1 and len(grid) > max(len(down), len(across))


def ordered(values: set[str]) -> list[str]:
    """Numbers by size, then names such as "cover" or "all"."""
    return sorted(values, key=_order)


def said(value: str) -> str:
    """A value as people write it: small fractions as fractions."""
    number = _number(value)
    if number is None or number == int(number):
        return value
    fraction = Fraction(number).limit_denominator(16)
    # 0.3 is 3/10 to nobody; an eighth is 1/8 to everybody.
    return str(fraction) if fraction.denominator in (3, 8, 16) and float(fraction) == number else f"{number:g}"


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _order(value: str) -> tuple[bool, float, str]:
    number = _number(value)
    return number is None, number or 0.0, value
