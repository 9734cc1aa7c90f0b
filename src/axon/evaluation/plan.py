"""What an evaluation runs: a model, tasks, decoders, settings. Two plans that differ share no results."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from axon import checks
from axon.decoders import Decoder, decoder
from axon.errors import AxonError
from axon.evaluation.asking import PROMPTINGS, prompting
from axon.evaluation.origin import versions
from axon.models.base import Model
from axon.settings import Settings
from axon.tasks import PUBLISHED, Problem, Task, task

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
    """What is run, checked when made.

    tasks, decoders  by name and by specification
    settings         for every answer; length and stop texts are each task's own
    limit            only the first problems of each task
    length           positions for an answer, instead of what the task asks for
    prompting        "chat", "text" or "bos" (text behind the BOS token); "auto": a chat where there is a template
    data             a folder with the files of published tasks, which otherwise come from the hub
    unsafe           run answers that are code without isolation where there is none
    seed             which problems of the bundled tasks' test split
    """

    model: str
    tasks: tuple[str, ...]
    decoders: tuple[str, ...]
    settings: Settings = field(default_factory=lambda: Settings(batch_size=16))
    limit: int | None = None
    length: int | None = None
    prompting: str = "auto"
    data: Path | None = None
    unsafe: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.tasks or not self.decoders:
            raise AxonError("an evaluation needs at least one task and one decoder")
        for names, what in ((self.tasks, "task"), (self.decoders, "decoder")):
            twice = {name for name in names if names.count(name) > 1}
            if twice:
                raise AxonError(f"the {what} {sorted(twice)[0]!r} is given twice")
        checks.one_of("prompting", self.prompting, PROMPTINGS)
        for name in self.tasks:
            self.settings_of(name, self.prompting)
        if self.limit is not None:
            checks.whole("limit", self.limit)
        for text in self.decoders:
            decoder(text)

    def task(self, name: str) -> Task:
        """One of the tasks, with this plan's data."""
        return task(name, self.data, unsafe=self.unsafe, seed=self.seed)

    def problems(self, name: str) -> Sequence[Problem]:
        """The problems of one of the tasks."""
        return self.task(name).problems()[: self.limit]

    def settings_of(self, name: str, how: str) -> Settings:
        """The settings for one of the tasks, asked in that way."""
        length = self.length or self.task(name).max_new_tokens
        return replace(self.settings, max_new_tokens=length, stop=self.stop_of(name, how))

    def stop_of(self, name: str, how: str) -> tuple[str, ...]:
        """The texts that end an answer to one of the tasks, asked in that way."""
        found = self.task(name)
        return found.chat_stop if how == "chat" else found.stop

    @property
    def size(self) -> int:
        """Problems over all cells."""
        return len(self.decoders) * sum(len(self.problems(name)) for name in self.tasks)

    def built(self) -> dict[str, Decoder]:
        """The decoders by their specification."""
        return {text: decoder(text) for text in self.decoders}

    def identity(self, model: Model) -> dict[str, Any]:
        """Everything a result depends on; a folder of results belongs to one identity."""
        how = prompting(model, self.prompting)
        return {
            "versions": versions(published=any(name in PUBLISHED for name in self.tasks)),
            "model": model.describe() | {"weights": weight_hash(model)},
            "tasks": {name: self.task(name).version for name in self.tasks},
            "split": "test",
            "decoders": {text: str(built) for text, built in self.built().items()},
            "settings": {name: self.settings_of(name, how).as_dict() for name in self.tasks},
            "limit": self.limit,
            "prompting": how,
            "seed": self.seed,
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
