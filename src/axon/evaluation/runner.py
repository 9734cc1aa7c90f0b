"""Run a plan: every decoder on every task, in chunks of problems, each recorded as soon as it is scored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch

from axon.decoders import Decoder
from axon.errors import AxonError
from axon.evaluation.asking import prompt, prompting
from axon.evaluation.measures import count, timed
from axon.evaluation.origin import origin
from axon.evaluation.plan import Plan
from axon.evaluation.records import Record, Records
from axon.evaluation.watch import attention_path, trace_path, watch, write_watched
from axon.generate import Generation, generate
from axon.models.base import Model
from axon.prompts import Prompt, to_canvases
from axon.sandbox import StartError, Unavailable
from axon.settings import Settings
from axon.tasks import Problem
from axon.tasks.base import until
from axon.trace import write_trace

# Problems of every cell whose steps are kept for figures and the replay, and whose attention is.
TRACED, WATCHED = 16, 2

# Called after every chunk that was decoded now with the task, the decoder, and its number of problems.
Report = Callable[[str, str, int], None]


def run(plan: Plan, model: Model, out: Path, report: Report, *, pictures: bool = True) -> Records:
    """All records of the plan, those that were there before included; `pictures` keeps what figures need."""
    job = Job(plan, model, out)
    job.go_on(report, pictures=pictures)
    return job.records


class Job:
    """A plan in its folder; what cannot be run there is refused before anything is written or shown."""

    def __init__(self, plan: Plan, model: Model, out: Path) -> None:
        self.plan, self.model = plan, model
        how = prompting(model, plan.prompting)
        self.asked = {name: _Asked(plan, model, name, how) for name in plan.tasks}
        self.records = Records(out, plan.identity(model), origin())

    def go_on(self, report: Report, *, pictures: bool = True) -> None:
        """Decode and record what is not recorded yet."""
        for name, asked in self.asked.items():
            for number, (text, decoder) in enumerate(self.plan.built().items()):
                cell = _Cell(self.model, asked, text, decoder, self.records)
                traced = cell.run(self.plan.settings.batch_size or 1, partial(report, name, text))
                if pictures:
                    cell.picture(number, traced)


class _Asked:
    """A task's problems as they are put to a model, refused at once if the model has room for none of them."""

    def __init__(self, plan: Plan, model: Model, name: str, how: str) -> None:
        self.name, self.task, self.settings = name, plan.task(name), plan.settings_of(name, how)
        self.problems, self.stop = plan.problems(name), plan.stop_of(name, how)
        self.prompts = [prompt(model, problem, how) for problem in self.problems]
        failed = None
        for item in self.prompts:
            try:
                to_canvases(model, [item], self.settings)
                return
            except AxonError as error:
                failed = failed or error
        raise AxonError(f"no problem of {name} can be put to {model.name}: {failed}")


@dataclass(frozen=True)
class _Cell:
    """One decoder on one task."""

    model: Model
    asked: _Asked
    text: str
    decoder: Decoder
    records: Records

    def run(self, size: int, report: Callable[[int], None]) -> list[Generation | AxonError]:
        """Decode and record what is not recorded yet; returns the first answers, as far as they were decoded now."""
        asked, first_answers, warm = self.asked, list[Generation | AxonError](), False
        for first in range(0, len(asked.problems), size):
            part, prompts = asked.problems[first : first + size], asked.prompts[first : first + size]
            if (asked.name, self.text, first) in self.records:
                continue
            if not warm:
                _decode(self.model, prompts[:1], self.decoder, asked.settings)
                warm = True
            results, seconds = timed(
                partial(_decode, self.model, prompts, self.decoder, asked.settings), self.model.device
            )
            head = {"task": asked.name, "decoder": self.text, "chunk": first, "chunk_size": len(part)}
            head |= {"seconds": round(seconds / len(part), 4)}
            pairs = zip(part, results, strict=True)
            self.records.add([head | _record(asked, problem, result) for problem, result in pairs])
            report(len(part))
            if first < TRACED:
                first_answers += results
        return first_answers[:TRACED]

    def picture(self, number: int, answers: Sequence[Generation | AxonError]) -> None:
        """Keep the steps of the first problems, and what the decoder saw on fewer of them."""
        asked, out = self.asked, self.records.folder
        prompts = asked.prompts[:TRACED]
        trace, attention = trace_path(out, asked.name, number), attention_path(out, asked.name, number)
        if not trace.is_file():
            if len(answers) < len(prompts):
                # Some were decoded before a stop.
                answers = _decode(self.model, prompts, self.decoder, asked.settings)
            decoded = [answer for answer in answers if isinstance(answer, Generation)]
            # A row of a trace is known by its place, so one with gaps would be misread.
            if len(decoded) == len(prompts):
                canvases, rows = [answer.start for answer in decoded], [answer.steps for answer in decoded]
                write_trace(trace, self.model, self.decoder, asked.settings, canvases, rows)
        if not attention.is_file():
            seen = {}
            for problem, item in zip(asked.problems[:WATCHED], asked.prompts, strict=False):
                try:
                    seen[problem.id] = watch(self.model, item, self.decoder, asked.settings)
                except Exception:  # recorded with its error already
                    continue
            write_watched(attention, self.decoder, seen)


def _record(asked: _Asked, problem: Problem, result: Generation | AxonError) -> Record:
    if isinstance(result, AxonError):
        return {"problem": problem.id, "error": str(result)}
    written = {"problem": problem.id, "text": result.text, "finish": result.finish_reason}
    return written | count(result).as_dict() | _score(asked, problem, result)


def _decode(
    model: Model, prompts: Sequence[Prompt], decoder: Decoder, settings: Settings
) -> Sequence[Generation | AxonError]:
    """The answers; if the chunk cannot be decoded together, one by one, so that only the faulty one is lost."""
    try:
        return generate(model, list(prompts), decoder, settings)
    except torch.AcceleratorError as error:
        # Nothing works on a device after this, so all that is left would be recorded as wrong.
        why = str(error).splitlines()[0]
        raise AxonError(f"the device failed ({why}); what was recorded before is kept, start again to go on") from error
    except Exception as error:  # out of memory, say: whatever one answer meets is recorded, and the run goes on
        if len(prompts) == 1:
            return [error if isinstance(error, AxonError) else AxonError(f"{type(error).__name__}: {error}")]
    return [_decode(model, [prompt], decoder, settings)[0] for prompt in prompts]


def _score(asked: _Asked, problem: Problem, result: Generation) -> Record:
    if result.error is not None:
        return {"correct": False, "error": result.error}
    try:
        # Decoding may have been told to go on behind a stop text.
        verdict = asked.task.score(problem, until(result.text, asked.stop))
    except (Unavailable, StartError):  # not this answer's fault, and no other one would fare better
        raise
    except Exception as error:  # a scorer may fail on what a model wrote; the run goes on and says so
        return {"correct": False, "error": f"scoring failed: {error}"}
    return {"correct": verdict.correct, "reason": verdict.reason, **verdict.measures}
