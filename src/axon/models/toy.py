"""A model without weights: it spells known sentences letter by letter, and is sure only with context.

It exists so that engine, command line and server can be tried and tested in milliseconds. It is a pure
function of each row: the sentence is chosen by the row's first token, a letter becomes likely as its
neighbours and its word's first letter are revealed, and where context is missing the likeliest letter is
often wrong. So revealing too much at once goes visibly wrong, as it does with a real model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from axon.errors import AxonError
from axon.models.base import Sampling
from axon.models.cache import CacheView, KVCache
from axon.models.head import signals_from
from axon.signals import Attention, AttentionNeed, Frame, Needs, Signals

_ALPHABET = "\n" + "".join(map(chr, range(32, 127)))
_SENTENCES = (
    "a word that many others lean on is worth writing first, and the rest will follow.",
    "some gaps can be filled at once, and some must wait until their neighbours are known.",
    "the quick brown fox jumps over the lazy dog while five boxing wizards watch.",
    "if every letter is guessed in the dark, the sentence comes out wrong in the middle.",
)
_LETTER_A = _ALPHABET.index("a")
_LAST = max(map(len, _SENTENCES))


@dataclass(frozen=True)
class ToyModel:
    """Characters as tokens, a newline ends the prompt, and behind each sentence comes EOS."""

    name: str = "toy"
    mask_id: int = len(_ALPHABET) + 1
    eos_ids: frozenset[int] = frozenset({len(_ALPHABET)})
    vocab_size: int = len(_ALPHABET) + 2
    max_length: int = 2048
    has_tokenizer: bool = True
    has_chat_template: bool = True

    @property
    def device(self) -> torch.device:
        return torch.device("cpu")

    def encode(self, text: str) -> list[int]:
        for letter in text:
            if letter not in _ALPHABET:
                raise AxonError(f"the toy model knows plain ASCII only, got {letter!r}")
        return [_ALPHABET.index(letter) for letter in text]

    def decode(self, tokens: Sequence[int]) -> str:
        return "".join(_ALPHABET[token] for token in tokens if token < len(_ALPHABET))

    def chat(self, messages: Sequence[dict[str, str]]) -> list[int]:
        return self.encode("".join(message["content"].replace("\n", " ") + "\n" for message in messages))

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "family": "toy", "revision": None, "dtype": "float32", "device": "cpu"}

    def new_cache(self, kind: str) -> KVCache | None:
        return None if kind == "none" else KVCache(kind)

    @cached_property
    def _script(self) -> tuple[Tensor, Tensor]:
        """(S, N) each sentence's tokens, EOS behind them, and where the word of each letter begins."""
        (eos,) = self.eos_ids
        tokens = torch.full((len(_SENTENCES), _LAST + 1), eos)
        heads = torch.arange(_LAST + 1).repeat(len(_SENTENCES), 1)
        for row, sentence in enumerate(_SENTENCES):
            tokens[row, : len(sentence)] = torch.tensor(self.encode(sentence))
            for place in range(1, len(sentence)):
                if sentence[place] != " ":
                    heads[row, place] = heads[row, place - 1] if sentence[place - 1] != " " else place
        return tokens, heads

    @torch.inference_mode()
    def evaluate(
        self,
        frame: Frame,
        needs: Needs,
        sampling: Sequence[Sampling | None] | None = None,
        cache: CacheView | None = None,
    ) -> Signals:
        if cache is not None and cache.refresh:
            cache.finish(torch.zeros(*frame.tokens.shape, 1))
        target, head = self._target(frame)
        margin = self._margin(frame, head)
        place = torch.arange(frame.tokens.shape[1])
        # Another letter of the alphabet, never the right one.
        rival = _LETTER_A + (target * 31 + place * 17) % 26
        rival = torch.where(rival == target, _LETTER_A + (rival + 1 - _LETTER_A) % 26, rival)

        def hidden_at(rows: Tensor, places: Tensor) -> Tensor:
            return torch.stack([target[rows, places], rival[rows, places], margin[rows, places]], dim=1)

        signals = signals_from(frame, needs, sampling, hidden_at, self._project, self.mask_id)
        return replace(signals, attention={need: self._attention(frame, head, need) for need in needs.attention})

    def _project(self, hidden: Tensor) -> Tensor:
        """Logits (n, V): the right letter leads its rival by the margin, the others are far behind."""
        target, rival, margin = hidden[:, 0].long(), hidden[:, 1].long(), hidden[:, 2].float()
        logits = torch.full((len(hidden), self.vocab_size), -8.0)
        logits.scatter_(1, rival[:, None], 0.0)
        return logits.scatter_(1, target[:, None], margin[:, None])

    def _target(self, frame: Frame) -> tuple[Tensor, Tensor]:
        """(B, L) the token each position should hold, and the position its word begins at."""
        tokens, heads = self._script
        newline = (frame.tokens == 0) & frame.valid
        # The sentence starts behind the prompt's newline, or with the row where there is none.
        origin = torch.where(newline.any(dim=1), newline.long().argmax(dim=1) + 1, 0)
        place = torch.arange(frame.tokens.shape[1]) - origin[:, None]
        place = place.clamp(0, _LAST)
        choice = (frame.tokens[:, 0] % len(_SENTENCES))[:, None].expand_as(place)
        return tokens[choice, place], (heads[choice, place] + origin[:, None]).clamp_max(frame.tokens.shape[1] - 1)

    def _margin(self, frame: Frame, head: Tensor) -> Tensor:
        """(B, L) how clearly the right letter leads; below zero its rival does."""
        shown = (~frame.row_masked & frame.valid).double()
        place = torch.arange(frame.tokens.shape[1])
        mix = (place * 2654435761 + frame.tokens[:, :1] * 40503 * (place + 1)) % 65536
        left = torch.nn.functional.pad(shown[:, :-1], (1, 0))
        right = torch.nn.functional.pad(shown[:, 1:], (0, 1))
        led = shown.gather(1, head) * (head != place)
        return mix / 65536 * 4.0 - 0.8 + 2.2 * led + 1.6 * left + 0.8 * right

    def _attention(self, frame: Frame, head: Tensor, need: AttentionNeed) -> Attention:
        """Near positions and the word's first letter get attention, normalised over the row."""
        length = frame.tokens.shape[1]
        place = torch.arange(length)
        near = torch.exp(-(place[:, None] - place).abs() / 3.0)
        raw = near + 2.0 * (head[:, :, None] == place)
        raw = raw * frame.valid[:, None]
        full = raw / raw.sum(dim=2, keepdim=True)
        rows = full.gather(1, frame.positions[:, :, None].expand(-1, -1, length))
        received = (full * frame.valid[:, :, None]).sum(dim=1) / frame.lengths[:, None]
        if need.columns == "block":
            columns = frame.positions[:, None].expand(-1, rows.shape[1], -1)
            rows = rows.gather(2, columns) * frame.inside[:, None]
            received = received.gather(1, frame.positions) * frame.inside
        return Attention(rows.float(), received.float() if need.sinks else None)
