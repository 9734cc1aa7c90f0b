"""What a training run is: sizes, data, optimiser, time. Kept with every checkpoint."""

from dataclasses import asdict, dataclass
from typing import Any

from axon import checks
from axon.errors import AxonError
from axon.tasks import BUNDLED


@dataclass(frozen=True, slots=True)
class Recipe:
    """A run, checked when made. Exactly one of `minutes` and `steps` says how long it is.

    tasks          what the model learns, a task named twice twice as often; sums brings the arithmetic drills with it
    width … vocabulary   sizes of the network and of the tokenizer
    minutes, steps the length of the one cosine schedule
    batch          rows per process and step
    processes      data-parallel processes
    warm_up        steps until the learning rate is reached
    drills_first   the most of the run in which equations prevail; less once they are known
    drills_early   the share of equations among the rows under random masks in that part
    drills         and afterwards
    random_first   the part of the run in which all masks are random; later on most are the model's own order
    chatter        the share of rows that are off topic, answered by saying so
    start_from     a model folder whose weights and tokenizer to start from, instead of fresh ones of the same sizes
    """

    tasks: tuple[str, ...] = ("sums", "code")
    width: int = 192
    layers: int = 4
    heads: int = 6
    hidden: int = 512
    vocabulary: int = 1536
    minutes: float | None = 88.0
    steps: int | None = None
    batch: int = 28
    processes: int = 2
    learning_rate: float = 2e-3
    weight_decay: float = 0.01
    warm_up: int = 150
    drills_first: float = 0.25
    drills_early: float = 0.5
    drills: float = 0.25
    random_first: float = 0.6
    chatter: float = 0.03
    seed: int = 0
    start_from: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", tuple(self.tasks))
        if not self.tasks:
            raise AxonError(f"tasks must name at least one of {', '.join(BUNDLED)}")
        for name in self.tasks:
            checks.one_of("tasks", name, BUNDLED)
        for name in ("width", "layers", "heads", "hidden", "batch", "processes"):
            checks.whole(name, getattr(self, name))
        checks.whole("vocabulary", self.vocabulary, least=300)
        checks.whole("warm_up", self.warm_up, least=0)
        checks.whole("seed", self.seed, least=0)
        if self.width % (2 * self.heads):
            raise AxonError(f"width must be a multiple of twice the heads, got {self.width} and {self.heads}")
        if (self.minutes is None) == (self.steps is None):
            raise AxonError(f"give either minutes or steps, got minutes={self.minutes} and steps={self.steps}")
        if self.minutes is not None:
            checks.number("minutes", self.minutes, 0.01)
        if self.steps is not None:
            checks.whole("steps", self.steps)
        checks.number("learning_rate", self.learning_rate, 1e-6, 1)
        checks.number("weight_decay", self.weight_decay, 0, 1)
        for name in ("drills_first", "drills_early", "drills", "random_first", "chatter"):
            checks.number(name, getattr(self, name), 0, 0.9)

    def progress(self, step: int, seconds: float) -> float:
        """How much of the run is done, from 0 to 1."""
        done = step / self.steps if self.steps is not None else seconds / 60 / (self.minutes or 1)
        return min(1.0, done)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for files."""
        return asdict(self) | {"tasks": list(self.tasks)}


RECIPES = {
    "bundled": Recipe(),
    # On from a trained model, which knows its equations: its own order from the first step on, at half the rate. Sums
    # a little more often, for they are the harder; twice as often was at the cost of code.
    "polish": Recipe(
        tasks=("sums", "sums", "sums", "code", "code"),
        minutes=60.0,
        learning_rate=1e-3,
        drills_first=0.0,
        drills=0.1,
        random_first=0.0,
    ),
}
