"""axon reproduce paper: the figures are the paper's, and tiny checkpoints of both families go through all of it."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import axon
from axon.cli.paper import carry_out
from axon.decoders import DreamSchedule, Sequential
from axon.errors import AxonError
from axon.evaluation.costs import cost, seconds_per_answer
from axon.evaluation.paper import MODELS, SOURCE, TASKS, Reproduction, hardware, published
from axon.evaluation.paper_speed import speeds
from axon.evaluation.records import Records
from axon.evaluation.whole import EndedText, reading_to_the_end
from axon.models import dream as dream_family
from axon.models import llada as llada_family
from axon.models.network import empty
from axon.report.figures.registry import FIGURES
from axon.report.paper import blocks, markdown
from axon.sandbox import Isolation
from axon.support.axon import Axon
from axon.trace import read_trace
from cases import GOLDEN
from checkpoints import BOS, EOS, save_dream, save_llada
from published_cases import write_handmade

TEX = Path(__file__).parents[2] / "shared" / "reference" / "axon-paper.tex"
# Positions of an answer, where the paper has 256.
SHORT = 4


@pytest.fixture(scope="module")
def model_dir(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkpoints")
    save_llada(folder / "LLaDA-8B-Instruct")
    save_llada(folder / "LLaDA-1.5")
    save_dream(folder / "Dream-v0-Instruct-7B")
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_handmade(tmp_path_factory.mktemp("data"))


def without_figures(patched):
    """Figures are the report's own tests' business, and drawing them takes longer than all of this."""

    def refuse():
        raise AxonError("no figures here")

    patched.setattr("axon.cli.measure.require", refuse)


@pytest.fixture(autouse=True)
def _no_figures(monkeypatch):
    without_figures(monkeypatch)


def spoken(job, **options):
    """What a run says."""
    console = Console(width=200, file=io.StringIO())
    carry_out(job, console, **options)
    return console.file.getvalue()


@pytest.fixture(scope="module")
def whole(model_dir, data, tmp_path_factory):
    """A run of both families on all tasks, then of the third model on one; one problem and few tokens each."""
    out = tmp_path_factory.mktemp("whole")
    job = Reproduction(out, ("llada-8b", "dream"), model_dir=model_dir, data=data, limit=1, unsafe=True, length=SHORT)
    with pytest.MonkeyPatch.context() as patched:
        without_figures(patched)
        said = spoken(job)
        spoken(replace(job, models=("llada-1.5",), tasks=("humaneval",)))
    return job, said


# The paper


def test_the_figures_are_those_of_the_paper():
    if not TEX.is_file():
        pytest.skip("the paper's source is not beside the repository")
    text = TEX.read_text(encoding="utf-8")
    table = text[: text.index(r"\label{tab:main}")].rpartition(r"\begin{tabular}")[2]
    theirs, model, base = {}, None, None
    for line in table.splitlines():
        if title := re.search(r"\\multicolumn\{13\}\{c\}\{\\textit\{(.*?)\}\}", line):
            model = title[1]
        cells = [re.sub(r"\\(?:colorbox\{lightgreen\}|textbf)|[{}\\]", "", cell).strip() for cell in line.split("&")]
        if len(cells) != 13 or model is None:
            continue
        base = base if "quad" in cells[0] else cells[0].lower()
        row = base + ("" if "quad" not in cells[0] else "+axon_cvr" if "CVR" in cells[0] else "+axon")
        for place, task in enumerate(("humaneval", "mbpp", "gsm8k", "minerva_math")):
            three = cells[3 * place + 1 : 3 * place + 4]
            theirs[model, task, row] = None if "textendash" in three else tuple(map(float, three))
    ours = {
        (model.name, task, row): found and (found.accuracy, found.tps, found.nfe)
        for model in MODELS.values()
        for task in TASKS
        for row, found in published(model.name, task).items()
    }
    assert ours == theirs
    assert hardware().removeprefix("NVIDIA ") in text


def test_the_figures_are_complete_and_possible():
    cells = [
        (model.name, task, row, found)
        for model in MODELS.values()
        for task in TASKS
        for row, found in published(model.name, task).items()
    ]
    assert len(cells) == 3 * 4 * 10
    assert "2606.04236" in json.loads(SOURCE.read_text())["source"]
    without = {(model, task) for model, task, _, found in cells if found is None}
    assert without == {("Dream-v0-Instruct-7B", "humaneval")}
    assert sum(found is None for *_, found in cells) == 6
    odd = []
    for model, task, row, found in cells:
        if found is None:
            continue
        assert 0 < found.accuracy < 100
        assert 0 < found.tps < 100
        assert found.nfe == 256 if row == "original" else 8 <= found.nfe < 256
        right = round(found.accuracy / 100 * TASKS[task])
        if abs(100 * right / TASKS[task] - found.accuracy) > 0.0051:
            odd.append((model, task))
    assert sorted(odd) == [("Dream-v0-Instruct-7B", "gsm8k"), *[("LLaDA-8B-Instruct", "humaneval")] * 5]


@pytest.mark.parametrize("key", MODELS)
@pytest.mark.parametrize("task", TASKS)
def test_every_row_is_a_decoder_with_the_published_parameters(key, task):
    model = MODELS[key]
    rows = {row: axon.decoder(text) for row, text in model.rows(task).items()}
    assert list(rows) == list(published(model.name, task))
    dream = key == "dream"
    assert rows["original"] == (DreamSchedule("entropy", 256) if dream else Sequential())
    assert rows["confidence"].threshold == 0.9
    leap, dawn = rows["localleap"], rows["dawn"]
    assert (leap.threshold, leap.relaxed, leap.radius) == (0.9, 0.8 if dream else 0.75, 4)
    assert (dawn.sink, dawn.edge, dawn.induce) == ((0.03, 0.1, 0.75) if dream else (0.01, 0.07, 0.7))
    lowest = {"gsm8k": 0.75, "minerva_math": 0.75, "humaneval": 0.8, "mbpp": 0.75 if key == "llada-1.5" else 0.7}
    assert (dawn.low, dawn.confident) == (0.8 if dream else lowest[task], 0.9)
    changes = {"gate": "pace", "sink": 0.03} if dream else {}
    for name in ("confidence", "localleap", "dawn"):
        assert rows[f"{name}+axon"] == Axon.released(rows[name], **changes)
        assert rows[f"{name}+axon_cvr"] == Axon.released(rows[name], budget="cover", **changes)


@pytest.mark.parametrize("key", MODELS)
def test_the_size_of_a_model_is_that_of_its_network(key):
    shape = MODELS[key].shape
    golden = json.loads((GOLDEN / ("dream" if key == "dream" else "llada") / "config.json").read_text())
    sizes = {"width": shape.width, "inner": shape.inner, "layers": shape.layers, "vocabulary": shape.vocabulary}
    if key == "dream":
        family, heads = dream_family, {"num_attention_heads": 28, "num_key_value_heads": shape.keys // 128}
        names = ("hidden_size", "intermediate_size", "num_hidden_layers", "vocab_size")
    else:
        family, heads = llada_family, {"n_heads": 32, "n_kv_heads": 32, "embedding_size": shape.vocabulary}
        names = ("d_model", "mlp_hidden_size", "n_layers", "vocab_size")
    config = golden | dict(zip(names, sizes.values(), strict=True)) | heads
    assert sum(weight.numel() for weight in empty(family, config).parameters()) == shape.parameters


def test_the_cost_is_computed_from_the_published_figures():
    job = Reproduction(Path("nowhere"))
    parts = {(part.model.key, part.task): part for part in job.parts()}
    part = parts["llada-8b", "gsm8k"]
    assert seconds_per_answer(part, "dawn+axon_cvr") == pytest.approx(256 / 35.89)
    # The paper has no figure here, so it is the base's.
    assert seconds_per_answer(parts["dream", "humaneval"], "dawn+axon") == pytest.approx(256 / 44.77)
    found = cost(part.model, [(part, {"original": 3, "dawn": 2})], width=4)
    assert found.seconds == pytest.approx(3 * 256 / 7.14 + 2 * 256 / 31.95)
    assert found.disk == 2 * 8_015_581_184
    assert 4 * 8_015_581_184 < found.memory < 4.2 * 8_015_581_184


def test_a_part_asks_as_the_authors_do():
    prompting = {"llada-8b": "chat", "llada-1.5": "text", "dream": "bos"}
    for part in Reproduction(Path("nowhere")).parts():
        settings = part.plan.settings_of(part.task, part.plan.prompting)
        assert part.plan.prompting == prompting[part.model.key]
        assert (settings.max_new_tokens, settings.block_length, settings.temperature) == (256, 32, 0)
        assert (settings.stop, settings.stop_at_eos, settings.batch_size) == ((), False, 1)
        assert list(part.rows.values()) == list(part.plan.decoders)


# End to end


def test_a_run_measures_every_cell_in_full(whole):
    job, said = whole
    found = blocks(job.out)
    tasks = [("LLaDA-8B-Instruct", task) for task in TASKS]
    tasks += [("LLaDA-1.5", "humaneval"), *(("Dream-v0-Instruct-7B", task) for task in TASKS)]
    assert [(block.model, block.task) for block in found] == tasks
    for block in found:
        assert [line.row for line in block.lines] == list(published(block.model, block.task))
        for line in block.lines:
            assert (line.measured.problems, line.measured.errors) == (1, 0)
            assert line.measured.nfe == SHORT if line.row == "original" else 1 <= line.measured.nfe <= SHORT
            assert line.tps is not None
            assert line.published == published(block.model, block.task)[line.row]
        for name in ("run.json", "results.jsonl", "summary.json", "timing.json", "report.md", "paper.json"):
            assert (block.run.folder / name).is_file()
        if block.model != "LLaDA-1.5":
            assert block.title in said
    assert "gsm8k: the paper does not say which" in said


def test_the_table_has_the_published_figure_beside_each_measured_one(whole):
    job, _ = whole
    table = json.loads((job.out / "table.json").read_text())
    rows = table["models"]["Dream-v0-Instruct-7B"]["gsm8k"]["rows"]
    assert rows["dawn"]["published"] == {"accuracy": 73.16, "tps": 22.2, "nfe": 52.08}
    assert rows["dawn"]["measured"]["problems"] == 1
    assert set(rows["dawn"]["measured"]["measures"]) == {"strict", "flexible"}
    assert table["models"]["Dream-v0-Instruct-7B"]["humaneval"]["rows"]["dawn+axon"]["published"] is None
    setting = table["models"]["LLaDA-8B-Instruct"]["mbpp"]["setting"]
    assert (setting["prompting"], setting["limit"], setting["model"]["name"]) == ("chat", 1, "LLaDA-8B-Instruct")
    shown = (job.out / "table.md").read_text()
    assert shown == markdown(blocks(job.out))
    part = shown[shown.index("## Dream-v0-Instruct-7B, gsm8k") :]
    line = next(line for line in part.splitlines() if line.startswith("| dawn |"))
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert (cells[1], cells[4], cells[6], cells[8]) == ("1", "73.16", "52.08", "22.20")
    assert "gsm8k: problems run 1, in the paper 1319." in shown


def test_prompts_are_a_chat_bare_text_and_text_behind_bos(whole, model_dir):
    job, _ = whole
    for name, first in (("LLaDA-8B-Instruct", [BOS]), ("LLaDA-1.5", []), ("Dream-v0-Instruct-7B", [BOS])):
        trace = read_trace(job.out / name / "humaneval" / "traces" / "humaneval" / "00.jsonl")
        (canvas,) = trace.canvases
        model = axon.load(model_dir / name)
        start = "[user]\nfrom typing" if name == "LLaDA-8B-Instruct" else "from typing"
        given = [*first, *model.encode(start)]
        assert list(canvas.tokens[: len(given)]) == given


def test_what_stands_behind_the_first_eos_is_not_read(model_dir):
    model = axon.load(model_dir / "LLaDA-1.5")
    tokens = [*model.encode("one"), EOS, *model.encode("two"), EOS]
    assert model.decode(tokens) == "onetwo"
    ended = reading_to_the_end(model, "short")
    assert (ended.name, ended.decode(tokens), ended.decode([EOS]), ended.decode(tokens[:2])) == (
        "short",
        "one",
        "",
        "on",
    )
    assert ended.encode("two") == model.encode("two")
    assert isinstance(ended.text, EndedText)


def test_tokens_are_counted_as_the_scripts_do(model_dir, data, tmp_path):
    texts = {"gsm8k": "It is 7.Question: what", "humaneval": "    return 1\ndef other"}
    counts = {"llada-8b": (8, 22), "llada-1.5": (8, 12), "dream": (22, 22)}
    model = axon.load(model_dir / "LLaDA-1.5")
    for part in Reproduction(tmp_path, tasks=tuple(texts), data=data).parts():
        records = Records(tmp_path / part.model.name / part.task, {})
        for text in part.plan.decoders[:2]:
            head = {"task": part.task, "decoder": text, "chunk": 0, "chunk_size": 1, "seconds": 0.5}
            records.add([head | {"problem": "p", "text": texts[part.task], "tokens": 256}])
        found = speeds(part, records, model)
        counted = counts[part.model.key][part.task == "humaneval"]
        assert [found[text] for text in part.plan.decoders[:2]] == [2 * counted] * 2
        assert found[part.plan.decoders[2]] != found[part.plan.decoders[2]]


def test_a_part_of_each_family_ends_with_figures_a_page_and_the_published_figures(
    model_dir, data, tmp_path, monkeypatch
):
    # With figures, unlike the rest of this file, and with answers of two blocks, so that there is something to draw.
    monkeypatch.undo()
    job = Reproduction(
        tmp_path, ("llada-1.5", "dream"), ("humaneval",), model_dir, data, limit=1, unsafe=True, length=64
    )
    said = spoken(job)
    shown = (tmp_path / "table.md").read_text()
    for block in blocks(tmp_path):
        folder = block.run.folder
        page, drawn = (folder / "report.html").read_text(), {path.name for path in (folder / "figures").iterdir()}
        for name in ("frontier", "unmasked", "trajectories", "gate-activity", "gate-rate", "attention"):
            assert {f"{name}.humaneval.png", f"{name}.humaneval.svg"} <= drawn
            assert f'<figure aria-label="{FIGURES[name].title}">' in page
        assert f"report.html, {len(drawn)} files in figures/" in said
        part = shown[shown.index(f"## {block.title}\n") :]
        for line in block.lines:
            assert (line.measured.problems, line.measured.errors) == (1, 0)
            assert "| " + " | ".join(line.texts()) + " |" in part
        assert {line.row: line.published for line in block.lines} == published(block.model, "humaneval")
        assert block.title in said
    assert [block.model for block in blocks(tmp_path)] == ["LLaDA-1.5", "Dream-v0-Instruct-7B"]
    # Published accuracies of DAWN, which no other row has.
    assert all(f" {figure} " in said for figure in ("42.07", "54.88"))


@pytest.fixture
def small(model_dir, data, tmp_path):
    """A part of the table that is quick to run."""
    return Reproduction(
        tmp_path / "out", ("dream",), ("humaneval",), model_dir, data, limit=2, unsafe=True, length=SHORT
    )


def test_a_run_that_was_stopped_goes_on_and_a_finished_one_is_not_run_again(small, monkeypatch, tmp_path):
    folder = small.out / "Dream-v0-Instruct-7B" / "humaneval"
    added, add = [], Records.add

    def counted(self, records):
        if len(added) == stop:
            raise KeyboardInterrupt
        added.append(records[0]["problem"])
        add(self, records)

    monkeypatch.setattr(Records, "add", counted)
    stop = 7
    with pytest.raises(KeyboardInterrupt):
        spoken(small)
    with (folder / "results.jsonl").open("a") as file:
        file.write('{"task": "humane')
    (block,) = blocks(small.out)
    assert [line.measured.problems if line.measured else 0 for line in block.lines] == [2, 2, 2, 1, 0, 0, 0, 0, 0, 0]
    assert {line.tps for line in block.lines} == {None}
    assert "problems run 0 to 2, in the paper 164." in markdown([block])
    stop = None
    assert re.search(r"Dream-v0-Instruct-7B .* 13 ", spoken(small, dry_run=True))
    # The checkpoint may have moved in the meantime.
    moved = tmp_path / "moved"
    moved.mkdir()
    (moved / "Dream-v0-Instruct-7B").symlink_to(small.model_dir / "Dream-v0-Instruct-7B")
    said = spoken(replace(small, model_dir=moved))
    assert len(added) == 20
    assert "parts are finished" not in said
    table = (small.out / "table.json").read_text()
    (small.out / "table.json").unlink()
    monkeypatch.setattr("axon.cli.paper.axon.load", None)
    # Nothing is loaded, so that the checkpoint is not missed either.
    again = spoken(replace(small, model_dir=tmp_path / "nowhere"))
    assert again.startswith("1 of 1 parts are finished and are not run again.")
    assert (small.out / "table.json").read_text() == table
    assert len(added) == 20


def test_a_beginning_without_a_result_is_no_run_yet(small):
    folder = small.out / "Dream-v0-Instruct-7B" / "humaneval"
    folder.mkdir(parents=True)
    (folder / "results.jsonl").write_text('{"task": ')
    assert blocks(small.out) == []
    assert "Everything is there." in spoken(small, dry_run=True)


def test_results_of_another_run_are_refused_before_anything_is_loaded(whole, monkeypatch):
    job, _ = whole
    monkeypatch.setattr("axon.cli.paper.axon.load", None)
    with pytest.raises(AxonError, match=r"humaneval holds results of another run \(different: limit\); choose another"):
        spoken(replace(job, limit=2))
    with pytest.raises(AxonError, match=r"\(different: decoders, settings\)"):
        spoken(replace(job, models=("dream",), length=2 * SHORT))


def test_a_finished_part_in_another_precision_is_not_taken_for_the_one_asked_for(whole):
    job, _ = whole
    part = replace(job, models=("dream",), tasks=("humaneval",))
    assert "1 of 1 parts" in spoken(part, dtype="float32", device="cpu", dry_run=True)
    assert "parts are finished" not in spoken(part, dtype="bfloat16", dry_run=True)
    with pytest.raises(AxonError, match=r"holds results of another run \(different: model\)"):
        spoken(part, dtype="bfloat16")


def test_a_folder_with_other_results_is_named(whole, tmp_path):
    job, _ = whole
    theirs, ours = (place / "LLaDA-1.5" / "humaneval" for place in (job.out, tmp_path))
    ours.mkdir(parents=True)
    for name in ("run.json", "results.jsonl"):
        (ours / name).write_text((theirs / name).read_text())
    assert len(blocks(tmp_path)) == 1
    (ours / "paper.json").write_text("[]")
    with pytest.raises(AxonError, match=r"paper\.json does not hold tokens per second"):
        blocks(tmp_path)
    (ours / "run.json").unlink()
    with pytest.raises(AxonError, match="does not hold the paper's 10 rows on humaneval"):
        blocks(tmp_path)


# What is missing


def test_a_missing_checkpoint_is_named_behind_the_costs_and_before_anything_runs(run, data, model_dir, tmp_path):
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "LLaDA-1.5").symlink_to(model_dir / "LLaDA-1.5")
    command = ["reproduce", "paper", "--out", tmp_path / "out", "--data", data, "--unsafe-code"]
    done = run(*command, "--model-dir", tmp_path / "some")
    assert done.returncode == 2
    assert done.err == (
        f"axon: not everything is there: {tmp_path / 'some'} lacks the checkpoint folder LLaDA-8B-Instruct and "
        "Dream-v0-Instruct-7B\n"
    )
    assert "16.0 GB" in done.out
    assert "NVIDIA A100 80GB" in done.out
    assert "there is no folder" in run(*command, "--model-dir", tmp_path / "none").err
    assert not (tmp_path / "out").exists()


def test_what_the_hub_does_not_deliver_is_named(run, tmp_path, data):
    command = ["reproduce", "paper", "--out", tmp_path / "out", "--unsafe-code"]
    done = run(*command, "--data", data)
    assert done.returncode == 2
    assert "the hub did not deliver GSAI-ML/LLaDA-8B-Instruct, GSAI-ML/LLaDA-1.5 and Dream-org/Dream-v0" in done.err
    assert done.err.count("\n") == 1
    dry = run(*command, "--models", "dream", "--dry-run")
    assert dry.returncode == 0
    assert "humaneval, mbpp, gsm8k and minerva_math cannot be asked because openai/openai_humaneval did not" in dry.out
    assert re.search(r"Dream-v0-Instruct-7B +15\.2 GB +31\.8 GB +69830 +230 h", dry.out)


def test_missing_files_are_named_one_by_one(model_dir, data, tmp_path):
    for file in data.iterdir():
        if not file.name.startswith(("mbpp", "math")):
            (tmp_path / file.name).write_text(file.read_text())
    job = Reproduction(tmp_path / "out", model_dir=model_dir, data=tmp_path, unsafe=True)
    with pytest.raises(AxonError, match=r"holds no mbpp\.jsonl; .*holds no math500_test\.jsonl;"):
        spoken(job)


def test_code_that_cannot_be_run_is_said_before_anything_runs(model_dir, data, tmp_path, monkeypatch):
    monkeypatch.setattr("axon.evaluation.ready.isolation", lambda: Isolation(False, "of a test", "wait"))
    job = Reproduction(tmp_path / "out", model_dir=model_dir, data=data)
    with pytest.raises(AxonError, match="model-written code cannot be isolated here because of a test"):
        spoken(job)
    assert "Everything is there." in spoken(replace(job, unsafe=True), dry_run=True)
    assert "Everything is there." in spoken(replace(job, tasks=("gsm8k",)), dry_run=True)


# The command


def test_the_command_runs_prints_and_writes_the_table(run, model_dir, data, tmp_path, monkeypatch):
    def short(**options):
        return Reproduction(**options, length=SHORT)

    monkeypatch.setattr("axon.evaluation.paper.Reproduction", short)
    command = ["reproduce", "paper", "--out", tmp_path, "--models", "llada-1.5", "--tasks", "humaneval", "--limit", 1]
    done = run(*command, "--model-dir", model_dir, "--data", data, "--unsafe-code", "--device", "cpu")
    assert done.returncode == 0, done.err
    assert "LLaDA-1.5, humaneval" in done.out
    assert "43.90" in done.out
    assert f"{tmp_path}: table.md, table.json" in done.out
    assert (tmp_path / "table.md").is_file()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["book"], "what to reproduce must be one of paper, ablations, got 'book'"),
        (["paper", "--models", "gpt"], "unknown model 'gpt'; the paper's table has llada-8b, llada-1.5 and dream"),
        (["paper", "--models", "dream,dream"], "the model 'dream' is given twice"),
        (["paper", "--models", ","], "at least one model must be named; the paper's table has llada-8b"),
        (["paper", "--tasks", "sums"], "unknown task 'sums'; the paper's table has humaneval, mbpp, gsm8k and minerva"),
        (["paper", "--limit", 0], "limit must be a whole number of at least 1, got 0"),
        (["paper", "--device", "abacus"], "device 'abacus' is not available here"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_bad_input_is_answered_with_one_sentence(fails, tmp_path, change, said):
    assert said in fails("reproduce", *change, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


# The ablations


def test_the_ablations_are_swept_where_the_paper_swept_them():
    parts = list(Reproduction(Path("out"), what="ablations").parts())
    places = {(part.sweep, part.model.key, part.task) for part in parts}
    assert len(places) == len(parts) == len({part.folder for part in parts}) == 11
    assert {place[1:] for place in places if place[0] == "alpha"} == {
        *(("llada-1.5", task) for task in ("humaneval", "mbpp")),
        *(("dream", task) for task in ("mbpp", "gsm8k")),
    }
    assert [len(part.plan.decoders) - 1 for part in parts if part.sweep == "objective"] == [10] * 5
    for part in parts:
        base, *variants = map(axon.decoder, part.plan.decoders)
        assert base == axon.decoder(part.model.rows(part.task)["dawn"])
        assert all(variant.base == base for variant in variants)
        if part.sweep == "alpha":
            assert [(variant.gate, variant.alpha) for variant in variants] == [
                ("blend", alpha) for alpha in (0, 0.25, 0.5, 0.75, 1)
            ]


def test_an_ablation_runs_in_full_and_is_not_run_again(model_dir, data, tmp_path, monkeypatch):
    job = Reproduction(
        tmp_path, ("dream",), ("gsm8k",), model_dir=model_dir, data=data, limit=1, length=SHORT, what="ablations"
    )
    said = spoken(job)
    folder = tmp_path / "alpha" / "Dream-v0-Instruct-7B" / "gsm8k"
    # No figures are drawn here, so none are promised.
    assert said.endswith(f"{folder}: report.md\n")
    summary = json.loads((folder / "summary.json").read_text())
    assert len(summary["cells"]) == 6
    assert not (tmp_path / "table.md").exists()
    monkeypatch.setattr(axon, "load", None)
    (folder / "report.html").touch()
    (folder / "figures").mkdir()
    said = spoken(job)
    assert "1 of 1 parts are finished" in said
    assert said.endswith(f"{folder}: report.md, report.html, figures\n")
    # As a kill leaves it that comes while the figures are drawn.
    (folder / "paper.json").unlink()
    assert "parts are finished" not in spoken(job, dry_run=True)
