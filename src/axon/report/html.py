"""The report as one HTML file: tables, words, figures and a player, with nothing to fetch."""

import math
import re
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from axon.decoders.texts import wrapped
from axon.report import words
from axon.report.figures.registry import Drawn, Picture
from axon.report.figures.style import GRID, INK, KIND_WORDS, MUTED, PAPER
from axon.report.player import embedded, player_data
from axon.report.reveals import Kind
from axon.report.source import Run, TaskData

_PAGE = Path(__file__).parent / "page"
# The figures' neutral colours and the page's names for them, so that figures follow its colour scheme.
_SCHEME = {INK: "--ink", MUTED: "--muted", GRID: "--line", PAPER: "--paper"}


def page(run: Run, drawn: Drawn) -> str:
    """The whole page."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_PAGE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    runs = player_data(run)
    return templates.get_template("report.html").render(
        run=run,
        style=Markup((_PAGE / "report.css").read_text(encoding="utf-8")),
        script=Markup((_PAGE / "player.js").read_text(encoding="utf-8")),
        replay=Markup(embedded(runs)) if runs else None,
        identity=words.identity_rows(run.identity),
        tasks=[_task(data) for data in run.tasks],
        figures=[(data.name, [_figure(p) for p in drawn.pictures if p.task == data.name]) for data in run.tasks],
        left_out=drawn.left_out,
        kinds=[(kind[0], KIND_WORDS[kind]) for kind in Kind],
        truncated=[name for data in run.tasks for name, trace in data.traces.items() if trace.truncated],
    )


def _task(data: TaskData) -> dict[str, Any]:
    lows, highs = ([cell.interval[end] for cell in data.cells.values()] for end in (0, 1))
    # The bars' common scale: the tens of percent around all intervals.
    left, right = (math.floor(10 * min(lows, default=0)) / 10, math.ceil(10 * max(highs, default=1)) / 10)
    timed = any(not math.isnan(data.speed(name)) for name in data.cells)
    return {
        "name": data.name,
        "problems": max((cell.problems for cell in data.cells.values()), default=0),
        "scale": (f"{100 * left:.0f}", f"{100 * right:.0f}"),
        "timed": timed,
        "cached": any(cell.nfe_cached > 0 for cell in data.cells.values()),
        "rows": [_row(data, name, left, right) for name in data.cells],
        "pairs": [
            {
                "decoder": pair.decoder,
                "base": pair.base,
                "accuracy": words.accuracy(pair),
                "evaluations": words.evaluations(pair),
                "exact": words.exact(pair),
            }
            for pair in data.comparisons
        ],
        "errors": [(cell.decoder, cell.errors, cell.problems) for cell in data.cells.values() if cell.errors],
        "waiting": [name for name in data.decoders if name not in data.cells and data.cells],
    }


def _row(data: TaskData, name: str, left: float, right: float) -> dict[str, Any]:
    cell, reach = data.cells[name], max(1e-9, right - left)
    low, high = cell.interval

    def along(share: float) -> str:
        return f"{100 * (share - left) / reach:.1f}%"

    return {
        "decoder": name,
        "wrapped": wrapped(data.resolved[name]),
        "accuracy": words.number(100 * cell.accuracy, 1),
        "interval": f"{100 * low:.1f} – {100 * high:.1f}",
        "low": along(low),
        "wide": f"{100 * (high - low) / reach:.1f}%",
        "middle": along(cell.accuracy),
        "nfe": words.number(cell.nfe, 1),
        "apart": f"{words.number(cell.nfe_full, 1)} full, {words.number(cell.nfe_cached, 1)} cached",
        "each": words.number(cell.tokens_per_evaluation, 2),
        "gates": words.number(cell.gates_per_block, 2) if wrapped(data.resolved[name]) else "",
        "speed": words.number(data.speed(name), 0),
        "seconds": words.number(data.seconds(name), 0),
    }


def _figure(picture: Picture) -> dict[str, Any]:
    return {
        "title": picture.title,
        "caption": picture.caption,
        "svg": Markup(inline(picture.svg.read_text(encoding="utf-8"), f"{picture.name}-{picture.task}")),
    }


def inline(svg: str, name: str) -> str:
    """An SVG file as an element of the page: its ids made its own, its neutral colours the page's."""
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    prefix = re.sub(r"\W", "-", name)
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    # Texts of tokens are in there too, so only what stands inside a tag is touched.
    return re.sub(r"<[^<>]+>", lambda tag: _tag(tag[0], prefix, used), svg)


def _tag(tag: str, prefix: str, used: set[str]) -> str:
    # An id that nothing refers to would only take part in being unique.
    tag = re.sub(r'\sid="([^"]*)"', lambda own: f' id="{prefix}-{own[1]}"' if own[1] in used else "", tag)
    tag = re.sub(r'href="#', f'href="#{prefix}-', tag)
    tag = re.sub(r"url\(#", f"url(#{prefix}-", tag)
    for colour, variable in _SCHEME.items():
        tag = tag.replace(colour, f"var({variable})")
    # The names of the languages, which a page does not need, are the only addresses in the file.
    return re.sub(r'\s(?:xmlns(?::\w+)?)="[^"]*"', "", tag) if tag.startswith("<svg") else tag
