"""(b) A decode over nothing but the model's forward passes for the same evaluations."""

from collections.abc import Callable
from statistics import median
from typing import Any

import torch

from axon import Canvas, Engine, Settings, Step
from axon.decoders import Sequential
from axon.trace import replay
from benchmarks.figures import Figure, added
from benchmarks.subjects import Subjects
from benchmarks.timing import ratio, take_turns

TITLE = "engine overhead"


def run(subjects: Subjects) -> list[Figure]:
    shape = subjects.shape
    large = subjects.canvas(shape.canvas)
    prompt = torch.randint(126, (16,), generator=torch.Generator().manual_seed(0)).tolist()
    tiny = Canvas.from_prompt(prompt, shape.tiny_overhead_rounds, subjects.tiny.mask_id)
    return [
        _overhead("LLaDA-shaped", subjects.large, large, shape.block, shape.overhead_rounds, 5.0),
        _overhead("tiny golden", subjects.tiny, tiny, 32, shape.tiny_overhead_rounds, None),
    ]


def _overhead(name: str, model: Any, canvas: Canvas, block: int, rounds: int, most: float | None) -> Figure:
    # One token per evaluation, so there are as many evaluations as rounds.
    engine = Engine(model, Sequential())
    engine.join(0, canvas, Settings(max_new_tokens=block, block_length=block, stop_at_eos=False))
    taken: list[Step] = []
    forward: list[Callable[[], object]] = []

    def prepare() -> None:
        forward[:] = [_forward(model, canvas, taken, block)]

    sides = {"engine": lambda: taken.extend(engine.step()), "bare": lambda: forward[0]()}
    seconds = take_turns(sides, rounds, before=prepare)
    return added(
        f"{name}, decode over forwards",
        ratio(seconds["engine"], seconds["bare"]),
        most,
        rounds=rounds,
        median_seconds_engine=median(seconds["engine"]),
        median_seconds_bare=median(seconds["bare"]),
    )


def _forward(model: Any, canvas: Canvas, taken: list[Step], block: int) -> Callable[[], object]:
    """The bare forward of the next evaluation: hidden states, and logits of the block's masked positions."""
    tokens = torch.tensor([replay(canvas, taken)])
    masked = (tokens[0] == model.mask_id).nonzero()[:, 0]
    blocks = canvas.blocks(block)
    end = next(end for start, end in blocks if start <= int(masked[0]) < end)
    places = masked[masked < end]

    @torch.inference_mode()
    def run() -> object:
        hidden = model.network.model(input_ids=tokens, use_cache=False).last_hidden_state
        return model.network.lm_head(hidden[0, places])

    return run
