"""axon report: figures and a page from an evaluation folder or from traces."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console


def report(
    sources: Annotated[
        list[Path], typer.Argument(help="A folder of `axon eval` or `axon ablate`, or traces.", metavar="DIR|TRACE…")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Where to write; without it, into DIR or beside the first trace.")
    ] = None,
    figures_only: Annotated[bool, typer.Option("--figures-only", help="No page, only the figures.")] = False,
) -> None:
    """Draw what was measured: every figure the data allows, and report.html with tables and a replay player."""
    from axon.report.build import write_report

    written = write_report(sources, out=out, figures_only=figures_only)
    console = Console(soft_wrap=True, highlight=False, markup=False)
    if written.figures:
        console.print(f"{len(written.figures) // 2} figures, each as PNG and SVG: {written.figures[0].parent}")
    else:
        console.print("no figure could be drawn from this data")
    if written.page is not None:
        console.print(f"report: {written.page}")
    for sentence in written.left_out:
        console.print(sentence)
