"""KLASS (arXiv 2511.05664)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from axon import checks
from axon.decoders.base import Decoder, Proposal, best, param
from axon.signals import Needs, Signals

_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class History:
    """One row's memory of the block at `start`: its last distributions (W, V) and recent divergences (h, W).

    A divergence is infinite until it compares two real evaluations, so a position is never stable too early.
    `ahead` is the first look at the next block, (W, V), taken when this one was about to end.
    """

    start: int
    probs: Tensor
    divergences: Tensor
    ahead: Tensor | None = None


@dataclass(frozen=True, slots=True)
class Klass(Decoder):
    """Reveal positions with confidence > threshold whose distribution has stopped moving.

    Stable means that each of the last `history` divergences KL(now || before) is below kl. Where no
    position is both, the most confident one is revealed. A block's first history - 1 steps never reveal
    more than one, as in the published code.
    """

    threshold: float = param(0.6, "reveal above this confidence")
    kl: float = param(0.015, "and only if every recent divergence is below this")
    history: int = param(2, "how many recent divergences must be small")

    def __post_init__(self) -> None:
        checks.number("threshold", self.threshold, 0, 1)
        checks.number("kl", self.kl, 0)
        checks.whole("history", self.history)

    @property
    def needs(self) -> Needs:
        return Needs(log_probs=True)

    def start(self) -> History | None:
        return None

    def propose(self, signals: Signals, state: Sequence[History | None]) -> Proposal:
        assert signals.log_probs is not None
        # The distributions are the largest tensors a decoder holds, (W, V) per row; stacking them every
        # step would double that, so the histories are advanced row by row.
        current = [
            self._advance(start, log_probs.exp(), before)
            for start, log_probs, before in zip(signals.frame.start.tolist(), signals.log_probs, state, strict=True)
        ]
        stable = torch.stack([(h.divergences < self.kl).all(dim=0) for h in current])
        stable &= signals.step[:, None] >= self.history - 1
        ready = signals.masked & stable & (signals.confidence > self.threshold)
        reveal = torch.where(ready.any(dim=1, keepdim=True), ready, best(signals.confidence, signals.masked))
        return Proposal(reveal, state=self._look_ahead(signals, reveal, current))

    def _advance(self, start: int, probs: Tensor, before: History | None) -> History:
        width = probs.shape[0]
        unknown = probs.new_full((self.history, width), torch.inf)
        if before is not None and before.start != start:
            before = None if before.ahead is None else History(start, before.ahead, unknown)
        if before is None:
            return History(start, probs, unknown)
        # Rows of other widths may have joined or left, so the padding of the batch may have changed.
        size = min(width, before.probs.shape[0])
        newest = probs.new_full((1, width), torch.inf)
        old = before.probs[:size]
        move = (probs[:size] + _TINY).log() - (old + _TINY).log()
        newest[0, :size] = torch.where(old.sum(dim=1) > 0, (probs[:size] * move).sum(dim=1), torch.inf)
        older = unknown.clone()
        older[:, :size] = before.divergences[:, :size]
        return History(start, probs, torch.cat([older[1:], newest]))

    def _look_ahead(self, signals: Signals, reveal: Tensor, current: list[History]) -> list[History]:
        """Where the block would end with this proposal, also keep this evaluation's view of the next one."""
        frame = signals.frame
        ends = (reveal == signals.masked).all(dim=1) & (frame.block + 1 < frame.blocks)
        if not bool(ends.any()):
            return current
        first = frame.start + frame.width
        place = torch.arange(frame.tokens.shape[1], device=first.device)
        upcoming = (place >= first[:, None]) & (place < (first + frame.width)[:, None])
        where = ends[:, None] & upcoming & frame.row_masked
        ahead = signals.look(where, Needs(log_probs=True)).log_probs
        assert ahead is not None
        row, position = where.nonzero(as_tuple=True)
        following = list(current)
        for index in ends.nonzero().flatten().tolist():
            mine = row == index
            probs = torch.zeros_like(current[index].probs)
            probs[position[mine] - first[index]] = ahead[mine].exp()
            following[index] = replace(current[index], ahead=probs)
        return following
