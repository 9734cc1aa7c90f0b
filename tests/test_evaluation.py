"""Evaluation: figures that are right, records that survive any kill, and one faulty problem that stops nothing."""

import errno
import io
import json
import math
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from rich.console import Console

import axon
from axon.cli import main
from axon.decoders.texts import base_text
from axon.errors import AxonError
from axon.evaluation import measures, ready
from axon.evaluation.asking import prompt
from axon.evaluation.origin import versions
from axon.evaluation.plan import PAPER, Plan
from axon.evaluation.records import Records, whole_write
from axon.evaluation.runner import run as evaluate
from axon.evaluation.statistics import mcnemar, paired, wilson
from axon.evaluation.summary import cell, compare, speeds, summarise
from axon.evaluation.watch import attention_path, read_watched, trace_path
from axon.models.text import Text
from axon.models.toy import ToyModel
from axon.report import tables
from axon.sandbox import Isolation, StartError, Unavailable
from axon.tasks import HumanEval, Problem, Verdict, task
from axon.trace import read_trace

AXON = Path(sys.executable).parent / "axon"
SETTINGS = axon.Settings(64, 32, batch_size=2)
PAIR = ("confidence", "confidence+axon(budget=cover)")


def refused(call, *arguments):
    """The sentence with which a call is refused."""
    with pytest.raises(AxonError) as caught:
        call(*arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message


# Statistics


@pytest.mark.parametrize(
    ("right", "total", "low", "high"),
    [  # the first four from Newcombe, Statistics in Medicine 17 (1998), table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0000),
        (0, 0, 0.0, 1.0),
    ],
)
def test_the_interval_of_a_share_is_wilsons(right, total, low, high):
    assert wilson(right, total) == pytest.approx((low, high), abs=6e-5)


@pytest.mark.parametrize("total", [1, 7, 500])
def test_the_interval_of_a_share_holds_it_and_mirrors_its_complement(total):
    for right in range(0, total + 1, max(1, total // 7)):
        low, high = wilson(right, total)
        assert 0 <= low <= right / total <= high <= 1
        assert wilson(total - right, total) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [(0, 0, 1), (1, 0, 1), (3, 3, 1), (5, 0, 2 / 2**5), (10, 0, 2 / 2**10), (8, 2, 2 * (1 + 10 + 45) / 2**10)],
)
def test_the_test_of_paired_answers_is_exact(gained, lost, p):
    assert mcnemar(gained, lost) == pytest.approx(p)
    assert mcnemar(lost, gained) == mcnemar(gained, lost)


def test_the_interval_of_paired_differences_holds_the_mean_and_repeats():
    rng = random.Random(0)
    values = [rng.gauss(2.0, 5.0) for _ in range(400)]
    low, high = paired(values)
    mean, error = statistics.fmean(values), statistics.stdev(values) / 20
    assert (low, high) == pytest.approx((mean - 1.96 * error, mean + 1.96 * error), abs=0.15 * error)
    assert paired(values) == (low, high)
    assert paired([1.5] * 9) == (1.5, 1.5)
    assert all(map(math.isnan, paired([])))


# Measures


def test_what_an_answer_took_is_counted_from_its_steps(toy):
    rule = axon.decoder(PAIR[1])
    for out in axon.generate(toy, ["Choose.\n", "Be brief.\n"], rule, axon.Settings(96, 32)):
        counts = measures.count(out)
        assert counts.tokens == len(out.text) > 60
        assert counts.nfe == counts.nfe_full == len(out.steps)
        assert counts.nfe_cached == 0
        assert counts.blocks == 3
        assert counts.gates == sum(step.gate is not None and step.gate.open for step in out.steps) > 0


def test_evaluations_of_a_cached_part_are_counted_apart(toy):
    (out,) = axon.generate(toy, "Choose.\n", axon.decoder("confidence"), axon.Settings(96, 32, cache="dual"))
    counts = measures.count(out)
    assert (counts.nfe_full, counts.nfe_full + counts.nfe_cached, counts.gates) == (3, counts.nfe, 0)


def test_time_is_that_of_the_work():
    result, seconds = measures.timed(lambda: time.sleep(0.05) or "done", torch.device("cpu"))
    assert result == "done"
    assert 0.05 <= seconds < 5


# Plans


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tasks": ()}, "an evaluation needs at least one task and one decoder"),
        ({"decoders": ()}, "an evaluation needs at least one task and one decoder"),
        ({"tasks": ("poems",)}, "unknown task 'poems'; there are sums, code"),
        ({"tasks": ("sums", "code", "sums")}, "the task 'sums' is given twice"),
        ({"decoders": ("fastest",)}, "unknown decoder 'fastest'; known are "),
        ({"decoders": ("dawn", "dawn")}, "the decoder 'dawn' is given twice"),
        ({"decoders": ("dawn(speed=2)",)}, "dawn has no parameter 'speed'"),
        ({"limit": 0}, "limit must be a whole number of at least 1, got 0"),
    ],
    ids=str,
)
def test_a_plan_refuses_what_cannot_be_run(change, said):
    assert said in refused(lambda: Plan(**{"model": "toy", "tasks": ("sums",), "decoders": PAIR, **change}))


def test_a_plan_knows_its_size_and_the_paper_has_ten_rows():
    assert Plan("toy", ("sums", "code"), PAPER).size == 10 * 1000
    assert Plan("toy", ("sums",), PAIR, limit=7).size == 14


def test_the_identity_of_a_run_tells_apart_what_changes_its_results(toy, llada, dream):
    plan = Plan("toy", ("sums",), PAIR, SETTINGS, limit=4, length=64)
    same = replace(plan, decoders=("confidence", "confidence+axon(budget=cover)"))
    assert same.identity(toy) == plan.identity(toy)
    others = [
        replace(plan, limit=5),
        replace(plan, tasks=("code",)),
        replace(plan, decoders=("confidence",)),
        replace(plan, settings=replace(SETTINGS, block_length=16)),
    ]
    for other in others:
        assert other.identity(toy) != plan.identity(toy)
    weights = [plan.identity(model)["model"]["weights"] for model in (toy, llada, dream, llada)]
    assert weights[0] is None
    assert weights[1] == weights[3] != weights[2]


def test_a_new_version_of_a_task_is_another_run(toy, monkeypatch):
    plan = Plan("toy", ("sums",), PAIR, limit=4)
    before = plan.identity(toy)
    monkeypatch.setattr(type(task("sums")), "version", "next")
    assert plan.identity(toy) != before


# Records

IDENTITY = {"model": "toy", "limit": 3}


def chunk(first, size=3, decoder="confidence", **more):
    head = {"task": "sums", "decoder": decoder, "chunk": first, "chunk_size": size}
    head |= {"seconds": 0.5, "text": "é\u2028\n", "correct": True}
    head |= dict.fromkeys(("tokens", "nfe", "nfe_full", "nfe_cached", "blocks", "gates"), 1)
    return [{**head, "problem": f"p{first + number}", **more} for number in range(size)]


@pytest.fixture
def folder(tmp_path):
    """Two chunks of results."""
    records = Records(tmp_path / "out", IDENTITY)
    records.add(chunk(0))
    records.add(chunk(3))
    return tmp_path / "out"


def test_records_are_read_back_as_they_were_written(folder):
    records = Records(folder, IDENTITY)
    assert records.of("sums", "confidence") == [*chunk(0), *chunk(3)] == list(records)
    assert ("sums", "confidence", 3) in records
    assert ("sums", "confidence", 6) not in records
    assert records.of("sums", "dawn") == []


def test_records_of_a_cell_come_in_the_order_of_its_problems(folder):
    records = Records(folder, IDENTITY)
    records.add(chunk(9))
    records.add(chunk(6))
    records.add(chunk(0, decoder="dawn"))
    assert [record["problem"] for record in records.of("sums", "confidence")] == [f"p{n}" for n in range(12)]


@pytest.mark.parametrize("kept", range(1, 4))
def test_a_chunk_that_was_cut_off_is_dropped_wherever_the_cut_is(folder, kept):
    path = folder / "results.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    whole = b"".join(lines[:3])
    for cut in (0, 1, len(lines[0]) // 2, len(lines[0]) - 1):
        path.write_bytes(b"".join(lines[: 2 + kept]) + lines[2 + kept][:cut])
        assert Records(folder, IDENTITY).of("sums", "confidence") == chunk(0)
        assert path.read_bytes() == whole
    again = Records(folder, IDENTITY)
    again.add(chunk(3))
    assert Records(folder, IDENTITY).of("sums", "confidence") == [*chunk(0), *chunk(3)]


def test_a_chunk_that_is_there_twice_is_not_believed(folder):
    Records(folder, IDENTITY).add(chunk(3, decoder="confidence"))
    assert Records(folder, IDENTITY).of("sums", "confidence") == chunk(0)


@pytest.mark.parametrize(
    "line",
    [
        *("hello", "[1]", "{}", ""),
        json.dumps(chunk(0, task=["a"])[0]),
        json.dumps(chunk(0, seconds="long")[0]),
        json.dumps(chunk(0, nfe="many")[0]),
        json.dumps(chunk(0, problem=None)[0]),
    ],
)
def test_a_damaged_line_in_the_middle_is_named_and_nothing_is_touched(folder, line):
    path = folder / "results.jsonl"
    lines = path.read_text().split("\n")
    path.write_text("\n".join([lines[0], line, *lines[2:]]))
    before = path.read_bytes()
    assert refused(Records, folder, IDENTITY) == f"line 2 of {path} is not a result; repair it or choose another --out"
    assert path.read_bytes() == before


def test_a_folder_that_another_process_writes_to_is_refused(folder):
    source = f"""
from pathlib import Path
from axon.evaluation.records import Records
held = Records(Path({str(folder)!r}), {IDENTITY!r})
print("held", flush=True)
input()
"""
    other = subprocess.Popen([sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout.readline() == "held\n"
    assert refused(Records, folder, IDENTITY) == (
        f"another process is writing results to {folder}; wait for it or choose another --out"
    )
    other.communicate("\n", timeout=60)
    assert len(list(Records(folder, IDENTITY))) == 6


def test_a_process_of_other_source_is_kept_out_too(folder):
    held = f"""
from pathlib import Path
from axon.evaluation.records import Records
held = Records(Path({str(folder)!r}), {IDENTITY!r}, {{"commit": "older"}})
print("held", flush=True)
input()
"""
    other = subprocess.Popen([sys.executable, "-c", held], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout.readline() == "held\n"
    before = (folder / "run.json").read_bytes()
    assert "another process is writing" in refused(Records, folder, IDENTITY, {"commit": "newer"})
    assert (folder / "run.json").read_bytes() == before
    other.communicate("\n", timeout=60)


def test_half_written_files_of_a_killed_process_are_cleared_away(folder):
    (folder / "timing.json.4711.part").write_text("[")
    Records(folder, IDENTITY)
    assert not list(folder.glob("*.part"))


def test_the_same_decoders_in_another_order_are_another_run(tmp_path):
    Records(tmp_path, {"decoders": {"a": "a()", "b": "b()"}})
    said = refused(Records, tmp_path, {"decoders": {"b": "b()", "a": "a()"}})
    assert said == f"{tmp_path} holds results of another run (different: decoders); choose another --out"


def test_results_of_another_run_are_refused(folder):
    said = refused(Records, folder, {"model": "bundled", "limit": 3, "seed": 1})
    assert said == f"{folder} holds results of another run (different: model, seed); choose another --out"
    assert len(list(Records(folder, IDENTITY))) == 6


@pytest.mark.parametrize("content", [b'{"model": ', b"[]", b"\xff\xfe"])
def test_a_damaged_description_of_the_run_is_refused(folder, content):
    (folder / "run.json").write_bytes(content)
    assert "restore it or choose another --out" in refused(Records, folder, IDENTITY)


def test_results_without_the_description_of_their_run_are_refused(folder):
    (folder / "run.json").unlink()
    assert "has no run.json beside it, so it cannot be continued" in refused(Records, folder, IDENTITY)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "out"):
        assert refused(Records, place, IDENTITY).startswith(f"{place} cannot be used for results: ")


def full_disk(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_one_sentence_and_earlier_results_are_kept(folder, monkeypatch):
    records = Records(folder, IDENTITY)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full_disk)
        said = refused(records.add, chunk(6))
        assert refused(Records, folder.with_name("new"), IDENTITY).endswith("No space left on device")
    path = folder / "results.jsonl"
    assert said == f"cannot write to {path}: No space left on device; what was written before is kept"
    assert ("sums", "confidence", 6) not in records
    # What of the chunk came to the disk depends on the system; here a part of it.
    path.write_bytes(path.read_bytes()[:-10])
    assert Records(folder, IDENTITY).of("sums", "confidence") == [*chunk(0), *chunk(3)]


def test_a_file_that_cannot_be_replaced_stays_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "summary.json"
    whole_write(path, "old")
    monkeypatch.setattr(os, "fsync", full_disk)
    assert refused(whole_write, path, "new") == f"cannot write {path}: No space left on device"
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("summary.json", "old")]


# Runs


def nothing(*_):
    """A report nobody reads."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A plan and the folder of its undisturbed run."""
    plan, out = Plan("toy", ("sums",), PAIR, SETTINGS, limit=6, length=64), tmp_path_factory.mktemp("whole")
    evaluate(plan, axon.load("toy"), out, nothing)
    return plan, out


def test_every_problem_of_every_cell_is_recorded(whole, toy):
    plan, out = whole
    records = Records(out, plan.identity(toy))
    assert len(list(records)) == plan.size == 12
    problems = task("sums").problems()[:6]
    for text in PAIR:
        own = records.of("sums", text)
        assert [record["problem"] for record in own] == [problem.id for problem in problems]
        chats = [[{"role": "user", "content": problem.prompt}] for problem in problems]
        for record, result in zip(own, axon.generate(toy, chats, axon.decoder(text), SETTINGS), strict=True):
            assert (record["text"], record["nfe"], record["tokens"]) == (result.text, result.nfe, len(result.tokens))
            assert (record["correct"], record["equations"]) == (False, False)
            assert record["reason"] == "no final number after ####"
            assert record["seconds"] > 0


def test_progress_is_reported_for_what_is_decoded_now_and_not_for_what_was_there(whole, toy, tmp_path):
    plan, out = whole
    said = []
    evaluate(plan, toy, tmp_path, lambda *what: said.append(what))
    assert said == [("sums", text, 2) for text in PAIR for _ in range(3)]
    evaluate(plan, toy, out, lambda *what: said.append(what))
    assert len(said) == 6


def test_a_run_that_lost_chunks_decodes_only_those_and_says_the_same(whole, toy, tmp_path):
    plan, out = whole
    lines = (out / "results.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "run.json").write_text((out / "run.json").read_text())
    # Without a chunk of the first cell, with half of one of the second, and with the last line torn.
    (tmp_path / "results.jsonl").write_text("".join([*lines[:2], *lines[4:9], lines[10]]) + lines[11][:30])
    again = evaluate(plan, toy, tmp_path, nothing)
    first = Records(out, plan.identity(toy))
    assert summarise(plan, again) == summarise(plan, first)
    kept = [record for record in first if record in list(again)]
    assert {(record["decoder"], record["chunk"]) for record in kept} >= {(PAIR[0], 0), (PAIR[0], 4), (PAIR[1], 0)}


def test_the_summary_is_what_the_records_say(whole, toy):
    plan, out = whole
    records = Records(out, plan.identity(toy))
    summary = summarise(plan, records)
    plain, covered = summary.cells
    own = records.of("sums", PAIR[1])
    assert (covered.problems, covered.right, covered.errors, covered.accuracy) == (6, 0, 0, 0.0)
    assert covered.interval == wilson(0, 6)
    assert covered.nfe == statistics.fmean(record["nfe"] for record in own) < plain.nfe
    assert covered.tokens_per_evaluation == sum(r["tokens"] for r in own) / sum(r["nfe"] for r in own)
    assert covered.gates_per_block == sum(r["gates"] for r in own) / sum(r["blocks"] for r in own) > 0
    assert plain.gates_per_block == 0
    assert covered.measures == {"equations": 0.0}
    (pair,) = summary.comparisons
    assert (pair.decoder, pair.base, pair.problems, pair.gained, pair.lost, pair.p) == (PAIR[1], PAIR[0], 6, 0, 0, 1.0)
    assert pair.nfe == pytest.approx(covered.nfe - plain.nfe)
    assert pair.nfe_interval[0] <= pair.nfe <= pair.nfe_interval[1]
    assert all(speed.seconds > 0 and speed.tokens_per_second > 0 for speed in speeds(plan, records))


def scored(*correct, nfe=4):
    return [
        {"problem": number, "correct": good, "nfe": nfe, "nfe_full": nfe, "nfe_cached": 0, "tokens": 8}
        | {"blocks": 1, "gates": 0}
        for number, good in enumerate(correct)
    ]


def test_a_comparison_counts_what_is_gained_and_lost_problem_by_problem():
    ours, theirs = scored(True, True, True, False, True, nfe=3), scored(True, False, False, True, False, nfe=5)
    found = compare("sums", "b+axon", "b", list(reversed(ours)), theirs)
    assert (found.problems, found.gained, found.lost) == (5, 3, 1)
    assert found.accuracy == pytest.approx(0.4)
    assert found.p == mcnemar(3, 1)
    assert (found.nfe, found.nfe_interval) == (-2, (-2, -2))


def test_a_cell_of_nothing_but_errors_is_still_a_cell():
    lost = [{"problem": number, "error": "too long"} for number in range(3)]
    found = cell("sums", "b", lost)
    assert (found.problems, found.right, found.errors, found.accuracy) == (3, 0, 3, 0.0)
    assert math.isnan(found.nfe)
    assert math.isnan(compare("sums", "b+axon", "b", lost, lost).nfe)


@pytest.mark.parametrize(
    ("decoder", "base"),
    [
        ("confidence", None),
        ("confidence(threshold=5e-1)", None),
        ("confidence+axon", "confidence"),
        ("confidence + axon", "confidence"),
        ("dawn(edge=1e+0)+axon.paper(alpha=1e+0, budget=cover)", "dawn(edge=1)"),
    ],
)
def test_the_base_of_a_decoder_is_what_stands_before_the_last_wrapper(decoder, base):
    axon.decoder(decoder)
    assert base_text(decoder) == base


def test_a_base_is_found_however_it_is_written(toy, tmp_path):
    plan = Plan("toy", ("sums",), ("confidence(threshold=0.90)", "confidence+axon", "dawn+axon"), SETTINGS, limit=2)
    (pair,) = summarise(plan, evaluate(plan, toy, tmp_path, nothing)).comparisons
    assert (pair.decoder, pair.base) == ("confidence+axon", "confidence(threshold=0.90)")


# Faults


class Faulty:
    """Five problems; the second cannot be decoded and the fourth not be scored."""

    name, version, stop, chat_stop, max_new_tokens = "faulty", "1", (), (), 128

    def problems(self):
        prompts = ("One.", "Deux, s'il vous plaît.", "Three.", "Four.", "Zero.")
        return tuple(Problem(f"faulty-{number}", prompt, "") for number, prompt in enumerate(prompts))

    def score(self, problem, answer):
        if problem.prompt == "Four.":
            raise RuntimeError("no scale for this")
        return Verdict(True, "well written", {"polite": problem.prompt == "One."})


@dataclass(frozen=True)
class SickModel(ToyModel):
    """The toy, but a prompt that starts with Z gives no finite number."""

    def _margin(self, frame, head):
        sick = frame.tokens[:, :1] == self.encode("Z")[0]
        return super()._margin(frame, head).masked_fill(sick, torch.nan)


@pytest.fixture
def faulty(monkeypatch):
    monkeypatch.setattr("axon.evaluation.plan.task", lambda name, data, **options: Faulty())
    return Plan("toy", ("faulty",), ("confidence",), SETTINGS, length=64)


def test_a_problem_that_fails_is_recorded_with_its_error_and_stops_no_other(faulty, tmp_path):
    records = evaluate(faulty, SickModel(), tmp_path, nothing)
    own = records.of("faulty", "confidence")
    assert [record.get("correct") for record in own] == [True, None, True, False, False]
    errors = [record.get("error") for record in own]
    assert errors[0] is errors[2] is None
    assert "plain ASCII" in errors[1]
    assert errors[3] == "scoring failed: no scale for this"
    assert "not a finite number" in errors[4]
    summary = summarise(faulty, records)
    assert (summary.cells[0].right, summary.cells[0].errors, summary.cells[0].accuracy) == (2, 3, 0.4)
    assert summary.cells[0].measures == {"polite": 0.2}
    # The last one broke off at once; it is no answer in few evaluations.
    assert own[4]["finish"] == "error"
    assert summary.cells[0].nfe == statistics.fmean(own[number]["nfe"] for number in (0, 2, 3))
    (line,) = tables.failures(summary)
    assert line.startswith("confidence on faulty: 3 of 5 problems failed and count as wrong;")
    assert line in tables.markdown(summary, speeds(faulty, records))
    assert evaluate(faulty, SickModel(), tmp_path, nothing).of("faulty", "confidence") == own


def test_a_trace_with_a_gap_is_not_written_lest_its_rows_be_taken_for_others(faulty, toy, tmp_path):
    evaluate(faulty, toy, tmp_path, nothing)
    assert not trace_path(tmp_path, "faulty", 0).exists()
    assert attention_path(tmp_path, "faulty", 0).exists()


@pytest.mark.parametrize("size", [3, 7])
def test_rows_of_a_trace_are_problems_in_their_order_whatever_the_chunks(toy, tmp_path, size):
    settings = replace(SETTINGS, batch_size=size)
    plan = Plan("toy", ("sums",), ("confidence",), settings, limit=20)
    records = evaluate(plan, toy, tmp_path, nothing).of("sums", "confidence")
    trace = read_trace(trace_path(tmp_path, "sums", 0))
    assert len(trace.canvases) == 16
    for row, record in zip(range(16), records, strict=False):
        assert toy.decode(trace.tokens(row)) == record["text"]


def test_a_failure_of_the_model_is_recorded_too(faulty, toy, tmp_path, monkeypatch):
    def fail(model, prompts, decoder, settings):
        if any("Three." in str(prompt) for prompt in prompts):
            raise torch.OutOfMemoryError("no memory left")
        return axon.generate(model, prompts, decoder, settings)

    monkeypatch.setattr("axon.evaluation.runner.generate", fail)
    own = evaluate(faulty, toy, tmp_path, nothing).of("faulty", "confidence")
    assert own[2]["error"] == "OutOfMemoryError: no memory left"
    assert [record.get("correct") for record in own] == [True, None, None, False, True]


def test_a_device_that_fails_ends_the_run_and_keeps_what_was_decoded(faulty, toy, tmp_path, monkeypatch):
    def fail(model, prompts, decoder, settings):
        if any("Three." in str(prompt) for prompt in prompts):
            raise torch.AcceleratorError("an illegal access\nand a long story")
        return axon.generate(model, prompts, decoder, settings)

    monkeypatch.setattr("axon.evaluation.runner.generate", fail)
    said = refused(evaluate, faulty, toy, tmp_path, nothing)
    assert said == "the device failed (an illegal access); what was recorded before is kept, start again to go on"
    assert len(Records(tmp_path, faulty.identity(toy)).of("faulty", "confidence")) == 2


@pytest.mark.parametrize("kind", [Unavailable, StartError])
def test_a_machine_that_cannot_score_ends_the_run_and_keeps_what_was_scored(kind, faulty, toy, tmp_path, monkeypatch):
    def score(self, problem, answer):
        if problem.prompt == "Three.":
            raise kind("code cannot be isolated here")
        return Verdict(True, "")

    monkeypatch.setattr(Faulty, "score", score)
    assert refused(evaluate, faulty, toy, tmp_path, nothing) == "code cannot be isolated here"
    assert len(Records(tmp_path, faulty.identity(toy)).of("faulty", "confidence")) == 2


def test_a_task_the_model_has_no_room_for_is_refused_before_anything_is_written(toy, tmp_path):
    plan = Plan("toy", ("sums",), PAIR, SETTINGS, limit=4, length=32 * 4096)
    said = refused(evaluate, plan, toy, tmp_path / "out", nothing)
    assert said.startswith("no problem of sums can be put to toy: prompt 0 needs ")
    assert not (tmp_path / "out").exists()


def test_tokens_end_at_the_first_eos_even_where_decoding_does_not(toy):
    ended, whole = (
        axon.generate(
            toy, "Choose.", axon.decoder("confidence"), replace(SETTINGS, stop_at_eos=stop, max_new_tokens=96)
        )[0]
        for stop in (True, False)
    )
    assert len(whole.tokens) == 96 > len(ended.tokens)
    assert measures.count(whole).tokens == measures.count(ended).tokens == len(ended.tokens)


# What figures need


def test_a_run_keeps_the_steps_and_the_attention_of_its_first_problems(whole, toy):
    plan, out = whole
    problems = plan.problems("sums")
    for number, text in enumerate(PAIR):
        trace = read_trace(trace_path(out, "sums", number))
        own = Records(out, plan.identity(toy)).of("sums", text)
        assert len(trace.canvases) == len(own) == 6
        for row, record in enumerate(own):
            assert toy.decode(trace.tokens(row)) == record["text"]
            assert sum(step.row == row for step in trace.steps) == record["nfe"]
        watched = read_watched(attention_path(out, "sums", number))
        assert list(watched.rows) == [problem.id for problem in problems[:2]]
        assert watched.decoder == trace.header["decoder"] == str(axon.decoder(text))


def test_a_trace_lost_to_a_kill_is_made_again_and_is_the_same(whole, toy, tmp_path):
    plan, out = whole
    again = tmp_path / "again"
    shutil.copytree(out, again)
    shutil.rmtree(again / "traces")
    evaluate(plan, toy, again, nothing)
    for number in range(2):
        before, after = (read_trace(trace_path(folder, "sums", number)) for folder in (out, again))
        assert before.canvases == after.canvases
        # Other neighbours in the batch may move the last digits of what the gate saw, but nothing that was revealed.
        assert [(step.row, step.positions, step.tokens) for step in before.steps] == [
            (step.row, step.positions, step.tokens) for step in after.steps
        ]


def test_without_pictures_there_are_only_results(toy, tmp_path):
    evaluate(Plan("toy", ("sums",), PAIR, SETTINGS, limit=2), toy, tmp_path, nothing, pictures=False)
    assert {path.name for path in tmp_path.iterdir()} == {".lock", "run.json", "results.jsonl"}


def test_a_folder_says_where_its_results_come_from_and_may_be_continued_elsewhere(whole, toy, tmp_path, monkeypatch):
    plan, out = whole
    said = json.loads((out / "run.json").read_text())
    assert said["versions"]["torch"] == torch.__version__
    assert said["origin"]["command"].split()[0] == "axon"
    assert re.fullmatch(r"[0-9a-f]{12}\+?", said["origin"]["commit"] or "0" * 12)
    again = tmp_path / "again"
    shutil.copytree(out, again)
    monkeypatch.setattr(sys, "argv", ["axon", "elsewhere"])
    evaluate(plan, toy, again, nothing)
    assert json.loads((again / "run.json").read_text()) == said
    monkeypatch.setattr("axon.evaluation.plan.versions", lambda **_: {"torch": "0.1"})
    assert "(different: versions)" in refused(evaluate, plan, toy, again, nothing)


@pytest.mark.parametrize(
    ("prompting", "asked"),
    [("auto", "chat"), ("chat", "chat"), ("text", "text")],
)
def test_problems_are_put_to_the_model_as_asked(toy, tmp_path, prompting, asked):
    plan = Plan("toy", ("sums",), ("confidence",), SETTINGS, limit=2, prompting=prompting)
    assert plan.identity(toy)["prompting"] == asked
    evaluate(plan, toy, tmp_path, nothing)
    problem = plan.problems("sums")[0]
    given = toy.chat([{"role": "user", "content": problem.prompt}]) if asked == "chat" else toy.encode(problem.prompt)
    canvas = read_trace(trace_path(tmp_path, "sums", 0)).canvases[0]
    assert list(canvas.tokens[: len(given)]) == given
    assert canvas.free[len(given)]


def test_a_bos_token_goes_in_front_where_there_is_one_and_is_missed_where_not(toy, llada):
    class Words:
        bos_token_id = 3

        def encode(self, text, add_special_tokens):
            return [len(text)]

    problem = Problem("p", "abc", "")
    spoken = replace(llada, text=Text(Words(), "words"))
    assert prompt(spoken, problem, "bos") == [3, 3]
    assert prompt(spoken, Problem("q", "abcd", ""), "bos") == [3, 4]
    assert refused(prompt, toy, problem, "bos") == "a BOS token is asked for and toy has none"


def test_a_function_written_in_a_chat_is_not_cut(monkeypatch):
    plan = Plan("toy", ("sums",), ("confidence",), SETTINGS)
    monkeypatch.setattr(Plan, "task", lambda self, name: HumanEval())
    assert plan.settings_of("humaneval", "chat").stop == ()
    assert "\ndef" in plan.settings_of("humaneval", "text").stop


# Tables


def test_every_cell_is_in_the_terminal_tables_and_in_markdown(whole, toy):
    plan, out = whole
    records = Records(out, plan.identity(toy))
    summary, speed = summarise(plan, records), speeds(plan, records)
    rows = [*tables.cell_rows(summary, speed, "sums"), *tables.pair_rows(summary, "sums")]
    assert [row[0] for row in rows] == [*PAIR, PAIR[1]]
    marked = tables.markdown(summary, speed)
    for row in rows:
        assert "| " + " | ".join(row) + " |" in marked
    assert "### sums, 6 problems" in marked
    for width in (80, 140):
        console = Console(width=width, file=io.StringIO())
        console.print(*tables.terminal(summary, speed), sep="\n")
        shown = console.file.getvalue()
        assert "sums, 6 problems" in shown
        for row in rows:
            for figure in row[2:] if row[1] in PAIR else row[1:]:
                assert figure in shown, f"{figure} at width {width}"
        assert (PAIR[1] in shown) == (width == 140)
        # A decoder too long for its column goes on in the next line.
        assert "cover)" in shown


def test_a_summary_is_valid_json_even_where_nothing_was_decoded(faulty, toy, tmp_path):
    plan = replace(faulty, decoders=PAIR)
    records = Records(tmp_path, plan.identity(toy))
    for text in PAIR:
        head = {"task": "faulty", "decoder": text, "chunk": 0, "chunk_size": 1, "seconds": 0.0}
        records.add([head | {"problem": "faulty-0", "error": "it could not be read"}])
    summary = summarise(plan, records)
    written = json.loads(json.dumps(summary.as_dict(), allow_nan=False))
    assert written["cells"][0]["nfe"] is None
    assert written["cells"][0]["errors"] == 1
    assert written["comparisons"][0]["nfe_interval"] == [None, None]
    assert "nan" not in tables.markdown(summary, speeds(plan, records))
    assert "| – |" in tables.markdown(summary, speeds(plan, records))
    assert {speed.as_dict()["tokens_per_second"] for speed in speeds(plan, records)} == {None}


# The command

COMMAND = ["eval", "--model", "toy", "--tasks", "sums", "--max-new-tokens", 64, "--limit", 4]


def test_output_that_is_no_terminal_gets_lines_with_the_time_left(run, tmp_path):
    out = tmp_path / "out"
    first = run(*COMMAND, "--decoders", ";".join(PAIR), "--out", out)
    lines = re.findall(r"^(\d+)/8 problems, (\d+:\d\d:\d\d) left · sums · (\S+)$", first.out, re.MULTILINE)
    assert [(count, decoder) for count, _, decoder in lines] == [("4", PAIR[0]), ("8", PAIR[1])]
    assert lines[-1][1] == "0:00:00"
    again = run(*COMMAND, "--decoders", ";".join(PAIR), "--out", out)
    assert "problems, " not in again.out.split("\n\n")[0], "nothing is decoded again"


def test_results_go_to_a_folder_of_that_name_by_default(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(*COMMAND, "--limit", 1, "--decoders", "confidence").returncode == 0
    assert (tmp_path / "results" / "summary.json").is_file()


def test_a_run_that_other_source_goes_on_with_says_so(toy, tmp_path):
    identity = {"model": "toy"}
    here, there = {"commit": "a", "machine": "m", "python": "3"}, {"commit": "b", "machine": "m", "python": "3"}
    for origin in (here, here, there, there, here):
        Records(tmp_path, identity, origin)
    told = json.loads((tmp_path / "run.json").read_text())
    assert (told["origin"], told["continued"]) == (here, [there])


def test_the_command_leaves_results_a_summary_and_a_report(run, tmp_path):
    out = tmp_path / "a [strange] name"
    done = run(*COMMAND, "--decoders", ";".join(PAIR), "--out", out)
    assert done.returncode == 0, done.err
    assert {file.name for file in out.iterdir()} == {
        *(".lock", "attention", "figures", "report.html", "report.md", "results.jsonl"),
        *("run.json", "summary.json", "timing.json", "traces"),
    }
    summary = json.loads((out / "summary.json").read_text())
    assert [found["decoder"] for found in summary["cells"]] == list(PAIR)
    assert "sums, 4 problems" in done.out
    assert f"{out}: results.jsonl, summary.json, timing.json, report.md, report.html" in done.out
    assert "<html" in (out / "report.html").read_text()
    written = (out / "report.md").read_text()
    assert "| confidence |" in written
    assert "| command | `axon eval " in written
    assert "| model | name toy" in written
    other = run(*COMMAND, "--decoders", "dawn", "--out", out)
    assert other.returncode == 2
    assert other.err == f"axon: {out} holds results of another run (different: decoders); choose another --out\n"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--tasks", "sums,poems"], "unknown task 'poems'; there are sums, code"),
        (["--tasks", ""], "an evaluation needs at least one task and one decoder"),
        (["--prompting", "shout"], "prompting must be one of auto, chat, text, bos, got 'shout'"),
        (["--decoders", "dawn;fastest"], "unknown decoder 'fastest'"),
        (["--decoders", "dawn; dawn"], "the decoder 'dawn' is given twice"),
        (["--table", "short"], "table must be one of paper, got 'short'"),
        (["--limit", 0], "limit must be a whole number of at least 1, got 0"),
        (["--batch-size", 0], "batch_size must be a whole number of at least 1, got 0"),
        (["--block-length", 48], "block_length must divide max_new_tokens, got 48 and 64"),
        (["--cache", "big"], "cache must be one of none, prefix, dual, got 'big'"),
        (["--model", "nowhere/to/be/found"], "there is no folder nowhere/to/be/found"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_bad_input_is_answered_with_one_sentence_and_leaves_no_folder(fails, tmp_path, change, said):
    assert said in fails(*COMMAND, "--out", tmp_path / "out", *change)
    assert not (tmp_path / "out").exists()


def test_what_is_missing_is_found_before_the_model_is_loaded(tmp_path, monkeypatch, capsys):
    def load(*_, **__):
        raise AssertionError("the model was loaded")

    monkeypatch.setattr(axon, "load", load)
    monkeypatch.setattr(ready, "isolation", lambda: Isolation(False, "no namespaces here"))
    for arguments, said in (
        (["--tasks", "sums,code"], Isolation(False, "no namespaces here").sentence),
        (["--tasks", "gsm8k", "--data", str(tmp_path)], "gsm8k_t"),
    ):
        monkeypatch.setattr(sys, "argv", ["axon", "eval", *arguments, "--out", str(tmp_path / "out")])
        with pytest.raises(SystemExit):
            main()
        assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_published_tasks_depend_on_the_packages_that_score_them():
    assert "lm_eval" not in versions()
    assert {"lm_eval", "math-verify", "sympy"} < set(versions(published=True))


# Kills, by task: a run of two cells, and one whose answers are run in the sandbox

KILLED = {"sums": "confidence;confidence+axon", "code": "confidence"}


def start(name, out):
    command = [AXON, "eval", "--model", "toy", "--tasks", name, "--decoders", KILLED[name], "--limit", 48]
    command += ["--batch-size", 4, "--max-new-tokens", 64, "--unsafe-code", "--out", out]
    return subprocess.Popen(
        list(map(str, command)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )


def sandboxed(pid):
    """Whether this process is one of the sandbox, and still runs."""
    try:
        return b"axon.sandbox" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def programs(pid):
    """The processes of the sandbox that a run waits for."""
    try:
        return list(filter(sandboxed, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    except OSError:
        return []


def moments(name, out, lines, rng):
    """Tests of a run that is going on whether it is time to kill it, each made just before it is started.

    They depend on what is on disk, so that the machine's speed does not matter: while problems are decoded, or their
    programs run; when the last one is recorded; and while summary, figures and page are written.
    """

    def recorded(goal):
        return lambda child: lines() >= goal

    def scoring(goal):
        return lambda child: lines() >= goal and programs(child.pid)

    def written(path):
        before = path.stat().st_mtime_ns if path.is_file() else None
        return lambda child: path.is_file() and path.stat().st_mtime_ns != before

    total = 48 * len(KILLED[name].split(";"))
    for goal in sorted(rng.sample(range(4, total - 8, 4), 7)):
        yield scoring(goal) if name == "code" else recorded(goal)
    yield recorded(total)
    yield written(out / "summary.json")
    if name == "sums":
        yield written(out / "figures" / "frontier.sums.svg")
        yield written(out / "figures" / "gate-activity.sums.svg")


def survive(name, folder):
    """Kill a run at all its moments and see that it ends as an undisturbed one does; returns the number of kills."""
    calm, killed = folder / name / "calm", folder / name / "killed"

    def lines():
        path = killed / "results.jsonl"
        return path.read_bytes().count(b"\n") if path.is_file() else 0

    undisturbed = start(name, calm)
    rng, seen, end = random.Random(0), [], time.monotonic() + 1800
    for reached in moments(name, killed, lines, rng):
        child = start(name, killed)
        while not (met := reached(child)):
            assert child.poll() is None, child.stderr.read()
            assert time.monotonic() < end
            time.sleep(0.005)
        if name != "code":  # a program is soon over
            time.sleep(rng.random() * 0.1)
        os.killpg(child.pid, signal.SIGKILL)
        assert child.communicate()[1] == b""
        assert child.returncode == -signal.SIGKILL
        seen.append(lines())
        # In a session of their own, the kill does not reach programs, but nothing is left of them either.
        while isinstance(met, list) and any(map(sandboxed, met)):
            assert time.monotonic() < end
            time.sleep(0.005)
    assert seen == sorted(seen)
    assert seen[6] < seen[7] == seen[-1]
    last = start(name, killed)
    for child in (undisturbed, last):
        assert child.communicate(timeout=1800)[1] == b""
        assert child.returncode == 0
    assert (killed / "summary.json").read_bytes() == (calm / "summary.json").read_bytes()
    untimed = [re.sub(rb'"seconds": [\d.]+', b"", (out / "results.jsonl").read_bytes()) for out in (calm, killed)]
    assert untimed[0] == untimed[1]
    figures = [{path.name for path in (out / "figures").iterdir()} for out in (calm, killed)]
    assert figures[0] == figures[1]
    assert (killed / "report.html").is_file()
    return len(seen)


def test_a_run_killed_again_and_again_ends_with_the_summary_of_an_undisturbed_one(tmp_path):
    with ThreadPoolExecutor(len(KILLED)) as pool:
        assert sum(pool.map(partial(survive, folder=tmp_path), KILLED)) == 20


# Time


class Clock:
    """Time that passes only where it is told to."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(measures, "time", SimpleNamespace(perf_counter=lambda: self.now))

    def passes(self, seconds):
        self.now += seconds


def test_an_accelerator_is_done_with_earlier_work_before_the_time_begins_and_with_this_before_it_ends(monkeypatch):
    clock, said = Clock(monkeypatch), []

    def synchronize(place):
        said.append(str(place))
        clock.passes(8)

    monkeypatch.setattr(torch.accelerator, "synchronize", synchronize)
    for device, order, seconds in (("cuda:1", ["cuda:1", "work", "cuda:1"], 1 + 8), ("cpu", ["work"], 1)):
        said.clear()
        assert measures.timed(lambda: said.append("work") or clock.passes(1), device) == (None, seconds)
        assert said == order


def test_every_cell_is_warmed_up_before_its_time_is_taken(toy, tmp_path, monkeypatch):
    """The first decode of each decoder takes a hundred seconds, and none of the recorded ones does."""
    clock, decoded = Clock(monkeypatch), []

    def decode(model, prompts, decoder, settings):
        clock.passes(1 if any(decoder == other for other, _ in decoded) else 100)
        decoded.append((decoder, len(prompts)))
        return axon.generate(model, prompts, decoder, settings)

    monkeypatch.setattr("axon.evaluation.runner.generate", decode)
    plan = Plan("toy", ("sums",), PAIR, SETTINGS, limit=4, length=64)
    records = evaluate(plan, toy, tmp_path, nothing, pictures=False)
    assert [record["seconds"] for record in records] == [1 / 2] * 8
    assert decoded == [(axon.decoder(text), count) for text in PAIR for count in (1, 2, 2)]
    # What is recorded already needs none.
    evaluate(plan, toy, tmp_path, nothing, pictures=False)
    assert len(decoded) == 6
