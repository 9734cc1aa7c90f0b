"""Cached evaluation against a slow plain forward whose keys and values are frozen by hand."""

import pytest
import torch

import axon
from axon.decoders import Confidence, Dawn, Klass, LocalLeap
from axon.engine import Engine
from cases import golden, infill, label, pictures, ragged

KINDS = ["prefix", "dual"]


def rotated(states, cos, sin):
    half = states.shape[-1] // 2
    turned = torch.cat([-states[..., half:], states[..., :half]], dim=-1)
    return states * cos + turned * sin


def plain_hidden(model, tokens, frozen, stored):
    """Last hidden states of one row; keys and values at `frozen` positions come from `stored`, layer by layer.

    Returns them with the keys and values of all positions. frozen None: nothing is.
    """
    network, kept = model.network.model, []
    hidden = network.embed_tokens(tokens)[None]
    cos, sin = network.rotary_emb(hidden, torch.arange(len(tokens))[None])
    for index, layer in enumerate(network.layers):
        x, attention = layer.input_layernorm(hidden)[0], layer.self_attn
        query, key, value = (
            project(x).view(len(tokens), -1, attention.head_dim).transpose(0, 1)
            for project in (attention.q_proj, attention.k_proj, attention.v_proj)
        )
        query, key = rotated(query, cos[0], sin[0]), rotated(key, cos[0], sin[0])
        if frozen is not None:
            key, value = key.clone(), value.clone()
            key[:, frozen], value[:, frozen] = stored[index][0][:, frozen], stored[index][1][:, frozen]
        kept.append((key, value))
        groups = len(query) // len(key)
        key, value = key.repeat_interleave(groups, dim=0), value.repeat_interleave(groups, dim=0)
        weights = (query @ key.transpose(1, 2) * attention.head_dim**-0.5).softmax(dim=2)
        mixed = (weights @ value).transpose(0, 1).flatten(1)
        hidden = hidden + attention.o_proj(mixed)[None]
        hidden = hidden + layer.mlp(layer.post_attention_layernorm(hidden))
    return network.norm(hidden)[0], kept


def plain_decode(model, canvas, length, threshold, kind):
    """Confidence decoding of one row with a cache, by loops; the positions and tokens of every step."""
    tokens, mask, steps, stored = torch.tensor(canvas.tokens), model.mask_id, [], None
    masked = torch.tensor(canvas.free)
    for start, end in canvas.blocks(length):
        first = True
        while masked[start:end].any():
            frozen = torch.ones(len(tokens), dtype=torch.bool)
            frozen[max(0, start - model.shift) : end if kind == "dual" else None] = False
            hidden, kept = plain_hidden(model, tokens, None if first else frozen, stored)
            stored, first = kept if first else stored, False
            places = masked.nonzero().flatten()
            places = places[(places >= start) & (places < end)]
            logits = model.network.lm_head(hidden[(places - model.shift).clamp_min(0)])
            logits[:, mask] = -torch.inf
            confidence, token = logits.double().softmax(dim=1).max(dim=1)
            pick = (confidence >= threshold) | (torch.arange(len(places)) == confidence.argmax())
            tokens[places[pick]], masked[places[pick]] = token[pick], False
            steps.append((tuple(places[pick].tolist()), tuple(token[pick].tolist())))
    return steps


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", ["xxxxx__________", "xxx____x___xxxx", "_________"])
@torch.inference_mode()
def test_a_cached_decode_equals_the_plain_one_with_frozen_keys_and_values(checkpoint, kind, layout):
    canvas = infill(checkpoint.mask_id, layout, 17)
    settings = axon.Settings(5, 5, cache=kind, stop_at_eos=False)
    (out,) = axon.generate(checkpoint, canvas, Confidence(0.4), settings)
    expected = plain_decode(checkpoint, canvas, 5, 0.4, kind)
    assert [(step.positions, step.tokens) for step in out.steps] == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_block_that_is_the_whole_row_makes_a_cache_exact(checkpoint, kind):
    canvas = infill(checkpoint.mask_id, "__x_____x__", 33)
    exact, cached = (
        axon.generate(checkpoint, canvas, axon.Axon(Confidence(0.4)), axon.Settings(12, 12, cache=chosen))[0]
        for chosen in ("none", kind)
    )
    assert [step.positions for step in cached.steps] == [step.positions for step in exact.steps]
    assert cached.canvas == exact.canvas


@pytest.mark.parametrize("kind", KINDS)
def test_full_and_cached_evaluations_are_counted_apart(model, kind):
    (out,) = axon.generate(model, infill(model.mask_id, "xx________"), Klass(), axon.Settings(8, 4, cache=kind))
    full = [step for step in out.steps if step.step_in_block == 0]
    assert out.nfe_full == len(full)
    assert out.nfe_cached == out.nfe - len(full) > 0
    assert all(step.evaluation == ("full" if step.step_in_block == 0 else "cached") for step in out.steps)


def test_without_a_cache_every_evaluation_is_full(model):
    (out,) = axon.generate(model, [1, 2], Confidence(), axon.Settings(4, 4))
    assert (out.nfe_full, out.nfe_cached) == (out.nfe, 0)


@pytest.mark.parametrize(
    ("family", "kind", "open_part"),
    [
        ("llada", "dual", 4),
        ("llada", "prefix", 9),
        ("dream", "dual", 5),
        ("dream", "prefix", 10),
    ],
)
def test_only_the_open_part_is_evaluated(family, kind, open_part):
    model, widths = golden(family), []
    hook = model.network.model.embed_tokens.register_forward_hook(lambda _, given, __: widths.append(given[0].shape[1]))
    try:
        axon.generate(model, infill(127, "xxx____xx___"), Confidence(1.0), axon.Settings(4, 4, cache=kind))
    finally:
        hook.remove()
    assert widths[:3] == [12, open_part, open_part]


@pytest.mark.parametrize("kind", KINDS)
def test_a_cache_holds_the_rows_under_way_and_no_other(checkpoint, kind):
    engine, rows = Engine(checkpoint, Confidence(0.4), kind), ragged(checkpoint.mask_id)
    for key in (0, 1, 3):
        engine.join(key, rows[key], axon.Settings(6, 3, cache=kind))
    engine.step()
    cache = engine._cache
    assert sorted(cache.rows) == sorted(engine._rows)
    engine.leave(3)
    assert 3 not in cache.rows
    while engine.active:
        engine.step()
    assert cache.rows == []
    stores = [*cache.keys.values(), *cache.values.values(), cache.hidden]
    assert all(store is None or store.numel() == 0 for store in stores)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "decoder",
    [Dawn(), LocalLeap(0.4, 0.2), Klass(0.2, 3.0, 2), axon.Axon(Dawn()), axon.Axon.paper(Klass(0.2, 3.0, 2), budget=2)],
    ids=label,
)
def test_every_kind_of_decoder_writes_everything_with_a_cache(checkpoint, kind, decoder):
    rows = list(ragged(checkpoint.mask_id)[2:6])
    outs = axon.generate(checkpoint, rows, decoder, axon.Settings(6, 3, cache=kind, stop_at_eos=False))
    for row, out in zip(rows, outs, strict=True):
        assert checkpoint.mask_id not in out.canvas
        (single,) = axon.generate(checkpoint, row, decoder, axon.Settings(6, 3, cache=kind, stop_at_eos=False))
        assert pictures(single) == pictures(out)
