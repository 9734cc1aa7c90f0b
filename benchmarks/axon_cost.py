"""(a) What AXON adds to a step, and what capturing attention adds to an evaluation."""

from functools import partial
from statistics import median

from axon import Axon, Decoder, Engine, Settings
from axon.decoders import Confidence
from axon.models.attention import AttentionCall
from axon.signals import Needs
from benchmarks.attribution import seconds_inside
from benchmarks.figures import Figure, added
from benchmarks.subjects import Subjects
from benchmarks.timing import Times, ratio, take_turns

TITLE = "cost of AXON"
_BASE = Confidence()


def run(subjects: Subjects) -> list[Figure]:
    return [
        _figure("AXON over confidence, per step", _steps(subjects), 3.0),
        _figure("capture, per evaluation", _evaluations(subjects), 2.0),
        _own(subjects),
    ]


def _steps(subjects: Subjects) -> Times:
    # The engines stay level: on random weights nobody is sure of anything, so each reveals one token a step.
    plain, with_axon = (_engine(subjects, decoder) for decoder in (_BASE, Axon(_BASE)))
    return take_turns({"plain": plain.step, "axon": with_axon.step}, subjects.shape.step_rounds)


def _engine(subjects: Subjects, decoder: Decoder) -> Engine:
    shape = subjects.shape
    engine = Engine(subjects.large, decoder)
    engine.join(0, subjects.canvas(shape.canvas), Settings(max_new_tokens=shape.block, block_length=shape.block))
    return engine


def _evaluations(subjects: Subjects) -> Times:
    evaluate = partial(subjects.large.evaluate, subjects.frame)
    sides = {"plain": partial(evaluate, Needs()), "axon": partial(evaluate, Axon(_BASE).needs)}
    return take_turns(sides, subjects.shape.capture_rounds)


def _own(subjects: Subjects) -> Figure:
    """Capture and AXON's choice over the rest of the step: a floor for the ratio, which the noise does not reach."""
    engine = _engine(subjects, Axon(_BASE))
    shares = []
    for _ in range(subjects.shape.own_rounds):
        whole, capture, choice, base = seconds_inside(
            engine.step, AttentionCall.capture, Axon.propose, type(_BASE).propose
        )
        own = capture + choice - base
        shares.append(own / (whole - own))
    return Figure("seen from inside, per step", 100 * median(shares), "%", details={"rounds": len(shares)})


def _figure(name: str, seconds: Times, most: float) -> Figure:
    return added(
        name,
        ratio(seconds["axon"], seconds["plain"]),
        most,
        rounds=len(seconds["axon"]),
        median_seconds={side: median(taken) for side, taken in seconds.items()},
    )
