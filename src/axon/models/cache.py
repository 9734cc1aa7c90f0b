"""Keys and values that are not recomputed at every step, named by what they freeze.

prefix: everything before the block; dual: everything outside it. Both are approximations: one full
evaluation at the start of every block fills the cache, later ones evaluate only the open part. The caches
hold rows by key, so rows may join and leave.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import pad

from axon.signals import Frame


@dataclass
class KVCache:
    """The stored rows' keys and values, one (R, heads, L, size) tensor per layer, and last hidden states (R, L, d)."""

    kind: str
    rows: list[int] = field(default_factory=list)
    keys: dict[int, Tensor] = field(default_factory=dict)
    values: dict[int, Tensor] = field(default_factory=dict)
    hidden: Tensor | None = None

    def view(self, rows: Sequence[int], *, refresh: bool) -> "CacheView":
        """The cache as one evaluation of these rows sees it; `refresh` evaluates them in full and stores them."""
        return CacheView(self, list(rows), refresh)

    def drop(self, rows: Sequence[int]) -> None:
        """Forget rows that have left."""
        kept = [i for i, row in enumerate(self.rows) if row not in rows]
        if len(kept) == len(self.rows):
            return
        self.rows = [self.rows[i] for i in kept]
        for store in (self.keys, self.values):
            for layer in store:
                store[layer] = store[layer][kept]
        self.hidden = None if self.hidden is None else self.hidden[kept]


class CacheView:
    """One evaluation's use of a cache."""

    def __init__(self, cache: KVCache, rows: list[int], refresh: bool) -> None:
        self.cache, self.rows, self.refresh = cache, rows, refresh
        self.positions: Tensor | None = None
        if refresh:
            cache.drop(rows)
            self._index: list[int] | None = None
        else:
            index = [cache.rows.index(row) for row in rows]
            # All stored rows in their order need no copy; new keys are then written in place, which is
            # harmless, since the open part is evaluated anew every time before anything reads it.
            self._index = None if index == list(range(len(cache.rows))) else index

    def window(self, frame: Frame, shift: int) -> Tensor:
        """(B, Q) absolute positions to evaluate; a shorter row repeats its last one.

        Repeating is harmless: the same token at the same position has the same keys and values. A model
        whose output at i - 1 predicts i (shift 1) also needs the position before the block.
        """
        first = (frame.start - shift).clamp_min(0)
        last = frame.lengths if self.cache.kind == "prefix" else frame.start + frame.width
        ahead = torch.arange(int((last - first).max()), device=first.device)
        self.positions = torch.minimum(first[:, None] + ahead, (last - 1)[:, None])
        return self.positions

    def merge(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of the whole rows, given the evaluated part's (B, heads, Q, size)."""
        if self.refresh:
            self._store(self.cache.keys, layer, key)
            self._store(self.cache.values, layer, value)
            return key, value
        return self._overlay(self.cache.keys[layer], key), self._overlay(self.cache.values[layer], value)

    def finish(self, hidden: Tensor) -> Tensor:
        """Last hidden states of the whole rows (B, L, d), given the evaluated part's (B, Q, d)."""
        if not self.refresh:
            assert self.cache.hidden is not None
            return self._overlay(self.cache.hidden[:, None], hidden[:, None])[:, 0]
        stored = None if self.cache.hidden is None else self.cache.hidden[:, None]
        self.cache.hidden = _append(stored, hidden[:, None])[:, 0]
        self.cache.rows = self.cache.rows + self.rows
        return hidden

    def _store(self, store: dict[int, Tensor], layer: int, fresh: Tensor) -> None:
        store[layer] = _append(store.get(layer), fresh)

    def _overlay(self, stored: Tensor, fresh: Tensor) -> Tensor:
        assert self.positions is not None
        whole = stored if self._index is None else stored[self._index]
        row = torch.arange(len(whole), device=whole.device)[:, None]
        whole[row, :, self.positions] = fresh.transpose(1, 2)
        return whole


def _append(stored: Tensor | None, fresh: Tensor) -> Tensor:
    """Stored and fresh rows (R, heads, L, size) in one tensor, the shorter ones padded on the right."""
    if stored is None or len(stored) == 0:
        return fresh
    length = max(stored.shape[2], fresh.shape[2])
    return torch.cat([pad(part, (0, 0, 0, length - part.shape[2])) for part in (stored, fresh)])
