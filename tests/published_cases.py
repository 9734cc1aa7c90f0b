"""Published tasks in small: problems written by hand in the published formats, and lm-eval's own tasks on local files.

The real files are found in the folder AXON_DATA names, or in ../shared/data beside the repository.
"""

import ast
import json
import os
from pathlib import Path

import yaml
from lm_eval.api.task import ConfigurableTask
from lm_eval.tasks import TaskManager

from axon.tasks.published import lmeval

FILES = {
    "gsm8k": ("gsm8k_test.jsonl", "gsm8k_train*.jsonl"),
    "minerva_math": ("math500_test.jsonl",),
    "humaneval": ("HumanEval.jsonl*",),
    "mbpp": ("mbpp.jsonl",),
}
_BESIDE = Path(__file__).parents[2] / "shared" / "data"
DATA = Path(os.environ["AXON_DATA"]) if "AXON_DATA" in os.environ else _BESIDE
# The tasks whose real files are here.
REAL = [name for name, files in FILES.items() if all(any(DATA.glob(file)) for file in files)]

GSM8K = [
    ("Ann has 3 red and 4 blue cups. How many cups has she?", "She has 3+4=<<3+4=7>>7 cups.\n#### 7"),
    ("A pen costs $2. What do 600 pens cost?", "They cost 600*2=$<<600*2=1200>>1200.\n#### 1,200"),
    ("It is 4 degrees and falls by 9. How many degrees is it?", "It is 4-9=<<4-9=-5>>-5 degrees.\n#### -5"),
    ("Half of 25 litres are gone. How many are left?", "There are 25/2=<<25/2=12.5>>12.5 litres.\n#### 12.5"),
    ("Bo reads 10 pages a day. How many in a week?", "He reads 10*7=<<10*7=70>>70 pages.\n#### 70"),
]
TRAIN = [(f"Cy has {n} pears and eats one. How many are left?", f"{n}-1=<<{n}-1={n - 1}>>{n - 1}\n#### {n - 1}")
         for n in range(2, 11)]  # fmt: skip
MATH = [
    ("What is $\\frac{1}{2}+\\frac{1}{4}$?", "The sum is $\\boxed{\\frac{3}{4}}$."),
    ("Factor $x^2-1$.", "It is $(x-1)(x+1)$, that is $\\boxed{(x+1)(x-1)}$."),
    ("Give the point in the middle of $(0,0)$ and $(2,4)$.", "It is $\\boxed{(1,2)}$."),
    ("How many metres are 3 km?", "There are $\\boxed{3000\\text{ m}}$."),
]
HUMANEVAL = [
    (
        "twice",
        'from typing import List\n\n\ndef twice(xs: List[int]) -> List[int]:\n    """Double each."""\n',
        "    return [2 * x for x in xs]\n",
        "\n\ndef check(candidate):\n    assert candidate([1, 2]) == [2, 4]\n    assert candidate([]) == []\n",
    ),
    (
        "last",
        'def first(text):\n    return text[0]\n\n\ndef last(text):\n    """ The last letter. """\n',
        "    return first(text[::-1])\n",
        "def check(candidate):\n    assert candidate('ab') == 'b'\n\n",
    ),
]
_NODE = "class Node:\n    def __init__(self, value):\n        self.value = value\n"
MBPP = {
    2: ("add two.", "def add(a, b):\r\n  return a + b", "", ("add(1, 2) == 3", "add(0, 0) == 0", "add(-1, 1) == 0")),
    3: ("negate.", "def neg(a):\n  return -a", "", ("neg(1) == -1", "neg(0) == 0", "neg(-2) == 2")),
    4: ("square.", "def sq(a):\n  return a * a", "", ("sq(1) == 1", "sq(3) == 9", "sq(-2) == 4")),
    10: ("count.", "def count(a):\n  return len(a)", "", ("count('') == 0", "count('a') == 1", "count([1]) == 1")),
    11: ("halve.", "def half(a):\n  return a // 2", "", ("half(4) == 2", "half(5) == 2", "half(0) == 0")),
    367: (
        "read a node.",
        _NODE + "def read(n):\n  return n.value",
        "node = Node(5)\r\nother = Node(6)",
        ("read(node) == 5", "read(other) == 6", "read(Node(7)) == 7"),
    ),
    601: (
        "list.",
        "def lists(a):\n  return list(a)",
        "",
        ("lists('') == []", "lists('a') == ['a']", "lists(()) == []"),
    ),
}


def read(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]


def write(file, rows):
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_handmade(folder):
    """All four tasks in one folder."""
    for name, pairs in (("gsm8k_test", GSM8K), ("gsm8k_train_few", TRAIN)):
        write(folder / f"{name}.jsonl", [{"question": question, "answer": answer} for question, answer in pairs])
    write(
        folder / "math500_test.jsonl",
        [{"problem": p, "solution": s, "unique_id": f"test/{n}"} for n, (p, s) in enumerate(MATH)],
    )
    write(
        folder / "HumanEval.jsonl",
        [
            {"task_id": f"Hand/{n}", "entry_point": e, "prompt": p, "canonical_solution": s, "test": t}
            for n, (e, p, s, t) in enumerate(HUMANEVAL)
        ],
    )
    write(
        folder / "mbpp.jsonl",
        [
            {
                "task_id": number,
                "text": f"Write a function to {text}",
                "code": code,
                "test_setup_code": setup,
                "test_list": [f"assert {test}" for test in tests],
                "challenge_test_list": [],
            }
            for number, (text, code, setup, tests) in MBPP.items()
        ],
    )
    return folder


def lm_eval_task(definition, files, cache):
    """A task of lm-eval as it is defined, but for its data, which are local files by split."""
    name = Path(definition).stem + "_local"
    local = {
        "include": str(lmeval.folder() / definition),
        "task": name,
        "dataset_path": "json",
        "dataset_name": None,
        "dataset_kwargs": {"data_files": {split: str(file) for split, file in files.items()}, "cache_dir": str(cache)},
    }
    (cache / f"{name}.yaml").write_text(yaml.safe_dump(local))
    task = TaskManager(include_path=cache, include_defaults=False).load([name])["tasks"][name]
    # What simple_evaluate does, with lm-eval's default.
    task.set_fewshot_seed(1234)
    return task


def lm_eval_code_task(definition, file, samples, cache):
    """A code task of lm-eval without its scoring, which it cannot even import where there is no network."""
    config = {
        **lmeval.definition(definition),
        "dataset_path": "json",
        "dataset_name": None,
        "dataset_kwargs": {"data_files": {"test": str(file)}, "cache_dir": str(cache)},
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        "filter_list": None,
        "fewshot_config": {"sampler": "first_n", "samples": samples},
    }
    return ConfigurableTask(config=config)


def mbpp_samples():
    """The examples in lm-eval's code, read without running the file around them."""
    tree = ast.parse((lmeval.folder() / "mbpp" / "utils.py").read_text())
    (found,) = (node for node in tree.body if getattr(node, "name", "") == "list_fewshot_samples")
    return ast.literal_eval(found.body[0].value)


PROSE = "\n\nThis function does what was asked for, and it's fast.\n"
TORN = "\n\ndef helper(numbers, lim"


def plain_answers(problem, other):
    """Answers by their kind as a model gives them that goes on where the prompt ends; `other` is another's gold."""
    gold = problem.gold
    return {
        "gold": gold,
        "another's": other,
        "torn": gold[:-3],
        "negated": gold.replace("return", "return not"),
        "no function": "x = 1",
        "prose behind": gold + PROSE,
        "torn second": gold + TORN,
    }


def humaneval_answers(problem, other):
    """To a problem of HumanEval, also those of a chat model, which writes the function anew."""
    start = problem.facts["start"]
    anew = start[start.index(f"def {problem.facts['entry_point']}(") :] + problem.gold
    return plain_answers(problem, other) | {
        "anew": anew,
        "anew, torn second": anew + TORN,
        "anew behind an import": f"import math\n\n{anew}",
        "anew, fence and prose behind": f"{anew}```{PROSE}",
        "fenced": f"Sure!\n```python\n{anew}```{PROSE}",
        "fenced, torn second": f"Sure!\n```python\n{anew}{TORN}",
    }


def mbpp_answers(problem, other):
    """To a problem of MBPP, also those that go on behind the end, and those of a chat model."""
    return plain_answers(problem, other) | {
        "end and more": f"{problem.gold}\n[DONE]{PROSE}",
        "twice": f"{other}\n{problem.gold}",
        "fenced": f"```python\n{problem.gold}\n```{PROSE}",
        "fenced behind prose": f"Sure!\n```python\n{problem.gold}\n```",
    }


# Kinds that hold no right function, or not always one.
DOUBTFUL = {"another's", "torn", "negated", "no function"}
CODE_ANSWERS = {"humaneval": humaneval_answers, "mbpp": mbpp_answers}
# Right answers that lm-eval takes for wrong and we do not, by their kind, with the reason.
KINDLIER = {
    "humaneval": {
        "anew behind an import": "lm-eval cuts at the stop text in front of the function, and the import alone is left",
        "anew, fence and prose behind": "lm-eval runs the fence and the prose; the authors' filter drops them",
        "fenced": "lm-eval has a task of its own for chat models, humaneval_instruct; the authors open the fence",
        "fenced, torn second": "lm-eval runs the fence; the authors open it, and their filter drops what is torn",
    },
    "mbpp": {
        "fenced": "lm-eval has a task of its own for chat models, mbpp_instruct, which opens the fence",
        "fenced behind prose": "as any fence",
    },
}
# A problem whose right answers lm-eval takes for wrong, whatever their kind: it leaves out the code that sets up the
# tests.
WITHOUT_SETUP = "mbpp-367"
