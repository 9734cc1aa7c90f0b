"""What an evaluation runs: a model, tasks, decoders, settings. Two plans that differ share no results."""

import hashlib
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import torch

from axon import checks
from axon.decoders import Decoder, decoder
from axon.errors import AxonError
from axon.models.base import Model
from axon.settings import Settings
from axon.tasks import task

# The rows of the paper's main table.
PAPER = (
    "sequential",
    *(
        f"{base}{extra}"
        for base in ("confidence", "localleap", "dawn")
        for extra in ("", "+axon", "+axon(budget=cover)")
    ),
)
TABLES = {"paper": PAPER}


@dataclass(frozen=True)
class Plan:
    """Tasks by name, decoders by specification, and how many of the first problems of each task."""

    model: str
    tasks: tuple[str, ...]
    decoders: tuple[str, ...]
    settings: Settings = field(default_factory=lambda: Settings(max_new_tokens=128, block_length=32, batch_size=16))
    limit: int | None = None

    def __post_init__(self) -> None:
        if not self.tasks or not self.decoders:
            raise AxonError("an evaluation needs at least one task and one decoder")
        for names, what in ((self.tasks, "task"), (self.decoders, "decoder")):
            twice = {name for name in names if names.count(name) > 1}
            if twice:
                raise AxonError(f"the {what} {sorted(twice)[0]!r} is given twice")
        for name in self.tasks:
            task(name)
        if self.limit is not None:
            checks.whole("limit", self.limit)
        for text in self.decoders:
            decoder(text)

    @property
    def size(self) -> int:
        """Problems over all cells."""
        return len(self.decoders) * sum(len(task(name).problems()[: self.limit]) for name in self.tasks)

    def built(self) -> dict[str, Decoder]:
        """The decoders by their specification."""
        return {text: decoder(text) for text in self.decoders}

    def identity(self, model: Model) -> dict[str, Any]:
        """Everything a result depends on; a folder of results belongs to one identity."""
        return {
            "axon": version("axon-dllm"),
            "model": model.describe() | {"weights": weight_hash(model)},
            "tasks": {name: task(name).version for name in self.tasks},
            "decoders": {text: str(built) for text, built in self.built().items()},
            "settings": self.settings.as_dict(),
            "limit": self.limit,
        }


def weight_hash(model: Model) -> str | None:
    """A short hash of a model's weights, None for a model without."""
    network = getattr(model, "network", None)
    if network is None:
        return None
    digest = hashlib.sha256()
    for name, weight in sorted(network.state_dict().items()):
        digest.update(name.encode())
        # As bytes, whatever the dtype; numpy knows no bfloat16.
        digest.update(memoryview(weight.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy()))
    return digest.hexdigest()[:16]
