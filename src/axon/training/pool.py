"""The order in which batches are learned: some under random masks, once; others on their path, several times."""

import random

from torch import Tensor

from axon.training.data import Rows
from axon.training.noise import Batch, Vocabulary, alike, masked
from axon.training.path import USES, Path

# Batches made at a time, under random masks and on a path; where there are paths, more than half of what is learned is
# on one. Among so many rows, ones of similar length find each other.
_RANDOM, _PATHS = 48, 8


class Pool:
    """Batches without end. `order` is shared by all processes, so that none waits for another's longer batch."""

    def __init__(self, rows: Rows, size: int, vocabulary: Vocabulary, rng: random.Random, order: random.Random) -> None:
        self.rows, self.size, self.vocabulary, self.rng, self.order = rows, size, vocabulary, rng, order
        self.waiting: list[Batch | Path] = []
        self.taken: Batch | Path | None = None

    def take(self, drills: float, *, paths: bool) -> Batch:
        """The next batch; a new lot has this share of equations under random masks, and paths if these are wanted."""
        if not self.waiting:
            random_rows = self.rows.take(_RANDOM * self.size, drills=drills)
            path_rows = self.rows.take(_PATHS * self.size if paths else 0, drills=0.0)
            batches = [masked(*part, self.rng, self.vocabulary) for part in alike(random_rows, self.size, self.rng)]
            own = [Path(*part, self.rng, self.vocabulary) for part in alike(path_rows, self.size, self.rng)]
            self.waiting = [*batches, *own * USES]
            self.order.shuffle(self.waiting)
        self.taken = self.waiting.pop()
        return self.taken.batch() if isinstance(self.taken, Path) else self.taken

    def learned(self, confidences: Tensor) -> None:
        """How sure the model was of what it was last given."""
        if isinstance(self.taken, Path):
            self.taken.advance(confidences)

    def clear(self) -> None:
        """Make new batches next time."""
        self.waiting = []
