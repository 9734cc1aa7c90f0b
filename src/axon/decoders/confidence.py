"""Confidence threshold (Fast-dLLM, arXiv 2505.22618)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from axon import checks
from axon.decoders.base import Decoder, Proposal, best, param
from axon.signals import Signals


@dataclass(frozen=True, slots=True)
class Confidence(Decoder):
    """Reveal every masked position with confidence >= threshold, and always the most confident one."""

    threshold: float = param(0.9, "reveal at or above this confidence")

    def __post_init__(self) -> None:
        checks.number("threshold", self.threshold, 0, 1)

    def propose(self, signals: Signals, state: Sequence[Any]) -> Proposal:
        sure = signals.masked & (signals.confidence >= self.threshold)
        return Proposal(sure | best(signals.confidence, signals.masked))
