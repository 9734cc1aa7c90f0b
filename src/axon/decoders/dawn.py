"""DAWN (arXiv 2602.06953)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from axon import checks
from axon.decoders.base import Decoder, Proposal, best, param
from axon.signals import AttentionNeed, Layers, Needs, Signals


@dataclass(frozen=True, slots=True)
class Dawn(Decoder):
    """Reveal the sure, the induced, and a conflict-free set of the likely.

    Position i depends on j when its attention to j, sinks and itself removed, reaches `edge`.
      sure      c >= confident
      induced   c >= induce, and depends on a visible position the model itself is confident about
      likely    c >= low, neither of the above, and depends on no position that is both sure and induced;
                taken in order of confidence, dropping whatever depends on a taken one or the reverse

    If all three are empty, the most confident position is revealed.
    """

    sink: float = param(0.01, "columns whose mean attention received exceeds this are ignored")
    edge: float = param(0.07, "attention from here on is a dependency")
    induce: float = param(0.7, "confidence an induced position needs")
    low: float = param(0.7, "confidence a likely position needs")
    confident: float = param(0.9, "confidence of a sure position, masked or visible")
    layers: Layers = param(1 / 8, "last layers whose attention is averaged: all, a number, or a fraction")

    def __post_init__(self) -> None:
        for name in ("sink", "edge", "induce", "low", "confident"):
            checks.number(name, getattr(self, name), 0, 1)
        checks.layers("layers", self.layers)

    @property
    def _attention(self) -> AttentionNeed:
        return AttentionNeed(self.layers, columns="row", sinks=True)

    @property
    def needs(self) -> Needs:
        return Needs(attention=frozenset({self._attention}))

    def propose(self, signals: Signals, state: Sequence[Any]) -> Proposal:
        masked, confidence = signals.masked, signals.confidence
        depends = self._dependencies(signals)
        sure = masked & (confidence >= self.confident)
        induced = self._induced(signals, depends)
        # (B, W, W): the same dependencies among the block's own positions.
        within = depends.gather(2, signals.frame.positions[:, None].expand(-1, depends.shape[1], -1))
        blocked = (within & (sure & induced)[:, None]).any(dim=2)
        likely = masked & (confidence >= self.low) & ~(sure | induced | blocked)
        reveal = sure | induced | independent(likely, within | within.transpose(1, 2), confidence)
        empty = ~reveal.any(dim=1, keepdim=True)
        return Proposal(reveal | (empty & best(confidence, masked)))

    def _dependencies(self, signals: Signals) -> Tensor:
        """(B, W, L) whether the block's position depends on the row's."""
        attention = signals.attention[self._attention]
        assert attention.sinks is not None
        place = torch.arange(attention.weights.shape[2], device=attention.weights.device)
        itself = signals.frame.positions[:, :, None] == place
        sinks = (attention.sinks > self.sink)[:, None]
        return (attention.weights >= self.edge) & ~sinks & ~itself

    def _induced(self, signals: Signals, depends: Tensor) -> Tensor:
        """(B, W) likely enough, and dependent on a confident visible position up to the block's end."""
        frame = signals.frame
        place = torch.arange(depends.shape[2], device=depends.device)
        visible = ~frame.row_masked & (place < (frame.start + frame.width)[:, None])
        able = signals.masked & (signals.confidence >= self.induce)
        # Only visible positions some able one depends on can matter: a handful, so only those are projected.
        asked = visible & (depends & able[:, :, None]).any(dim=1)
        reliable = torch.zeros_like(asked)
        reliable[asked] = signals.look(asked, Needs()).confidence >= self.confident
        return able & (depends & reliable[:, None]).any(dim=2)


def independent(candidates: Tensor, conflict: Tensor, confidence: Tensor) -> Tensor:
    """Greedy independent set: the most confident candidate, minus its conflicts, and again until none is left.

    candidates (B, W), conflict (B, W, W) symmetric, confidence (B, W); returns (B, W).
    """
    left, taken = candidates, torch.zeros_like(candidates)
    while bool(left.any()):
        pick = best(confidence, left)
        taken = taken | pick
        left = left & ~pick & ~(conflict & pick[:, None]).any(dim=2)
    return taken
