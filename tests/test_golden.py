"""The published methods' own numbers, step by step, on tiny models (tests/golden/README.md)."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

import axon
from axon import decoders
from axon.canvas import Canvas
from axon.engine import Engine
from axon.signals import AttentionNeed, Needs
from axon.trace import replay

GOLDEN = Path(__file__).parent / "golden"


@cache
def model(family):
    return axon.load(GOLDEN / family)


@cache
def arrays(family, name="golden"):
    return dict(np.load(GOLDEN / family / f"{name}.npz"))


def cases(family, name="cases"):
    return json.loads((GOLDEN / family / f"{name}.json").read_text())


def base_decoder(kind, kwargs):
    """Our decoder for a case, by the reference code's parameter names."""
    if kind.startswith("threshold") or kind in ("confidence_threshold", "prefix_cache", "dual_cache"):
        return decoders.Confidence(kwargs["threshold"])
    if kind.startswith("factor"):
        return decoders.Factor(kwargs["factor"])
    if kind.startswith(("localleap", "local_leap")):
        first = kwargs.get("threshold", kwargs.get("conf_threshold"))
        return decoders.LocalLeap(first, kwargs["relaxed_threshold"], kwargs["radius"])
    if kind.startswith("dawn"):
        low = kwargs.get("tau_low", kwargs.get("conf_threshold"))
        return decoders.Dawn(sink=kwargs["tau_sink"], edge=kwargs["tau_edge"], induce=kwargs["tau_induce"], low=low)
    if kind == "klass":
        return decoders.Klass(kwargs["conf_threshold"], kwargs["kl_threshold"], kwargs["kl_history_length"])
    if kind in ("sequential", "steps16"):
        return decoders.Sequential(kwargs["steps"])
    return decoders.DreamSchedule(kind, steps=64)


def settings(case, cache="none"):
    return axon.Settings(
        max_new_tokens=case["gen_length"], block_length=case["block_length"], stop_at_eos=False, cache=cache
    )


def canvases(generation):
    """The canvas before every evaluation and at the end."""
    return np.array([replay(generation.start, generation.steps[:n]) for n in range(generation.nfe + 1)])


GENERATE = [(family, case) for family in ("llada", "dream") for case in cases(family)]


@pytest.mark.parametrize(("family", "case"), GENERATE, ids=[f"{f}-{c['case']}" for f, c in GENERATE])
def test_decoder_equals_the_reference_at_every_step(family, case):
    data = arrays(family)
    cache = case["decoder"].removesuffix("_cache") if case["decoder"].endswith("_cache") else "none"
    prompt = data[f"{case['case']}/prompt"][0].tolist()
    decoder = base_decoder(case["decoder"], case["kwargs"])
    (out,) = axon.generate(model(family), prompt, decoder, settings(case, cache))
    assert out.nfe == case["nfe"]
    np.testing.assert_array_equal(out.canvas, data[f"{case['case']}/output"][0])
    if f"{case['case']}/canvas" in data:
        np.testing.assert_array_equal(canvases(out), data[f"{case['case']}/canvas"])


AXON = cases("llada", "axon_cases")


def axon_decoder(case):
    base = base_decoder(case["base_kind"], case["base_kwargs"])
    budget = {"k1": 1, "k3": 3, "fixed1": 1, "cover": "cover"}[case["variant"].split("_")[1]]
    if case["variant"].startswith("paper"):
        return axon.Axon.paper(base, budget=budget, alpha=0.2, steps=16, uncertain=0.9)
    return axon.Axon.released(base, budget=budget)


@pytest.mark.parametrize("case", AXON, ids=[c["case"] for c in AXON])
def test_axon_equals_the_plain_loops_at_every_step(case):
    data = arrays("llada", "axon")
    prompt = data[f"{case['case']}/prompt"][0].tolist()
    (out,) = axon.generate(model("llada"), prompt, axon_decoder(case), settings(case))
    assert out.nfe == case["nfe"]
    np.testing.assert_array_equal(canvases(out), data[f"{case['case']}/canvas"])
    for step, expected in zip(out.steps, case["steps"], strict=True):
        start = len(prompt) + step.block * case["block_length"]
        assert [p - start for p in step.gate.proposed] == expected["base"]
        assert [p - start for p in step.positions] == sorted(expected["selected"])
        assert step.gate.open == expected["fire"]
        for name in ("r", "rho", "u", "g", "d_pace", "d_ctx"):
            if name in expected:
                assert getattr(step.gate, name) == pytest.approx(expected[name], abs=1e-4), name


def frame_of(family, tokens):
    """A frame whose block is the whole row, so every position can be read."""
    loaded = model(family)
    engine = Engine(loaded, decoders.Confidence())
    for key, row in enumerate(tokens.tolist()):
        canvas = Canvas(tuple(row), tuple(token == loaded.mask_id for token in row))
        engine.join(key, canvas, axon.Settings(max_new_tokens=len(row), block_length=len(row)))
    return engine._frame(list(engine._rows.values()))


def exact(family):
    """The same network in fp64: what the reference's fp32 numbers are themselves an approximation of."""
    return deepcopy(model(family).network).double()


def allowance(reference, truth, agreed):
    """The agreed bound, or, where this CPU's kernels round differently, the reference's own rounding error.

    fp32 sums depend on the CPU. On the reference's kind of CPU the logits are equal bit for bit; elsewhere no
    fp32 computation can be nearer to the reference than the reference is to the exact result.
    """
    return max(agreed, 2 * (reference - truth).abs().max().item())


@pytest.mark.parametrize(("family", "key"), [("llada", "logits"), ("dream", "logits_unshifted")])
def test_logits_equal_the_authors_modelling_files(family, key):
    loaded, data = model(family), arrays(family)
    tokens, reference = (torch.from_numpy(data[f"forward/{name}"]) for name in ("input_ids", key))
    bound = allowance(reference, exact(family)(tokens).logits, 1e-5)
    assert bound < 5e-4
    assert (loaded.network(tokens).logits - reference).abs().max() <= bound
    # And what decoders read is the same, through the frame, the head and Dream's shift.
    if loaded.shift:
        reference = torch.cat([reference[:, :1], reference[:, :-1]], dim=1)
    reference[..., loaded.mask_id] = -torch.inf
    frame = frame_of(family, tokens)
    reading = loaded.evaluate(frame, Needs()).look(frame.valid, Needs(log_probs=True))
    real = torch.arange(reference.shape[2]) != loaded.mask_id
    difference = reading.log_probs - reference.log_softmax(dim=2).flatten(0, 1)
    assert difference[:, real].abs().max() <= 2 * bound


@pytest.mark.parametrize("family", ["llada", "dream"])
def test_our_attention_function_changes_no_bit_of_the_stock_class(family):
    network = deepcopy(model(family).network)
    tokens = torch.from_numpy(arrays(family)["forward/input_ids"])
    ours = network(tokens).logits
    network.config._attn_implementation = "sdpa"
    assert torch.equal(ours, network(tokens).logits)


@pytest.mark.parametrize("family", ["llada", "dream"])
def test_attention_equals_a_full_softmax(family):
    data = arrays(family)
    tokens = torch.from_numpy(data["forward/input_ids"])
    frame = frame_of(family, tokens)
    network = exact(family)
    network.config._attn_implementation = "eager"
    truth = torch.stack(network(tokens, output_attentions=True).attentions[-4:]).mean(dim=(0, 2))
    reference = torch.from_numpy(data["forward/attention_last4_mean"])
    bound = allowance(reference, truth, 1e-6)
    assert bound < 1e-5
    need = AttentionNeed(4, columns="row", sinks=True)
    attention = model(family).evaluate(frame, Needs(attention=frozenset({need}))).attention[need]
    rows = reference.gather(1, frame.positions[:, :, None].expand(-1, -1, reference.shape[2]))
    assert (attention.weights - rows)[frame.inside].abs().max() <= bound
    assert (attention.sinks - reference.mean(dim=1)).abs().max() <= bound
