"""When the gate opens: problem by problem, and as a rate by block and by step in the block."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from axon.report.figures.style import (
    GATES,
    INK,
    MUTED,
    ON_DARK,
    SHADES,
    LeftOut,
    bare,
    clipped,
    note,
    panels,
    short,
    styled,
)
from axon.report.reveals import Gate, Row, has_gate, rows
from axon.report.source import TaskData

# More would be too small to read.
_PANELS = 9
_ORDER = (Gate.UNREAD, Gate.CLOSED, Gate.OPEN)


def _gated(data: TaskData) -> dict[str, list[Row]]:
    if not data.traces:
        raise LeftOut("there are no traces")
    found = {name: rows(trace) for name, trace in data.traces.items() if has_gate(trace)}
    if not found:
        raise LeftOut("no traced decoder has a gate")
    return found


@styled
def activity(data: TaskData) -> Figure:
    """Problem by step: open, closed, not read; the steps of a block stand under each other."""
    found = _gated(data)
    shown = dict(list(found.items())[:_PANELS])
    columns = 1 if len(shown) == 1 else 2
    lines = math.ceil(len(shown) / columns)
    tallest = max(len(own) for own in shown.values())
    more = "" if len(shown) == len(found) else f" (the first {len(shown)} of {len(found)} decoders)"
    figure, axes = panels(
        lines,
        columns,
        11 if columns == 2 else 8,
        1.0 + lines * (1.1 + min(3.0, 0.16 * tallest)),
        f"Gate activity on {data.name}{more}",
    )
    places = [panel for line in axes for panel in line]
    for panel, (name, own) in zip(places, shown.items(), strict=False):
        _activity(panel, name, own)
    for panel in places[len(shown) :]:
        panel.set_axis_off()
    marks = [Patch(facecolor=GATES[state], label=f"gate {state}") for state in reversed(_ORDER)]
    figure.legend(handles=marks, loc="outside lower left", ncols=3)
    return figure


def _activity(panel: Axes, name: str, own: list[Row]) -> None:
    widths: dict[int, int] = {}
    for row in own:
        for step in row.steps:
            widths[step.block] = max(widths.get(step.block, 0), step.step_in_block + 1)
    starts = dict(zip(sorted(widths), np.cumsum([0, *(widths[block] for block in sorted(widths))]), strict=False))
    cells = np.full((len(own), sum(widths.values())), np.nan)
    for line, row in enumerate(own):
        for step, state in zip(row.steps, row.gates, strict=True):
            cells[line, starts[step.block] + step.step_in_block] = _ORDER.index(state)
    colours = ListedColormap([GATES[state] for state in _ORDER])
    panel.imshow(cells, cmap=colours, vmin=-0.5, vmax=2.5, aspect="auto", interpolation="none")
    bare(panel)
    for block, start in starts.items():
        if start:
            panel.axvline(start - 0.5, color=MUTED, linewidth=0.8)
        middle = start + (widths[block] - 1) / 2
        panel.text(middle, -0.6, f"block {block + 1}", ha="center", va="bottom", fontsize=8, color=MUTED)
    opened = int((cells == _ORDER.index(Gate.OPEN)).sum())
    said = "never opened" if opened == 0 else f"{opened} opening{'s' if opened > 1 else ''}"
    panel.set_title(f"{clipped(name, 60)}: {said}", pad=16)
    panel.set_xlabel("step in the block, block after block")
    apart = 5 if cells.shape[1] <= 70 else 10
    ticks = [(start + step, step + 1) for block, start in starts.items() for step in _ticks(widths[block], apart)]
    panel.set_xticks([place for place, _ in ticks], [str(step) for _, step in ticks])
    panel.set_ylabel("problem")
    every = max(1, math.ceil(len(own) / 8))
    panel.set_yticks(range(0, len(own), every), [str(row.number + 1) for row in own[::every]])


def _ticks(width: int, apart: int) -> list[int]:
    """The first step, and then the fifth, tenth, … as far as the next block's label leaves room."""
    return [0, *(step for step in range(apart - 1, width - 1, apart) if step > 1)]


@styled
def rates(data: TaskData) -> Figure:
    """Openings per reading of the gate: by block, and by step in the block."""
    found = _gated(data)
    figure, axes = panels(1, 2, 11, 1.6 + 0.36 * len(found), f"How often the gate opens on {data.name}", sharey=True)
    for panel, by, label in zip(axes[0], ("block", "step_in_block"), ("block", "step in the block"), strict=True):
        _rates(panel, found, by)
        panel.set_xlabel(label)
        panel.set_title(f"openings per reading, %, by {label}")
    axes[0][0].set_yticks(range(len(found)), list(short(found).values()))
    return figure


def _rates(panel: Axes, found: dict[str, list[Row]], by: str) -> None:
    read: dict[tuple[int, int], list[bool]] = {}
    for line, own in enumerate(found.values()):
        for row in own:
            for step, state in zip(row.steps, row.gates, strict=True):
                if state is not Gate.UNREAD:
                    read.setdefault((line, getattr(step, by)), []).append(state is Gate.OPEN)
    bare(panel)
    if not read:
        note(panel, "the gate was never read")
        return
    share = np.full((len(found), max(column for _, column in read) + 1), np.nan)
    for place, states in read.items():
        share[place] = np.mean(states)
    panel.imshow(share, cmap=SHADES, vmin=0, vmax=1, aspect="auto", interpolation="none")
    panel.set_yticks(range(len(found)))
    every = max(1, math.ceil(share.shape[1] / 16))
    panel.set_xticks(range(0, share.shape[1], every), [str(n + 1) for n in range(0, share.shape[1], every)])
    size = 8 if share.shape[1] <= 16 else 5.5
    for (line, column), value in np.ndenumerate(share):
        if np.isnan(value):
            panel.text(column, line, "·", ha="center", va="center", color=MUTED, fontsize=size)
        elif share.shape[1] <= 32:
            ink = ON_DARK if value > 0.45 else INK
            panel.text(column, line, f"{100 * value:.0f}", ha="center", va="center", color=ink, fontsize=size)
