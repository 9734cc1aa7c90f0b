"""What a program may use before it is stopped."""

from dataclasses import asdict, dataclass

from axon import checks


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one program, checked when made.

    seconds       time by the clock, counted from the moment the program starts
    memory_mb     address space of each of its processes
    processes     the program itself and whatever it starts, threads included
    output_bytes  standard output and standard error together
    file_mb       its folder as a whole, and so every file in it

    Memory is limited per process because an ordinary user has no means to limit a group. All processes together
    stay below memory_mb times processes, 4 GB as given here, which only a program that forks and allocates at
    once comes near.
    """

    seconds: float = 5.0
    memory_mb: int = 512
    processes: int = 8
    output_bytes: int = 100_000
    file_mb: int = 8

    def __post_init__(self) -> None:
        checks.number("seconds", self.seconds, 0.1, 86_400)
        # Below 64 MB the interpreter itself has no room.
        checks.whole("memory_mb", self.memory_mb, least=64)
        checks.whole("processes", self.processes)
        checks.whole("output_bytes", self.output_bytes)
        checks.whole("file_mb", self.file_mb)

    def as_dict(self) -> dict[str, float]:
        """Plain values, for the child and for files."""
        return asdict(self)


DEFAULT = Limits()
