"""Ratios on a shared, noisy machine: both sides of a comparison take turns, and the median of many rounds counts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter

import numpy as np

Times = dict[str, list[float]]


def take_turns(
    sides: Mapping[str, Callable[[], object]], rounds: int, before: Callable[[], None] | None = None
) -> Times:
    """Seconds of every side in every round; `before` runs untimed at the start of each round.

    Every other round goes through the sides backwards, so that none gains by always following another.
    """
    times: Times = {name: [] for name in sides}
    for turn in range(rounds):
        if before is not None:
            before()
        for name, run in list(sides.items())[:: -1 if turn % 2 else 1]:
            began = perf_counter()
            run()
            times[name].append(perf_counter() - began)
    return times


@dataclass(frozen=True, slots=True)
class Ratio:
    """A median of per-round ratios, with the 95 % interval a bootstrap gives it."""

    median: float
    low: float
    high: float


def ratio(over: list[float], under: list[float]) -> Ratio:
    """How many times longer `over` took than `under`, round by round."""
    pairs = np.array(over) / np.array(under)
    draws = np.random.default_rng(0).choice(pairs, size=(10_000, len(pairs)))
    low, high = np.quantile(np.median(draws, axis=1), [0.025, 0.975])
    return Ratio(float(np.median(pairs)), float(low), float(high))
