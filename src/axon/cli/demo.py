"""make demo: the bundled model decoded live, plain and with AXON, and the paper's ten rows on a few problems."""

import time
from contextlib import nullcontext

from rich import box
from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

import axon
from axon.cli.view import CanvasView, pieces_of, summary
from axon.engine import Step
from axon.errors import AxonError
from axon.evaluation.plan import PAPER
from axon.generate import Generation
from axon.models.base import Model
from axon.prompts import to_canvases
from axon.tasks import Problem, task

_TASKS = ("sums", "code")
# A problem of each task to watch, and how many the table is about.
_WATCHED = {"sums": 0, "code": 0}
_SAMPLE = 12
_PLAIN, _HELPED = "confidence", "confidence+axon(budget=cover)"
_SETTINGS = axon.Settings(max_new_tokens=128, block_length=32, batch_size=_SAMPLE)
# Long enough for an eye to follow.
_PAUSE = 0.12


def main() -> None:
    """Decode one problem of each task live, then compare the paper's decoders on a sample."""
    console = Console()
    model = axon.load("bundled")
    console.print(
        "[bold]AXON on the bundled model[/bold], a small masked diffusion model for short sums and small Python "
        "functions.\nAn answer starts as masks; every evaluation of the model may reveal several tokens.\n"
    )
    for name in _TASKS:
        problem = task(name).problems()[_WATCHED[name]]
        console.print(f"[bold]{name}[/bold], test problem {_WATCHED[name]}: {escape(problem.prompt)}\n")
        for text in (_PLAIN, _HELPED):
            _watch(console, model, name, problem, text)
    console.print(
        "Support is how much the masked rest would attend to what the base decoder wants to reveal, pace the part of "
        "the block it would reveal, doubt how unsure the rest is. The gate is read at the first evaluation of a block; "
        "where support is short of pace or doubt, it opens, and AXON reveals anchors instead: confident tokens that "
        "the unsure positions look at most.\n"
    )
    _compare(console, model)
    console.print(
        "\nNext, in [bold].venv/bin[/bold]: a function of yours, the table with intervals and a page, another model\n"
        "  axon generate \"Write solve(text): it keeps the words with 'a' and counts them.\"\n"
        "  axon eval --tasks code --table paper --limit 50 --out results\n"
        '  axon generate "…" --model FOLDER\n'
        "README.md has the same in Python."
    )


def _watch(console: Console, model: Model, name: str, problem: Problem, text: str) -> None:
    """One decode as it happens, its verdict, and what the gate saw."""
    (canvas,) = to_canvases(model, _chat(problem), _SETTINGS)
    piece = pieces_of(model.decode)
    view = CanvasView(canvas, piece, text, context=0)
    steps: list[Step] = []
    with Live(view, console=console, auto_refresh=False) if console.is_terminal else nullcontext() as screen:
        for step in axon.stream(model, canvas, axon.decoder(text), _SETTINGS):
            steps.append(step)
            view.apply(step)
            if screen is not None:
                screen.refresh()
                time.sleep(_PAUSE)
    if not console.is_terminal:
        console.print(view)
    result = Generation(model, canvas, _SETTINGS, tuple(steps))
    console.print(f"{summary(steps, len(result.tokens))} · {_verdict(name, problem, result.text)[1]}\n", style="dim")
    if any(step.gate for step in steps):
        console.print(_gates(steps, model), "")


def _gates(steps: list[Step], model: Model) -> Table:
    """What the gate saw at each evaluation."""
    table = Table(title="What the gate saw", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("evaluation", "support", "pace", "doubt"):
        table.add_column(heading, justify="right")
    for heading in ("gate", "anchors"):
        table.add_column(heading)
    for step in steps:
        gate = step.gate
        if gate is None:
            continue
        tokens = dict(zip(step.positions, step.tokens, strict=True))
        anchors = " ".join(repr(model.decode([tokens[at]])) for at in gate.anchors if at in tokens)
        state = "[bold]open[/bold]" if gate.open else "closed"
        figures = (f"{value:.2f}" for value in (gate.g, gate.r, gate.u))
        table.add_row(str(step.index + 1), *figures, state, escape(anchors))
    return table


def _compare(console: Console, model: Model) -> None:
    """The ten rows of the paper's main table on the first problems of both tasks."""
    title = f"The paper's ten decoders on the first {_SAMPLE} test problems of each task"
    # A title is broken at its table's width.
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.min_width = len(title)
    table.add_column("decoder")
    for name in _TASKS:
        for heading in (f"{name}\nright", "evalu-\nations", "tokens\neach"):
            table.add_column(heading, justify="right")
    problems = {name: task(name).problems()[:_SAMPLE] for name in _TASKS}
    with Live(table, console=console, auto_refresh=False) if console.is_terminal else nullcontext() as screen:
        for text in PAPER:
            row = [text]
            for name, some in problems.items():
                outs = axon.generate(model, [_chat(problem) for problem in some], axon.decoder(text), _SETTINGS)
                right = [_verdict(name, problem, out.text)[0] for problem, out in zip(some, outs, strict=True)]
                spent, written = sum(out.nfe for out in outs), sum(len(out.tokens) for out in outs)
                score = "?" if None in right else f"{sum(map(bool, right))}/{len(some)}"
                row += [score, f"{spent / len(some):.1f}", f"{written / spent:.2f}"]
            table.add_row(*row)
            if screen is not None:
                screen.refresh()
    if not console.is_terminal:
        console.print(table)
    console.print(
        "Evaluations are per answer. Twelve problems show the order of things, not small differences: "
        "docs/results.md has more."
    )


def _chat(problem: Problem) -> list[dict[str, str]]:
    return [{"role": "user", "content": problem.prompt}]


def _verdict(name: str, problem: Problem, answer: str) -> tuple[bool | None, str]:
    """Right or wrong and why; None where code cannot be run safely on this machine."""
    try:
        verdict = task(name).score(problem, answer)
    except AxonError as error:
        return None, f"not scored: {error}"
    return verdict.correct, f"{'right' if verdict.correct else 'wrong'}: {verdict.reason}"


if __name__ == "__main__":
    main()
