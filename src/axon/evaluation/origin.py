"""Where results come from: what a person needs to make them again, beside what they depend on."""

import platform
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

_ROOT = Path(__file__).parents[3]


_DECODING = ("axon-dllm", "torch", "transformers", "tokenizers")
_SCORING = ("lm_eval", "math-verify", "sympy", "datasets")


def versions(*, published: bool = False) -> dict[str, str]:
    """Of the packages that a result depends on; published tasks are scored by other people's."""
    found = {}
    for name in (*_DECODING, *(_SCORING if published else ())):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def origin() -> dict[str, Any]:
    """The command, the day, the source and the machine."""
    return {
        "command": shlex.join(["axon", *sys.argv[1:]]),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": commit(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {torch.get_num_threads()} threads",
    }


def commit() -> str | None:
    """The commit of the source this runs from, with a + if files differ from it; None for an installed package."""
    if not (_ROOT / ".git").exists():
        return None
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        return f"{head}+" if _git("status", "--porcelain", "--untracked-files=no") else head
    except (OSError, subprocess.SubprocessError):
        return None


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(_ROOT), *arguments], capture_output=True, text=True, check=True, timeout=20)
    return done.stdout.strip()
