"""Search decoders for few evaluations and high accuracy, and check the chosen one on problems the search did not see.

Nothing of the search itself is kept on disk. It is seeded, so going on means running it again from its first trial:
it asks for the same decoders, and those that were measured before are read instead of decoded.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from axon import checks
from axon.errors import AxonError
from axon.evaluation.choosing import Tried
from axon.evaluation.origin import origin
from axon.evaluation.plan import Plan
from axon.evaluation.records import Records
from axon.evaluation.runner import Job, Report
from axon.evaluation.space import Space
from axon.evaluation.summary import Comparison, cell, compare
from axon.models.base import Model
from axon.tasks import PUBLISHED, Problem

# Random trials between the first ones and those that learn from what was seen.
_RANDOM = 10
# So many proposals in a row that are known or refused, and the space is taken to be tried out.
_PATIENCE = 200


@dataclass(frozen=True)
class Search:
    """What is searched, checked when made.

    plan          one task; its decoders are the first trials
    trials        how many different decoders are measured
    min_accuracy  in percent; None: the best one's, as far as can be told
    check         how many problems the chosen one is measured on again, 0 for none; None: as many as a trial has
    """

    plan: Plan
    space: Space
    trials: int = 40
    min_accuracy: float | None = None
    check: int | None = None

    def __post_init__(self) -> None:
        if len(self.plan.tasks) != 1:
            raise AxonError(f"a search is on one task, got {', '.join(self.plan.tasks)}")
        checks.whole("trials", self.trials)
        first = len(self.space.starts())
        if self.trials < first:
            raise AxonError(
                f"trials must be at least {first}, the first ones of {_bases(self.space)}, got {self.trials}"
            )
        if self.plan.seed < 1:
            raise AxonError(
                f"seed must be at least 1, for figures are quoted on the problems of 0; got {self.plan.seed}"
            )
        if self.min_accuracy is not None and not 1 <= self.min_accuracy <= 100:
            raise AxonError(f"min_accuracy must be in percent, between 1 and 100, got {self.min_accuracy:g}")
        if self.check is not None:
            checks.whole("check", self.check, least=0)

    @property
    def task(self) -> str:
        return self.plan.tasks[0]

    @property
    def published(self) -> bool:
        """Whether the problems are ones that figures are quoted on, for want of others."""
        return self.task in PUBLISHED


@dataclass(frozen=True)
class Check:
    """The chosen decoder and its base as given, on fresh problems; only one of them if they are the same."""

    tried: tuple[Tried, ...]
    comparison: Comparison | None


@dataclass(frozen=True)
class _Part(Plan):
    """A part of a search with a folder of its own.

    common  what the identities of all parts share, worked out once, for hashing the weights of a large model takes long
    used    prompts that were tuned on and must not be asked again
    """

    common: dict[str, Any] = field(default_factory=dict)
    used: frozenset[str] = frozenset()

    def problems(self, name: str) -> Sequence[Problem]:
        fresh = [problem for problem in self.task(name).problems() if problem.prompt not in self.used]
        return fresh[: self.limit]

    def identity(self, model: Model) -> dict[str, Any]:
        own = {"decoders": {text: str(built) for text, built in self.built().items()}}
        return self.common | own | {"limit": self.limit, "seed": self.seed, "fresh": bool(self.used)}


class Tuning:
    """A search in a folder that belongs to it: what was measured there before is not decoded again."""

    def __init__(self, search: Search, model: Model, out: Path, report: Report) -> None:
        require()
        self.search, self.model, self.out, self.report = search, model, out, report
        common = search.plan.identity(model)
        del common["decoders"]
        given = {item.name: getattr(search.plan, item.name) for item in fields(Plan)}
        self._part = _Part(**given, common=common)
        # Without trials, accuracy and check: a search may be made longer and chosen from anew.
        self.identity = common | {"bases": list(search.space.bases)}
        # Kept for its refusals and its lock alone; each decoder has its records in a folder of its own.
        self._claim = Records(out, self.identity, origin())

    @property
    def size(self) -> int:
        """Problems over all trials and the check."""
        fresh = self._fresh()
        checked = 0 if fresh is None else 2 * len(fresh.problems(self.search.task))
        return self.search.trials * len(self._part.problems(self.search.task)) + checked

    def trials(self) -> Iterator[Tried]:
        """Each decoder as soon as it is measured; fewer than asked for only where the space holds no more."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        failed = optuna.trial.TrialState.FAIL
        space, seed = self.search.space, self.search.plan.seed % 2**32
        sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=len(space.starts()) + _RANDOM)
        study = optuna.create_study(directions=["maximize", "minimize"], sampler=sampler)
        for values in space.start_values():
            study.enqueue_trial(values)
        seen: set[str] = set()
        idle = 0
        while len(seen) < self.search.trials and idle < _PATIENCE:
            trial = study.ask()
            try:
                text, base = space.ask(trial)
            except AxonError:  # values that do not go together
                text = base = ""
            if not text or text in seen:
                # Failed, as a result told twice would draw the search to where it has been.
                study.tell(trial, state=failed)
                idle += 1
                continue
            seen.add(text)
            idle = 0
            tried = self._measure(self._part, text, base, "trials")
            if tried.decoded:
                study.tell(trial, (tried.cell.accuracy, tried.cell.nfe))
            else:
                study.tell(trial, state=failed)
            yield tried

    def check(self, chosen: Tried) -> Check | None:
        """The chosen decoder beside its base on problems that were not tuned on; None where there are none."""
        part = self._fresh()
        if part is None:
            return None
        texts = dict.fromkeys((chosen.base, chosen.text))
        found = [self._measure(part, text, chosen.base, f"check-{part.limit}") for text in texts]
        if len(found) == 1:
            return Check(tuple(found), None)
        base, own = found
        pair = compare(self.search.task, own.text, base.text, own.records, base.records)
        return Check((base, own), pair)

    def _fresh(self) -> _Part | None:
        """The plan of the check: other problems of a bundled task, the next ones of a published one."""
        tuned = self._part.problems(self.search.task)
        count = len(tuned) if self.search.check is None else self.search.check
        if count == 0:
            return None
        used = frozenset(problem.prompt for problem in tuned)
        part = replace(self._part, seed=self._part.seed + 1, limit=count, used=used)
        return part if part.problems(self.search.task) else None

    def _measure(self, part: _Part, text: str, base: str, room: str) -> Tried:
        folder = self.out / room / hashlib.sha256(text.encode()).hexdigest()[:12]
        one, task = replace(part, decoders=(text,)), self.search.task
        job = Job(one, self.model, folder)
        if known := len(job.records.of(task, text)):
            self.report(task, text, known)
        job.go_on(self.report, pictures=False)
        records = job.records.of(task, text)
        return Tried(base, cell(task, text, records), records)


def require() -> None:
    """Refuse to start without the package that searches."""
    if find_spec("optuna") is None:
        raise AxonError("tuning needs optuna; install with: pip install 'axon-dllm[tune]'")


def _bases(space: Space) -> str:
    return "one base" if len(space.bases) == 1 else f"{len(space.bases)} bases"
