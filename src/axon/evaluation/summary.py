"""What the records of a run say: a row of figures per cell, and every +AXON row beside its base."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from axon.decoders.texts import bases
from axon.evaluation.plan import Plan
from axon.evaluation.records import Record, Records
from axon.evaluation.statistics import Interval, mcnemar, paired, wilson


@dataclass(frozen=True, slots=True)
class CellSummary:
    """One decoder on one task; counts are means over problems decoded to their end, shares are of all problems."""

    task: str
    decoder: str
    problems: int
    right: int
    errors: int
    accuracy: float
    interval: Interval
    nfe: float
    nfe_full: float
    nfe_cached: float
    tokens: float
    tokens_per_evaluation: float
    gates_per_block: float
    measures: dict[str, float]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A decoder against its base on the same problems: differences with 95 % intervals, and an exact test."""

    task: str
    decoder: str
    base: str
    problems: int
    gained: int
    lost: int
    accuracy: float
    accuracy_interval: Interval
    p: float
    nfe: float
    nfe_interval: Interval


@dataclass(frozen=True, slots=True)
class Speed:
    """Wall time of a cell. Kept apart: it is the one thing another run will not repeat."""

    task: str
    decoder: str
    seconds: float
    tokens_per_second: float

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for files; what no time was taken for is null."""
        plain: dict[str, Any] = _known(asdict(self))
        return plain


def cell(task: str, decoder: str, records: Sequence[Record]) -> CellSummary:
    """The figures of one cell."""
    done = [record for record in records if finished(record)]
    right = sum(bool(record.get("correct")) for record in records)
    evaluations = sum(record["nfe"] for record in done)
    tokens = sum(record["tokens"] for record in done)
    extra = sorted({name for record in done for name in record if isinstance(record[name], bool)} - {"correct"})

    def mean(name: str) -> float:
        return fmean(float(record[name]) for record in done) if done else math.nan

    return CellSummary(
        task=task,
        decoder=decoder,
        problems=len(records),
        right=right,
        errors=sum("error" in record for record in records),
        accuracy=right / len(records) if records else math.nan,
        interval=wilson(right, len(records)),
        nfe=mean("nfe"),
        nfe_full=mean("nfe_full"),
        nfe_cached=mean("nfe_cached"),
        tokens=mean("tokens"),
        tokens_per_evaluation=tokens / evaluations if evaluations else math.nan,
        gates_per_block=sum(r["gates"] for r in done) / max(1, sum(r["blocks"] for r in done)),
        measures={name: fmean(bool(record.get(name)) for record in records) for name in extra},
    )


def finished(record: Record) -> bool:
    """Whether its evaluations are those of a whole answer; an answer that broke off took fewer."""
    return "nfe" in record and record.get("finish") != "error"


def compare(task: str, decoder: str, base: str, ours: Sequence[Record], theirs: Sequence[Record]) -> Comparison:
    """One decoder against another, problem by problem."""
    other = {record["problem"]: record for record in theirs}
    pairs = [(record, other[record["problem"]]) for record in ours if record["problem"] in other]
    scores = [int(bool(a.get("correct"))) - int(bool(b.get("correct"))) for a, b in pairs]
    steps = [a["nfe"] - b["nfe"] for a, b in pairs if finished(a) and finished(b)]
    gained, lost = sum(score > 0 for score in scores), sum(score < 0 for score in scores)
    return Comparison(
        task=task,
        decoder=decoder,
        base=base,
        problems=len(pairs),
        gained=gained,
        lost=lost,
        accuracy=fmean(scores) if scores else math.nan,
        accuracy_interval=paired(scores),
        p=mcnemar(gained, lost),
        nfe=fmean(steps) if steps else math.nan,
        nfe_interval=paired(steps),
    )


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything a run says, but for its speed."""

    cells: tuple[CellSummary, ...]
    comparisons: tuple[Comparison, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for files; what was computed from nothing is null, for JSON knows no NaN."""
        plain: dict[str, Any] = _known(asdict(self))
        return plain


def _known(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _known(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [_known(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def summarise(plan: Plan, records: Records) -> Summary:
    """The summary of a run's records."""
    cells, comparisons = [], []
    inside = bases({text: str(built) for text, built in plan.built().items()})
    for task in plan.tasks:
        for decoder, base in inside.items():
            own = records.of(task, decoder)
            cells.append(cell(task, decoder, own))
            if base is not None:
                comparisons.append(compare(task, decoder, base, own, records.of(task, base)))
    return Summary(tuple(cells), tuple(comparisons))


def speeds(plan: Plan, records: Records) -> list[Speed]:
    """Wall time and tokens per second of every cell."""
    found = []
    for task in plan.tasks:
        for decoder in plan.decoders:
            own = records.of(task, decoder)
            seconds = sum(record["seconds"] for record in own)
            found.append(Speed(task, decoder, round(seconds, 2), round(tokens_per_second(own), 1)))
    return found


def tokens_per_second(records: Sequence[Record]) -> float:
    """Tokens written per second of decoding, not a number where no time was taken."""
    seconds = sum(float(record.get("seconds") or 0) for record in records)
    return sum(record.get("tokens", 0) for record in records) / seconds if seconds else math.nan
