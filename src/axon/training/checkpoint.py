"""What a run needs to go on where it was stopped, in one file that is either whole or not there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from axon.errors import AxonError
from axon.training.recipe import Recipe

FILE = "checkpoint.pt"


@dataclass
class State:
    """Where a run stands; `drilled` once bare equations are known and fewer of them are needed."""

    step: int = 0
    seconds: float = 0.0
    tokens: int = 0
    drilled: bool = False


def save(folder: Path, recipe: Recipe, state: State, network: Any, optimiser: Any) -> None:
    """Write the checkpoint beside the old one, then replace it."""
    content = {
        "recipe": recipe.as_dict(),
        "state": vars(state),
        "network": network.state_dict(),
        "optimiser": optimiser.state_dict(),
    }
    temporary = folder / f"{FILE}.part"
    torch.save(content, temporary)
    os.replace(temporary, folder / FILE)


def restore(folder: Path, recipe: Recipe, network: Any, optimiser: Any) -> State:
    """Fill network and optimiser from the folder's checkpoint; a fresh state if there is none."""
    path = folder / FILE
    if not path.is_file():
        return State()
    content = read(path)
    check_same(content["recipe"], recipe, folder)
    try:
        network.load_state_dict(content["network"])
        optimiser.load_state_dict(content["optimiser"])
        return State(**content["state"])
    except (RuntimeError, ValueError, TypeError, KeyError):
        raise AxonError(f"{path} does not fit the network of its recipe; remove it to start anew") from None


@contextmanager
def saving(folder: Path) -> Iterator[None]:
    """Around every write into a run's folder: a full disk is one sentence."""
    try:
        yield
    except AxonError:
        raise
    except Exception as error:  # an OSError to Python, other classes to torch and safetensors
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise AxonError(f"cannot write to {folder}: {why}; what was saved before is kept") from None


def write(path: Path, text: str) -> None:
    """Replace a file by a whole one."""
    part = path.with_name(path.name + ".part")
    part.write_text(text)
    os.replace(part, path)


def move(source: Path, target: Path) -> None:
    """Put a folder in its place, or every file of it in the place of an old one."""
    if not target.exists():
        os.replace(source, target)
        return
    for file in source.iterdir():
        os.replace(file, target / file.name)
    source.rmdir()


def read(path: Path) -> dict[str, Any]:
    """The content of a checkpoint file."""
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises a different class for every way a file can be broken
        raise AxonError(
            f"{path} is not a readable checkpoint ({type(error).__name__}); remove it to start anew"
        ) from None
    if not isinstance(content, dict) or {"recipe", "state", "network", "optimiser"} - content.keys():
        raise AxonError(f"{path} is not a checkpoint of a training run; remove it to start anew")
    return content


def check_same(before: dict[str, Any], recipe: Recipe, folder: Path) -> None:
    """Refuse to go on with another recipe."""
    now = recipe.as_dict()
    # How many processes share the work may change between stops; what is learned may not.
    changed = [f"{name} {before.get(name)!r}, now {now[name]!r}" for name in now
               if name != "processes" and before.get(name) != now[name]]  # fmt: skip
    if changed:
        raise AxonError(f"{folder} holds a run with another recipe ({'; '.join(changed)}); choose another --out")
