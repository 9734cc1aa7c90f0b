"""Rows that fill in the order the model itself would choose, with the right tokens.

Random masks rarely look like what a decoder meets: there the sure positions are filled and the unsure ones, results of
equations among them, are left. So some batches are used several times. After each use the positions that the model was
surest of are shown, block after block, and what is learned next is what decoding asks next. Which positions are shown
depends on nothing that is still hidden, so the confidence learned stays an honest one.
"""

import random

import torch
from torch import Tensor

from axon.training.data import BLOCK, Row
from axon.training.noise import LATER, LEAST_RATE, Batch, Vocabulary, padded

# How often a batch is used: about the evaluations that a block or two take.
USES = 8
# A row shows what is above a threshold drawn from here to 1, high ones more often.
_LOWEST = 0.6


class Path:
    """A batch on its way; `batch()` is what to learn now, `advance()` takes the confidences that came of it."""

    def __init__(self, rows: list[Row], length: int, rng: random.Random, vocabulary: Vocabulary) -> None:
        targets, weights = padded(rows, length, vocabulary)
        self.mask = vocabulary.mask
        self.targets, self.base = torch.from_numpy(targets), torch.from_numpy(weights)
        self.positions = torch.arange(length)
        self.first = torch.tensor([[len(row.prompt)] for row in rows])
        self.blocks = torch.tensor([[len(row.answer) // BLOCK + 1] for row in rows])
        self.current = torch.tensor([[rng.randrange(int(blocks))] for blocks in self.blocks])
        self.generator = torch.Generator().manual_seed(rng.getrandbits(62))
        self.hidden = self.positions >= self.first + BLOCK * self.current

    def batch(self) -> Batch:
        """What stands there now. The fewer are hidden in the current block, the more each of them counts."""
        now = self._now()
        rate = now.sum(1, keepdim=True) / BLOCK
        weights = torch.where(now, 1 / rate.clamp_min(LEAST_RATE), torch.tensor(LATER)) * self.base * self.hidden
        return Batch(self.targets.masked_fill(self.hidden, self.mask), self.targets, weights)

    def advance(self, confidences: Tensor) -> None:
        """Show what the model is sure of, at least one position a row; confidences (B, L) count where hidden."""
        now = self._now()
        sure = torch.where(now, confidences, torch.tensor(-1.0))
        drawn = torch.rand(len(sure), 1, generator=self.generator)
        shown = now & (sure > 1 - (1 - _LOWEST) * drawn**2)
        shown[torch.arange(len(sure)), sure.argmax(1)] = True
        self.hidden &= ~shown
        finished = ~self._now().any(1, keepdim=True)
        self.current = torch.where(finished, (self.current + 1) % self.blocks, self.current)
        # Behind the last block a row begins again.
        self.hidden |= finished & (self.current == 0) & (self.positions >= self.first)

    def _now(self) -> Tensor:
        """The hidden positions of each row's current block."""
        start = self.first + BLOCK * self.current
        return self.hidden & (self.positions >= start) & (self.positions < start + BLOCK)
