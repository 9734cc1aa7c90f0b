"""Factor rule (Fast-dLLM, arXiv 2505.22618)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from axon import checks
from axon.decoders.base import Decoder, Proposal, param, top
from axon.signals import Signals


@dataclass(frozen=True, slots=True)
class Factor(Decoder):
    """Reveal the n most confident positions for the largest n whose every m-th has (m+1)(1-c) <= factor.

    The condition must hold along the whole prefix of the order; the first position is always in. The
    published loop also reveals a last position that fails the condition; this is the rule without that slip.
    """

    factor: float = param(1.0, "how much joint doubt n simultaneous reveals may carry")

    def __post_init__(self) -> None:
        checks.number("factor", self.factor, 0)

    def propose(self, signals: Signals, state: Sequence[Any]) -> Proposal:
        masked, confidence = signals.masked, signals.confidence
        ranked = confidence.masked_fill(~masked, -torch.inf).sort(dim=1, descending=True).values
        rank = torch.arange(1, ranked.shape[1] + 1, device=ranked.device, dtype=ranked.dtype)
        holds = ranked >= 1 - self.factor / (rank + 1)
        holds[:, 0] = True
        count = holds.long().cumprod(dim=1).sum(dim=1)
        return Proposal(top(confidence, masked, count))
