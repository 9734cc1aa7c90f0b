"""Start a run: prepare its folder, then one process here or several side by side."""

import json
import os
import signal
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.multiprocessing.spawn import ProcessExitedException, ProcessRaisedException, spawn

from axon.errors import AxonError
from axon.training import checkpoint, data, tokenizer
from axon.training.loop import Report, Run, learn
from axon.training.network import LONGEST
from axon.training.recipe import Recipe

# Examples the tokenizer learns from.
_TEXTS = 8000
# Where a process leaves the sentence it stopped with, for the one that started it.
_REFUSAL = "refusal"


def train(run: Run, report: Report) -> Path:
    """Train, or go on training, what the recipe says; returns the finished checkpoint folder."""
    _prepare(run)
    count = run.recipe.processes
    if count == 1:
        learn(run, tokenizer.load(run.out / "model"), report)
    else:
        with tempfile.TemporaryDirectory() as meeting:
            _spawn(run, report, Path(meeting))
    return run.out / "model"


def _prepare(run: Run) -> None:
    """The folder, its recipe and its tokenizer; refuses a folder that holds another run."""
    try:
        run.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AxonError(f"cannot make the folder {run.out}: {error.strerror}") from None
    saved = run.out / "recipe.json"
    if saved.is_file():
        try:
            before = json.loads(saved.read_text())
        except ValueError:
            before = None
        if not isinstance(before, dict):
            raise AxonError(f"{saved} is not a recipe; choose another --out")
        checkpoint.check_same(before, run.recipe, run.out)
    elif any(file.suffix != ".part" for file in run.out.iterdir()):
        raise AxonError(f"{run.out} is not empty and holds no training run; choose another --out")
    # The recipe first and each thing whole, so that a run stopped in here goes on like any other.
    with checkpoint.saving(run.out):
        if not saved.is_file():
            checkpoint.write(saved, json.dumps(run.recipe.as_dict(), indent=2) + "\n")
        if not (run.out / "model" / "tokenizer.json").is_file():
            tokenizer.save(_tokenizer(run.recipe), run.out / "model.part")
            checkpoint.move(run.out / "model.part", run.out / "model")


def _tokenizer(recipe: Recipe) -> Any:
    if recipe.start_from is None:
        return tokenizer.build(data.texts(recipe, _TEXTS), recipe.vocabulary, LONGEST)
    if not (Path(recipe.start_from) / "tokenizer.json").is_file():
        raise AxonError(f"{recipe.start_from} holds no tokenizer.json; start_from must be a model folder")
    return tokenizer.load(Path(recipe.start_from))


def _spawn(run: Run, report: Report, meeting: Path) -> None:
    count = run.recipe.processes
    try:
        spawn(_process, (run, report, meeting, count), nprocs=count)  # type: ignore[no-untyped-call]
    except (ProcessRaisedException, ProcessExitedException) as error:
        if (meeting / _REFUSAL).is_file():
            raise AxonError((meeting / _REFUSAL).read_text()) from None
        # The message may be a traceback of the other process; its last line says what happened.
        reason = str(error).strip().splitlines()[-1]
        raise AxonError(f"training stopped: {reason}; the last checkpoint in {run.out} is kept") from error


def _process(rank: int, run: Run, report: Report, meeting: Path, count: int) -> None:
    # How torch has the system tell it that its parent is gone; started in the background it would not listen.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # One thread each: more would wait for each other in a loop and starve everything else on the machine.
    torch.set_num_threads(1)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    # Gradients travel between accelerators, the few numbers of a step between processors.
    kind = "cpu:gloo,cuda:nccl" if run.device == "cuda" else "gloo"
    if run.device == "cuda":
        torch.cuda.set_device(rank)
    place = f"file://{meeting}/meet"
    dist.init_process_group(kind, init_method=place, rank=rank, world_size=count, timeout=timedelta(minutes=10))
    try:
        learn(run, tokenizer.load(run.out / "model"), report, rank, count)
    except AxonError as error:
        (meeting / _REFUSAL).write_text(str(error))
        raise
    finally:
        dist.destroy_process_group()
