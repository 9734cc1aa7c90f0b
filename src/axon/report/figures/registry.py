"""Every figure by its file name: what it says, and the function that draws it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from axon.errors import AxonError
from axon.report.figures import attention, frontier, gain, gate, pace, sweeps, trajectories
from axon.report.figures.style import RC, LeftOut
from axon.report.source import Run, TaskData


@dataclass(frozen=True)
class Entry:
    """A figure: the data it is drawn from, its title, and what to look at in it."""

    draw: Callable[[TaskData], Figure]
    title: str
    caption: str


_BARS = "Bars are 95 % intervals; where they overlap, the values may well be the same."
_SWEPT = {
    "alpha": ("alpha", "the gate's weight alpha"),
    "budget": ("budget", "the anchor budget k"),
    "layers": ("layers", "the layers whose attention is read"),
    "reading": ("reading", "the reading of AXON"),
    "objective": ("objective", "the redundancy price lambda"),
    "threshold": ("threshold", "the base's threshold"),
}
FIGURES: dict[str, Entry] = {
    "frontier": Entry(
        frontier.frontier,
        "Accuracy against evaluations",
        "Up and to the left is better. Hollow points are plain decoders, filled ones have AXON, and an arrow leads "
        f"from each base to its AXON variant; the pale band joins the decoders no other beats. {_BARS}",
    ),
    "unmasked": Entry(
        pace.unmasked,
        "How fast a block fills",
        "Mean over all blocks of the traced problems. An anchor step reveals little, so the solid lines start below "
        "the dashed base; AXON pays off where they cross and stay above it.",
    ),
    "trajectories": Entry(
        trajectories.trajectories,
        "Reveals side by side",
        "The traced block with most tokens revealed because of an anchor. Fewer columns mean fewer evaluations; look "
        "for orange right after blue, where an anchor made its neighbours certain.",
    ),
    "gate-activity": Entry(
        gate.activity,
        "Gate activity",
        "A row is a problem, a column an evaluation; the steps of a block stand under each other. A block that was "
        "finished earlier leaves its row blank up to the next line.",
    ),
    "gate-rate": Entry(
        gate.rates,
        "Firing rate of the gate",
        "Of the evaluations at which the gate was read, the share at which it opened. A dot means that it was not read "
        "there.",
    ),
    "attention": Entry(
        attention.around_anchor,
        "Attention before and after an anchor",
        "The first opening of the gate that was recorded. Blue triangles mark the anchors' columns; an anchor that "
        "helps grows brighter in the right-hand map.",
    ),
    "confidence-gain": Entry(
        gain.confidence_gain,
        "Confidence gained against attention to the anchor",
        "A point is a masked position and a token just revealed: attention paid to it, and how much surer the model is "
        "at the next evaluation. Rings are means of neighbouring points, the line is a least-squares fit. For "
        "the base, the tokens are those it revealed at the steps at which the gate opened.",
    ),
    **{
        f"sweep-{file}": Entry(
            sweeps.against(name, words),
            f"Against {words}",
            f"Dashed and dotted lines are the base decoders alone. {_BARS}",
        )
        for file, (name, words) in _SWEPT.items()
    },
    "sweep-beta": Entry(
        sweeps.betas,
        "Against beta_r and beta_u",
        "Colours span each panel's own range, however small: compare differences with the interval in its title.",
    ),
}


@dataclass(frozen=True)
class Picture:
    """A figure on disk."""

    name: str
    task: str
    title: str
    caption: str
    svg: Path
    png: Path


@dataclass
class Drawn:
    """The figures that could be drawn, and a sentence on each that could not."""

    pictures: list[Picture] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def paths(self) -> list[Path]:
        """Every file written."""
        return [path for picture in self.pictures for path in (picture.svg, picture.png)]


def draw(run: Run, folder: Path) -> Drawn:
    """Write every figure the run's data allows into a folder, as PNG and as SVG."""
    drawn = Drawn()
    for name, entry in FIGURES.items():
        why: dict[str, list[str]] = {}
        for data in run.tasks:
            try:
                figure = entry.draw(data)
            except LeftOut as reason:
                why.setdefault(str(reason), []).append(data.name)
                continue
            svg, png = (folder / f"{name}.{data.name}.{kind}" for kind in ("svg", "png"))
            _save(figure, svg, png)
            drawn.pictures.append(Picture(name, data.name, entry.title, entry.caption, svg, png))
        drawn.left_out.extend(_sentences(name, why, len(run.tasks)))
    return drawn


def _sentences(name: str, why: dict[str, list[str]], tasks: int) -> Iterator[str]:
    for reason, names in why.items():
        where = "" if len(names) == tasks else f" for {', '.join(names)}"
        yield f"{name}{where} was left out: {reason}"


def _save(figure: Figure, svg: Path, png: Path) -> None:
    # The same data makes the same file: no dates, and ids that depend on the figure's name alone.
    with matplotlib.rc_context(RC | {"svg.hashsalt": svg.stem}):
        vector, pixels = BytesIO(), BytesIO()
        figure.savefig(vector, format="svg", dpi=160, metadata={"Date": None, "Creator": None})
        figure.savefig(pixels, format="png", dpi=160, metadata={"Software": None})
    try:
        svg.parent.mkdir(parents=True, exist_ok=True)
        svg.write_bytes(vector.getvalue())
        png.write_bytes(pixels.getvalue())
    except OSError as error:
        raise AxonError(f"cannot write the figures to {svg.parent}: {error.strerror}") from None
