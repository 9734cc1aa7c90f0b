"""Tuning: a frontier that is one, a choice that is not noise, and a search that decodes nothing twice."""

import itertools
import json
import random
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, replace

import pytest

import axon
from axon.decoders.texts import short
from axon.errors import AxonError
from axon.evaluation import space as spaces
from axon.evaluation import tuning
from axon.evaluation.choosing import Tried, choose, frontier
from axon.evaluation.plan import Plan
from axon.evaluation.records import Records
from axon.evaluation.runner import run as evaluate
from axon.evaluation.space import GRIDS, Space, grids
from axon.evaluation.summary import cell, compare
from axon.evaluation.tuning import Search, Tuning
from axon.models.toy import _SENTENCES
from axon.tasks import PUBLISHED, Problem, Verdict

SETTINGS = axon.Settings(32, 32, batch_size=4)
BASES = ("confidence", "localleap")


def refused(call, *arguments):
    """The sentence with which a call is refused."""
    with pytest.raises(AxonError) as caught:
        call(*arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message


def nothing(*_):
    """A report nobody reads."""


# The space


@pytest.mark.parametrize("base", GRIDS)
def test_defaults_lie_on_the_grids_and_the_ends_of_every_grid_are_allowed(base):
    usual = axon.decoder(base)
    for name, grid in grids(base).items():
        assert grid.at(grid.near(getattr(usual, name))) == getattr(usual, name)
        assert (grid.at(0), grid.at(grid.last)) == (grid.low, grid.high)
        if name != "relaxed":  # bound by another parameter too
            assert axon.decoder(f"{base}({name}={grid.at(grid.last)})") != usual


def test_what_a_base_gives_is_not_searched():
    (base,) = Space.of(["dawn( low=0.50, edge = 0.07 )"]).bases
    assert base == "dawn(low=0.5)"
    assert set(grids(base)) == {"edge", "induce", "confident"}
    assert grids("sequential(steps=8)") == {}


@pytest.mark.parametrize(
    ("bases", "said"),
    [
        ([], "a search needs at least one base"),
        (["fastest"], "unknown decoder 'fastest'; known are "),
        (["dawn+axon"], "a base is a plain decoder such as dawn, for AXON is searched on top; got 'dawn+axon'"),
        (["dawn", "confidence", "confidence(threshold=0.90)"], "the base 'confidence' is given twice"),
    ],
)
def test_bases_that_cannot_be_searched_are_refused(bases, said):
    assert said in refused(Space.of, bases)


# The choice


def tried(text, correct, nfe, base="confidence"):
    """A decoder with these verdicts; every answer took so many evaluations."""
    records = [
        {"problem": number, "correct": bool(good), "nfe": nfe, "nfe_full": nfe, "nfe_cached": 0, "tokens": 8}
        | {"blocks": 1, "gates": 0}
        for number, good in enumerate(correct)
    ]
    return Tried(base, cell("sums", text, records), records)


def share(right, total=100):
    return [True] * right + [False] * (total - right)


def undominated(found):
    """By brute force: the pairs of evaluations and accuracy that no other is at least as good as in both."""
    places = {(one.cell.nfe, one.cell.accuracy) for one in found}
    return {
        (cost, score)
        for cost, score in places
        if not any(c <= cost and s >= score and (c, s) != (cost, score) for c, s in places)
    }


def test_the_frontier_is_what_brute_force_gives():
    rng = random.Random(0)
    for _ in range(50):
        found = [tried(f"d{n}", share(rng.randrange(8), 8), rng.randrange(1, 9)) for n in range(rng.randrange(1, 20))]
        line = frontier(found)
        assert {(one.cell.nfe, one.cell.accuracy) for one in line} == undominated(found)
        assert len(line) == len(undominated(found))
        for before, after in itertools.pairwise(line):
            assert before.cell.nfe < after.cell.nfe
            assert before.cell.accuracy < after.cell.accuracy


def test_of_equal_figures_the_shortest_text_stands_for_all():
    found = [tried("dawn(low=0.6)", share(3), 2), tried("dawn", share(3), 2), tried("dawn", share(3), 2)]
    assert [one.text for one in frontier(found)] == ["dawn"]


def test_a_decoder_without_answers_is_on_no_frontier_and_never_chosen():
    lost = [{"problem": 0, "error": "too long"}]
    nobody = Tried("dawn", cell("sums", "dawn", lost), lost)
    assert frontier([nobody]) == []
    assert choose([nobody]).tried is None
    assert choose([nobody, tried("b", share(0), 9)]).tried.text == "b"


FOUND = [tried("slow", share(90), 30), tried("even", share(88), 20), tried("fast", share(70), 10)]


@pytest.mark.parametrize(("asked", "text"), [(90, "slow"), (88.5, "slow"), (88, "even"), (70, "fast"), (1, "fast")])
def test_an_accuracy_asked_for_is_reached_with_the_fewest_evaluations(asked, text):
    assert choose(FOUND, asked).tried.text == text


def test_an_accuracy_is_compared_in_whole_answers():
    assert 100 * (29 / 100) < 29
    assert choose([tried("a", share(29), 1)], 29).tried.text == "a"


def test_an_accuracy_out_of_reach_names_the_best_seen():
    choice = choose(FOUND, 91)
    assert choice.tried is None
    assert choice.why == "no decoder reaches 91 %; the best of 3 tried is slow with 90.0 % in 30.0 evaluations"


def test_without_one_the_fastest_that_cannot_be_told_from_the_best_is_chosen():
    choice = choose(FOUND)
    assert choice.tried.text == "even"
    low, high = compare("sums", "even", "slow", FOUND[1].records, FOUND[0].records).accuracy_interval
    assert f"slow: -2.0 points, 95 % interval {100 * low:+.1f} … {100 * high:+.1f} over 100 paired" in choice.why
    assert choose([FOUND[0], FOUND[2]]).tried.text == "slow"
    assert "measurably worse" in choose([FOUND[0], FOUND[2]]).why
    assert "no other takes fewer" in choose(FOUND[:1]).why


def test_few_problems_are_no_excuse_for_a_large_loss():
    # The exact test has p = 0.0625 here, and would let half of the answers go.
    assert choose([tried("slow", share(10, 10), 30), tried("fast", share(5, 10), 10)]).tried.text == "slow"


# The search


@dataclass(frozen=True)
class Spelling:
    """Twelve openings, by which the toy spells its sentences; guessing too much at once spells them wrong.

    One in five is never right, so that no decoder reaches 100 %.
    """

    seed: int = 0
    name, version, stop, chat_stop, max_new_tokens = "spelling", "1", (), (), 32

    def problems(self):
        # Twelve of each seed, and half of them with the next seed again.
        numbers = range(6 * self.seed, 6 * self.seed + 12)
        return tuple(Problem(f"spelling-{n}", chr(34 + n * 7 % 90) + "." * (n % 3), "") for n in numbers)

    def score(self, problem, answer):
        spelled = any(sentence.startswith(answer) for sentence in _SENTENCES)
        return Verdict(spelled and int(problem.id.rpartition("-")[2]) % 5 > 0, "")


@pytest.fixture(scope="module", autouse=True)
def _spelling():
    with pytest.MonkeyPatch.context() as patched:
        known = axon.evaluation.plan.task

        def find(name, data=None, *, unsafe=False, seed=0):
            return Spelling(seed) if name == "spelling" else known(name, data, unsafe=unsafe, seed=seed)

        patched.setattr("axon.evaluation.plan.task", find)
        yield


def search(bases=BASES, trials=16, limit=8, seed=1, check=None, **more):
    space = Space.of(bases)
    plan = Plan("toy", ("spelling",), space.starts(), SETTINGS, limit=limit, seed=seed)
    return Search(plan, space, trials, check=check, **more)


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """An undisturbed search: its folder and what was tried."""
    out = tmp_path_factory.mktemp("calm")
    return out, list(Tuning(search(), axon.load("toy"), out, nothing).trials())


@pytest.fixture
def decoded(monkeypatch):
    """Every chunk that is decoded and recorded from now on."""
    seen, add = [], Records.add

    def watched(self, records):
        seen.append((self.folder.parent.name, records[0]["decoder"], records[0]["chunk"]))
        add(self, records)

    monkeypatch.setattr(Records, "add", watched)
    return seen


def told(found):
    """What a search says, without the time it took."""
    return [(one.text, one.base, one.cell) for one in found]


def test_a_search_begins_with_the_defaults_and_tries_no_decoder_twice(calm):
    _, found = calm
    texts = [one.text for one in found]
    assert texts[:6] == [f"{base}{extra}" for base in BASES for extra in ("", "+axon", "+axon(budget=cover)")]
    assert len(set(texts)) == len(texts) == 16
    assert {one.base for one in found} == set(BASES)
    for one in found:
        assert short(str(axon.decoder(one.text))) == one.text
        assert one.text.startswith(one.base)


def test_the_frontier_of_a_search_is_that_of_all_it_tried(calm):
    _, found = calm
    line = frontier(found)
    assert {(one.cell.nfe, one.cell.accuracy) for one in line} == undominated(found)
    # Otherwise there was nothing to search.
    assert len(line) > 1
    assert line[-1].cell.accuracy > line[0].cell.accuracy
    axon.decoder(choose(found).tried.text)


def test_a_trial_is_an_ordinary_evaluation(calm, toy, tmp_path):
    _, found = calm
    one = found[-1]
    plan = Plan("toy", ("spelling",), (one.text,), SETTINGS, limit=8, seed=1)
    records = evaluate(plan, toy, tmp_path, nothing, pictures=False).of("spelling", one.text)
    assert cell("spelling", one.text, records) == one.cell


@pytest.mark.parametrize("chunks", [1, 20, 31])
def test_a_search_stopped_anywhere_goes_on_and_decodes_nothing_twice(calm, toy, tmp_path, decoded, chunks):
    def stop(*_):
        if len(decoded) == chunks:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(Tuning(search(), toy, tmp_path, stop).trials())
    assert len(decoded) == chunks
    again = list(Tuning(search(), toy, tmp_path, nothing).trials())
    assert told(again) == told(calm[1])
    assert len(decoded) == len(set(decoded)) == 16 * 2


def test_a_half_written_chunk_is_all_that_a_kill_costs(calm, toy, tmp_path, decoded):
    def stop(*_):
        if len(decoded) == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(Tuning(search(), toy, tmp_path, stop).trials())
    newest = next(path for path in tmp_path.glob("trials/*/results.jsonl") if path.read_bytes().count(b"\n") == 4)
    newest.write_bytes(newest.read_bytes()[:-25])
    assert told(Tuning(search(), toy, tmp_path, nothing).trials()) == told(calm[1])
    assert len(decoded) == 16 * 2 + 1
    assert decoded.count(decoded[6]) == 2


def test_a_finished_search_is_read_and_can_be_made_longer(calm, toy, decoded):
    out, found = calm
    assert told(Tuning(search(), toy, out, nothing).trials()) == told(found)
    assert decoded == []
    longer = list(Tuning(search(trials=18, min_accuracy=50), toy, out, nothing).trials())
    assert told(longer[:16]) == told(found)
    assert len(decoded) == 2 * 2


def test_a_folder_is_kept_for_as_long_as_it_is_searched(toy, tmp_path):
    held = Tuning(search(), toy, tmp_path, nothing)
    other = """
import sys
from pathlib import Path
from axon.evaluation.records import Records
Records(Path(sys.argv[1]), {})
"""
    done = subprocess.run([sys.executable, "-c", other, held.out], capture_output=True, text=True, timeout=120)
    assert f"another process is writing results to {tmp_path}" in done.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"bases": ("confidence", "dawn")}, "different: bases"),
        ({"limit": 7}, "different: limit"),
        ({"seed": 2}, "different: seed"),
    ],
)
def test_another_search_in_the_same_folder_is_refused(calm, toy, change, said):
    out, _ = calm
    message = refused(Tuning, search(**change), toy, out, nothing)
    assert message == f"{out} holds results of another run ({said}); choose another --out"


def test_values_that_do_not_go_together_are_passed_over(toy, tmp_path):
    # A relaxed threshold of 0.9 leaves few thresholds of its grid.
    found = list(Tuning(search(["localleap(threshold=0.96,relaxed=0.9)"], trials=5), toy, tmp_path, nothing).trials())
    assert len(found) == 5
    given = search(["localleap(relaxed=0.9)"], trials=8)
    texts = [one.text for one in Tuning(given, toy, tmp_path / "given", nothing).trials()]
    assert len(texts) == 8
    assert all("relaxed=0.9" in text for text in texts)


def test_a_search_ends_where_nothing_is_left_to_try(toy, tmp_path, monkeypatch):
    few = {"gate": ("context",), "budget": (1, "cover"), "commit": ("replace",), "anchor_steps": (1,)}
    monkeypatch.setattr(spaces, "AXON", few)
    found = list(Tuning(search(["sequential"], trials=5, limit=1), toy, tmp_path, nothing).trials())
    assert [one.text for one in found] == ["sequential", "sequential+axon", "sequential+axon(budget=cover)"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"trials": 5}, "trials must be at least 6, the first ones of 2 bases, got 5"),
        ({"trials": 0}, "trials must be a whole number of at least 1, got 0"),
        ({"seed": 0}, "seed must be at least 1, for figures are quoted on the problems of 0; got 0"),
        ({"min_accuracy": 0.8}, "min_accuracy must be in percent, between 1 and 100, got 0.8"),
        ({"min_accuracy": 101}, "min_accuracy must be in percent, between 1 and 100, got 101"),
        ({"min_accuracy": float("nan")}, "min_accuracy must be in percent, between 1 and 100, got nan"),
        ({"check": -1}, "check must be a whole number of at least 0, got -1"),
        ({"limit": 0}, "limit must be a whole number of at least 1, got 0"),
    ],
    ids=str,
)
def test_a_search_refuses_what_cannot_be_run(change, said):
    assert refused(lambda: search(**change)) == said


def test_a_search_is_on_one_task():
    whole = search()
    plan = replace(whole.plan, tasks=("sums", "code"))
    assert refused(lambda: replace(whole, plan=plan)) == "a search is on one task, got sums, code"


# The check


def problems(one):
    return [record["problem"] for record in one.records]


def test_the_check_is_on_problems_that_were_not_tuned_on(calm, toy, decoded):
    out, found = calm
    chosen = next(one for one in found if one.text == "confidence+axon")
    used = {problem.prompt for problem in Spelling(1).problems()[:8]}
    fresh = [problem.id for problem in Spelling(2).problems() if problem.prompt not in used]
    for count in (None, 3):
        check = Tuning(search(check=count), toy, out, nothing).check(chosen)
        assert [one.text for one in check.tried] == ["confidence", "confidence+axon"]
        # Two of the next twelve are among the first eight, so the check's eight begin behind them.
        assert all(problems(one) == fresh[: count or 8] for one in check.tried)
        assert (check.comparison.decoder, check.comparison.base) == ("confidence+axon", "confidence")
        assert check.comparison.problems == (count or 8)
    assert Tuning(search(check=0), toy, out, nothing).check(chosen) is None
    assert {room for room, *_ in decoded} == {"check-8", "check-3"}


def test_the_base_itself_is_checked_alone(calm, toy):
    out, found = calm
    check = Tuning(search(check=3), toy, out, nothing).check(found[0])
    assert [one.text for one in check.tried] == ["confidence"]
    assert check.comparison is None


def test_a_task_without_other_problems_is_checked_on_the_rest(toy, tmp_path, monkeypatch):
    always = Spelling(1)
    monkeypatch.setattr("axon.evaluation.plan.task", lambda name, data=None, **_: always)
    tuned = Tuning(search(["confidence"], trials=3), toy, tmp_path, nothing)
    found = list(tuned.trials())
    assert [problems(one) for one in tuned.check(found[1]).tried] == [[p.id for p in always.problems()[8:]]] * 2
    assert tuned.size == 3 * 8 + 2 * 4
    everything = Tuning(search(["confidence"], trials=3, limit=12), toy, tmp_path / "all", nothing)
    assert everything.check(found[1]) is None


# The command

COMMAND = ["tune", "--model", "toy", "--task", "spelling", "--bases", "confidence;localleap", "--limit", 8]
COMMAND += ["--trials", 16, "--max-new-tokens", 32, "--batch-size", 4]


def test_the_command_prints_the_decoder_to_use(run, calm, tmp_path):
    out = tmp_path / "a [strange] name"
    done = run(*COMMAND, "--out", out)
    assert done.returncode == 0, done.err
    assert done.err == ""
    _, found = calm
    chosen = choose(found)
    *_, text, command = done.out.splitlines()
    assert text == chosen.tried.text
    for number in (1, 8, 16):
        assert re.search(rf"^\d+/\d+ problems, [\d:]+ left · trial {number} of 16 · ", done.out, re.MULTILINE)
    assert "left · check · " in done.out
    assert command == f'axon generate "…" --model toy --decoder "{text}" --max-new-tokens 32'
    assert run(*shlex.split(command.replace("…", "Choose."))[1:]).returncode == 0
    assert f"Chosen: {text}. {chosen.why}" in done.out
    assert "spelling: the frontier of 16 decoders, 8 problems" in done.out
    assert "spelling: once more, 8 problems the search did not see" in done.out
    written = json.loads((out / "frontier.json").read_text())
    assert written["decoder"] == text
    assert [row["decoder"] for row in written["frontier"]] == [one.text for one in frontier(found)]
    assert [row["decoder"] for row in written["tried"]] == [one.text for one in found]
    assert written["check"]["cells"][-1]["decoder"] == text
    assert written["setting"]["bases"] == list(BASES)
    marked = (out / "frontier.md").read_text()
    assert f"Chosen: `{text}`" in marked
    for one in frontier(found):
        assert re.search(rf"^\| {re.escape(one.text)} \| {100 * one.cell.accuracy:.1f} \| ", marked, re.MULTILINE)


def test_an_accuracy_out_of_reach_ends_with_its_sentence_and_keeps_the_results(run, calm, monkeypatch):
    out, found = calm
    monkeypatch.setattr(Spelling, "score", lambda *_: pytest.fail("this was scored before"))
    done = run(*COMMAND, "--out", out, "--min-accuracy", 100)
    best = frontier(found)[-1]
    assert best.cell.accuracy < 1
    assert done.returncode == 1
    assert done.err == f"axon: {choose(found, 100).why}\n"
    assert best.text in done.err
    assert "the frontier of 16 decoders" in done.out
    written = json.loads((out / "frontier.json").read_text())
    assert written["decoder"] is None
    assert [row["decoder"] for row in written["tried"]] == [one.text for one in found]


def test_figures_that_say_too_much_come_with_a_sentence(run, tmp_path, monkeypatch):
    monkeypatch.setattr(Spelling, "score", lambda *_: Verdict(False, ""))
    monkeypatch.setitem(PUBLISHED, "spelling", Spelling)
    done = run(*COMMAND, "--bases", "confidence", "--trials", 3, "--limit", 2, "--check", 0, "--out", tmp_path)
    assert done.returncode == 0
    for said in (
        "No decoder got a single answer right, so evaluations alone decided.",
        "It was not measured on problems the search did not see, so its figures flatter it.",
        "The search saw the first problems of spelling: quote figures on the others only.",
    ):
        assert said in done.out.splitlines()
        assert said in (tmp_path / "frontier.md").read_text()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--task", "poems"], "unknown task 'poems'; there are sums, code"),
        (["--bases", "dawn+axon"], "a base is a plain decoder such as dawn"),
        (["--bases", ""], "a search needs at least one base"),
        (["--trials", 4], "trials must be at least 6, the first ones of 2 bases, got 4"),
        (["--min-accuracy", 0.8], "min_accuracy must be in percent, between 1 and 100, got 0.8"),
        (["--seed", 0], "seed must be at least 1"),
        (["--cache", "big"], "cache must be one of none, prefix, dual, got 'big'"),
        (["--model", "nowhere/to/be/found"], "there is no folder nowhere/to/be/found"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_bad_input_is_answered_with_one_sentence_and_leaves_no_folder(fails, tmp_path, change, said):
    assert said in fails(*COMMAND, "--out", tmp_path / "out", *change)
    assert not (tmp_path / "out").exists()


def test_without_optuna_the_sentence_says_what_to_install(fails, tmp_path, monkeypatch):
    monkeypatch.setattr(tuning, "find_spec", lambda name: None)
    said = fails(*COMMAND, "--out", tmp_path / "out")
    assert said == "axon: tuning needs optuna; install with: pip install 'axon-dllm[tune]'"
    assert not (tmp_path / "out").exists()
