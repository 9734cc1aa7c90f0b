"""What a report is drawn from: an evaluation folder, or traces alone, read into one shape."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from axon.decoders.texts import bases, short, wrapped
from axon.errors import AxonError
from axon.evaluation.records import IDENTITY, RESULTS, Record, parse
from axon.evaluation.summary import CellSummary, Comparison, cell, compare, tokens_per_second
from axon.evaluation.watch import Watched, attention_path, read_watched, trace_path
from axon.trace import Trace, read_trace


@dataclass(frozen=True)
class TaskData:
    """What a run has on one task; everything is by decoder, under the name the run gave it.

    resolved  a decoder's text with every parameter written out
    records   its results in the order of the problems; row i of a trace is problem i
    """

    name: str
    decoders: tuple[str, ...]
    resolved: dict[str, str]
    records: dict[str, list[Record]] = field(default_factory=dict)
    cells: dict[str, CellSummary] = field(default_factory=dict)
    comparisons: tuple[Comparison, ...] = ()
    traces: dict[str, Trace] = field(default_factory=dict)
    watched: dict[str, Watched] = field(default_factory=dict)

    @cached_property
    def bases(self) -> dict[str, str | None]:
        """The run's own name for the base of each wrapped decoder; None for plain ones and where the run lacks it."""
        return bases({name: self.resolved[name] for name in self.decoders})

    @cached_property
    def families(self) -> dict[str, list[str]]:
        """Every base of the run and the decoders that wrap it, in the run's order."""
        found: dict[str, list[str]] = {name: [] for name in self.decoders if not wrapped(self.resolved[name])}
        for name, base in self.bases.items():
            if base is not None:
                found.setdefault(base, []).append(name)
        return found

    def problem(self, decoder: str, row: int) -> str:
        """The name of the problem a trace's row belongs to."""
        records = self.records.get(decoder, [])
        return str(records[row]["problem"]) if row < len(records) else f"row {row}"

    def verdict(self, decoder: str, row: int) -> bool | None:
        """Whether a trace's row was answered rightly, None if nobody knows."""
        records = self.records.get(decoder, [])
        return records[row].get("correct") if row < len(records) else None

    def speed(self, decoder: str) -> float:
        """Tokens per second of decoding, not a number where no time was taken."""
        return tokens_per_second(self.records.get(decoder, []))

    def seconds(self, decoder: str) -> float:
        """Wall time of decoding."""
        return sum(float(record["seconds"]) for record in self.records.get(decoder, []))


@dataclass(frozen=True)
class Run:
    """Everything a report tells: what was run, when, and the data of every task."""

    folder: Path
    identity: dict[str, Any]
    date: str
    tasks: tuple[TaskData, ...]

    @property
    def model(self) -> str:
        """The model's name."""
        model = self.identity.get("model")
        return str(model.get("name", "unknown model") if isinstance(model, dict) else model or "unknown model")


def read_run(folder: Path) -> Run:
    """Read an evaluation folder; a run under way is read as far as it is."""
    if not folder.is_dir():
        raise AxonError(f"there is no folder {folder}")
    if not (folder / RESULTS).is_file():
        raise AxonError(f"{folder} holds no {RESULTS}, so there is nothing to report; give a folder of `axon eval`")
    identity = read_identity(folder / IDENTITY)
    records = _records(folder / RESULTS)
    if not records:
        raise AxonError(f"{folder / RESULTS} holds no results yet")
    resolved: dict[str, str] = dict(identity.get("decoders", {}))
    for record in records:
        resolved.setdefault(record["decoder"], record["decoder"])
    names = dict.fromkeys([*identity.get("tasks", ()), *(record["task"] for record in records)])
    return Run(
        folder=folder,
        identity=identity,
        date=str(identity.get("date") or _date(folder / RESULTS)),
        tasks=tuple(_task(folder, name, resolved, records) for name in names),
    )


def _task(folder: Path, name: str, resolved: dict[str, str], records: Sequence[Record]) -> TaskData:
    own: dict[str, list[Record]] = {decoder: [] for decoder in resolved}
    for record in records:
        if record["task"] == name:
            own[record["decoder"]].append(record)
    traces, watched = {}, {}
    for index, decoder in enumerate(resolved):
        trace, attention = trace_path(folder, name, index), attention_path(folder, name, index)
        if trace.is_file():
            traces[decoder] = read_trace(trace)
        if attention.is_file():
            watched[decoder] = read_watched(attention)
    return TaskData(
        name=name,
        decoders=tuple(resolved),
        resolved=resolved,
        records=own,
        cells={decoder: cell(name, decoder, found) for decoder, found in own.items() if found},
        comparisons=tuple(
            compare(name, decoder, base, own[decoder], own[base])
            for decoder, base in bases(resolved).items()
            if base is not None and own[decoder] and own[base]
        ),
        traces=traces,
        watched=watched,
    )


def read_traces(paths: Sequence[Path]) -> Run:
    """Traces as a run of one task without results; the first one's model names it."""
    traces = [(path, read_trace(path)) for path in paths]
    named: dict[str, Trace] = {}
    for path, trace in traces:
        text = short(str(trace.header["decoder"]))
        same = sum(name == text or name.startswith(f"{text} (") for name in named)
        named[f"{text} ({path.stem}, {same + 1})" if same else text] = trace
    resolved = {name: str(trace.header["decoder"]) for name, trace in named.items()}
    first, top = traces[0][0], traces[0][1].header
    identity = {name: top[name] for name in ("model", "settings", "versions") if name in top}
    return Run(
        folder=first.with_name(f"{first.stem}.report"),
        identity=identity | {"decoders": resolved, "traces": [path.name for path in paths]},
        date=_date(first),
        tasks=(TaskData("traces", tuple(resolved), resolved, traces=named),),
    )


def read_identity(path: Path) -> dict[str, Any]:
    """What was run, and the command, day and machine beside it."""
    try:
        content = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except (OSError, ValueError):
        raise AxonError(f"{path} is not valid JSON, so it is not known what was run") from None
    if not isinstance(content, dict):
        raise AxonError(f"{path} does not describe a run")
    decoders = content.get("decoders", {})
    if not isinstance(decoders, dict) or not all(isinstance(text, str) for text in decoders.values()):
        raise AxonError(f"{path} does not describe a run: decoders must map each name to its full text")
    if not isinstance(content.get("tasks", {}), dict | list):
        raise AxonError(f"{path} does not describe a run: tasks must be a list or map names to versions")
    origin = content.pop("origin", None)
    return content | (origin if isinstance(origin, dict) else {})


def _records(path: Path) -> list[Record]:
    """The results of every whole chunk, in the order of the problems; a chunk under way does not count yet."""
    try:
        *lines, _ = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise AxonError(f"cannot read {path}: {error.strerror}") from None
    chunks: dict[tuple[str, str, int], list[Record]] = {}
    for number, line in enumerate(lines, 1):
        try:
            record = parse(line)
        except ValueError:
            raise AxonError(f"line {number} of {path} is not a result") from None
        chunks.setdefault((record["task"], record["decoder"], record["chunk"]), []).append(record)
    whole = sorted((key, part) for key, part in chunks.items() if len(part) == part[0]["chunk_size"])
    return [record for _, part in whole for record in part]


def _date(path: Path) -> str:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%d")
