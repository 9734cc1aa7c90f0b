"""Builds the file system a program sees: the interpreter and its libraries, read-only, and an empty folder."""

import os
import sys

from axon.sandbox.inside import kernel
from axon.sandbox.inside.namespaces import write

# The new root is put together on top of a folder that surely exists and holds no interpreter.
NEW = "/proc"
FOLDER = "/tmp"
SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo")
DEVICES = ("/dev/null", "/dev/urandom")
# Each file costs the kernel about a kilobyte that the size of a tmpfs does not count.
FILES = 4096


def needed() -> list[str]:
    """What the interpreter reads: of its own prefix, which may lie in a home folder, only the libraries and itself."""
    own = [f"{sys.base_prefix}/lib", f"{sys.base_prefix}/lib64", os.path.realpath(sys.executable)]
    paths: list[str] = []
    for path in (*SYSTEM, *own):
        known = any(path == other or path.startswith(other + "/") for other in paths)
        if os.path.exists(path) and not known:
            paths.append(path)
    return paths


def build(file_mb: int) -> None:
    """Make the new root and leave the old one."""
    # If the machine as a whole runs out of memory, the kernel shall end the program and not the user's work.
    write("/proc/self/oom_score_adj", "1000")
    os.umask(0o022)  # nobody must be able to read what root makes here
    flags = kernel.NOSUID | kernel.NODEV
    kernel.mount("none", "/", "", kernel.REC | kernel.PRIVATE)
    kernel.mount("root", NEW, "tmpfs", flags, "size=1m,nr_inodes=1k,mode=755")
    for path in needed():
        bind(path)
        if not os.path.islink(path):
            kernel.protect(NEW + path, recursive=True)
    for path in DEVICES:
        bind(path)
    os.mkdir(NEW + FOLDER)
    # Semaphores live in /dev/shm, and without them multiprocessing does not start.
    os.symlink(FOLDER, f"{NEW}/dev/shm")
    kernel.mount("folder", NEW + FOLDER, "tmpfs", flags, f"size={file_mb}m,nr_inodes={FILES},mode=777")
    os.chdir(NEW)
    # With the same folder twice the old root lies on top of the new one, and is taken away from there.
    kernel.call("pivot_root", b".", b".")
    kernel.call("umount2", b".", kernel.DETACH)
    os.chdir("/")
    kernel.protect("/", recursive=False)
    os.chdir(FOLDER)


def bind(path: str) -> None:
    """Show a path of the old root at the same place of the new one."""
    target = NEW + path
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(path):
        os.symlink(os.readlink(path), target)
        return
    if os.path.isdir(path):
        os.mkdir(target)
    else:
        os.close(os.open(target, os.O_CREAT))
    # With what is mounted below, for the kernel does not let a namespace look under a mount it was given.
    kernel.mount(path, target, "", kernel.BIND | kernel.REC)
