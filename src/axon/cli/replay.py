"""axon replay: play a trace back."""

import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.live import Live

import axon
from axon.cli.view import CanvasView, pieces_of, summary
from axon.errors import AxonError


def replay(
    file: Annotated[Path, typer.Argument(help="A trace written by `axon generate --trace`.")],
    row: Annotated[int, typer.Option(help="Which row of the trace.")] = 0,
    delay: Annotated[float, typer.Option(min=0, help="Seconds between steps.")] = 0.1,
) -> None:
    """Play a trace back; without a terminal, print what it wrote."""
    played = axon.read_trace(file)
    if not 0 <= row < len(played.canvases):
        raise AxonError(f"{file} has rows 0 to {len(played.canvases) - 1}, got row {row}")
    if played.truncated:
        print(f"axon: the last line of {file} was cut off and is left out", file=sys.stderr)
    # A model without a tokenizer leaves no text, so its tokens are shown as numbers.
    piece = pieces_of(lambda ids: "".join(played.pieces.get(token, f" {token}") for token in ids))
    title = f"{played.header['decoder']} on {played.header['model']['name']}"
    view = CanvasView(played.canvases[row], piece, title, played.header["decoder"])
    steps = [step for step in played.steps if step.row == row]
    if sys.stdout.isatty():
        with Live(view, auto_refresh=False) as screen:
            for step in steps:
                view.apply(step)
                screen.refresh()
                time.sleep(delay)
            view.end()
    tokens = played.tokens(row)
    if not sys.stdout.isatty():
        print("".join(map(piece, tokens)))
    print(summary(steps, len(tokens)), file=sys.stderr)
