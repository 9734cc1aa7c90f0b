"""Run the benchmarks: print a table, write a result file. A miss is reported, not punished: the exit code is 0."""

import argparse
import json
import sys
from pathlib import Path
from time import perf_counter
from types import ModuleType

import torch
from rich.console import Console

from benchmarks import axon_cost, caches, engine_overhead, head, machine, memory, report, throughput
from benchmarks.figures import Figure
from benchmarks.shapes import FULL, QUICK
from benchmarks.subjects import Subjects

_BENCHMARKS: dict[str, ModuleType] = {
    "a": axon_cost,
    "b": engine_overhead,
    "c": head,
    "d": caches,
    "e": throughput,
    "f": memory,
}
_RESULTS = Path(__file__).parent / "results.json"


def main() -> None:
    options = _options()
    # Tiny shapes gain nothing from threads, and on a busy machine threads that wait for each other lose a lot.
    threads = options.threads or (1 if options.quick else None)
    if threads is not None:
        torch.set_num_threads(threads)
    shape = QUICK if options.quick else FULL
    subjects = Subjects(shape)
    console = Console()
    around = machine.describe()
    results: dict[str, tuple[str, list[Figure]]] = {}
    seconds: dict[str, float] = {}
    for name in options.only:
        benchmark = _BENCHMARKS[name]
        console.print(f"({name}) {benchmark.TITLE} …")
        began = perf_counter()
        results[name] = (benchmark.TITLE, benchmark.run(subjects))
        seconds[name] = round(perf_counter() - began, 1)
    judged = not options.quick
    console.print(report.table(results, judged=judged))
    if options.output is None:
        return
    document = {
        "machine": around,
        "quick": options.quick,
        "shape": {**shape.as_dict(), "dtype": "float32", "device": "cpu"},
        "benchmarks": {
            name: {
                "title": title,
                "seconds": seconds[name],
                "figures": [report.as_dict(figure, judged=judged) for figure in figures],
            }
            for name, (title, figures) in results.items()
        },
    }
    options.output.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny shapes, to see that everything runs; not judged")
    parser.add_argument("--only", default=",".join(_BENCHMARKS), help="which ones, for example a,c")
    parser.add_argument("--output", type=Path, help="where to write the JSON of a quick or partial run")
    parser.add_argument("--threads", type=int, help="torch's threads; 1 is steadier where others use the machine")
    options = parser.parse_args()
    options.only = [name.strip() for name in options.only.split(",")]
    unknown = [name for name in options.only if name not in _BENCHMARKS]
    if unknown:
        sys.exit(f"there is no benchmark {unknown[0]!r}; choose from {', '.join(_BENCHMARKS)}")
    if options.threads is not None and options.threads < 1:
        sys.exit(f"threads must be at least 1, got {options.threads}")
    # Only a whole run at full size may replace the numbers that are on record.
    if options.output is None and not options.quick and set(options.only) == set(_BENCHMARKS):
        options.output = _RESULTS
    return options


if __name__ == "__main__":
    main()
