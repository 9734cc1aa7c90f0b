"""(e) Tokens per second when the same prompts are decoded 1, 4 or 16 at a time."""

from statistics import median

import torch

from axon import Settings, generate
from axon.decoders import Confidence
from benchmarks.figures import Figure, times
from benchmarks.subjects import Subjects
from benchmarks.timing import ratio, take_turns

TITLE = "throughput, tiny golden model"
_SIZES = (1, 4, 16)


def run(subjects: Subjects) -> list[Figure]:
    shape, model = subjects.shape, subjects.tiny
    source = torch.Generator().manual_seed(0)
    lengths = torch.randint(9, 25, (shape.prompts,), generator=source).tolist()
    # 126 ends a text and 127 is the mask.
    prompts = [torch.randint(126, (length,), generator=source).tolist() for length in lengths]

    def decode(size: int) -> None:
        new, block = shape.new_tokens, min(32, shape.new_tokens)
        settings = Settings(max_new_tokens=new, block_length=block, stop_at_eos=False, batch_size=size)
        generate(model, prompts, Confidence(0.9), settings)

    sides = {str(size): lambda size=size: decode(size) for size in _SIZES}
    seconds = take_turns(sides, shape.throughput_rounds)
    tokens = shape.prompts * shape.new_tokens
    rates = [
        Figure(f"batch {size}", tokens / median(seconds[str(size)]), "tokens/s", details={"tokens": tokens})
        for size in _SIZES
    ]
    alone = seconds["1"]
    return [
        *rates,
        times("batch 4 over batch 1", ratio(alone, seconds["4"]), None, rounds=shape.throughput_rounds),
        times("batch 16 over batch 1", ratio(alone, seconds["16"]), 2.5, rounds=shape.throughput_rounds),
    ]
