"""A traced row step by step: what each reveal was, and what the gate did.

A token is revealed *because of an anchor* when it comes at a later step of the same block, was not in the base
proposal at the firing step, and paid an anchor more attention there than the block's positions on average.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from axon.decoders.texts import anchor_steps
from axon.engine import Step
from axon.trace import Trace


class Kind(StrEnum):
    """What a revealed token is."""

    NEW = "new"
    ANCHOR = "anchor"
    HELPED = "helped"


class Gate(StrEnum):
    """What the gate did at an evaluation."""

    OPEN = "open"
    CLOSED = "closed"
    UNREAD = "not read"


@dataclass(frozen=True)
class Row:
    """One row of a trace: its steps in order, with the kind of every reveal and the state of the gate."""

    trace: Trace
    number: int

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return tuple(step for step in self.trace.steps if step.row == self.number)

    @cached_property
    def kinds(self) -> tuple[tuple[Kind, ...], ...]:
        """Per step, the kind of each of its positions."""
        found: list[tuple[Kind, ...]] = []
        block, supported = -1, set[int]()
        for step in self.steps:
            if step.block != block:
                block, supported = step.block, set()
            anchors = step.gate.anchors if step.gate else ()
            found.append(
                tuple(
                    Kind.ANCHOR if place in anchors else Kind.HELPED if place in supported else Kind.NEW
                    for place in step.positions
                )
            )
            if step.gate and step.gate.open:
                supported |= set(step.gate.supported)
        return tuple(found)

    @cached_property
    def gates(self) -> tuple[Gate, ...]:
        """Per step, the state of the gate."""
        limit = anchor_steps(str(self.trace.header["decoder"]))
        return tuple(_gate(step, limit) for step in self.steps)

    def helped(self, block: int) -> int:
        """How many tokens of a block were revealed because of an anchor."""
        return sum(
            kinds.count(Kind.HELPED) for step, kinds in zip(self.steps, self.kinds, strict=True) if step.block == block
        )

    def piece(self, token: int) -> str:
        """A token's text; its number where the model came without a tokenizer."""
        return self.trace.pieces.get(token, f" {token}")


def _gate(step: Step, limit: int | None) -> Gate:
    if step.gate is None or (limit is not None and step.step_in_block >= limit):
        return Gate.UNREAD
    return Gate.OPEN if step.gate.open else Gate.CLOSED


def rows(trace: Trace) -> list[Row]:
    """Every row of a trace that took a step."""
    begun = {step.row for step in trace.steps}
    return [Row(trace, number) for number in range(len(trace.canvases)) if number in begun]


def has_gate(trace: Trace) -> bool:
    """Whether the decoder of a trace has a gate at all."""
    return any(step.gate is not None for step in trace.steps)


def blocks(row: Row) -> Sequence[int]:
    """The blocks a row began, in order."""
    return list(dict.fromkeys(step.block for step in row.steps))
