"""What `axon reproduce` does: say what it takes, see that everything is there, run what is left, show it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from rich import box
from rich.console import Console
from rich.table import Table

import axon
from axon.cli.measure import conclude, measured
from axon.cli.say import say
from axon.errors import AxonError
from axon.evaluation.costs import STORED, Cost, cost
from axon.evaluation.paper import LENGTH, MODELS, Backbone, Part, Reproduction, hardware
from axon.evaluation.paper_speed import speeds
from axon.evaluation.ready import count_problems, fewer, missing_checkpoints, missing_data, missing_isolation
from axon.evaluation.whole import reading_to_the_end
from axon.models.load import find_device
from axon.models.toy import ToyModel
from axon.models.transformer import TransformerModel
from axon.report.build import FIGURES, PAGE
from axon.report.paper import SPEEDS, begun, blocks, notes, terminal, write_speeds, write_tables
from axon.report.source import Run


@dataclass(frozen=True)
class _Work:
    """A part and how many problems of each of its rows are left; `finished` also has its reports."""

    part: Part
    left: dict[str, int]
    finished: bool


def carry_out(
    job: Reproduction, console: Console, *, device: str = "auto", dtype: str = "auto", dry_run: bool = False
) -> None:
    """Run a reproduction; `dry_run` ends it before anything is loaded."""
    place = find_device(device)
    counts, absent = count_problems(job)
    work = [_work(part, counts[part.task], part.task in absent, device, dtype) for part in job.parts()]
    models = [MODELS[key] for key in job.models if any(_of(MODELS[key], item) for item in work)]
    _say_costs(models, work, place, dtype, console)
    say(console, *fewer(counts))
    tasks = {item.part.task for item in work if not item.finished}
    missing = [*missing_data(job, absent), *missing_checkpoints(job, models), *missing_isolation(job, tasks)]
    if dry_run:
        say(console, not_there(missing) if missing else "Everything is there.")
        return
    if missing:
        raise AxonError(not_there(missing))
    for model in models:
        _run(job, model, [item.part for item in work if _of(model, item)], console, device, dtype)
    if job.what == "ablations":
        say(console, *(f"{item.part.folder}: {', '.join(_reports(item.part))}" for item in work))
        return
    found = blocks(job.out)
    write_tables(job.out, found)
    console.print(*terminal(found), sep="\n\n")
    say(console, *notes(found), f"{job.out}: table.md, table.json")


def not_there(missing: Sequence[str]) -> str:
    """One sentence on all that is missing."""
    return f"not everything is there: {'; '.join(missing)}"


def _of(model: Backbone, item: _Work) -> bool:
    return item.part.model is model and not item.finished


def _run(job: Reproduction, model: Backbone, parts: Sequence[Part], console: Console, device: str, dtype: str) -> None:
    """Run a model's parts; it is let go of with this call, so that two are never in memory."""
    loaded = axon.load(job.checkpoint(model), device=device, dtype=dtype)
    assert isinstance(loaded, TransformerModel)
    # Named as the paper's, so that a run goes on from wherever its checkpoint now is; the hash of the weights tells
    # another model apart.
    loaded = reading_to_the_end(loaded, model.name)
    for part in parts:
        console.print(f"{model.name}, {part.task}{f', {part.sweep}' if part.sweep else ''}", style="bold")
        records = measured(part.plan, loaded, part.folder, console)
        conclude(part.plan, records, part.folder, console)
        # Behind the reports, so that a part killed while they were written is not taken for finished.
        write_speeds(part.folder, speeds(part, records, loaded))
        if part.sweep is None:
            # After every part, for whoever looks before the end, which may be days away.
            write_tables(job.out, blocks(job.out))


def _reports(part: Part) -> list[str]:
    """What there is to look at; without the packages that draw there is no page and no figure."""
    return [name for name in ("report.md", PAGE, FIGURES) if (part.folder / name).exists()]


def _work(part: Part, problems: int, absent: bool, device: str, dtype: str) -> _Work:
    """What is left of a part; results of another run are refused at once."""
    run = begun(part.folder)
    if run is None or absent:
        return _Work(part, dict.fromkeys(part.rows, problems), finished=False)
    _same(part, run)
    records = next((data.records for data in run.tasks if data.name == part.task), {})
    left = {row: problems - len(records.get(text, ())) for row, text in part.rows.items()}
    reported = all((part.folder / name).is_file() for name in ("summary.json", SPEEDS))
    return _Work(part, left, not any(left.values()) and reported and _same_model(part, run, device, dtype))


def _same(part: Part, run: Run) -> None:
    # All that makes a run but the model, which need not be loaded to tell, and versions, which matter only to a run
    # that goes on; both are compared when it does.
    told = json.loads(json.dumps(part.plan.identity(ToyModel())))
    names = told.keys() - {"model", "versions"}
    changed = sorted(name for name in names if run.identity.get(name) != told[name])
    if changed:
        raise AxonError(
            f"{part.folder} holds results of another run (different: {', '.join(changed)}); choose another --out"
        )


def _same_model(part: Part, run: Run, device: str, dtype: str) -> bool:
    """Whether a finished run is the one asked for; "auto" asks for none in particular."""
    model = run.identity.get("model")
    if not isinstance(model, dict) or model.get("name") != part.model.name:
        return False
    kind = str(model.get("device")).partition(":")[0]
    return dtype in ("auto", model.get("dtype")) and device.partition(":")[0] in ("auto", kind)


def _say_costs(
    models: Sequence[Backbone], work: Sequence[_Work], place: torch.device, dtype: str, console: Console
) -> None:
    done = sum(item.finished for item in work)
    if done:
        say(console, f"{done} of {len(work)} parts are finished and are not run again.")
    if not models:
        return
    usual = torch.float32 if place.type == "cpu" else torch.bfloat16
    kind = getattr(torch, dtype, usual)
    width = kind.itemsize if isinstance(kind, torch.dtype) else usual.itemsize
    costs = [cost(model, [(item.part, item.left) for item in work if _of(model, item)], width) for model in models]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for number, head in enumerate(("model", "disk", "memory", "answers", "time, at most")):
        table.add_column(head, justify="right" if number else "left", no_wrap=True)
    for model, found in zip(models, costs, strict=True):
        answers = sum(sum(item.left.values()) for item in work if _of(model, item))
        table.add_row(model.name, _size(found.disk), _size(found.memory), str(answers), _time(found.seconds))
    console.print(table)
    say(console, *_explained(costs, width, place))


def _explained(costs: Sequence[Cost], width: int, place: torch.device) -> list[str]:
    disk, seconds = sum(found.disk for found in costs), sum(found.seconds for found in costs)
    lines = [
        f"Together {_size(disk)} on disk and at most {_time(seconds)}. Disk is {STORED} bytes a parameter, as "
        f"published; memory is {width} bytes a parameter and the largest tensors of one evaluation.",
        f"Time is a bound, not a forecast: {LENGTH} tokens an answer at the paper's tokens per second, one answer at a "
        f"time on one {hardware()}, with the paper's code; what it counted as a shorter answer took less.",
    ]
    if place.type != "cuda":
        lines.append(f"This run is on the {place.type}, of which the time above says nothing.")
    return lines


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB"


def _time(seconds: float) -> str:
    return f"{seconds / 3600:.0f} h" if seconds >= 3600 else f"{seconds / 60:.0f} min" if seconds >= 60 else "1 min"
