"""What one parameter does: accuracy, evaluations and speed against it, and the grid of the two betas."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from axon.evaluation.statistics import paired
from axon.evaluation.summary import finished
from axon.report.figures.labels import Label, place
from axon.report.figures.style import (
    CYCLE,
    INK,
    MARKERS,
    ON_DARK,
    SHADES,
    LeftOut,
    bare,
    grid,
    panels,
    styled,
)
from axon.report.source import TaskData
from axon.report.sweeps import Sweep, grids, ordered, said, sweep

# How far the series of one figure stand apart, so that their bars do not cover each other.
_APART = 0.012


@dataclass(frozen=True)
class Measure:
    """A quantity of a cell: its words, how it is written, its value and, where it has one, its 95 % interval."""

    words: str
    text: str
    value: Callable[[TaskData, str], float]
    interval: Callable[[TaskData, str], tuple[float, float]] | None = None


def evaluations_interval(data: TaskData, decoder: str) -> tuple[float, float]:
    """The 95 % bootstrap interval of a cell's mean evaluations."""
    return paired([record["nfe"] for record in data.records[decoder] if finished(record)])


def accuracy_interval(data: TaskData, decoder: str) -> tuple[float, float]:
    """The 95 % Wilson interval of a cell's accuracy, in percent."""
    low, high = data.cells[decoder].interval
    return 100 * low, 100 * high


MEASURES = (
    Measure("accuracy, %", ".1f", lambda data, name: 100 * data.cells[name].accuracy, accuracy_interval),
    Measure("evaluations per answer", ".1f", lambda data, name: data.cells[name].nfe, evaluations_interval),
    Measure("tokens per second", ".0f", lambda data, name: data.speed(name)),
)


def against(name: str, words: str) -> Callable[[TaskData], Figure]:
    """The figure of one sweep."""

    @styled
    def draw(data: TaskData) -> Figure:
        found = sweep(data, name)
        if found is None:
            raise LeftOut(f"the run holds no sweep of {words}")
        return _draw(data, found, name, words)

    draw.__doc__ = f"Accuracy, evaluations and speed against {words}."
    return draw


def _draw(data: TaskData, found: Sweep, name: str, words: str) -> Figure:
    measures = [m for m in MEASURES if any(not math.isnan(m.value(data, d)) for d in _members(found))]
    trade = name == "threshold"
    columns = len(measures) + trade
    figure, axes = panels(1, columns, 1 + 3.5 * columns, 3.9, f"{data.name} against {words}")
    for panel, measure in zip(axes[0], measures, strict=False):
        # Readings have no order, so no line leads from one to the next.
        _panel(panel, data, found, measure, lines=name != "reading")
        panel.set_xlabel(words)
    if trade:
        _trade_off(axes[0][-1], data, found)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=4)
    return figure


def _members(found: Sweep) -> list[str]:
    return [decoder for points in found.series.values() for _, decoder in points]


def _panel(panel: Axes, data: TaskData, found: Sweep, measure: Measure, *, lines: bool) -> None:
    grid(panel)
    places = {value: float(value) if found.numeric else float(index) for index, value in enumerate(found.values)}
    reach = (max(places.values()) - min(places.values())) or 1.0
    for number, (label, points) in enumerate(found.series.items()):
        colour = CYCLE[number % len(CYCLE)]
        aside = (number - (len(found.series) - 1) / 2) * _APART * reach
        heights = [measure.value(data, decoder) for _, decoder in points]
        panel.errorbar(
            [places[value] + aside for value, _ in points],
            heights,
            yerr=_bars(measure, data, [decoder for _, decoder in points], heights),
            color=colour,
            linestyle="-" if lines else "none",
            marker=MARKERS[number % len(MARKERS)],
            capsize=2.5,
            elinewidth=1,
            label=label,
        )
    for number, base in enumerate(found.bases):
        panel.axhline(
            measure.value(data, base),
            color=INK,
            linestyle=("--", ":", "-.")[number % 3],
            linewidth=1.2,
            label=f"{base} alone",
        )
    # Of numbers that stand close together not every one can be written.
    shown = found.values if len(found.values) <= 8 or not found.numeric else found.values[:: len(found.values) // 6]
    panel.set_xticks([places[value] for value in shown], [said(value) for value in shown])
    panel.set_xlim(min(places.values()) - 0.08 * reach, max(places.values()) + 0.08 * reach)
    panel.set_title(measure.words)


def _bars(measure: Measure, data: TaskData, decoders: list[str], heights: list[float]) -> list[list[float]] | None:
    if measure.interval is None:
        return None
    ends = [measure.interval(data, decoder) for decoder in decoders]
    return [
        [height - low for (low, _), height in zip(ends, heights, strict=True)],
        [high - height for (_, high), height in zip(ends, heights, strict=True)],
    ]


def _trade_off(panel: Axes, data: TaskData, found: Sweep) -> None:
    grid(panel, "both")
    labels: list[Label] = []
    for number, points in enumerate(found.series.values()):
        places = [(data.cells[decoder].nfe, 100 * data.cells[decoder].accuracy) for _, decoder in points]
        colour = CYCLE[number % len(CYCLE)]
        panel.plot(*zip(*places, strict=True), color=colour, marker=MARKERS[number % len(MARKERS)])
        labels += [Label(*spot, said(value)) for (value, _), spot in zip(points, places, strict=True)]
    panel.margins(0.1, 0.15)
    place(panel, labels, [(label.x, label.y) for label in labels], 7.5)
    panel.set_title("accuracy, %, against evaluations")
    panel.set_xlabel("evaluations per answer (numbers: threshold)")


@styled
def betas(data: TaskData) -> Figure:
    """Accuracy, evaluations and speed over the grid of the gate's two betas."""
    found = grids(data, "beta_u", "beta_r")
    if not found:
        raise LeftOut("the run holds no grid of beta_r and beta_u")
    members = [decoder for cells in found.values() for decoder in cells.values()]
    measures = [m for m in MEASURES if any(not math.isnan(m.value(data, d)) for d in members)]
    figure, axes = panels(
        len(found), len(measures), 0.8 + 3.6 * len(measures), 0.9 + 3.2 * len(found), f"{data.name} against both betas"
    )
    for line, (name, cells) in zip(axes, found.items(), strict=True):
        for panel, measure in zip(line, measures, strict=True):
            _heat(panel, data, cells, measure)
            panel.set_title(f"{name}\n{measure.words}{_doubt(data, cells, measure)}")
    return figure


def _doubt(data: TaskData, cells: dict[tuple[str, str], str], measure: Measure) -> str:
    """How wide the cells' intervals are, so that a spot of colour is not taken for a finding."""
    if measure.interval is None:
        return ""
    ends = [measure.interval(data, decoder) for decoder in cells.values()]
    return f" (95 %: ±{np.mean([(high - low) / 2 for low, high in ends]):{measure.text}})"


def _heat(panel: Axes, data: TaskData, cells: dict[tuple[str, str], str], measure: Measure) -> None:
    down, across = ordered({row for row, _ in cells}), ordered({column for _, column in cells})
    values = np.full((len(down), len(across)), np.nan)
    for (row, column), decoder in cells.items():
        values[down.index(row), across.index(column)] = measure.value(data, decoder)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    panel.imshow(values, cmap=SHADES, vmin=low, vmax=high if high > low else low + 1, origin="lower", aspect="auto")
    bare(panel)
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            ink = ON_DARK if value > low + 0.6 * (high - low) and high > low else INK
            panel.text(column, row, f"{value:{measure.text}}", ha="center", va="center", color=ink, fontsize=9)
    panel.set_xticks(range(len(across)), [said(value) for value in across])
    panel.set_yticks(range(len(down)), [said(value) for value in down])
    panel.set_xlabel("beta_r, weight of the base's pace")
    panel.set_ylabel("beta_u, weight of the doubt")
