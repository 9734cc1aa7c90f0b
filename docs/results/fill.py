"""Writes the tables of the runs on record here into the pages that quote them.

`python docs/results/fill.py sums=runs/eval-sums` first takes a finished run's files on record. A test asks that the
pages are what this makes of them.
"""

import json
import re
import shutil
import sys
from functools import cache
from pathlib import Path

from axon.evaluation.summary import CellSummary, Comparison, Speed, Summary
from axon.report.tables import PAIRS, markdown, marked, pair_rows

RECORDS = Path(__file__).parent
ROOT = RECORDS.parents[1]
TASKS = ("sums", "code")
RUNS = (*TASKS, *(f"options-{name}" for name in TASKS))
PAGES = (ROOT / "README.md", ROOT / "docs" / "results.md", ROOT / "src" / "axon" / "bundled" / "README.md")
# "<!-- run sums -->" … "<!-- end -->": the run's command and tables, or with "pairs" only what AXON changes.
_PART = re.compile(r"<!-- (run|pairs) (\S+) -->\n.*?<!-- end -->", re.DOTALL)
# A decoder, and for each task its accuracy, perhaps with an interval, and its evaluations.
_FIG, _SPAN = r"[\d.]+", r" \([^|]*\)"
_ROW = re.compile(rf"^\| `([^`|]+)` \| {_FIG}({_SPAN})? \| {_FIG} \| {_FIG}(?:{_SPAN})? \| {_FIG} \|$", re.M)


def read(name: str, file: str) -> dict:
    return json.loads((RECORDS / name / file).read_text())


@cache
def recorded(name: str) -> tuple[Summary, list[Speed]]:
    """A run's summary and speeds."""
    found = read(name, "summary.json")
    cells = tuple(CellSummary(**cell) for cell in found["cells"])
    pairs = tuple(Comparison(**pair) for pair in found["comparisons"])
    return Summary(cells, pairs), [Speed(**one) for one in read(name, "timing.json")]


def filled(page: str) -> str:
    """A page with its tables and quoted rows as they are on record."""
    return _ROW.sub(_row, _PART.sub(_part, page))


def _part(found: re.Match) -> str:
    what, name = found.groups()
    if what == "run":
        text = f"```\n{read(name, 'run.json')['origin']['command']}\n```\n\n{markdown(*recorded(name))}"
    else:
        text = f"\n{marked(PAIRS, list(pair_rows(recorded(name)[0], name)))}\n"
    return f"<!-- {what} {name} -->\n{text}\n<!-- end -->"


def _row(found: re.Match) -> str:
    decoder, interval = found.groups()
    texts = [f"`{decoder}`"]
    for name in TASKS:
        cell = next(cell for cell in recorded(name)[0].cells if cell.decoder == decoder)
        low, high = (f"{100 * end:.1f}" for end in cell.interval)
        texts += [f"{100 * cell.accuracy:.1f}" + (f" ({low}–{high})" if interval else ""), f"{cell.nfe:.1f}"]
    return f"| {' | '.join(texts)} |"


def main(arguments: list[str]) -> None:
    """Take runs on record, then fill the pages."""
    for argument in arguments:
        name, _, folder = argument.partition("=")
        if name not in RUNS or not (Path(folder) / "summary.json").is_file():
            sys.exit(f"{argument}: give NAME=FOLDER, a name of {', '.join(RUNS)} and the folder of a finished run")
        (RECORDS / name).mkdir(exist_ok=True)
        for file in ("run.json", "summary.json", "timing.json"):
            shutil.copy(Path(folder) / file, RECORDS / name / file)
        if name in TASKS:
            shutil.copy(Path(folder) / "figures" / "frontier.png", RECORDS / name / "frontier.png")
    for page in PAGES:
        page.write_text(filled(page.read_text()))


if __name__ == "__main__":
    main(sys.argv[1:])
