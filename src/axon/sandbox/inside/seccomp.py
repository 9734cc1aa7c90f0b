"""Refuses the system calls that namespaces and limits leave open; the rest is allowed.

shared memory, message queues, memfd    memory that no limit counts
keyrings                                the user's keys, which no namespace hides
sockets of other families               a virtual machine's socket to its host belongs to no network namespace
new namespaces                          with them come capabilities again, and most of the kernel's known holes
tracing, bpf, perf, io_uring, ...       nothing a program to be scored needs, and a large surface
"""

import ctypes
import errno
import os
import struct

from axon.sandbox.inside import kernel

# name: number on x86_64, number on aarch64
REFUSED = {
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "unshare": (272, 97),
    "setns": (308, 268),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
}
CLONE, CLONE3, SOCKET = (56, 220), (435, 435), (41, 198)
MACHINES = {"x86_64": (0, 0xC000_003E), "aarch64": (1, 0xC000_00B7)}
FAMILIES = (1, 2, 10)  # unix, inet, inet6: these belong to a network namespace
NAMESPACES = 0x7E02_0000  # every CLONE_NEW* flag that clone takes
X32 = 0x4000_0000  # on x86_64, the same calls once more under other numbers
ALLOW, ERROR = 0x7FFF_0000, 0x0005_0000
LOAD, EQUAL, ATLEAST, ANY, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST = 0, 4, 16  # where struct seccomp_data holds them


def rules(machine: str) -> list[tuple[int, int, int, int]]:
    """The filter as BPF instructions: code, steps to skip if true, steps to skip if false, operand."""
    if machine not in MACHINES:
        raise OSError(errno.ENOSYS, f"the sandbox knows {' and '.join(MACHINES)}, not {machine}", "seccomp")
    column, architecture = MACHINES[machine]
    refuse = (RETURN, 0, 0, ERROR | errno.EPERM)
    allow = (RETURN, 0, 0, ALLOW)
    code = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), refuse]
    code += [(LOAD, 0, 0, NUMBER), (ATLEAST, 0, 1, X32), refuse]
    for numbers in REFUSED.values():
        code += [(EQUAL, 0, 1, numbers[column]), refuse]
    # Its flags are behind a pointer, where a filter cannot look; told that it does not exist, libc uses clone.
    code += [(EQUAL, 0, 1, CLONE3[column]), (RETURN, 0, 0, ERROR | errno.ENOSYS)]
    code += [(EQUAL, 0, 4, CLONE[column]), (LOAD, 0, 0, FIRST), (ANY, 0, 1, NAMESPACES), refuse, allow]
    code += [(EQUAL, 0, 2 * len(FAMILIES) + 2, SOCKET[column]), (LOAD, 0, 0, FIRST)]
    for family in FAMILIES:
        code += [(EQUAL, 0, 1, family), allow]
    return [*code, (RETURN, 0, 0, ERROR | errno.EAFNOSUPPORT), allow]


def install() -> None:
    """Put the filter on this process and all it will start; there is no way to take it off."""
    code = rules(os.uname().machine)
    packed = ctypes.create_string_buffer(
        b"".join(struct.pack("HBBI", op, yes, no, operand) for op, yes, no, operand in code)
    )
    # struct sock_fprog: the number of instructions and a pointer to them
    program = ctypes.create_string_buffer(struct.pack("HP", len(code), ctypes.addressof(packed)))
    kernel.prctl(kernel.PR_SET_SECCOMP, 2, program)
