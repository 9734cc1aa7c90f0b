"""A trained model's weights in a network that is wider or deeper, or has other words.

Grown in width and depth a network computes at first what the smaller one did: what is new reads and is not read. New
states are zero until something writes into them, new heads, units and layers write nothing until they learn to.
"""

from typing import Any

import torch
from torch import Tensor

from axon.errors import AxonError
from axon.models.load import load
from axon.training.tokenizer import SPACE

_LAYERS = "model.layers."
_WORDS = ("model.embed_tokens.weight", "lm_head.weight")
# What writes into the states.
_WRITERS = (*_WORDS, "o_proj.weight", "down_proj.weight")


def fill(network: Any, folder: str, tokenizer: Any) -> None:
    """The weights of a model folder instead of fresh ones."""
    found: Any = load(folder, device="cpu", dtype="float32")
    weights = found.network.state_dict() if hasattr(found, "network") else {}
    if not weights:
        raise _unfit(folder)
    if (before := _head_size(found.network)) != (now := _head_size(network)):
        raise AxonError(f"{folder} has heads of width {before}, the recipe of {now}; give width and heads to match")
    words = network.model.embed_tokens.weight
    if found.text.tokenizer.get_vocab() != tokenizer.get_vocab():
        known = weights[_WORDS[0]]
        fresh = words.detach().cpu()[:, : known.shape[1]]
        if fresh.shape[1] < known.shape[1]:
            raise _unfit(folder)
        weights |= dict.fromkeys(_WORDS, _carried(fresh, known, tokenizer, found.text.tokenizer))
    try:
        network.load_state_dict(_widened(network, _deepened(network, weights)))
    except RuntimeError:
        raise _unfit(folder) from None


def _unfit(folder: str) -> AxonError:
    return AxonError(f"{folder} is no model of the recipe's sizes or smaller; give those it was trained with")


def _head_size(network: Any) -> int:
    return int(network.config.hidden_size // network.config.num_attention_heads)


def _deepened(network: Any, weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """The layers spread over those of the network; between them are fresh ones that write nothing."""
    numbers = {name: int(name.split(".")[2]) for name in weights if name.startswith(_LAYERS)}
    before, now = max(numbers.values()) + 1, len(network.model.layers)
    if before >= now:
        return weights
    # The first stays first and the last stays last.
    places = [round(number * (now - 1) / max(1, before - 1)) for number in range(before)]
    grown = {name: value for name, value in network.state_dict().items() if name.startswith(_LAYERS)}
    for name, value in grown.items():
        if name.endswith(_WRITERS):
            grown[name] = torch.zeros_like(value)
    for name, number in numbers.items():
        grown[name.replace(f"{_LAYERS}{number}.", f"{_LAYERS}{places[number]}.")] = weights[name]
    return {name: value for name, value in weights.items() if name not in numbers} | grown


def _widened(network: Any, weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Each weight in the first rows and columns of the network's own."""
    fresh = network.state_dict()
    width, before = network.config.hidden_size, weights[_WORDS[0]].shape[1]
    grown = {}
    for name, known in weights.items():
        if name not in fresh or known.shape == fresh[name].shape:
            grown[name] = known
        elif known.dim() == 1:
            # The mean over more states, most of them zero, is smaller; what is normed by it would be larger.
            grown[name] = torch.full_like(fresh[name], float(known.mean()))
            grown[name][: len(known)] = known
            grown[name] *= (before / width) ** 0.5
        else:
            rows, columns = known.shape
            grown[name] = torch.zeros_like(fresh[name]) if name.endswith(_WRITERS) else fresh[name].clone()
            grown[name][:rows, :columns] = known
    return grown


def _carried(fresh: Tensor, known: Tensor, tokenizer: Any, before: Any) -> Tensor:
    """Embeddings for a new vocabulary.

    A word of both keeps its own, another is half what its other forms or its pieces were.
    """
    old, carried = before.get_vocab(), fresh.clone()
    size = known.norm(dim=1).mean()
    for word, token in tokenizer.get_vocab().items():
        if word in old:
            carried[token] = known[old[word]]
            continue
        text = tokenizer.decode([token])
        # The same word with another beginning means the same: " Return", "return".
        alike = [old[form] for form in _other_forms(word) if form in old]
        pieces = alike[:1] or before.backend_tokenizer.encode(text, add_special_tokens=False).ids
        if pieces:
            mean = known[pieces].mean(0)
            mixed = mean / mean.norm() + fresh[token] / fresh[token].norm()
            carried[token] = mixed / mixed.norm() * size
    return carried


def _other_forms(word: str) -> list[str]:
    """A token's word in lower case, and each with and without the space before it."""
    bare = word.removeprefix(SPACE)
    return [SPACE + bare.lower(), SPACE + bare, bare.lower(), bare] if bare.isalpha() else []
