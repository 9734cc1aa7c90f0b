"""How large the measured model is and how often each thing is timed, in full and in quick runs."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Shape:
    """A LLaDA-shaped model, its canvas, and the number of rounds behind every median."""

    width: int
    heads: int
    feed_forward: int
    vocabulary: int
    layers: int
    canvas: int
    block: int
    # (a) rounds of whole steps, of evaluations, and of steps seen from inside.
    step_rounds: int
    capture_rounds: int
    own_rounds: int
    # (b) steps replayed, on the tiny model too; (c) rounds.
    overhead_rounds: int
    tiny_overhead_rounds: int
    head_rounds: int
    # (d) evaluations timed of a block.
    cache_rounds: int
    # (e) prompts, rounds and new tokens per prompt.
    prompts: int
    throughput_rounds: int
    new_tokens: int

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for the result file."""
        return asdict(self)


# Half of LLaDA-8B's width and an eighth of its depth, its whole vocabulary: an evaluation takes seconds on a
# laptop, so that 2 % of one is well above the clock.
FULL = Shape(
    width=2048,
    heads=16,
    feed_forward=6144,
    vocabulary=126464,
    layers=4,
    canvas=512,
    block=32,
    step_rounds=40,
    capture_rounds=40,
    own_rounds=8,
    overhead_rounds=20,
    tiny_overhead_rounds=128,
    head_rounds=7,
    cache_rounds=16,
    prompts=16,
    throughput_rounds=3,
    new_tokens=64,
)

# Shows that everything runs; its ratios say nothing about the targets, so they are not judged.
QUICK = Shape(
    width=64,
    heads=4,
    feed_forward=128,
    vocabulary=2048,
    layers=2,
    canvas=64,
    block=8,
    step_rounds=8,
    capture_rounds=4,
    own_rounds=4,
    overhead_rounds=8,
    tiny_overhead_rounds=8,
    head_rounds=3,
    cache_rounds=8,
    prompts=16,
    throughput_rounds=1,
    new_tokens=8,
)
