"""The weights a run starts from.

Most of what a small masked model writes it copies: what is missing between two words of an answer stands between the
same two words of the prompt. From weights drawn at random it takes millions of tokens to find that out. So the first
layer's heads start out looking at the neighbours of a position, and the second layer's at positions with the same
neighbours, whose token they hand on. Arithmetic is as slow to find: so numbers start as points on circles, and part of
the first feed-forward layer as the products that turn one operand's points by another's. And a word is two tokens, with
and without a space before it, which start alike, so that a name once written can be repeated in its other form.
Everything stays free to change.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

# Embeddings wide enough not to drown in the residual stream; logits of a tied head small enough to start with.
_EMBEDDING_SPREAD = 0.5
_MATRIX_SPREAD = 0.7
_LAST_NORM = 0.2
# The first layers' words come from the embeddings, so the feed-forward part starts quietly.
_QUIET = 0.4
# How alike a word with a space before it and the same without start out.
_TWINS = 0.8
# What all embeddings have in common, as a part of their own size: heads that look by position alone see only this.
_COMMON = 0.7
# Where the first layer's heads look, how many of a head's frequencies tell positions apart, how sharply, how loudly.
# From the result of 12+5=17 its operands and sign are at -4, -2 and -3.
_NEIGHBOURS = (-1, 1, -2, 2, -4, -3)
_LEFT, _RIGHT = -4, -2
_FREQUENCIES, _SHARPNESS, _LOUDNESS = 4, 5.0, 1.5
# The neighbours that the second layer's heads compare; in what turns slowly with distance, and how sharply.
_COMPARED = ((0,), (1,), (0, 2), (1, 3))
_SLOW, _LIKENESS = 0.02, 1.5
# How often a number goes round each circle for every one it counts, and how fast its logarithm turns; how much of a
# number's embedding that is.
_CIRCLES = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.13, 0.2, 0.29, 0.3, 0.37, 0.4, 0.43, 0.5)
_SPIRALS = (2.0, 5.0, 11.0, 23.0)
_COUNTED = 0.9
# How strongly products read their factors.
_FACTOR = 0.5
# How much of the drawn weights stays beneath.
_REST = 0.1


def draw(network: Any, theta: float, seed: int, numbers: dict[int, int], twins: Sequence[tuple[int, int]] = ()) -> None:
    """Fill a network of LLaDA's architecture whose head is tied to its embeddings.

    `numbers` maps tokens to values; `twins` are pairs of tokens for the same word.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if weight.dim() == 1:
                weight.fill_(_LAST_NORM if name == "model.norm.weight" else 1.0)
                continue
            spread = _EMBEDDING_SPREAD if "embed" in name else _MATRIX_SPREAD / weight.shape[1] ** 0.5
            weight.copy_(torch.randn(weight.shape, generator=generator) * spread)
        _pair(network.model.embed_tokens.weight, twins)
        directions = _count(network.model.embed_tokens.weight, numbers, generator)
        for layer in network.model.layers:
            part = layer.self_attn
            # Heads look for what is like them and hand it on.
            part.k_proj.weight.lerp_(part.q_proj.weight, 0.5).mul_(2**0.5)
            part.o_proj.weight.copy_(part.v_proj.weight.T)
            layer.mlp.down_proj.weight.mul_(_QUIET)
        _look_around(network, theta, generator)
        if directions is not None:
            _multiply(network, directions)
        if len(network.model.layers) > 1:
            _compare(network, theta, generator)


def _pair(embeddings: Tensor, twins: Sequence[tuple[int, int]]) -> None:
    """Twins start alike, and as wide as other words."""
    if twins:
        one, other = torch.tensor(list(zip(*twins, strict=True)), device=embeddings.device)
        embeddings[other] = _TWINS * embeddings[one] + (1 - _TWINS**2) ** 0.5 * embeddings[other]


def _count(embeddings: Tensor, numbers: dict[int, int], generator: torch.Generator) -> Tensor | None:
    """Numbers start as points on circles, so that adding them is turning; returns (cosine and sine, circle, width)."""
    if not numbers:
        return None
    width = embeddings.shape[1]
    tokens = torch.tensor(list(numbers), device=embeddings.device)
    values = torch.tensor([float(value) for value in numbers.values()])
    circles = 2 * math.pi * torch.outer(values, torch.tensor(_CIRCLES))
    spirals = torch.outer(values.log1p(), torch.tensor(_SPIRALS))
    angles = torch.cat([circles, spirals], 1)
    points = torch.cat([angles.cos(), angles.sin()], 1)[:, :width]
    basis, _ = torch.linalg.qr(torch.randn(width, points.shape[1], generator=generator))
    points = points @ basis.T
    points *= _EMBEDDING_SPREAD * width**0.5 / points.norm(dim=1, keepdim=True)
    embeddings[tokens] = _COUNTED * points.to(embeddings.device) + (1 - _COUNTED**2) ** 0.5 * embeddings[tokens]
    # A narrow network has no room for all of them.
    return basis.T.reshape(2, -1, width) if basis.shape[1] == 2 * angles.shape[1] else None


def _look_around(network: Any, theta: float, generator: torch.Generator) -> None:
    """The first layer: heads that attend to a fixed distance, and write what they find apart from each other."""
    embeddings, part = network.model.embed_tokens.weight, network.model.layers[0].self_attn
    width, (heads, size) = embeddings.shape[1], _heads(network)
    common = torch.randn(width, generator=generator).to(embeddings.device)
    common /= common.norm()
    embeddings -= (embeddings @ common)[:, None] * common
    embeddings += common * _COMMON * _EMBEDDING_SPREAD * width**0.5
    # The share of `common` in an embedding once it is normed.
    seen = width**0.5 * _COMMON / math.hypot(1, _COMMON)
    turns = _turns(theta, size).to(embeddings.device)
    wanted = (torch.arange(size // 2) < _FREQUENCIES).float().to(embeddings.device)
    scale = math.sqrt(_SHARPNESS * math.sqrt(size)) / seen
    for number, offset in enumerate(_offsets(heads)):
        rows = slice(number * size, (number + 1) * size)
        # Rotation turns queries and keys by their positions; turned by `offset` more, a query fits the key there.
        query = torch.cat([wanted * torch.cos(offset * turns), wanted * torch.sin(offset * turns)])
        key = torch.cat([wanted, torch.zeros_like(wanted)])
        for weight, pattern in ((part.q_proj.weight, query), (part.k_proj.weight, key)):
            weight[rows] = scale * pattern[:, None] * common + _REST * weight[rows]
    basis, _ = torch.linalg.qr(torch.randn(width, width, generator=generator))
    part.o_proj.weight.copy_(basis)
    value = (torch.randn(width, width, generator=generator) * _LOUDNESS / width**0.5).to(embeddings.device)
    part.v_proj.weight.copy_(value - (value @ common)[:, None] * common)


def _multiply(network: Any, directions: Tensor) -> None:
    """The first feed-forward layer: products of where an equation's operands stand on each circle.

    The cosine of a sum or difference is two such products, added or subtracted; so is its sine. A gate g lets u through
    as silu(g) u, and silu(g) - silu(-g) = g, so two units with opposite gates make one product.
    """
    layer, (heads, size) = network.model.layers[0], _heads(network)
    offsets = _offsets(heads)
    if not {_LEFT, _RIGHT} <= set(offsets):
        return
    part, gates, values, outs = (
        layer.self_attn, layer.mlp.gate_proj.weight, layer.mlp.up_proj.weight, layer.mlp.down_proj.weight
    )  # fmt: skip
    known = directions[:, : size // 2].flatten(0, 1)
    written = []
    for offset in (_LEFT, _RIGHT):
        rows = slice(offsets.index(offset) * size, offsets.index(offset) * size + len(known))
        part.v_proj.weight[rows] = _LOUDNESS * known.to(gates.device)
        written.append(part.o_proj.weight[:, rows].T.unflatten(0, (2, -1)))
    left, right = written
    # Half of the units stay free.
    circles = min(len(_CIRCLES), left.shape[1], len(gates) // 16)
    pairs = itertools.product(range(2), range(2), range(circles))
    for number, (one, other, circle) in enumerate(pairs):
        unit = 2 * number
        gates[unit], values[unit] = _FACTOR * left[one, circle], _FACTOR * right[other, circle]
        gates[unit + 1], values[unit + 1] = -gates[unit], values[unit]
        outs[:, unit + 1] = -outs[:, unit]


def _compare(network: Any, theta: float, generator: torch.Generator) -> None:
    """The second layer: heads that attend to positions with the same neighbours, as the first layer wrote them."""
    written = network.model.layers[0].self_attn.o_proj.weight
    part = network.model.layers[1].self_attn
    heads, size = _heads(network)
    slow = (_turns(theta, size) < _SLOW).nonzero().flatten()
    usable = torch.cat([slow, slow + size // 2])
    known = len(_offsets(heads))
    for number, compared in enumerate(one for one in _COMPARED if max(one) < known):
        reading = torch.zeros(size, written.shape[0])
        share = len(usable) // len(compared)
        for turn, head in enumerate(compared):
            chosen = usable[turn * share : (turn + 1) * share]
            mixing, _ = torch.linalg.qr(torch.randn(size, size, generator=generator))
            reading[chosen] = mixing[: len(chosen)] @ written[:, head * size : (head + 1) * size].T.cpu()
        if not reading.any():  # a head too small to have a slow frequency
            return
        reading *= _LIKENESS * size**0.5 / reading.norm()
        rows = slice(number * size, (number + 1) * size)
        for weight in (part.q_proj.weight, part.k_proj.weight):
            weight[rows] = reading.to(weight.device) + _REST * weight[rows]


def _heads(network: Any) -> tuple[int, int]:
    """How many heads there are and how wide each is."""
    heads = network.config.num_attention_heads
    return heads, network.config.hidden_size // heads


def _offsets(heads: int) -> tuple[int, ...]:
    """Where heads look."""
    return _NEIGHBOURS[:heads]


def _turns(theta: float, size: int) -> Tensor:
    """The angle by which each pair of a head's numbers turns from one position to the next."""
    return theta ** (-torch.arange(size // 2) / (size // 2))
