"""Minerva-Math: competition problems answered in LaTeX, four fixed worked examples, as lm-eval's minerva_math."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from axon.errors import AxonError
from axon.tasks.base import Problem, Verdict
from axon.tasks.published import lmeval
from axon.tasks.published.base import Published
from axon.tasks.published.judge import Judge
from axon.tasks.published.source import Source

# The hub has the whole test split in seven parts, 5,000 problems; the usual file holds 500 of them.
SUBJECTS = (
    "algebra",
    "counting_and_probability",
    "geometry",
    "intermediate_algebra",
    "number_theory",
    "prealgebra",
    "precalculus",
)
TEST = Source(("math500_test.jsonl",), "EleutherAI/hendrycks_math", "test", {"problem": str, "solution": str}, SUBJECTS)


@dataclass(frozen=True)
class Minerva(Published):
    """Competition mathematics, four worked examples in front of each."""

    judge: Judge = field(default_factory=Judge, init=False, repr=False, compare=False)

    name: ClassVar[str] = "minerva_math"
    # All seven parts have the same rules.
    file: ClassVar[str] = "minerva_math/minerva_math_algebra.yaml"

    def _load(self) -> Iterator[Problem]:
        rules: Any = lmeval.utils("minerva_math")
        # The solutions of the examples end in the sentence that answers are read from.
        shots = "".join(f"{rules.doc_to_text(shot)} {shot['solution']}\n\n" for shot in rules.list_fewshot_samples())
        for number, row in enumerate(TEST.rows(self.data)):
            name = row.get("unique_id") or f"{row.get('config', 'math')}-{number}"
            boxed = rules.last_boxed_only_string(row["solution"])
            if boxed is None:
                raise AxonError(f"the solution of {name} has no \\boxed answer")
            answer = rules.remove_boxed(boxed)
            facts = {
                "problem": row["problem"],
                "solution": row["solution"],
                "answer": rules.normalize_final_answer(answer),
            }
            gold = f"{row['solution']}\nFinal Answer: The final answer is ${answer}$. I hope it is correct."
            yield Problem(name, shots + rules.doc_to_text(row), gold, facts)

    def score(self, problem: Problem, answer: str) -> Verdict:
        measures, reason = self.judge.compare(problem.facts, self.cut(answer))
        # exact_match, Minerva's normalised and symbolic equality, is what the papers report.
        right = measures["exact_match"]
        return Verdict(right, reason, {"math_verify": measures["math_verify"]})
