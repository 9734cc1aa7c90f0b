"""The child's main: read the job, shut the door, run the program.

launcher       outside the new process namespace; waits for the end or for the parent's word to stop
  init         process 1 inside; when it ends, the kernel kills all that is left inside
    program    process 2 inside
"""

import marshal
import os
import select
import sys

from axon.sandbox.inside import READY, bounds, program

TYPE_CHECKING = False  # importing typing takes half as long as starting the interpreter
if TYPE_CHECKING:
    from typing import Any, NoReturn

KILL = 9


def main() -> None:
    """Run the job that comes on standard input; what goes wrong before the program starts is reported."""
    report = int(sys.argv[1])
    os.set_inheritable(report, False)  # nothing the program executes has a use for it
    try:
        job = read_job()
        os.environ.clear()
        if job["isolate"]:
            isolate(int(job["limits"]["file_mb"]))
        null = os.open("/dev/null", os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        bounds.bound(job["limits"], job["isolate"])
        # Fails if the parent is gone, and nothing runs then.
        os.write(report, READY)
        if job["isolate"]:
            start()
    except OSError as error:
        give_up(report, f"{error.filename or 'the child'}: {error.strerror}")
    except Exception as error:
        give_up(report, f"the child: {error}")
    program.run(job["program"], job["token"], report)


def give_up(report: int, reason: str) -> "NoReturn":
    """Say why the program cannot run."""
    os.write(report, reason.encode())
    os._exit(1)


def read_job() -> "dict[str, Any]":
    """The job; behind it, standard input stays open and empty until the parent wants all to end."""
    job: dict[str, Any] = marshal.loads(read(int.from_bytes(read(8), "little")))
    return job


def read(size: int) -> bytes:
    """Exactly that many bytes of standard input."""
    pieces = []
    while size:
        piece = os.read(0, size)
        if not piece:
            raise EOFError("the parent is gone")
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def isolate(file_mb: int) -> None:
    """Return as init, with the outside gone; the launcher stays behind and never returns."""
    # Imported here, for where there is no isolation they may not even load.
    from axon.sandbox.inside import kernel, namespaces, root, seccomp

    namespaces.enter()
    root.build(file_mb)
    namespaces.drop()
    seccomp.install()
    init = os.fork()
    if init:
        launcher(init)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, KILL)


def start() -> None:
    """Return as the program; init stays behind and never returns.

    A program that were process 1 itself would get no signals, and nobody would reap what it leaves.
    """
    child = os.fork()
    if child:
        reap(child)
    os.setsid()


def launcher(init: int) -> "NoReturn":
    """Wait for init to end, or end it when standard input says so or closes because the parent is gone."""
    ended = os.pidfd_open(init)
    poll = select.poll()
    poll.register(ended, select.POLLIN)
    poll.register(0, select.POLLIN)
    if all(file != ended for file, _ in poll.poll()):
        os.kill(init, KILL)
    leave(os.waitpid(init, 0)[1])


def reap(child: int) -> "NoReturn":
    """Wait for the program, and meanwhile for the processes it leaves behind, as process 1 has to."""
    while True:
        pid, status = os.wait()
        if pid == child:
            leave(status)


def leave(status: int) -> "NoReturn":
    """End as the other did."""
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)
