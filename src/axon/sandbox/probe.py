"""Whether this machine can isolate a program, found by doing it once, and what to do if it cannot."""

import os
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from axon.errors import AxonError
from axon.sandbox.child import launch
from axon.sandbox.limits import DEFAULT

# One module in Python and one in C: what root can read, the user a program runs as perhaps cannot.
PROGRAM = "import json, ctypes"
# The first kernel that counts a limit of processes per user namespace.
KERNEL = (5, 14)
# A setting of the kernel, the value that forbids what we need, and the one that allows it.
SETTINGS = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("user/max_user_namespaces", "0", "10000"),
)
CONTAINER = (
    "allow user namespaces and mounts to this user, or, within a container, start it with a profile that allows them "
    "(docker: --security-opt seccomp=unconfined --security-opt apparmor=unconfined)"
)


class Unavailable(AxonError):
    """There is no isolation here and running without it was not asked for."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """Whether programs can be isolated here; if not, why, and what would help."""

    available: bool
    reason: str = ""
    remedy: str = ""

    @property
    def sentence(self) -> str:
        """All of it, for a person."""
        if self.available:
            return "programs run isolated from files, network and other processes"
        return (
            f"model-written code cannot be isolated here because {self.reason}; {self.remedy}, "
            "or pass --unsafe-code to run it without isolation"
        )


def probe(settings: Path = Path("/proc/sys")) -> Isolation:
    """Try it; `settings` is where the kernel shows its own."""
    if sys.platform != "linux":
        return Isolation(False, f"{sys.platform} has no Linux namespaces", "run it in a Linux container")
    release = os.uname().release
    if tuple(int(part) for part in re.findall(r"\d+", release)[:2]) < KERNEL:
        return Isolation(False, f"this is Linux {release}", "use Linux {}.{} or newer".format(*KERNEL))
    try:
        outcome = launch(PROGRAM, DEFAULT, isolate=True)
    except (AxonError, OSError) as error:
        return Isolation(False, str(error).removeprefix("the sandbox could not be set up: "), _remedy(settings))
    if not outcome.passed:
        reason = outcome.stderr.strip().rpartition("\n")[2] or outcome.status
        return Isolation(False, f"Python does not work inside ({reason})", "use a Python that every user may read")
    return Isolation(True)


@cache
def isolation() -> Isolation:
    """What is available here; asked of the kernel once."""
    return probe()


def _remedy(settings: Path) -> str:
    for name, forbids, allows in SETTINGS:
        file = settings / name
        if os.access(file, os.R_OK) and file.read_text().strip() == forbids:
            return f"allow it with `sudo sysctl {name.replace('/', '.')}={allows}`"
    return CONTAINER
