"""Leaves the user's namespaces: no files, processes, network, shared memory or privileges of the outside."""

import os

from axon.sandbox.inside import kernel

NOBODY = 65534
ALL = kernel.NEWUSER | kernel.NEWNS | kernel.NEWPID | kernel.NEWNET | kernel.NEWIPC | kernel.NEWUTS


def enter() -> None:
    """Enter fresh namespaces, with every capability inside them and none outside."""
    target, both = os.getpid(), maps_nobody()
    begin, start = os.pipe()
    # Someone outside has to say which users exist inside: who has entered may name only one, and root needs two.
    outsider = os.fork()
    if outsider == 0:
        os.close(start)
        number = 0
        try:
            if os.read(begin, 1):
                name_users(target, both)
        except OSError as error:
            number = error.errno or 1
        finally:
            os._exit(number)
    os.close(begin)
    kernel.call("unshare", ALL)
    os.write(start, b"x")
    os.close(start)
    number = os.waitstatus_to_exitcode(os.waitpid(outsider, 0)[1])
    if number:
        raise OSError(number, os.strerror(number), "uid_map")
    kernel.call("sethostname", b"sandbox", 7)


def maps_nobody() -> bool:
    """Whether this is root in a place that has a user nobody to become."""
    with open("/proc/self/uid_map") as file:
        ranges = [[int(number) for number in line.split()] for line in file]
    return os.geteuid() == 0 and any(first <= NOBODY < first + count for first, _, count in ranges)


def name_users(target: int, both: bool) -> None:
    """Name the users inside: an ordinary user is nobody there; root is root until it becomes nobody.

    It has to, for the limit of processes does not bind root, whatever its name inside.
    """
    uid, gid = os.geteuid(), os.getegid()
    if not both:
        write(f"/proc/{target}/setgroups", "deny")
    write(f"/proc/{target}/uid_map", f"0 {uid} 1\n{NOBODY} {NOBODY} 1" if both else f"{NOBODY} {uid} 1")
    write(f"/proc/{target}/gid_map", f"0 {gid} 1\n{NOBODY} {NOBODY} 1" if both else f"{NOBODY} {gid} 1")


def write(path: str, text: str) -> None:
    """Write to a file of the kernel, in one piece as it demands."""
    file = os.open(path, os.O_WRONLY)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)


def drop() -> None:
    """Become nobody, without capabilities and without a way to gain any."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    kernel.drop_capabilities()
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
