"""(d) One block in the middle of a canvas, one token per evaluation: no cache, prefix cache, dual cache."""

from statistics import median

from axon import Engine, Settings
from axon.decoders import Sequential
from benchmarks.figures import Figure, Target
from benchmarks.subjects import Subjects
from benchmarks.timing import Times, take_turns

TITLE = "caches"


def run(subjects: Subjects) -> list[Figure]:
    base = subjects.shape.canvas
    return [*_at(subjects, base, 4.0), *_at(subjects, 2 * base, None)]


def _at(subjects: Subjects, length: int, least: float | None) -> list[Figure]:
    seconds = _timed(subjects, length)
    block = subjects.shape.block

    def whole(kind: str) -> float:
        """Seconds of the block: its first evaluation is always a full one, the later ones are alike."""
        first, *later = seconds[kind]
        return first + (block - 1) * median(later)

    # Without a cache the first evaluation is like the later ones.
    none = block * median(seconds["none"])
    return [
        Figure(
            f"{kind} faster than none, canvas {length}",
            none / whole(kind),
            "×",
            None if least is None or kind != "dual" else Target(least, "at least"),
            details={
                "block_seconds": {"none": none, kind: whole(kind)},
                "evaluations_timed": {name: len(seconds[name]) for name in ("none", kind)},
                "evaluations_of_block": block,
                "block_starts_at": length // 2,
                "how": "the block's time is its first evaluation plus the median of the later ones times their "
                "number; without a cache, evaluations spread evenly over the block are timed, not all of them",
            },
        )
        for kind in ("dual", "prefix")
    ]


def _timed(subjects: Subjects, length: int) -> Times:
    """Seconds of each evaluation; uncached ones only at every n-th step, since they take long and are all alike."""
    shape = subjects.shape
    cached = {kind: _engine(subjects, length, kind) for kind in ("dual", "prefix")}
    seconds: Times = {"none": [], "dual": [], "prefix": []}
    for step in range(shape.block):
        sides = {kind: engine.step for kind, engine in cached.items()}
        if step % shape.uncached_stride == 0:
            # As many positions of the block are still masked as the cached engines have left.
            sides["none"] = _engine(subjects, length, "none", written=step).step
        for kind, taken in take_turns(sides, rounds=1).items():
            seconds[kind] += taken
    return seconds


def _engine(subjects: Subjects, length: int, cache: str, written: int = 0) -> Engine:
    block = subjects.shape.block
    engine = Engine(subjects.large, Sequential(), cache)
    engine.join(0, subjects.canvas(length, written), Settings(max_new_tokens=block, block_length=block))
    return engine
