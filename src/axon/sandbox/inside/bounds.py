"""The kernel's limits on one process and on those it starts."""

import resource

MB = 1 << 20
OPEN_FILES = 64


def bound(limits: dict[str, float], isolated: bool) -> None:
    """Set the limits of this process."""
    wanted = {
        resource.RLIMIT_AS: int(limits["memory_mb"]) * MB,
        # Only in case nobody is left to look at the clock.
        resource.RLIMIT_CPU: int(limits["seconds"]) + 2,
        resource.RLIMIT_FSIZE: int(limits["file_mb"]) * MB,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CORE: 0,
    }
    if isolated:
        # Counted per user namespace, and so only our own: the program's, the launcher and init. Outside of one, all
        # processes of the user count, and a limit would forbid either nothing or everything.
        wanted[resource.RLIMIT_NPROC] = int(limits["processes"]) + 2
    for name, value in wanted.items():
        most = resource.getrlimit(name)[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        try:
            resource.setrlimit(name, (value, value))
        except (ValueError, OSError):
            if isolated:  # macOS, which has no isolation, refuses some
                raise
