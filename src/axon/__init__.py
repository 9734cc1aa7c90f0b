"""AXON: fast decoding for masked diffusion language models."""

from importlib.metadata import version as _version

from axon.canvas import Canvas
from axon.decoders import Decoder, decoder
from axon.engine import Engine, Step
from axon.errors import AxonError, LoadError
from axon.generate import Generation, generate, stream
from axon.models import load
from axon.settings import Settings
from axon.support import Axon
from axon.trace import Trace, read_trace

__version__ = _version("axon-dllm")

__all__ = [
    "Axon",
    "AxonError",
    "Canvas",
    "Decoder",
    "Engine",
    "Generation",
    "LoadError",
    "Settings",
    "Step",
    "Trace",
    "decoder",
    "generate",
    "load",
    "read_trace",
    "stream",
]
