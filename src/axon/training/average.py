"""The mean of the weights of models that come from one another.

A model that was trained on gains where it was weak and loses elsewhere; halfway back to where it started it often
keeps most of the one and little of the other, for there is no hill between the two.
"""

import shutil
from pathlib import Path
from typing import Any

import torch

from axon.errors import AxonError
from axon.models.config import read_config
from axon.models.load import load
from axon.training import checkpoint
from axon.training.network import save_folder


def average(folders: list[Path], out: Path) -> None:
    """Write the folder `out` with the mean of the others' weights and the first one's configuration and tokenizer."""
    if len(folders) < 2:
        raise AxonError(f"an average takes at least two model folders, got {len(folders)}")
    if out.exists():
        raise AxonError(f"{out} exists; choose another --out")
    models = [_opened(folder) for folder in folders]
    first = models[0]
    for folder, model in zip(folders[1:], models[1:], strict=True):
        same_words = model.text.tokenizer.get_vocab() == first.text.tokenizer.get_vocab()
        if not same_words or read_config(folder) != read_config(folders[0]):
            raise AxonError(f"{folder} and {folders[0]} differ in sizes or tokenizer; average models of one origin")
    weights = [model.network.state_dict() for model in models]
    mean = {name: torch.stack([each[name] for each in weights]).mean(0) for name in weights[0]}
    first.network.load_state_dict(mean)
    part = out.with_name(out.name + ".part")
    try:
        with checkpoint.saving(out):
            save_folder(first.network, read_config(folders[0]), first.text.tokenizer, part)
            checkpoint.move(part, out)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _opened(folder: Path) -> Any:
    model = load(folder, device="cpu", dtype="float32")
    if model.describe()["family"] != "llada":
        raise AxonError(f"{folder} is no model in LLaDA's format; axon train makes those, and only they are averaged")
    return model
