"""What it takes to run the paper's table: disk, memory and time, each computed from published sizes and figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from axon.evaluation.paper import BLOCK, LENGTH, Backbone, Part, published

# Checkpoints are published in bfloat16.
STORED = 2
# The longest row LLaDA takes; prompts of these tasks with their answers are shorter.
LONGEST = 4096


@dataclass(frozen=True, slots=True)
class Cost:
    """Of what is left to do with one model: bytes on disk and in memory, and at most so many seconds."""

    model: str
    disk: int
    memory: int
    seconds: float


def cost(model: Backbone, parts: Sequence[tuple[Part, Mapping[str, int]]], width: int) -> Cost:
    """The cost of a model's parts, each with the number of problems left by row; `width` bytes hold a weight."""
    size = model.shape.parameters
    seconds = sum(count * seconds_per_answer(part, row) for part, left in parts for row, count in left.items())
    return Cost(model.name, size * STORED, size * width + _working(model, width), seconds)


def seconds_per_answer(part: Part, row: str) -> float:
    """No more than the paper's machine took: an answer has at most 256 tokens, and so many come in a second.

    A row without figures (Dream with AXON on HumanEval, any row of a sweep) is taken to be as fast as its base.
    """
    figures = published(part.model.name, part.task)
    known = figures.get(row) or figures["dawn" if part.sweep else row.partition("+")[0]]
    assert known is not None
    return LENGTH / known.tps


def _working(model: Backbone, width: int) -> int:
    """Bytes of one evaluation of one row: the feed-forward part's largest tensors, and the block's probabilities."""
    # Gate, up, their product and what is written over; then logits in fp32 and probabilities in fp64.
    return 4 * LONGEST * model.shape.inner * width + BLOCK * model.shape.vocabulary * (4 + 8)
