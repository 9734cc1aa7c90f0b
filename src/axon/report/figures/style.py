"""How every figure looks: colours that colour-blind readers can tell apart, one font, no ornaments.

Figures are objects of their own; matplotlib's global state (pyplot, rcParams) is left as it was found.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ParamSpec

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from axon.report.reveals import Gate, Kind

P = ParamSpec("P")

# What the page swaps for its own colours; nothing else in a figure may use these values.
INK, MUTED, GRID, PAPER = "#1c1c21", "#6b6b76", "#dcdce3", "#ffffff"
# Greys that let the page show through, so that they suit light and dark ones.
MASKED: Any = (0.45, 0.45, 0.5, 0.5)
OLD: Any = (0.45, 0.45, 0.5, 0.17)
# On a coloured cell, whatever the page's scheme.
ON_DARK, ON_ORANGE = "#fdfdfd", "#16161a"

# Okabe and Ito's palette, without its black (which is INK here) and its yellow (too pale for a line).
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
CYCLE = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
MARKERS = ("o", "s", "^", "D", "v", "P")
KINDS = {Kind.NEW: GREEN, Kind.ANCHOR: BLUE, Kind.HELPED: ORANGE}
KIND_WORDS = {Kind.NEW: "newly revealed", Kind.ANCHOR: "anchor", Kind.HELPED: "revealed because of an anchor"}
GATES: dict[Gate, Any] = {Gate.OPEN: BLUE, Gate.CLOSED: SKY, Gate.UNREAD: OLD}

# From little to much, for heat maps.
SHADES = LinearSegmentedColormap.from_list("shades", [OLD, BLUE])

# Any: the names of settings differ between versions of matplotlib, and so do their types.
RC: Any = {
    "font.family": ["DejaVu Sans"],
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.labelsize": 9.5,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "figure.titlesize": 12,
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.edgecolor": MUTED,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.5,
    # A decoder's text may hold a dollar sign or an underscore, and it is never a formula.
    "text.parse_math": False,
    "svg.fonttype": "none",
    "savefig.dpi": 160,
}


class LeftOut(Exception):
    """The data does not allow this figure; the message says what is missing."""


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Decorator: draw in the house style and leave matplotlib's settings as they were."""

    @wraps(draw)
    def inside(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with matplotlib.rc_context(RC):
            return draw(*args, **kwargs)

    return inside


def panels(
    rows: int, columns: int, width: float, height: float, title: str = "", **options: Any
) -> tuple[Figure, list[list[Axes]]]:
    """A figure of `rows` by `columns` panels, sizes in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    # The plain canvas of Agg: nothing to show, nothing to register anywhere.
    FigureCanvasAgg(figure)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    return figure, [list(line) for line in axes]


def note(axes: Axes, text: str) -> None:
    """A sentence inside an otherwise empty or remarkable panel."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color=MUTED, fontsize=9.5, wrap=True)


def grid(axes: Axes, axis: str = "y") -> None:
    """Thin lines to read values by."""
    axes.grid(True, axis=axis)  # type: ignore[arg-type]
    axes.tick_params(length=0)


def bare(axes: Axes) -> None:
    """No frame, for heat maps."""
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=0)


def clipped(text: str, most: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= most else text[: max(0, most - 1)] + "…"


def short(names: Iterable[str], most: int = 42) -> dict[str, str]:
    """Decoders as labels: long ones are cut and told apart by a number; tables beside the figure have them whole."""
    found: dict[str, str] = {}
    for name in names:
        text = clipped(name, most)
        count = sum(clipped(other, most) == text for other in found)
        found[name] = f"{text} {count + 1}" if count else text
    return found
