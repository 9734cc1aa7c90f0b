"""What is counted, defined once: tokens, evaluations, gate openings, time."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import takewhile
from typing import Any, TypeVar

import torch

from axon.generate import Generation

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Counts:
    """What one answer took.

    tokens  written before the first EOS, which does not count
    nfe     evaluations of the model for this answer; `nfe_full` of the whole row, `nfe_cached` of a part of it
    blocks  blocks that were begun
    gates   evaluations at which AXON's gate was open
    """

    tokens: int
    nfe: int
    nfe_full: int
    nfe_cached: int
    blocks: int
    gates: int

    def as_dict(self) -> dict[str, int]:
        """Plain values, for files."""
        return asdict(self)


def count(result: Generation) -> Counts:
    """The counts of one answer."""
    return Counts(
        # Also where decoding was told to go on behind the EOS.
        tokens=sum(1 for _ in takewhile(lambda token: token not in result.model.eos_ids, result.tokens)),
        nfe=result.nfe,
        nfe_full=result.nfe_full,
        nfe_cached=result.nfe_cached,
        blocks=len({step.block for step in result.steps}),
        gates=sum(bool(step.gate and step.gate.open) for step in result.steps),
    )


def timed(work: Callable[[], T], device: Any) -> tuple[T, float]:
    """A result and the wall seconds it took, with an accelerator's queue empty before and after."""
    _settle(device)
    started = time.perf_counter()
    result = work()
    _settle(device)
    return result, time.perf_counter() - started


def _settle(device: Any) -> None:
    place = torch.device(device)
    if place.type != "cpu":
        torch.accelerator.synchronize(place)
