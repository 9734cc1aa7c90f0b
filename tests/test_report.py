"""Reports: figures that show the data and nothing else, one page that needs nothing, watching that changes nothing."""

import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations, pairwise

import matplotlib
import numpy as np
import pytest
import typer
from matplotlib.colors import to_rgba
from matplotlib.text import Text
from typer.testing import CliRunner

import axon
from axon import decoders
from axon.cli.report import report
from axon.decoders import texts as decoder_texts
from axon.errors import AxonError
from axon.evaluation.measures import count
from axon.evaluation.records import Records
from axon.evaluation.summary import Comparison, cell
from axon.evaluation.watch import Watch, attention_path, read_watched, trace_path, watch, write_watched
from axon.report import build, words
from axon.report.figures import attention, frontier, gain, gate, labels, pace, registry, style, sweeps, trajectories
from axon.report.html import inline, page
from axon.report.player import embedded, player_data
from axon.report.reveals import Gate, Kind, Row, rows
from axon.report.source import TaskData, read_run
from axon.report.sweeps import grids, said, sweep
from axon.trace import read_trace
from cases import ragged

SETTINGS = axon.Settings(64, 32)
PROMPTS = ["Choose.\n", "Do not guess.\n", "Wait.\n"]
BASE, ONE, COVER = "confidence", "confidence+axon", "confidence+axon(budget=cover)"
SHUT = "confidence+axon(beta_r=0,beta_u=0)"


def refused(call, *arguments, **options):
    """The sentence with which a call is refused."""
    with pytest.raises(AxonError) as caught:
        call(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def write_run(folder, model, texts, prompts, task="spelling", traces=True):
    """An evaluation folder as the runner leaves it, made with the library's own functions."""
    built = {text: axon.decoder(text) for text in texts}
    identity = {
        "model": model.describe(),
        "tasks": {task: "1"},
        "decoders": {text: str(decoder) for text, decoder in built.items()},
        "command": "axon eval --model toy",
    }
    records = Records(folder, identity)
    truth = axon.generate(model, prompts, decoders.Sequential(), SETTINGS)
    for index, (text, decoder) in enumerate(built.items()):
        path = trace_path(folder, task, index)
        path.parent.mkdir(parents=True, exist_ok=True)
        results = axon.generate(model, prompts, decoder, SETTINGS, trace=path if traces else None)
        head = {"task": task, "decoder": text, "chunk": 0, "chunk_size": len(prompts), "seconds": 0.5}
        records.add(
            [
                {**head, "problem": f"p{n}", "text": own.text, **count(own).as_dict(), "correct": own.text == gold.text}
                for n, (own, gold) in enumerate(zip(results, truth, strict=True))
            ]
        )
        if traces:
            seen = {f"p{n}": watch(model, prompt, decoder, SETTINGS) for n, prompt in enumerate(prompts[:2])}
            write_watched(attention_path(folder, task, index), decoder, seen)
    return folder


@pytest.fixture(scope="module")
def folder(toy, tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("run"), toy, [BASE, ONE, COVER, SHUT], PROMPTS)


@pytest.fixture(scope="module")
def data(folder):
    (found,) = read_run(folder).tasks
    return found


@pytest.fixture(scope="module")
def written(folder, tmp_path_factory):
    """The whole report of the folder, written once."""
    return build.write_report([folder], out=tmp_path_factory.mktemp("out"))


def texts(figure):
    """Every text of a figure, titles and labels included."""
    return [item.get_text() for item in figure.findobj(Text) if item.get_text()]


def image(panel):
    return np.ma.filled(panel.images[0].get_array().astype(float), np.nan)


def only(data, *names):
    """The same task with some of its decoders."""
    kept = {field: {n: v for n, v in getattr(data, field).items() if n in names} for field in ("traces", "watched")}
    resolved = {name: data.resolved[name] for name in names}
    cells = {name: data.cells[name] for name in names if name in data.cells}
    return replace(data, decoders=names, resolved=resolved, cells=cells, **kept)


# Watching


def test_a_watched_decode_is_the_same_decode(model):
    rules = [
        axon.decoder(text) for text in ("confidence(threshold=0.5)+axon.paper", "klass", "dawn+axon(budget=cover)")
    ]
    settings = axon.Settings(block_length=4)
    canvases = list(ragged(model.mask_id)[:5])
    for rule in rules:
        plain = axon.generate(model, canvases, rule, settings)
        watched = axon.generate(model, canvases, Watch(rule), settings)
        assert [own.steps for own in watched] == [own.steps for own in plain]


def test_what_was_seen_is_what_the_steps_did(toy):
    rule = axon.decoder(COVER)
    (plain,) = axon.generate(toy, [PROMPTS[0]], rule, SETTINGS)
    seen = watch(toy, PROMPTS[0], rule, SETTINGS)
    assert len(seen) == plain.nfe
    assert any(step.gate.open for step in plain.steps)
    for own, step in zip(seen, plain.steps, strict=True):
        assert (own.block, own.step, own.gate) == (step.block, step.step_in_block, step.gate)
        assert step.origin == "fallback" or own.proposed == step.positions
        sure = dict(zip(own.masked, own.confidence, strict=True))
        assert [sure[place] for place in step.positions] == [round(value, 4) for value in step.confidences]
        assert {len(line) for line in own.attention} == {len(own.attention)} == {32}
        assert all(own.start <= place < own.start + 32 for place in own.masked)


def test_every_row_of_a_batch_has_its_own_record(toy):
    together = Watch(axon.decoder(ONE))
    axon.generate(toy, PROMPTS, together, SETTINGS)
    alone = [watch(toy, prompt, axon.decoder(ONE), SETTINGS) for prompt in PROMPTS]
    # The last digits of a gate's reading may depend on the padding.
    assert [[replace(own, gate=None) for own in seen] for seen in together.rows] == [
        [replace(own, gate=None) for own in seen] for seen in alone
    ]


def test_a_trace_of_a_watched_run_names_the_decoder_inside(toy):
    assert str(Watch(axon.decoder(ONE))) == str(axon.decoder(ONE))
    assert "got 'confidence'" in refused(Watch, "confidence")
    assert "layers" in refused(Watch, axon.decoder(BASE), layers=-1)


def test_what_was_seen_is_read_back_as_it_was(toy, tmp_path):
    seen = watch(toy, PROMPTS[1], axon.decoder(ONE), SETTINGS, layers=1)
    path = tmp_path / "deep" / "seen.json"
    write_watched(path, axon.decoder(ONE), {"p": seen})
    found = read_watched(path)
    assert found.decoder == str(axon.decoder(ONE))
    assert found.rows == {"p": tuple(seen)}


@pytest.mark.parametrize(
    ("text", "why"),
    [("no", "not JSON"), ("[]", "does not say format"), ('{"format": "axon-attention/1", "rows": {}}', "damaged")],
)
def test_a_damaged_record_of_attention_is_one_sentence(tmp_path, text, why):
    (tmp_path / "seen.json").write_text(text)
    assert why in refused(read_watched, tmp_path / "seen.json")
    assert "cannot read" in refused(read_watched, tmp_path / "none.json")
    assert "cannot write" in refused(write_watched, tmp_path / "seen.json" / "x.json", axon.decoder(BASE), {})


# What a reveal is


def test_a_token_is_because_of_an_anchor_only_later_in_the_same_block(data):
    found = set()
    for row in rows(data.traces[COVER]):
        supported = {}
        for step, kinds in zip(row.steps, row.kinds, strict=True):
            for place, kind in zip(step.positions, kinds, strict=True):
                found.add(kind)
                assert (kind is Kind.ANCHOR) == (place in step.gate.anchors)
                assert (kind is Kind.HELPED) == (place in supported.get(step.block, ()) and kind is not Kind.ANCHOR)
            supported.setdefault(step.block, set()).update(step.gate.supported)
    assert found == set(Kind)


def test_a_gate_that_may_not_open_any_more_was_not_read(data):
    row = rows(data.traces[ONE])[0]
    assert {state for step, state in zip(row.steps, row.gates, strict=True) if step.step_in_block} == {Gate.UNREAD}
    assert {state for step, state in zip(row.steps, row.gates, strict=True) if not step.step_in_block} == {Gate.OPEN}
    assert {state for row in rows(data.traces[BASE]) for state in row.gates} == {Gate.UNREAD}


# Reading


def test_a_folder_is_read_with_results_traces_and_attention(folder, data):
    run = read_run(folder)
    assert run.model == "toy"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", run.date)
    assert data.decoders == (BASE, ONE, COVER, SHUT)
    assert data.families == {BASE: [ONE, COVER, SHUT]}
    assert data.cells[ONE] == cell(data.name, ONE, data.records[ONE])
    assert [(pair.decoder, pair.base) for pair in data.comparisons] == [(name, BASE) for name in (ONE, COVER, SHUT)]
    assert data.traces.keys() == data.watched.keys() == {BASE, ONE, COVER, SHUT}
    assert data.problem(ONE, 1) == "p1"
    assert data.speed(ONE) == pytest.approx(sum(record["tokens"] for record in data.records[ONE]) / 1.5)


def test_a_chunk_under_way_does_not_count_yet(folder, tmp_path):
    lines = (folder / "results.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "results.jsonl").write_text("".join(lines[:4]) + lines[4][:20])
    (found,) = read_run(tmp_path).tasks
    assert {name: len(own) for name, own in found.records.items()} == {BASE: 3}


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, "holds no results.jsonl"),
        ({"results.jsonl": ""}, "holds no results yet"),
        ({"results.jsonl": '{"task": 1}\n'}, "line 1 of"),
        ({"results.jsonl": "", "run.json": "{"}, "not valid JSON"),
        ({"results.jsonl": "", "run.json": "[]"}, "does not describe a run"),
    ],
)
def test_a_folder_that_cannot_be_reported_is_one_sentence(tmp_path, files, why):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert why in refused(build.write_report, [tmp_path])


def test_sources_that_make_no_report_are_one_sentence(folder, tmp_path):
    assert "there is no folder and no trace" in refused(build.write_report, [tmp_path / "none"])
    assert "is a folder among 2 inputs" in refused(build.write_report, [folder, folder])
    (tmp_path / "broken.jsonl").write_text("{}\n")
    assert "is not a trace" in refused(build.write_report, [tmp_path / "broken.jsonl"])
    assert "give an evaluation folder" in refused(build.write_report, [])


def test_without_matplotlib_the_sentence_names_the_install_command(folder, monkeypatch):
    monkeypatch.setattr(build, "find_spec", lambda name: None if name == "matplotlib" else True)
    message = refused(build.write_report, [folder])
    assert message == "reports need matplotlib; install with: pip install 'axon-dllm[report]'"


@pytest.mark.parametrize(
    "text", ["confidence", "dawn(low=0.5)", "confidence+axon(budget=cover)", "localleap+axon.paper", "mine(a=1)+axon"]
)
def test_a_resolved_decoder_is_named_as_briefly_as_it_was_given(text):
    resolved = text if text.startswith("mine") else str(axon.decoder(text))
    assert decoder_texts.short(resolved) == text
    assert decoder_texts.wrapped(resolved) == ("+" in text)


def test_equal_numbers_are_one_value_but_one_layer_is_not_all():
    one, other = (
        decoder_texts.parts("confidence+axon(beta_r=1,layers=1)"),
        decoder_texts.parts("confidence+axon(beta_r=1.0,layers=1.0)"),
    )
    assert one[1].values["beta_r"] == other[1].values["beta_r"]
    assert one[1].values["layers"] != other[1].values["layers"]
    assert decoder_texts.base_text("a(x=1e+3)+axon") == "a(x=1000)"


# Figures of the gate


def test_gate_activity_has_a_cell_for_every_evaluation(data):
    figure = gate.activity(data)
    panels = [panel for panel in figure.axes if panel.images]
    assert len(panels) == 3
    for panel, name in zip(panels, (ONE, COVER, SHUT), strict=True):
        cells, own = image(panel), rows(data.traces[name])
        assert cells.shape[0] == len(PROMPTS)
        assert (~np.isnan(cells)).sum() == sum(len(row.steps) for row in own)
        opened = sum(state is Gate.OPEN for row in own for state in row.gates)
        assert (cells == 2).sum() == opened
        assert panel.get_title("left").startswith(f"{name}: ")
    assert f"{SHUT}: never opened" in texts(figure)
    assert {"gate open", "gate closed", "gate not read"} <= set(texts(figure))


def test_firing_rates_are_openings_per_reading(data):
    figure = gate.rates(data)
    by_block, by_step = (image(panel) for panel in figure.axes)
    assert by_block.shape == (3, 2)
    assert by_step.shape == (3, 1)
    read = [state for row in rows(data.traces[ONE]) for state in row.gates if state is not Gate.UNREAD]
    assert by_step[0, 0] == pytest.approx(read.count(Gate.OPEN) / len(read))
    assert (by_block[2] == 0).all()
    assert "0" in texts(figure)


@pytest.mark.parametrize("draw", [gate.activity, gate.rates, pace.unmasked, trajectories.trajectories])
def test_without_traces_these_figures_are_left_out_with_a_reason(data, draw):
    with pytest.raises(style.LeftOut, match=r"there (is|are) no trace"):
        draw(replace(data, traces={}))
    with pytest.raises(style.LeftOut, match="no trace"):
        draw(only(data, BASE))


def test_traces_that_hold_no_step_yet_are_left_out_too(data):
    begun = replace(data, traces={name: replace(trace, steps=()) for name, trace in data.traces.items()})
    with pytest.raises(style.LeftOut, match="no block was traced"):
        trajectories.trajectories(begun)
    with pytest.raises(style.LeftOut, match="no traced decoder has a gate"):
        gate.activity(begun)


# Figures of the reveals


def test_tokens_per_step_add_up_to_what_a_block_revealed(data):
    figure = pace.unmasked(data)
    each, total = figure.axes
    for line, name in zip(each.get_lines(), (BASE, ONE, COVER, SHUT), strict=True):
        own = rows(data.traces[name])
        begun = sum(len({step.block for step in row.steps}) for row in own)
        revealed = sum(len(step.positions) for row in own for step in row.steps)
        assert sum(line.get_ydata()) == pytest.approx(revealed / begun)
    assert [line.get_label() for line in total.get_lines()] == [BASE, ONE, COVER, SHUT]
    assert total.get_lines()[0].get_ydata()[-1] == pytest.approx(sum(each.get_lines()[0].get_ydata()))


def test_trajectories_show_every_reveal_of_the_block_in_its_colour(data):
    chosen = trajectories.choose(data)
    assert Row(data.traces[COVER], chosen.row).helped(chosen.block) > 0
    figure = trajectories.trajectories(data)
    for panel, name in zip(figure.axes, (chosen.base, *chosen.variants), strict=True):
        row, cells = Row(data.traces[name], chosen.row), image(panel)
        kinds = [
            kind for step, own in zip(row.steps, row.kinds, strict=True) if step.block == chosen.block for kind in own
        ]
        drawn = [(cells == state).sum() for state in (2, 3, 4)]
        assert drawn == [kinds.count(kind) for kind in (Kind.NEW, Kind.ANCHOR, Kind.HELPED)]
        assert cells.shape == (32, sum(step.block == chosen.block for step in row.steps))
        written = {item.get_text() for item in panel.texts}
        assert written == {
            trajectories.visible(row.piece(t)) for s in row.steps if s.block == chosen.block for t in s.tokens
        }
    assert {"newly revealed", "anchor", "revealed because of an anchor", "masked"} <= set(texts(figure))
    colours = [tuple(np.round(figure.axes[0].images[0].cmap(state / 4), 3)) for state in (2, 3, 4)]
    assert colours == [tuple(np.round(to_rgba(style.KINDS[kind]), 3)) for kind in Kind]


def test_a_gate_that_never_opened_is_said_and_drawn(data):
    shut = only(data, BASE, SHUT)
    assert any("gate never open" in text for text in texts(trajectories.trajectories(shut)))
    assert any("the gate never opened" in text for text in texts(attention.around_anchor(shut)))
    assert any("no position was left to gain" in text for text in texts(gain.confidence_gain(shut)))


def test_a_token_without_letters_is_still_seen():
    assert [trajectories.visible(text) for text in (" the", "\n", "  ", "", "a$b_")] == ["the", "⏎", "··", "∎", "a$b_"]


# Figures of attention


def test_attention_is_shown_at_the_opening_and_after_it(data):
    figure = attention.around_anchor(data)
    first = attention.openings(data.watched[ONE])[0]
    for panel, seen in zip(figure.axes, (first.before, first.after), strict=False):
        assert np.allclose(image(panel), seen.attention)
        (marks,) = (line for line in panel.get_lines() if line.get_label() == "anchor")
        assert list(marks.get_xdata()) == [place - seen.start for place in first.before.gate.anchors]
    assert (first.after.block, first.after.step) == (first.before.block, first.before.step + 1)
    with pytest.raises(style.LeftOut, match="no attention"):
        attention.around_anchor(only(data, BASE))


def test_confidence_gain_is_measured_between_two_evaluations_of_one_block(data):
    paid, gained = gain.gain_points(data.watched[COVER])
    expected = []
    for seen in data.watched[COVER].rows.values():
        for before, after in pairwise(seen):
            if before.block != after.block:
                continue
            was = dict(zip(before.masked, before.confidence, strict=True))
            for place, sure in zip(after.masked, after.confidence, strict=True):
                for anchor in before.gate.anchors:
                    expected.append((before.attention[place - before.start][anchor - before.start], sure - was[place]))
    assert list(zip(paid, gained, strict=True)) == expected
    assert len(expected) > 10


def test_confidence_gain_stands_beside_the_base_with_its_correlation(data):
    figure = gain.confidence_gain(data)
    fired = {pair.before.step for name in (ONE, COVER) for pair in attention.openings(data.watched[name])}
    assert fired == {0}
    for panel, name in zip(figure.axes, (BASE, ONE, COVER), strict=True):
        paid, gained = gain.gain_points(data.watched[name], fired if name == BASE else None)
        (points,) = panel.collections
        assert len(points.get_offsets()) == len(paid)
        assert f"r = {np.corrcoef(paid, gained)[0, 1]:+.2f}, {len(paid)} pairs" in panel.get_title("left")
        assert "fitted line" in [line.get_label() for line in panel.get_lines()]
    with pytest.raises(style.LeftOut, match="of its base"):
        gain.confidence_gain(only(data, ONE))


# Figures of the results


def made_up(*specifications):
    """Results as if every decoder had been run, each with figures of its own."""
    resolved = {text: str(axon.decoder(text)) for text in specifications}
    records = {
        text: [
            {
                "problem": f"p{n}",
                "correct": n <= place % 7,
                "seconds": 0.1,
                "tokens": 50 + place,
                "gates": 1,
                "blocks": 2,
            }
            | {"nfe": 20 + place + n % 3, "nfe_full": 20 + place + n % 3, "nfe_cached": 0}
            for n in range(8)
        ]
        for place, text in enumerate(resolved)
    }
    cells = {text: cell("sums", text, own) for text, own in records.items()}
    return TaskData("sums", tuple(resolved), resolved, records, cells)


BUDGETS = [f"confidence+axon(budget={k})" for k in ("cover", 8, 1, 2)]


def test_a_sweep_is_drawn_at_its_values_with_intervals_and_its_base(data):
    swept = made_up(BASE, *BUDGETS, "dawn+axon")
    figure = sweeps.against("budget", "the anchor budget k")(swept)
    panel = figure.axes[0]
    assert [item.get_text() for item in panel.get_xticklabels()] == ["1", "2", "8", "cover"]
    order = [f"confidence+axon(budget={k})" for k in (1, 2, 8, "cover")]
    for axes, value in zip(figure.axes, ("accuracy", "nfe", "speed"), strict=True):
        (bars,) = axes.containers
        heights = {"accuracy": [100 * swept.cells[name].accuracy for name in order]}
        heights |= {"nfe": [swept.cells[name].nfe for name in order], "speed": [swept.speed(name) for name in order]}
        assert list(bars.lines[0].get_ydata()) == pytest.approx(heights[value])
        assert bool(bars.lines[2]) == (value != "speed")
    (segments,) = panel.containers[0].lines[2]
    ends = [[100 * end for end in swept.cells[name].interval] for name in order]
    assert np.allclose([segment[:, 1] for segment in segments.get_segments()], ends)
    assert {"confidence+axon", "confidence alone"} <= set(texts(figure))


def test_every_sweep_is_found_from_the_decoders_alone():
    alpha = [f"dawn+axon(gate=blend,alpha={a})" for a in (0, 0.25, 0.5)]
    layers = [f"dawn+axon(layers={n})" for n in ("1/8", "1/2", "all")]
    readings = ["dawn+axon.paper", "dawn+axon", "dawn+axon(commit=union)"]
    objective = [
        f"dawn+axon(budget=3,objective={o},redundancy={x})" for o in ("facility", "graph_cut") for x in (0, 0.2)
    ]
    threshold = [f"confidence(threshold={t}){more}" for t in (0.7, 0.8, 0.9) for more in ("", "+axon")]
    run = made_up(*dict.fromkeys([*alpha, *layers, *readings, *objective, *threshold]))
    assert sweep(run, "alpha").values == ("0", "0.25", "0.5")
    assert [said(value) for value in sweep(run, "layers").values] == ["1/8", "0.5", "all"]
    assert sweep(run, "reading").values == ("paper", "released", "released, union")
    assert {label: len(points) for label, points in sweep(run, "objective").series.items()} == {
        "dawn+axon(budget=3), facility": 2,
        "dawn+axon(budget=3), graph cut": 2,
    }
    assert list(sweep(run, "threshold").series) == ["confidence", "confidence+axon"]
    assert sweep(run, "budget") is None
    figure = sweeps.against("threshold", "the base's threshold")(run)
    assert len(figure.axes) == 4
    assert [len(line.get_xdata()) for line in figure.axes[-1].get_lines()] == [3, 3]
    for name in ("alpha", "layers", "reading", "objective"):
        assert len(sweeps.against(name, name)(run).axes) == 3
    with pytest.raises(style.LeftOut, match="no sweep"):
        sweeps.against("budget", "k")(run)


def test_two_decoders_are_no_sweep_and_one_decoder_twice_is_one_point():
    assert sweep(made_up(*BUDGETS[:2]), "budget") is None
    twice = made_up(*BUDGETS, "confidence+axon(budget=2,beta_r=1)")
    assert [len(points) for points in sweep(twice, "budget").series.values()] == [4]


def test_two_sweeps_of_one_base_are_two_series():
    added = [f"confidence+axon(commit=union,budget={k})" for k in (1, 2, "cover")]
    found = sweep(made_up(*BUDGETS, *added), "budget").series
    assert {name: len(points) for name, points in found.items()} == {
        "confidence+axon": 4,
        "confidence+axon(commit=union)": 3,
    }
    betas = [f"dawn+axon(beta_r={r},beta_u={u}{more})" for r in (1, 2) for u in (1, 2) for more in ("", ",budget=3")]
    assert set(grids(made_up(*betas), "beta_u", "beta_r")) == {"dawn+axon", "dawn+axon(budget=3)"}


def test_answers_that_broke_off_are_in_no_interval():
    run = made_up(BASE)
    whole = sweeps.evaluations_interval(run, BASE)
    torn = [record | {"finish": "error", "nfe": 1} for record in run.records[BASE]]
    assert sweeps.evaluations_interval(replace(run, records={BASE: [*run.records[BASE], *torn]}), BASE) == whole


def test_the_grid_of_betas_shows_each_cell_and_how_sure_it_is():
    run = made_up(*(f"dawn+axon(beta_r={r},beta_u={u})" for r in (0.5, 1, 2) for u in (1, 2)))
    assert set(grids(run, "beta_u", "beta_r")["dawn+axon"]) == {(u, r) for u in ("1", "2") for r in ("0.5", "1", "2")}
    figure = sweeps.betas(run)
    accuracy, evaluations, _ = figure.axes
    assert image(accuracy).shape == (2, 3)
    name = "dawn+axon(beta_r=2,beta_u=1)"
    assert image(evaluations)[0, 2] == pytest.approx(run.cells[name].nfe)
    assert f"{run.cells[name].nfe:.1f}" in {item.get_text() for item in evaluations.texts}
    assert "95 %: ±" in accuracy.get_title("left")
    with pytest.raises(style.LeftOut, match="no grid"):
        sweeps.betas(made_up(BASE))


def test_the_frontier_names_every_decoder_and_leads_from_base_to_axon(data):
    run = made_up("sequential", BASE, ONE, COVER, "dawn", "dawn+axon", "dawn+axon(budget=cover)")
    figure = frontier.frontier(run)
    (panel,) = figure.axes
    assert set(run.cells) <= set(texts(figure))
    spots = {tuple(np.round(np.ravel(bars.lines[0].get_xydata()), 6)) for bars in panel.containers}
    assert spots == {(round(own.nfe, 6), round(100 * own.accuracy, 6)) for own in run.cells.values()}
    arrows = [item for item in panel.texts if not item.get_text()]
    assert len(arrows) == 4
    assert {arrow.xyann for arrow in arrows} == {
        (run.cells[b].nfe, 100 * run.cells[b].accuracy) for b in (BASE, "dawn")
    }
    assert all(bars.has_xerr and bars.has_yerr for bars in panel.containers)


def test_labels_do_not_cover_each_other(data):
    figure, ((panel,),) = style.panels(1, 1, 9, 6)
    near = [(20 + 0.2 * n, 80 + 0.3 * (n % 3)) for n in range(10)]
    panel.plot(*zip(*near, strict=True), "o")
    panel.set_xlim(0, 60)
    panel.set_ylim(60, 100)
    labels.place(panel, [labels.Label(*spot, f"confidence+axon(budget={n})") for n, spot in enumerate(near)], near)
    figure.draw_without_rendering()
    # Of the words alone, not of the line that leads to them.
    boxes = [Text.get_window_extent(item) for item in panel.texts]
    assert len(boxes) == 10
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_the_best_decoders_are_those_no_other_beats():
    places = {"slow": (90, 80), "fast": (10, 70), "bad": (50, 60), "good": (40, 80), "same": (40, 80)}
    assert frontier.best(places) == ["fast", "good", "same"]


def test_one_problem_and_one_decoder_can_be_drawn():
    run = made_up(BASE)
    run = replace(run, records={BASE: run.records[BASE][:1]}, cells={BASE: cell("sums", BASE, run.records[BASE][:1])})
    assert "Accuracy against evaluations on sums (1 problem)" in texts(frontier.frontier(run))
    with pytest.raises(style.LeftOut, match="no results"):
        frontier.frontier(replace(run, cells={}))


# Files


def test_every_figure_is_written_as_png_and_svg(written):
    names = {path.name for path in written.figures}
    drawn = {"frontier", "unmasked", "trajectories", "gate-activity", "gate-rate", "attention", "confidence-gain"}
    assert names == {f"{name}.spelling.{kind}" for name in drawn for kind in ("svg", "png")}
    for path in written.figures:
        start = path.read_bytes()[:200]
        assert start.startswith(b"\x89PNG") if path.suffix == ".png" else b"<?xml" in start
    skipped = {sentence.split()[0] for sentence in written.left_out}
    assert skipped == registry.FIGURES.keys() - drawn
    assert all(" was left out: the run holds no " in sentence for sentence in written.left_out)


def test_decoders_with_many_parameters_leave_room_for_what_is_drawn(toy, tmp_path):
    much = "beta_r=1.25,beta_u=0.75,steps=12,uncertain=0.8,sink=none,layers=all,drop_self=False,budget=cover"
    long = [f"confidence(threshold=0.85)+axon({much}{extra})" for extra in ("", ",commit=union")]
    run = read_run(write_run(tmp_path / "run", toy, ["confidence(threshold=0.85)", *long], PROMPTS[:2]))
    # Matplotlib warns where labels leave nothing for the panel, and a warning is an error here.
    assert registry.draw(run, tmp_path / "figures").pictures
    assert list(style.short(long, 20).values()) == ["confidence(threshol…", "confidence(threshol… 2"]


def test_a_vector_figure_keeps_its_text_and_is_the_same_for_the_same_data(data, tmp_path):
    paths = [tmp_path / name / "rate.svg" for name in ("one", "two", "other")]
    for path, found in zip(paths, (data, data, only(data, BASE, ONE)), strict=True):
        registry._save(gate.rates(found), path, path.with_suffix(".png"))
    one, two, other = (path.read_text() for path in paths)
    assert one == two
    assert one != other
    assert f">{COVER}</text>" in one
    assert COVER not in other
    assert "DejaVu Sans" in one
    assert "<dc:date>" not in one


def test_a_token_more_is_a_cell_more(data):
    trace = data.traces[COVER]
    number = next(n for n, step in enumerate(trace.steps) if len(step.positions) > 1 and step.block == 0)
    step = trace.steps[number]
    less = replace(step, positions=step.positions[1:], tokens=step.tokens[1:], confidences=step.confidences[1:])
    changed = replace(trace, steps=(*trace.steps[:number], less, *trace.steps[number + 1 :]))
    before, after = pace.per_step(trace), pace.per_step(changed)
    assert before[step.step_in_block] > after[step.step_in_block]


def test_drawing_leaves_the_settings_of_matplotlib_alone(data):
    before = dict(matplotlib.rcParams)
    frontier.frontier(data)
    assert dict(matplotlib.rcParams) == before


def test_a_folder_that_cannot_be_written_is_one_sentence(folder, tmp_path):
    (tmp_path / "taken").write_text("")
    assert "cannot write" in refused(build.write_report, [folder], out=tmp_path / "taken")


# The page

VOID = {"meta", "input", "br", "hr", "img", "link"}


class Page(HTMLParser):
    """Reads a page and notes what does not fit."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.seen, self.scripts = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [value for name, value in attributes if name == "id"]
        self.links += [value for name, value in attributes if name in ("src", "href", "xlink:href", "action")]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, text):
        (self.scripts if self.open and self.open[-1] == "script" else self.seen).append(text)


def test_the_page_is_well_formed_and_needs_nothing_from_elsewhere(written):
    text = written.page.read_text()
    found = Page(text)
    assert found.open == []
    assert len(found.ids) == len(set(found.ids))
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in found.links)
    assert {link[1:] for link in found.links if link.startswith("#")} <= set(found.ids)
    assert not re.search(r"https?:|url\((?!#)|@import", text)
    assert "prefers-color-scheme: dark" in text
    assert text.count("<svg") == 7


def test_the_page_tells_what_was_run_and_every_cell(written, data):
    seen = " ".join(" ".join(Page(written.page.read_text()).seen).split())
    assert "toy" in seen
    assert "axon eval --model toy" in seen
    for name, own in data.cells.items():
        row = seen[seen.index(f" {name} {100 * own.accuracy:.1f}") :][:120]
        assert f"{own.nfe:.1f}" in row
        assert f"{own.tokens_per_evaluation:.2f}" in row
        assert f"{data.speed(name):.0f}" in row
        assert data.resolved[name] in seen
    for pair in data.comparisons:
        assert words.accuracy(pair) in seen
        assert words.evaluations(pair) in seen
    assert all(registry.FIGURES[name].caption in seen for name in ("frontier", "attention", "trajectories"))


def test_figures_follow_the_colours_of_the_page():
    inner = '<g id="a" style="fill: #1c1c21"><text>id="a" #1c1c21</text><use href="#a"/></g>'
    svg = f'<?xml?>\n<svg xmlns="http://a">{inner}</svg>'
    assert inline(svg, "x.y") == (
        '<svg><g id="x-y-a" style="fill: var(--ink)"><text>id="a" #1c1c21</text><use href="#x-y-a"/></g></svg>'
    )


def test_the_player_holds_every_reveal_of_every_traced_run(folder, written, data):
    scripts = Page(written.page.read_text()).scripts
    (task,) = json.loads(scripts[0])
    assert task["pair"] == [BASE, ONE]
    assert [problem["name"] for problem in task["problems"]] == ["p0", "p1", "p2"]
    for number, problem in enumerate(task["problems"]):
        assert list(problem["runs"]) == [BASE, ONE, COVER, SHUT]
        for name, side in problem["runs"].items():
            row = Row(data.traces[name], number)
            cells = list(side["cells"])
            for step, own in zip(side["steps"], row.steps, strict=True):
                assert len(step["kinds"]) == len(step["places"]) == len(own.positions)
                for place, text in zip(step["places"], step["texts"], strict=True):
                    assert cells[place] is None
                    cells[place] = text
            assert "".join(text or "" for text in cells).startswith(data.records[name][number]["text"])
            assert side["right"] == data.records[name][number]["correct"]
    gates = [step["gate"] for step in task["problems"][0]["runs"][ONE]["steps"]]
    assert gates[0]["state"] == "open"
    assert gates[0]["anchors"] == 1
    assert gates[1] == {"state": "not read"}


def test_texts_of_tokens_cannot_break_the_page(toy, tmp_path):
    evil = ["</script><b>", "<b>&amp;", "<!--", "\u2028", "$x$", "\"'"]
    path = tmp_path / "run.jsonl"
    axon.generate(toy, [PROMPTS[0]], axon.decoder(COVER), axon.Settings(32, 32), trace=path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    known = sorted({token for line in lines[1:] for token in line["tokens"]})
    swapped = dict(zip(map(str, known), evil, strict=False))
    for line in lines:
        line["pieces"] = {token: swapped.get(token, text) for token, text in line["pieces"].items()}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = build.write_report([path])
    assert done.page == tmp_path / "run.report" / "report.html"
    text = done.page.read_text()
    found = Page(text)
    assert found.open == []
    assert "<b>" not in text.replace("<b>" + decoder_texts.short(lines[0]["decoder"]), "")
    shown = {
        text
        for step in json.loads(found.scripts[0])[0]["problems"][0]["runs"][COVER]["steps"]
        for text in step["texts"]
    }
    assert set(evil) <= shown


def test_what_is_embedded_reads_back_as_it_was():
    data = {"a": ["</script>", "<b>", "&", "\u2028é"]}
    assert json.loads(embedded(data)) == data
    assert "<" not in embedded(data)
    assert "&" not in embedded(data)


def test_traces_alone_make_a_report_with_player_and_figures(folder, data, tmp_path):
    files = [trace_path(folder, data.name, index) for index in (0, 2)]
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(files[1].read_bytes()[:-20])
    run = build.read([files[0], cut])
    (found,) = run.tasks
    assert found.families == {BASE: [COVER]}
    assert found.verdict(COVER, 0) is None
    assert {name for name in registry.FIGURES if _draws(registry.FIGURES[name].draw, found)} == {
        "unmasked",
        "trajectories",
        "gate-activity",
        "gate-rate",
    }
    text = page(run, registry.Drawn())
    assert Page(text).open == []
    assert f"The last line of the trace of {COVER} was cut off and is left out." in text
    assert player_data(run)[0]["pair"] == [BASE, COVER]


def _draws(draw, data):
    try:
        return draw(data) is not None
    except style.LeftOut:
        return False


# Words


def compared(**changes):
    usual = {"accuracy": 0.012, "accuracy_interval": (-0.004, 0.028), "p": 0.3, "gained": 9, "lost": 4}
    usual |= {"nfe": -3.0, "nfe_interval": (-3.5, -2.5), "problems": 400}
    return Comparison(task="sums", decoder=ONE, base=BASE, **(usual | changes))


def test_a_difference_is_called_one_only_when_it_is():
    assert words.accuracy(compared()) == "+1.2 points, 95 % −0.4 … +2.8: not distinguishable from zero"
    clear = {"accuracy": -0.05, "accuracy_interval": (-0.08, -0.02), "p": 0.001}
    assert words.accuracy(compared(**clear)) == "−5.0 points, 95 % −8.0 … −2.0: less accurate"
    assert words.accuracy(compared(**clear | {"p": 0.2})).endswith("not distinguishable from zero")
    same = {"accuracy": 0.0, "accuracy_interval": (0.0, 0.0), "gained": 0, "lost": 0, "p": 1.0}
    assert words.accuracy(compared(**same)) == "0.0 points, 95 % 0.0 … 0.0: the same verdict on every problem"
    assert words.evaluations(compared()) == "−3.00 evaluations, 95 % −3.50 … −2.50: faster"
    assert words.evaluations(compared(nfe_interval=(-7.0, 1.0))).endswith("not distinguishable from zero")
    assert words.evaluations(compared(problems=1)).endswith("too few problems to tell")
    assert words.evaluations(compared(nfe=float("nan"))) == "no problem was decoded by both"
    assert words.accuracy(compared(problems=0)) == "no problem was answered by both"
    assert words.exact(compared(p=0.00001)) == "9 gained, 4 lost, p < 0.001"


# The command


def test_the_command_says_what_it_wrote_and_what_it_left_out(folder, tmp_path):
    app = typer.Typer()
    app.command()(report)
    files = [str(trace_path(folder, "spelling", index)) for index in (0, 1)]
    done = CliRunner().invoke(app, [*files, "--figures-only", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "4 figures, each as PNG and SVG:" in done.output
    assert "frontier was left out: there are no results" in done.output
    assert not (tmp_path / "report.html").exists()
    assert len(list((tmp_path / "figures").glob("*.svg"))) == 4


def test_a_trace_read_back_gives_the_rows_that_took_steps(folder):
    trace = read_trace(trace_path(folder, "spelling", 1))
    assert [row.number for row in rows(trace)] == [0, 1, 2]
    assert rows(replace(trace, steps=())) == []


def test_a_figure_shows_four_bases_at_most_and_says_so(data):
    names = [f"confidence(threshold=0.{n})" for n in range(1, 7)]
    resolved = {name: name for base in names for name in (base, f"{base}+axon(budget=1)")}
    traces = {name: data.traces[ONE if "axon" in name else BASE] for name in resolved}
    many = replace(data, decoders=tuple(resolved), resolved=resolved, traces=traces, watched={}, cells={})
    figure = pace.unmasked(many)
    assert len(figure.axes) == 2 * 4
    assert "the first 4 of 6 bases" in figure.get_suptitle()
    assert "of" not in pace.unmasked(data).get_suptitle().split()


def test_a_trace_without_figures_is_still_a_page(toy, tmp_path):
    axon.generate(toy, PROMPTS[:1], axon.decoder(BASE), SETTINGS, trace=tmp_path / "plain.jsonl")
    written = build.write_report([tmp_path / "plain.jsonl"])
    assert written.page == tmp_path / "plain.report" / "report.html"
    assert written.page.is_file()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"tasks": 5}, "tasks must be a list or map names to versions"),
        ({"decoders": {"confidence": 3}}, "decoders must map each name to its full text"),
        ({"decoders": ["confidence"]}, "decoders must map each name to its full text"),
    ],
    ids=str,
)
def test_a_damaged_description_of_a_run_is_answered_with_what_is_wrong(folder, tmp_path, content, said):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / "run.json").write_text(json.dumps(content))
    assert refused(read_run, copy) == f"{copy / 'run.json'} does not describe a run: {said}"


def test_attention_that_is_no_square_is_damaged(folder, tmp_path):
    path = attention_path(folder, "spelling", 0)
    content = json.loads(path.read_text())
    next(iter(content["rows"].values()))[0]["attention"] = []
    (tmp_path / "damaged.json").write_text(json.dumps(content))
    assert "is damaged" in refused(read_watched, tmp_path / "damaged.json")
