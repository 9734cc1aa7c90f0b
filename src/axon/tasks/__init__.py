"""Problems and their scoring."""

from functools import cache
from pathlib import Path

from axon.errors import AxonError
from axon.tasks.base import Problem, Split, Task, Verdict
from axon.tasks.code import Code
from axon.tasks.published import Gsm8k, HumanEval, Mbpp, Minerva, Published, PublishedCode
from axon.tasks.sums import Sums

BUNDLED: dict[str, Sums | Code] = {task.name: task for task in (Sums(), Code())}
PUBLISHED: dict[str, type[Published]] = {kind.name: kind for kind in (Gsm8k, Minerva, HumanEval, Mbpp)}


def task(name: str, data: Path | None = None, *, unsafe: bool = False, seed: int = 0) -> Task:
    """A task by its name.

    data    a folder with the files of published tasks, which otherwise come from the hub; bundled ones need none
    unsafe  run answers that are code without isolation where there is none
    seed    which problems of a bundled task's test split; published tasks have no others
    """
    if name not in BUNDLED and name not in PUBLISHED:
        *others, last = (*BUNDLED, *PUBLISHED)
        raise AxonError(f"unknown task {name!r}; there are {', '.join(others)} and {last}")
    return _task(name, data if data is None else Path(data), unsafe, seed)


@cache
def _task(name: str, data: Path | None, unsafe: bool, seed: int) -> Task:
    """One object for one description, so that its problems are loaded once."""
    if name in BUNDLED:
        return Code(unsafe, seed) if name == Code.name else Sums(seed)
    kind = PUBLISHED[name]
    return kind(data, unsafe) if issubclass(kind, PublishedCode) else kind(data)


__all__ = [
    "BUNDLED",
    "PUBLISHED",
    "Code",
    "Gsm8k",
    "HumanEval",
    "Mbpp",
    "Minerva",
    "Problem",
    "Split",
    "Sums",
    "Task",
    "Verdict",
    "task",
]
