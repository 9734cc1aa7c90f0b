"""What is measured: a LLaDA-shaped model with random weights, and the tiny golden model."""

from functools import cached_property
from pathlib import Path

import torch

import axon
from axon import Canvas
from axon.models import Model, llada
from axon.models.network import empty, ready
from axon.models.text import Text
from axon.models.transformer import TransformerModel
from axon.signals import Frame, Needs
from benchmarks.shapes import Shape

_GOLDEN = Path(__file__).parent.parent / "tests" / "golden" / "llada"


class Subjects:
    """The two models, each made when first asked for and then shared, and rows for the large one."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    @cached_property
    def large(self) -> TransformerModel:
        model = _random_model(self.shape)
        # The first evaluation faults pages in; no side should pay for that.
        model.evaluate(self.frame, Needs())
        return model

    @cached_property
    def tiny(self) -> Model:
        return axon.load(_GOLDEN, device="cpu")

    def canvas(self, length: int) -> Canvas:
        """A prompt of half the length, the rest free: a cache can freeze something on both sides of the block."""
        source = torch.Generator().manual_seed(0)
        tokens = torch.randint(_mask_id(self.shape), (length // 2,), generator=source)
        return Canvas.from_prompt(tokens.tolist(), length - len(tokens), _mask_id(self.shape))

    @cached_property
    def frame(self) -> Frame:
        """The first evaluation of that canvas, as the engine would put it."""
        canvas, block = self.canvas(self.shape.canvas), self.shape.block
        start, length = canvas.holes[0][0], len(canvas)

        def one(number: int) -> torch.Tensor:
            return torch.tensor([number])

        return Frame(
            tokens=torch.tensor([canvas.tokens]),
            lengths=one(length),
            start=one(start),
            width=one(block),
            masked=torch.ones(1, block, dtype=torch.bool),
            row_masked=torch.tensor([canvas.free]),
            step=one(0),
            block=one(0),
            blocks=one(len(canvas.blocks(block))),
            opened=one(block),
            positions=torch.arange(start, start + block)[None],
            inside=torch.ones(1, block, dtype=torch.bool),
            valid=torch.ones(1, length, dtype=torch.bool),
        )


def _mask_id(shape: Shape) -> int:
    return shape.vocabulary - 1


def _random_model(shape: Shape) -> TransformerModel:
    config = {
        "d_model": shape.width,
        "n_heads": shape.heads,
        "n_layers": shape.layers,
        "mlp_hidden_size": shape.feed_forward,
        "embedding_size": shape.vocabulary,
        "max_sequence_length": 4096,
        "rms_norm_eps": 1e-5,
        "rope_theta": 500000.0,
    }
    network = empty(llada, config).to_empty(device="cpu").requires_grad_(False)
    source = torch.Generator().manual_seed(0)
    for weight in network.parameters():
        if weight.dim() == 1:
            weight.fill_(1.0)
        else:
            weight.normal_(0.0, 0.02, generator=source)
    return TransformerModel(
        network=ready(network, torch.device("cpu")),
        name="random LLaDA-shaped",
        family="llada",
        mask_id=_mask_id(shape),
        eos_ids=frozenset(),
        shift=llada.SHIFT,
        text=Text(None, "random LLaDA-shaped"),
    )
