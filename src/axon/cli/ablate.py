"""axon ablate: one parameter over its values, with and without AXON, and its figure."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import axon
from axon.cli import options
from axon.cli.plugins import PluginOption, import_plugins


def ablate(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="alpha, beta, budget, objective, layers, reading or threshold.")
    ],
    bases: Annotated[str, typer.Option(help='Base decoders, with semicolons: "confidence;dawn".')] = "confidence",
    wrapper: Annotated[
        str, typer.Option("--axon", help="AXON as it is before the sweep: axon.paper(budget=3).")
    ] = "axon",
    model: options.Model = "bundled",
    tasks: options.Tasks = "sums,code",
    limit: options.Limit = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the results; default: ablation/NAME.")] = None,
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
    """Sweep one parameter and draw accuracy, evaluations and speed against it."""
    from axon.cli.measure import conclude, measured
    from axon.evaluation.ablations import ablation
    from axon.evaluation.plan import Plan
    from axon.evaluation.ready import check

    import_plugins(plugin or ())
    plan = Plan(
        model=model,
        tasks=options.listed(tasks, ","),
        decoders=ablation(name, options.listed(bases, ";"), wrapper),
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
    folder = out or Path("ablation") / name
    conclude(plan, measured(plan, loaded, folder, console), folder, console)
