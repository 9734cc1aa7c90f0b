"""What a model is to the engine: it evaluates rows and returns only what was asked for.

A model knows nothing about decoders.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from axon.models.cache import CacheView, KVCache
from axon.signals import Frame, Needs, Signals


@dataclass(frozen=True, slots=True)
class Sampling:
    """How one row's tokens are drawn: its temperature, and its own source of noise."""

    temperature: float
    generator: torch.Generator


class Model(Protocol):
    """A masked diffusion language model.

    mask_id is never proposed; any of eos_ids ends a text; max_length bounds a row. encode, decode and chat
    raise AxonError when the model came without a tokenizer or a chat template.
    """

    @property
    def name(self) -> str: ...
    @property
    def mask_id(self) -> int: ...
    @property
    def eos_ids(self) -> frozenset[int]: ...
    @property
    def vocab_size(self) -> int: ...
    @property
    def max_length(self) -> int: ...
    @property
    def device(self) -> torch.device: ...
    @property
    def has_tokenizer(self) -> bool: ...
    @property
    def has_chat_template(self) -> bool: ...

    def encode(self, text: str) -> list[int]: ...
    def decode(self, tokens: Sequence[int]) -> str: ...
    def chat(self, messages: Sequence[dict[str, str]]) -> list[int]: ...
    def describe(self) -> dict[str, Any]:
        """What a result file needs to say about the model."""
        ...

    def new_cache(self, kind: str) -> KVCache | None:
        """A store for keys and values of the given kind ("none", "prefix", "dual")."""
        ...

    def evaluate(
        self,
        frame: Frame,
        needs: Needs,
        sampling: Sequence[Sampling | None] | None = None,
        cache: CacheView | None = None,
    ) -> Signals:
        """Evaluate B rows once: in full, or only the part a filled cache leaves open."""
        ...
