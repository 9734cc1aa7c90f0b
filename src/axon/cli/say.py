"""Sentences on the console, as they are: no markup in a file's name, no colours in a number, no breaks in a path."""

from rich.console import Console


def say(console: Console, *lines: str) -> None:
    """A line each."""
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
