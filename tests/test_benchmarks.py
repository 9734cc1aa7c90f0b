"""`make bench` at tiny shapes: everything runs, and what it writes can be read. Nothing here judges speed."""

import json
import math
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def bench(*arguments):
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "benchmarks", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_every_benchmark_runs_and_is_written_with_its_setting(tmp_path):
    out = tmp_path / "quick.json"
    done = bench("--quick", "--output", out)
    assert done.returncode == 0, done.stderr
    written = json.loads(out.read_text())
    assert list(written["benchmarks"]) == list("abcdef")
    assert written["quick"] is True
    assert {"cpu", "cores", "torch", "transformers", "threads", "date"} <= written["machine"].keys()
    assert str(ROOT) not in out.read_text()
    for name, benchmark in written["benchmarks"].items():
        assert f"({name}) {benchmark['title']}" in done.stdout
        for figure in benchmark["figures"]:
            assert math.isfinite(figure["value"])
            assert "met" not in (figure["target"] or {})  # tiny shapes are not judged


def test_an_unknown_benchmark_is_answered_with_the_known_ones():
    done = bench("--only", "z")
    assert done.returncode == 1
    assert done.stderr == "there is no benchmark 'z'; choose from a, b, c, d, e, f\n"


def test_the_numbers_on_record_come_from_a_whole_run_at_full_size():
    record = json.loads((ROOT / "benchmarks" / "results.json").read_text())
    assert record["quick"] is False
    assert list(record["benchmarks"]) == list("abcdef")
