"""Whether everything a long run needs is there, found before it starts instead of hours later."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from axon.errors import AxonError
from axon.evaluation.paper import TASKS, Backbone, Reproduction
from axon.evaluation.plan import Plan
from axon.sandbox import Unavailable, isolation
from axon.tasks import PUBLISHED, Code, task
from axon.tasks.published import PublishedCode


def check(plan: Plan) -> None:
    """Refuse a plan whose data is missing, or whose answers cannot be run here, before a model is loaded."""
    for name in plan.tasks:
        plan.problems(name)
    if not plan.unsafe and _code(plan.tasks) and not isolation().available:
        raise Unavailable(isolation().sentence)


def count_problems(job: Reproduction) -> tuple[dict[str, int], dict[str, str]]:
    """How many problems of each task are run, the paper's number where the data is absent; and a sentence on that."""
    counts, absent = {}, {}
    for name in job.tasks:
        try:
            count = len(task(name, job.data, unsafe=job.unsafe).problems())
        except AxonError as error:
            absent[name] = str(error)
            count = TASKS[name]
        counts[name] = count if job.limit is None else min(count, job.limit)
    return counts, absent


def fewer(counts: Mapping[str, int]) -> Iterator[str]:
    """A sentence on every task of which not all problems of the paper are run."""
    for name, count in counts.items():
        if count != TASKS[name]:
            yield f"{name}: problems run {count}, in the paper {TASKS[name]}."


def missing_data(job: Reproduction, absent: Mapping[str, str]) -> list[str]:
    """Why tasks have no problems; from the hub, one reason stands for all."""
    if job.data is not None or len(absent) < 2:
        return list(absent.values())
    return [f"{_listed(absent)} cannot be asked because {next(iter(absent.values()))}"]


def missing_checkpoints(job: Reproduction, models: Sequence[Backbone]) -> list[str]:
    """A sentence if some of these models cannot be loaded from where they should be."""
    if job.model_dir is None:
        reasons = {model.hub: said for model in models if (said := _unreachable(model.hub))}
        if not reasons:
            return []
        said = next(iter(reasons.values()))
        return [f"the hub did not deliver {_listed(reasons)} ({said}); give a folder that holds them with --model-dir"]
    if models and not job.model_dir.is_dir():
        return [f"there is no folder {job.model_dir} for the checkpoints"]
    absent = [model.name for model in models if not (job.model_dir / model.name / "config.json").is_file()]
    return [f"{job.model_dir} lacks the checkpoint folder {_listed(absent)}"] if absent else []


def missing_isolation(job: Reproduction, tasks: Iterable[str]) -> list[str]:
    """A sentence if some of these tasks have answers that are code and cannot be run here."""
    if not _code(tasks) or job.unsafe or isolation().available:
        return []
    return [isolation().sentence]


def _code(tasks: Iterable[str]) -> bool:
    """Whether answers to some of these tasks are run."""
    return any(name == Code.name or issubclass(PUBLISHED.get(name, object), PublishedCode) for name in tasks)


def _unreachable(hub: str) -> str | None:
    """Why a checkpoint can neither be found in the hub's cache nor on the hub; its smallest file is fetched to see."""
    from huggingface_hub import hf_hub_download

    try:
        hf_hub_download(hub, "config.json")
    except Exception as error:  # offline, refused, not found, disk full: the hub client's errors share no base class
        return (str(error).strip() or type(error).__name__).splitlines()[0].partition(". ")[0].rstrip(".")
    return None


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
