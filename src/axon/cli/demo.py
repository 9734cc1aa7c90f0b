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
from axon.evaluation.plan import PAPER
from axon.generate import Generation
from axon.models.base import Model
from axon.prompts import to_canvases
from axon.sandbox import Unavailable, isolation
from axon.tasks import Problem, task

_TASKS = ("sums", "code")
# A problem of each task to watch, chosen to show what AXON can do, and how many the table is about.
_WATCHED = {"sums": 28, "code": 102}
_SAMPLE = 12
_PLAIN, _HELPED = "confidence", "confidence+axon"
_SETTINGS = axon.Settings(max_new_tokens=128, block_length=32, batch_size=_SAMPLE)
# Long enough for an eye to follow.
_PAUSE = 0.12


def main() -> None:
    """Decode one problem of each task live, then compare the paper's decoders on a sample."""
    console = Console()
    model = axon.load("bundled")
    console.print(
        "[bold]AXON on the bundled model[/bold], a small masked diffusion model for short sums and small Python "
        "functions.\n\n"
        "An answer starts as masks and is written in blocks of 32 positions. At every evaluation of the model a "
        "[italic]decoder[/italic] decides which masks of the block become tokens: few, and it is slow; too many at "
        "once, and they do not fit together. Here [bold]confidence[/bold] reveals every token the model is at least "
        "90 % sure of. [bold]+axon[/bold] looks at a block's first evaluation at what confidence wants to reveal: "
        "[italic]support[/italic] is how much of their attention in the block the remaining masks pay to it. If that "
        "is less than needed, its [italic]gate[/italic] opens and it reveals [italic]anchors[/italic] instead, "
        "confident tokens that the unsure positions look at most. Needed is the larger of [italic]pace[/italic], the "
        "part of the block's masks that would be revealed, and [italic]doubt[/italic], how unsure the model is of the "
        "rest on average.\n\n"
        "First two problems on which that makes a difference; the table behind them is about problems nobody chose.\n"
    )
    for name in _TASKS:
        problem = task(name).problems()[_WATCHED[name]]
        console.print(f"[bold]{name}[/bold], test problem {_WATCHED[name]}: {escape(problem.prompt)}\n")
        for text in (_PLAIN, _HELPED):
            _watch(console, model, name, problem, text)
    _compare(console, model)
    console.print(
        "\n[bold]What to try next[/bold]\n"
        "A function or a sum of yours:\n"
        "  .venv/bin/axon generate \"Write solve(text): it keeps the words with 'a' and counts them.\"\n"
        '  .venv/bin/axon generate "Tom has 12 apples. He buys 9 more. How many does he have now?"\n'
        "A problem with its gold answer and its score:\n"
        "  .venv/bin/axon tasks show code 7\n"
        "This table with intervals and comparisons, figures, and a page that replays decodes:\n"
        "  .venv/bin/axon eval --table paper --limit 50\n"
        "LLaDA or Dream, from the hub or from a folder of yours:\n"
        '  .venv/bin/axon generate "…" --model GSAI-ML/LLaDA-8B-Instruct\n'
        "README.md has the same in Python.",
        soft_wrap=True,
    )


def _watch(console: Console, model: Model, name: str, problem: Problem, text: str) -> None:
    """One decode as it happens, its verdict, and what the gate saw."""
    (canvas,) = to_canvases(model, _chat(problem), _SETTINGS)
    piece = pieces_of(model.decode)
    decoder = axon.decoder(text)
    view = CanvasView(canvas, piece, text, str(decoder), context=0)
    steps: list[Step] = []
    with Live(view, console=console, auto_refresh=False) if console.is_terminal else nullcontext() as screen:
        for step in axon.stream(model, canvas, decoder, _SETTINGS):
            steps.append(step)
            view.apply(step)
            if screen is not None:
                screen.refresh()
                time.sleep(_PAUSE)
        view.end()
    if not console.is_terminal:
        console.print(view)
    result = Generation(model, canvas, _SETTINGS, tuple(steps))
    console.print(f"{summary(steps, len(result.tokens))} · {_verdict(name, problem, result.text)[1]}\n", style="dim")
    if any(step.gate for step in steps):
        console.print(_gates(steps, model), "")


def _gates(steps: list[Step], model: Model) -> Table:
    """What the gate saw where it was read, at the first evaluation of each block."""
    table = Table(title="What the gate saw", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("block", "confidence\nwanted", "support", "needed"):
        table.add_column(heading, justify="right")
    for heading in ("gate", "anchors revealed instead"):
        table.add_column(heading)
    for step in steps:
        gate = step.gate
        if gate is None or step.step_in_block > 0:
            continue
        tokens = dict(zip(step.positions, step.tokens, strict=True))
        anchors = " ".join(repr(model.decode([tokens[at]])) for at in gate.anchors)
        state = "[bold]open[/bold]" if gate.open else "closed"
        wanted = f"{len(gate.proposed)} token{'s' if len(gate.proposed) != 1 else ''}"
        figures = (f"{value:.2f}" for value in (gate.g, max(gate.r, gate.u)))
        table.add_row(str(step.block + 1), wanted, *figures, state, escape(anchors))
    return table


def _compare(console: Console, model: Model) -> None:
    """The ten rows of the paper's main table on the first problems of both tasks."""
    title = f"The paper's ten decoders on the first {_SAMPLE} test problems of each task"
    # A title is broken at its table's width.
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.min_width = len(title)
    table.add_column("decoder")
    for name in _TASKS:
        for heading in (f"{name}\nright", "evalu-\nations", "tokens\nper ev."):
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
        f"Evaluations are per answer. {_SAMPLE} problems show the order of things, not small differences: "
        "docs/results.md has more."
    )


def _chat(problem: Problem) -> list[dict[str, str]]:
    return [{"role": "user", "content": problem.prompt}]


def _verdict(name: str, problem: Problem, answer: str) -> tuple[bool | None, str]:
    """Right or wrong and why; None where code cannot be run safely on this machine."""
    try:
        verdict = task(name).score(problem, answer)
    except Unavailable:
        return None, f"not scored: {isolation().reason}, so code that a model wrote is not run here"
    return verdict.correct, f"{'right' if verdict.correct else 'wrong'}: {verdict.reason}"


if __name__ == "__main__":
    main()
