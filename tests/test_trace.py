"""A run on disk: written as it goes, read back, replayed, and honest about damage."""

import gc
import json

import pytest

import axon
from axon import decoders
from axon.trace import FORMAT, read_trace, replay

RULE = axon.Axon.paper(decoders.Confidence(0.5))
SETTINGS = axon.Settings(16, 8, temperature=0.5, seed=(3, 4), stop=("zzz",))
PROMPTS = ["a word\n", "b\n"]


@pytest.fixture
def run(toy, tmp_path):
    """A traced run: the file and what generate() gave."""
    file = tmp_path / "run.jsonl"
    return file, axon.generate(toy, PROMPTS, RULE, SETTINGS, trace=file)


def test_the_header_says_how_to_run_it_again(run, toy):
    file, _ = run
    header = json.loads(file.read_text().splitlines()[0])
    assert header["format"] == FORMAT
    assert header["versions"].keys() == {"axon-dllm", "torch", "transformers"}
    assert header["versions"]["axon-dllm"] == axon.__version__
    assert header["model"] == toy.describe() | {"mask_id": toy.mask_id, "eos_ids": sorted(toy.eos_ids)}
    assert axon.decoder(header["decoder"]) == RULE
    assert axon.Settings(**header["settings"]) == SETTINGS
    assert [row["tokens"][:-16] for row in header["rows"]] == [toy.encode(prompt) for prompt in PROMPTS]


def test_what_is_read_back_is_what_happened(run):
    file, generations = run
    trace = read_trace(file)
    assert not trace.truncated
    for row, generation in enumerate(generations):
        assert tuple(step for step in trace.steps if step.row == row) == generation.steps
        assert trace.canvases[row] == generation.start


def test_a_trace_replays_to_every_canvas_on_the_way(run):
    file, generations = run
    trace = read_trace(file)
    for row, generation in enumerate(generations):
        assert trace.canvas(row) == generation.canvas
        assert trace.canvas(row, 0) == generation.start.tokens
        for count in range(generation.nfe):
            assert trace.canvas(row, count) == replay(generation.start, generation.steps[:count])


def test_every_step_is_on_disk_before_it_is_seen(toy, tmp_path):
    file = tmp_path / "run.jsonl"
    steps = axon.stream(toy, PROMPTS, RULE, SETTINGS, trace=file)
    assert len(file.read_text().splitlines()) == 1
    for count, step in zip(range(1, 5), steps, strict=False):
        lines = file.read_text().splitlines()
        assert len(lines) == 1 + count
        assert json.loads(lines[-1])["index"] == step.index
    steps.close()
    assert len(read_trace(file).steps) == 4


def test_a_stream_nobody_reads_leaves_no_file_open(toy, tmp_path):
    axon.stream(toy, PROMPTS, RULE, SETTINGS, trace=tmp_path / "run.jsonl")
    gc.collect()
    assert len(read_trace(tmp_path / "run.jsonl").steps) == 0


def test_the_spans_of_an_infilling_canvas_survive(toy, tmp_path):
    canvas = axon.Canvas.from_text(toy, "b\nab[MASK:3] cd[MASK] e")
    axon.generate(toy, canvas, RULE, axon.Settings(4, 4), trace=tmp_path / "t")
    assert read_trace(tmp_path / "t").canvases == (canvas,)


def test_a_row_that_failed_says_so_in_its_trace(tmp_path):
    from test_engine import poisoned

    model = poisoned("llada", 5)
    axon.generate(model, [[5, 6], [7]], RULE, axon.Settings(2, 2), trace=tmp_path / "t")
    (failed,) = [step for step in read_trace(tmp_path / "t").steps if step.finish_reason == "error"]
    assert failed.row == 0
    assert "finite" in failed.error


def damaged(file, change):
    lines = file.read_text().split("\n")
    change(lines)
    file.write_text("\n".join(lines))
    return file


@pytest.mark.parametrize("cut", [1, 2, 30])
def test_a_last_line_cut_short_is_left_out_and_reported(run, cut):
    file, generations = run
    steps = sum(generation.nfe for generation in generations)
    file.write_bytes(file.read_bytes()[:-cut])
    trace = read_trace(file)
    assert trace.truncated
    assert len(trace.steps) == steps - 1


def test_a_corrupt_line_in_the_middle_is_an_error_with_its_number(run):
    file, _ = run
    damaged(file, lambda lines: lines.__setitem__(2, lines[2][:20]))
    with pytest.raises(axon.AxonError, match="line 3"):
        read_trace(file)


@pytest.mark.parametrize("field", ["row", "positions", "gate", "tokens"])
def test_a_step_without_a_field_is_an_error(run, field):
    def change(lines):
        record = json.loads(lines[1])
        del record[field]
        lines[1] = json.dumps(record)

    file, _ = run
    with pytest.raises(axon.AxonError, match="damaged"):
        read_trace(damaged(file, change))


@pytest.mark.parametrize("value", ["5", "[]", '{"row": 99, "gate": null}', "null"])
def test_a_line_that_is_no_step_is_an_error(run, value):
    file, _ = run
    with pytest.raises(axon.AxonError, match="damaged"):
        read_trace(damaged(file, lambda lines: lines.__setitem__(1, value)))


@pytest.mark.parametrize("text", ["", "{", "hello\n", "[]\n", "{}\n", '{"format": "other/1"}\n', "5\n"])
def test_another_file_is_no_trace(tmp_path, text):
    file = tmp_path / "other"
    file.write_text(text)
    with pytest.raises(axon.AxonError, match="not a trace"):
        read_trace(file)


def test_a_binary_file_is_no_trace(tmp_path):
    (tmp_path / "bin").write_bytes(bytes(range(256)))
    with pytest.raises(axon.AxonError, match="not a trace"):
        read_trace(tmp_path / "bin")


def test_a_full_disk_is_named(toy):
    with pytest.raises(axon.AxonError, match="cannot write the trace to /dev/full: No space left on device"):
        axon.generate(toy, "b\n", trace="/dev/full")


def test_a_path_that_cannot_be_read_or_written_is_named(toy, tmp_path):
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(axon.AxonError, match=f"cannot read the trace {path}"):
            read_trace(path)
    for path in (tmp_path / "no" / "folder", tmp_path):
        with pytest.raises(axon.AxonError, match=f"cannot write the trace to {path}"):
            axon.generate(toy, "b\n", trace=path)
