"""(a) What AXON adds to a step, and what capturing attention adds to an evaluation."""

from functools import partial
from statistics import median

from axon import Axon, Decoder, Engine, Settings
from axon.decoders import Confidence
from axon.signals import Needs
from benchmarks.figures import Figure, added
from benchmarks.subjects import Subjects
from benchmarks.timing import ratio, take_turns

TITLE = "cost of AXON"
_PLAIN, _RELEASED, _PAPER = "confidence", "confidence+axon", "confidence+axon.paper"


def run(subjects: Subjects) -> list[Figure]:
    base = Confidence()
    decoders: dict[str, Decoder] = {_PLAIN: base, _RELEASED: Axon(base), _PAPER: Axon.paper(base)}
    shape, model = subjects.shape, subjects.large

    # The engines stay level: on random weights nobody is sure of anything, so each reveals one token a step.
    engines = {name: Engine(model, decoder) for name, decoder in decoders.items()}
    for engine in engines.values():
        settings = Settings(max_new_tokens=shape.block, block_length=shape.block)
        engine.join(0, subjects.canvas(shape.canvas), settings)
    steps = take_turns({name: engine.step for name, engine in engines.items()}, shape.step_rounds)

    needs = {name: Needs() if name == _PLAIN else decoder.needs for name, decoder in decoders.items()}
    evaluations = take_turns(
        {name: partial(model.evaluate, subjects.frame, asked) for name, asked in needs.items()},
        shape.capture_rounds,
    )

    def figures(what: str, taken: dict[str, list[float]], most: float) -> list[Figure]:
        return [
            added(
                f"{name}, {what}",
                ratio(taken[name], taken[_PLAIN]),
                # The target is for AXON as it comes; the paper's reading looks at every layer and every step.
                most if name == _RELEASED else None,
                rounds=len(taken[name]),
                median_seconds=median(taken[name]),
                median_seconds_plain=median(taken[_PLAIN]),
            )
            for name in (_RELEASED, _PAPER)
        ]

    return figures("step", steps, 3.0) + figures("capture", evaluations, 2.0)
