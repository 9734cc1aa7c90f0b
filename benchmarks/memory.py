"""(f) Peak memory of one evaluation beyond the weights, with and without attention capture."""

from functools import partial

from axon import Axon
from axon.decoders import Confidence
from axon.signals import Needs
from benchmarks.allocations import allocations
from benchmarks.figures import Figure
from benchmarks.subjects import Subjects

TITLE = "peak memory of an evaluation"
_PLAIN = "no capture"
_HOW = "torch.profiler's record of every CPU allocation and release during one evaluation"


def run(subjects: Subjects) -> list[Figure]:
    model, frame, shape = subjects.large, subjects.frame, subjects.shape
    base = Confidence()
    asked = {
        _PLAIN: Needs(),
        "axon": Axon(base).needs,
        "axon.paper": Axon.paper(base).needs,
    }
    peaks = {name: allocations(partial(model.evaluate, frame, needs)).peak for name, needs in asked.items()}
    # For scale: what capture would hold if it kept the whole maps, as output_attentions=True does.
    maps = shape.layers * shape.heads * shape.canvas**2 * 4
    return [
        *(Figure(name, peak / 1e6, "MB", details={"bytes": peak, "how": _HOW}) for name, peak in peaks.items()),
        *(
            Figure(f"{name} over {_PLAIN}", peak / peaks[_PLAIN], "×", details={"full_attention_maps_bytes": maps})
            for name, peak in peaks.items()
            if name != _PLAIN
        ),
    ]
