"""From decoders that were measured to the one to use: the frontier, and the choice on it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from axon.evaluation.records import Record
from axon.evaluation.summary import CellSummary, compare


@dataclass(frozen=True)
class Tried:
    """A decoder that was measured, the base it stands on, its figures and the records behind them."""

    base: str
    cell: CellSummary
    records: list[Record]

    @property
    def text(self) -> str:
        return self.cell.decoder

    @property
    def decoded(self) -> bool:
        """Whether there is an answer at all; without one there are no evaluations to count."""
        return not math.isnan(self.cell.nfe)


@dataclass(frozen=True)
class Choice:
    """The decoder to use and why; None where none is good enough."""

    tried: Tried | None
    why: str


def frontier(tried: Sequence[Tried]) -> list[Tried]:
    """Those that no other beats in accuracy or evaluations without losing in the other, the fewest evaluations first.

    Of several with the same figures the one with the shortest text stands for all, then the one tried first.
    """
    found: list[Tried] = []
    decoded = (one for one in tried if one.decoded)
    for one in sorted(decoded, key=lambda one: (one.cell.nfe, -one.cell.accuracy, len(one.text))):
        if not found or one.cell.accuracy > found[-1].cell.accuracy:
            found.append(one)
    return found


def choose(tried: Sequence[Tried], min_accuracy: float | None = None) -> Choice:
    """The fewest evaluations at that accuracy in percent, or without one, at no measurable loss against the best."""
    line = frontier(tried)
    if not line:
        return Choice(None, "none of the decoders could decode a single problem")
    best = line[-1]
    if min_accuracy is not None:
        for one in line:
            # In whole answers, for 100 * 0.29 is less than 29.
            if 100 * one.cell.right >= min_accuracy * one.cell.problems:
                return Choice(one, f"It takes the fewest evaluations among those that reach {min_accuracy:g} %.")
        return Choice(
            None,
            f"no decoder reaches {min_accuracy:g} %; the best of {len(tried)} tried is {best.text} with "
            f"{100 * best.cell.accuracy:.1f} % in {best.cell.nfe:.1f} evaluations",
        )
    if len(line) == 1:
        return Choice(best, "No other is more accurate, and no other takes fewer evaluations.")
    worse = (
        "It is the most accurate one, and those with fewer evaluations are measurably worse: the 95 % interval of "
        "their paired difference in accuracy lies below 0."
    )
    return next(filter(None, (_as_good(one, best) for one in line[:-1])), Choice(best, worse))


def _as_good(one: Tried, best: Tried) -> Choice | None:
    """That decoder, if its accuracy cannot be told from the best one's.

    By the interval and not by the exact test, which on few problems finds no difference between anything.
    """
    pair = compare(one.cell.task, one.text, best.text, one.records, best.records)
    low, high = pair.accuracy_interval
    if high < 0:
        return None
    return Choice(
        one,
        f"It takes the fewest evaluations among those whose accuracy cannot be told from the best one's, {best.text}: "
        f"{100 * pair.accuracy:+.1f} points, 95 % interval {100 * low:+.1f} … {100 * high:+.1f} over {pair.problems} "
        "paired problems.",
    )
