"""axon decoders: the rules and their parameters."""

import re
from inspect import cleandoc
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from axon.cli.plugins import PluginOption, import_plugins
from axon.decoders import spec
from axon.errors import AxonError


def decoders(
    name: Annotated[str | None, typer.Argument(help="Show only this one, with its whole rule.")] = None,
    plugin: PluginOption = None,
) -> None:
    """List the decoders, their rules and their parameters."""
    import_plugins(plugin or ())
    bases, wrappers = spec.registered(), spec.wrappers()
    known = [*bases, *wrappers]
    if name is not None and name.lower() not in known:
        raise AxonError(f"unknown decoder {name!r}; known are {', '.join(known)}")
    console = Console()
    for key in known if name is None else [name.lower()]:
        cls, preset = (bases[key], {}) if key in bases else (wrappers[key].cls, wrappers[key].preset)
        # Lines of a paragraph are joined, to be wrapped at the terminal's width; indented ones stay as they are.
        rule = re.sub(r"(?<=\S)\n(?=\S)", " ", cleandoc(cls.__doc__ or ""))
        console.print(Text(key if key in bases else f"base+{key}", style="bold"))
        console.print(Text(rule if name else rule.split("\n")[0]))
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
        for field in spec.parameters(cls).values():
            if name is None and key in wrappers and key != "axon" and field.name not in preset:
                continue  # a preset of what stands above: only what it changes
            table.add_row(field.name, str(preset.get(field.name, field.default)), field.metadata.get("help", ""))
        console.print(table)
        console.print()
    if name is None:
        console.print("Combine them as text, for example: localleap(radius=2)+axon(budget=cover)", style="dim")
