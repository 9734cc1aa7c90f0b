"""AXON: the gate (gate.py), the coverage objective (coverage.py) and the wrapper with its presets (axon.py)."""

from axon.support.axon import Axon

__all__ = ["Axon"]
