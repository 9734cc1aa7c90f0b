"""The bundled tasks: test problems that never change, nothing shared with training, and scores that can tell."""

import hashlib
import itertools
import re
import string
from functools import cache, partial

import pytest

from axon import sandbox
from axon.errors import AxonError
from axon.tasks import BUNDLED, Problem, code, sums, task
from axon.tasks.base import held_out

# Versions of the test problems, each with a short hash of them and of what their scoring knows.
FIXED = {"sums": ("3", "c36bc69a7717"), "code": ("3", "bf0b20ca1175")}
NAMES = list(FIXED)


@cache
def fixed(name):
    return task(name).problems()


@cache
def training(name):
    return tuple(itertools.islice(task(name).generate(17, "train"), 3000))


def compositions(problems):
    return {problem.facts["composition"] for problem in problems}


def by_fold(*folds):
    """The first code problem that ends in one of these reductions."""
    return next(problem for problem in fixed("code") if problem.facts["composition"][3] in folds)


# The problems


@pytest.mark.parametrize("name", NAMES)
def test_the_test_problems_never_change(name):
    problems = fixed(name)
    assert len(problems) == len({problem.id for problem in problems}) == 500
    assert task(name).problems() == problems
    told = "".join(f"{problem.id}\0{problem.prompt}\0{problem.gold}\0{problem.facts}\0" for problem in problems)
    found = (task(name).version, hashlib.sha256(told.encode()).hexdigest()[:12])
    assert found == FIXED[name], f"the test problems of {name} changed: raise its `version` and pin the new hash here"


@pytest.mark.parametrize("name", NAMES)
def test_no_prompt_comes_twice(name):
    for problems in (fixed(name), training(name)):
        assert len({problem.prompt for problem in problems}) == len(problems)


@pytest.mark.parametrize("name", NAMES)
def test_another_seed_brings_other_problems_of_the_same_split(name):
    other = list(itertools.islice(task(name).generate(1, "test"), 200))
    assert len({problem.prompt for problem in other} & {problem.prompt for problem in fixed(name)}) < 10
    assert compositions(other).isdisjoint(compositions(training(name)))


@pytest.mark.parametrize("name", NAMES)
def test_training_never_meets_a_prompt_or_a_composition_of_the_test(name):
    assert {problem.prompt for problem in training(name)}.isdisjoint(problem.prompt for problem in fixed(name))
    assert compositions(training(name)).isdisjoint(compositions(fixed(name)))
    assert len(compositions(training(name))) > 3 * len(compositions(fixed(name))) > 60


WORDS = ("x", "Moon", "hello", "dear", "elephant", "chocolates", "yes" * 4, *("xyzxyzxyz"[:n] for n in range(2, 10)))
PROBES = {
    "numbers": range(-40, 41),
    "letters": string.printable,
    "words": [*WORDS, *(made for word in WORDS for letter in code.LETTERS for made in (letter + word, word + letter))],
}


@cache
def elements(kind, condition, element):
    """Which probes the Python source of a filter keeps, and what that of a map makes of them."""
    return tuple(eval(f"[(x, {element}) for x in probes if {condition}]", {"probes": PROBES[kind]}))


def functions(plan, firsts, letters, seconds):
    """What a composition computes with each of these constants, from its Python source, told apart as its fold does."""
    kind, test, change, fold = plan
    filtering = code.DOMAINS[kind].filters[test].source if test else "True"
    mapping = code.DOMAINS[kind].maps[change].source if change else "{x}"
    conditions = {filtering.format(x="x", k=k, c=c) for k in firsts for c in letters}
    for condition, element in itertools.product(conditions, {mapping.format(x="x", k=k) for k in seconds}):
        found = elements(kind, condition, element)
        if fold == "distinct":
            made = [value for _, value in found]
            found = tuple((x, made.index(value)) for x, value in found)
        yield kind, fold, found


def test_training_cannot_express_a_function_of_the_test_under_any_name():
    plans = itertools.chain(*code._plans("train"))
    trained = {one for plan in plans for one in functions(plan, code.NUMBERS, code.LETTERS, code.NUMBERS)}
    tested = set()
    for problem in fixed("code"):
        k, c, second = problem.facts["constants"]
        tested.update(functions(problem.facts["composition"], [k], [c], [second]))
    assert len(trained) > 10_000
    assert len(tested) > 300
    assert trained.isdisjoint(tested)


def test_training_never_meets_a_sequence_of_numbers_of_the_test():
    trained = {problem.facts["numbers"] for problem in training("sums")}
    tested = {problem.facts["numbers"] for problem in fixed("sums")}
    assert len(tested) > 450
    assert trained.isdisjoint(tested)
    assert all(held_out("numbers", numbers) for numbers in tested)
    assert not any(held_out("numbers", numbers) for numbers in trained)


def test_the_numbers_of_a_sums_problem_are_those_in_its_text():
    for problem in fixed("sums"):
        assert tuple(map(int, re.findall(r"\d+", problem.prompt))) == problem.facts["numbers"]


@pytest.mark.parametrize(
    ("name", "everything", "plans"),
    [
        ("sums", sums.compositions(), sums._plans),
        ("code", code.compositions(), lambda split: tuple(itertools.chain(*code._plans(split)))),
    ],
    ids=NAMES,
)
def test_every_composition_is_in_exactly_one_split(name, everything, plans):
    assert sorted({*plans("train")} | {*plans("test")}) == sorted(everything)
    assert len(set(everything)) == len(everything)
    assert all(held_out(name, plan) for plan in plans("test"))
    assert not any(held_out(name, plan) for plan in plans("train"))
    assert 0.1 < len(set(plans("test"))) / len(everything) < 0.2


def test_sums_of_one_step_are_learned_too():
    short = [problem for problem in training("sums") if problem.gold.count("=") == 1]
    assert len(short) > len(training("sums")) / 25


def test_the_split_is_a_hash_and_so_the_same_everywhere():
    assert [number for number in range(40) if held_out("place", number)] == [6, 8, 29, 31]
    assert sum(held_out("share", number) for number in range(4000)) == pytest.approx(600, abs=60)
    assert sum(held_out("share", number, share=0.5) for number in range(4000)) == pytest.approx(2000, abs=120)


@pytest.mark.parametrize("name", NAMES)
def test_prompts_are_plain_english(name):
    for problem in (*fixed(name), *training(name)):
        prompt = problem.prompt
        assert "  " not in prompt
        assert prompt == prompt.strip()
        assert not set(prompt) & set("{}[]\n\t")
        assert "None" not in prompt
        assert prompt.isascii()
        assert prompt[-1] in ".?"
        for sentence in re.split(r"(?<=[.?]) ", prompt):
            assert sentence[0].isupper() or sentence[0].isdigit(), prompt


def test_an_unknown_task_is_answered_with_the_known_ones():
    with pytest.raises(AxonError, match=r"^unknown task 'poems'; there are sums, code"):
        task("poems")


# Sums


def test_every_gold_answer_of_sums_is_right_and_so_is_each_of_its_equations():
    for problem in fixed("sums"):
        verdict = BUNDLED["sums"].score(problem, problem.gold)
        assert (verdict.correct, verdict.measures) == (True, {"equations": True}), problem
        steps = re.findall(r"(\d+)([-+*/])(\d+)=(\d+)", problem.gold)
        assert 2 <= len(steps) <= 4
        # Each step is true to Python too, within range, and the last one is the answer.
        for left, sign, right, value in steps:
            assert eval(f"{left}{sign}{right}") == int(value)
            assert max(int(left), int(right), int(value)) <= sums.LARGEST
        assert int(steps[-1][3]) == problem.facts["answer"]
        assert problem.gold.endswith(f"\n#### {problem.facts['answer']}")


def test_a_gold_answer_uses_every_number_of_its_problem():
    for problem in fixed("sums"):
        used = set(map(int, re.findall(r"\d+", problem.gold)))
        assert set(problem.facts["numbers"]) <= used, problem


@pytest.mark.parametrize(
    ("answer", "correct", "equations", "reason"),
    [
        ("", False, False, "no final number after ####"),
        ("20+47=67\n67*2=134\n25", False, True, "no final number after ####"),
        ("####", False, False, "no final number after ####"),
        ("20+47=67\n#### 26", False, True, "26 instead of 25"),
        ("20+47=67\n#### -25", False, True, "-25 instead of 25"),
        ("20+47=68\n#### 25", True, False, "25 is right"),
        ("20+47=67\n10/3=3\n#### 25", True, False, "25 is right"),
        ("8/0=0\n#### 25", True, False, "25 is right"),
        ("#### 25", True, False, "25 is right"),
        ("20 + 47 = 67\n#### 7\n####25", True, True, "25 is right"),
        ("20+47=67\n#### 25\n#### 7", False, True, "7 instead of 25"),
        ("20+47=67\n#### 25.5", False, True, "no final number after ####"),
        ("20+47+3=50\n20+47=67\n#### 25", True, True, "25 is right"),
    ],
)
def test_an_answer_to_a_sum_is_judged_by_its_last_number_and_its_equations(answer, correct, equations, reason):
    problem = Problem("by hand", "How many?", "", {"answer": 25})
    verdict = BUNDLED["sums"].score(problem, answer)
    assert (verdict.correct, verdict.measures["equations"], verdict.reason) == (correct, equations, reason)


# Code


def test_every_gold_answer_of_code_passes_its_unit_tests():
    for problem in fixed("code"):
        assert len(problem.facts["tests"]) == 11
        exec(code.program(problem.gold, problem.facts["tests"]), {})


def test_gold_answers_of_code_pass_in_the_sandbox():
    some = fixed("code")[::13]
    outcomes = sandbox.run_many([code.program(problem.gold, problem.facts["tests"]) for problem in some])
    assert [outcome.status for outcome in outcomes] == ["ok"] * len(some)
    verdict = BUNDLED["code"].score(some[0], some[0].gold)
    assert (verdict.correct, verdict.reason) == (True, "all unit tests pass")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda gold: "", "NameError: name 'solve' is not defined"),
        (lambda gold: "I do not know.", "SyntaxError: invalid syntax"),
        (lambda gold: gold.replace("solve", "answer"), "NameError: name 'solve' is not defined"),
        (lambda gold: gold + "\ninner = solve\ndef solve(x):\n    return inner(x) + 1", " instead of "),
        (lambda gold: gold + "\ninner = solve\ndef solve(x):\n    return float(inner(x))", " instead of "),
        (lambda gold: "def solve(x):\n    return None", " gave None instead of "),
        (lambda gold: "def solve(x):\n    raise LookupError('no idea')", "LookupError: no idea"),
        (lambda gold: "raise SystemExit(0)", "failed"),
        (lambda gold: "import os\nos._exit(0)", "failed"),
        (lambda gold: "def solve(x):\n    while True:\n        pass", "timeout"),
    ],
    ids=["empty", "prose", "misnamed", "off by one", "wrong type", "none", "raising", "leaving", "exiting", "looping"],
)
def test_a_wrong_function_is_wrong_and_the_reason_says_why(change, reason, monkeypatch):
    if reason == "timeout":
        monkeypatch.setattr(sandbox, "run", partial(sandbox.run, limits=sandbox.Limits(seconds=1.0)))
    problem = by_fold("sum", "count", "largest", "smallest", "distinct")
    verdict = BUNDLED["code"].score(problem, change(problem.gold))
    assert not verdict.correct
    assert reason in verdict.reason
    assert "\n" not in verdict.reason


@pytest.mark.parametrize(
    "wrap",
    ["```python\n{}\n```", "```\n{}\n```", "Here it is:\n```python\n{}\n```\nIt works.", "```python\n{}"],
    ids=["python", "plain", "with prose", "unclosed"],
)
def test_code_in_a_fence_is_taken_out_of_it(wrap):
    for problem in fixed("code")[:20]:
        source = code.program(wrap.format(problem.gold), problem.facts["tests"])
        assert source.startswith(problem.gold)
        exec(source, {})


def passes(solve, tests):
    try:
        return all((type(got := solve(given)), got) == (type(right), right) for given, right in tests)
    except Exception:
        return False


def test_unit_tests_tell_one_composition_from_another():
    functions = []
    for problem in fixed("code"):
        space = {}
        exec(problem.gold, space)
        functions.append((problem.facts["composition"], space["solve"]))
    fooled = pairs = 0
    for problem in fixed("code"):
        plan = problem.facts["composition"]
        others = [solve for other, solve in functions if other[0] == plan[0] and other != plan]
        pairs += len(others)
        fooled += sum(passes(solve, problem.facts["tests"]) for solve in others)
    assert pairs > 50_000
    assert fooled / pairs < 0.02


# The command


def test_the_tasks_are_listed_with_their_sizes(run):
    listed = run("tasks", "list").out
    for name in NAMES:
        assert re.search(rf"{name}\s+│\s+500", listed)


def test_a_problem_is_shown_with_its_gold_answer_and_the_verdict_on_it(run):
    done = run("tasks", "show", "code", 7)
    problem = fixed("code")[7]
    assert done.returncode == 0
    for part in (problem.id, problem.prompt, problem.gold, "-> right: all unit tests pass"):
        assert part in done.out


def test_an_answer_of_ones_own_is_scored_beside_the_gold_one(run):
    right = fixed("sums")[3].facts["answer"]
    done = run("tasks", "show", "sums", 3, "--answer", "20+47=68\n#### 999")
    assert f"-> right: {right} is right, equations: yes" in done.out
    assert f"-> wrong: 999 instead of {right}, equations: no" in done.out
    read = run("tasks", "show", "sums", 3, "--answer", "-", stdin=f"#### {right}")
    assert f"answer:\n#### {right}\n-> right: {right} is right, equations: no" in read.out


def test_problems_that_are_not_there_are_refused_in_one_sentence(fails):
    assert "sums has problems 0 to 499, got 500" in fails("tasks", "show", "sums", 500)
    assert "code has problems 0 to 499, got -1" in fails("tasks", "show", "code", "--", -1)
    assert "unknown task 'poems'; there are sums, code" in fails("tasks", "show", "poems", 0)
