"""The published tasks: prompts and verdicts are lm-eval's, gold answers are right, bad files are named."""

import gzip
import importlib.util
import json
import random
import subprocess
import sys
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from axon.errors import AxonError
from axon.report.paper import notes
from axon.sandbox import Isolation, Unavailable
from axon.tasks import PUBLISHED, Code, Gsm8k, HumanEval, Mbpp, Minerva, task
from axon.tasks.base import Verdict
from axon.tasks.published import humaneval, judge, lmeval, program
from axon.tasks.published.judge import Judge
from axon.tasks.published.program import fenced
from axon.tasks.published.sanitize import compiles, sanitize
from published_cases import (
    CODE_ANSWERS,
    DATA,
    DOUBTFUL,
    FILES,
    KINDLIER,
    REAL,
    WITHOUT_SETUP,
    lm_eval_code_task,
    lm_eval_task,
    mbpp_samples,
    read,
    write,
    write_handmade,
)

# What the papers use, for all four tasks 256 tokens.
STOPS = {
    "gsm8k": ("Question:", "</s>", "<|im_end|>"),
    "minerva_math": ("Problem:",),
    "humaneval": ("\nclass", "\ndef", "\n#", "\nif", "\nprint"),
    "mbpp": ("[DONE]",),
}
SIZES = {"gsm8k": 1319, "minerva_math": 500, "humaneval": 164, "mbpp": 974}
# Gold answers that are not right, by task; each would need its reason here.
WRONG_GOLD = {"gsm8k": set(), "minerva_math": set(), "humaneval": set(), "mbpp": set()}
# Gold answers that are right but not by every measure: the tests of this one call a function of the prompt, which the
# authors' filter drops because the answer does not.
UNEVEN_GOLD = {"HumanEval/50"}
CASES = [*((name, "handmade") for name in PUBLISHED), *((name, "real") for name in REAL)]
GARBLED = ("", "#### ", "$$$", "\\boxed{", "Final Answer: The final answer is", "[DONE]", "```python\n", "\x00")


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    return {"handmade": write_handmade(tmp_path_factory.mktemp("handmade")), "real": DATA}


@pytest.fixture
def handmade(tmp_path):
    """A folder of one's own to spoil."""
    return write_handmade(tmp_path)


@pytest.fixture(params=CASES, ids="-".join)
def case(request, folders):
    """A task and the folder of its data: the few written by hand, and the real ones where they are."""
    name, kind = request.param
    return name, kind, folders[kind]


def everything(found):
    return found.every() if isinstance(found, Mbpp) else found.problems()


def scored(found, pairs):
    """Verdicts on pairs of a problem and an answer, two at a time; most of it is waiting for children."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda pair: found.score(*pair), pairs))


# What is asked


def test_prompts_are_those_of_lm_eval(case, tmp_path):
    name, _, folder = case
    problems = task(name, folder).problems()
    (file,) = folder.glob(FILES[name][0])
    if name == "gsm8k":
        (train,) = folder.glob(FILES[name][1])
        theirs = lm_eval_task("gsm8k/gsm8k.yaml", {"train": train, "test": file}, tmp_path)
    elif name == "minerva_math":
        theirs = lm_eval_task("minerva_math/minerva_math500.yaml", {"test": file}, tmp_path)
    elif name == "humaneval":
        theirs = lm_eval_code_task("humaneval/humaneval.yaml", file, [], tmp_path)
    else:
        rows = read(file)
        samples = [row | {"is_fewshot": True} for row in rows if row["task_id"] in (2, 3, 4)]
        if folder == DATA:
            assert [{key: row[key] for key in shown} for row, shown in zip(samples, mbpp_samples(), strict=True)] == (
                mbpp_samples()
            )
        write(tmp_path / "test.jsonl", [row for row in rows if 11 <= row["task_id"] <= 510])
        theirs = lm_eval_code_task("mbpp/mbpp.yaml", tmp_path / "test.jsonl", samples, tmp_path)
    docs = list(theirs.eval_docs)
    assert len(docs) == len(problems)
    for doc, problem in list(zip(docs, problems, strict=True))[:60]:
        shots = theirs.config.num_fewshot
        assert problem.prompt == theirs.fewshot_context(doc, num_fewshot=shots)


@pytest.mark.parametrize("name", PUBLISHED)
def test_stop_texts_and_length_are_the_papers(name, folders):
    found = task(name, folders["handmade"])
    assert found.stop == STOPS[name]
    assert found.max_new_tokens == 256


@pytest.mark.parametrize("name", ["sums", "code"])
def test_bundled_tasks_stop_nowhere_and_take_128_tokens(name):
    assert (task(name).stop, task(name).max_new_tokens) == ((), 128)


@pytest.mark.parametrize("size", [9, 7473])
def test_gsm8k_draws_its_examples_as_lm_eval_does(handmade, size):
    (handmade / "gsm8k_train_few.jsonl").unlink()
    write(handmade / "gsm8k_train.jsonl", [{"question": f"q{n}?", "answer": f"{n}\n#### {n}"} for n in range(size)])
    found = Gsm8k(handmade)
    rng = random.Random(1234)
    for problem in found.problems():
        drawn = rng.sample(range(size), 5)
        assert problem.facts["examples"] == tuple(drawn)
        assert [f"Question: q{n}?\nAnswer: {n}\n#### {n}" for n in drawn] == problem.prompt.split("\n\n")[:5]
    assert found.version.endswith("examples from 9 of 7473") == (size == 9)


def test_the_version_names_lm_evals_and_changes_with_the_problems(handmade):
    before = {name: task(name, handmade).version for name in PUBLISHED}
    assert before["gsm8k"].startswith("lm-eval 3.0, 5 problems ")
    assert before["minerva_math"].startswith("lm-eval 3.1, 4 problems ")
    assert before["humaneval"].startswith("lm-eval 1.0, 2 problems ")
    assert before["mbpp"].startswith("lm-eval 1.0, 2 problems ")
    for name, field in (("gsm8k", "question"), ("minerva_math", "problem"), ("humaneval", "prompt"), ("mbpp", "text")):
        (file,) = handmade.glob(FILES[name][0])
        write(file, [row | {field: row[field] + " Please."} for row in read(file)])
    assert not {kind(handmade).version for kind in PUBLISHED.values()} & set(before.values())


def test_a_task_is_loaded_once(folders):
    assert task("gsm8k", folders["handmade"]) is task("gsm8k", folders["handmade"])
    assert task("gsm8k", folders["handmade"]).problems() is task("gsm8k", folders["handmade"]).problems()
    assert task("code") == task("code", folders["handmade"])


def test_mbpp_tests_its_test_split_only(folders):
    found = task("mbpp", folders["handmade"])
    assert [problem.id for problem in found.problems()] == ["mbpp-11", "mbpp-367"]
    assert len(everything(found)) == 7


def test_humaneval_may_be_compressed(handmade):
    plain = HumanEval(handmade).problems()
    file = handmade / "HumanEval.jsonl"
    (handmade / "HumanEval.jsonl.gz").write_bytes(gzip.compress(file.read_bytes()))
    file.unlink()
    assert HumanEval(handmade).problems() == plain


# How it is scored


def test_gold_answers_are_right_and_empty_ones_are_not(case, monkeypatch):
    # One gold answer, mbpp-123, computes for four seconds: a fifth of the limit, but more on a busy machine.
    monkeypatch.setattr(program, "LIMITS", replace(program.LIMITS, seconds=300.0))
    name, kind, folder = case
    found = task(name, folder)
    problems = everything(found)
    if kind == "real":
        assert len(problems) == SIZES[name]
    verdicts = scored(found, [(problem, problem.gold) for problem in problems])
    wrong = {problem.id for problem, verdict in zip(problems, verdicts, strict=True) if not verdict.correct}
    assert wrong == (WRONG_GOLD[name] if kind == "real" else set())
    uneven = {p.id for p, verdict in zip(problems, verdicts, strict=True) if not all(verdict.measures.values())}
    assert uneven == (UNEVEN_GOLD if case[:2] == ("humaneval", "real") else set())
    verdicts = scored(found, [(problem, "") for problem in problems])
    assert not any(verdict.correct or any(verdict.measures.values()) for verdict in verdicts)


def variants(gold, right):
    """Answers as models give them: right, nearly right, wrong."""
    return (
        gold,
        gold.replace("####", "The answer is"),
        f"So it is {right}.",
        f"#### {right}.00",
        f"#### ${right}",
        f"#### {right}\n\nQuestion: What is 1+1?\nAnswer: 2\n#### 2",
        f"{gold}\nThat is 17 more than before.",
        f"#### {right}1",
        f"{right} or 1",
        "no number at all",
    )


@pytest.mark.parametrize("kind", ["handmade", *(["real"] if "gsm8k" in REAL else [])])
def test_verdicts_on_gsm8k_are_those_of_lm_eval(kind, folders, tmp_path):
    found = task("gsm8k", folders[kind])
    (train,) = folders[kind].glob("gsm8k_train*.jsonl")
    files = {"train": train, "test": folders[kind] / "gsm8k_test.jsonl"}
    theirs = lm_eval_task("gsm8k/gsm8k.yaml", files, tmp_path)
    seen = defaultdict(int)
    for problem, doc in list(zip(found.problems(), theirs.eval_docs, strict=True))[:40]:
        right = problem.gold.rpartition("#### ")[2]
        for answer in (*variants(problem.gold, right), *GARBLED):
            # lm-eval's models cut at the stop texts, its scoring does not.
            request = theirs.construct_requests(doc, "", metadata=("gsm8k", 0, 1))
            request.resps = [answer.split("Question:")[0]]
            theirs._instances = [request]
            theirs.apply_filters()
            both = {name: theirs.process_results(doc, [kept]) for name, kept in request.filtered_resps.items()}
            verdict = found.score(problem, answer)
            strict, flexible = both["strict-match"]["exact_match"], both["flexible-extract"]["exact_match"]
            assert verdict.measures == {"strict": strict == 1, "flexible": flexible == 1}, answer
            assert verdict.correct == verdict.measures["flexible"]
            seen[strict, flexible] += 1
    # The answers told all four kinds apart.
    assert len(seen) == 4
    assert min(seen.values()) >= 5


MATH_ANSWERS = (
    "Final Answer: The final answer is ${}$. I hope it is correct.",
    "We find $\\boxed{{{}}}$.",
    "Final Answer: The final answer is $x={}$. I hope it is correct.\n\nProblem:\nWhat is 1?",
    "Final Answer: The final answer is \\[{}\\]. I hope it is correct.",
    "Final Answer: The final answer is ${}+1$. I hope it is correct.",
    "Final Answer: The final answer is $\\frac{{{}}}{{2}}$. I hope it is correct.",
)


@pytest.mark.parametrize("kind", ["handmade", *(["real"] if "minerva_math" in REAL else [])])
def test_verdicts_on_minerva_math_are_those_of_lm_eval(kind, folders, tmp_path, monkeypatch):
    # lm-eval's alarms go by the clock and would go off where the machine is busy.
    monkeypatch.setattr("signal.alarm", lambda seconds: 0)
    found = task("minerva_math", folders[kind])
    file = folders[kind] / "math500_test.jsonl"
    theirs = lm_eval_task("minerva_math/minerva_math500.yaml", {"test": file}, tmp_path)
    seen = defaultdict(int)
    for problem, doc in list(zip(found.problems(), theirs.eval_docs, strict=True))[:12]:
        answers = [text.format(problem.facts["answer"]) for text in MATH_ANSWERS]
        for answer in (problem.gold, *answers, *GARBLED):
            both = theirs.process_results(doc, [answer.split("Problem:")[0]])
            verdict = found.score(problem, answer)
            assert verdict.correct == bool(both["exact_match"]), answer
            assert verdict.measures == {"math_verify": bool(both["math_verify"])}, answer
            seen[verdict.correct, verdict.measures["math_verify"]] += 1
    assert len(seen) >= 3
    assert min(seen[True, True], seen[False, False]) >= 4


class CodeEval:
    """The metric that these tasks fetch from the hub: a candidate passes if it runs with its tests behind it."""

    @staticmethod
    def compute(references, predictions, k):
        assert k == [1]
        command = (sys.executable, "-I", "-S", "-c")
        passed = [
            subprocess.run((*command, f"{candidate}\n{test}"), capture_output=True, timeout=60).returncode == 0
            for test, (candidate,) in zip(references, predictions, strict=True)
        ]
        return {"pass@1": sum(passed) / len(passed)}, {}


@pytest.fixture
def lm_eval_utils(monkeypatch):
    """lm-eval's own code beside a task definition, which imports nothing but that metric."""

    def load(name):
        monkeypatch.setitem(sys.modules, "evaluate", SimpleNamespace(load=lambda metric: CodeEval))
        spec = importlib.util.spec_from_file_location(f"{name}_utils", lmeval.folder() / name / "utils.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def some(pairs):
    """The problem that needs a set-up, and about thirty others, evenly spread."""
    step = max(1, len(pairs) // 30)
    return [pair for pair in pairs if pair[0].id == WITHOUT_SETUP] + pairs[step // 2 :: step]


@pytest.mark.parametrize("name", ["humaneval", "mbpp"])
def test_verdicts_on_code_are_lm_evals(name, folders, lm_eval_utils, tmp_path):
    folder = folders["real" if name in REAL else "handmade"]
    found, utils = task(name, folder), lm_eval_utils(name)
    (file,) = folder.glob(FILES[name][0])
    if name == "mbpp":
        kept = [row for row in read(file) if 11 <= row["task_id"] <= 510]
        file = tmp_path / "test.jsonl"
        write(file, kept)
    theirs = lm_eval_code_task(f"{name}/{name}.yaml", file, [], tmp_path)
    pairs = some(list(zip(found.problems(), theirs.eval_docs, strict=True)))

    def lm_eval_says(doc, answer):
        """What lm-eval does with an answer: cut at the first stop text, complete, run."""
        text = min((answer.partition(stop)[0] for stop in STOPS[name]), key=len)
        target = theirs.doc_to_target(doc)
        if name == "mbpp":
            return bool(utils.pass_at_1([target], [[text]]))
        (candidates,) = utils.build_predictions([[text]], [doc])
        return bool(utils.pass_at_k([target], [candidates], k=1)["pass@1"])

    cases, turns = [], 4 if len(pairs) > 20 else 1
    for number, (problem, doc) in enumerate(pairs):
        answers = CODE_ANSWERS[name](problem, pairs[number - 1][0].gold)
        # Of many problems each has its turn of the kinds.
        cases += [(problem, doc, kind, answers[kind]) for kind in list(answers)[number % turns :: turns]]
    verdicts = scored(found, [(problem, answer) for problem, _, _, answer in cases])
    with ThreadPoolExecutor(2) as pool:
        rights = list(pool.map(lambda case: lm_eval_says(case[1], case[3]), cases))
    seen, different = set(), set()
    for (problem, _, kind, answer), verdict, right in zip(cases, verdicts, rights, strict=True):
        if kind in KINDLIER[name]:
            assert (verdict.correct, right) == (True, False), (problem.id, answer)
            different.add(kind)
        elif problem.id == WITHOUT_SETUP and verdict.correct:
            assert not right
            different.add(problem.id)
        else:
            assert verdict.correct == right, (problem.id, answer)
        seen.add((kind, verdict.correct))
        if name == "humaneval" and kind not in DOUBTFUL:
            assert verdict.measures == {"sanitized": True}, (problem.id, answer)
    assert different == KINDLIER[name].keys() | ({WITHOUT_SETUP} if name == "mbpp" else set())
    assert {kind for kind, _ in seen} == answers.keys()
    assert {("gold", True), ("another's", False), ("prose behind", False), ("no function", False)} <= seen


def test_gsm8k_tells_strict_from_flexible(folders):
    found = task("gsm8k", folders["handmade"])
    problem = found.problems()[0]
    for answer, strict, flexible in (
        ("#### 7", True, True),
        ("It is 7", False, True),
        ("#### 7\nThat is 3 more.", True, False),
        ("7 or 8", False, False),
    ):
        verdict = found.score(problem, answer)
        assert verdict.measures == {"strict": strict, "flexible": flexible}
        assert verdict.correct is flexible
    assert found.score(problem, "7 or 8").reason == "the answer is 7, the last number is 8"


CHAT = """Sure!
```python
import math

def twice(xs):
    return helper(xs)

def helper(xs):
    return [x + x for x in xs]
```
print"""


ANEW = "def twice(xs):\n    return [x + x for x in xs]\n"


@pytest.mark.parametrize(
    ("answer", "right", "sanitized"),
    [
        ("    return [x + x for x in xs]\n", True, True),
        ("    return [x + x for x in xs]\n\ndef check(candidate):\n    pass\n", True, True),
        ("    return [x + x for x in xs]\nprint(undefined)", True, True),
        (CHAT, True, True),
        (CHAT.rpartition("```")[0], True, True),
        ("```python\n    return [x + x for x in xs]\n```", True, True),
        ("    return xs\n```python\n    return [x + x for x in xs]\n```", True, True),
        (ANEW, True, True),
        (f"import math\n\ndef half(x):\n    return x / 2\n\n{ANEW}", True, True),
        # The authors open a fence in one way only.
        (f"```\n{ANEW}```", True, False),
        (f"Like this:\n```Python\n{ANEW}```", True, False),
        (f"Like this:\n```py\n{ANEW}```", True, False),
        ("    return xs\n", False, False),
        ("    import sys; sys.exit(0)\n", False, False),
        # What goes on where the prompt ends is scored as lm-eval does, and the filter drops what is no code.
        ("    return [x + x for x in xs]\n```\nThis doubles", False, True),
        ("    return [x + x for x in xs]\n\nThis doubles", False, True),
        # A chat model's answer that does not compile is taken as the filter leaves it.
        (f"{ANEW}```\nThis doubles", True, True),
        (f"{ANEW}\nThis doubles", True, True),
        (f"{ANEW}\ndef other(", True, True),
        (f"{ANEW}\nreturn twice", True, True),
        (f"```python\n{ANEW}\ndef other(", True, True),
        (f"{ANEW.replace('x + x', 'x')}```\nThis doubles", False, False),
        ("def twice(\n```\nThis doubles", False, False),
        # One that compiles is taken as it is.
        (f"{ANEW}\nundefined", False, True),
        # Right, but nothing the filter would keep.
        ("```python\ntwice: object = lambda xs: [x + x for x in xs]\n```", True, False),
    ],
)  # fmt: skip
def test_humaneval_takes_the_fence_or_what_comes_before_the_stop_texts(folders, answer, right, sanitized):
    found = task("humaneval", folders["handmade"])
    verdict = found.score(found.problems()[0], answer)
    assert (verdict.correct, verdict.measures) == (right, {"sanitized": sanitized})


@pytest.mark.parametrize(
    ("number", "answer", "runs"),
    [
        (0, "    # Add it to itself.\n    return [(x + x) for x in xs]\n", 1),
        (0, f"{ANEW}```\nThis doubles", 1),
        (0, "    return xs\n\nThis doubles", 2),
        (0, "    pass\n", 2),
        # Nothing is left to run.
        (1, "    pass\n", 1),
    ],
)
def test_humaneval_runs_what_is_the_same_once(folders, monkeypatch, number, answer, runs):
    ran = []
    monkeypatch.setattr(humaneval, "verdict", lambda program, unsafe: ran.append(program) or Verdict(True, ""))
    found = task("humaneval", folders["handmade"])
    found.score(found.problems()[number], answer)
    assert len(ran) == runs


def test_the_papers_table_says_what_stands_beside_humaneval():
    blocks = [SimpleNamespace(task=name, notes=list) for name in ("mbpp", "humaneval", "humaneval")]
    assert sum("sanitized" in note for note in notes(blocks)) == 1
    assert not any("sanitized" in note for note in notes(blocks[:1]))


# The authors' filter


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("def f(x):\n\treturn x\r\n\r\n\r# the end", "def f(x):\n    return x"),
        ("def f(x):\n    return x\n\ndef g(x", "def f(x):\n    return x"),
        ("def f(x):\n    y = x\n    return (y,", ""),
        ("Sure:\ndef f(x):\n    return x\nThis gives x back.", "def f(x):\n    return x"),
        # Of equals the first, of two definitions the later.
        ("f = 1\n?\nf = 2", "f = 1"),
        ("f = 1\ndef f(x):\n    return x", "def f(x):\n    return x"),
        ("def f(x):\n    return x\n\ndef g(x):\n    return f(x)", "def f(x):\n    return x"),
        (
            "def g(x):\n    return h(x)\nh = abs\n\ndef f(x):\n    return g(x)",
            "def g(x):\n    return h(x)\nh = abs\n\ndef f(x):\n    return g(x)",
        ),
        ("class A:\n    pass\nclass B:\n    pass\nf = A", "class A:\n    pass\nf = A"),
        ("f = 1\nimport b\nfrom a import c", "import b\nfrom a import c\nf = 1"),
        ("def f(x):\n    g(x)\n    return x\n\ndef g(x):\n    x.sort()", "def f(x):\n    g(x)\n    return x"),
        ("def f(x):\n    print(x)", ""),
        # An attribute counts by its own name; what it is of does not count.
        ("a = b = 1\nb = 2\nf = a.b", "b = 2\nf = a.b"),
        ("f: int = 1\nf += 1\nprint(f)\n(f, g) = 1, 2", ""),
        ("\n".join([*["x = 1"] * 99, "f = 2", "f = 3"]), "f = 2"),
        # Python warns of this, which would go to the user's terminal.
        ("f = '\\d'", "f = '\\\\d'"),
        ("", ""),
    ],
)
def test_the_filter_keeps_what_the_entry_point_reaches(text, left):
    assert "\n".join(line for line in sanitize(text, "f").split("\n") if line) == left.replace("\n\n", "\n")


@pytest.mark.parametrize(
    "line",
    [
        "(" * 5000,
        "-" * 5000 + "1",
        "x = a" + ".b" * 5000,
        "f = " + "+".join(["1"] * 900),
        "lambda:" * 3000,
        "f(" * 90 + "1 1" + ")" * 90,
        "f = 0x" + "f" * 6000,
        "f = '\ud800'",
        "f = '\0'",
        "for x in y:" * 50,
    ],
    ids=range(10),
)
def test_the_filter_survives_hostile_texts(line):
    start = time.process_time()
    good = "\ndef f(x):\n    return x\n"
    assert sanitize(f"{line}\n{line}", "f") == ""
    assert sanitize(f"{good}{f'{line} ?{chr(10)}' * 8}", "f") == good.strip()
    assert not compiles(f"{line} ?")
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("def half(a):\n  return a // 2\n[DONE]\n\nYou are an expert", True),
        ("```python\ndef half(a):\n  return a // 2\n```\nIt halves.", True),
        ("```\ndef half(a):\n  return a // 2", True),
        ("def half(a):\n  return a / 2\n[DONE]", False),
        ("[DONE]\ndef half(a):\n  return a // 2", False),
    ],
)
def test_mbpp_takes_what_comes_before_done(folders, answer, right):
    found = task("mbpp", folders["handmade"])
    assert found.score(found.problems()[0], answer).correct is right


def test_a_fence_opens_the_answer_or_says_python():
    assert fenced("```\nx\n```") == "x\n"
    assert fenced(" \n```py\nx") == "x"
    assert fenced("text ```python  \r\nx\n``` more ```python\ny\n```") == "x\n"
    assert fenced("x = 1\n```\ntext") is None
    assert fenced("") is None


@pytest.mark.parametrize("name", ["code", "humaneval", "mbpp"])
def test_code_is_not_run_without_isolation_unless_asked_for(name, folders, monkeypatch):
    monkeypatch.setattr("axon.sandbox.runner.isolation", lambda: Isolation(False, "it is a test", "end the test"))
    found = task(name, folders["handmade"])
    problem = found.problems()[0]
    with pytest.raises(Unavailable, match="it is a test"):
        found.score(problem, problem.gold)
    assert task(name, folders["handmade"], unsafe=True).score(problem, problem.gold).correct


@pytest.mark.parametrize("kind", [Code, lambda unsafe: HumanEval(unsafe=unsafe), lambda unsafe: Mbpp(unsafe=unsafe)])
def test_unsafe_is_true_or_false(kind):
    with pytest.raises(AxonError, match="unsafe must be true or false, got 1"):
        kind(1)


# The child that compares mathematics


def test_minerva_math_is_scored_in_any_thread(folders):
    found = task("minerva_math", folders["handmade"])
    problem = found.problems()[1]
    verdicts = []
    worker = threading.Thread(target=lambda: verdicts.append(found.score(problem, problem.gold.replace("(x+1)", ""))))
    worker.start()
    worker.join()
    verdicts += [found.score(problem, problem.gold.replace("(x+1)(x-1)", "(x-1)(x+1)"))]
    assert [verdict.correct for verdict in verdicts] == [False, True]
    assert verdicts[0].reason == "'(x-1)' is not '(x+1)(x-1)'"


def test_an_answer_that_cannot_be_compared_is_wrong_and_harms_no_other(folders):
    hasty = Judge(seconds=4)
    problem = task("minerva_math", folders["handmade"]).problems()[0]
    measures, reason = hasty.compare(problem.facts, "Final Answer: The final answer is $3^{3^{17}}$.")
    assert measures == {"exact_match": False, "math_verify": False}
    assert reason == "the comparison broke off or took more than 4 seconds"
    assert hasty.compare(problem.facts, problem.gold)[0] == {"exact_match": True, "math_verify": True}
    assert "failed: KeyError" in hasty.compare({"solution": "", "problem": ""}, "1")[1]
    hasty._child.kill()
    hasty._child.wait()
    assert hasty.compare(problem.facts, problem.gold)[0]["exact_match"]


def test_a_child_that_does_not_start_says_why(monkeypatch, tmp_path):
    (tmp_path / "minerva_math").mkdir()
    (tmp_path / "minerva_math" / "utils.py").write_text("raise ImportError('no sympy')")
    monkeypatch.setattr(judge.lmeval, "folder", lambda: tmp_path)
    with pytest.raises(AxonError, match=r"did not start \(no sympy\); pip install axon-dllm\[eval\]"):
        Judge().compare({}, "")


# Bad data


def spoil(file, line, text):
    lines = file.read_text().splitlines()
    lines[line - 1] = text
    file.write_text("\n".join(lines) + "\n")


def without(file, line, *fields, **changes):
    row = json.loads(file.read_text().splitlines()[line - 1])
    spoil(file, line, json.dumps({name: value for name, value in (row | changes).items() if name not in fields}))


@pytest.mark.parametrize(
    ("name", "harm", "said"),
    [
        ("gsm8k", lambda at: (at / "gsm8k_test.jsonl").unlink(), "holds no gsm8k_test.jsonl; put it there, or leave"),
        ("gsm8k", lambda at: (at / "gsm8k_train_few.jsonl").unlink(), "holds no gsm8k_train.jsonl or gsm8k_train*"),
        ("gsm8k", lambda at: (at / "gsm8k_train_b.jsonl").touch(), "holds gsm8k_train_b.jsonl and gsm8k_train_few"),
        ("gsm8k", lambda at: spoil(at / "gsm8k_test.jsonl", 3, "{"), "line 3 of .*gsm8k_test.jsonl is not valid JSON"),
        ("gsm8k", lambda at: spoil(at / "gsm8k_test.jsonl", 2, "[]"), "line 2 of .* is not a JSON object"),
        ("gsm8k", lambda at: without(at / "gsm8k_test.jsonl", 2, "answer"), "line 2 of .* lacks the field answer"),
        ("gsm8k", lambda at: without(at / "gsm8k_test.jsonl", 1, answer=7), "the field answer in line 1 of .* must"),
        ("gsm8k", lambda at: (at / "gsm8k_test.jsonl").write_text("\n\n"), "gsm8k_test.jsonl is empty"),
        ("gsm8k", lambda at: write(at / "gsm8k_train_few.jsonl", [{"question": "", "answer": ""}]), "train file has 1"),
        ("gsm8k", lambda at: (at / "gsm8k_test.jsonl").write_bytes(b"\xff"), "cannot be read behind line 0"),
        ("humaneval", lambda at: (at / "HumanEval.jsonl.gz").write_bytes(b"no"), "HumanEval.jsonl.gz cannot be read"),
        ("humaneval", lambda at: without(at / "HumanEval.jsonl", 2, "test"), "line 2 of .* lacks the field test; it n"),
        ("mbpp", lambda at: without(at / "mbpp.jsonl", 2, task_id=99), "its data lacks 3$"),
        ("mbpp", lambda at: without(at / "mbpp.jsonl", 5, test_list=["a"]), "shows three tests and its task 11 has 1"),
        ("mbpp", lambda at: without(at / "mbpp.jsonl", 5, test_list=[1]), "test_list in line 5 of .* a list of texts"),
        ("minerva_math", lambda at: without(at / "math500_test.jsonl", 1, solution="3"), "test/0 has no .boxed answer"),
    ],
)  # fmt: skip
def test_bad_files_are_answered_with_one_sentence(handmade, name, harm, said):
    harm(handmade)
    with pytest.raises(AxonError, match=said) as told:
        task(name, handmade).problems()
    assert "\n" not in str(told.value)


def test_mbpp_without_a_test_task_is_refused(handmade):
    file = handmade / "mbpp.jsonl"
    write(file, [row for row in read(file) if row["task_id"] < 11])
    with pytest.raises(AxonError, match="tests the tasks 11 to 510 and its data has none"):
        task("mbpp", handmade).problems()


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(AxonError, match=r"there is no folder .*nowhere; give the one that holds HumanEval\.jsonl"):
        task("humaneval", tmp_path / "nowhere").problems()


def test_an_unknown_task_is_answered_with_all_known_ones():
    with pytest.raises(
        AxonError, match="unknown task 'poems'; there are sums, code, gsm8k, minerva_math, humaneval and mbpp"
    ):
        task("poems")


# The hub


def test_without_a_folder_the_rows_come_from_the_hub(folders, monkeypatch):
    asked = []

    def load(hub, config, split):
        asked.append((hub, config, split))
        file = {"gsm8k": f"gsm8k_{split}", "hendrycks_math": "math500_test", "openai_humaneval": "HumanEval"}
        (found,) = folders["handmade"].glob(f"{file.get(hub.partition('/')[2], 'mbpp')}*")
        return read(found)

    monkeypatch.setattr("datasets.load_dataset", load)
    for kind in (Gsm8k, HumanEval, Mbpp):
        assert kind().problems() == kind(folders["handmade"]).problems()
    assert len(Minerva().problems()) == 7 * 4
    assert ("openai/gsm8k", "main", "train") in asked
    assert ("openai/openai_humaneval", None, "test") in asked
    assert ("google-research-datasets/mbpp", "full", "prompt+train+validation+test") in asked
    # The seven parts and their names are lm-eval's.
    parts = {config for hub, config, _ in asked if hub == "EleutherAI/hendrycks_math"}
    files = (lmeval.folder() / "minerva_math").glob("*.yaml")
    theirs = {lmeval.definition(f"minerva_math/{file.name}")["dataset_name"] for file in files}
    assert parts == theirs - {"default"}
    for kind in PUBLISHED.values():
        assert kind().rules["dataset_path"] in {hub for hub, _, _ in asked}


def test_a_hub_out_of_reach_is_answered_with_one_sentence(monkeypatch):
    def fail(*arguments, **options):
        raise ConnectionError("Couldn't reach the hub.\nTry again.")

    monkeypatch.setattr("datasets.load_dataset", fail)
    with pytest.raises(AxonError, match=r"^openai/openai_humaneval did not come from the hub \(Couldn't reach"):
        HumanEval().problems()


def test_what_is_not_installed_is_named(monkeypatch, folders):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(AxonError, match=r"needs the package datasets; install it with pip install axon-dllm\[eval\]"):
        HumanEval().problems()
    monkeypatch.setattr(lmeval, "find_spec", lambda name: None)
    lmeval.folder.cache_clear()
    lmeval.definition.cache_clear()
    with pytest.raises(AxonError, match=r"lm-eval, which is not installed; pip install axon-dllm\[eval\]"):
        HumanEval(folders["handmade"]).problems()
    monkeypatch.undo()
    with pytest.raises(AxonError, match=r"the installed lm-eval has no task gsm8k/poems\.yaml"):
        lmeval.definition("gsm8k/poems.yaml")


def test_scoring_code_that_cannot_be_loaded_is_named(monkeypatch, tmp_path):
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "utils.py").write_text("assert False, 'wrong antlr'")
    monkeypatch.setattr(lmeval, "folder", lambda: tmp_path)
    with pytest.raises(AxonError, match=r"scoring of odd cannot be loaded \(wrong antlr\)"):
        lmeval.utils("odd")


def test_importing_the_tasks_is_light():
    code = "import sys, axon.tasks; print(*sorted({'lm_eval', 'datasets', 'sympy', 'yaml'} & sys.modules.keys()))"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout.split() == []
    assert Path(judge.CHILD).is_file()
