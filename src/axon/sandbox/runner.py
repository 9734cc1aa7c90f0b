"""Running programs: one, or many side by side."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from axon import checks
from axon.errors import AxonError
from axon.sandbox.child import launch
from axon.sandbox.limits import DEFAULT, Limits
from axon.sandbox.outcome import Outcome
from axon.sandbox.probe import Unavailable, isolation


def run(program: str, limits: Limits = DEFAULT, *, unsafe: bool = False) -> Outcome:
    """Run a Python program; `unsafe` permits it to run without isolation where there is none."""
    return run_many([program], limits, unsafe=unsafe, workers=1)[0]


def run_many(
    programs: Sequence[str], limits: Limits = DEFAULT, *, unsafe: bool = False, workers: int = 2
) -> list[Outcome]:
    """Run programs, `workers` at a time; the outcomes come in the order of the programs."""
    if isinstance(programs, str):
        raise AxonError("programs must be a list of texts, got a single text")
    for program in programs:
        if not isinstance(program, str):
            raise AxonError(f"a program must be a text, got {program!r}")
    checks.flag("unsafe", unsafe)
    checks.whole("workers", workers)
    one = partial(launch, limits=limits, isolate=_isolate(unsafe))
    if workers == 1:
        return [one(program) for program in programs]
    # Threads, for each only waits for its child.
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, programs))


def _isolate(unsafe: bool) -> bool:
    """Whether to isolate; refuses where that is impossible and nothing else was permitted."""
    here = isolation()
    if not here.available and not unsafe:
        raise Unavailable(here.sentence)
    if os.name != "posix":
        # Process groups and limits of memory, output and files are POSIX; without them not even time is kept.
        raise Unavailable("model-written code needs a POSIX system even without isolation; use a Linux container")
    return here.available
