"""make demo: what decoding looks like, on the toy model."""

import time
from contextlib import nullcontext

from rich.console import Console
from rich.live import Live
from rich.table import Table

import axon
from axon.cli.view import CanvasView, pieces_of, summary
from axon.engine import Step
from axon.generate import Generation
from axon.models.base import Model
from axon.prompts import to_canvases

_SETTINGS = axon.Settings(max_new_tokens=96, block_length=32)
_QUESTION = [{"role": "user", "content": "Choose your words."}]
_DECODERS = (
    "sequential",
    "confidence",
    "confidence+axon",
    "confidence+axon(budget=cover)",
    "confidence+axon(commit=union)",
    "confidence(threshold=0.5)",
    "localleap",
    "dawn",
    "dawn+axon",
)


def main() -> None:
    """Decode one prompt live, plain and with AXON, then compare decoders in a table."""
    console = Console()
    model = axon.load("toy")
    console.print(
        "[bold]AXON on the toy model.[/bold] It has no weights and knows four sentences; it shows how decoding works, "
        "not how well.\nEvery evaluation of the model may reveal several letters. Where context is missing, its "
        "likeliest letter is often wrong.\n"
    )
    for text in ("confidence", "confidence+axon(budget=cover)"):
        steps = _watch(console, model, text)
        result = Generation(model, to_canvases(model, _QUESTION, _SETTINGS)[0], _SETTINGS, tuple(steps))
        console.print(summary(steps, len(result.tokens)), "", sep="\n", style="dim")
    _compare(console, model)
    console.print(
        "\nNext: [bold].venv/bin/axon decoders[/bold] lists the rules; [bold].venv/bin/axon generate "
        '"…" --model FOLDER --decoder dawn+axon[/bold]\ndecodes with a LLaDA or Dream checkpoint of yours; '
        "README.md has the same in Python."
    )


def _watch(console: Console, model: Model, text: str) -> list[Step]:
    (canvas,) = to_canvases(model, _QUESTION, _SETTINGS)
    view = CanvasView(canvas, pieces_of(model.decode), text)
    steps = []
    with Live(view, console=console, auto_refresh=False) if console.is_terminal else nullcontext() as screen:
        for step in axon.stream(model, canvas, axon.decoder(text), _SETTINGS):
            steps.append(step)
            view.apply(step)
            if screen is not None:
                screen.refresh()
                time.sleep(0.08)
    if not console.is_terminal:
        console.print(view)
    return steps


def _compare(console: Console, model: Model) -> None:
    """A table of decoders on the same prompt, and what the careless ones wrote."""
    (right,) = axon.generate(model, _QUESTION, axon.decoder("sequential"), _SETTINGS)
    table = Table("decoder", title="The same prompt, other decoders", title_justify="left")
    for heading in ("evaluations", "tokens each", "wrong letters"):
        table.add_column(heading, justify="right")
    careless = []
    for text in _DECODERS:
        (out,) = axon.generate(model, _QUESTION, axon.decoder(text), _SETTINGS)
        wrong = sum(a != b for a, b in zip(out.text, right.text, strict=False)) + abs(len(out.text) - len(right.text))
        table.add_row(text, str(out.nfe), f"{len(out.tokens) / out.nfe:.1f}", str(wrong))
        if wrong:
            careless.append(f"{text} wrote: {out.text}")
    console.print(table, *careless, sep="\n")


if __name__ == "__main__":
    main()
