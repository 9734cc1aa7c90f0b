"""axon eval: decoders on tasks, with intervals and paired comparisons."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import axon
from axon.errors import AxonError


def evaluate(
    out: Annotated[Path, typer.Option(help="Folder of the results; a stopped run goes on from it.")],
    model: Annotated[str, typer.Option(help="bundled, a checkpoint folder or a hub id.")] = "bundled",
    tasks: Annotated[str, typer.Option(help="sums, code, gsm8k, minerva_math, humaneval, mbpp.")] = "sums,code",
    decoders: Annotated[str | None, typer.Option(help='Decoders, with semicolons: "confidence;dawn+axon".')] = None,
    table: Annotated[str | None, typer.Option(help="A named list of decoders: paper, the ten rows.")] = None,
    limit: Annotated[int | None, typer.Option(help="Only the first problems of each task.")] = None,
    data: Annotated[Path | None, typer.Option(help="Folder with the files of published tasks.")] = None,
    chat: Annotated[str, typer.Option(help="auto (where the model has a template), always or never.")] = "auto",
    seed: Annotated[int, typer.Option(help="Other problems of the bundled tasks.")] = 0,
    unsafe_code: Annotated[bool, typer.Option("--unsafe-code", help="Run code even without isolation.")] = False,
    max_new_tokens: Annotated[int | None, typer.Option(help="Positions for an answer; default: the task's.")] = None,
    block_length: Annotated[int, typer.Option(help="Positions decoded together.")] = 32,
    cache: Annotated[str, typer.Option(help="none, prefix or dual.")] = "none",
    batch_size: Annotated[int, typer.Option(help="Problems decoded together.")] = 16,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, …")] = "auto",
    dtype: Annotated[str, typer.Option(help="auto, float32, bfloat16, float16.")] = "auto",
    revision: Annotated[str | None, typer.Option(help="Branch, tag or commit of a hub id.")] = None,
) -> None:
    """Measure decoders on tasks: accuracy, evaluations, and what AXON changes, problem by problem."""
    from axon.evaluation.plan import PAPER, TABLES, Plan
    from axon.evaluation.records import whole_write
    from axon.evaluation.runner import run
    from axon.evaluation.summary import speeds, summarise
    from axon.report.tables import failures, markdown, terminal

    if table is not None and table not in TABLES:
        raise AxonError(f"table must be one of {', '.join(TABLES)}, got {table!r}")
    named = [text.strip() for text in (decoders or "").split(";") if text.strip()]
    rows = [*TABLES.get(table or "", ()), *named] or list(PAPER)
    plan = Plan(
        model=model,
        tasks=tuple(name.strip() for name in tasks.split(",")),
        decoders=tuple(rows),
        settings=axon.Settings(
            # The plan puts each task's own length in its place.
            max_new_tokens=max_new_tokens or block_length,
            block_length=block_length,
            cache=cache,  # type: ignore[arg-type]  # Settings checks it
            batch_size=batch_size,
        ),
        limit=limit,
        length=max_new_tokens,
        chat=chat,
        data=data,
        unsafe=unsafe_code,
        seed=seed,
    )
    console = Console()
    loaded = axon.load(model, device=device, dtype=dtype, revision=revision)
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(),
               TextColumn("{task.description}"))  # fmt: skip
    with Progress(*columns, console=console) as bar:
        job = bar.add_task("", total=plan.size)

        def report(name: str, decoder: str, count: int) -> None:
            bar.update(job, advance=count, description=f"{name} · {decoder}")

        records = run(plan, loaded, out, report)
    summary, speed = summarise(plan, records), speeds(plan, records)
    whole_write(out / "summary.json", json.dumps(summary.as_dict(), indent=2) + "\n")
    whole_write(out / "report.md", markdown(summary, speed))
    console.print(*terminal(summary, speed), sep="\n\n")
    for line in (*failures(summary), f"{out}: results.jsonl, summary.json, report.md"):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
