"""What became of a program."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "failed", "timeout", "memory", "output"]
# The end of a traceback names the error, so the end is what is kept.
STDERR_KEPT = 4000


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a program ended, and what it wrote.

    status   "ok" only if it ran to the end of its text and left with code 0; "memory" if it was refused memory and
             did not catch that; "timeout" and "output" if it was stopped at a limit; "failed" otherwise
    code     its exit code, 128 + n if signal n ended it, None if it was stopped at a limit
    stdout   what it printed, at most the limit
    stderr   the end of what it wrote there
    seconds  from its start to its end
    """

    status: Status
    code: int | None
    stdout: str
    stderr: str
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether it ran to its end."""
        return self.status == "ok"
