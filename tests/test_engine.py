"""The loop on its own: when rows end, what is read from them, infilling, and what is refused."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch

import axon
from axon import decoders
from axon.engine import Engine
from axon.models import ToyModel
from axon.prompts import to_canvases
from cases import golden, infill, label, pictures

PROMPT = "b\n"
SURE = decoders.Confidence()


def write(model, prompts, decoder=SURE, **settings):
    return axon.generate(
        model, prompts, decoder, axon.Settings(**{"max_new_tokens": 96, "block_length": 32} | settings)
    )


class Spelling(decoders.Decoder):
    """Reveals the block's positions in a given order of offsets, one per evaluation."""

    def __init__(self, *order):
        self.order = order

    def propose(self, signals, state):
        reveal = torch.zeros_like(signals.masked)
        for row, step in enumerate(signals.step.tolist()):
            reveal[row, self.order[step]] = True
        return decoders.Proposal(reveal)


class Script(ToyModel):
    """A toy that is certain of a text: position p of the row holds letter p behind the prompt, then EOS."""

    def __init__(self, text):
        super().__init__()
        object.__setattr__(self, "text", text)

    def _target(self, frame):
        target, head = super()._target(frame)
        (eos,) = self.eos_ids
        letters = torch.tensor([*self.encode(self.text), *[eos] * frame.tokens.shape[1]])
        return letters[torch.arange(frame.tokens.shape[1]).clamp_max(len(letters) - 1)].expand_as(target), head

    def _margin(self, frame, head):
        return torch.full_like(super()._margin(frame, head), 20.0)


# The end of a row


def test_a_row_ends_once_everything_before_its_first_eos_is_revealed():
    # Canvas "x" + 8 free: a b c EOS EOS …; revealed from the right, so EOS comes first and "a" last.
    model = Script("xabc")
    steps = list(axon.stream(model, "x", Spelling(7, 3, 5, 2, 1, 0, 4, 6), axon.Settings(8, 8)))
    assert [step.positions for step in steps] == [(8,), (4,), (6,), (3,), (2,), (1,)]
    assert [step.finish_reason for step in steps] == [None] * 5 + ["stop"]


def test_no_block_behind_an_eos_is_evaluated():
    (out,) = axon.generate(Script("xabc"), "x", decoders.Sequential(), axon.Settings(32, 4))
    assert (out.nfe, out.finish_reason, out.text) == (4, "stop", "abc")
    assert out.canvas[5:] == (out.model.mask_id,) * 28


def test_an_eos_before_a_gap_does_not_end_a_row_too_early():
    model = Script("xabc")
    first, *_ = axon.stream(model, "x", Spelling(3, 0, 1, 2), axon.Settings(4, 4))
    assert first.tokens == tuple(model.eos_ids)
    assert first.finish_reason is None


def test_without_stop_at_eos_everything_is_written():
    model = Script("xabc")
    (out,) = axon.generate(model, "x", SURE, axon.Settings(8, 4, stop_at_eos=False))
    assert out.finish_reason == "length"
    assert len(out.tokens) == 8
    assert out.text == "abc"


def test_a_row_that_fills_its_length_says_so():
    (out,) = axon.generate(Script("xabcdefghij"), "x", SURE, axon.Settings(4, 4))
    assert (out.finish_reason, out.text, out.error) == ("length", "abcd", None)


def test_an_eos_at_the_last_position_is_a_stop():
    (out,) = axon.generate(Script("xabc"), "x", SURE, axon.Settings(4, 4))
    assert (out.finish_reason, out.text) == ("stop", "abc")


def test_tokens_are_the_new_ones_up_to_the_eos_and_without_it():
    model = Script("xabc")
    (out,) = axon.generate(model, "x", SURE, axon.Settings(8, 8))
    assert out.tokens == tuple(model.encode("abc"))
    assert model.decode(out.tokens) == out.text == "abc"


# Stop texts


def test_a_stop_text_ends_the_row_and_is_cut_off():
    model = Script("xone two three")
    (out,) = axon.generate(model, "x", decoders.Sequential(), axon.Settings(16, 1, stop=("two",)))
    assert (out.text, out.finish_reason) == ("one ", "stop")
    assert out.tokens == tuple(model.encode("one "))
    assert out.nfe == 7


def test_the_earliest_of_several_stop_texts_counts():
    model = Script("xone two three")
    (out,) = axon.generate(model, "x", SURE, axon.Settings(16, 16, stop=("three", "two")))
    assert (out.text, out.finish_reason) == ("one ", "stop")


def test_a_stop_text_behind_a_gap_does_not_count_yet():
    model = Script("xabcdefgh")
    order = (3, 4, 5, 0, 1, 2, 6, 7)
    steps = list(axon.stream(model, "x", Spelling(*order), axon.Settings(8, 8, stop=("def",))))
    assert [step.positions[0] - 1 for step in steps] == [3, 4, 5, 0, 1, 2]
    assert steps[-1].finish_reason == "stop"


def test_a_stop_text_in_the_prompt_does_not_count():
    (out,) = axon.generate(Script("xabcdefgh"), "x", SURE, axon.Settings(4, 4, stop=("x",)))
    assert (out.text, out.finish_reason) == ("abcd", "length")


def test_a_stop_text_may_begin_in_one_block_and_end_in_the_next():
    (out,) = axon.generate(Script("xabcdefgh"), "x", SURE, axon.Settings(8, 2, stop=("bcd",)))
    assert (out.text, out.finish_reason) == ("a", "stop")


# Infilling


def test_several_holes_are_filled_and_the_rest_stays_bit_for_bit(toy):
    text = "b\nthe [MASK:5] brown f[MASK]x jumps[MASK:4] end"
    canvas = axon.Canvas.from_text(toy, text)
    assert [end - start for start, end in canvas.holes] == [5, 1, 4]
    (out,) = axon.generate(toy, canvas, decoders.Sequential(), axon.Settings(block_length=4, max_new_tokens=4))
    for position, (before, after) in enumerate(zip(canvas.tokens, out.canvas, strict=True)):
        assert canvas.free[position] or before == after
    assert toy.mask_id not in out.canvas
    assert out.finish_reason == "length"
    holes = [toy.decode(out.canvas[start:end]) for start, end in canvas.holes]
    assert out.document == "b\nthe {} brown f{}x jumps{} end".format(*holes)
    assert out.text == "".join(holes)
    assert len(out.tokens) == 10


def test_an_eos_in_a_closed_hole_ends_nothing():
    model = Script("xa")
    canvas = infill(model.mask_id, "x______x")
    (out,) = axon.generate(model, canvas, SURE, axon.Settings(8, 2))
    assert out.finish_reason == "length"
    assert model.mask_id not in out.canvas


def test_an_eos_in_the_open_end_counts_only_when_earlier_holes_are_written():
    model = Script("xabcd")
    canvas = infill(model.mask_id, "x_xx_____")
    (out,) = axon.generate(model, canvas, SURE, axon.Settings(4, 4))
    assert out.finish_reason == "stop"
    assert model.mask_id not in out.canvas[:6]


def test_an_infilled_checkpoint_keeps_its_suffix(checkpoint):
    canvas = infill(checkpoint.mask_id, "xxxx_____xxxxxx__xx", 9)
    for cache in ("none", "prefix", "dual"):
        (out,) = axon.generate(checkpoint, canvas, axon.Axon(SURE), axon.Settings(4, 4, cache=cache))
        assert [t for t, free in zip(out.canvas, canvas.free, strict=True) if not free] == [
            t for t, free in zip(canvas.tokens, canvas.free, strict=True) if not free
        ]
        assert checkpoint.mask_id not in out.canvas


def test_a_document_of_a_prompt_is_the_prompt_and_the_text(toy):
    (out,) = write(toy, PROMPT)
    assert out.document == PROMPT + out.text


def test_blocks_without_a_free_position_are_left_out():
    canvas = infill(99, "x_xxxxxx__x")
    assert canvas.blocks(2) == ((1, 3), (7, 9), (9, 10))
    assert canvas.holes == ((1, 2), (8, 10))
    assert canvas.tail == len(canvas)
    assert infill(99, "x__x__").tail == 4


# Rows in the engine


def test_a_row_cannot_join_twice(toy):
    engine = Engine(toy, SURE)
    canvas = axon.Canvas.from_prompt([1], 4, toy.mask_id)
    engine.join(3, canvas, axon.Settings(4, 4))
    with pytest.raises(axon.AxonError, match="row 3"):
        engine.join(3, canvas, axon.Settings(4, 4))


def test_an_engine_without_rows_has_nothing_to_do(toy):
    assert Engine(toy, SURE).step() == []


def test_rows_that_finish_have_left(toy):
    engine = Engine(toy, SURE)
    engine.join(0, axon.Canvas.from_prompt([1], 1, toy.mask_id), axon.Settings(1, 1))
    engine.join(7, axon.Canvas.from_prompt([1], 12, toy.mask_id), axon.Settings(12, 1))
    assert [step.row for step in engine.step()] == [0, 7]
    assert engine.active == 1
    engine.leave(7)
    assert engine.active == 0


def test_an_engine_refuses_an_unknown_cache(toy):
    with pytest.raises(axon.AxonError, match="none, prefix, dual"):
        Engine(toy, SURE, cache="suffix")


def test_no_more_rows_than_the_batch_size_are_evaluated_together(toy, monkeypatch):
    sizes = []
    real = ToyModel.evaluate

    def counted(self, frame, *rest):
        sizes.append(len(frame.tokens))
        return real(self, frame, *rest)

    monkeypatch.setattr(ToyModel, "evaluate", counted)
    outs = write(toy, ["a\n", "b\n", "c\n", "d\n", "e\n"], batch_size=2)
    assert [out.finish_reason for out in outs] == ["stop"] * 5
    assert max(sizes) == 2
    assert sizes[0] == 2


# The laws, against decoders that break them


class Reckless(decoders.Decoder):
    """Proposes everything, also what is revealed or fixed already."""

    def propose(self, signals, state):
        return decoders.Proposal(torch.ones_like(signals.masked))


class Idle(decoders.Decoder):
    def propose(self, signals, state):
        return decoders.Proposal(torch.zeros_like(signals.masked))


class Waiting(decoders.Decoder):
    """Says of every step that revealing nothing is meant."""

    def propose(self, signals, state):
        return decoders.Proposal(torch.zeros_like(signals.masked), wait=torch.ones_like(signals.step, dtype=torch.bool))


def test_a_reckless_decoder_cannot_touch_fixed_positions(toy):
    canvas = infill(toy.mask_id, "x__x__x")
    (out,) = axon.generate(toy, canvas, Reckless(), axon.Settings(4, 4))
    assert [step.positions for step in out.steps] == [(1, 2, 4), (5,)]
    assert [out.canvas[i] for i in (0, 3, 6)] == [canvas.tokens[i] for i in (0, 3, 6)]


def test_an_empty_proposal_becomes_the_most_confident_position(toy):
    (idle,) = axon.generate(toy, "b\n", Idle(), axon.Settings(16, 8, stop_at_eos=False))
    (single,) = axon.generate(toy, "b\n", decoders.Sequential(), axon.Settings(16, 8, stop_at_eos=False))
    assert {step.origin for step in idle.steps} == {"fallback"}
    assert [step.positions for step in idle.steps] == [step.positions for step in single.steps]


def test_nobody_waits_for_ever(toy):
    (out,) = axon.generate(toy, "b\n", Waiting(), axon.Settings(2, 2, stop_at_eos=False))
    assert out.finish_reason == "length"
    assert out.nfe < 3000


def test_steps_say_where_their_reveals_come_from(toy):
    rule = axon.Axon.paper(decoders.Confidence(0.5))
    (out,) = axon.generate(toy, "b\n", rule, axon.Settings(16, 8, stop_at_eos=False))
    for step in out.steps:
        assert step.origin == ("anchor" if step.gate.anchors else "base")
        assert step.positions == (step.gate.anchors or step.gate.proposed)
    assert {step.origin for step in out.steps} == {"anchor", "base"}


# Rows that fail


def poisoned(family, token):
    """A golden model in which one token's embedding is not a number."""
    model = golden(family)
    network = deepcopy(model.network)
    network.model.embed_tokens.weight[token] = torch.nan
    return replace(model, network=network)


@pytest.mark.parametrize("token", [5, 0])
@pytest.mark.parametrize("cache", ["none", "dual"])
@pytest.mark.parametrize("family", ["llada", "dream"])
def test_an_evaluation_that_is_not_finite_stops_that_row_and_no_other(family, cache, token, caplog):
    rows = [[9, 8, 7], [9, token, 7, 6, 5 if token else 4], [9, 8, 7, 6, 3, 2, 1, 11]]
    settings = axon.Settings(4, 2, cache=cache)
    rule = axon.Axon(decoders.Confidence(0.5))
    out = axon.generate(poisoned(family, token), rows, rule, settings)
    clean = axon.generate(golden(family), rows, rule, settings)
    assert out[1].finish_reason == "error"
    assert "row 1" in out[1].error
    assert "finite" in out[1].error
    assert (out[1].nfe, out[1].tokens) == (1, ())
    assert out[1].error in caplog.text
    for row in (0, 2):
        if token not in clean[row].canvas[len(rows[row]) :]:
            assert pictures(out[row]) == pictures(clean[row])
    assert {out[0].finish_reason, out[2].finish_reason} != {"error"}


@pytest.mark.parametrize("rule", [decoders.Dawn(), decoders.Klass(), axon.Axon.paper(SURE, budget="cover")], ids=label)
def test_a_model_of_nothing_but_nan_ends_every_row_at_once(rule):
    model = golden("llada")
    broken = poisoned("llada", slice(None))
    outs = axon.generate(broken, [[1, 2], [3]], rule, axon.Settings(4, 4))
    assert [(out.finish_reason, out.nfe) for out in outs] == [("error", 1)] * 2
    assert outs[0].canvas[2:] == (model.mask_id,) * 4


# Seeds


def test_a_seed_per_row_is_that_rows_seed(toy):
    warm = {"temperature": 2.0, "max_new_tokens": 8, "block_length": 8, "stop_at_eos": False}
    together = write(toy, ["a\n", "a\n", "a\n"], seed=(1, 2, 1), **warm)
    assert together[0].canvas == together[2].canvas != together[1].canvas
    assert write(toy, "a\n", seed=2, **warm)[0].canvas == together[1].canvas


def test_as_many_seeds_as_prompts_are_needed(toy):
    with pytest.raises(axon.AxonError, match=r"seed.*got 2 for 1"):
        write(toy, "a\n", seed=(1, 2))


# Prompts


def test_prompts_may_be_texts_chats_ids_canvases_and_lists_of_them(toy):
    settings = axon.Settings(4, 4)
    chat = [{"role": "user", "content": "hello"}]
    ids = toy.encode("hello\n")
    canvas = axon.Canvas.from_prompt(ids, 4, toy.mask_id)
    for prompt in ("hello\n", chat, ids, tuple(ids), canvas, np.array(ids), torch.tensor(ids)):
        assert to_canvases(toy, prompt, settings) == [canvas]
    assert to_canvases(toy, ["hello\n", chat, ids, canvas], settings) == [canvas] * 4


@pytest.mark.parametrize("kind", [np.array, torch.tensor], ids=["numpy", "torch"])
def test_a_list_of_arrays_is_a_list_of_prompts(toy, kind):
    found = to_canvases(toy, [kind([1, 2]), kind([3, 4, 5])], axon.Settings(4, 4))
    assert [canvas.tokens[:-4] for canvas in found] == [(1, 2), (3, 4, 5)]
    assert len(to_canvases(toy, kind([[1, 2], [3, 4]]), axon.Settings(4, 4))) == 2


BAD_PROMPTS = [
    ([3, 97, 4], "mask token 97"),
    ([[3], [4, 97]], "prompt 1 contains the mask token 97"),
    ([3, 98], "token 98"),
    ([3, -1], "token -1"),
    ("", "prompt 0 is empty"),
    (["a", ""], "prompt 1 is empty"),
    ([], "prompts is empty"),
    ([[]], "prompt 0 is empty"),
    (None, "NoneType"),
    (7, "int"),
    ({"role": "user", "content": "x"}, "dict"),
    ([1.5, 2.5], "float"),
    ([True, False], "bool"),
    ([["a", "b"]], "str"),
    ([[1, "b"]], "int and str"),
    ([{"role": "user"}], "role and a content"),
    ([{"role": "user", "content": 5}], "role and a content"),
    ([3] * 2000, r"2096 positions.*2000 given and 96 to write.*toy allows 2048"),
    ("naïve", "ï"),
]


@pytest.mark.parametrize(("prompt", "says"), BAD_PROMPTS, ids=[says[:30] for _, says in BAD_PROMPTS])
def test_a_wrong_prompt_is_refused_in_one_sentence(toy, prompt, says):
    with pytest.raises(axon.AxonError, match=says) as caught:
        write(toy, prompt)
    assert "\n" not in str(caught.value)


def test_wrong_prompts_are_refused_before_the_stream_is_read(toy):
    with pytest.raises(axon.AxonError, match="empty"):
        axon.stream(toy, [])


BAD_CANVASES = [
    ((1, 2), (False, False), "at least one free position"),
    ((1,), (False, True), "one free flag per token"),
    ((1, 2), (False, True), "mask token 97 at every free position"),
    ((97, 97), (False, True), "contains the mask token"),
    ((500, 97), (False, True), "token 500"),
    (("a", 97), (False, True), "'a'"),
    ((1.5, 97), (False, True), "1.5"),
]


@pytest.mark.parametrize(("tokens", "free", "says"), BAD_CANVASES, ids=[says for *_, says in BAD_CANVASES])
def test_a_wrong_canvas_is_refused_in_one_sentence(toy, tokens, free, says):
    def use():
        write(toy, axon.Canvas(tokens, free))

    with pytest.raises(axon.AxonError, match=says):
        use()


@pytest.mark.parametrize(
    ("text", "says"),
    [("no hole", "no hole"), ("a[MASK:0]", r"\[MASK:0\]"), ("a[MASK:-2]b", r"\[MASK:-2\]"), ("a[MASK:x]b", "no hole")],
)
def test_a_text_without_usable_holes_is_refused(toy, text, says):
    with pytest.raises(axon.AxonError, match=says):
        axon.Canvas.from_text(toy, text)


# Settings

BAD_SETTINGS = [
    ("max_new_tokens", 0),
    ("max_new_tokens", -8),
    ("max_new_tokens", 1.5),
    ("max_new_tokens", "many"),
    ("max_new_tokens", None),
    ("block_length", 0),
    ("block_length", -1),
    ("block_length", 12),
    ("block_length", 64),
    ("block_length", 2.0),
    ("temperature", -0.5),
    ("temperature", "hot"),
    ("temperature", float("nan")),
    ("temperature", float("inf")),
    ("seed", -1),
    ("seed", 1.5),
    ("seed", None),
    ("cache", "suffix"),
    ("cache", None),
    ("stop_at_eos", 1),
    ("stop_at_eos", "no"),
    ("stop", "text"),
    ("stop", ("a", "")),
    ("stop", ("a", 5)),
    ("stop", None),
    ("stop", 5),
    ("batch_size", 0),
    ("batch_size", 2.5),
]


@pytest.mark.parametrize(("name", "value"), BAD_SETTINGS, ids=[f"{name}={value}" for name, value in BAD_SETTINGS])
def test_a_wrong_setting_is_refused_by_name(name, value):
    with pytest.raises(axon.AxonError) as caught:
        axon.Settings(**{"max_new_tokens": 32, "block_length": 32} | {name: value})
    assert name in str(caught.value)
    assert str(value) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_block_larger_than_the_text_says_what_to_do():
    with pytest.raises(axon.AxonError, match=r"block_length 32.*max_new_tokens 16.*divides"):
        axon.Settings(max_new_tokens=16)


@pytest.mark.parametrize("decoder", ["dawn", decoders.Dawn, 3])
def test_a_decoder_that_is_none_is_refused(toy, decoder):
    with pytest.raises(axon.AxonError, match="decoder must be a Decoder"):
        axon.generate(toy, "a", decoder)


def test_settings_that_are_none_are_refused(toy):
    with pytest.raises(axon.AxonError, match="settings must be"):
        axon.generate(toy, "a", SURE, {"max_new_tokens": 4})


def test_stop_texts_need_a_tokenizer(llada):
    with pytest.raises(axon.AxonError, match="tokenizer"):
        axon.generate(llada, [1, 2], SURE, axon.Settings(4, 4, stop=("a",)))


def test_text_needs_a_tokenizer_and_tokens_do_not(llada):
    (out,) = axon.generate(llada, [1, 2], SURE, axon.Settings(4, 4, stop_at_eos=False))
    assert len(out.tokens) == 4
    for use in (
        lambda: out.text,
        lambda: axon.generate(llada, "hello"),
        lambda: axon.Canvas.from_text(llada, "a[MASK]"),
    ):
        with pytest.raises(axon.AxonError, match="without a tokenizer"):
            use()


def test_a_prompt_longer_than_the_checkpoint_allows_is_refused(checkpoint):
    longest = [1] * (checkpoint.max_length - 4)
    axon.stream(checkpoint, longest, SURE, axon.Settings(4, 4))
    with pytest.raises(axon.AxonError, match=f"{checkpoint.max_length + 1} positions"):
        axon.stream(checkpoint, [*longest, 1], SURE, axon.Settings(4, 4))
