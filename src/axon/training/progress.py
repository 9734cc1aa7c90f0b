"""A run in the terminal: a bar with loss, speed and time left, and a line for every check."""

import time
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn
from rich.progress import Progress as Bar


class Progress:
    """Takes the lines a run reports. The bar starts with the first one, in the process that reports."""

    def __init__(self) -> None:
        self.bar: Bar | None = None
        self.task: TaskID | None = None
        self.began: tuple[float, float] | None = None

    def __call__(self, line: dict[str, Any]) -> None:
        if self.bar is None:
            self.bar = Bar(TextColumn("training"), BarColumn(), TaskProgressColumn(), TextColumn("{task.description}"))
            self.task = self.bar.add_task("", total=1.0)
            self.bar.start()
        if "accuracy" in line:
            found = ", ".join(f"{name} {share:.0%}" for name, share in line["accuracy"].items())
            self._say(f"step {line['step']}: held-out accuracy {found}")
            return
        if self.began is None:
            self.began = (time.monotonic(), line["progress"])
        if "equations" in line:
            self._say(f"step {line['step']}: fresh equations right {line['equations']:.0%}, loss {line['loss']:.3f}")
        text = f"loss {line['loss']:.3f} · {line['tokens_per_second']:,} tokens/s · {self._left(line['progress'])}"
        assert self.task is not None
        self.bar.update(self.task, completed=line["progress"], description=text)
        if line["progress"] >= 1:
            self.bar.stop()

    def _say(self, text: str) -> None:
        console = self.bar.console if self.bar is not None else Console()
        console.print(text, highlight=False)

    def _left(self, progress: float) -> str:
        assert self.began is not None
        spent, done = time.monotonic() - self.began[0], progress - self.began[1]
        if progress >= 1:
            return "checking"
        if done <= 0:
            return "time left unknown yet"
        minutes = spent / done * (1 - progress) / 60
        return f"{minutes:.0f} min left" if minutes >= 1 else "less than a minute left"
