"""Decoders from outside the package: importing their file or module registers them."""

import importlib
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from axon.errors import AxonError

PluginOption = Annotated[
    list[str] | None, typer.Option(help="A Python file or module with decoders of yours; repeatable.")
]


def import_plugins(names: Iterable[str]) -> None:
    """Import each file (….py) or module; its decoders register themselves."""
    for name in names:
        path = Path(name)
        if path.suffix == ".py":
            if not path.is_file():
                raise AxonError(f"there is no plugin file {name}")
            spec = importlib.util.spec_from_file_location(path.stem, path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            # Registered like any import, because dataclasses look their module up by name.
            sys.modules[path.stem] = module
            spec.loader.exec_module(module)
        else:
            try:
                importlib.import_module(name)
            except ModuleNotFoundError:
                raise AxonError(f"there is no plugin module {name}; give a module or a file ending in .py") from None
