"""The paper's main table beside what was measured: everything found in a folder of results, finished or not."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from axon.errors import AxonError
from axon.evaluation.paper import MODELS, SOURCE, TASKS, Published, hardware, published
from axon.evaluation.records import RESULTS, whole_write
from axon.evaluation.summary import CellSummary
from axon.report import tables
from axon.report.source import Run, read_run

# Tokens a second as the scripts count them, which takes the model's tokenizer; written when a part is finished.
SPEEDS = "paper.json"
_HEADS = ("row", "n", "accuracy", "95 %", "paper", "NFE", "paper", "TPS", "paper")


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the table on one task; `measured` is None before its first problem is done."""

    row: str
    decoder: str
    measured: CellSummary | None
    tps: float | None
    published: Published | None

    def texts(self) -> list[str]:
        """The line as it is shown."""
        ours, theirs = self.measured, self.published
        return [
            self.row,
            str(ours.problems) if ours else "0",
            f"{100 * ours.accuracy:.2f}" if ours else "–",
            f"{100 * ours.interval[0]:.1f}–{100 * ours.interval[1]:.1f}" if ours else "–",
            f"{theirs.accuracy:.2f}" if theirs else "–",
            f"{ours.nfe:.1f}" if ours and not math.isnan(ours.nfe) else "–",
            str(theirs.nfe) if theirs else "–",
            f"{self.tps:.2f}" if self.tps is not None else "–",
            f"{theirs.tps:.2f}" if theirs else "–",
        ]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for files; accuracies are in percent, as the paper's are."""
        ours = self.measured
        found = None
        if ours is not None:
            found = {
                "problems": ours.problems,
                "errors": ours.errors,
                "accuracy": round(100 * ours.accuracy, 4),
                "interval": [round(100 * edge, 4) for edge in ours.interval],
                "nfe": None if math.isnan(ours.nfe) else ours.nfe,
                "tps": self.tps,
                "measures": {name: round(100 * share, 4) for name, share in ours.measures.items()},
            }
        return {"decoder": self.decoder, "measured": found, "published": self.published and asdict(self.published)}


@dataclass(frozen=True, slots=True)
class Block:
    """One model on one task."""

    model: str
    task: str
    run: Run
    lines: tuple[Line, ...]

    @property
    def title(self) -> str:
        return f"{self.model}, {self.task}"

    @property
    def setting(self) -> dict[str, Any]:
        """What the figures depend on and where they were measured."""
        told = self.run.identity
        names = ("model", "tasks", "settings", "prompting", "limit", "versions", "machine", "commit")
        return {name: told.get(name) for name in names} | {"date": self.run.date}

    def notes(self) -> Iterator[str]:
        """What a reader must know before comparing, a sentence each."""
        told = self.run.identity
        model = told["model"]
        yield (
            f"{self.title}: measured on {model.get('device')} in {model.get('dtype')} ({told.get('machine')}), "
            f"{self.run.date}, weights {model.get('weights')}; problems: {told['tasks'].get(self.task)}."
        )
        counts = {line.measured.problems if line.measured else 0 for line in self.lines}
        if counts != {TASKS[self.task]}:
            least, most = min(counts), max(counts)
            said = str(most) if least == most else f"{least} to {most}"
            yield f"{self.title}: problems run {said}, in the paper {TASKS[self.task]}."
        failed = sum(line.measured.errors for line in self.lines if line.measured)
        if failed:
            yield f"{self.title}: {failed} answers could not be decoded or scored and count as wrong."


def blocks(out: Path) -> list[Block]:
    """What is in a folder of results, in the order of the models and the paper's of the tasks."""
    places = ((model.name, task, out / model.name / task) for model in MODELS.values() for task in TASKS)
    found = ((model, task, begun(folder)) for model, task, folder in places)
    return [_block(model, task, run) for model, task, run in found if run is not None]


def begun(folder: Path) -> Run | None:
    """The run in a folder as far as it is, None if it has no result yet."""
    path = folder / RESULTS
    # A kill may have left no more than the beginning of a line.
    return read_run(folder) if path.is_file() and b"\n" in path.read_bytes() else None


def _block(model: str, task: str, run: Run) -> Block:
    figures = published(model, task)
    data = next((found for found in run.tasks if found.name == task), None)
    known = isinstance(run.identity.get("model"), dict) and isinstance(run.identity.get("tasks"), dict)
    if data is None or not known or len(data.decoders) != len(figures):
        raise AxonError(f"{run.folder} does not hold the paper's {len(figures)} rows on {task}; choose another --out")
    speeds = _speeds(run.folder / SPEEDS)
    lines = [
        Line(row, decoder, data.cells.get(decoder), speeds.get(decoder), figures[row])
        for row, decoder in zip(figures, data.decoders, strict=True)
    ]
    return Block(model, task, run, tuple(lines))


def write_speeds(folder: Path, speeds: Mapping[str, float]) -> None:
    """Keep the tokens a second of a finished part."""
    known = {decoder: None if math.isnan(value) else round(value, 2) for decoder, value in speeds.items()}
    whole_write(folder / SPEEDS, json.dumps({"tokens_per_second": known}, indent=2) + "\n")


def _speeds(path: Path) -> dict[str, float | None]:
    try:
        found: dict[str, float | None] = json.loads(path.read_text())["tokens_per_second"] if path.is_file() else {}
    except (OSError, ValueError, KeyError, TypeError):
        raise AxonError(f"{path} does not hold tokens per second; remove it and run the same command again") from None
    return found


def write_tables(out: Path, found: Sequence[Block]) -> None:
    """Write table.md and table.json."""
    content: dict[str, Any] = {
        "source": json.loads(SOURCE.read_text(encoding="utf-8"))["source"],
        "hardware": hardware(),
        "notes": list(notes(found)),
        "models": {},
    }
    for block in found:
        rows = {line.row: line.as_dict() for line in block.lines}
        content["models"].setdefault(block.model, {})[block.task] = {"setting": block.setting, "rows": rows}
    whole_write(out / "table.json", json.dumps(content, indent=2, allow_nan=False) + "\n")
    whole_write(out / "table.md", markdown(found))


def markdown(found: Sequence[Block]) -> str:
    """The tables and the notes in Markdown."""
    parts = ["# Table 1 of the AXON paper, measured and published"]
    for block in found:
        parts.append(f"## {block.title}\n\n" + tables.marked(_HEADS, [line.texts() for line in block.lines]))
    parts.append("\n".join(f"- {note}" for note in notes(found)))
    return "\n\n".join(parts) + "\n"


def terminal(found: Sequence[Block]) -> Iterator[Table]:
    """The tables for the terminal."""
    for block in found:
        table = Table(
            title=block.title, title_justify="left", box=box.SIMPLE_HEAD, collapse_padding=True, pad_edge=False
        )
        for number, head in enumerate(_HEADS):
            table.add_column(head, justify="right" if number else "left", no_wrap=number > 0, overflow="fold")
        for line in block.lines:
            table.add_row(*line.texts())
        yield table


def notes(found: Sequence[Block]) -> Iterator[str]:
    """What a reader must know before comparing, a sentence each."""
    yield f"The columns “paper” are those of its Table 1, measured on {hardware()}; – is what is not known."
    if any(block.task == "gsm8k" for block in found):
        yield (
            "gsm8k: the paper does not say which of lm-eval's two extractions it reports; accuracy here is the "
            "flexible one (the last number of the answer), and table.json has the strict one beside it."
        )
    if any(block.task == "humaneval" for block in found):
        yield (
            "humaneval: accuracy here is of the answers as they are; table.json has beside it, as sanitized, the share "
            "that passes after the filter through which the authors put theirs."
        )
    yield "TPS counts tokens as the authors' scripts do, so it cannot be compared between models or tasks."
    for block in found:
        yield from block.notes()
