"""One program in one child process: start it, have it watched, and leave nothing of it behind."""

import marshal
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from contextlib import nullcontext, suppress
from pathlib import Path

from axon.sandbox.limits import Limits
from axon.sandbox.outcome import Outcome
from axon.sandbox.watch import follow

HERE = Path(__file__).parent
# The child imports its half of the room without running axon/__init__.py, which would load torch.
BOOT = f"""import sys
for name, path in (("axon", {str(HERE.parent)!r}), ("axon.sandbox", {str(HERE)!r})):
    sys.modules[name] = type(sys)(name)
    sys.modules[name].__path__ = [path]
from axon.sandbox.inside.main import main
main()"""
# The interpreter itself, not an environment's link to it: what the environment installs is not for the program.
PYTHON = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
# All that -I does, except that -I would ignore the hash seed, without which the order of a set, and so perhaps a
# score, would differ from run to run. The variable is gone before the program starts.
COMMAND = (PYTHON, "-S", "-s", "-P", "-X", "utf8", "-c", BOOT)
ENVIRONMENT = {"PYTHONHASHSEED": "0"}
STOP_SECONDS = 5.0


def launch(program: str, limits: Limits, isolate: bool) -> Outcome:
    """Run one program to its end or to a limit."""
    token = secrets.token_hex(16).encode()
    with nullcontext("/") if isolate else tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        job = {"program": program, "token": token, "limits": limits.as_dict(), "isolate": isolate}
        report, write_end = os.pipe()
        with open(report, "rb", buffering=0) as pipe:
            try:
                child = subprocess.Popen(
                    (*COMMAND, str(write_end)),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    env=ENVIRONMENT,
                    cwd=folder,
                    pass_fds=(write_end,),
                    start_new_session=True,
                )
            finally:
                os.close(write_end)
            with child:
                try:
                    watch = follow(child, pipe.fileno(), marshal.dumps(job), limits)
                finally:
                    _stop(child, isolate)
    return watch.outcome(token, child.returncode)


def _stop(child: "subprocess.Popen[bytes]", isolate: bool) -> None:
    """End whatever the child started, and wait for it."""
    assert child.stdin
    if isolate:
        # The launcher takes anything on its standard input, or its end, as the word to kill the namespace, and leaves
        # when the last process in there is gone. The byte is for when some other fork holds a copy of the pipe.
        with suppress(OSError):
            child.stdin.write(b"x")
        child.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            child.wait(STOP_SECONDS)
            return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
