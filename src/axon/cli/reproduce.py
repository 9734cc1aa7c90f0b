"""axon reproduce: the AXON paper's main table, with the published figures beside it, and its ablations."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from axon.cli import options


def reproduce(
    what: Annotated[str, typer.Argument(metavar="paper|ablations", help="Its Table 1, or its appendix's sweeps.")],
    models: Annotated[str, typer.Option(help="Some of the paper's models.")] = "llada-8b,llada-1.5,dream",
    tasks: Annotated[str, typer.Option(help="Some of its tasks.")] = "humaneval,mbpp,gsm8k,minerva_math",
    model_dir: Annotated[
        Path | None, typer.Option(help="Folder that holds the checkpoints' folders; default: the hub.")
    ] = None,
    data: options.Data = None,
    limit: options.Limit = None,
    out: options.Out = Path("paper"),
    device: options.Device = "auto",
    dtype: options.Dtype = "auto",
    unsafe_code: options.UnsafeCode = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it takes and what is missing.")] = False,
) -> None:
    """Run the paper's main table, three models, four tasks, ten decoders, beside its figures; or its ablations."""
    from axon.cli.paper import carry_out
    from axon.evaluation.paper import Reproduction

    job = Reproduction(
        out=out,
        models=options.listed(models, ","),
        tasks=options.listed(tasks, ","),
        model_dir=model_dir,
        data=data,
        limit=limit,
        unsafe=unsafe_code,
        what=what,
    )
    carry_out(job, Console(), device=device, dtype=dtype, dry_run=dry_run)
