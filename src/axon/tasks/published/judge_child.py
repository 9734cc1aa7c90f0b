"""The child that compares: a question a line comes in, a verdict a line goes out.

It is run by its path and imports nothing of this package, which would load torch.
"""

import importlib.util
import json
import os
import resource
import signal
import sys
import time
from typing import Any


def main(path: str, seconds: int, memory_mb: int) -> None:
    """Load lm-eval's utils.py of minerva_math and answer until nobody asks."""
    # Only this one file goes to the parent; what a library prints does not.
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)

        def tell(said: dict[str, Any]) -> None:
            out.write(json.dumps(said) + "\n")
            out.flush()

        try:
            rules = _load(path)
        except Exception as error:
            tell({"error": " ".join(str(error).split())})
            return
        _count_processor_time()
        resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
        tell({})
        for line in sys.stdin:
            asked = json.loads(line)
            # The kernel ends this process there, whatever it is doing.
            limit = int(time.process_time()) + seconds + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            try:
                verdict = rules.process_results(asked["doc"], [asked["answer"]])
                found = rules.normalize_final_answer(rules.get_unnormalized_answer(asked["answer"]))
                tell({**verdict, "found": found})
            except Exception as error:  # whatever a text made the libraries do, it was not the right answer
                tell({"error": f"{type(error).__name__}: {error}"[:200]})


def _count_processor_time() -> None:
    """Let the libraries' alarms count the time this process runs, so that a busy machine changes no verdict."""
    signal.SIGALRM = signal.SIGVTALRM  # type: ignore[misc]
    signal.alarm = lambda seconds: int(signal.setitimer(signal.ITIMER_VIRTUAL, seconds)[0])


def _load(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("minerva_utils", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
