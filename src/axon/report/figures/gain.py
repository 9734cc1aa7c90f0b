"""The confidence an anchor brings to those who attend to it, beside what the base's own reveals bring."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from axon.evaluation.watch import Watched
from axon.report.figures.attention import following, openings
from axon.report.figures.families import families
from axon.report.figures.style import CYCLE, INK, MUTED, PAPER, clipped, grid, note, panels, styled
from axon.report.source import TaskData

_VARIANTS = 2
# Beyond this a vector drawing of the points would be larger than the rest of the report.
_POINTS = 300
_BINS = 6
# Points may be drawn as pixels, which cannot follow the page's colours: a grey for light and dark ones.
_GREY = "#85858f"


def gain_points(watched: Watched, steps: set[int] | None = None) -> tuple[list[float], list[float]]:
    """Attention to a revealed token, and confidence gained by the next evaluation, for every pair of the two.

    With a gate, the revealed tokens are the anchors of an opening; without, what was revealed at those steps.
    """
    paid, gained = [], []
    for pair in following(watched):
        before, after = pair.before, pair.after
        if before.gate is not None:
            sources: Sequence[int] = before.gate.anchors
        elif steps is None or before.step in steps:
            sources = sorted(set(before.masked) - set(after.masked))
        else:
            sources = ()
        was = dict(zip(before.masked, before.confidence, strict=True))
        for place, sure in zip(after.masked, after.confidence, strict=True):
            for source in sources:
                paid.append(before.attention[place - before.start][source - before.start])
                gained.append(sure - was[place])
    return paid, gained


@styled
def confidence_gain(data: TaskData) -> Figure:
    """Confidence gained against attention paid to the anchor, every AXON variant beside its base."""
    found, remark = families(data, data.watched, "record of attention", _VARIANTS)
    columns = 1 + max(map(len, found.values()))
    figure, axes = panels(
        len(found),
        columns,
        1.4 + 3.4 * columns,
        0.9 + 2.9 * len(found),
        f"Confidence gained by the next evaluation on {data.name}{remark}",
        sharex=True,
        sharey=True,
    )
    for line, (base, variants) in zip(axes, found.items(), strict=True):
        fired = {pair.before.step for name in variants for pair in openings(data.watched[name])}
        for panel, name, colour in zip(line, (base, *variants), (_GREY, *CYCLE), strict=False):
            own = gain_points(data.watched[name], fired if name == base else None)
            what = "what it revealed" if name == base else "an anchor"
            _gain(panel, name, own, colour, what)
        for panel in line[1 + len(variants) :]:
            panel.set_axis_off()
        line[0].set_ylabel("confidence gained")
    for column in zip(*axes, strict=True):
        # The lowest panel of a column says what its axis means.
        [panel for panel in column if panel.axison][-1].tick_params(labelbottom=True)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=3)
    return figure


def _gain(panel: Axes, name: str, points: tuple[list[float], list[float]], colour: str, what: str) -> None:
    paid, gained = map(np.asarray, points)
    grid(panel, "both")
    panel.set_xlabel(f"attention to {what}")
    if len(paid) == 0:
        panel.set_title(clipped(name, 36))
        note(panel, f"no position was left to gain from {what}")
        return
    panel.scatter(
        paid,
        gained,
        s=9,
        color=colour,
        alpha=0.3,
        linewidths=0,
        rasterized=len(paid) > _POINTS,
        label="a masked position and a token just revealed",
    )
    edges = np.unique(np.quantile(paid, np.linspace(0, 1, _BINS + 1)))
    inside = np.clip(np.searchsorted(edges, paid, side="right") - 1, 0, max(0, len(edges) - 2))
    means = [(paid[inside == n].mean(), gained[inside == n].mean()) for n in np.unique(inside)]
    panel.plot(
        *zip(*means, strict=True),
        "o",
        color=PAPER,
        markeredgecolor=INK,
        markersize=6,
        label="mean of neighbouring pairs",
    )
    said = f"{len(paid)} pairs"
    if len(paid) > 2 and paid.std() > 0 and gained.std() > 0:
        slope, height = np.polyfit(paid, gained, 1)
        ends = np.array([paid.min(), paid.max()])
        panel.plot(ends, slope * ends + height, color=INK, linewidth=1.5, label="fitted line")
        said = f"r = {np.corrcoef(paid, gained)[0, 1]:+.2f}, {said}"
    panel.axhline(0, color=MUTED, linewidth=0.8)
    panel.set_title(f"{clipped(name, 36)}\n{said}")
