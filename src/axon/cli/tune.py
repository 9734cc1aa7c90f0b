"""axon tune: search for the decoder that needs the fewest evaluations at the accuracy asked for."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import axon
from axon.cli import options
from axon.cli.plugins import PluginOption, import_plugins
from axon.cli.say import say


def tune(
    model: options.Model = "bundled",
    task: Annotated[str, typer.Option(help="One of sums, code, gsm8k, minerva_math, humaneval, mbpp.")] = "sums",
    out: options.Out = Path("tuned"),
    min_accuracy: Annotated[
        float | None,
        typer.Option(help="Accuracy to reach, in percent; default: what cannot be told from the best one's."),
    ] = None,
    bases: Annotated[
        str, typer.Option(help='Bases, with semicolons; parameters given stay as they are: "klass;dawn(edge=0.1)".')
    ] = "confidence;localleap;dawn",
    trials: Annotated[int, typer.Option(help="How many different decoders to measure.")] = 40,
    limit: Annotated[int, typer.Option(help="Problems for each of them.")] = 100,
    check: Annotated[
        int | None, typer.Option(help="Fresh problems to measure the chosen one on, 0: none; default: as many.")
    ] = None,
    data: options.Data = None,
    prompting: options.Prompting = "auto",
    seed: Annotated[
        int, typer.Option(help="Order of the search, and which problems of the bundled tasks; at least 1.")
    ] = 1,
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
    """Search thresholds, gate and budget for few evaluations at high accuracy, and print the decoder to use."""
    from axon.cli.search import searched, show
    from axon.evaluation import ready
    from axon.evaluation.plan import Plan
    from axon.evaluation.space import Space
    from axon.evaluation.tuning import Search, require

    require()
    import_plugins(plugin or ())
    space = Space.of(options.listed(bases, ";"))
    plan = Plan(
        model=model,
        tasks=(task,),
        decoders=space.starts(),
        settings=options.settings(block_length, cache, batch_size),
        limit=limit,
        length=max_new_tokens,
        prompting=prompting,
        data=data,
        unsafe=unsafe_code,
        seed=seed,
    )
    search = Search(plan, space, trials, min_accuracy, check)
    ready.check(plan)
    console = Console()
    loaded = axon.load(model, device=device, dtype=dtype, revision=revision)
    tuned = searched(search, loaded, out, console)
    show(tuned, out, console)
    chosen = tuned.choice.tried
    if chosen is None:
        print(f"axon: {tuned.choice.why}", file=sys.stderr)
        raise typer.Exit(1)
    command = f'axon generate "…" --model {shlex.quote(model)} --decoder "{chosen.text}"'
    # Only what `axon generate` would otherwise do differently.
    for name, value, usual in (
        ("max-new-tokens", max_new_tokens, None),
        ("block-length", block_length, 32),
        ("cache", cache, "none"),
        ("dtype", dtype, "auto"),
        ("revision", revision, None),
    ):
        if value != usual:
            command += f" --{name} {shlex.quote(str(value))}"
    if prompting == "text":
        command += " --raw"
    say(console, "", "Use it:", chosen.text, command)
