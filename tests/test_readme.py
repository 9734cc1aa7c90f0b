"""What the README prints must run as printed."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def python(code, folder):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=folder, capture_output=True, text=True, timeout=120
    )


def test_the_ten_lines_run_as_printed(tmp_path):
    ten = PYTHON[0]
    assert len([line for line in ten.splitlines() if line.strip()]) == 10
    done = python(ten, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "def solve(numbers):" in done.stdout
    assert "anchor" in done.stdout


def test_the_infilling_lines_run_as_printed(tmp_path):
    done = python(PYTHON[0] + PYTHON[1], tmp_path)
    assert done.returncode == 0, done.stderr
    written = done.stdout.rpartition("<|assistant|>")[2]
    assert "[MASK" not in written
    assert written.startswith("def solve(numbers):\n    result = 0\n    for n in numbers:\n        if")
    assert written.endswith("\n    return result\n")
    known = {}
    exec(written, known)
    assert known["solve"]([1, 2, 3, 4, 5]) == 18


def test_the_decoder_of_the_readme_works_with_axon_the_command_line_and_the_traces(tmp_path):
    (tmp_path / "topfew.py").write_text(PYTHON[2])
    (command,) = [line for line in README.splitlines() if line.startswith("axon generate") and "topfew" in line]
    axon = Path(sys.executable).parent / "axon"
    done = subprocess.run([axon, *shlex.split(command)[1:]], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "gate opening" in done.stderr
    replayed = subprocess.run([axon, "replay", "run.jsonl"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert replayed.stdout == done.stdout


def test_links_of_the_readme_lead_somewhere():
    root = Path(__file__).parent.parent
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (root / target).exists(), target
