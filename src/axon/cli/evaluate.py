"""axon eval: decoders on tasks, with intervals and paired comparisons."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import axon
from axon.cli import options
from axon.cli.plugins import PluginOption, import_plugins
from axon.errors import AxonError


def evaluate(
    model: options.Model = "bundled",
    tasks: options.Tasks = "sums,code",
    decoders: Annotated[str | None, typer.Option(help='Decoders, with semicolons: "confidence;dawn+axon".')] = None,
    table: Annotated[str | None, typer.Option(help="A named list of decoders: paper, the ten rows.")] = None,
    limit: options.Limit = None,
    out: options.Out = Path("results"),
    data: options.Data = None,
    prompting: options.Prompting = "auto",
    seed: options.Seed = 0,
    unsafe_code: options.UnsafeCode = False,
    max_new_tokens: options.MaxNewTokens = None,
    block_length: options.BlockLength = 32,
    cache: options.Cache = "none",
    batch_size: options.BatchSize = 16,
    device: options.Device = "auto",
    dtype: options.Dtype = "auto",
    revision: options.Revision = None,
    plugin: PluginOption = None,
) -> None:
    """Measure decoders on tasks: accuracy, evaluations, and what AXON changes, problem by problem."""
    from axon.cli.measure import conclude, measured
    from axon.evaluation.plan import PAPER, TABLES, Plan
    from axon.evaluation.ready import check

    import_plugins(plugin or ())
    if table is not None and table not in TABLES:
        raise AxonError(f"table must be one of {', '.join(TABLES)}, got {table!r}")
    rows = (*TABLES.get(table or "", ()), *options.listed(decoders or "", ";")) or PAPER
    plan = Plan(
        model=model,
        tasks=options.listed(tasks, ","),
        decoders=rows,
        settings=options.settings(block_length, cache, batch_size),
        limit=limit,
        length=max_new_tokens,
        prompting=prompting,
        data=data,
        unsafe=unsafe_code,
        seed=seed,
    )
    check(plan)
    console = Console()
    loaded = axon.load(model, device=device, dtype=dtype, revision=revision)
    conclude(plan, measured(plan, loaded, out, console), out, console)
