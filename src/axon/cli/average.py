"""axon average: the mean of models that come from one another."""

from pathlib import Path
from typing import Annotated

import typer


def average(
    folders: Annotated[list[Path], typer.Argument(help="Model folders of one origin, as before and after polish.")],
    out: Annotated[Path, typer.Option(help="Folder of the new model.")],
) -> None:
    """Write the model halfway between others: what was gained by training on, with less of what was lost."""
    from axon.training.average import average as write

    write(folders, out)
    print(f'done: axon generate "…" --model {out}')
