"""What the measuring commands share: a plan run under a progress bar, and its results written and shown."""

import json
import time
from datetime import timedelta
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from axon.cli.say import say
from axon.errors import AxonError
from axon.evaluation.plan import Plan
from axon.evaluation.records import IDENTITY, Records, whole_write
from axon.evaluation.runner import Job
from axon.evaluation.summary import Summary, speeds, summarise
from axon.models.base import Model
from axon.report.build import require, write_report
from axon.report.source import read_identity
from axon.report.tables import failures, markdown, provenance, terminal


def measured(plan: Plan, model: Model, out: Path, console: Console, *, pictures: bool = True) -> Records:
    """Run a plan and say meanwhile what is being done and how long it will take: a bar, or lines for a log."""
    job = Job(plan, model, out)
    known = len(list(job.records))
    if not console.is_terminal:
        job.go_on(Log(console, plan.size, known), pictures=pictures)
        return job.records
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(),
               TextColumn("{task.description}"))  # fmt: skip
    # With a large model a chunk takes minutes; the time left is estimated over several.
    with Progress(*columns, console=console, speed_estimate_period=600) as bar:
        # What was there before is no sign of speed.
        shown = bar.add_task("", total=plan.size, completed=known)

        def report(name: str, decoder: str, count: int) -> None:
            bar.update(shown, advance=count, description=f"{name} · {decoder}")

        job.go_on(report, pictures=pictures)
    return job.records


class Log:
    """Progress as lines, for output that is no terminal: at every new cell, and now and then in a long one."""

    SECONDS = 30.0

    def __init__(self, console: Console, total: int, known: int) -> None:
        self.console, self.total, self.known = console, total, known
        self.fresh, self.cell, self.began, self.said = 0, ("", ""), time.monotonic(), 0.0

    def __call__(self, name: str, decoder: str, count: int) -> None:
        self.fresh += count
        now, done = time.monotonic(), self.known + self.fresh
        if self.cell == (name, decoder) and now - self.said < self.SECONDS and done < self.total:
            return
        self.cell, self.said = (name, decoder), now
        left = timedelta(seconds=round((now - self.began) / self.fresh * (self.total - done)))
        say(self.console, f"{done}/{self.total} problems, {left} left · {name} · {decoder}")


def conclude(plan: Plan, records: Records, out: Path, console: Console) -> Summary:
    """Write the summary, the times and the reports, and show the tables."""
    summary, speed = summarise(plan, records), speeds(plan, records)
    whole_write(out / "summary.json", json.dumps(summary.as_dict(), indent=2) + "\n")
    whole_write(out / "timing.json", json.dumps([item.as_dict() for item in speed], indent=2) + "\n")
    made = provenance(read_identity(out / IDENTITY))
    whole_write(out / "report.md", f"{markdown(summary, speed)}\n{made}")
    written = ["results.jsonl", "summary.json", "timing.json", "report.md"]
    console.print(*terminal(summary, speed), sep="\n\n")
    said = list(failures(summary))
    try:
        require()
    except AxonError as error:
        said.append(f"no report.html: {error}")
    else:
        drawn = write_report([out])
        written += ["report.html", f"{len(drawn.figures)} files in figures/"]
    say(console, *said, f"{out}: {', '.join(written)}")
    return summary
