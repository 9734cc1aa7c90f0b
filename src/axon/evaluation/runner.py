"""Run a plan: every decoder on every task, in chunks of problems, each recorded as soon as it is scored."""

from collections.abc import Callable, Sequence
from functools import partial
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
from axon.settings import Settings
from axon.tasks import Problem, Task

# Called after every chunk with the task, the decoder, and how many problems were just done.
Report = Callable[[str, str, int], None]


def run(plan: Plan, model: Model, out: Path, report: Report) -> Records:
    """All records of the plan, those that were there before included."""
    records = Records(out, plan.identity(model))
    size = plan.settings.batch_size or 1
    for name in plan.tasks:
        found, settings = plan.task(name), plan.settings_of(name)
        problems = plan.problems(name)
        for text, decoder in plan.built().items():
            warm = False
            for first in range(0, len(problems), size):
                part = problems[first : first + size]
                if (name, text, first) in records:
                    report(name, text, len(part))
                    continue
                prompts = [_prompt(problem, plan.as_chat(model)) for problem in part]
                if not warm:
                    _decode(model, prompts[:1], decoder, settings)
                    warm = True
                results, seconds = timed(partial(_decode, model, prompts, decoder, settings), model.device)
                head = {"task": name, "decoder": text, "chunk": first, "chunk_size": len(part)}
                head |= {"seconds": round(seconds / len(part), 4)}
                pairs = zip(part, results, strict=True)
                records.add([head | _record(found, problem, result) for problem, result in pairs])
                report(name, text, len(part))
    return records


def _record(found: Task, problem: Problem, result: Generation | AxonError) -> Record:
    if isinstance(result, AxonError):
        return {"problem": problem.id, "error": str(result)}
    written = {"problem": problem.id, "text": result.text, "finish": result.finish_reason}
    return written | count(result).as_dict() | _score(found, problem, result)


def _decode(
    model: Model, prompts: Sequence[Prompt], decoder: Decoder, settings: Settings
) -> Sequence[Generation | AxonError]:
    """The answers; if the chunk cannot be decoded together, one by one, so that only the faulty one is lost."""
    try:
        return generate(model, list(prompts), decoder, settings)
    except AxonError as error:
        if len(prompts) == 1:
            return [error]
    return [_decode(model, [prompt], decoder, settings)[0] for prompt in prompts]


def _prompt(problem: Problem, chat: bool) -> Prompt:
    return [{"role": "user", "content": problem.prompt}] if chat else problem.prompt


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
