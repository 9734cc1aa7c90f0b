"""The decoder contract: from the signals of one evaluation, propose which masked positions to reveal.

A decoder is a frozen dataclass that holds only its own parameters and checks them. It never writes the
canvas, never calls the model and never sees a tokenizer. It works on all rows of a batch at once, and no
row may influence another.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import torch
from torch import Tensor

from axon.signals import Needs, Signals


@dataclass(frozen=True, slots=True)
class GateReading:
    """What AXON's gate saw at one step of one row; positions are absolute.

    r pace of the base, rho required pace, u mean uncertainty, g support the base proposal would give,
    d_pace and d_ctx the two deficits. proposed: the base's positions; anchors: what was chosen instead or
    in addition (empty while the gate is closed); supported: masked positions outside the base proposal
    that attend to an anchor more than to the block's average position.
    """

    r: float
    rho: float
    u: float
    g: float
    d_pace: float
    d_ctx: float
    open: bool
    proposed: tuple[int, ...]
    anchors: tuple[int, ...] = ()
    supported: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a decoder answers.

    reveal  (B, W) bool, positions of the block to reveal now
    state   the rows' next states; None leaves them as they are
    wait    (B,) bool: an empty proposal is meant (a schedule that reveals nothing yet); None: never
    gate    one reading per row from a decoder that has a gate
    """

    reveal: Tensor
    state: Sequence[Any] | None = None
    wait: Tensor | None = None
    gate: Sequence[GateReading] | None = None


def param(default: Any, help: str) -> Any:
    """A parameter of a decoder with its one-line description, for `axon decoders` and the docs."""
    return field(default=default, metadata={"help": help})


class Decoder(ABC):
    """Base of all decoders; a subclass needs `propose`, and `needs` and `start` only if it uses them."""

    __slots__ = ()

    @property
    def needs(self) -> Needs:
        """What to ask of every evaluation beside token and confidence."""
        return Needs()

    def start(self) -> Any:
        """The state of a row before its first evaluation."""
        return None

    @abstractmethod
    def propose(self, signals: Signals, state: Sequence[Any]) -> Proposal:
        """Choose positions for B rows, given their states."""

    @classmethod
    def spec_name(cls) -> str:
        """The name in a decoder text."""
        return cls.__name__.lower()

    def __str__(self) -> str:
        """The text that `axon.decoder` turns back into this decoder, every parameter written out."""
        values = ",".join(f"{f.name}={getattr(self, f.name)}" for f in fields(self))  # type: ignore[arg-type]
        return f"{self.spec_name()}({values})"


def top(score: Tensor, allowed: Tensor, count: Tensor) -> Tensor:
    """The `count` (B,) highest-scoring allowed positions of each row, (B, W); ties go to the lowest position."""
    order = score.masked_fill(~allowed, -torch.inf).argsort(dim=1, descending=True, stable=True)
    ranks = torch.arange(score.shape[1], device=score.device).expand_as(order)
    rank = torch.empty_like(order).scatter_(1, order, ranks)
    return allowed & (rank < count[:, None])


def best(score: Tensor, allowed: Tensor) -> Tensor:
    """The single highest-scoring allowed position of each row, (B, W); ties go to the lowest position."""
    pick = score.masked_fill(~allowed, -torch.inf).argmax(dim=1, keepdim=True)
    return torch.zeros_like(allowed).scatter_(1, pick, True) & allowed
