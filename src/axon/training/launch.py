"""Start a run: prepare its folder, then one process here or several side by side."""

import json
import os
import tempfile
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch.multiprocessing.spawn import ProcessRaisedException, spawn

from axon.errors import AxonError
from axon.training import checkpoint, data, tokenizer
from axon.training.loop import Report, Run, learn
from axon.training.network import LONGEST

# Examples the tokenizer learns from.
_TEXTS = 8000


def train(run: Run, report: Report) -> Path:
    """Train, or go on training, what the recipe says; returns the finished checkpoint folder."""
    _prepare(run)
    count = run.recipe.processes
    if count == 1:
        learn(run, tokenizer.load(run.out / "model"), report)
    else:
        with tempfile.TemporaryDirectory() as meeting:
            _spawn(run, report, f"file://{meeting}/meet")
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
            checkpoint.check_same(json.loads(saved.read_text()), run.recipe, run.out)
        except json.JSONDecodeError:
            raise AxonError(f"{saved} is not valid JSON; remove it to start anew") from None
    elif any(run.out.iterdir()):
        raise AxonError(f"{run.out} is not empty and holds no training run; choose another --out")
    else:
        built = tokenizer.build(data.texts(run.recipe, _TEXTS), run.recipe.vocabulary, LONGEST)
        built.save_pretrained(run.out / "model")
        saved.write_text(json.dumps(run.recipe.as_dict(), indent=2) + "\n")


def _spawn(run: Run, report: Report, meeting: str) -> None:
    count = run.recipe.processes
    try:
        spawn(_process, (run, report, meeting, count), nprocs=count)  # type: ignore[no-untyped-call]
    except ProcessRaisedException as error:
        # The message is a traceback of the other process; its last line says what happened.
        reason = str(error).strip().splitlines()[-1]
        raise AxonError(f"training stopped: {reason}; the last checkpoint in {run.out} is kept") from error


def _process(rank: int, run: Run, report: Report, meeting: str, count: int) -> None:
    # One thread each: more would wait for each other in a loop and starve everything else on the machine.
    torch.set_num_threads(1)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    kind = "nccl" if run.device == "cuda" else "gloo"
    if kind == "nccl":
        torch.cuda.set_device(rank)
    dist.init_process_group(kind, init_method=meeting, rank=rank, world_size=count, timeout=timedelta(minutes=10))
    try:
        learn(run, tokenizer.load(run.out / "model"), report, rank, count)
    finally:
        dist.destroy_process_group()
