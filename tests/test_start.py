"""The weights a run starts from already look around and compare, and nothing in them is out of proportion."""

import pytest
import torch

from axon.training import network, start
from axon.training.recipe import Recipe


class Words:
    """As much of a tokenizer as a configuration asks for."""

    mask_token_id, eos_token_id, pad_token_id = 0, 1, 1

    def __len__(self):
        return 64


# Tokens 50 to 63 are the numbers 0 to 13.
NUMBERS = {50 + value: value for value in range(14)}


def made(seed=0, **sizes):
    settings = network.config(Recipe(**sizes), Words())
    found = network.fresh(settings, seed, torch.device("cpu"), NUMBERS)
    found.config._attn_implementation = "eager"
    return found


def attention(found, tokens):
    with torch.no_grad():
        return found.model(input_ids=torch.tensor([tokens]), output_attentions=True, use_cache=False).attentions


@pytest.mark.parametrize(("head", "offset"), [(0, -1), (1, 1), (2, -2), (3, 2)])
def test_the_first_layer_looks_at_neighbours_wherever_it_stands(head, offset):
    tokens = torch.randint(2, 64, (300,), generator=torch.Generator().manual_seed(1)).tolist()
    seen = attention(made(), tokens)[0][0, head]
    there = torch.tensor([float(seen[at, at + offset]) for at in range(2, 298)])
    assert there.mean() > 0.6


def test_the_second_layer_looks_for_the_same_neighbours():
    found = made()
    share = {}
    for place in (7, 23):
        tokens = [*range(2, 34), 40, 41]
        # The answer repeats a part of the prompt with one token missing.
        tokens += [*range(place - 3, place), 0, *range(place + 1, place + 4), 42]
        hidden = 34 + 3
        seen = attention(found, tokens)[1][0, :4, hidden].sum(0)
        seen[hidden] = 0
        share[place] = int(seen[:34].argmax())
    # In a row of tokens counting up, token `place` stands at place - 2.
    assert share == {7: 5, 23: 21}


@pytest.mark.parametrize(
    "sizes",
    [
        {"width": 32, "heads": 1, "layers": 1, "hidden": 32},
        {"width": 48, "heads": 2, "layers": 2, "hidden": 32},
        {"width": 16, "heads": 8, "layers": 3, "hidden": 16},
    ],
)
def test_any_size_starts_near_a_uniform_guess(sizes):
    found = made(**sizes)
    with torch.no_grad():
        logits = found(input_ids=torch.arange(2, 50)[None]).logits
    assert torch.isfinite(logits).all()
    assert logits.std() < 3


def test_the_seed_decides():
    first, same, other = made(0), made(0), made(1)
    weight = "model.layers.1.self_attn.q_proj.weight"
    assert torch.equal(first.state_dict()[weight], same.state_dict()[weight])
    assert not torch.equal(first.state_dict()[weight], other.state_dict()[weight])


def test_a_third_of_the_heads_stay_free():
    assert [len(start._offsets(heads)) for heads in (1, 2, 3, 6, 12)] == [1, 2, 2, 4, 4]


def test_numbers_start_on_circles_of_the_same_size_as_other_words():
    table = made().model.embed_tokens.weight.detach()
    numbers = table[list(NUMBERS)] - table.mean(0)
    norms = table.norm(dim=1)
    assert norms[list(NUMBERS)].mean() == pytest.approx(norms[2:50].mean().item(), rel=0.1)
    near = torch.nn.functional.cosine_similarity(numbers[:-1], numbers[1:]).mean()
    far = torch.nn.functional.cosine_similarity(numbers[:-5], numbers[5:]).mean()
    assert near > far + 0.05


def test_a_vocabulary_without_numbers_starts_like_any_other():
    settings = network.config(Recipe(), Words())
    found = network.fresh(settings, 0, torch.device("cpu"), {})
    assert torch.isfinite(found.model.embed_tokens.weight).all()
