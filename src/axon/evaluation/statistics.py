"""Intervals and tests, so that noise is not mistaken for gain."""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

_Z = NormalDist().inv_cdf(0.975)
_DRAWS = 10_000

Interval = tuple[float, float]


def wilson(right: int, total: int) -> Interval:
    """The 95 % Wilson interval of a share."""
    if total == 0:
        return (0.0, 1.0)
    share, z2 = right / total, _Z * _Z
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = _Z / (1 + z2 / total) * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    # Rounding must not push the share itself out of its interval.
    return (min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half)))


def mcnemar(gained: int, lost: int) -> float:
    """The exact two-sided p-value that as many problems are gained as lost."""
    changed = gained + lost
    if changed == 0:
        return 1.0
    tail = sum(math.comb(changed, k) for k in range(min(gained, lost) + 1)) / 2**changed
    return float(min(1.0, 2 * tail))


def paired(differences: Sequence[float]) -> Interval:
    """A 95 % bootstrap interval of the mean of paired differences; the same draws for the same data."""
    values = np.asarray(differences, dtype=np.float64)
    if len(values) == 0:
        return (math.nan, math.nan)
    rng = np.random.default_rng(0)
    # In parts, so that many problems need no large table.
    means = np.concatenate(
        [values[rng.integers(0, len(values), (500, len(values)))].mean(1) for _ in range(_DRAWS // 500)]
    )
    low, high = np.quantile(means, (0.025, 0.975))
    return (float(low), float(high))
