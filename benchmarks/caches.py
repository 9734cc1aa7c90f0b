"""(d) One block in the middle of a canvas, one token per evaluation: no cache, prefix cache, dual cache."""

from statistics import median

import numpy as np

from axon import Engine, Settings
from axon.decoders import Sequential
from benchmarks.figures import Figure, times
from benchmarks.subjects import Subjects
from benchmarks.timing import Estimate, Picks, Values, estimate, take_turns

TITLE = "caches"
_CACHED = ("dual", "prefix")


def run(subjects: Subjects) -> list[Figure]:
    canvas, rounds = subjects.shape.canvas, subjects.shape.cache_rounds
    # Evaluations of a canvas twice as long take more than twice as long, so fewer are timed.
    return [*_at(subjects, canvas, rounds, 4.0), *_at(subjects, 2 * canvas, rounds // 2, None)]


def _at(subjects: Subjects, length: int, rounds: int, least: float | None) -> list[Figure]:
    block = subjects.shape.block
    engines = {kind: _engine(subjects, length, rounds, kind) for kind in ("none", *_CACHED)}
    seconds = take_turns({kind: engine.step for kind, engine in engines.items()}, rounds)
    return [
        times(
            f"{kind} faster than none, canvas {length}",
            _speed(seconds["none"], seconds[kind], block),
            least if kind == "dual" else None,
            evaluations_of_block=block,
            evaluations_timed=rounds,
            how="one token per evaluation; timed are evaluations spread evenly over the block, and the median "
            "of those after the first, which is a full one, stands for all after the first",
            block_starts_at=length // 2,
            seconds_first={name: seconds[name][0] for name in ("none", kind)},
            median_seconds_later={name: median(seconds[name][1:]) for name in ("none", kind)},
        )
        for kind in _CACHED
    ]


def _speed(none: list[float], cached: list[float], block: int) -> Estimate:
    """Time of the block's evaluations without a cache over with one, from the rounds' own ratios."""
    first, later = cached[0] / none[0], np.array(cached[1:]) / np.array(none[1:])

    def speed(picks: Picks) -> Values:
        typical: Values = np.median(later[picks], axis=-1)
        return block / (first + (block - 1) * typical)

    return estimate(speed, len(later))


def _engine(subjects: Subjects, length: int, rounds: int, cache: str) -> Engine:
    """An engine that goes through its first block in `rounds` evaluations, each revealing as many tokens."""
    block, canvas = subjects.shape.block, subjects.canvas(length)
    engine = Engine(subjects.large, Sequential(rounds * len(canvas.blocks(block))), cache)
    engine.join(0, canvas, Settings(max_new_tokens=block, block_length=block))
    return engine
