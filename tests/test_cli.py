"""The command line as a person meets it: real processes, with and without a terminal."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from axon.cli import demo
from axon.decoders import spec
from axon.evaluation.plan import PAPER

AXON = Path(sys.executable).parent / "axon"
TOY = ["generate", "Choose.", "--model", "toy", "--max-new-tokens", "96"]
SENTENCE = "a word that many others lean on is worth writing first, and the rest will follow."


def on_a_terminal(*arguments, columns=100, **env):
    child = pexpect.spawn(
        str(AXON),
        list(map(str, arguments)),
        encoding="utf-8",
        dimensions=(40, columns),
        timeout=120,
        env={**os.environ, "TERM": "xterm-256color", **env},
    )
    shown = child.read()
    child.close()
    return child.exitstatus, shown


def test_without_a_terminal_the_text_goes_to_stdout_and_the_summary_to_stderr(run):
    done = run(*TOY)
    assert done.returncode == 0
    assert done.out == SENTENCE + "\n"
    assert "81 tokens" in done.err
    assert "tokens per evaluation" in done.err
    assert "gate opening" in done.err


def test_a_terminal_shows_masks_new_tokens_anchors_and_what_they_brought():
    status, shown = on_a_terminal(*TOY, "--decoder", "confidence+axon(budget=cover)")
    assert status == 0
    assert "░" in shown
    assert "\x1b[1;32m" in shown  # new: bold green
    assert "\x1b[1;7;94m" in shown  # anchor: bold, reversed, blue
    # Because of an anchor: underlined yellow, and not only in the legend, which is drawn with every frame.
    frames = shown.count("because of an anchor")
    assert shown.count("\x1b[4;33m") > frames
    assert "gate open" in shown
    assert "evaluations" in shown


def test_the_marks_do_not_depend_on_colour():
    status, shown = on_a_terminal(*TOY, "--decoder", "confidence+axon(budget=cover)", NO_COLOR="1")
    assert status == 0
    assert "32m" not in shown
    for mark in ("\x1b[1m", "\x1b[1;7m", "\x1b[4m", "░"):
        assert mark in shown


def test_json_is_one_object_with_everything_needed_to_repeat_it(run):
    done = run(*TOY, "--decoder", "dawn+axon.paper", "--json")
    (line,) = done.out.splitlines()
    result = json.loads(line)
    assert result["text"].endswith("the rest will follow.")
    assert result["finish_reason"] == "stop"
    assert result["nfe"] == result["nfe_full"] + result["nfe_cached"]
    assert result["decoder"].startswith("dawn(sink=0.01,")
    assert "gate=hybrid" in result["decoder"]
    assert result["settings"]["max_new_tokens"] == 96
    assert result["model"]["name"] == "toy"


def test_a_trace_replays_to_the_same_text(run, tmp_path):
    trace = tmp_path / "run.jsonl"
    written = run(*TOY, "--trace", trace)
    replayed = run("replay", trace)
    assert replayed.returncode == 0
    assert replayed.out == written.out
    assert "81 tokens" in replayed.err
    status, shown = on_a_terminal("replay", trace, "--delay", "0")
    assert status == 0
    assert "░" in shown


def test_a_trace_cut_off_in_its_last_line_still_replays_and_says_so(run, tmp_path):
    trace = tmp_path / "run.jsonl"
    run(*TOY, "--trace", trace)
    trace.write_bytes(trace.read_bytes()[:-20])
    done = run("replay", trace)
    assert done.returncode == 0
    assert "cut off" in done.err


def test_the_prompt_can_come_from_standard_input(run):
    arguments = [part if part != "Choose." else "-" for part in TOY]
    assert run(*arguments, stdin="Choose.").out == SENTENCE + "\n"


def test_infilling_prints_the_whole_text_with_the_given_parts_unchanged(run):
    done = run("generate", "Choose.\na word [MASK:4] many", "--infill", "--model", "toy")
    assert done.out == "Choose.\na word that many\n"


def test_stop_texts_end_the_answer(run):
    assert run(*TOY, "--stop", " lean").out == "a word that many others\n"


def test_every_decoder_is_listed_with_its_parameters(run):
    listed = run("decoders").out
    for name in ("sequential", "dreamschedule", "confidence", "factor", "localleap", "dawn", "klass", "base+axon"):
        assert f"\n{name}\n" in "\n" + listed
    for parameter in ("threshold", "radius", "budget", "redundancy", "anchor_steps"):
        assert parameter in listed
    one = run("decoders", "localleap").out
    assert "radius" in one
    assert "dawn" not in one


def test_a_plugin_file_brings_a_decoder_of_ones_own(run, tmp_path, monkeypatch):
    monkeypatch.setattr(spec, "_bases", dict(spec._bases))
    plugin = tmp_path / "greedyall.py"
    plugin.write_text(
        "from dataclasses import dataclass\n"
        "from axon.decoders import Decoder, Proposal, register\n"
        "@register\n@dataclass(frozen=True, slots=True)\nclass GreedyAll(Decoder):\n"
        '    """Reveal everything."""\n'
        "    def propose(self, signals, state):\n        return Proposal(signals.masked)\n"
    )
    done = run(*TOY, "--plugin", plugin, "--decoder", "greedyall", "--json")
    assert json.loads(done.out)["nfe"] == 3
    assert "greedyall" in run("decoders", "--plugin", plugin).out
    measured = ["eval", "--model", "toy", "--tasks", "sums", "--limit", 1, "--decoders", "greedyall"]
    assert run(*measured, "--plugin", plugin, "--out", tmp_path / "out").returncode == 0


def test_the_version_is_printed(run):
    assert run("--version").out.startswith("axon 0.")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--decoder", "fastest"], "unknown decoder 'fastest'; known are confidence, dawn"),
        (["--decoder", "dawn(speed=2)"], "dawn has no parameter 'speed'; it takes sink, edge"),
        (["--decoder", "confidence(threshold=2)"], "threshold must be a number between 0 and 1"),
        (["--model", "nowhere/to/be/found"], "there is no folder nowhere/to/be/found"),
        (["--max-new-tokens", "0"], "max_new_tokens must be a whole number of at least 1"),
        (["--block-length", "-4"], "block_length must be a whole number of at least 1"),
        (["--block-length", "128"], "block_length 128 is larger than max_new_tokens 96"),
        (["--block-length", "36"], "block_length must divide max_new_tokens"),
        (["--max-new-tokens", "4096"], "toy allows 2048"),
        (["--cache", "big"], "cache must be one of none, prefix, dual"),
        (["--temperature", "-1"], "temperature must be a number at least 0"),
        (["--trace", "/no/such/folder/run.jsonl"], "cannot write the trace"),
        (["--plugin", "missing.py"], "there is no plugin file missing.py"),
        (["--plugin", "no_such_module"], "there is no plugin module no_such_module"),
        (["--infill"], "the text has no hole"),
        (["--stop", ""], "stop must hold non-empty texts"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_answered_with_one_sentence(fails, change, said, tmp_path):
    assert said in fails(*TOY, *change)


def test_bad_files_are_answered_with_one_sentence(fails, tmp_path):
    assert "cannot read the trace" in fails("replay", tmp_path / "missing.jsonl")
    noise = tmp_path / "noise.jsonl"
    noise.write_text("hello\n")
    assert "is not a trace" in fails("replay", noise)
    assert "unknown decoder 'x'" in fails("decoders", "x")
    empty = [part if part != "Choose." else "" for part in TOY]
    assert "prompt 0 is empty" in fails(*empty)


def test_a_row_outside_the_trace_is_refused(run, fails, tmp_path):
    trace = tmp_path / "run.jsonl"
    run(*TOY, "--trace", trace)
    assert "has rows 0 to 0, got row 3" in fails("replay", trace, "--row", 3)


def test_a_real_process_with_a_closed_pipe_does_not_crash():
    piped = f"'{AXON}' decoders | head -1"
    done = subprocess.run(piped, shell=True, capture_output=True, text=True, timeout=120)
    assert done.stdout == "confidence\n"
    assert "Traceback" not in done.stderr


def test_the_demo_shows_both_decodes_what_the_gate_saw_and_ten_rows(capsys, monkeypatch):
    monkeypatch.setattr(demo, "_SAMPLE", 2)
    demo.main()
    shown = capsys.readouterr().out
    for name in ("sums", "code"):
        assert shown.count(f"{name}, test problem") == 1
    assert shown.count("evaluations ·") == 4, "two decodes of each problem have their line"
    assert shown.count("What the gate saw") == 2
    seen = re.findall(r"^ *(\d) +(\d+) tokens +([\d.]+) +([\d.]+) +(open|closed)", shown, re.MULTILINE)
    assert len(seen) >= 2
    for _, wanted, support, needed, state in seen:
        # A gate is closed too where nothing is left in doubt.
        assert (float(support) < float(needed)) == (state == "open") or int(wanted) == 32
    assert "░" not in shown.replace("░ masked", ""), "a finished answer has no masks"
    rows = [line.split()[0] for line in shown.split("ten decoders")[1].splitlines() if "/2" in line]
    assert rows == list(PAPER)
