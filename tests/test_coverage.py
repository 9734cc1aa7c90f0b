"""AXON's gate and its choice of anchors, against plain loops written from axon.md."""

import math
from dataclasses import dataclass
from itertools import combinations

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from axon import Axon
from axon.decoders import Confidence, Decoder, Proposal
from axon.support import coverage, gate
from cases import chosen, signals

# Numbers with few binary digits, so that sums are exact in any order and ties are real ties.
sixteenths = st.integers(0, 16).map(lambda n: n / 16)


def matrices(size):
    return st.lists(st.lists(sixteenths, min_size=size, max_size=size), min_size=size, max_size=size)


def subsets(size):
    return st.lists(st.booleans(), min_size=size, max_size=size)


def worth(weight, places, objective="facility"):
    """C(S) or GC(S), by loops."""
    if not places:
        return 0.0
    combine = max if objective == "facility" else sum
    return sum(combine(row[j] for j in places) for row in weight)


def run(weight, candidates, limit, target=None, **options):
    """greedy() on one row, as a list of positions."""
    found = coverage.greedy(
        torch.tensor([weight], dtype=torch.float64),
        torch.tensor([candidates]),
        limit=torch.tensor([limit]),
        target=None if target is None else torch.tensor([target], dtype=torch.float64),
        **options,
    )
    return found[0].nonzero().flatten().tolist()


# The objective


@given(matrices(5), subsets(5), subsets(5))
def test_coverage_never_falls_when_a_position_is_added(weight, small, extra):
    large = [a or b for a, b in zip(small, extra, strict=True)]
    w = torch.tensor([weight, weight], dtype=torch.float64)
    for objective in coverage.OBJECTIVES:
        less, more = coverage.value(w, torch.tensor([small, large]), objective).tolist()
        assert less <= more
        assert less == worth(weight, [j for j in range(5) if small[j]], objective)


@given(matrices(5), subsets(5), subsets(5))
def test_a_position_gains_less_the_more_is_chosen(weight, small, extra):
    large = [a or b for a, b in zip(small, extra, strict=True)]
    w = torch.tensor([weight, weight], dtype=torch.float64)
    cover = (w * torch.tensor([small, large])[:, None]).amax(dim=2)
    little, much = coverage.gains(w, cover, "facility").tolist()
    for j in range(5):
        assert 0 <= much[j] <= little[j]
        before = [k for k in range(5) if small[k]]
        assert little[j] == worth(weight, {*before, j}) - worth(weight, before)


@given(matrices(6), subsets(6).filter(any), st.integers(1, 6))
def test_greedy_reaches_its_share_of_the_best_choice(weight, candidates, limit):
    found = run(weight, candidates, limit)
    allowed = [j for j in range(6) if candidates[j]]
    size = min(limit, len(allowed))
    assert len(found) == size
    assert set(found) <= set(allowed)
    best = max(worth(weight, places) for places in combinations(allowed, size))
    assert worth(weight, found) >= (1 - 1 / math.e) * best - 1e-12


@given(matrices(6), st.integers(1, 6))
def test_greedy_is_the_best_choice_of_a_graph_cut(weight, limit):
    found = run(weight, [True] * 6, limit, objective="graph_cut")
    best = max(worth(weight, places, "graph_cut") for places in combinations(range(6), limit))
    assert worth(weight, found, "graph_cut") == best


def test_facility_location_spreads_where_a_graph_cut_repeats_itself():
    weight = [[0.5, 0.5, 0.0], [0.5, 0.375, 0.0], [0.0, 0.0, 0.25]]
    assert run(weight, [True] * 3, 2, objective="facility") == [0, 2]
    assert run(weight, [True] * 3, 2, objective="graph_cut") == [0, 1]


@given(matrices(6), subsets(6).filter(any))
def test_cover_reaches_what_the_base_would_cover_and_takes_no_more(weight, base):
    goal = worth(weight, [j for j in range(6) if base[j]])
    found = run(weight, [True] * 6, 6, goal)
    assert found
    assert worth(weight, found) >= goal * (1 - 1e-6)
    # Greedy adds one at a time, so without its last anchor it was short of the goal.
    if len(found) > 1:
        assert any(worth(weight, set(found) - {last}) < goal for last in found)


def test_cover_takes_one_anchor_even_when_the_base_covers_nothing():
    assert run([[0.0, 0.0], [0.0, 0.0]], [True, True], 2, 0.0) == [0]


def test_cover_stops_when_nothing_more_can_be_gained():
    assert run([[0.5, 0.0, 0.0]] * 3, [True] * 3, 3, 100.0) == [0]


def test_a_fixed_budget_is_spent_even_on_anchors_that_gain_nothing():
    assert run([[0.5, 0.0, 0.0]] * 3, [True] * 3, 2) == [0, 1]


@given(matrices(6), st.integers(1, 3))
def test_the_cap_is_respected(weight, limit):
    assert len(run(weight, [True] * 6, limit, 1000.0)) <= limit


def test_ties_go_to_the_lowest_position():
    weight = [[0.0, 0.25, 0.25, 0.25]] * 4
    assert run(weight, [True] * 4, 1) == [1]
    assert run(weight, [True, False, True, True], 1) == [2]


def test_a_tie_break_decides_only_between_equals():
    weight = [[0.25, 0.25, 0.5]]
    weight = weight + [[0.0] * 3] * 2
    tie_break = torch.tensor([[0.0, 1e-6, 0.0]], dtype=torch.float64)
    assert run(weight, [True, True, False], 1, tie_break=tie_break) == [1]
    assert run(weight, [True, True, True], 1, tie_break=tie_break) == [2]


def test_redundancy_prices_shared_support_and_stops_when_nothing_pays():
    # 1 shares all of its support with 0; 2 shares none but is worth less.
    weight = [[1.0, 0.75, 0.0], [1.0, 1.5, 0.0], [0.0, 0.0, 0.125]]
    assert run(weight, [True] * 3, 2) == [0, 1]
    assert run(weight, [True] * 3, 2, redundancy=1.0) == [1, 2]
    assert run([*weight[:2], [0.0] * 3], [True] * 3, 3, redundancy=1.0) == [1]


@given(st.lists(st.tuples(matrices(4), subsets(4), st.integers(1, 4), sixteenths), min_size=2, max_size=4))
def test_rows_chosen_together_equal_rows_chosen_one_by_one(rows):
    weights, candidates, limits, targets = zip(*rows, strict=True)
    for target in (None, torch.tensor(targets, dtype=torch.float64)):
        together = coverage.greedy(
            torch.tensor(weights, dtype=torch.float64),
            torch.tensor(candidates),
            limit=torch.tensor(limits),
            target=target,
            redundancy=0.25,
        )
        for index, (weight, allowed, limit, goal) in enumerate(rows):
            expected = run(weight, allowed, limit, None if target is None else goal, redundancy=0.25)
            assert together[index].nonzero().flatten().tolist() == expected


# The gate


@pytest.mark.parametrize(
    ("masked", "step", "budget", "share", "whole"),
    [
        (32, 0, 16, 1 / 16, 2 / 32),
        (30, 0, 16, 1 / 16, 2 / 30),
        (5, 13, 16, 1 / 3, 2 / 5),
        (5, 15, 16, 1, 1),
        (5, 16, 16, 1, 1),
        (5, 40, 16, 1, 1),
        (3, 0, 16, 1 / 16, 1 / 3),
    ],
)
def test_required_pace(masked, step, budget, share, whole):
    rows = torch.arange(40)[None] < masked
    for rounded, expected in ((False, share), (True, whole)):
        pace = gate.required_pace(rows, torch.tensor([step]), budget, rounded, torch.float64)
        assert pace.item() == pytest.approx(expected, abs=1e-12)


def readings(r=0.5, u=0.5, g=0.5, d_pace=0.0, d_ctx=0.0):
    return gate.Deficits(*(torch.tensor([float(value)]) for value in (r, 0.5, u, g, d_pace, d_ctx)))


def opens(kind, alpha, **values):
    return gate.is_open(kind, alpha, readings(**values), torch.tensor([[True]])).item()


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.01, 0.99))
def test_a_hybrid_gate_between_its_ends_is_a_plain_or(d_ctx, d_pace, alpha):
    assume(min(abs(d_ctx), abs(d_pace)) > 1e-6 or (d_ctx, d_pace) == (0, 0))
    assert opens("hybrid", alpha, d_ctx=d_ctx, d_pace=d_pace) == (d_ctx > 0 or d_pace > 0)


@pytest.mark.parametrize(("d_ctx", "d_pace"), [(a, b) for a in (-0.5, 0, 0.5) for b in (-0.5, 0, 0.5)])
def test_a_hybrid_gate_at_its_ends_is_context_or_pace(d_ctx, d_pace):
    values = {"d_ctx": d_ctx, "d_pace": d_pace}
    assert opens("hybrid", 1.0, **values) == opens("context", 0.3, **values) == (d_ctx > 0)
    assert opens("hybrid", 0.0, **values) == opens("pace", 0.3, **values) == (d_pace > 0)


@pytest.mark.parametrize(("alpha", "is_open"), [(0.0, True), (0.5, True), (0.75, False), (1.0, False)])
def test_alpha_moves_a_blend_from_doubt_to_pace(alpha, is_open):
    assert opens("blend", alpha, r=0.25, u=0.75, g=0.375) is is_open


def test_every_gate_is_closed_when_nothing_is_uncertain():
    for kind in gate.GATES:
        read = readings(d_ctx=1, d_pace=1, g=0)
        assert gate.is_open(kind, 0.5, read, torch.tensor([[True]])).item()
        assert not gate.is_open(kind, 0.5, read, torch.tensor([[False]])).item()


# The whole of AXON


@dataclass(frozen=True)
class Given(Decoder):
    """A base that proposes what it is told, one tuple of offsets per row."""

    places: tuple[tuple[int, ...], ...]

    def propose(self, signals, state):
        reveal = torch.zeros_like(signals.masked)
        for row, places in enumerate(self.places):
            reveal[row, list(places)] = True
        return Proposal(reveal)


def plain_axon(axon, c, base, attention, sinks, step):
    """axon.md, word by word: c[i] is None where revealed. Returns the readings, open, anchors, committed."""
    block = range(len(c))
    masked = [i for i in block if c[i] is not None]
    uncertain = [i for i in masked if (i not in base if axon.uncertain == "residual" else c[i] < axon.uncertain)]
    r = len(base) / len(masked)
    left = axon.steps - step
    rho = 1 if left <= 0 else math.ceil(len(masked) / left) / len(masked) if axon.whole_pace else 1 / left
    backing = set(base) | ({i for i in block if c[i] is None} if axon.support == "visible" else set())
    u, g = 0.0, 1.0
    if uncertain:
        u = sum(1 - c[i] for i in uncertain) / len(uncertain)
        shares = [sum(attention[i][j] for j in backing) / (sum(attention[i]) + 1e-8) for i in uncertain]
        g = sum(shares) / len(uncertain)
    # In these tests the pace one step earlier is always 1, so it never counts as rising.
    d_pace, d_ctx = rho - r, max(axon.beta_r * r, axon.beta_u * u) - g
    is_open = {
        "context": d_ctx > 0,
        "pace": d_pace > 0,
        "hybrid": axon.alpha * max(0, d_ctx) + (1 - axon.alpha) * max(0, d_pace) > 0,
        "blend": g < axon.alpha * r + (1 - axon.alpha) * u,
    }[axon.gate]
    is_open = is_open and bool(uncertain) and (axon.anchor_steps is None or step < axon.anchor_steps)
    anchors = plain_anchors(axon, c, masked, uncertain, base, attention, sinks) if is_open else []
    committed = set(base) | set(anchors) if axon.commit == "union" or not anchors else set(anchors)
    return (r, rho, u, g, d_pace, d_ctx), is_open, sorted(anchors), sorted(committed)


def plain_anchors(axon, c, masked, uncertain, base, attention, sinks):
    def weight(i, j, cleaned):
        if cleaned and ((axon.sink is not None and sinks[j] > axon.sink) or (axon.drop_self and i == j)):
            return 0.0
        return attention[i][j] * (1 - c[i]) * c[j]

    def value(places, rows, cleaned):
        combine = max if axon.objective == "facility" else sum
        return sum(combine(weight(i, j, cleaned) for j in places) for i in rows) if places else 0.0

    rows = masked if axon.rows == "masked" else uncertain
    pool = [j for j in masked if c[j] >= axon.pool]
    if axon.candidates is not None:
        pool = sorted(pool, key=lambda j: (-c[j], j))[: axon.candidates]
    pool = [j for j in pool if axon.commit == "replace" or j not in base]
    cover = axon.budget == "cover"
    limit = len(masked) if cover else axon.budget
    if cover and axon.cap == "log2":
        limit = math.ceil(math.log2(len(masked) + 1))
    target = value(base, uncertain, cleaned=False)
    anchors = []
    while len(anchors) < min(limit, len(pool)):
        marginal = {}
        for j in sorted(set(pool) - set(anchors)):
            gain = value([*anchors, j], rows, True) - value(anchors, rows, True)
            price = sum(min(weight(i, j, True), weight(i, k, True)) for i in rows for k in anchors)
            marginal[j] = gain - axon.redundancy * price
        if axon.select == "confidence":
            pick = max(marginal, key=lambda j: (c[j], -j))
        else:
            pick = max(marginal, key=lambda j: (marginal[j] + axon.tie_break * c[j], -j))
            if anchors and marginal[pick] <= 0 and (cover or axon.redundancy > 0):
                break
        anchors.append(pick)
        if cover and value(anchors, rows, True) >= target * (1 - 1e-6):
            break
    return anchors


@st.composite
def situations(draw, rows=1):
    """Rows of a block: confidences (None: revealed), base proposals, attention, sinks."""
    width = draw(st.integers(2, 7))
    inner = st.integers(1, 15).map(lambda n: n / 16)
    found = []
    for _ in range(rows):
        c = draw(st.lists(st.one_of(st.none(), inner), min_size=width, max_size=width).filter(any))
        masked = [i for i in range(width) if c[i] is not None]
        base = draw(st.lists(st.sampled_from(masked), unique=True))
        found.append(
            (c, sorted(base), draw(matrices(width)), draw(st.lists(sixteenths, min_size=width, max_size=width)))
        )
    return found


choices = st.fixed_dictionaries(
    {},
    optional={
        "budget": st.sampled_from([1, 2, 3, "cover"]),
        "gate": st.sampled_from(gate.GATES),
        "alpha": st.sampled_from([0.0, 0.25, 0.75, 1.0]),
        "beta_r": st.sampled_from([0.0, 0.5, 2.0]),
        "beta_u": st.sampled_from([0.0, 0.5, 2.0]),
        "steps": st.sampled_from([1, 3, 16]),
        "uncertain": st.sampled_from(["residual", 0.5, 0.9]),
        "sink": st.sampled_from([None, 0.25, 0.5]),
        "drop_self": st.booleans(),
        "objective": st.sampled_from(coverage.OBJECTIVES),
        "redundancy": st.sampled_from([0.0, 0.25, 1.0]),
        "commit": st.sampled_from(["replace", "replace", "union"]),
        "anchor_steps": st.sampled_from([None, 1, 2]),
        "candidates": st.sampled_from([None, None, 3]),
        "cap": st.sampled_from([None, "log2"]),
        "support": st.sampled_from(["proposal", "visible"]),
        "pool": st.sampled_from([0.0, 0.5]),
        "select": st.sampled_from(["coverage", "coverage", "confidence"]),
    },
)


def propose(axon, rows, step):
    """AXON's proposal for rows of hand-made signals, each with its pace one step earlier at 1."""
    made = signals(
        [row[0] for row in rows],
        step=step,
        attention=[row[2] for row in rows],
        sinks=[row[3] for row in rows],
        need=axon._attention,
    )
    return axon.propose(made, [axon.start() for _ in rows])


@given(situations(), choices, st.sampled_from(["released", "paper"]), st.integers(0, 4))
@settings(max_examples=150)
def test_axon_does_what_the_plain_loops_do(rows, options, preset, step):
    ((c, base, attention, sinks),) = rows
    axon = getattr(Axon, preset)(Given((tuple(base),)), **options)
    numbers, is_open, anchors, committed = plain_axon(axon, c, base, attention, sinks, step)
    # In union mode the two limits of the candidates have a test of their own.
    assume(axon.commit == "replace" or axon.candidates is None)
    # Where a deficit is nothing but rounding, either answer is right.
    r, _, u, g, d_pace, d_ctx = numbers
    blend = axon.alpha * r + (1 - axon.alpha) * u - g
    assume(min(abs(d_ctx), abs(d_pace), abs(blend)) > 1e-6)
    proposal = propose(axon, rows, step)
    (reading,) = proposal.gate
    seen = (reading.r, reading.rho, reading.u, reading.g, reading.d_pace, reading.d_ctx)
    assert seen == pytest.approx(numbers, abs=1e-9)
    assert reading.open == is_open
    assert list(reading.anchors) == anchors
    assert list(reading.proposed) == base
    assert chosen(proposal) == committed


@given(situations(rows=3), choices, st.sampled_from(["released", "paper"]), st.integers(0, 4))
@settings(max_examples=60)
def test_axon_on_many_rows_is_axon_on_each(rows, options, preset, step):
    build = getattr(Axon, preset)
    together = propose(build(Given(tuple(tuple(row[1]) for row in rows)), **options), rows, step)
    for index, row in enumerate(rows):
        single = propose(build(Given((tuple(row[1]),)), **options), [row], step)
        assert chosen(together, index) == chosen(single)
        assert together.gate[index] == single.gate[0]


def test_union_draws_from_the_most_confident_masked_positions_that_the_base_left():
    axon = Axon.paper(Given(((0,),)), budget=3, commit="union", candidates=2)
    made = signals([0.75, 0.5, 0.25, 0.125], attention=[[0.25] * 4] * 4, sinks=[0.0] * 4, need=axon._attention)
    (reading,) = axon.propose(made, [axon.start()]).gate
    assert reading.anchors == (1,)


def test_a_rising_pace_needs_no_help():
    axon = Axon.paper(Given(((0,),)), gate="pace", steps=2)
    rows = [([0.5, 0.5, 0.5], [0], [[0.25] * 3] * 3, [0.0] * 3)]
    made = signals([rows[0][0]], step=1, attention=rows[0][2], sinks=rows[0][3], need=axon._attention)
    for before, is_open in ((0.25, False), (1 / 3, True), (0.5, True)):
        (reading,) = axon.propose(made, [axon.start()._replace(pace=before)]).gate
        assert reading.open is is_open


def test_the_pace_of_an_earlier_block_is_forgotten():
    axon = Axon.paper(Given(((0,),)), gate="pace", steps=1)
    made = signals([0.5, 0.5], step=0, attention=[[0.5] * 2] * 2, sinks=[0.0] * 2, need=axon._attention)
    (reading,) = axon.propose(made, [axon.start()._replace(pace=0.0)]).gate
    assert reading.d_pace == 0.5


def test_the_random_control_draws_from_the_candidates_and_repeats_itself():
    axon = Axon.paper(Given(((0,),)), budget=2, select="random", commit="union")
    made = signals([0.25] * 12, attention=[[0.0625] * 12] * 12, sinks=[0.0] * 12, need=axon._attention)
    first, second = (axon.propose(made, [axon.start()]) for _ in range(2))
    assert chosen(first) == chosen(second)
    assert len(chosen(first)) == 3
    assert chosen(first)[:1] == [0]


def test_supported_positions_attend_to_an_anchor_more_than_to_their_block():
    attention = [[0.0, 0.5, 0.25, 0.25], [0.25] * 4, [0.5, 0.125, 0.125, 0.25], [0.25, 0.5, 0.125, 0.125]]
    axon = Axon.paper(Given(((3,),)))
    made = signals([0.5, 0.875, 0.5, 0.5], attention=attention, sinks=[0.0] * 4, need=axon._attention)
    (reading,) = axon.propose(made, [axon.start()]).gate
    assert reading.anchors == (1,)
    assert reading.supported == (0,)


def test_the_presets_are_the_two_readings():
    base = Confidence()
    paper, released = Axon.paper(base), Axon.released(base)
    assert Axon(base) == released
    assert (released.gate, released.uncertain, released.anchor_steps, released.candidates) == (
        "context",
        "residual",
        1,
        32,
    )
    assert (released.layers, released.sink, released.drop_self, released.cap) == (1 / 8, 0.01, True, "log2")
    assert (paper.gate, paper.alpha, paper.uncertain, paper.steps) == ("hybrid", 0.2, 0.9, 16)
    assert (paper.anchor_steps, paper.candidates, paper.layers) == (None, None, "all")
    assert (paper.sink, paper.drop_self, paper.cap) == (None, False, None)
    assert Axon.paper(base, alpha=0.9).alpha == 0.9
    assert Axon.released(base, sink=0.03, gate="pace").gate == "pace"
