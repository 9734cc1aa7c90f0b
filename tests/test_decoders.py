"""Each published rule on signals made by hand, the parameters it refuses, and decoders from text."""

from functools import partial

import pytest
import torch

import axon
from axon import decoders
from axon.decoders import Confidence, Dawn, DreamSchedule, Factor, Klass, LocalLeap, Sequential
from axon.decoders.base import best, top
from axon.decoders.dawn import independent
from cases import DECODERS, chosen, every, signals


def reveals(decoder, confidence, **situation):
    """What a stateless decoder chooses on one row, as offsets in the block."""
    return chosen(decoder.propose(signals(confidence, **situation), [decoder.start()]))


# Shared choices


def test_top_takes_the_best_allowed_and_the_lowest_of_equals():
    score = torch.tensor([[0.5, 0.9, 0.5, 0.5], [0.1, 0.2, 0.3, 0.4]])
    allowed = torch.tensor([[True, False, True, True], [True, True, True, True]])
    found = top(score, allowed, torch.tensor([2, 9]))
    assert found.tolist() == [[True, False, True, False], [True] * 4]


def test_best_of_nothing_is_nothing():
    allowed = torch.tensor([[False, False], [False, True]])
    assert best(torch.ones(2, 2), allowed).tolist() == [[False, False], [False, True]]


# Sequential


def test_sequential_takes_the_single_most_confident_and_the_lowest_of_equals():
    assert reveals(Sequential(), [0.25, None, 0.5, 0.5]) == [2]


@pytest.mark.parametrize(
    ("step", "counts"), [(0, 4), (1, 3), (2, 3)], ids=["the first takes the remainder", "the second", "the third"]
)
def test_sequential_splits_a_block_into_its_steps(step, counts):
    row = [n / 16 for n in range(1, 11)]
    assert len(reveals(Sequential(steps=3), row, step=step, opened=10)) == counts


@pytest.mark.parametrize(("block", "share"), [(0, 3), (1, 3), (2, 2), (3, 2)])
def test_steps_that_do_not_divide_go_to_the_earlier_blocks(block, share):
    row = [n / 16 for n in range(1, 13)]
    expected = 12 // share
    assert len(reveals(Sequential(steps=10), row, block=block, blocks=4)) == expected


def test_sequential_never_plans_a_step_without_a_reveal():
    assert reveals(Sequential(steps=64), [0.25, 0.5], step=50, opened=2) == [1]
    assert reveals(Sequential(steps=1), [0.25, 0.5], block=3, blocks=4) == [0, 1]


# Dream's schedule


def test_dream_without_steps_reveals_one_each_time():
    assert reveals(DreamSchedule("maskgit_plus"), [0.25, 0.5, 0.5], step=7) == [1]


def test_dream_reveals_nothing_first_and_two_last_when_steps_equal_positions():
    row = [n / 64 for n in range(1, 33)]
    rule = DreamSchedule("maskgit_plus", steps=32)
    first = rule.propose(signals(row), [None])
    assert chosen(first) == []
    assert first.wait.tolist() == [True]
    assert reveals(rule, [None] * 30 + [0.5, 0.25], step=31) == [30, 31]


def test_dream_takes_the_share_of_its_time_step():
    # Four steps from 1 to 0.001: of 8 positions int(8 * 0.24975) = 1 at the first, a third of 7 at the second.
    rule = DreamSchedule("maskgit_plus", steps=4)
    assert reveals(rule, [n / 16 for n in range(1, 9)], step=0) == [7]
    assert reveals(rule, [n / 16 for n in range(1, 8)] + [None], step=1) == [5, 6]


def test_dream_reveals_all_that_is_left_at_and_after_its_last_step():
    rule = DreamSchedule("maskgit_plus", steps=2)
    assert reveals(rule, [0.25, 0.25, 0.25], step=1) == [0, 1, 2]
    assert reveals(rule, [0.25, None, 0.25], step=5) == [0, 2]


@pytest.mark.parametrize(("order", "pick"), [("maskgit_plus", 0), ("topk_margin", 1), ("entropy", 2)])
def test_dream_orders_rank_by_different_numbers(order, pick):
    row = signals([0.75, 0.5, 0.5], margin=[0.25, 0.5, 0.125], neg_entropy=[-2.0, -1.5, -1.0])
    assert chosen(DreamSchedule(order).propose(row, [None])) == [pick]


def test_dream_asks_only_for_what_ranks():
    asked = {order: DreamSchedule(order).needs for order in ("maskgit_plus", "topk_margin", "entropy")}
    assert [need.entropy for need in asked.values()] == [False, False, True]
    assert [need.margin for need in asked.values()] == [False, True, False]


# Confidence, Factor, LocalLeap


def test_confidence_reveals_at_the_threshold_and_above():
    assert reveals(Confidence(0.75), [0.75, 0.5, None, 0.875]) == [0, 3]


def test_confidence_reveals_the_most_confident_when_none_is_sure():
    assert reveals(Confidence(0.9), [0.25, 0.5, 0.5]) == [1]


def test_factor_takes_the_longest_prefix_that_holds():
    # Thresholds for the 2nd to 4th: 1 - 1/3, 1 - 1/4, 1 - 1/5.
    assert reveals(Factor(1.0), [0.9, 0.7, 0.8, 0.1]) == [0, 2]
    assert reveals(Factor(1.0), [0.95, 0.9, 0.8, 0.1]) == [0, 1, 2]


def test_factor_stops_at_the_first_failure():
    # The 2nd fails at 0.6, although a 3rd of 0.6 would not even be looked at.
    assert reveals(Factor(1.0), [0.9, 0.6, 0.6]) == [0]


def test_factor_does_not_reveal_a_last_position_that_fails():
    assert reveals(Factor(1.0), [0.9, 0.1]) == [0]
    assert reveals(Factor(1.0), [0.9, 0.9, 0.1]) == [0, 1]


def test_factor_reveals_a_last_position_that_holds():
    assert reveals(Factor(1.0), [0.9, 0.9]) == [0, 1]
    assert reveals(Factor(1.0), [None, 0.01]) == [1]


def test_localleap_relaxes_only_near_a_sure_position():
    row = [0.75, 0.25, 0.9, 0.75, 0.75, 0.75]
    assert reveals(LocalLeap(0.9, 0.75, 2), row) == [0, 2, 3, 4]
    assert reveals(LocalLeap(0.9, 0.75, 0), row) == [2]


def test_localleap_makes_one_pass_only():
    # 1 is revealed because of 0; it does not carry the relaxed bar on to 2.
    assert reveals(LocalLeap(0.9, 0.75, 1), [0.9, 0.8, 0.8, 0.1]) == [0, 1]


def test_localleap_does_not_count_revealed_positions_as_sure():
    assert reveals(LocalLeap(0.9, 0.75, 4), [None, 0.8, 0.85]) == [2]


# KLASS


def told(*rows):
    """Log-probabilities (W, V) from rows of probabilities."""
    return [torch.tensor(rows, dtype=torch.float64).log()]


def walk(rule, *evaluations, confidence, **situation):
    """The choices along several evaluations of one row."""
    state, found = [rule.start()], []
    for step, log_probs in enumerate(evaluations):
        proposal = rule.propose(signals(confidence, step=step, log_probs=log_probs, **situation), state)
        state = proposal.state
        found.append(chosen(proposal))
    return found


STEADY = told([0.75, 0.25], [0.75, 0.25], [0.5, 0.5])


def test_klass_waits_until_its_divergences_are_real():
    # The third evaluation is the first with two divergences behind it; 0.5 is not above the threshold.
    steps = walk(Klass(0.6, 0.01, 2), STEADY, STEADY, STEADY, confidence=[0.75, 0.75, 0.5])
    assert steps == [[0], [0], [0, 1]]


def test_klass_with_a_history_of_one_is_ready_at_the_second_evaluation():
    assert walk(Klass(0.6, 0.01, 1), STEADY, STEADY, confidence=[0.75, 0.75, 0.5]) == [[0], [0, 1]]


def test_klass_keeps_back_a_position_that_still_moves():
    moved = told([0.75, 0.25], [0.25, 0.75], [0.5, 0.5])
    steps = walk(Klass(0.6, 0.01, 1), moved, STEADY, confidence=[0.75, 0.75, 0.5])
    assert steps == [[0], [0]]


def test_klass_needs_confidence_strictly_above_its_threshold():
    assert walk(Klass(0.75, 0.01, 1), STEADY, STEADY, confidence=[0.75, 0.875, 0.5]) == [[1], [1]]


def test_klass_starts_the_next_block_from_the_evaluation_that_ended_this_one():
    rule = Klass(0.6, 0.01, 1)
    ends = signals([0.75], step=0, block=0, blocks=2, length=3, log_probs=told([0.5, 0.5]))
    state = rule.propose(ends, [rule.start()]).state
    # The look ahead of these signals reads one half everywhere, so an evaluation of one half has not moved.
    opens = signals([0.75, 0.7], start=1, step=0, block=1, blocks=2, log_probs=told([0.5, 0.5], [0.9, 0.1]))
    assert chosen(rule.propose(opens, state)) == [0]


def test_klass_keeps_its_history_when_less_than_it_proposed_is_committed():
    """AXON may put one anchor in the place of a proposal that would have ended the block."""
    rule, steady = Klass(0.6, 0.01, 1), told(*[[0.75, 0.25]] * 3)
    state = [rule.start()]
    for step in (0, 1):
        here = signals([0.75] * 3, step=step, block=0, blocks=2, length=6, log_probs=steady)
        proposal = rule.propose(here, state)
        state = proposal.state
    assert chosen(proposal) == [0, 1, 2]
    after_one_anchor = signals([None, 0.75, 0.75], step=2, block=0, blocks=2, length=6, log_probs=steady)
    assert chosen(rule.propose(after_one_anchor, state)) == [1, 2]


def test_klass_does_not_compare_a_block_with_the_one_before_it():
    """AXON may end a block by adding to the proposal, so the next block can begin where KLASS did not expect it."""
    rule, steady = Klass(0.6, 0.01, 1), told(*[[0.75, 0.25]] * 2)
    first = rule.propose(signals([0.75] * 2, step=0, block=0, blocks=2, length=4, log_probs=steady), [rule.start()])
    assert chosen(first) == [0]
    opened = signals([0.75] * 2, start=2, step=0, block=1, blocks=2, length=4, log_probs=steady)
    assert chosen(rule.propose(opened, first.state)) == [0]


# DAWN


def dawn(confidence, edges, *, start=0, sinks=None, visible=None, **parameters):
    """DAWN on one row; edges lists (i, j, attention) with i an offset in the block and j a position of the row."""
    rule = Dawn(**{"sink": 0.5, "edge": 0.1, "induce": 0.7, "low": 0.7} | parameters)
    length = start + len(confidence)
    attention = torch.zeros(len(confidence), length, dtype=torch.float64)
    for i, j, weight in edges:
        attention[i, j] = weight
    return reveals(
        rule, confidence, start=start, attention=attention, sinks=sinks, visible=visible, need=rule._attention
    )


def test_dawn_reveals_the_sure_ones():
    assert dawn([0.9, 0.95, 0.5], []) == [0, 1]


def test_dawn_reveals_the_most_confident_when_nothing_else_is_left():
    assert dawn([0.25, 0.5, 0.5], []) == [1]


def test_dawn_takes_the_likely_ones_that_do_not_depend_on_each_other():
    assert dawn([0.8, 0.75, 0.7], []) == [0, 1, 2]
    assert dawn([0.75, 0.8, 0.7], [(0, 1, 0.2)]) == [1, 2]
    assert dawn([0.75, 0.8, 0.7], [(1, 0, 0.2)]) == [1, 2]


def test_dawn_counts_attention_at_the_edge_and_not_below():
    assert dawn([0.75, 0.8], [(0, 1, 0.1)]) == [1]
    assert dawn([0.75, 0.8], [(0, 1, 0.09)]) == [0, 1]


def test_dawn_ignores_sinks_and_the_position_itself():
    assert dawn([0.75, 0.8], [(0, 1, 0.9)], sinks=[0.0, 0.6]) == [0, 1]
    assert dawn([0.75, 0.8], [(0, 0, 0.9), (1, 1, 0.9)]) == [0, 1]


def test_dawn_induces_from_a_visible_position_the_model_is_sure_of():
    edge = [(0, 0, 0.2)]
    # Position 0 is visible, the block is 1 and 2; without the induced rule 1 and 2 would exclude each other.
    conflict = [*edge, (1, 1, 0.2)]
    assert dawn([0.7, 0.75], conflict, start=1, visible=[0.9, 0, 0]) == [0, 1]
    assert dawn([0.7, 0.75], conflict, start=1, visible=[0.8, 0, 0]) == [1]
    assert dawn([0.6, 0.95], edge, start=1, visible=[0.9, 0, 0]) == [1], "too unsure to be induced"


def test_dawn_blocks_what_depends_on_a_position_both_sure_and_induced():
    # 1 is sure; with a reliable visible 0 behind it also induced, and then 2, which depends on it, has to wait.
    edges = [(0, 0, 0.2), (1, 1, 0.2)]
    assert dawn([0.95, 0.8], edges, start=1, visible=[0.95, 0, 0]) == [0]
    assert dawn([0.95, 0.8], edges, start=1, visible=[0.5, 0, 0]) == [0, 1]


def test_the_independent_set_stops_when_no_candidate_is_left():
    """The published loop goes on to pick index 0 once conflicts have used the candidates up."""
    candidates = torch.tensor([[False, True, True, True]])
    conflict = torch.zeros(1, 4, 4, dtype=torch.bool)
    conflict[0, 1, 2] = conflict[0, 2, 1] = True
    taken = independent(candidates, conflict, torch.tensor([[0.9, 0.8, 0.75, 0.7]]))
    assert taken.tolist() == [[False, True, False, True]]


def test_dawn_of_one_row_does_not_wait_for_another():
    rule = Dawn(sink=0.5, edge=0.1)
    attention = torch.zeros(2, 3, 3, dtype=torch.float64)
    attention[0, 0, 1] = 0.5
    rows = signals([[0.75, 0.8, 0.1], [0.2, 0.1, 0.3]], attention=attention, need=rule._attention)
    proposal = rule.propose(rows, [None, None])
    assert (chosen(proposal, 0), chosen(proposal, 1)) == ([1], [2])


# Parameters

WRONG = [
    ("sequential", "steps", [0, -1, 1.5, "many", True]),
    ("dreamschedule", "steps", [0, -4, 2.5]),
    ("dreamschedule", "order", ["origin", None, 3]),
    ("dreamschedule", "eps", [-0.1, 1.5, "tiny"]),
    ("confidence", "threshold", [-0.1, 1.1, "high", None, True, float("nan")]),
    ("factor", "factor", [-1, None, float("inf")]),
    ("localleap", "threshold", [1.5, None]),
    ("localleap", "relaxed", [-0.5, 0.95]),
    ("localleap", "radius", [-1, 1.5]),
    ("dawn", "sink", [-1, 2]),
    ("dawn", "edge", [-1, "x"]),
    ("dawn", "induce", [1.5]),
    ("dawn", "low", [-0.5]),
    ("dawn", "confident", [1.01]),
    ("dawn", "layers", [0, -1, 1.5, "some", None, True]),
    ("klass", "threshold", [2]),
    ("klass", "kl", [-0.5]),
    ("klass", "history", [0, 1.5]),
    ("axon", "budget", [0, -1, 1.5, "covers", None, True]),
    ("axon", "gate", ["open", None]),
    ("axon", "alpha", [-0.1, 1.1]),
    ("axon", "beta_r", [-1, "x"]),
    ("axon", "beta_u", [-1]),
    ("axon", "steps", [0, None]),
    ("axon", "uncertain", ["rest", 1.5, None]),
    ("axon", "layers", [0, "last"]),
    ("axon", "sink", [-0.1, "none of it"]),
    ("axon", "drop_self", [1, "yes"]),
    ("axon", "objective", ["coverage"]),
    ("axon", "redundancy", [-1]),
    ("axon", "commit", ["both"]),
    ("axon", "anchor_steps", [0, 1.5]),
    ("axon", "candidates", [0]),
    ("axon", "cap", ["log", 3]),
    ("axon", "support", ["all"]),
    ("axon", "pool", [-0.1, 1.5]),
    ("axon", "select", ["best"]),
    ("axon", "rows", ["all"]),
    ("axon", "whole_pace", [0]),
    ("axon", "tie_break", [-1]),
]


@pytest.mark.parametrize(("name", "parameter", "value"), [(n, p, v) for n, p, vs in WRONG for v in vs])
def test_a_wrong_parameter_is_refused_by_name(name, parameter, value):
    build = partial(axon.Axon, Confidence()) if name == "axon" else decoders.registered()[name]
    with pytest.raises(axon.AxonError) as caught:
        build(**{parameter: value})
    message = str(caught.value)
    assert message.startswith(parameter)
    assert repr(value) in message


def test_every_parameter_has_a_wrong_value_under_test():
    known = {(name, f) for name, cls in decoders.registered().items() for f in cls.__dataclass_fields__}
    known |= {("axon", f) for f in axon.Axon.__dataclass_fields__ if f != "base"}
    assert known == {(name, parameter) for name, parameter, _ in WRONG}


@pytest.mark.parametrize("base", ["confidence", None, Confidence])
def test_axon_needs_a_decoder_as_its_base(base):
    with pytest.raises(axon.AxonError, match="base must be a decoder"):
        axon.Axon(base)


# Decoders from text


@every(DECODERS)
def test_a_decoder_is_what_its_text_says(decoder):
    again = axon.decoder(str(decoder))
    assert again == decoder
    assert str(again) == str(decoder)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dawn", Dawn()),
        ("  LocalLeap ( radius = 2 ) ", LocalLeap(radius=2)),
        ("sequential(steps=none)", Sequential()),
        ("dawn(layers=1/4,edge=1e-1)", Dawn(layers=0.25, edge=0.1)),
        ("dawn(layers=all)", Dawn(layers="all")),
        ("dawn+axon", axon.Axon(Dawn())),
        ("dawn+axon(budget=cover)", axon.Axon(Dawn(), budget="cover")),
        ("confidence+axon.paper", axon.Axon.paper(Confidence())),
        ("confidence+axon.paper(alpha=0.9,budget=3)", axon.Axon.paper(Confidence(), alpha=0.9, budget=3)),
        ("localleap(radius=2)+axon.released(sink=none)", axon.Axon.released(LocalLeap(radius=2), sink=None)),
        ("dreamschedule(order=entropy)+axon(drop_self=false)", axon.Axon(DreamSchedule(), drop_self=False)),
        ("dreamschedule(order='topk_margin')", DreamSchedule("topk_margin")),
        ("confidence(threshold=5e-1)+axon(tie_break=0e+0)", axon.Axon(Confidence(0.5), tie_break=0.0)),
    ],
)
def test_decoders_from_text(text, expected):
    assert axon.decoder(text) == expected


def test_an_unknown_decoder_answers_with_the_known_ones():
    with pytest.raises(axon.AxonError) as caught:
        axon.decoder("wino")
    assert all(name in str(caught.value) for name in ("wino", *decoders.registered()))


def test_an_unknown_wrapper_answers_with_the_known_ones():
    with pytest.raises(axon.AxonError, match=r"dawn.*behind '\+'.*axon, axon\.paper, axon\.released"):
        axon.decoder("confidence+dawn")


@pytest.mark.parametrize("text", ["dawn(threshold=0.9)", "dawn+axon(threshold=0.9)", "klass(base=1)"])
def test_an_unknown_parameter_answers_with_the_allowed_ones(text):
    with pytest.raises(axon.AxonError) as caught:
        axon.decoder(text)
    allowed = ("budget", "gate", "select") if "axon" in text else ("sink", "edge") if "dawn" in text else ("kl",)
    assert all(name in str(caught.value) for name in allowed)


def test_a_wrapper_alone_says_that_it_needs_a_base():
    with pytest.raises(axon.AxonError, match=r"base\+axon"):
        axon.decoder("axon(budget=2)")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "+axon",
        "dawn+",
        "dawn++axon",
        "dawn(",
        "dawn)",
        "dawn(edge=0.1",
        "dawn(edge=0.1))",
        "dawn(edge)",
        "dawn(edge=)",
        "dawn(=1)",
        "dawn(edge=0.1,edge=0.2)",
        "dawn(edge=1/0)",
        "dawn(edge=a/b)",
        "dawn axon",
        "dawn(edge=(0.1))",
        "dawn(edge=0.1)axon",
        "dawn-axon",
        "confidence(threshold=high)",
        "confidence(threshold=nan)",
    ],
)
def test_a_text_that_cannot_be_read_is_refused_in_one_sentence(text):
    with pytest.raises(axon.AxonError) as caught:
        axon.decoder(text)
    assert str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [None, 5, Confidence(), ["dawn"]])
def test_a_decoder_text_must_be_a_text(value):
    with pytest.raises(axon.AxonError, match="text"):
        axon.decoder(value)


def test_two_decoders_cannot_share_a_name():
    with pytest.raises(axon.AxonError, match="dawn exists already"):
        decoders.register(type("Dawn", (Confidence,), {}))
    assert decoders.registered()["dawn"] is Dawn
