"""One measured number, its target, and whether it was met."""

from dataclasses import dataclass, field
from typing import Any, Literal

from benchmarks.timing import Estimate

Unit = Literal["×", "%", "tokens/s", "MB"]


@dataclass(frozen=True, slots=True)
class Target:
    """A bound the number must keep."""

    bound: float
    kind: Literal["at most", "at least", "below"]

    def met_by(self, value: float) -> bool:
        met = {"at most": value <= self.bound, "at least": value >= self.bound, "below": value < self.bound}
        return met[self.kind]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its unit; `interval` is the range the noise leaves it; `details` go into the file only."""

    name: str
    value: float
    unit: Unit
    target: Target | None = None
    interval: tuple[float, float] | None = None
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """None without a target."""
        return None if self.target is None else self.target.met_by(self.value)

    @property
    def sure(self) -> bool:
        """Whether the whole interval falls on one side of the target."""
        if self.target is None or self.interval is None:
            return True
        return len({self.target.met_by(edge) for edge in self.interval}) == 1


def added(name: str, found: Estimate, most: float | None, **details: Any) -> Figure:
    """Time one side takes beyond the other, in per cent; `most` is the target."""
    interval = (100 * (found.low - 1), 100 * (found.high - 1))
    target = None if most is None else Target(most, "at most")
    return Figure(name, 100 * (found.value - 1), "%", target, interval, details)


def times(name: str, found: Estimate, least: float | None, **details: Any) -> Figure:
    """How many times less one side takes than the other; `least` is the target."""
    target = None if least is None else Target(least, "at least")
    return Figure(name, found.value, "×", target, (found.low, found.high), details)
