"""Run a plan: every decoder on every task, in chunks of problems, each recorded as soon as it is scored."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from axon.decoders import Decoder
from axon.errors import AxonError
from axon.evaluation.measures import count, timed
from axon.evaluation.plan import Plan
from axon.evaluation.records import Record, Records
from axon.generate import Generation, generate
from axon.models.base import Model
from axon.prompts import Prompt
from axon.sandbox import Unavailable
from axon.tasks import Problem, Task, task

# Called after every chunk with the task, the decoder, and how many problems were just done.
Report = Callable[[str, str, int], None]


def run(plan: Plan, model: Model, out: Path, report: Report) -> Records:
    """All records of the plan, those that were there before included."""
    records = Records(out, plan.identity(model))
    size = plan.settings.batch_size or 1
    for name in plan.tasks:
        found = task(name)
        problems = found.problems()[: plan.limit]
        for text, decoder in plan.built().items():
            warm = False
            for first in range(0, len(problems), size):
                part = problems[first : first + size]
                if (name, text, first) in records:
                    report(name, text, len(part))
                    continue
                if not warm:
                    _decode(model, part[:1], decoder, plan)
                    warm = True
                records.add(_chunk(model, found, part, decoder, plan, {"task": name, "decoder": text, "chunk": first}))
                report(name, text, len(part))
    return records


def _chunk(
    model: Model, found: Task, problems: Sequence[Problem], decoder: Decoder, plan: Plan, head: Record
) -> list[Record]:
    results, seconds = timed(lambda: _decode(model, problems, decoder, plan), model.device)
    records = []
    for problem, result in zip(problems, results, strict=True):
        record = head | {
            "chunk_size": len(problems),
            "problem": problem.id,
            "seconds": round(seconds / len(problems), 4),
        }
        if isinstance(result, AxonError):
            record |= {"error": str(result)}
        else:
            record |= {"text": result.text, "finish": result.finish_reason, **count(result).as_dict()}
            record |= _score(found, problem, result)
        records.append(record)
    return records


def _decode(
    model: Model, problems: Sequence[Problem], decoder: Decoder, plan: Plan
) -> Sequence[Generation | AxonError]:
    """The answers; if the chunk cannot be decoded together, one by one, so that only the faulty one is lost."""
    prompts: list[Prompt] = [_prompt(model, problem) for problem in problems]
    try:
        return generate(model, prompts, decoder, plan.settings)
    except AxonError as error:
        if len(prompts) == 1:
            return [error]
    one = replace(plan, settings=replace(plan.settings, batch_size=1))
    return [_decode(model, [problem], decoder, one)[0] for problem in problems]


def _prompt(model: Model, problem: Problem) -> Prompt:
    return [{"role": "user", "content": problem.prompt}] if model.has_chat_template else problem.prompt


def _score(found: Task, problem: Problem, result: Generation) -> Record:
    if result.error is not None:
        return {"correct": False, "error": result.error}
    try:
        verdict = found.score(problem, result.text)
    except Unavailable:  # not this answer's fault, and no other one would fare better
        raise
    except Exception as error:  # a scorer may fail on what a model wrote; the run goes on and says so
        return {"correct": False, "error": f"scoring failed: {error}"}
    return {"correct": verdict.correct, "reason": verdict.reason, **verdict.measures}
