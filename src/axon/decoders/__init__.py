"""The published decoding rules, one per file, and the contract they share (base.py)."""

from axon.decoders.base import Decoder, GateReading, Proposal, best, param, top
from axon.decoders.confidence import Confidence
from axon.decoders.dawn import Dawn
from axon.decoders.dream_schedule import DreamSchedule
from axon.decoders.factor import Factor
from axon.decoders.klass import Klass
from axon.decoders.localleap import LocalLeap
from axon.decoders.sequential import Sequential
from axon.decoders.spec import decoder, register, registered

for _rule in (Confidence, Dawn, DreamSchedule, Factor, Klass, LocalLeap, Sequential):
    register(_rule)

__all__ = [
    "Confidence",
    "Dawn",
    "Decoder",
    "DreamSchedule",
    "Factor",
    "GateReading",
    "Klass",
    "LocalLeap",
    "Proposal",
    "Sequential",
    "best",
    "decoder",
    "param",
    "register",
    "registered",
    "top",
]
