"""How fast a block fills: tokens per step and in all, a base beside its AXON variants."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from axon.report.figures.families import families
from axon.report.figures.style import CYCLE, INK, grid, panels, short, styled
from axon.report.reveals import Row, rows
from axon.report.source import TaskData
from axon.trace import Trace


@styled
def unmasked(data: TaskData) -> Figure:
    """Mean tokens revealed at each step of a block, and up to it."""
    found, remark = families(data, data.traces, "trace")
    title = f"How fast a block fills on {data.name}{remark}"
    figure, axes = panels(2, len(found), max(6.0, 4.2 * len(found)), 6.4, title, sharex="col")
    for column, (base, variants) in enumerate(found.items()):
        each, total = axes[0][column], axes[1][column]
        steps, texts = 1, short((base, *variants))
        for name, colour in zip((base, *variants), (INK, *CYCLE), strict=False):
            profile = per_step(data.traces[name])
            look: dict[str, Any] = {
                "color": colour,
                "linestyle": "--" if name == base else "-",
                "marker": "o",
                "markersize": 3.5,
            }
            along = np.arange(1, len(profile) + 1)
            each.plot(along, profile, label=texts[name], **look)
            total.plot(np.arange(len(profile) + 1), np.cumsum([0, *profile]), label=texts[name], **look)
            steps = max(steps, len(profile))
        each.set_title(texts[base])
        each.set_ylabel("tokens per step")
        total.set_ylabel("tokens so far")
        total.set_xlabel("step in the block")
        # Below the axis, where no line can pass.
        total.legend(loc="upper left", bbox_to_anchor=(-0.03, -0.19), borderaxespad=0)
        _axes(each, total, steps)
    return figure


def _axes(each: Axes, total: Axes, steps: int) -> None:
    for panel in (each, total):
        grid(panel)
        panel.set_xlim(0, steps + 0.5)
        panel.set_ylim(bottom=0)
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))


def per_step(trace: Trace) -> list[float]:
    """Mean tokens revealed at each step of a block, over all blocks begun; one that is over reveals none."""
    seen: list[dict[int, int]] = []
    for row in rows(trace):
        seen.extend(_blocks(row))
    longest = max((max(block) for block in seen), default=-1) + 1
    return [float(np.mean([block.get(step, 0) for block in seen])) for step in range(longest)]


def _blocks(row: Row) -> list[dict[int, int]]:
    found: dict[int, dict[int, int]] = {}
    for step in row.steps:
        found.setdefault(step.block, {})[step.step_in_block] = len(step.positions)
    return list(found.values())
