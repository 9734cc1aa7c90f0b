"""Ratios on a shared, noisy machine: both sides of a comparison take turns, and the median of many rounds counts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

Times = dict[str, list[float]]
Picks = NDArray[np.int64]
Values = NDArray[np.float64]


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
class Estimate:
    """A number and the 95 % interval a bootstrap over the rounds gives it."""

    value: float
    low: float
    high: float


def estimate(statistic: Callable[[Picks], Values], rounds: int) -> Estimate:
    """A statistic of the rounds; it is given the rounds to use, (*, rounds), and answers with (*)."""
    draws = np.random.default_rng(0).integers(rounds, size=(10_000, rounds))
    low, high = np.quantile(statistic(draws), [0.025, 0.975])
    return Estimate(float(statistic(np.arange(rounds)[None])[0]), float(low), float(high))


def ratio(over: list[float], under: list[float]) -> Estimate:
    """How many times longer `over` took than `under`: the median over rounds."""
    pairs = np.array(over) / np.array(under)
    return estimate(lambda picks: np.median(pairs[picks], axis=-1), len(pairs))
