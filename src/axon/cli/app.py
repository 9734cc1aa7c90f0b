"""The `axon` command: its options at the top level and its sub-commands."""

from typing import Annotated

import typer

import axon
from axon.cli import (
    ablate,
    average,
    decoders,
    evaluate,
    generate,
    lmeval,
    replay,
    report,
    reproduce,
    tasks,
    train,
    tune,
)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Write with masked diffusion language models, fast.",
)
app.command()(generate.generate)
app.command()(decoders.decoders)
app.command()(replay.replay)
app.command()(report.report)
app.command("eval")(evaluate.evaluate)
app.command()(ablate.ablate)
app.command()(reproduce.reproduce)
app.command("lm-eval", context_settings=lmeval.CONTEXT)(lmeval.lmeval)
app.add_typer(tasks.app, name="tasks")
app.command()(train.train)
app.command()(average.average)
app.command()(tune.tune)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"axon {axon.__version__}")
        raise typer.Exit


@app.callback()
def top(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    """Options that stand before a command."""
