"""Seconds spent inside given functions, by Python's own profiler.

A share of one per mille drowns in the noise of timing with and without; counted from the inside it does not.
Costs outside the functions, such as caches they leave cold, are not seen, so this stands beside a ratio only.
"""

import pstats
from collections.abc import Callable
from cProfile import Profile
from time import perf_counter
from typing import Any


def seconds_inside(call: Callable[[], object], *functions: Callable[..., Any]) -> list[float]:
    """Seconds of one call, then of it each function's, callees included."""
    profile = Profile()
    began = perf_counter()
    profile.runcall(call)
    whole = perf_counter() - began
    found = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    codes = [function.__code__ for function in functions]
    return [whole, *(found[code.co_filename, code.co_firstlineno, code.co_name][3] for code in codes)]
