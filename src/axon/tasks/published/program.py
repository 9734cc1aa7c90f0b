"""From an answer to a program, and from its run to a verdict."""

import re

from axon import sandbox
from axon.sandbox import Limits
from axon.tasks.base import Verdict

# A fence that says Python anywhere, or a fence of any kind that opens the answer. A bare ``` further down is more often
# the end of something.
_FENCE = re.compile(r"(?:\A\s*```\w*|```(?:python|py)\d?)[ \t]*\r?\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
# The slowest solution of the data itself, MBPP's task 123, computes for four seconds.
LIMITS = Limits(seconds=20.0, memory_mb=1024)


def fenced(answer: str) -> str | None:
    """The code in the first fence, None if there is none."""
    found = _FENCE.search(answer)
    return found[1] if found else None


def verdict(program: str, unsafe: bool) -> Verdict:
    """Run an answer with its tests behind it."""
    outcome = sandbox.run(program, LIMITS, unsafe=unsafe)
    if outcome.passed:
        return Verdict(True, "all tests pass")
    return Verdict(False, (outcome.stderr.strip().splitlines() or [outcome.status])[-1])
