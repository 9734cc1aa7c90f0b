"""Options that several commands share, each described once."""

from pathlib import Path
from typing import Annotated

import typer

from axon.settings import Settings

Model = Annotated[str, typer.Option(help="bundled, a checkpoint folder or a hub id.")]
Tasks = Annotated[str, typer.Option(help="sums, code, gsm8k, minerva_math, humaneval, mbpp.")]
Limit = Annotated[int | None, typer.Option(help="Only the first problems of each task.")]
Data = Annotated[Path | None, typer.Option(help="Folder with the files of published tasks.")]
Prompting = Annotated[
    str, typer.Option(help="chat, text, bos (text behind the BOS token); auto: a chat where the model has a template.")
]
Seed = Annotated[int, typer.Option(help="Other problems of the bundled tasks.")]
UnsafeCode = Annotated[bool, typer.Option("--unsafe-code", help="Run code even without isolation.")]
MaxNewTokens = Annotated[int | None, typer.Option(help="Positions for an answer; default: the task's.")]
BlockLength = Annotated[int, typer.Option(help="Positions decoded together.")]
Cache = Annotated[str, typer.Option(help="none, prefix or dual.")]
BatchSize = Annotated[int, typer.Option(help="Problems decoded together.")]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda, …")]
Dtype = Annotated[str, typer.Option(help="auto, float32, bfloat16, float16.")]
Revision = Annotated[str | None, typer.Option(help="Branch, tag or commit of a hub id.")]
Out = Annotated[Path, typer.Option(help="Folder of the results; a stopped run goes on from it.")]


def listed(text: str, mark: str) -> tuple[str, ...]:
    """The parts of a list given as one text, without the blanks around them."""
    return tuple(part.strip() for part in text.split(mark) if part.strip())


def settings(block_length: int, cache: str, batch_size: int) -> Settings:
    """Settings of a plan, which puts each task's own length into them."""
    return Settings(
        max_new_tokens=block_length,
        block_length=block_length,
        cache=cache,  # type: ignore[arg-type]  # Settings checks it
        batch_size=batch_size,
    )
