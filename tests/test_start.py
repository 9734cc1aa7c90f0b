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


@pytest.mark.parametrize(("head", "offset"), [(0, -1), (1, 1), (2, -2), (3, 2), (4, -4), (5, -3)])
def test_the_first_layer_looks_at_neighbours_wherever_it_stands(head, offset):
    tokens = torch.randint(2, 64, (300,), generator=torch.Generator().manual_seed(1)).tolist()
    seen = attention(made(), tokens)[0][0, head]
    there = torch.tensor([float(seen[at, at + offset]) for at in range(4, 296)])
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


def test_heads_beyond_the_neighbours_stay_free():
    assert [len(start._offsets(heads)) for heads in (1, 2, 6, 12)] == [1, 2, 6, 6]


@pytest.mark.parametrize("sign", [1, -1], ids=["sum", "difference"])
def test_sums_and_differences_can_be_read_off_the_first_layer_at_once(sign):
    """A linear map fitted on some pairs of operands gives where the result of other pairs stands on a circle."""
    found = made()
    pairs = [(one, other) for one in range(14) for other in range(14)]
    rows = torch.tensor([[50 + one, 3, 50 + other, 4, 0, 5, 6] for one, other in pairs])
    seen = {}
    layer = found.model.layers[0]
    layer.mlp.down_proj.register_forward_pre_hook(lambda _, given: seen.update(units=given[0][:, 4]))
    with torch.no_grad():
        found.model(input_ids=rows, use_cache=False)
    units = torch.cat([seen["units"], torch.ones(len(pairs), 1)], 1).double()
    angle = torch.tensor([2 * torch.pi * 0.07 * (one + sign * other) for one, other in pairs], dtype=torch.float64)
    points = torch.stack([angle.cos(), angle.sin()], 1)
    made_units = 8 * len(start._CIRCLES)
    fitted = torch.arange(len(pairs)) % 3 > 0
    # The circle that turns 0.07 for every one is the fifth; its products are every fourteenth pair of units.
    circle = start._CIRCLES.index(0.07)
    own = [unit for unit in range(made_units) if unit // 2 % len(start._CIRCLES) == circle]
    assert len(own) == 8
    found_at = {}
    for name, chosen in (("made", own), ("drawn", range(made_units, made_units + 8))):
        kept = units[:, [*chosen, -1]]
        guessed = kept[~fitted] @ torch.linalg.lstsq(kept[fitted], points[fitted]).solution
        found_at[name] = torch.nn.functional.cosine_similarity(guessed, points[~fitted]).mean()
    assert found_at["made"] > 0.9 > 0.6 > found_at["drawn"]


def test_numbers_start_on_circles_of_the_same_size_as_other_words():
    table = made().model.embed_tokens.weight.detach()
    numbers = table[list(NUMBERS)] - table.mean(0)
    norms = table.norm(dim=1)
    assert norms[list(NUMBERS)].mean() == pytest.approx(norms[2:50].mean().item(), rel=0.1)
    near = torch.nn.functional.cosine_similarity(numbers[:-1], numbers[1:]).mean()
    far = torch.nn.functional.cosine_similarity(numbers[:-5], numbers[5:]).mean()
    assert near > far + 0.05


def test_twins_start_alike_and_no_wider_than_others():
    settings = network.config(Recipe(), Words())
    found = network.fresh(settings, 0, torch.device("cpu"), NUMBERS, [(10, 11), (20, 21)])
    table = found.model.embed_tokens.weight.detach()
    words = table[2:50] - table[2:50].mean(0)
    likeness = torch.nn.functional.cosine_similarity(words[:-1], words[1:])
    assert (likeness[[8, 18]] > 0.6).all()
    assert likeness.abs().sort().values[-3] < 0.4
    assert words[[9, 19]].norm(dim=1).mean() == pytest.approx(words.norm(dim=1).mean().item(), rel=0.15)


def test_a_vocabulary_without_numbers_starts_like_any_other():
    settings = network.config(Recipe(), Words())
    found = network.fresh(settings, 0, torch.device("cpu"), {})
    assert torch.isfinite(found.model.embed_tokens.weight).all()
