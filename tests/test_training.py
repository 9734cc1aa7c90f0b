"""Training: what a recipe allows, what a batch holds, a real run that learns, and runs that are stopped and go on."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import axon
from axon.decoders import Confidence
from axon.errors import AxonError
from axon.models import attention
from axon.models.text import Text
from axon.tasks.sums import LARGEST
from axon.training import chatter, checkpoint, data, drills, launch, loop, network, noise, pool, tokenizer
from axon.training.data import BLOCK, LONGEST_ROOM, Row, Rows
from axon.training.loop import Run, rate, vocabulary_of
from axon.training.muon import Muon, levelled
from axon.training.optimiser import Optimiser
from axon.training.path import USES
from axon.training.path import Path as OwnPath
from axon.training.pool import Pool
from axon.training.recipe import RECIPES, Recipe

AXON = Path(sys.executable).parent / "axon"
TINY = Recipe(
    tasks=("sums",),
    width=16,
    layers=1,
    heads=2,
    hidden=32,
    vocabulary=400,
    minutes=None,
    steps=2,
    batch=4,
    processes=1,
    warm_up=2,
)


# The recipe


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tasks": ()}, "tasks must name at least one of sums, code"),
        ({"tasks": ("sums", "poems")}, "tasks must be one of sums, code, got 'poems'"),
        ({"width": 0}, "width must be a whole number of at least 1, got 0"),
        ({"width": 50, "heads": 6}, "width must be a multiple of twice the heads, got 50 and 6"),
        ({"layers": 2.5}, "layers must be a whole number of at least 1, got 2.5"),
        ({"heads": True}, "heads must be a whole number of at least 1, got True"),
        ({"hidden": -1}, "hidden must be a whole number of at least 1, got -1"),
        ({"batch": 0}, "batch must be a whole number of at least 1, got 0"),
        ({"processes": 0}, "processes must be a whole number of at least 1, got 0"),
        ({"vocabulary": 299}, "vocabulary must be a whole number of at least 300, got 299"),
        ({"warm_up": -1}, "warm_up must be a whole number of at least 0, got -1"),
        ({"seed": "x"}, "seed must be a whole number of at least 0, got 'x'"),
        ({"minutes": None}, "give either minutes or steps, got minutes=None and steps=None"),
        ({"minutes": 5, "steps": 10}, "give either minutes or steps, got minutes=5 and steps=10"),
        ({"minutes": 0}, "minutes must be a number at least 0.01, got 0"),
        ({"minutes": None, "steps": 0}, "steps must be a whole number of at least 1, got 0"),
        ({"learning_rate": 0}, "learning_rate must be a number between 1e-06 and 1, got 0"),
        ({"learning_rate": float("nan")}, "learning_rate must be a number between 1e-06 and 1, got nan"),
        ({"weight_decay": -0.1}, "weight_decay must be a number between 0 and 1, got -0.1"),
        ({"drills_first": 1.0}, "drills_first must be a number between 0 and 0.9, got 1.0"),
        ({"drills": -1}, "drills must be a number between 0 and 0.9, got -1"),
        ({"random_first": 1}, "random_first must be a number between 0 and 0.9, got 1"),
        ({"chatter": None}, "chatter must be a number between 0 and 0.9, got None"),
    ],
    ids=str,
)
def test_a_recipe_refuses_what_cannot_be_trained(change, said):
    with pytest.raises(AxonError) as caught:
        replace(RECIPES["bundled"], **change)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"exam": 0}, "exam must be a whole number of at least 1, got 0"),
        ({"exam_minutes": -1}, "exam_minutes must be a number at least 0, got -1"),
        ({"save_minutes": float("inf")}, "save_minutes must be a number at least 0, got inf"),
    ],
    ids=str,
)
def test_a_run_refuses_what_it_could_not_do_in_the_end(change, said, tmp_path):
    with pytest.raises(AxonError) as caught:
        Run(TINY, tmp_path, **change)
    assert str(caught.value) == said


def test_the_learning_rate_warms_up_and_falls_to_almost_nothing():
    recipe = Recipe(learning_rate=0.01, warm_up=9)
    warming = [rate(recipe, step, 0.0) for step in range(12)]
    assert warming[:10] == pytest.approx([0.001 * (step + 1) for step in range(10)])
    assert warming[10:] == [0.01, 0.01]
    falling = [rate(recipe, 100, progress / 20) for progress in range(21)]
    assert falling == sorted(falling, reverse=True)
    assert falling[10] == pytest.approx(0.005)
    assert 0 < falling[20] <= 0.0001


def test_progress_is_counted_in_steps_or_in_minutes():
    assert replace(TINY, steps=10).progress(5, 1e9) == 0.5
    assert Recipe(minutes=2).progress(10**9, 30.0) == 0.25
    assert Recipe(minutes=2).progress(0, 500.0) == 1.0


# The rows


def test_every_drill_is_true_and_within_range():
    rng = random.Random(0)
    signs = set()
    for _ in range(300):
        row = drills.row(rng)
        assert row.endswith(";")
        assert row.count(";") >= 4
        for equation in row.removesuffix(";").split(";"):
            left, sign, right, value = re.fullmatch(r"(\d+)([-+*/])(\d+)=(\d+)", equation).groups()
            assert eval(f"{left}{sign}{right}") == int(value), equation
            assert max(int(left), int(right), int(value)) <= LARGEST, equation
            signs.add(sign)
    assert signs == set("+-*/")


def test_asked_for_equations_come_back_with_their_results_in_order():
    rng = random.Random(0)
    for _ in range(100):
        question, answer = drills.asked(rng)
        wanted = re.findall(r"\d+[-+*/]\d+", question)
        lines = [line.split("=") for line in answer.split("\n")]
        assert [left for left, _ in lines] == wanted
        assert all(eval(left) == int(value) for left, value in lines)


@pytest.fixture(scope="module")
def words():
    """A tokenizer for both tasks."""
    return tokenizer.build(data.texts(Recipe(), 400), 700, 512)


def test_the_same_texts_give_the_same_tokenizer(words):
    again = tokenizer.build(data.texts(Recipe(), 400), 700, 512)
    assert again.backend_tokenizer.to_str() == words.backend_tokenizer.to_str()


@pytest.mark.parametrize(
    "text",
    ["Tom has 12 apples.", "a\n\n  b\tc   d ", "naïve café, 中文 🙂 ﬁ", "def f(x):\n    return [x ** 2]\n", "\r\n", ""],
)
def test_any_text_comes_back_from_its_tokens(words, text):
    tokens = words.encode(text, add_special_tokens=False)
    assert Text(words, "words").decode(tokens) == text


def test_numbers_and_indentations_are_single_tokens(words):
    assert [words.decode([token]) for token in words.encode("1220+ 3", add_special_tokens=False)] == [
        "12", "20", "+", " ", "3",
    ]  # fmt: skip
    numbers = vocabulary_of(words).numbers
    assert len(numbers) > 40
    assert all(words.decode([token]) == str(value) for token, value in numbers.items())
    for indentation in ("\n", "\n    ", "\n        "):
        assert len(words.encode(indentation, add_special_tokens=False)) == 1


def test_twins_are_the_words_that_come_with_and_without_a_space(words):
    pairs = {(words.decode([one]), words.decode([other])) for one, other in tokenizer.twins(words)}
    assert all(other == f" {one}" for one, other in pairs)
    assert ("w", " w") in pairs


def test_a_chat_gives_the_tokens_of_a_training_row(words):
    rows = Rows(Recipe(), words, 0, 0).take(200, drills=0.35)
    told = [row for row in rows if row.kind != "drill"]
    assert len(told) > 80
    for row in told:
        text = words.decode(row.prompt)
        content = text.removeprefix("<|user|>").removesuffix("<|assistant|>")
        assert len(content) == len(text) - len("<|user|><|assistant|>")
        assert Text(words, "words").chat([{"role": "user", "content": content}]) == row.prompt


def test_as_many_rows_are_equations_as_asked_for_and_none_without_sums(words):
    rows = Rows(Recipe(), words, 0, 0)
    many, few, none = (rows.take(300, drills=share) for share in (0.8, 0.2, 0.0))
    for kind in ("drill", "asked"):
        counts = [sum(row.kind == kind for row in part) for part in (many, few, none)]
        assert counts[0] > 2 * counts[1] > counts[2] == 0
    for part in (many, few):
        assert {row.kind for row in part} >= {"drill", "asked", "sums", "code"}
    without = {row.kind for row in Rows(Recipe(tasks=("code",)), words, 0, 0).take(200, drills=0.8)}
    assert without >= {"chatter", "code"}
    assert without.isdisjoint({"drill", "asked", "sums"})


def test_every_number_is_a_token_of_the_recipes_tokenizer():
    built = launch._tokenizer(RECIPES["bundled"])
    assert sorted(vocabulary_of(built).numbers.values()) == list(range(100))
    assert len(built) == RECIPES["bundled"].vocabulary


@pytest.mark.parametrize(
    ("tasks", "said", "unsaid"),
    [
        (("sums",), ("short sums.", "solve short word problems.", "for a sum."), "Python"),
        (("code",), ("small Python functions.", "write small Python functions.", "a small Python function."), "sum"),
        (("code", "sums"), ("short sums and small Python functions.", "and write", "a sum or a small"), "code"),
    ],
)
def test_off_topic_a_model_names_the_tasks_it_was_trained_on(tasks, said, unsaid):
    answers = chatter.answers(tasks)
    assert len(answers) == len(said)
    for answer, part in zip(answers, said, strict=True):
        assert part in answer
        assert unsaid not in answer
    assert chatter.pair(random.Random(1), tasks)[1] in answers


def test_processes_and_continued_runs_see_rows_of_their_own(words):
    def first(process, start):
        return [row.answer for row in Rows(Recipe(), words, process, start).take(8, drills=0.5)]

    assert first(0, 0) == first(0, 0)
    assert first(0, 0) != first(1, 0) != first(0, 500) != first(0, 0)


# The noise


@pytest.fixture
def make(words):
    """A batch of rows of some kinds in the order of the rows."""

    def call(*kinds, seed=0):
        rows = [row for row in Rows(Recipe(), words, 0, seed).take(300, drills=0.35) if row.kind in kinds]
        rng = random.Random(seed)
        length = max(len(row.prompt) + noise.extent(row, rng) for row in rows)
        return rows, noise.masked(rows, length, rng, vocabulary_of(words))

    return call


def hidden(batch, words):
    return batch.tokens == words.mask_token_id


def test_prompts_are_never_masked_and_only_masks_are_learned(make, words):
    rows, batch = make("sums", "code", "chatter", "drill")
    assert torch.equal(batch.weights > 0, hidden(batch, words))
    assert torch.equal(torch.where(hidden(batch, words), batch.targets, batch.tokens), batch.targets)
    assert words.mask_token_id not in batch.targets
    for number, row in enumerate(rows):
        assert batch.tokens[number, : len(row.prompt)].tolist() == row.prompt
        assert batch.targets[number, len(row.prompt) :][: len(row.answer)].tolist() == row.answer


def test_what_is_left_of_a_row_is_the_end_of_its_answer(make, words):
    rows, batch = make("sums", "code", "chatter")
    for number, row in enumerate(rows):
        rest = batch.targets[number, len(row.prompt) + len(row.answer) :]
        assert len(rest) > 0
        assert set(rest.tolist()) == {words.eos_token_id}


def test_an_answer_gets_whole_blocks_with_room_for_its_end():
    rng = random.Random(0)
    for length in (1, 31, 32, 63, 64, 127):
        extents = {noise.extent(Row([1], [1] * length, "sums"), rng) for _ in range(500)}
        assert min(extents) == (length // BLOCK + 1) * BLOCK < max(extents) <= LONGEST_ROOM
        assert all(extent % BLOCK == 0 for extent in extents)
        assert noise.extent(Row([], [1] * length, "drill"), rng) == length


@pytest.mark.parametrize("kind", ["asked", "drill"])
def test_where_only_results_are_hidden_nothing_else_is(make, words, kind, monkeypatch):
    monkeypatch.setattr(noise, "_ONLY_RESULTS", {kind: 1.0})
    rows, batch = make(kind)
    count = 0
    for number, row in enumerate(rows):
        pieces = [words.decode([token]) for token in row.answer]
        for place in hidden(batch, words)[number].nonzero().flatten().tolist():
            before = "".join(pieces[: place - len(row.prompt) + 1])
            assert re.search(r"=\d+$", before), before
            count += 1
    assert count > 50


def test_where_an_answer_may_end_its_end_counts_as_much_as_its_words(make, words, monkeypatch):
    monkeypatch.setattr(noise, "_ONLY_RESULTS", {})
    monkeypatch.setattr(noise, "_BLOCK_PATTERN", 0.0)
    rows, batch = make("sums", "code")
    compared = 0
    for number, row in enumerate(rows):
        last = len(row.prompt) + (len(row.answer) // BLOCK + 1) * BLOCK
        hide = hidden(batch, words)[number]
        own, behind = (
            set(batch.weights[number, part][hide[part]].tolist()) for part in (slice(last), slice(last, None))
        )
        assert len(own) <= 1
        if own and behind:
            compared += 1
            assert behind.pop() == pytest.approx(0.1 * own.pop())
    assert compared > 20


def test_the_block_pattern_shows_what_is_before_a_block_and_hides_all_behind_it(make, words, monkeypatch):
    monkeypatch.setattr(noise, "_ONLY_RESULTS", {})
    monkeypatch.setattr(noise, "_BLOCK_PATTERN", 1.0)
    rows, batch = make("sums", "code")
    found = set()
    for number, row in enumerate(rows):
        shown = hidden(batch, words)[number]
        currents = [
            block
            for block in range(len(row.answer) // BLOCK + 1)
            if not shown[: len(row.prompt) + block * BLOCK].any()
            and shown[len(row.prompt) + (block + 1) * BLOCK :].all()
        ]
        assert currents
        found.update(currents)
    assert found >= {0, 1, 2}


def test_masking_rates_are_spread_evenly_over_a_batch(words, monkeypatch):
    monkeypatch.setattr(noise, "_BLOCK_PATTERN", 0.0)
    rows = [Row([], [9] * 4000, "chatter") for _ in range(16)]
    batch = noise.masked(rows, 4000, random.Random(0), vocabulary_of(words))
    shares = sorted(hidden(batch, words).double().mean(dim=1).tolist())
    for number, share in enumerate(shares):
        assert number / 16 - 0.03 < share < (number + 1) / 16 + 0.03


def test_rows_are_put_beside_rows_of_their_length(words):
    rows = Rows(Recipe(), words, 0, 0).take(96, drills=0.35)
    parts = noise.alike(rows, 8, random.Random(0))
    assert [len(part) for part, _ in parts] == [8] * 12
    assert sorted(id(row) for part, _ in parts for row in part) == sorted(map(id, rows))
    assert all(len(row.prompt) + len(row.answer) <= length for part, length in parts for row in part)
    lengths = [length for _, length in parts]
    assert lengths == sorted(lengths)
    assert lengths[-1] > 2 * lengths[0]


# The path


@pytest.fixture
def walk(words):
    """A batch on its way, and its rows: answers of one block and of three."""
    rows = [Row([5, 6, 7], [9] * 20, "code"), Row([5], [9, 10] * 40, "sums")]
    return rows, OwnPath(rows, 100, random.Random(3), vocabulary_of(words))


def test_a_path_shows_what_the_model_is_sure_of_and_always_something(walk, words):
    rows, path = walk
    path.current[:] = 0
    path.hidden = path.positions >= path.first
    sure = torch.full((2, 100), 0.5)
    # Sure of two positions of the block in the first row, and of one behind the second row's block.
    sure[0, [10, 20]] = 1.1
    sure[1, 90] = 1.1
    sure[1, 7] = 0.55
    path.advance(sure)
    shown = [set((~path.hidden[row, len(rows[row].prompt) :]).nonzero().flatten().tolist()) for row in range(2)]
    assert shown == [{10 - 3, 20 - 3}, {7 - 1}]
    batch = path.batch()
    assert torch.equal(batch.weights > 0, hidden(batch, words))
    assert torch.equal(torch.where(hidden(batch, words), batch.targets, batch.tokens), batch.targets)


def test_a_path_goes_block_by_block_to_the_end_and_begins_again(walk):
    _, path = walk
    path.current[:] = 0
    path.hidden = path.positions >= path.first
    seen = []
    for _ in range(4):
        seen.append(path.current.flatten().tolist())
        start = path.first + BLOCK * path.current
        inside = (path.positions >= start) & (path.positions < start + BLOCK)
        assert path.hidden[inside].all()
        assert path.hidden[path.positions.expand(2, -1) >= start + BLOCK].all()
        path.advance(torch.full((2, 100), 1.1))
    assert seen == [[0, 0], [0, 1], [0, 2], [0, 0]]


def test_the_fewer_are_hidden_in_a_block_the_more_each_counts_whatever_stands_there(walk):
    _, path = walk
    path.current[:] = 0
    path.hidden = path.positions >= path.first
    before = path.batch().weights[1]
    path.hidden[1, 1:25] = False
    after = path.batch().weights[1]
    assert set(before[1 : 1 + BLOCK].tolist()) == {1.0}
    assert set(after[25 : 1 + BLOCK].tolist()) == {4.0}
    # Blocks that are not their turn hardly count, and what is behind the answer's last block less still.
    assert before[1 + BLOCK].item() == pytest.approx(noise.LATER)
    assert before[99].item() == pytest.approx(noise.LATER * noise._PADDING)


def test_which_positions_a_path_shows_does_not_depend_on_what_is_hidden(words):
    def shown(filler):
        path = OwnPath([Row([5], [filler] * 50, "sums")], 65, random.Random(3), vocabulary_of(words))
        for _ in range(3):
            path.advance(torch.rand(1, 65, generator=torch.Generator().manual_seed(1)))
        return path.hidden

    assert torch.equal(shown(9), shown(10))


def test_a_pool_uses_paths_several_times_and_other_batches_once(words):
    def pooled(process):
        rows = Rows(Recipe(), words, process, 0)
        return Pool(rows, 4, vocabulary_of(words), random.Random(process), random.Random(0))

    def lot(one, paths=True):
        batches = [one.take(0.5, paths=paths)]
        while one.waiting:
            one.learned(torch.rand_like(batches[-1].weights))
            batches.append(one.take(0.5, paths=paths))
        return batches

    batches = lot(pooled(0))
    uses = Counter(tuple(batch.targets.flatten().tolist()) for batch in batches)
    assert sorted(uses.values()) == [1] * pool._RANDOM + [USES] * pool._PATHS
    often = [batch for batch in batches if uses[tuple(batch.targets.flatten().tolist())] > 1]
    tokens = {tuple(batch.tokens.flatten().tolist()) for batch in often}
    assert len(tokens) == len(often)
    assert len(lot(pooled(0), paths=False)) == pool._RANDOM
    # Two processes have short batches at the same time.
    lengths = [[batch.tokens.shape[1] for batch in lot(pooled(process))] for process in range(2)]
    assert torch.corrcoef(torch.tensor(lengths, dtype=torch.float))[0, 1] > 0.8


# Runs


@pytest.fixture
def few_texts(monkeypatch):
    monkeypatch.setattr(launch, "_TEXTS", 60)


def train(out, recipe=TINY, **options):
    """A run in this process, and the lines it reported."""
    lines = []
    launch.train(Run(recipe, out, **{"exam": 1, **options}), lines.append)
    return lines


def refused(out, recipe=TINY):
    """The sentence with which a run in this process is refused."""
    with pytest.raises(AxonError) as caught:
        train(out, recipe)
    message = str(caught.value)
    assert "\n" not in message
    return message


def read_log(out):
    return [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]


def step_of(out):
    return checkpoint.read(out / checkpoint.FILE)["state"]["step"]


SIZES = ["--tasks", "sums", "--width", 48, "--layers", 2, "--heads", 2, "--hidden", 96, "--batch", 16]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A small model, trained by two processes of the command line."""
    out = tmp_path_factory.mktemp("trained") / "run"
    command = [AXON, "train", "--out", out, *SIZES, "--steps", 160, "--processes", 2, "--exam", 4]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    return out, done


def test_a_run_learns_and_its_log_shows_it(trained):
    out, done = trained
    *lines, last = read_log(out)
    assert [line["step"] for line in lines] == list(range(20, 161, 20))
    losses = [line["loss"] for line in lines]
    assert losses[-1] < 0.9 * losses[0]
    assert all(line["tokens_per_second"] > 0 for line in lines)
    assert lines[-1]["tokens"] > lines[0]["tokens"] > 0
    assert lines[-1]["progress"] == 1.0
    assert [0 <= line["equations"] <= 1 for line in lines if "equations" in line] == [True]
    assert last["step"] == 160
    assert 0 <= last["accuracy"]["sums"] <= 1
    assert "held-out accuracy sums" in done.stdout
    assert str(out / "model") in done.stdout.replace("\n", "")


def test_what_was_trained_loads_and_decodes(trained):
    model = axon.load(trained[0] / "model")
    assert model.has_chat_template
    (out,) = axon.generate(
        model, [[{"role": "user", "content": "Tom has 12 apples."}]], Confidence(), axon.Settings(32, 32)
    )
    assert out.error is None
    assert out.finish_reason in ("stop", "length")
    assert model.mask_id not in out.tokens


def test_a_finished_run_is_left_as_it_is_by_any_number_of_processes(trained):
    before = {file.name: file.read_bytes() for file in trained[0].iterdir() if file.is_file()}
    recipe = json.loads((trained[0] / "recipe.json").read_text())
    assert train(trained[0], Recipe(**recipe | {"processes": 1})) == []
    assert {file.name: file.read_bytes() for file in trained[0].iterdir() if file.is_file()} == before


def test_another_recipe_in_the_same_folder_is_refused(trained, fails):
    said = fails("train", "--out", trained[0], *SIZES, "--steps", 300, "--processes", 1)
    assert "holds a run with another recipe (steps 160, now 300); choose another --out" in said
    said = fails("train", "--out", trained[0], *SIZES, "--seed", 3, "--steps", 160)
    assert "(seed 0, now 3)" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--recipe", "large"], "recipe must be one of bundled, polish, got 'large'"),
        (["--minutes", 1, "--steps", 2], "give either --minutes or --steps, not both"),
        (["--tasks", "sums,poems"], "tasks must be one of sums, code, got 'poems'"),
        (["--processes", 0], "processes must be a whole number of at least 1, got 0"),
        (["--exam", 0], "exam must be a whole number of at least 1, got 0"),
        (["--device", "abacus"], "device 'abacus' is not available here"),
        (["--width", 100, "--heads", 3], "width must be a multiple of twice the heads, got 100 and 3"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_bad_options_are_refused_before_anything_is_written(fails, tmp_path, arguments, said):
    assert said in fails("train", "--out", tmp_path / "run", *arguments)
    assert not (tmp_path / "run").exists()


def test_a_folder_of_something_else_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    assert refused(tmp_path).endswith("is not empty and holds no training run; choose another --out")
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]
    assert "cannot make the folder" in refused(tmp_path / "thesis.txt" / "run")


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe"])
def test_a_damaged_recipe_is_refused(tmp_path, content):
    (tmp_path / "recipe.json").write_bytes(content)
    assert refused(tmp_path).endswith("recipe.json is not a recipe; choose another --out")


def damage(content):
    """Ways a checkpoint can be broken, from nothing to almost whole."""
    whole = torch.load(content, weights_only=True)
    few = dict(list(whole["network"].items())[1:])
    return {
        "empty": b"",
        "noise": random.Random(0).randbytes(5000),
        "torn": content.read_bytes()[:-1000],
        "another dict": {"weights": 1},
        "a list": [1, 2],
        "other weights": whole | {"network": few},
        "other state": whole | {"state": {"pace": 1}},
    }


def test_a_damaged_checkpoint_is_refused_in_one_sentence(tmp_path, few_texts):
    train(tmp_path)
    path = tmp_path / checkpoint.FILE
    for name, content in damage(path).items():
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            torch.save(content, path)
        said = refused(tmp_path)
        assert str(path) in said, name
        assert said.endswith("remove it to start anew"), name


def test_what_one_of_several_processes_refuses_is_still_one_sentence(tmp_path, few_texts):
    train(tmp_path)
    (tmp_path / checkpoint.FILE).write_bytes(b"noise")
    said = refused(tmp_path, replace(TINY, processes=2))
    assert said.startswith(f"{tmp_path / checkpoint.FILE} is not a readable checkpoint")


def test_a_run_stopped_before_its_first_step_goes_on_like_any_other(tmp_path, few_texts, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(tokenizer, "build", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "run")
    assert train(tmp_path / "run")[-1]["step"] == 2
    assert axon.load(tmp_path / "run" / "model").has_tokenizer


def test_a_full_disk_is_one_sentence_and_keeps_what_was_saved(tmp_path, few_texts, monkeypatch):
    longer = replace(TINY, steps=4)

    def save(content, path, keep=torch.save):
        if content["state"]["step"] == 3:
            raise OSError(28, "No space left on device")
        keep(content, path)

    with monkeypatch.context() as patched:
        patched.setattr(torch, "save", save)
        with pytest.raises(AxonError) as caught:
            train(tmp_path, longer, save_minutes=0)
    assert "No space left on device; what was saved before is kept" in str(caught.value)
    assert step_of(tmp_path) == 2
    assert train(tmp_path, longer)[-1]["step"] == 4


def test_a_loss_that_is_no_number_ends_the_run_with_advice(tmp_path, few_texts, monkeypatch):
    class Broken(network.Objective):
        def forward(self, *batch):
            loss, sure = super().forward(*batch)
            return loss * torch.nan, sure

    monkeypatch.setattr(loop, "Objective", Broken)
    assert refused(tmp_path) == "the loss is nan at step 1; try a smaller learning rate"


SCRIPT = """
import sys
from dataclasses import replace
from pathlib import Path

from axon.training import launch
from axon.training.loop import Run
from test_training import TINY

launch._TEXTS = 60
if __name__ == "__main__":
    recipe = replace(TINY, steps=400, processes=2)
    launch.train(Run(recipe, Path(sys.argv[1]), save_minutes=float(sys.argv[2]), exam=1), print)
"""


def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path):
    script, out = tmp_path / "script.py", tmp_path / "run"
    script.write_text(SCRIPT)
    place = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, str(script), str(out)]
    first = subprocess.Popen(
        [*command, "0"], env=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    log, end = out / "log.jsonl", time.monotonic() + 1800
    # Each step is saved, and each 20th logged.
    while not (log.is_file() and log.read_text().count("\n") >= 2):
        assert first.poll() is None, first.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    assert first.returncode == -signal.SIGKILL
    stopped = step_of(out)
    assert 20 <= stopped < 400
    second = subprocess.run([*command, "3"], env=place, capture_output=True, text=True, timeout=1800)
    assert second.returncode == 0, second.stderr
    reported = [int(step) for step in re.findall(r"'step': (\d+)", second.stdout)]
    assert stopped < reported[0] <= stopped + 20
    assert reported[-1] == step_of(out) == 400
    steps = [line["step"] for line in read_log(out)]
    assert steps == [*range(20, 401, 20), 400], "each step is logged once, and the last one has its exam"
    assert axon.load(out / "model").name == str(out / "model")


def test_a_run_can_start_from_a_model(tmp_path, few_texts):
    train(tmp_path / "first")
    first = tmp_path / "first" / "model"
    # At so small a rate nothing changes but by rounding.
    train(tmp_path / "second", replace(TINY, seed=5, learning_rate=1e-6, start_from=str(first)))
    one, other = (axon.load(folder, dtype="float32") for folder in (first, tmp_path / "second" / "model"))
    assert one.text.tokenizer.get_vocab() == other.text.tokenizer.get_vocab()
    for (name, before), (_, after) in zip(
        one.network.state_dict().items(), other.network.state_dict().items(), strict=True
    ):
        torch.testing.assert_close(before, after, rtol=0, atol=2e-3, msg=name)


def test_a_model_that_does_not_fit_is_refused(tmp_path, few_texts):
    train(tmp_path / "first")
    first = str(tmp_path / "first" / "model")
    assert "no model of the recipe's sizes" in refused(tmp_path / "wide", replace(TINY, width=32, start_from=first))
    said = refused(tmp_path / "none", replace(TINY, start_from=str(tmp_path)))
    assert said == f"{tmp_path} holds no tokenizer.json; start_from must be a model folder"


def test_compiling_changes_how_states_are_computed_and_nothing_else(words, monkeypatch):
    taken = []
    monkeypatch.setattr(torch, "compile", lambda function, dynamic: taken.append(function) or function)
    recipe, vocabulary = replace(TINY, batch=4), vocabulary_of(words)
    student = network.fresh(network.config(recipe, words), 0, torch.device("cpu"), vocabulary.numbers)
    rows = Rows(recipe, words, 0, 0).take(8, drills=0.5)
    batch = noise.masked(rows, 300, random.Random(0), vocabulary)
    losses, sure = zip(
        *(
            network.Objective(student, compiled=compiled)(batch.tokens, batch.targets, batch.weights)
            for compiled in (False, True)
        ),
        strict=True,
    )
    assert losses[0] == losses[1]
    assert torch.equal(sure[0], sure[1])
    assert torch.equal(sure[0] > 0, batch.weights > 0)
    assert taken == [student.model.forward]


def test_matrices_in_bf16_teach_the_same_and_attention_stays_in_fp32(words, monkeypatch):
    kinds, attend = [], attention.scaled_dot_product_attention

    def watched(query, *others, **options):
        kinds.append(query.dtype)
        return attend(query, *others, **options)

    monkeypatch.setattr(attention, "scaled_dot_product_attention", watched)
    vocabulary = vocabulary_of(words)
    settings = network.config(replace(TINY, width=32, layers=2), words)
    student = network.fresh(settings, 0, torch.device("cpu"), vocabulary.numbers)
    rows = Rows(TINY, words, 0, 0).take(8, drills=0.5)
    batch = noise.masked(rows, 300, random.Random(0), vocabulary)
    losses, gradients = [], []
    for half in (False, True):
        monkeypatch.setattr(network, "multiplies_halves", lambda place, half=half: half)
        loss, sure = network.Objective(student)(batch.tokens, batch.targets, batch.weights)
        assert loss.dtype == sure.dtype == torch.float32
        loss.backward()
        gradients.append(torch.cat([weight.grad.flatten() for weight in student.parameters()]))
        student.zero_grad()
        losses.append(float(loss.detach()))
    assert losses[0] != losses[1], "the second one must have been computed in bf16"
    assert losses[1] == pytest.approx(losses[0], rel=0.01)
    assert torch.cosine_similarity(*gradients, dim=0) > 0.99
    assert set(kinds) == {torch.float32}


def test_no_process_outlives_the_one_that_started_it(tmp_path):
    command = [Path(sys.executable).parent / "axon", "train", "--out", tmp_path / "run", "--tasks", "sums"]
    command += ["--width", 16, "--heads", 1, "--layers", 1, "--hidden", 16, "--vocabulary", 400, "--batch", 2]
    # As a shell starts what it puts in the background.
    started = subprocess.Popen(
        [*map(str, command), "--processes", "2", "--minutes", "30"],
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 300
    while not (tmp_path / "run" / "log.jsonl").is_file():
        assert started.poll() is None
        assert time.monotonic() < end
        time.sleep(0.1)
    children = Path(f"/proc/{started.pid}/task/{started.pid}/children").read_text().split()
    assert len(children) >= 2
    started.kill()
    started.wait()
    while any(_runs(child) for child in children):
        assert time.monotonic() < end
        time.sleep(0.1)


def _runs(number):
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_two_processes_learn_from_the_mean_of_their_gradients(tmp_path, few_texts):
    recipe = replace(TINY, steps=1, processes=2)
    launch.train(Run(recipe, tmp_path, exam=1), print)
    averaged = checkpoint.read(tmp_path / checkpoint.FILE)["optimiser"]
    words = tokenizer.load(tmp_path / "model")
    vocabulary, apart = vocabulary_of(words), []
    for process in range(2):
        settings = network.config(recipe, words)
        student = network.fresh(settings, recipe.seed, torch.device("cpu"), vocabulary.numbers, tokenizer.twins(words))
        parts = Optimiser(student, recipe).parts
        rng, order = random.Random(f"noise {recipe.seed} {process} 0"), random.Random(f"order {recipe.seed} 0")
        batch = Pool(Rows(recipe, words, process, 0), recipe.batch, vocabulary, rng, order).take(
            recipe.drills_early, paths=False
        )
        network.Objective(student)(batch.tokens, batch.targets, batch.weights)[0].backward()
        found = {name: [weight.grad for group in part.param_groups for weight in group["params"]]
                 for name, part in parts.items()}  # fmt: skip
        apart.append(found)
    every = [(one + other) / 2 for name in parts for one, other in zip(apart[0][name], apart[1][name], strict=True)]
    norm = torch.cat([gradient.flatten() for gradient in every]).norm()
    # After their first step, what each optimiser remembers of the clipped gradient: a tenth of it, and a twentieth.
    for name, moment, share in (("adamw", "exp_avg", 0.1), ("muon", "momentum_buffer", 0.05)):
        for number, (one, other) in enumerate(zip(apart[0][name], apart[1][name], strict=True)):
            expected = (one + other) / 2 / max(1.0, norm.item()) * share
            torch.testing.assert_close(averaged[name]["state"][number][moment], expected, rtol=1e-3, atol=1e-7)
        assert not torch.allclose(apart[0][name][0], apart[1][name][0], rtol=0.1)


@pytest.mark.parametrize("shape", [(24, 24), (24, 60), (60, 24)])
def test_muon_takes_the_steps_of_torchs_own(shape):
    torch.manual_seed(0)
    ours = torch.nn.Parameter(torch.randn(shape))
    theirs = torch.nn.Parameter(ours.detach().clone())
    exact = torch.nn.Parameter(ours.detach().clone())
    pairs = [
        (ours, Muon([ours], 0.01, torch.bfloat16)),
        (theirs, torch.optim.Muon([theirs], weight_decay=0.01, adjust_lr_fn="original")),
        (exact, Muon([exact], 0.01, torch.float32)),
    ]
    for _ in range(3):
        gradient = torch.randn(shape)
        for weight, optimiser in pairs:
            weight.grad = gradient.clone()
            optimiser.step()
    torch.testing.assert_close(ours, theirs)
    # A step is 1e-3 in every direction; rounding to eight bits is a few hundredths of that.
    torch.testing.assert_close(exact, theirs, rtol=0, atol=1e-4)
    assert not torch.equal(exact, theirs)


def test_levelling_makes_every_direction_count_alike():
    torch.manual_seed(0)
    steep = torch.randn(40, 16) @ torch.diag(torch.logspace(0, -1.5, 16))
    values = torch.linalg.svdvals(levelled(steep))
    assert values.max() / values.min() < 2 < torch.linalg.svdvals(steep).max() / torch.linalg.svdvals(steep).min()


def test_muon_multiplies_in_halves_only_where_that_is_fast(monkeypatch):
    student = torch.nn.Sequential(torch.nn.Linear(4, 4))
    for fast, dtype in ((True, torch.bfloat16), (False, torch.float32)):
        monkeypatch.setattr("axon.training.optimiser.multiplies_halves", lambda place, fast=fast: fast)
        assert Optimiser(student, TINY).parts["muon"].dtype == dtype


def test_polish_goes_on_from_a_model(tmp_path):
    asked = [AXON, "train", "--recipe", "polish", "--out", tmp_path / "run"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert said.returncode != 0
    assert "goes on from a trained model; give its folder with --start-from" in " ".join(said.stderr.split())
    assert not (tmp_path / "run").exists()
    polish = RECIPES["polish"]
    assert (polish.random_first, polish.drills_first) == (0.0, 0.0)
    shape = [getattr(polish, name) for name in ("width", "layers", "heads", "hidden", "vocabulary")]
    assert shape == [getattr(RECIPES["bundled"], name) for name in ("width", "layers", "heads", "hidden", "vocabulary")]
