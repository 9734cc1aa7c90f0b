"""A search as tables, for the terminal and for Markdown, and as one JSON object."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from axon.evaluation.choosing import Choice, Tried, frontier
from axon.evaluation.summary import Comparison, Summary
from axon.evaluation.tuning import Check, Search
from axon.report import tables

_HEADS = ("decoder", "accuracy", "95 %", "evaluations", "tokens each")


@dataclass(frozen=True)
class Tuned:
    """What a search came to."""

    search: Search
    tried: tuple[Tried, ...]
    choice: Choice
    check: Check | None = None

    def as_dict(self, setting: dict[str, Any]) -> dict[str, Any]:
        """Plain values, for files; `setting` is what the figures depend on."""
        line, check = frontier(self.tried), self.check
        pairs = (check.comparison,) if check is not None and check.comparison is not None else ()
        return {
            "decoder": None if self.choice.tried is None else self.choice.tried.text,
            "why": self.choice.why,
            "min_accuracy": self.search.min_accuracy,
            "frontier": _plain(line)["cells"],
            "check": None if check is None else _plain(check.tried, pairs),
            "tried": _plain(self.tried)["cells"],
            "setting": setting,
        }

    def title(self) -> str:
        """The frontier's."""
        return f"{self.search.task}: the frontier of {len(self.tried)} decoders, {_problems(self.tried)}"

    def check_title(self) -> str:
        """That of the second table."""
        assert self.check is not None
        return f"{self.search.task}: once more, {_problems(self.check.tried)} the search did not see"

    def doubts(self) -> list[str]:
        """Sentences without which the figures would say too much."""
        said = []
        found = None if self.check is None else self.check.tried[-1].cell
        asked = self.search.min_accuracy
        if not any(one.cell.right for one in self.tried):
            said.append("No decoder got a single answer right, so evaluations alone decided.")
        if self.choice.tried is not None and found is None:
            said.append("It was not measured on problems the search did not see, so its figures flatter it.")
        if self.search.published:
            said.append(f"The search saw the first problems of {self.search.task}: quote figures on the others only.")
        if found is not None and asked is not None and 100 * found.right < asked * found.problems:
            said.append(
                f"On these it stays below the {asked:g} % asked for: the search was lucky, or its problems easy."
            )
        failed = {one.text: one.cell for one in (*self.tried, *(self.check.tried if self.check else ()))}
        said += [
            f"{text}: {cell.errors} of {cell.problems} problems failed and count as wrong."
            for text, cell in failed.items()
            if cell.errors
        ]
        return said


def against(pair: Comparison) -> str:
    """A comparison as one sentence."""
    (low, high), (fewer, more) = pair.accuracy_interval, pair.nfe_interval
    return (
        f"Against {pair.base}, problem by problem: accuracy {100 * pair.accuracy:+.1f} points "
        f"({100 * low:+.1f} … {100 * high:+.1f}, p = {pair.p:.3f}), evaluations {pair.nfe:+.2f} "
        f"({fewer:+.2f} … {more:+.2f})."
    )


def table(title: str, tried: Sequence[Tried], chosen: str | None = None) -> Table:
    """Decoders with their figures, the chosen one in bold."""
    return tables.table(title, _HEADS, [_row(one) for one in tried], bold=chosen)


def markdown(tuned: Tuned, setting: dict[str, Any]) -> str:
    """The same as the terminal shows."""
    chosen = tuned.choice.tried
    said = [f"# {tuned.title()}", told(setting), _marked(frontier(tuned.tried))]
    said += [tuned.choice.why] if chosen is None else [f"Chosen: `{chosen.text}`", tuned.choice.why]
    if tuned.check is not None:
        said += [f"## {tuned.check_title()}", _marked(tuned.check.tried)]
        said += [against(tuned.check.comparison)] if tuned.check.comparison else []
    return "\n\n".join([*said, *tuned.doubts()]) + "\n"


def told(setting: dict[str, Any]) -> str:
    """What the figures depend on, in one line."""
    model, (settings,) = setting["model"], setting["settings"].values()
    return (
        f"{model['name']} ({model['dtype']} on {model['device']}), {settings['max_new_tokens']} new tokens in blocks "
        f"of {settings['block_length']}, cache {settings['cache']}, {settings['batch_size']} problems at a time, "
        f"seed {setting['seed']}, axon {setting['versions']['axon-dllm']}, torch {setting['versions']['torch']}"
    )


def _plain(tried: Sequence[Tried], pairs: tuple[Comparison, ...] = ()) -> dict[str, Any]:
    return Summary(tuple(one.cell for one in tried), pairs).as_dict()


def _problems(tried: Sequence[Tried]) -> str:
    count = tried[0].cell.problems
    return "1 problem" if count == 1 else f"{count} problems"


def _row(one: Tried) -> list[str]:
    cell, (low, high) = one.cell, one.cell.interval
    figures = (f"{100 * cell.accuracy:.1f}", f"{100 * low:.1f}–{100 * high:.1f}", f"{cell.nfe:.1f}")
    return [one.text, *figures, f"{cell.tokens_per_evaluation:.2f}"]


def _marked(tried: Sequence[Tried]) -> str:
    return tables.marked(_HEADS, [_row(one) for one in tried])
