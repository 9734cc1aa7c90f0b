"""A search under a progress bar with the frontier so far below it, and its results written and shown."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from axon.cli.measure import Log
from axon.cli.say import say
from axon.evaluation.choosing import Tried, choose, frontier
from axon.evaluation.records import whole_write
from axon.evaluation.tuning import Search, Tuning
from axon.models.base import Model
from axon.report.tuned import Tuned, against, markdown, table


class _Board(Progress):
    """A bar that counts problems, and the frontier of what was tried."""

    def __init__(self, console: Console, trials: int) -> None:
        self.trials, self.tried = trials, list[Tried]()
        # Lines instead of a bar, for output that is no terminal.
        self.lines: Log | None = None
        columns = (BarColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(),
                   TextColumn("{task.description}"))  # fmt: skip
        # With a large model a chunk takes minutes; the time left is estimated over several.
        super().__init__(*columns, console=console, transient=True, speed_estimate_period=600)
        self.job = self.add_task(f"trial 1 of {trials}", total=None)

    def report(self, task: str, decoder: str, count: int) -> None:
        done = len(self.tried)
        what = f"trial {done + 1} of {self.trials}" if done < self.trials else "check"
        self.update(self.job, advance=count, description=f"{what} · {decoder}")
        if self.lines is not None:
            self.lines(what, decoder, count)

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        found = frontier(self.tried)
        if found:
            yield table("the frontier so far", found)


def searched(search: Search, model: Model, out: Path, console: Console) -> Tuned:
    """Run a search and the check of its choice; the results are on disk before the check begins."""
    with _Board(console, search.trials) as board:
        tuning = Tuning(search, model, out, board.report)
        board.update(board.job, total=tuning.size)
        board.lines = None if console.is_terminal else Log(console, tuning.size, 0)
        for found in tuning.trials():
            board.tried.append(found)
        tuned = Tuned(search, tuple(board.tried), choose(board.tried, search.min_accuracy))
        _write(tuned, tuning, out)
        if tuned.choice.tried is not None:
            board.trials = len(board.tried)
            tuned = replace(tuned, check=tuning.check(tuned.choice.tried))
            _write(tuned, tuning, out)
    return tuned


def _write(tuned: Tuned, tuning: Tuning, out: Path) -> None:
    plain = json.dumps(tuned.as_dict(tuning.identity), indent=2, ensure_ascii=False)
    whole_write(out / "frontier.json", plain + "\n")
    whole_write(out / "frontier.md", markdown(tuned, tuning.identity))


def show(tuned: Tuned, out: Path, console: Console) -> None:
    """The frontier, why one of it was chosen, and how that one did on fresh problems."""
    chosen, check = tuned.choice.tried, tuned.check
    bold = None if chosen is None else chosen.text
    console.print(table(tuned.title(), frontier(tuned.tried), bold))
    if bold is not None:
        say(console, f"Chosen: {bold}. {tuned.choice.why}")
    if check is not None:
        console.print("", table(tuned.check_title(), check.tried, bold), sep="\n")
        if check.comparison:
            say(console, against(check.comparison))
    if len(tuned.tried) < tuned.search.trials:
        say(console, f"There are no more than these {len(tuned.tried)} decoders to try.")
    say(console, *tuned.doubts(), f"{out}: frontier.json, frontier.md")
