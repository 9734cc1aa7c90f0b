"""The Linux calls Python has no name for; each raises OSError naming itself."""

import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)

# <sched.h>
NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = 1 << 17, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30
# <sys/mount.h>
NOSUID, NODEV, BIND, REC, PRIVATE = 2, 4, 1 << 12, 1 << 14, 1 << 18
DETACH = 2
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
SYS_MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE = 442, -100, 0x8000  # the number is the same on every architecture
# <sys/prctl.h>, <linux/capability.h>
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38
CAPABILITY_VERSION_3 = 0x2008_0522


def call(name: str, *arguments: object, about: str = "") -> None:
    """Call a function of libc; whole numbers go as longs, for prctl and syscall read all 64 bits of each."""
    given = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    if getattr(LIBC, name)(*given) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), f"{name} {about}".strip())


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount `source` on `target`."""
    texts = [os.fsencode(text) for text in (source, target, kind)]
    call("mount", *texts, flags, os.fsencode(options), about=f"{source} on {target}")


def protect(target: str, recursive: bool) -> None:
    """Make a mount read-only, without devices and set-user-id programs, and with it those below."""
    attributes = (ctypes.c_uint64 * 4)(ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV, 0, 0, 0)
    flags = AT_RECURSIVE if recursive else 0
    size = ctypes.sizeof(attributes)
    call("syscall", SYS_MOUNT_SETATTR, AT_FDCWD, os.fsencode(target), flags, attributes, size, about="mount_setattr")


def prctl(option: int, *arguments: object) -> None:
    """Set an attribute of this process."""
    rest = (0,) * (4 - len(arguments))
    call("prctl", option, *arguments, *rest, about=str(option))


def drop_capabilities() -> None:
    """Give up every capability."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    call("capset", header, (ctypes.c_uint32 * 6)())
