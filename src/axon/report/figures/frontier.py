"""Accuracy against evaluations: every decoder a point, an arrow from each base to what AXON makes of it."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from axon.decoders.texts import wrapped
from axon.report.figures.labels import Label, place
from axon.report.figures.style import CYCLE, INK, MARKERS, PAPER, LeftOut, grid, panels, short, styled
from axon.report.figures.sweeps import accuracy_interval, evaluations_interval
from axon.report.source import TaskData

# With more decoders than this, only the best ones are named.
_LABELS = 14


def points(data: TaskData) -> dict[str, tuple[float, float]]:
    """Evaluations and accuracy in percent of every decoder that has both."""
    return {
        name: (cell.nfe, 100 * cell.accuracy)
        for name, cell in data.cells.items()
        if not math.isnan(cell.nfe) and not math.isnan(cell.accuracy)
    }


def best(places: dict[str, tuple[float, float]]) -> list[str]:
    """Decoders that no other beats in one of the two without losing in the other."""
    return [
        name
        for name, (cost, score) in places.items()
        if not any(c <= cost and s >= score and (c, s) != (cost, score) for c, s in places.values())
    ]


@styled
def frontier(data: TaskData) -> Figure:
    """Every decoder with its two intervals."""
    places = points(data)
    if not places:
        raise LeftOut("there are no results")
    count = max(cell.problems for cell in data.cells.values())
    problems = "1 problem" if count == 1 else f"{count} problems"
    figure, axes = panels(1, 1, 9, 5.8, f"Accuracy against evaluations on {data.name} ({problems})")
    panel = axes[0][0]
    grid(panel, "both")
    top = sorted(best(places), key=lambda name: places[name])
    panel.plot(*zip(*(places[name] for name in top), strict=True), color=INK, alpha=0.12, linewidth=7, zorder=1)
    alone = [name for name, variants in data.families.items() if not variants and not wrapped(data.resolved[name])]
    family = {base: base for base in data.families}
    family |= {name: base for base, names in data.families.items() for name in names}
    bases = [base for base in data.families if base not in alone]
    # A sweep has more bases than there are colours; those of one kind share theirs.
    kinds = {base: base if len(bases) <= len(CYCLE) else base.partition("(")[0] for base in bases}
    coloured = list(dict.fromkeys(kinds.values()))
    drawn: list[tuple[float, float]] = []
    for name, spot in places.items():
        own = family.get(name, name)
        shape = 1 + data.families[own].index(name) if name in data.families.get(own, ()) else 0
        colour = CYCLE[coloured.index(kinds[own]) % len(CYCLE)] if own in kinds else INK
        drawn += _point(panel, data, name, spot, colour, MARKERS[shape % len(MARKERS)])
        base = data.bases[name]
        if base in places:
            drawn += _arrow(panel, places[base], spot, colour)
    costs = [cost for cost, _ in places.values()]
    if min(costs) > 0 and max(costs) > 3 * min(costs):
        _logarithmic(panel)
    panel.set_xlabel("evaluations per answer (fewer is faster)")
    panel.set_ylabel("accuracy, %")
    panel.margins(0.12, 0.1)
    named = list(places) if len(places) <= _LABELS else top
    if named is top:
        marks = [Line2D([], [], color=CYCLE[n % len(CYCLE)], marker="o", label=kind) for n, kind in enumerate(coloured)]
        panel.legend(handles=marks, loc="lower right")
    texts = short(named)
    place(panel, [Label(*places[name], texts[name]) for name in named], drawn)
    return figure


def _logarithmic(panel: Axes) -> None:
    """Halving the evaluations is the same step everywhere, and one slow decoder does not push the others together."""
    panel.set_xscale("log")
    panel.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 1.5, 2, 3, 4, 6, 8)))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panel.xaxis.set_minor_locator(NullLocator())


def _point(
    panel: Axes, data: TaskData, name: str, spot: tuple[float, float], colour: str, marker: str
) -> list[tuple[float, float]]:
    plain = not wrapped(data.resolved[name])
    (left, right), (low, high) = evaluations_interval(data, name), accuracy_interval(data, name)
    panel.errorbar(
        *spot,
        xerr=[[spot[0] - left], [right - spot[0]]],
        yerr=[[spot[1] - low], [high - spot[1]]],
        color=colour,
        marker=marker,
        markersize=8 if plain else 7,
        markerfacecolor=PAPER if plain else colour,
        markeredgewidth=1.6,
        elinewidth=1,
        alpha=1,
        zorder=3,
    )
    # Bars are thin: labels should keep off the middle of them, not off their ends.
    return [(spot[0], y) for y in np.linspace(low, high, 12)] + [(x, spot[1]) for x in np.linspace(left, right, 6)]


def _arrow(panel: Axes, start: tuple[float, float], end: tuple[float, float], colour: str) -> list[tuple[float, float]]:
    panel.annotate(
        "",
        end,
        start,
        zorder=2,
        arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.4, "shrinkA": 6, "shrinkB": 6, "alpha": 0.8},
    )
    return [(start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])) for part in (0.3, 0.5, 0.7)]
