"""LocalLeap (arXiv 2510.07081)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.nn.functional import max_pool1d

from axon import checks
from axon.decoders.base import Decoder, Proposal, best, param
from axon.errors import AxonError
from axon.signals import Signals


def near(seeds: Tensor, radius: int) -> Tensor:
    """(B, W) positions at most `radius` away from a seed."""
    if radius == 0:
        return seeds
    spread = max_pool1d(seeds.float()[:, None], 2 * radius + 1, stride=1, padding=radius)
    return spread[:, 0] > 0


@dataclass(frozen=True, slots=True)
class LocalLeap(Decoder):
    """Reveal at confidence >= threshold, and at >= relaxed within radius of such a position.

    Only positions still masked act as centres, and one pass is made: a relaxed reveal is no centre itself.
    The most confident position is always in.
    """

    threshold: float = param(0.9, "reveal at or above this confidence anywhere")
    relaxed: float = param(0.75, "the lower bar near a position above the threshold")
    radius: int = param(4, "how many positions to each side count as near")

    def __post_init__(self) -> None:
        checks.number("threshold", self.threshold, 0, 1)
        checks.number("relaxed", self.relaxed, 0, 1)
        checks.whole("radius", self.radius, least=0)
        if self.relaxed > self.threshold:
            raise AxonError(f"relaxed must not exceed threshold {self.threshold}, got {self.relaxed}")

    def propose(self, signals: Signals, state: Sequence[Any]) -> Proposal:
        masked, confidence = signals.masked, signals.confidence
        sure = masked & (confidence >= self.threshold)
        leap = masked & (confidence >= self.relaxed) & near(sure, self.radius)
        return Proposal(sure | leap | best(confidence, masked))
