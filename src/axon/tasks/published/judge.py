"""Compares answers of minerva_math in a child process, so that no answer can stop or starve a run.

lm-eval's and math-verify's own time limits are alarms: they work in a main thread only, go off early on a busy
machine, and not at all inside one long operation on integers, such as 3^{3^{17}}. The child has a main thread, counts
processor time, and is ended by the kernel at a limit of time or memory.
"""

import json
import select
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

from axon.errors import AxonError
from axon.tasks.published import lmeval
from axon.tasks.published.source import INSTALL

CHILD = Path(__file__).with_name("judge_child.py")
# Importing sympy takes seconds on a busy machine.
START_SECONDS = 120.0
# Of the processor. lm-eval's limits add up to 20: its own comparison, two readings and one verification, 5 each.
SECONDS = 30
# By the clock, for a child that does not even run.
PATIENCE = 20
MEMORY_MB = 4096

Measures = dict[str, bool]
WRONG = {"exact_match": False, "math_verify": False}


class Judge:
    """The child, started when first asked and started again after it had to be killed."""

    def __init__(self, seconds: int = SECONDS) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._end: Any = None

    def compare(self, facts: dict[str, Any], answer: str) -> tuple[Measures, str]:
        """lm-eval's verdict on an answer, and one line on it."""
        with self._lock:
            child = self._running()
            said = self._ask(child, {"doc": facts, "answer": answer})
            if said is None:
                self._stop()
                return dict(WRONG), f"the comparison broke off or took more than {self.seconds} seconds"
        if "error" in said:
            return dict(WRONG), f"the comparison failed: {said['error']}"
        measures = {name: bool(said[name]) for name in WRONG}
        same = "equals" if measures["exact_match"] else "is not"
        return measures, f"{said['found']!r:.60} {same} {facts['answer']!r:.60}"

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._child is not None and self._child.poll() is None:
            return self._child
        self._stop()
        # -P, because the modules beside the child's file are not its own.
        rules = lmeval.folder() / "minerva_math" / "utils.py"
        command = (sys.executable, "-P", str(CHILD), str(rules), str(self.seconds), str(MEMORY_MB))
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._child, self._end = child, weakref.finalize(self, _kill, child)
        said = _line(child, START_SECONDS)
        if said is None or "error" in said:
            self._stop()
            why = said["error"] if said else "it gave no sign of life"
            raise AxonError(f"the scoring of minerva_math did not start ({why}); {INSTALL}")
        return child

    def _ask(self, child: "subprocess.Popen[bytes]", question: dict[str, Any]) -> dict[str, Any] | None:
        assert child.stdin
        try:
            child.stdin.write(json.dumps(question).encode() + b"\n")
            child.stdin.flush()
        except BrokenPipeError:
            return None
        return _line(child, self.seconds * PATIENCE)

    def _stop(self) -> None:
        if self._end is not None:
            self._end()
        self._child = self._end = None


def _line(child: "subprocess.Popen[bytes]", seconds: float) -> dict[str, Any] | None:
    """The next line the child writes; None if it does not come."""
    assert child.stdout
    # The child writes a line at once, so that one is there as soon as anything is.
    if not select.select([child.stdout], [], [], seconds)[0]:
        return None
    line = child.stdout.readline()
    return json.loads(line) if line.endswith(b"\n") else None


def _kill(child: "subprocess.Popen[bytes]") -> None:
    child.kill()
    child.communicate()
