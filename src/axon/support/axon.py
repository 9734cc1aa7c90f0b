"""AXON (arXiv 2606.04236): a decoder made of a decoder, and its two readings as presets.

When the gate finds the masked rest short of context, the base proposal gives way to anchors: confident
tokens the uncertain positions attend to. No training, no change to the model.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from axon import checks
from axon.decoders.base import Decoder, GateReading, Proposal, param, top
from axon.decoders.spec import parameters, register_wrapper
from axon.errors import AxonError
from axon.signals import AttentionNeed, Layers, Needs, Signals
from axon.support import coverage, gate

# The paper's reading, as changes to the defaults, which are the released one's.
PAPER: dict[str, Any] = {
    "gate": "hybrid",
    "uncertain": 0.9,
    "layers": "all",
    "sink": None,
    "drop_self": False,
    "anchor_steps": None,
    "candidates": None,
    "cap": None,
    "rows": "uncertain",
    "whole_pace": False,
    "tie_break": 0.0,
}


class Memory(NamedTuple):
    """One row's state: the base's own, and the base's pace at the previous step of the block."""

    base: Any
    pace: float


@dataclass(frozen=True, slots=True)
class Axon(Decoder):
    """Where the base proposal leaves the uncertain without support, reveal anchors instead.

    `Axon(base)` is the reading of the authors' released code; `Axon.paper(base)` the literal Algorithm 1.
    """

    base: Decoder
    budget: int | Literal["cover"] = param(1, "anchors per opening; cover: as many as match the base's coverage")
    gate: Literal["context", "pace", "hybrid", "blend"] = param("context", "which deficit opens the gate")
    alpha: float = param(0.2, "weight of context (hybrid) or of pace against doubt (blend)")
    beta_r: float = param(1.0, "weight of the base's pace in the context it should give")
    beta_u: float = param(1.0, "weight of the mean doubt in the context it should give")
    steps: int = param(16, "evaluations a block should take; sets the required pace")
    uncertain: Literal["residual"] | float = param(
        "residual", "the uncertain: masked outside the base proposal, or below this confidence"
    )
    layers: Layers = param(1 / 8, "last layers whose attention is averaged: all, a number, or a fraction")
    sink: float | None = param(0.01, "columns receiving more mean attention than this are no support; none: all are")
    drop_self: bool = param(True, "a position is no support to itself")
    objective: Literal["facility", "graph_cut"] = param("facility", "what a set of anchors is worth")
    redundancy: float = param(0.0, "price of support that anchors share")
    commit: Literal["replace", "union"] = param("replace", "anchors instead of the base proposal, or beside it")
    anchor_steps: int | None = param(1, "read the gate only at a block's first n steps; none: at every step")
    candidates: int | None = param(32, "only the n most confident may become anchors; none: all")
    cap: Literal["log2"] | None = param("log2", "at most ceil(log2(masked + 1)) anchors under cover; none: no cap")
    support: Literal["proposal", "visible"] = param(
        "proposal", "what counts as support in the gate: the proposal, or the block's revealed tokens too"
    )
    pool: float = param(0.0, "confidence a candidate needs")
    select: Literal["coverage", "confidence", "random"] = param("coverage", "what ranks anchors; two are controls")
    rows: Literal["masked", "uncertain"] = param("masked", "whose support the anchors are chosen for")
    whole_pace: bool = param(True, "round the required pace up to whole positions")
    tie_break: float = param(1e-6, "times the confidence, added to a gain when choosing")

    def __post_init__(self) -> None:
        if not isinstance(self.base, Decoder):
            raise AxonError(f"base must be a decoder such as decoders.Confidence(), got {self.base!r}")
        if self.budget != "cover":
            if isinstance(self.budget, str):
                raise AxonError(f"budget must be cover or a whole number of at least 1, got {self.budget!r}")
            checks.whole("budget", self.budget)
        checks.one_of("gate", self.gate, gate.GATES)
        checks.number("alpha", self.alpha, 0, 1)
        checks.number("beta_r", self.beta_r, 0)
        checks.number("beta_u", self.beta_u, 0)
        checks.whole("steps", self.steps)
        if self.uncertain != "residual":
            if isinstance(self.uncertain, str):
                raise AxonError(f"uncertain must be residual or a number between 0 and 1, got {self.uncertain!r}")
            checks.number("uncertain", self.uncertain, 0, 1)
        checks.layers("layers", self.layers)
        if self.sink is not None:
            checks.number("sink", self.sink, 0, 1)
        checks.flag("drop_self", self.drop_self)
        checks.one_of("objective", self.objective, coverage.OBJECTIVES)
        checks.number("redundancy", self.redundancy, 0)
        checks.one_of("commit", self.commit, ("replace", "union"))
        for name in ("anchor_steps", "candidates"):
            if getattr(self, name) is not None:
                checks.whole(name, getattr(self, name))
        checks.one_of("cap", self.cap, ("log2", None))
        checks.one_of("support", self.support, ("proposal", "visible"))
        checks.number("pool", self.pool, 0, 1)
        checks.one_of("select", self.select, ("coverage", "confidence", "random"))
        checks.one_of("rows", self.rows, ("masked", "uncertain"))
        checks.flag("whole_pace", self.whole_pace)
        checks.number("tie_break", self.tie_break, 0)

    @classmethod
    def paper(cls, base: Decoder, **changes: Any) -> "Axon":
        """The paper's Algorithm 1 as written; any parameter can be changed."""
        return cls(base, **(PAPER | changes))

    @classmethod
    def released(cls, base: Decoder, **changes: Any) -> "Axon":
        """The authors' released code, which is what `Axon(base)` means; any parameter can be changed."""
        return cls(base, **changes)

    @property
    def _attention(self) -> AttentionNeed:
        return AttentionNeed(self.layers, columns="block", sinks=self.sink is not None)

    @property
    def needs(self) -> Needs:
        return self.base.needs | Needs(attention=frozenset({self._attention}))

    def start(self) -> Memory:
        return Memory(self.base.start(), 1.0)

    def propose(self, signals: Signals, state: Sequence[Memory]) -> Proposal:
        frame = signals.frame
        offer = self.base.propose(signals, [memory.base for memory in state])
        proposed = offer.reveal & frame.masked
        confidence = signals.confidence
        uncertain = frame.masked & (~proposed if self.uncertain == "residual" else confidence < float(self.uncertain))
        attention = signals.attention[self._attention].weights.to(confidence.dtype)
        revealed = frame.inside & ~frame.masked
        read = gate.deficits(
            masked=frame.masked,
            proposed=proposed,
            support=proposed | revealed if self.support == "visible" else proposed,
            uncertain=uncertain,
            inside=frame.inside,
            confidence=confidence,
            attention=attention,
            rho=gate.required_pace(frame.masked, frame.step, self.steps, self.whole_pace, confidence.dtype),
            previous_r=self._previous_pace(signals, state),
            beta_r=self.beta_r,
            beta_u=self.beta_u,
        )
        open_ = gate.is_open(self.gate, self.alpha, read, uncertain)
        if self.anchor_steps is not None:
            open_ &= frame.step < self.anchor_steps
        anchors = torch.zeros_like(proposed)
        if bool(open_.any()):
            anchors = self._anchors(signals, attention, proposed, uncertain) & open_[:, None]
        swapped = anchors.any(dim=1, keepdim=True)
        kept = proposed if self.commit == "union" else proposed & ~swapped
        bases = offer.state if offer.state is not None else [memory.base for memory in state]
        paces = read.r.tolist()
        return Proposal(
            kept | anchors,
            state=[Memory(*pair) for pair in zip(bases, paces, strict=True)],
            wait=None if offer.wait is None else offer.wait & ~swapped[:, 0],
            gate=_readings(signals, read, open_, proposed, anchors, attention),
        )

    def _previous_pace(self, signals: Signals, state: Sequence[Memory]) -> Tensor:
        """(B,) the base's pace one step earlier; 1 at a block's first step, where nothing says it rises."""
        before = signals.confidence.new_tensor([memory.pace for memory in state])
        return torch.where(signals.step == 0, torch.ones_like(before), before)

    def _anchors(self, signals: Signals, attention: Tensor, proposed: Tensor, uncertain: Tensor) -> Tensor:
        """(B, W) the anchors of each row, as if its gate were open."""
        masked, confidence = signals.masked, signals.confidence
        candidates = masked & (confidence >= self.pool)
        if self.candidates is not None:
            candidates = top(confidence, candidates, torch.full_like(signals.step, self.candidates))
        if self.commit == "union":
            candidates = candidates & ~proposed
        rows = masked if self.rows == "masked" else uncertain
        weight = coverage.support_weights(self._cleaned(signals, attention), confidence, rows)
        limit, target = masked.sum(dim=1), None
        if self.budget != "cover":
            limit = torch.full_like(limit, self.budget)
        else:
            # The mark to reach is the base proposal's coverage of the uncertain, attention as it is.
            goal = coverage.support_weights(attention, confidence, uncertain)
            target = coverage.value(goal, proposed, self.objective)
            if self.cap == "log2":
                limit = torch.ceil(torch.log2(limit + 1.0)).long()
        ranking = None
        if self.select != "coverage":
            ranking = confidence if self.select == "confidence" else _shuffled(signals)
        return coverage.greedy(
            weight,
            candidates,
            limit=limit,
            target=target,
            objective=self.objective,
            redundancy=self.redundancy,
            ranking=ranking,
            tie_break=self.tie_break * confidence if self.tie_break and ranking is None else None,
        )

    def _cleaned(self, signals: Signals, attention: Tensor) -> Tensor:
        """Attention without sink columns and without the diagonal, where asked."""
        if self.sink is not None:
            sinks = signals.attention[self._attention].sinks
            assert sinks is not None
            attention = attention * (sinks <= self.sink)[:, None]
        if self.drop_self:
            attention = attention * ~torch.eye(attention.shape[1], dtype=torch.bool, device=attention.device)
        return attention

    def __str__(self) -> str:
        values = ",".join(f"{name}={getattr(self, name)}" for name in parameters(type(self)))
        return f"{self.base}+axon({values})"


def _shuffled(signals: Signals) -> Tensor:
    """(B, W) a random order per row that depends on that row's canvas alone, so company changes nothing."""
    scores = []
    lengths = signals.frame.lengths.tolist()
    for tokens, length in zip(signals.frame.tokens.cpu().numpy(), lengths, strict=True):
        source = torch.Generator().manual_seed(zlib.crc32(tokens[:length].tobytes()))
        # Drawn one by one along the block, so the padding of the batch does not shift them.
        scores.append(torch.rand(signals.masked.shape[1], generator=source, dtype=torch.float64))
    return torch.stack(scores).to(signals.confidence)


def _readings(
    signals: Signals, read: gate.Deficits, open_: Tensor, proposed: Tensor, anchors: Tensor, attention: Tensor
) -> list[GateReading]:
    """The gate's reading of each row, positions made absolute."""
    frame = signals.frame
    average = (attention * frame.inside[:, None]).sum(dim=2) / frame.width[:, None]
    drawn = ((attention > average[:, :, None]) & anchors[:, None]).any(dim=2)
    supported = drawn & frame.masked & ~proposed & ~anchors
    numbers = torch.stack([read.r, read.rho, read.u, read.g, read.d_pace, read.d_ctx], dim=1).tolist()
    starts, opens = frame.start.tolist(), open_.tolist()

    def places(part: Tensor) -> list[tuple[int, ...]]:
        members = part.cpu().numpy()
        return [tuple((row.nonzero()[0] + start).tolist()) for row, start in zip(members, starts, strict=True)]

    rows = zip(numbers, opens, places(proposed), places(anchors), places(supported), strict=True)
    return [
        GateReading(r, rho, u, g, d_pace, d_ctx, is_open, base, chosen, helped)
        for (r, rho, u, g, d_pace, d_ctx), is_open, base, chosen, helped in rows
    ]


register_wrapper("axon", Axon, {})
register_wrapper("axon.paper", Axon, PAPER)
register_wrapper("axon.released", Axon, {})
