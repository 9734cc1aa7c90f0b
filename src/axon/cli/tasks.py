"""axon tasks: the problems, one at a time."""

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from axon.cli import options
from axon.errors import AxonError
from axon.tasks import BUNDLED, task

app = typer.Typer(no_args_is_help=True, help="The bundled tasks: list them, look at a problem, score an answer.")


@app.command("list")
def listing() -> None:
    """The tasks and their sizes."""
    table = Table("task", "problems", "what it is")
    for name, found in BUNDLED.items():
        table.add_row(name, str(len(found.problems())), found.__doc__)
    Console().print(table)


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="TASK", help="sums, code, or a published task.")],
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="Which test problem, from 0.")],
    answer: Annotated[str | None, typer.Option(help='An answer to score too; "-": standard input.')] = None,
    unsafe_code: options.UnsafeCode = False,
) -> None:
    """A problem, its gold answer and the verdict on it, or on an answer of yours."""
    found = task(name, unsafe=unsafe_code)
    problems = found.problems()
    if not 0 <= number < len(problems):
        raise AxonError(f"{name} has problems 0 to {len(problems) - 1}, got {number}")
    problem = problems[number]
    given = sys.stdin.read() if answer == "-" else answer
    print(f"{problem.id}\n\n{problem.prompt}\n")
    for title, text in (("gold", problem.gold), ("answer", given)):
        if text is None:
            continue
        verdict = found.score(problem, text)
        measures = "".join(f", {name}: {'yes' if good else 'no'}" for name, good in verdict.measures.items())
        mark = "right" if verdict.correct else "wrong"
        print(f"{title}:\n{text}\n-> {mark}: {verdict.reason}{measures}\n")
