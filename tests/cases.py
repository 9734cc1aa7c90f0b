"""What several test files share: the decoders under test, ragged rows, the laws, and signals made by hand."""

from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest
import torch

import axon
from axon import decoders
from axon.signals import Attention, AttentionNeed, Frame, Reading, Signals
from axon.support.axon import Axon

GOLDEN = Path(__file__).parent / "golden"
MASK = 127


@cache
def golden(family):
    return axon.load(GOLDEN / family)


# Beside the defaults, parameters at which the tiny random models let every branch of a rule speak.
BASES = [
    decoders.Sequential(),
    decoders.Sequential(steps=5),
    decoders.DreamSchedule(),
    decoders.DreamSchedule("maskgit_plus", steps=6),
    decoders.DreamSchedule("topk_margin", steps=5),
    decoders.Confidence(),
    decoders.Confidence(0.3),
    decoders.Factor(),
    decoders.LocalLeap(0.5, 0.2, 2),
    decoders.Dawn(),
    decoders.Dawn(sink=0.3, edge=0.03, induce=0.2, low=0.15, confident=0.4, layers=2),
    decoders.Klass(),
    decoders.Klass(0.2, 3.0, 2),
]
_SURE, _LIKELY = decoders.Confidence(0.5), decoders.Dawn(sink=0.3, edge=0.03, induce=0.2, low=0.15, confident=0.4)
AXONS = [
    Axon(_SURE),
    Axon.released(_LIKELY),
    Axon.released(_SURE, budget="cover"),
    Axon.paper(_SURE),
    Axon.paper(_LIKELY, budget=3),
    Axon.paper(_SURE, budget="cover"),
    Axon.paper(decoders.LocalLeap(0.5, 0.2, 2), commit="union"),
    Axon.released(_SURE, budget="cover", commit="union", anchor_steps=None),
    Axon.released(_SURE, gate="pace", anchor_steps=None, steps=4),
    Axon.released(_SURE, gate="hybrid", alpha=0.5, anchor_steps=2, candidates=3),
    Axon.paper(_SURE, gate="blend", alpha=0.5),
    Axon.paper(_SURE, gate="context", support="visible", pool=0.1),
    Axon.paper(_SURE, budget=2, select="confidence"),
    Axon.paper(_SURE, budget=2, select="random"),
    Axon.paper(_SURE, budget=3, objective="graph_cut"),
    Axon.paper(_SURE, budget=3, redundancy=0.5),
    Axon.paper(decoders.Klass(0.2, 3.0, 2)),
    Axon.paper(decoders.Klass(0.2, 3.0, 2), budget=3, commit="union"),
    Axon.paper(decoders.DreamSchedule("maskgit_plus", steps=6)),
    Axon(decoders.Sequential(steps=4)),
    Axon(decoders.Factor()),
]
DECODERS = BASES + AXONS
# On the golden models an evaluation costs milliseconds, so near relatives are left to the toy.
ON_CHECKPOINTS = [rule for rule in DECODERS if rule not in (BASES[1], BASES[5], BASES[9], BASES[11], *AXONS[15:17])]


def label(rule):
    """A decoder's text without the parameters that stand at their defaults."""
    base = getattr(rule, "base", None)
    given = [f for f in fields(rule) if f.name != "base" and getattr(rule, f.name) != f.default]
    inner = ",".join(f"{f.name}={getattr(rule, f.name)}" for f in given)
    return (f"{label(base)}+" if base else "") + rule.spec_name() + (f"({inner})" if inner else "")


def every(rules):
    """A parametrisation over decoders, named by their texts."""
    return pytest.mark.parametrize("decoder", rules, ids=[label(rule) for rule in rules])


def may_wait(decoder):
    """Dream's published schedule with a number of steps is the one rule that may reveal nothing for a step."""
    base = getattr(decoder, "base", decoder)
    return isinstance(base, decoders.DreamSchedule) and base.steps is not None


def infill(mask, layout, first=1):
    """A canvas from a picture: `_` is free, anything else fixed, e.g. "xx__x___"."""
    tokens = [mask if mark == "_" else (first + 5 * place) % 90 for place, mark in enumerate(layout)]
    return axon.Canvas(tuple(tokens), tuple(mark == "_" for mark in layout))


@cache
def ragged(mask):
    """Eight rows of different lengths, some with fixed spans in the middle or at the end."""
    return (
        infill(mask, "xxx______", 3),
        infill(mask, "x______", 40),
        infill(mask, "xxxxxxx__x__x_xx", 11),
        infill(mask, "xxxxxxxxxxxxx______", 7),
        infill(mask, "xx__xxxxxxx____", 23),
        infill(mask, "__x___xx", 61),
        infill(mask, "xxxxxxxxxxxxxxxxxxxxx____", 2),
        infill(mask, "xxxx______", 77),
    )


def picture(step):
    """What a step did, without its row's name and without the last digits of its numbers."""
    gate = step.gate and (step.gate.open, step.gate.proposed, step.gate.anchors)
    return (
        step.index,
        step.block,
        step.step_in_block,
        step.positions,
        step.tokens,
        step.origin,
        gate,
        step.evaluation,
        step.finish_reason,
    )


def pictures(generation):
    return [picture(step) for step in generation.steps]


def check_laws(generation, *, waits=False):
    """Only masked positions of the current block change, each evaluation reveals, and the steps are the run."""
    start, mask = generation.start, generation.model.mask_id
    blocks = start.blocks(generation.settings.block_length)
    masked = {place for place, free in enumerate(start.free) if free}
    tokens = list(start.tokens)
    steps_in = {}
    for index, step in enumerate(generation.steps):
        first, last = blocks[step.block]
        assert first <= min(masked) < last, "the current block is the first with something to write"
        assert (step.index, step.step_in_block) == (index, steps_in.get(step.block, 0))
        steps_in[step.block] = step.step_in_block + 1
        assert len(set(step.positions)) == len(step.positions) == len(step.tokens) == len(step.confidences)
        assert set(step.positions) <= masked & set(range(first, last))
        assert step.positions or waits, "an evaluated row makes progress"
        assert mask not in step.tokens
        assert all(0 <= confidence <= 1 for confidence in step.confidences)
        masked -= set(step.positions)
        for place, token in zip(step.positions, step.tokens, strict=True):
            tokens[place] = token
        assert (step.finish_reason is None) == (index + 1 < generation.nfe)
    assert generation.nfe == len(generation.steps) == generation.nfe_full + generation.nfe_cached
    assert generation.canvas == tuple(tokens)
    for before, after, free in zip(start.tokens, generation.canvas, start.free, strict=True):
        assert free or before == after
    assert generation.finish_reason == ("stop" if masked else "length") or generation.finish_reason == "stop"


def signals(
    confidence,
    *,
    start=0,
    length=None,
    step=0,
    block=0,
    blocks=1,
    opened=None,
    visible=None,
    log_probs=None,
    neg_entropy=None,
    margin=None,
    attention=None,
    sinks=None,
    need=None,
):
    """Signals of rows whose block holds these confidences, None where it is revealed already.

    attention: one matrix per row, or one for all; visible: the model's confidence at every position of a row.
    """
    rows = confidence if isinstance(confidence[0], list) else [confidence]
    size, width = len(rows), max(map(len, rows))
    length = length or start + width
    masked = torch.zeros(size, width, dtype=torch.bool)
    inside, values = masked.clone(), torch.zeros(size, width, dtype=torch.float64)
    for index, row in enumerate(rows):
        inside[index, : len(row)] = True
        for place, value in enumerate(row):
            if value is not None:
                masked[index, place], values[index, place] = True, value
    widths = inside.sum(dim=1)
    positions = start + torch.minimum(torch.arange(width).expand(size, -1), (widths - 1)[:, None])
    row_masked = torch.zeros(size, length, dtype=torch.bool)
    for index in range(size):
        row_masked[index, start : start + width] = masked[index]
        row_masked[index, start + int(widths[index]) :] = True

    def whole(value):
        return torch.as_tensor(value).expand(size).clone()

    frame = Frame(
        tokens=torch.where(row_masked, MASK, 1),
        lengths=whole(length),
        start=whole(start),
        width=widths,
        masked=masked,
        row_masked=row_masked,
        step=whole(step),
        block=whole(block),
        blocks=whole(blocks),
        opened=masked.sum(dim=1) if opened is None else whole(opened),
        positions=positions,
        inside=inside,
        valid=torch.ones(size, length, dtype=torch.bool),
    )
    known = torch.zeros(length, dtype=torch.float64) if visible is None else torch.tensor(visible, dtype=torch.float64)

    def look(where, needs):
        row, place = where.nonzero(as_tuple=True)
        ahead = None
        if needs.log_probs:
            size_v = log_probs[0].shape[-1]
            ahead = torch.full((len(row), size_v), 1 / size_v, dtype=torch.float64).log()
        return Reading(row, known[place], torch.ones_like(row, dtype=torch.bool), log_probs=ahead)

    def optional(values):
        return None if values is None else torch.as_tensor(values, dtype=torch.float64).reshape(size, width, -1)

    found = {}
    if attention is not None:
        weights = torch.as_tensor(attention, dtype=torch.float64)
        weights = weights if weights.dim() == 3 else weights.expand(size, -1, -1)
        received = torch.zeros(size, weights.shape[2], dtype=torch.float64)
        if sinks is not None:
            received = torch.as_tensor(sinks, dtype=torch.float64).expand(size, -1)
        found[need or AttentionNeed()] = Attention(weights, received)
    return Signals(
        frame=frame,
        token=torch.ones(size, width, dtype=torch.long),
        confidence=values,
        finite=torch.ones(size, dtype=torch.bool),
        look=look,
        neg_entropy=None if neg_entropy is None else optional(neg_entropy)[..., 0],
        margin=None if margin is None else optional(margin)[..., 0],
        log_probs=None if log_probs is None else torch.stack(list(log_probs)),
        attention=found,
    )


def chosen(proposal, row=0):
    """The proposed positions of a row, as offsets in its block."""
    return proposal.reveal[row].nonzero().flatten().tolist()
