"""One block as it is written: positions down, steps across, a base beside its AXON variants."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from axon.report.figures.families import families
from axon.report.figures.style import (
    INK,
    KIND_WORDS,
    KINDS,
    MASKED,
    MUTED,
    OLD,
    ON_DARK,
    ON_ORANGE,
    LeftOut,
    bare,
    clipped,
    panels,
    styled,
)
from axon.report.reveals import Kind, Row, blocks, rows
from axon.report.source import TaskData

_STATES = (None, "old", Kind.NEW, Kind.ANCHOR, Kind.HELPED)
_COLOURS = ListedColormap([MASKED, OLD, *(KINDS[kind] for kind in (Kind.NEW, Kind.ANCHOR, Kind.HELPED))])
# White on orange cannot be read.
_INKS = {2: ON_DARK, 3: ON_DARK, 4: ON_ORANGE}
_PANELS = 3
_FONT = 7.0
# Width of a character of DejaVu Sans Mono, in parts of its size.
_CHARACTER = 0.602


@dataclass(frozen=True)
class Choice:
    """The block to show: of which base and variants, which row, which block."""

    base: str
    variants: tuple[str, ...]
    row: int
    block: int


def choose(data: TaskData) -> Choice:
    """The block with most tokens revealed because of an anchor; the first one where there are equals."""
    best: tuple[int, Choice] | None = None
    for base, variants in families(data, data.traces, "trace")[0].items():
        shared = {row.number for row in rows(data.traces[base])}
        first = {row.number: set(blocks(row)) for row in rows(data.traces[base])}
        for name in variants:
            # This one and the next ones, in the order of the run.
            shown = tuple(sorted([name, *(v for v in variants if v != name)][: _PANELS - 1], key=variants.index))
            for row in rows(data.traces[name]):
                if row.number not in shared:
                    continue
                for block in blocks(row):
                    # The base may have ended before this block.
                    if block in first[row.number] and (best is None or row.helped(block) > best[0]):
                        best = row.helped(block), Choice(base, shown, row.number, block)
    if best is None:
        raise LeftOut("no block was traced under a decoder and its base")
    return best[1]


@styled
def trajectories(data: TaskData) -> Figure:
    """Every step of one block of one problem under each decoder, side by side."""
    chosen = choose(data)
    names = (chosen.base, *chosen.variants)
    grids = {name: Grid.of(Row(data.traces[name], chosen.row), chosen.block) for name in names}
    steps, positions = (max(grid.cells.shape[axis] for grid in grids.values()) for axis in (1, 0))
    # Every panel as wide as the longest decode, so that a shorter one is seen to be shorter.
    width = min(15.0, max(8.0, 1.6 + len(names) * max(2.6, 0.42 * steps)))
    problem = data.problem(chosen.base, chosen.row)
    title = f"{data.name}, {clipped(problem, 60)}: block {chosen.block + 1} step by step"
    figure, axes = panels(1, len(names), width, 1.5 + 0.2 * max(8, positions), title, sharey=True)
    # Characters that fit into a cell.
    room = (width - 1.2) / len(names) / max(1, steps) * 72 / (_FONT * _CHARACTER) - 0.3
    for panel, (name, grid) in zip(axes[0], grids.items(), strict=True):
        _draw(panel, grid, steps, room)
        panel.set_title(f"{clipped(name, 44)}\n{grid.words}")
        panel.set_xlabel("step in the block")
    axes[0][0].set_ylabel("position in the block")
    marks = [Patch(facecolor=KINDS[kind], label=word) for kind, word in KIND_WORDS.items()]
    marks += [Patch(facecolor=MASKED, label="masked"), Patch(facecolor=OLD, label="revealed before")]
    figure.legend(handles=marks, loc="outside lower left", ncols=5 if width > 10 else 3)
    return figure


@dataclass(frozen=True)
class Grid:
    """cells (positions, steps): what each position is at each step; texts: the tokens where they are revealed."""

    cells: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    texts: dict[tuple[int, int], str]
    gated: int | None

    @property
    def words(self) -> str:
        """How long the block took, and how often the gate opened in it."""
        count = self.cells.shape[1]
        taken = "1 evaluation" if count == 1 else f"{count} evaluations"
        if self.gated is None:
            return taken
        steps = {0: "gate never open", 1: "anchors at 1 step"}.get(self.gated, f"anchors at {self.gated} steps")
        return f"{taken}, {steps}"

    @classmethod
    def of(cls, row: Row, block: int) -> "Grid":
        """A block of a row; empty if the row ended before it."""
        mine = [(step, kinds) for step, kinds in zip(row.steps, row.kinds, strict=True) if step.block == block]
        canvas = row.trace.canvases[row.number]
        start, end = canvas.blocks(row.trace.header["settings"]["block_length"])[block]
        state = [0 if canvas.free[place] else 1 for place in range(start, end)]
        columns, texts = [], {}
        for number, (step, kinds) in enumerate(mine):
            now = list(state)
            for place, token, kind in zip(step.positions, step.tokens, kinds, strict=True):
                now[place - start] = _STATES.index(kind)
                state[place - start] = 1
                texts[place - start, number] = visible(row.piece(token))
            columns.append(now)
        gated = sum(bool(step.gate and step.gate.open) for step, _ in mine)
        has = any(step.gate is not None for step, _ in mine)
        cells = np.array(columns, dtype=np.int64).reshape(len(mine), end - start).T
        return cls(cells, texts, gated if has else None)


def _draw(panel: Axes, grid: Grid, steps: int, room: float) -> None:
    bare(panel)
    positions, taken = grid.cells.shape
    if taken:
        panel.imshow(grid.cells, cmap=_COLOURS, vmin=-0.5, vmax=4.5, aspect="auto", interpolation="none")
    panel.set_xlim(-0.5, steps - 0.5)
    panel.set_ylim(positions - 0.5, -0.5)
    marked = range(0, taken, max(1, steps // 12))
    panel.set_xticks(marked, [str(step + 1) for step in marked])
    panel.set_yticks(range(0, positions, 4), [str(place + 1) for place in range(0, positions, 4)])
    for edge in range(1, taken):
        panel.axvline(edge - 0.5, color=MUTED, linewidth=0.25)
    for (place, step), text in grid.texts.items():
        _write(panel, text, place, step, taken, room, _INKS[grid.cells[place, step]])


def _write(panel: Axes, text: str, place: int, step: int, taken: int, room: float, ink: str) -> None:
    """A token in its cell where it fits, else behind it, where the row is revealed, else before it."""
    needed = (len(text) + 1) / room
    if len(text) <= room:
        x, side = float(step), "center"
    elif needed <= taken - step - 1:
        x, side, ink = step + 0.5 + 0.3 / room, "left", INK
    elif needed <= step:
        x, side, ink = step - 0.5 - 0.3 / room, "right", INK
    else:
        x, side, text = float(step), "center", text[: int(room)]
    panel.text(
        x,
        place,
        text,
        ha=side,
        va="center_baseline",
        color=ink,
        fontsize=_FONT,
        family="DejaVu Sans Mono",
        clip_on=True,
    )


def visible(text: str) -> str:
    """A token's text with its blanks made visible where nothing else is there."""
    shown = text.replace("\n", "⏎").replace("\t", "⇥")
    return shown.strip() or ("·" * len(shown) if shown else "∎")
