"""The experiments of the AXON paper: its main table's models, tasks, rows and figures, and its appendix's sweeps."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from axon import checks
from axon.decoders.texts import changed
from axon.errors import AxonError
from axon.evaluation.ablations import ablation
from axon.evaluation.whole import WholePlan
from axon.settings import Settings

SOURCE = Path(__file__).with_name("paper_table.json")
# In the paper's order, with the number of problems its accuracies are shares of: all but six of them are a whole
# number of these. So minerva_math is the full test split, not the 500 problems that often stand for it.
TASKS = {"humaneval": 164, "mbpp": 500, "gsm8k": 1319, "minerva_math": 5000}
LENGTH, BLOCK = 256, 32
# What the paper's appendix sweeps, and on which models and tasks. It names no base for objective, budget and beta and
# no model for beta; these are run as alpha is, over DAWN, and beta where the budget is.
SWEEPS = {
    "objective": (
        *(("llada-8b", task) for task in ("mbpp", "humaneval")),
        *(("llada-1.5", task) for task in ("mbpp", "humaneval")),
        ("dream", "mbpp"),
    ),
    "alpha": (("llada-1.5", "humaneval"), ("llada-1.5", "mbpp"), ("dream", "mbpp"), ("dream", "gsm8k")),
    "budget": (("llada-1.5", "humaneval"),),
    "beta": (("llada-1.5", "humaneval"),),
}
WHAT = ("paper", "ablations")


@dataclass(frozen=True, slots=True)
class Published:
    """What the paper gives for one row on one task: accuracy in percent, tokens a second, evaluations an answer."""

    accuracy: float
    tps: float
    nfe: float


@dataclass(frozen=True, slots=True)
class Shape:
    """What a checkpoint's config.json says of its size; `keys` is the width of keys and of values."""

    layers: int
    width: int
    inner: int
    keys: int
    vocabulary: int
    biased: bool = False

    @property
    def parameters(self) -> int:
        """How many there are; embedding and head are two matrices in all three models."""
        attention = 2 * self.width * (self.width + self.keys)
        if self.biased:
            attention += self.width + 2 * self.keys
        layer = attention + 3 * self.width * self.inner + 2 * self.width
        return 2 * self.vocabulary * self.width + self.layers * layer + self.width


@dataclass(frozen=True, slots=True)
class Backbone:
    """A published checkpoint and how the authors' scripts run it.

    key         its name on the command line
    prompting   as in a Plan; the scripts make a chat only where a LLaDA's path says "instruct"
    counts_cut  whether tokens are counted in the answer as it is scored, or in all that was written
    original    the model's own schedule, one evaluation per position of an answer
    low         DAWN's lowest threshold, by task
    axon        AXON's parameters

    Parameters that are published for the model but are the decoder's defaults, which are LLaDA's, are left out.
    """

    key: str
    hub: str
    shape: Shape
    prompting: str
    counts_cut: bool
    original: str
    localleap: str
    dawn: str
    low: Mapping[str, float]
    axon: str

    @property
    def name(self) -> str:
        """The last part of the hub id, and the folder of the checkpoint and of the results."""
        return self.hub.rpartition("/")[2]

    def rows(self, task: str, length: int = LENGTH) -> dict[str, str]:
        """The decoders of the table's ten rows on a task, by the names of the rows."""
        found = {"original": self.original.format(length=length)}
        for name, text in (("confidence", "confidence"), ("localleap", self.localleap), ("dawn", self.dawn)):
            base = text.format(low=self.low[task])
            found[name] = base
            found[f"{name}+axon"] = f"{base}+{_wrapper(self.axon)}"
            found[f"{name}+axon_cvr"] = f"{base}+{_wrapper(self.axon, 'budget=cover')}"
        return found

    def swept(self, sweep: str, task: str) -> tuple[str, ...]:
        """The decoders of a sweep on a task: DAWN plain, and with AXON in all its variants."""
        wrapper = _wrapper(self.axon)
        # Only this gate has an alpha that matters between its ends.
        wrapper = changed(wrapper, 0, gate="blend") if sweep == "alpha" else wrapper
        return ablation(sweep, (self.rows(task)["dawn"],), wrapper)


def _wrapper(*parameters: str) -> str:
    inner = ",".join(filter(None, parameters))
    return f"axon({inner})" if inner else "axon"


_LOW = {"gsm8k": 0.75, "minerva_math": 0.75, "humaneval": 0.8, "mbpp": 0.7}
_LLADA = Backbone(
    "llada-8b",
    "GSAI-ML/LLaDA-8B-Instruct",
    shape=Shape(layers=32, width=4096, inner=12288, keys=4096, vocabulary=126464),
    prompting="chat",
    counts_cut=True,
    original="sequential",
    localleap="localleap",
    dawn="dawn(low={low})",
    low=_LOW,
    axon="",
)
_DREAM = Backbone(
    "dream",
    "Dream-org/Dream-v0-Instruct-7B",
    shape=Shape(layers=28, width=3584, inner=18944, keys=512, vocabulary=152064, biased=True),
    prompting="bos",
    counts_cut=False,
    original="dreamschedule(steps={length})",
    localleap="localleap(relaxed=0.8)",
    dawn="dawn(sink=0.03,edge=0.1,induce=0.75,low={low})",
    low=dict.fromkeys(TASKS, 0.8),
    axon="gate=pace,sink=0.03",
)
_LLADA_15 = replace(_LLADA, key="llada-1.5", hub="GSAI-ML/LLaDA-1.5", prompting="text", low=_LOW | {"mbpp": 0.75})
MODELS = {model.key: model for model in (_LLADA, _LLADA_15, _DREAM)}


@cache
def published(model: str, task: str) -> dict[str, Published | None]:
    """The paper's figures for a model, by its hub name, and a task, row by row; None where it has none."""
    cells = json.loads(SOURCE.read_text(encoding="utf-8"))["cells"]
    return {row: figures and Published(*figures) for row, figures in cells[model][task].items()}


def hardware() -> str:
    """What the paper measured on."""
    return str(json.loads(SOURCE.read_text(encoding="utf-8"))["hardware"])


@dataclass(frozen=True)
class Part:
    """One model on one task, ten cells of the table or one sweep: one folder of results."""

    model: Backbone
    task: str
    plan: WholePlan
    folder: Path
    sweep: str | None = None

    @property
    def rows(self) -> dict[str, str]:
        """The rows of the table and their decoders; a decoder of a sweep is its own row."""
        names = published(self.model.name, self.task) if self.sweep is None else self.plan.decoders
        return dict(zip(names, self.plan.decoders, strict=True))


@dataclass(frozen=True)
class Reproduction:
    """What of the paper is run, and from where; checked when made.

    what           the main table, or the appendix's ablations
    models, tasks  some of MODELS and of TASKS
    model_dir      a folder that holds the checkpoints' folders, which otherwise come from the hub
    length         positions of an answer; the paper's, unless something is to be tried out quickly
    """

    out: Path
    models: tuple[str, ...] = tuple(MODELS)
    tasks: tuple[str, ...] = tuple(TASKS)
    model_dir: Path | None = None
    data: Path | None = None
    limit: int | None = None
    unsafe: bool = False
    length: int = LENGTH
    what: str = "paper"

    def __post_init__(self) -> None:
        checks.one_of("what to reproduce", self.what, WHAT)
        _chosen("model", self.models, tuple(MODELS))
        _chosen("task", self.tasks, tuple(TASKS))
        if self.limit is not None:
            checks.whole("limit", self.limit)

    def checkpoint(self, model: Backbone) -> str:
        """Where a model is loaded from."""
        return model.hub if self.model_dir is None else str(self.model_dir / model.name)

    def parts(self) -> Iterator[Part]:
        """The parts in the order in which they are run: all of a model before the next."""
        for model in (MODELS[key] for key in self.models):
            if self.what == "paper":
                for task in self.tasks:
                    rows = tuple(model.rows(task, self.length).values())
                    yield Part(model, task, self._plan(model, task, rows), self.out / model.name / task)
                continue
            for sweep, cells in SWEEPS.items():
                for task in (task for key, task in cells if key == model.key and task in self.tasks):
                    plan = self._plan(model, task, model.swept(sweep, task))
                    yield Part(model, task, plan, self.out / sweep / model.name / task, sweep)

    def _plan(self, model: Backbone, task: str, decoders: tuple[str, ...]) -> WholePlan:
        # The scripts decode one answer at a time and all of it.
        settings = Settings(self.length, min(BLOCK, self.length), stop_at_eos=False, batch_size=1)
        return WholePlan(
            model=self.checkpoint(model),
            tasks=(task,),
            decoders=decoders,
            settings=settings,
            limit=self.limit,
            length=self.length,
            prompting=model.prompting,
            data=self.data,
            unsafe=self.unsafe,
        )


def _chosen(what: str, names: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    """Refuse what the table does not have, what is given twice, and nothing at all."""
    *others, last = allowed
    there = f"the paper's table has {', '.join(others)} and {last}"
    if not names:
        raise AxonError(f"at least one {what} must be named; {there}")
    for number, name in enumerate(names):
        if name not in allowed:
            raise AxonError(f"unknown {what} {name!r}; {there}")
        if name in names[:number]:
            raise AxonError(f"the {what} {name!r} is given twice")
