"""Reads what a child writes, until it has ended or a limit is reached.

Beside what the program prints there is the report pipe: what comes before READY is why the sandbox could not be set
up, what comes after it is the program's.
"""

import os
import selectors
import subprocess
import time
from dataclasses import dataclass, field

from axon.errors import AxonError
from axon.sandbox.inside import MEMORY, READY
from axon.sandbox.limits import Limits
from axon.sandbox.outcome import STDERR_KEPT, Outcome, Status

# A child that takes this long before the program even starts is broken; on a busy machine it takes far below one.
START_SECONDS = 30.0
REPORT_BYTES = 4096


class StartError(AxonError):
    """The sandbox could not be set up, so the program never ran."""


@dataclass
class Watch:
    """What has been read so far, and why reading stopped."""

    limits: Limits
    began: float = field(default_factory=time.monotonic)
    ended: float = 0.0
    ready: bool = False
    stopped: Status | None = None
    report: bytearray = field(default_factory=bytearray)
    out: bytearray = field(default_factory=bytearray)
    err: bytearray = field(default_factory=bytearray)

    @property
    def left(self) -> float:
        """Seconds until the limit."""
        allowed = self.limits.seconds if self.ready else START_SECONDS
        return max(0.0, self.began + allowed - time.monotonic())

    def check(self) -> None:
        """Note the program's start, and whether a limit is reached."""
        if not self.ready and self.report.startswith(READY):
            self.ready, self.began = True, time.monotonic()
        if len(self.out) + len(self.err) > self.limits.output_bytes:
            self.stopped = "output"
        elif not self.left:
            self.stopped = "timeout"

    def outcome(self, token: bytes, code: int) -> Outcome:
        """What became of the program, given the child's exit code."""
        err = self.err.decode("utf-8", "replace")
        if not self.ready:
            late = f"nothing happened for {START_SECONDS:g} seconds" if self.stopped else f"the child left with {code}"
            reason = self.report.decode("utf-8", "replace") or err.strip().rpartition("\n")[2] or late
            raise StartError(f"the sandbox could not be set up: {reason}")
        said = self.report.removeprefix(READY)
        status: Status = "failed"
        if self.stopped:
            status = self.stopped
        elif said == token and code == 0:
            status = "ok"
        elif said == MEMORY:
            status = "memory"
        return Outcome(
            status,
            None if self.stopped else code if code >= 0 else 128 - code,
            self.out[: self.limits.output_bytes].decode("utf-8", "replace"),
            err[-STDERR_KEPT:],
            self.ended - self.began,
        )


def follow(child: "subprocess.Popen[bytes]", report: int, job: bytes, limits: Limits) -> Watch:
    """Hand a child its job, and watch it until it has ended or a limit is reached."""
    assert child.stdin
    assert child.stdout
    assert child.stderr
    watch = Watch(limits)
    rest = memoryview(len(job).to_bytes(8, "little") + job)
    os.set_blocking(child.stdin.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdin, selectors.EVENT_WRITE)
        selector.register(report, selectors.EVENT_READ, watch.report)
        selector.register(child.stdout, selectors.EVENT_READ, watch.out)
        selector.register(child.stderr, selectors.EVENT_READ, watch.err)
        while selector.get_map() and not watch.stopped:
            for key, _ in selector.select(watch.left):
                if key.fileobj is child.stdin:
                    rest = _write(key.fd, rest)
                    done = not rest
                else:
                    piece = os.read(key.fd, 1 << 16)
                    key.data.extend(piece)
                    # The program may write to the report pipe too; then it fills the pipe, not our memory.
                    done = not piece or (key.fd == report and len(watch.report) > REPORT_BYTES)
                if done:
                    selector.unregister(key.fileobj)
            watch.check()
    if not watch.stopped:
        try:  # without isolation a program can close its pipes and go on
            child.wait(watch.left)
        except subprocess.TimeoutExpired:
            watch.stopped = "timeout"
    watch.ended = time.monotonic()
    return watch


def _write(file: int, rest: memoryview) -> memoryview:
    """Write what the pipe takes; what is left."""
    try:
        return rest[os.write(file, rest) :]
    except BrokenPipeError:  # a child that is already gone has said why on the report pipe or on stderr
        return rest[:0]
