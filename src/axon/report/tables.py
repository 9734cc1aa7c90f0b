"""Summaries as tables, for the terminal and for Markdown."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich import box
from rich.table import Table

from axon.decoders.texts import wrapped
from axon.evaluation.summary import CellSummary, Comparison, Speed, Summary
from axon.report.words import change, identity_rows, number, p_value

_CELLS = ("decoder", "accuracy", "95 %", "evaluations", "tokens each", "gate/block", "tokens/s", "seconds")
PAIRS = ("decoder", "against", "accuracy", "95 %", "gained/lost", "p", "evaluations", "95 %")
_NARROW = {
    "accuracy": "accu-\nracy",
    "evaluations": "evalu-\nations",
    "tokens each": "tokens\neach",
    "gate/block": "gate/\nblock",
    "gained/lost": "gained/\nlost",
    "tokens/s": "tokens\n/s",
}


def cell_rows(summary: Summary, speeds: Sequence[Speed], task: str) -> Iterator[list[str]]:
    """A line of text per cell of a task."""
    speed = {item.decoder: item for item in speeds if item.task == task}
    for cell in summary.cells:
        if cell.task == task:
            yield _cell(cell, speed[cell.decoder])


def _cell(cell: CellSummary, speed: Speed) -> list[str]:
    low, high = cell.interval
    return [
        cell.decoder,
        f"{100 * cell.accuracy:.1f}",
        f"{100 * low:.1f}–{100 * high:.1f}",
        _evaluations(cell),
        number(cell.tokens_per_evaluation, 2),
        f"{cell.gates_per_block:.2f}" if wrapped(cell.decoder) else "",
        number(speed.tokens_per_second, 0),
        f"{speed.seconds:.0f}",
    ]


def _evaluations(cell: CellSummary) -> str:
    """The mean, and behind a cache how many of them were whole."""
    return number(cell.nfe, 1) + (f" ({number(cell.nfe_full, 1)} full)" if cell.nfe_cached > 0 else "")


def pair_rows(summary: Summary, task: str) -> Iterator[list[str]]:
    """A line of text per comparison of a task."""
    for pair in summary.comparisons:
        if pair.task == task:
            yield _pair(pair)


def _pair(pair: Comparison) -> list[str]:
    return [
        pair.decoder,
        pair.base,
        change(100 * pair.accuracy, 1),
        " … ".join(change(100 * end, 1) for end in pair.accuracy_interval),
        f"{pair.gained}/{pair.lost}",
        p_value(pair.p),
        change(pair.nfe, 2),
        " … ".join(change(end, 2) for end in pair.nfe_interval),
    ]


def terminal(summary: Summary, speeds: Sequence[Speed]) -> Iterator[Table]:
    """The tables of a run, task by task."""
    for task in dict.fromkeys(cell.task for cell in summary.cells):
        count = next(cell.problems for cell in summary.cells if cell.task == task)
        yield table(f"{task}, {count} problems", _CELLS, cell_rows(summary, speeds, task))
        pairs = list(pair_rows(summary, task))
        if pairs:
            # A decoder's text begins with its base, so the column that repeats it is left out where width is scarce.
            short = [[row[0], *row[2:]] for row in pairs]
            yield table(f"{task}: with AXON against its base, same problems", [PAIRS[0], *PAIRS[2:]], short)


def table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], bold: str | None = None) -> Table:
    """One table for the terminal; the row of the decoder `bold` stands out."""
    made = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    # A title is broken at its table's width.
    made.min_width = len(title)
    for column, head in enumerate(heads):
        # In a narrow terminal decoders go over several lines; figures stay whole.
        if column == 0:
            made.add_column(head, overflow="fold")
        else:
            made.add_column(_NARROW.get(head, head), justify="right", no_wrap=True)
    for row in rows:
        made.add_row(*row, style="bold" if row[0] == bold else None)
    return made


def failures(summary: Summary) -> Iterator[str]:
    """A sentence per cell in which some problems could not be decoded or scored; they count as wrong."""
    for cell in summary.cells:
        if cell.errors:
            yield (
                f"{cell.decoder} on {cell.task}: {cell.errors} of {cell.problems} problems failed and count as wrong; "
                "results.jsonl has their errors."
            )


def markdown(summary: Summary, speeds: Sequence[Speed]) -> str:
    """The same tables in Markdown."""
    parts = []
    for task in dict.fromkeys(cell.task for cell in summary.cells):
        count = next(cell.problems for cell in summary.cells if cell.task == task)
        parts.append(f"### {task}, {count} problems\n\n" + marked(_CELLS, list(cell_rows(summary, speeds, task))))
        pairs = list(pair_rows(summary, task))
        if pairs:
            parts.append("With AXON against its base, same problems:\n\n" + marked(PAIRS, pairs))
    parts.extend(failures(summary))
    return "\n\n".join(parts) + "\n"


def provenance(identity: dict[str, Any]) -> str:
    """What was run and where, in Markdown, so that it can be run again."""
    rows = [("command", f"`{identity.get('command')}`"), ("date", str(identity.get("date"))), *identity_rows(identity)]
    specs = [(name, f"`{spec}`") for name, spec in identity.get("decoders", {}).items()]
    return f"### How it was made\n\n{marked(('what', ''), rows)}\n\n{marked(('decoder', 'in full'), specs)}\n"


def marked(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """One table in Markdown."""
    lines = [heads, ["---" if column == 0 else "---:" for column in range(len(heads))], *rows]
    return "\n".join("| " + " | ".join(map(_inside, line)) + " |" for line in lines)


def _inside(text: str) -> str:
    """A text that stays within its cell; stop texts hold bars and line ends."""
    return text.replace("|", "\\|").replace("\n", "\\n")
