"""Models the engine can run: LLaDA and Dream checkpoints, and a weightless toy."""

from axon.models.base import Model, Sampling
from axon.models.load import load
from axon.models.toy import ToyModel

__all__ = ["Model", "Sampling", "ToyModel", "load"]
