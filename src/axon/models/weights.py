"""Strict loading of safetensors: every tensor of the network comes from the files, and nothing else is in them."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import nn

from axon.errors import LoadError


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of a checkpoint folder: one, or the shards its index names."""
    single, index = folder / "model.safetensors", folder / "model.safetensors.index.json"
    if single.is_file():
        return [single]
    if not index.is_file():
        raise LoadError(f"{folder} holds neither model.safetensors nor model.safetensors.index.json")
    try:
        names = sorted(set(json.loads(index.read_text())["weight_map"].values()))
        shards = [folder / name for name in names]
    except (json.JSONDecodeError, KeyError, AttributeError, TypeError):
        raise LoadError(f"{index} is not a readable index of weight shards") from None
    for name, shard in zip(names, shards, strict=True):
        if not shard.is_file():
            raise LoadError(f"{folder} lacks the weight shard {name} that its index names")
    return shards


def load_weights(
    network: nn.Module,
    files: Iterable[Path],
    rename: Callable[[str], str | None],
    original: Callable[[str], str],
    *,
    device: torch.device,
    dtype: torch.dtype,
    tied: frozenset[str] = frozenset(),
) -> None:
    """Fill a network made on the meta device.

    rename gives our name of a checkpoint tensor, or None for one that does not belong to the family; original
    is its inverse.
    `tied` names tensors the network shares with others, which a checkpoint may repeat or leave out.
    """
    expected = {name: value.shape for name, value in network.state_dict().items() if name not in tied}
    loaded: dict[str, torch.Tensor] = {}
    for file in files:
        try:
            with safe_open(file, framework="pt") as tensors:
                for source in tensors.keys():  # noqa: SIM118 - a safetensors handle is no mapping
                    name = rename(source)
                    if name in tied:
                        continue
                    if name is None or name not in expected:
                        raise LoadError(f"{file} holds an unexpected tensor {source}")
                    shape = tuple(tensors.get_slice(source).get_shape())
                    if shape != tuple(expected[name]):
                        raise LoadError(
                            f"tensor {source} in {file} has shape {shape}, the config asks for {tuple(expected[name])}"
                        )
                    loaded[name] = tensors.get_tensor(source).to(device=device, dtype=dtype)
        except (SafetensorError, OSError) as error:
            raise LoadError(f"{file} is not a readable safetensors file, it may be cut short ({error})") from None
    missing = sorted(expected.keys() - loaded.keys())
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise LoadError(f"the checkpoint lacks tensor {original(missing[0])}{more}")
    network.load_state_dict(loaded, strict=False, assign=True)
