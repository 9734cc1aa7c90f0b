"""Properties of every decoder and every AXON reading, on the toy and on the golden models."""

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import axon
from axon import decoders
from axon.engine import Engine
from axon.trace import read_trace, replay
from cases import (
    AXONS,
    BASES,
    DECODERS,
    ON_CHECKPOINTS,
    check_laws,
    every,
    golden,
    infill,
    label,
    may_wait,
    picture,
    pictures,
    ragged,
)

EIGHT = tuple(range(8))
SHORT = axon.Settings(max_new_tokens=6, block_length=3)


EVERYWHERE = [("toy", rule) for rule in DECODERS]
EVERYWHERE += [(name, rule) for name in ("llada", "dream") for rule in ON_CHECKPOINTS]


@cache
def loaded(name):
    return axon.load("toy") if name == "toy" else golden(name)


@cache
def alone(name, decoder, settings, index):
    """One of the ragged rows, decoded by itself."""
    model = loaded(name)
    return axon.generate(model, ragged(model.mask_id)[index], decoder, settings)[0]


@cache
def in_company(name, decoder, settings, which):
    model = loaded(name)
    rows = ragged(model.mask_id)
    return axon.generate(model, [rows[index] for index in which], decoder, settings)


def test_every_registered_decoder_is_under_test():
    assert {type(rule) for rule in BASES} == set(decoders.registered().values())


@pytest.mark.parametrize(("name", "decoder"), EVERYWHERE, ids=[f"{name}-{label(rule)}" for name, rule in EVERYWHERE])
def test_the_laws_hold(name, decoder):
    for generation in in_company(name, decoder, SHORT, EIGHT):
        check_laws(generation, waits=may_wait(decoder))


@pytest.mark.parametrize(("name", "decoder"), EVERYWHERE, ids=[f"{name}-{label(rule)}" for name, rule in EVERYWHERE])
def test_neighbours_do_not_change_a_row(name, decoder):
    for which in ((3, 1), (6, 2, 4, 0, 5), EIGHT):
        together = in_company(name, decoder, SHORT, which)
        for index in {2, 3, 5}.intersection(which):
            single, generation = alone(name, decoder, SHORT, index), together[which.index(index)]
            assert pictures(generation) == pictures(single)
            ours, theirs = ([c for step in one.steps for c in step.confidences] for one in (generation, single))
            assert ours == pytest.approx(theirs, rel=1e-3)


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("name", ["toy", "llada", "dream"])
def test_rows_that_join_as_others_leave_come_out_the_same(name, size):
    decoder = axon.Axon(decoders.Dawn(sink=0.3, edge=0.03, induce=0.2, low=0.15, confident=0.4))
    batched = in_company(name, decoder, replace(SHORT, batch_size=size), EIGHT)
    for index, generation in enumerate(batched):
        assert pictures(generation) == pictures(alone(name, decoder, SHORT, index))


CACHED = [
    decoders.Confidence(0.3),
    decoders.Dawn(sink=0.3, edge=0.03, induce=0.2, low=0.15, confident=0.4, layers=2),
    decoders.Klass(0.2, 3.0, 2),
    axon.Axon(decoders.Confidence(0.5)),
    axon.Axon.paper(decoders.Dawn(), budget="cover"),
]


@every(CACHED)
@pytest.mark.parametrize("kind", ["prefix", "dual"])
@pytest.mark.parametrize("name", ["toy", "llada", "dream"])
def test_neighbours_do_not_change_a_row_with_a_cache(name, kind, decoder):
    cached = replace(SHORT, cache=kind)
    # Three at a time, so that rows also join and leave a cache others are using.
    batched = in_company(name, decoder, replace(cached, batch_size=3), EIGHT)
    for generation in batched:
        check_laws(generation)
    for index in (2, 4, 5, 6):
        assert pictures(batched[index]) == pictures(alone(name, decoder, cached, index))


@pytest.mark.parametrize("name", ["toy", "llada", "dream"])
@pytest.mark.parametrize("kind", ["none", "dual"])
def test_a_row_may_join_late_and_its_neighbours_leave_early(name, kind):
    model, decoder = loaded(name), axon.Axon(decoders.Confidence(0.5))
    cached = replace(SHORT, cache=kind)
    rows = ragged(model.mask_id)
    engine, seen = Engine(model, decoder, kind), {0: [], 1: [], 3: []}
    engine.join(0, rows[0], SHORT)
    engine.join(3, rows[3], SHORT)
    seen[0] += [step for step in engine.step() if step.row == 0]
    engine.leave(3)
    engine.join(1, rows[1], SHORT)
    while engine.active:
        for step in engine.step():
            seen[step.row].append(step)
    for row in (0, 1):
        assert [picture(step) for step in seen[row]] == pictures(alone(name, decoder, cached, row))


def test_rows_of_one_batch_may_have_blocks_of_different_length(model):
    rules = [axon.Axon.paper(decoders.Klass(0.2, 3.0, 2), select="random"), decoders.LocalLeap(0.5, 0.2, 2)]
    rows = ragged(model.mask_id)[:3]
    wanted = [replace(SHORT, block_length=length) for length in (2, 6, 3)]
    for rule in rules:
        engine, seen = Engine(model, rule), [[], [], []]
        for key, (row, mine) in enumerate(zip(rows, wanted, strict=True)):
            engine.join(key, row, mine)
        while engine.active:
            for step in engine.step():
                seen[step.row].append(picture(step))
        for row, mine, steps in zip(rows, wanted, seen, strict=True):
            assert steps == pictures(axon.generate(model, row, rule, mine)[0])


WARM = replace(SHORT, temperature=1.5, seed=(3, 1, 4, 1, 5, 9, 2, 6))


@every([decoders.Sequential(), decoders.Klass(0.2, 3.0, 2), axon.Axon.paper(decoders.Confidence(0.5), budget=2)])
@pytest.mark.parametrize(("name", "kind"), [("toy", "none"), ("toy", "dual"), ("llada", "none"), ("dream", "prefix")])
def test_a_seed_gives_the_same_text_alone_and_in_company(name, kind, decoder):
    rows, model = ragged(loaded(name).mask_id), loaded(name)
    warm = replace(WARM, cache=kind)
    together = axon.generate(model, list(rows), decoder, replace(warm, batch_size=5))
    for index, generation in enumerate(together):
        check_laws(generation)
        if index in (2, 6):
            (single,) = axon.generate(model, rows[index], decoder, replace(warm, seed=warm.seed[index]))
            assert pictures(single) == pictures(generation)


def test_seeds_decide_the_text_when_there_is_a_temperature(model):
    row, decoder = ragged(model.mask_id)[0], decoders.Sequential()

    def text(seed, temperature=2.0):
        chosen = replace(SHORT, temperature=temperature, seed=seed, stop_at_eos=False)
        return axon.generate(model, row, decoder, chosen)[0].canvas

    assert text(7) == text(7)
    assert len({text(seed) for seed in range(4)}) == 4
    assert text(1, temperature=0.0) == text(2, temperature=0.0)


def test_one_seed_for_all_gives_equal_rows_equal_text(model):
    row = ragged(model.mask_id)[0]
    settings = replace(SHORT, temperature=1.5, seed=11)
    first, second = axon.generate(model, [row, row], decoders.Sequential(), settings)
    assert pictures(first) == pictures(second)


@every([decoders.Dawn(), *AXONS[:4]])
def test_a_trace_replays_to_the_canvas_of_the_run(decoder, model, tmp_path):
    rows = list(ragged(model.mask_id)[:4])
    file = tmp_path / "run.jsonl"
    generations = axon.generate(model, rows, decoder, SHORT, trace=file)
    trace = read_trace(file)
    for row, generation in enumerate(generations):
        assert trace.canvas(row) == generation.canvas == replay(rows[row], generation.steps)


def test_streaming_and_generating_are_the_same_run(model):
    rows, decoder = list(ragged(model.mask_id)[:3]), axon.Axon(decoders.Confidence(0.5))
    streamed = list(axon.stream(model, rows, decoder, SHORT))
    generated = axon.generate(model, rows, decoder, SHORT)
    for row, generation in enumerate(generated):
        assert tuple(step for step in streamed if step.row == row) == generation.steps


layouts = st.lists(st.booleans(), min_size=2, max_size=40).filter(any)


@st.composite
def canvases(draw):
    """A canvas of the toy model: any prompt letters, free and fixed positions anywhere."""
    layout = "".join("_" if free else "x" for free in draw(layouts))
    return infill(axon.load("toy").mask_id, layout, draw(st.integers(0, 5)))


@given(
    rows=st.lists(canvases(), min_size=1, max_size=6),
    decoder=st.sampled_from(DECODERS),
    length=st.integers(1, 12),
    batch_size=st.integers(1, 6),
    temperature=st.sampled_from([0.0, 1.0]),
    kind=st.sampled_from(["none", "prefix", "dual"]),
)
@settings(max_examples=120)
def test_any_canvas_keeps_the_laws_and_ignores_its_neighbours(
    toy, rows, decoder, length, batch_size, temperature, kind
):
    chosen = axon.Settings(length, length, temperature, seed=5, cache=kind, batch_size=batch_size)
    for row, generation in zip(rows, axon.generate(toy, rows, decoder, chosen), strict=True):
        check_laws(generation, waits=may_wait(decoder))
        assert pictures(generation) == pictures(axon.generate(toy, row, decoder, chosen)[0])


@given(
    prompts=st.lists(st.lists(st.integers(0, 126), min_size=1, max_size=24), min_size=2, max_size=8),
    decoder=st.sampled_from(DECODERS),
    name=st.sampled_from(["llada", "dream"]),
)
@settings(max_examples=12)
def test_any_prompts_of_a_checkpoint_keep_the_laws_and_ignore_their_neighbours(prompts, decoder, name):
    short = axon.Settings(max_new_tokens=4, block_length=2)
    together = axon.generate(golden(name), prompts, decoder, short)
    for generation in together:
        check_laws(generation, waits=may_wait(decoder))
    (last,) = axon.generate(golden(name), prompts[-1], decoder, short)
    assert pictures(last) == pictures(together[-1])
