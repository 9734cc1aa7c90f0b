"""Every allocation torch makes on the CPU during a call, as its profiler reports them.

Exact, and deaf to everything else on the machine: kernels' own buffers count, weights and views do not.
The resident set would also see memory the allocator keeps after a tensor has gone.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

from torch.profiler import ProfilerActivity, profile


@dataclass(frozen=True, slots=True)
class Allocations:
    """Bytes: the most that was held at once beyond what was held before, and the largest single piece."""

    peak: int
    largest: int


def allocations(call: Callable[[], object]) -> Allocations:
    """What one call allocates."""
    # The profiler otherwise announces its start and stop on the terminal.
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        kept = call()
    del kept
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        seen.export_chrome_trace(str(path))
        events = json.loads(path.read_text())["traceEvents"]
    changes = [
        event["args"]["Bytes"]
        for event in sorted((event for event in events if event.get("name") == "[memory]"), key=lambda e: e["ts"])
    ]
    return Allocations(max(accumulate(changes), default=0), max(changes, default=0))
