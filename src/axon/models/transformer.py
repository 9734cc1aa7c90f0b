"""A LLaDA or Dream checkpoint in a stock transformers class, evaluated for the engine."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from axon.models.attention import AttentionCall
from axon.models.base import Sampling
from axon.models.cache import CacheView, KVCache
from axon.models.head import signals_from
from axon.models.text import Text
from axon.signals import Frame, Needs, Signals


@dataclass(frozen=True)
class TransformerModel:
    """`network` is a stock causal-LM class without its causal mask; `shift` 1 where output i - 1 predicts token i."""

    network: Any
    name: str
    family: str
    mask_id: int
    eos_ids: frozenset[int]
    shift: int
    text: Text
    revision: str | None = None

    @property
    def device(self) -> torch.device:
        return next(iter(self.network.parameters())).device  # type: ignore[no-any-return]

    @property
    def vocab_size(self) -> int:
        return int(self.network.config.vocab_size)

    @property
    def max_length(self) -> int:
        return int(self.network.config.max_position_embeddings)

    @property
    def has_tokenizer(self) -> bool:
        return self.text.tokenizer is not None

    @property
    def has_chat_template(self) -> bool:
        return self.text.has_chat_template

    def encode(self, text: str) -> list[int]:
        return self.text.encode(text)

    def decode(self, tokens: Sequence[int]) -> str:
        return self.text.decode(tokens)

    def chat(self, messages: Sequence[dict[str, str]]) -> list[int]:
        return self.text.chat(messages)

    def describe(self) -> dict[str, Any]:
        weight = next(iter(self.network.parameters()))
        return {
            "name": self.name,
            "family": self.family,
            "revision": self.revision,
            "dtype": str(weight.dtype).removeprefix("torch."),
            "device": str(weight.device),
        }

    def new_cache(self, kind: str) -> KVCache | None:
        return None if kind == "none" else KVCache(kind)

    @torch.inference_mode()
    def evaluate(
        self,
        frame: Frame,
        needs: Needs,
        sampling: Sequence[Sampling | None] | None = None,
        cache: CacheView | None = None,
    ) -> Signals:
        if cache is None or cache.refresh:
            positions = torch.arange(frame.tokens.shape[1], device=frame.tokens.device).expand_as(frame.tokens)
            real = frame.valid
        else:
            positions = cache.window(frame, self.shift)
            # Repeats of a shorter row's last position are padding.
            real = torch.ones_like(positions, dtype=torch.bool)
            real[:, 1:] = positions[:, 1:] > positions[:, :-1]
        call = AttentionCall(frame, positions, real, needs.attention, self.network.config.num_hidden_layers, cache)
        hidden = self.network.model(
            input_ids=frame.tokens.gather(1, positions), position_ids=positions, use_cache=False, axon=call
        ).last_hidden_state
        whole: Tensor = hidden if cache is None else cache.finish(hidden)

        def hidden_at(rows: Tensor, places: Tensor) -> Tensor:
            return whole[rows, (places - self.shift).clamp_min(0)]

        signals = signals_from(frame, needs, sampling, hidden_at, self.network.lm_head, self.mask_id)
        return replace(signals, attention=call.result())
