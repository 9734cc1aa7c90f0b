"""The block's attention when an anchor is chosen and once it is there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from axon.evaluation.watch import Evaluation, Watched
from axon.report.figures.style import BLUE, ON_DARK, LeftOut, bare, clipped, note, panels, styled
from axon.report.source import TaskData


@dataclass(frozen=True)
class Pair:
    """Two evaluations of one block, one after the other."""

    problem: str
    before: Evaluation
    after: Evaluation


def following(watched: Watched) -> Iterator[Pair]:
    """Every evaluation that has another one of its block behind it."""
    for problem, seen in watched.rows.items():
        for before, after in pairwise(seen):
            if before.block == after.block:
                yield Pair(problem, before, after)


def openings(watched: Watched) -> list[Pair]:
    """Those at whose first evaluation anchors were chosen."""
    return [pair for pair in following(watched) if pair.before.gate is not None and pair.before.gate.anchors]


@styled
def around_anchor(data: TaskData) -> Figure:
    """The block's attention at the first opening of the gate and at the next evaluation."""
    gated = {
        name: watched
        for name, watched in data.watched.items()
        if any(seen.gate is not None for row in watched.rows.values() for seen in row)
    }
    if not gated:
        raise LeftOut("no attention of a decoder with a gate was recorded")
    first = next(((name, found[0]) for name, watched in gated.items() if (found := openings(watched))), None)
    if first is None:
        figure, axes = panels(1, 1, 8, 2.5, f"Attention around an anchor on {data.name}")
        axes[0][0].set_axis_off()
        note(axes[0][0], "the gate never opened before a block's last evaluation, so there is no anchor to look at")
        return figure
    name, pair = first
    maps = [np.array(seen.attention) for seen in (pair.before, pair.after)]
    # The few strongest cells, mostly positions looking at themselves, would leave the rest black.
    top = float(np.quantile(np.concatenate([cells.ravel() for cells in maps]), 0.985)) or 1.0
    figure, axes = panels(
        1, 2, 11, 5.6, f"{data.name}, {clipped(pair.problem, 50)}: attention in block {pair.before.block + 1}, {name}"
    )
    assert pair.before.gate is not None
    anchors = [place - pair.before.start for place in pair.before.gate.anchors]
    waiting = [place - pair.before.start for place in pair.after.masked]
    for panel, cells, words, seen in zip(
        axes[0], maps, ("Before the anchors", "After them"), (pair.before, pair.after), strict=True
    ):
        shown = panel.imshow(cells, cmap="cividis", vmin=0, vmax=top, interpolation="none")
        bare(panel)
        paid = float(cells[np.ix_(waiting, anchors)].mean()) if waiting else float("nan")
        panel.set_title(
            f"{words} (step {seen.step + 1}): masked positions\npay an anchor {paid:.4f} on average", pad=14
        )
        _mark(panel, anchors, len(cells))
        panel.set_xlabel("attended position in the block")
    axes[0][0].set_ylabel("attending position in the block")
    bar = figure.colorbar(shown, ax=axes[0], shrink=0.8, extend="max")
    bar.set_label("attention, mean over heads and layers")
    bar.outline.set_visible(False)
    return figure


def _mark(panel: Axes, columns: Sequence[int], size: int) -> None:
    for column in columns:
        for edge in (column - 0.5, column + 0.5):
            panel.axvline(edge, color=ON_DARK, linewidth=0.7)
    panel.plot(
        columns,
        [-1.1] * len(columns),
        linestyle="none",
        marker="v",
        color=BLUE,
        markersize=6,
        clip_on=False,
        label="anchor",
    )
    panel.set_xlim(-0.5, size - 0.5)
    panel.set_ylim(size - 0.5, -0.5)
    ticks = range(0, size, max(1, size // 8))
    panel.set_xticks(ticks, [str(tick + 1) for tick in ticks])
    panel.set_yticks(ticks, [str(tick + 1) for tick in ticks])
