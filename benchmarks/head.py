"""(c) From hidden states to token and confidence: ours, and as the public LLaDA scripts do it."""

from statistics import median

import torch
from torch import Tensor
from torch.nn.functional import softmax

from axon.models.head import signals_from
from axon.signals import Needs
from benchmarks.allocations import allocations
from benchmarks.figures import Figure, Target, times
from benchmarks.subjects import Subjects
from benchmarks.timing import ratio, take_turns

TITLE = "head and softmax"


@torch.inference_mode()
def run(subjects: Subjects) -> list[Figure]:
    model, frame = subjects.large, subjects.frame
    hidden = model.network.model(input_ids=frame.tokens, use_cache=False).last_hidden_state

    def ours() -> object:
        return signals_from(
            frame, Needs(), None, lambda rows, places: hidden[rows, places], model.network.lm_head, model.mask_id
        )

    def scripts() -> tuple[Tensor, Tensor]:
        """generate.py of the LLaDA release at temperature 0, low-confidence remasking."""
        logits = model.network.lm_head(hidden)
        token = logits.argmax(dim=-1)
        probability = softmax(logits.to(torch.float64), dim=-1)
        return token, probability.gather(-1, token.unsqueeze(-1)).squeeze(-1)

    # All positions of the block are masked here, which is our most expensive evaluation of it.
    seconds = take_turns({"ours": ours, "scripts": scripts}, subjects.shape.head_rounds)
    largest = allocations(lambda: model.evaluate(frame, Needs())).largest
    whole = frame.tokens.shape[1] * model.vocab_size * hidden.element_size()
    return [
        times(
            "faster than a full fp64 softmax",
            ratio(seconds["scripts"], seconds["ours"]),
            4.0,
            rounds=subjects.shape.head_rounds,
            median_seconds_ours=median(seconds["ours"]),
            median_seconds_scripts=median(seconds["scripts"]),
        ),
        Figure(
            "largest tensor / (canvas × vocab)",
            largest / whole,
            "×",
            Target(1.0, "below"),
            details={"largest_bytes": largest, "canvas_times_vocabulary_bytes": whole},
        ),
    ]
