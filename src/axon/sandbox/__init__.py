"""Runs programs a model wrote, in a child that sees neither the user's files nor the network.

This side never reads a program; it starts a child, watches it and ends it. The child's side is `inside/`, which
imports the standard library only.
"""

from axon.sandbox.limits import Limits
from axon.sandbox.outcome import Outcome
from axon.sandbox.probe import Isolation, Unavailable, isolation
from axon.sandbox.runner import run, run_many
from axon.sandbox.watch import StartError

__all__ = ["Isolation", "Limits", "Outcome", "StartError", "Unavailable", "isolation", "run", "run_many"]
