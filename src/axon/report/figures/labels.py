"""Labels beside points, placed so that they cover neither each other nor what is drawn."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties

from axon.report.figures.style import INK, MUTED, PAPER

# Distances from the point in typographic points, and directions; near and to the right is best.
_REACH = (9, 16, 26, 38, 52, 70, 90)
_TURNS = 16
# From this distance on a line leads from the label to its point.
_FAR = 20

# (n, 4): left, bottom, right, top, in pixels.
Boxes = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class Label:
    """A text that belongs to a place in data coordinates."""

    x: float
    y: float
    text: str


def place(axes: Axes, labels: Sequence[Label], drawn: Sequence[tuple[float, float]], size: float = 8.5) -> None:
    """Write every label at the free spot nearest to its point; `drawn` are places that must stay visible."""
    figure = axes.figure.get_figure(root=True)
    assert figure is not None
    # The layout decides where the panel is, so it has to be made before anything is measured.
    figure.draw_without_rendering()
    canvas: Any = figure.canvas
    renderer, font, scale = canvas.get_renderer(), FontProperties(size=size), figure.dpi / 72
    inside = np.array([axes.get_window_extent().extents])
    spots = axes.transData.transform([(label.x, label.y) for label in labels])
    visible = np.concatenate([_around(axes.transData.transform(list(drawn)), 3 * scale), _around(spots, 5 * scale)])
    taken = np.empty((0, 4))
    for number in _crowded_first(spots):
        label = labels[number]
        width, height, _ = renderer.get_text_width_height_descent(label.text, font, False)
        reach, asides = _asides(width, height, scale)
        middles = spots[number] + asides
        # A little air on every side.
        half = np.array([width / 2 + 2, height / 2 + 2])
        boxes = np.hstack([middles - half, middles + half])
        area = 4 * half[0] * half[1]
        cost = 20 * _covered(boxes, taken) + 6 * _covered(boxes, visible) + 30 * (area - _covered(boxes, inside))
        best = int(np.argmin(100 * cost / area + reach))
        taken = np.concatenate([taken, boxes[best : best + 1]])
        _write(axes, label, asides[best] / scale, size, far=reach[best] > _FAR)


def _write(axes: Axes, label: Label, aside: Any, size: float, *, far: bool) -> None:
    axes.annotate(
        label.text,
        (label.x, label.y),
        (float(aside[0]), float(aside[1])),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=size,
        color=INK,
        annotation_clip=False,
        bbox={"facecolor": PAPER, "edgecolor": "none", "alpha": 0.75, "pad": 0.6},
        arrowprops={"arrowstyle": "-", "color": MUTED, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3} if far else None,
    )


def _asides(width: float, height: float, scale: float) -> tuple[Any, Any]:
    """(n,) distances and (n, 2) ways from a point to the middle of a text whose edge is at that distance."""
    turns = 2 * math.pi * np.arange(_TURNS) / _TURNS
    reach = np.repeat(_REACH, _TURNS)
    ways = np.tile(np.stack([np.cos(turns), np.sin(turns)], axis=1), (len(_REACH), 1))
    return reach, ways * (reach[:, None] * scale + np.array([width, height]) / 2)


def _covered(boxes: Boxes, others: Boxes) -> Any:
    """(n,) how much of each box lies under the others."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.clip(high - low, 0, None).prod(axis=2).sum(axis=1)


def _crowded_first(spots: Any) -> Any:
    """Those with most neighbours have least choice, so they choose first."""
    apart = np.linalg.norm(spots[:, None] - spots[None], axis=2)
    return np.argsort(-(apart < 90).sum(axis=1), kind="stable")


def _around(spots: Any, half: float) -> Boxes:
    return np.hstack([spots - half, spots + half])
