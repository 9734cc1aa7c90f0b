"""LLaDA's own schedule, low-confidence remasking (arXiv 2502.09992)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from axon import checks
from axon.decoders.base import Decoder, Proposal, param, top
from axon.signals import Frame, Signals


def steps_per_block(total: int, frame: Frame) -> Tensor:
    """(B,) this block's share of `total` evaluations, earlier blocks taking the remainder; at least one."""
    share = total // frame.blocks + (frame.block < total % frame.blocks)
    return share.clamp_min(1)


@dataclass(frozen=True, slots=True)
class Sequential(Decoder):
    """Reveal a fixed number of the most confident positions per evaluation.

    A block opened with m masks and given n steps reveals m // n at each, one more at the first m mod n.
    """

    steps: int | None = param(None, "evaluations over all blocks, split evenly; None: one token each")

    def __post_init__(self) -> None:
        if self.steps is not None:
            checks.whole("steps", self.steps)

    def propose(self, signals: Signals, state: Sequence[Any]) -> Proposal:
        frame = signals.frame
        if self.steps is None:
            count = torch.ones_like(frame.step)
        else:
            share = steps_per_block(self.steps, frame)
            count = frame.opened // share + (frame.step < frame.opened % share)
        return Proposal(top(signals.confidence, signals.masked, count.clamp_min(1)))
