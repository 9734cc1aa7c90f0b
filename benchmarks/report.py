"""Figures as a table for the terminal and as JSON for the result file."""

from typing import Any

from rich import box
from rich.table import Table

from benchmarks.figures import Figure, Unit

_FORMAT: dict[Unit, str] = {"×": "{:.2f}", "%": "{:+.2f}", "tokens/s": "{:.0f}", "MB": "{:.1f}"}
_SIGN = {"at most": "≤", "at least": "≥", "below": "<"}


def table(results: dict[str, tuple[str, list[Figure]]], *, judged: bool) -> Table:
    """One line per figure; a quick run is not judged."""
    judging = "? where the interval holds the target" if judged else "quick shapes are not judged"
    view = Table(box=box.SIMPLE, caption=f"medians within one run, 95 % intervals; {judging}")
    view.add_column("measured")
    view.add_column("value", justify="right", no_wrap=True)
    view.add_column("interval", justify="right", no_wrap=True)
    view.add_column("target", justify="right", no_wrap=True)
    view.add_column("", no_wrap=True)
    for name, (title, figures) in results.items():
        view.add_section()
        view.add_row(f"[bold]({name}) {title}[/bold]")
        for figure in figures:
            view.add_row(figure.name, *_cells(figure, judged))
    return view


def _cells(figure: Figure, judged: bool) -> tuple[str, str, str, str]:
    show = _FORMAT[figure.unit].format
    value = f"{show(figure.value)} {figure.unit}"
    interval = "" if figure.interval is None else " … ".join(show(edge) for edge in figure.interval)
    if figure.target is None:
        return value, interval, "", ""
    verdict = ""
    if judged:
        verdict = ("[green]pass[/green]" if figure.met else "[bold red]MISS[/bold red]") + ("" if figure.sure else " ?")
    return value, interval, f"{_SIGN[figure.target.kind]} {figure.target.bound:g} {figure.unit}", verdict


def as_dict(figure: Figure, *, judged: bool) -> dict[str, Any]:
    """A figure with everything the table leaves out."""
    target: dict[str, Any] | None = None
    if figure.target is not None:
        target = {figure.target.kind: figure.target.bound}
        if judged:
            target |= {"met": figure.met, "sure": figure.sure}
    return {
        "name": figure.name,
        "value": figure.value,
        "unit": figure.unit,
        "interval": figure.interval,
        "target": target,
        **figure.details,
    }
