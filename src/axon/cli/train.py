"""axon train: the bundled recipe, or one's own small model."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from axon.checks import one_of
from axon.errors import AxonError
from axon.models.load import find_device

_HELP = "Default: the recipe's."


def train(
    out: Annotated[Path, typer.Option(help="Folder of the run; a stopped run goes on from it.")] = Path("training"),
    recipe: Annotated[str, typer.Option(help="bundled, or polish: on from a trained model.")] = "bundled",
    tasks: Annotated[str | None, typer.Option(help=f"Tasks to learn, with commas. {_HELP}")] = None,
    minutes: Annotated[float | None, typer.Option(help=f"How long the schedule is. {_HELP}")] = None,
    steps: Annotated[int | None, typer.Option(help="The same in steps, instead of minutes.")] = None,
    width: Annotated[int | None, typer.Option(help=f"Size of the hidden states. {_HELP}")] = None,
    layers: Annotated[int | None, typer.Option(help=f"Layers. {_HELP}")] = None,
    heads: Annotated[int | None, typer.Option(help=f"Attention heads. {_HELP}")] = None,
    hidden: Annotated[int | None, typer.Option(help=f"Size of the feed-forward layer. {_HELP}")] = None,
    vocabulary: Annotated[int | None, typer.Option(help=f"Most tokens of the tokenizer. {_HELP}")] = None,
    batch: Annotated[int | None, typer.Option(help=f"Rows per process and step. {_HELP}")] = None,
    learning_rate: Annotated[float | None, typer.Option(help=f"Peak learning rate. {_HELP}")] = None,
    processes: Annotated[int | None, typer.Option(help="Default: one per accelerator, else one per core.")] = None,
    seed: Annotated[int | None, typer.Option(help=f"Weights and data. {_HELP}")] = None,
    start_from: Annotated[Path | None, typer.Option(help="A model folder to go on from, of the same sizes.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda.")] = "auto",
    exam: Annotated[int, typer.Option(help="Held-out problems of each task decoded at every check.")] = 40,
    exam_minutes: Annotated[float, typer.Option(help="Minutes between checks.")] = 8.0,
    compiled: Annotated[bool, typer.Option("--compile", help="Faster steps after a slow start; needs gcc.")] = False,
) -> None:
    """Train a small diffusion language model; stop it whenever you like and run the same command to go on."""
    from axon.training.launch import train as launch
    from axon.training.loop import Run
    from axon.training.progress import Progress
    from axon.training.recipe import RECIPES

    one_of("recipe", recipe, RECIPES)
    if minutes is not None and steps is not None:
        raise AxonError("give either --minutes or --steps, not both")
    if recipe == "polish" and start_from is None:
        raise AxonError("the recipe polish goes on from a trained model; give its folder with --start-from")
    place = find_device(device)
    given: dict[str, Any] = {
        "tasks": None if tasks is None else tuple(name.strip() for name in tasks.split(",")),
        "width": width,
        "layers": layers,
        "heads": heads,
        "hidden": hidden,
        "vocabulary": vocabulary,
        "batch": batch,
        "learning_rate": learning_rate,
        "processes": _processes(place.type) if processes is None else processes,
        "seed": seed,
        "start_from": None if start_from is None else str(start_from),
        "minutes": minutes,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    if steps is not None:
        changes |= {"steps": steps, "minutes": None}
    chosen = replace(RECIPES[recipe], **changes)
    run = Run(chosen, out, place.type, exam=exam, exam_minutes=exam_minutes, compiled=compiled)
    try:
        folder = launch(run, Progress())
    finally:
        # The bar hides it, and a run that is stopped may end in another process than the one with the bar.
        Console().show_cursor()
    print(f'done: axon generate "…" --model {folder}')


def _processes(device: str) -> int:
    if device == "cuda":
        import torch

        return torch.cuda.device_count()
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
