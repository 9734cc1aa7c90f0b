"""The training loop of one process; with several, gradients are averaged by torch's DistributedDataParallel."""

import json
import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from axon import checks
from axon.errors import AxonError
from axon.training import checkpoint, examine
from axon.training.data import Rows
from axon.training.network import Objective, config, fill, fresh, save_folder
from axon.training.noise import Vocabulary
from axon.training.optimiser import Optimiser
from axon.training.pool import Pool
from axon.training.recipe import Recipe
from axon.training.tokenizer import twins

_LOG = "log.jsonl"
_LOG_STEPS = 20
_EXAM_SEED = 1
# The share of fresh equations that must come out right before fewer rows are equations.
_KNOWN = 0.93

Report = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Run:
    """A run as every process sees it: `exam` problems of each task are decoded every `exam_minutes`.

    `compiled` takes torch's compiler (and the system's): a minute to start, then faster steps.
    """

    recipe: Recipe
    out: Path
    device: str = "cpu"
    save_minutes: float = 3.0
    exam_minutes: float = 8.0
    exam: int = 40
    compiled: bool = False

    def __post_init__(self) -> None:
        checks.whole("exam", self.exam)
        checks.flag("compiled", self.compiled)
        checks.number("exam_minutes", self.exam_minutes, 0)
        checks.number("save_minutes", self.save_minutes, 0)


def vocabulary_of(tokenizer: Any) -> Vocabulary:
    """The token ids that noise must know."""
    ids = tokenizer.convert_tokens_to_ids
    known = tokenizer.get_vocab()
    numbers = {known[str(value)]: value for value in range(100) if str(value) in known}
    return Vocabulary(tokenizer.mask_token_id, tokenizer.eos_token_id, ids("="), numbers)


def learn(run: Run, tokenizer: Any, report: Report, process: int = 0, processes: int = 1) -> None:
    """Train until the recipe is through; process 0 reports, saves and writes the folder."""
    recipe, place = run.recipe, torch.device(run.device)
    settings = config(recipe, tokenizer)
    vocabulary = vocabulary_of(tokenizer)
    network = fresh(settings, recipe.seed, place, vocabulary.numbers, twins(tokenizer))
    if recipe.start_from is not None:
        fill(network, recipe.start_from)
    objective: Any = Objective(network, compiled=run.compiled)
    optimiser = Optimiser(network, recipe)
    state = checkpoint.restore(run.out, recipe, network, optimiser)
    if processes > 1:
        objective = DistributedDataParallel(objective)
    rows = Rows(recipe, tokenizer, process, state.step)
    rng = random.Random(f"noise {recipe.seed} {process} {state.step}")
    order = random.Random(f"order {recipe.seed} {state.step}")
    pool = Pool(rows, recipe.batch, vocabulary, rng, order)
    model = examine.as_model(network, tokenizer)
    saved = examined = state.seconds
    losses: list[float] = []
    since, seen = time.perf_counter(), 0
    chief = process == 0
    if chief:
        _forget(run.out / _LOG, state.step)
    while (progress := recipe.progress(state.step, state.seconds)) < 1:
        started = time.perf_counter()
        if not state.drilled and progress >= recipe.drills_first:
            state.drilled = True
            pool.clear()
        drills = recipe.drills if state.drilled else recipe.drills_early
        batch = pool.take(drills, paths=progress >= recipe.random_first).to(place)
        loss, sure = objective(batch.tokens, batch.targets, batch.weights)
        loss.backward()
        pool.learned(sure.cpu())
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step(rate(recipe, state.step, progress))
        # Every process must agree on the time, or they would end at different steps.
        shared = _sum([time.perf_counter() - started, float(loss.detach()), float(batch.tokens.numel())], processes)
        state.step += 1
        state.seconds += shared[0] / processes
        state.tokens += int(shared[2])
        seen += int(shared[2])
        losses.append(shared[1] / processes)
        if not math.isfinite(losses[-1]):
            raise AxonError(f"the loss is {losses[-1]} at step {state.step}; try a smaller learning rate")
        progress = recipe.progress(state.step, state.seconds)
        if state.step % _LOG_STEPS == 0 or progress >= 1:
            took = time.perf_counter() - since
            line = _line(state, progress, losses, seen / took)
            if state.step % (5 * _LOG_STEPS) == 0 and "sums" in recipe.tasks:
                # The same weights and the same equations in every process, so all of them find the same.
                line["equations"] = round(examine.equations(network, tokenizer, vocabulary, state.step), 4)
                if line["equations"] >= _KNOWN and not state.drilled:
                    state.drilled = True
                    pool.clear()
            if chief:
                _write(run.out, line, report)
            losses, since, seen = [], time.perf_counter(), 0
        if progress >= 1 or state.seconds - examined > 60 * run.exam_minutes:
            examined = state.seconds
            found = _examine(model, run, process, processes)
            if chief:
                _write(run.out, {"step": state.step, "seconds": round(state.seconds, 1), "accuracy": found}, report)
            since = time.perf_counter()
        if chief and (progress >= 1 or state.seconds - saved > 60 * run.save_minutes):
            saved = state.seconds
            with checkpoint.saving(run.out):
                # The model first: beside a checkpoint that says all is done it would never be written again.
                save_folder(network, settings, tokenizer, run.out / "model.part")
                checkpoint.move(run.out / "model.part", run.out / "model")
                checkpoint.save(run.out, recipe, state, network, optimiser)


def rate(recipe: Recipe, step: int, progress: float) -> float:
    """The learning rate: a warm-up in steps, then one cosine over the whole run down to a hundredth."""
    warm = min(1.0, (step + 1) / (recipe.warm_up + 1))
    return recipe.learning_rate * warm * max(0.01, 0.5 * (1 + math.cos(math.pi * progress)))


def _sum(values: list[float], processes: int) -> list[float]:
    if processes == 1:
        return values
    total = torch.tensor(values, dtype=torch.float64)
    dist.all_reduce(total)
    return [float(value) for value in total]


def _line(state: checkpoint.State, progress: float, losses: list[float], speed: float) -> dict[str, Any]:
    return {
        "step": state.step,
        "progress": round(progress, 4),
        "seconds": round(state.seconds, 1),
        "tokens": state.tokens,
        "loss": round(sum(losses) / len(losses), 4),
        "tokens_per_second": round(speed),
    }


def _examine(model: Any, run: Run, process: int, processes: int) -> dict[str, float]:
    """Accuracy on held-out problems, each process decoding its share; tasks that cannot be scored here are left out."""
    share = -(-run.exam // processes)
    tasks = [name for name in dict.fromkeys(run.recipe.tasks) if examine.scorable(name)]
    model.network.eval()
    counts = [float(examine.accuracy(model, name, _EXAM_SEED, process * share, share)) for name in tasks]
    model.network.train()
    totals = _sum(counts, processes)
    return {name: round(total / (share * processes), 4) for name, total in zip(tasks, totals, strict=True)}


def _write(out: Path, line: dict[str, Any], report: Report) -> None:
    with checkpoint.saving(out), (out / _LOG).open("a") as file:
        file.write(json.dumps(line) + "\n")
    report(line)


def _forget(log: Path, step: int) -> None:
    """Take out what a stopped run logged after its last checkpoint, for those steps come again."""

    def stays(line: str) -> bool:
        try:
            return line.endswith("\n") and bool(json.loads(line)["step"] <= step)
        except (ValueError, KeyError, TypeError):
            return False

    if log.is_file():
        with checkpoint.saving(log.parent):
            lines = log.read_text().splitlines(keepends=True)
            checkpoint.write(log, "".join(line for line in lines if stays(line)))
