"""Problems and their scoring."""

from axon.errors import AxonError
from axon.tasks.base import Problem, Split, Task, Verdict
from axon.tasks.code import Code
from axon.tasks.sums import Sums

BUNDLED: dict[str, Sums | Code] = {task.name: task for task in (Sums(), Code())}


def task(name: str) -> Sums | Code:
    """A task by its name."""
    if name not in BUNDLED:
        raise AxonError(f"unknown task {name!r}; there are {' and '.join(BUNDLED)}")
    return BUNDLED[name]


__all__ = ["BUNDLED", "Code", "Problem", "Split", "Sums", "Task", "Verdict", "task"]
