"""Dream's time-discretised schedule and its three orders (arXiv 2508.15487)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from axon import checks
from axon.decoders.base import Decoder, Proposal, param, top
from axon.decoders.sequential import steps_per_block
from axon.signals import Needs, Signals

ORDERS = ("maskgit_plus", "topk_margin", "entropy")


@dataclass(frozen=True, slots=True)
class DreamSchedule(Decoder):
    """Reveal int(|M| (1 - t'/t)) positions, t running linearly from 1 to eps; all that is left at the last step.

    The order is by confidence (maskgit_plus), by top-1 minus top-2 probability (topk_margin), or by negative
    entropy (entropy). With as many steps as positions the published schedule reveals nothing at its first
    step and two positions at its last; that is kept. steps=None reveals exactly one position each time.
    """

    order: Literal["maskgit_plus", "topk_margin", "entropy"] = param("entropy", "what ranks the positions")
    steps: int | None = param(None, "evaluations over all blocks, split evenly; None: one token each")
    eps: float = param(1e-3, "where the schedule's time ends")

    def __post_init__(self) -> None:
        checks.one_of("order", self.order, ORDERS)
        checks.number("eps", self.eps, 0, 1)
        if self.steps is not None:
            checks.whole("steps", self.steps)

    @property
    def needs(self) -> Needs:
        return Needs(entropy=self.order == "entropy", margin=self.order == "topk_margin")

    def propose(self, signals: Signals, state: Sequence[Any]) -> Proposal:
        count = self._count(signals)
        reveal = top(self._score(signals), signals.masked, count)
        return Proposal(reveal, wait=count == 0)

    def _score(self, signals: Signals) -> Tensor:
        if self.order == "entropy":
            assert signals.neg_entropy is not None
            return signals.neg_entropy
        if self.order == "topk_margin":
            assert signals.margin is not None
            return signals.margin
        return signals.confidence

    def _count(self, signals: Signals) -> Tensor:
        """(B,) how many positions to reveal at this step."""
        frame = signals.frame
        left = signals.masked.sum(dim=1)
        if self.steps is None:
            return torch.ones_like(left)
        share = steps_per_block(self.steps, frame)
        # The times are taken in fp32 as torch.linspace gives them, because int() of a product that is
        # nearly whole depends on it.
        now, then = (
            torch.stack([self._time(int(n), int(s) + ahead) for n, s in zip(share, frame.step, strict=True)])
            for ahead in (0, 1)
        )
        count = (left * (1 - then / now).to(left.device)).long()
        return torch.where(frame.step >= share - 1, left, count)

    def _time(self, steps: int, index: int) -> Tensor:
        return torch.linspace(1, self.eps, steps + 1)[min(index, steps)]
