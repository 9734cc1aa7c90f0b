"""Figures in the docs are those of the runs on record in docs/results, and those runs are of the shipped model."""

import json
import re
from pathlib import Path

import pytest

import axon
from axon.evaluation.plan import PAPER, weight_hash
from axon.evaluation.summary import CellSummary, Comparison, Speed, Summary
from axon.report.tables import PAIRS, markdown, marked, pair_rows
from axon.tasks import task

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "docs" / "results"
TASKS = ("sums", "code")
PAGES = {
    "results": ROOT / "docs" / "results.md",
    "card": ROOT / "src" / "axon" / "bundled" / "README.md",
    "readme": ROOT / "README.md",
}


def read(name, file):
    return json.loads((RUNS / name / file).read_text())


def recorded(name):
    found = read(name, "summary.json")
    cells = tuple(CellSummary(**cell) for cell in found["cells"])
    pairs = tuple(Comparison(**pair) for pair in found["comparisons"])
    return Summary(cells, pairs), [Speed(**one) for one in read(name, "timing.json")]


@pytest.mark.parametrize("name", TASKS)
def test_the_runs_are_of_the_shipped_weights_and_have_every_row(name):
    run = read(name, "run.json")
    assert run["model"]["weights"] == weight_hash(axon.load("bundled"))
    assert run["tasks"] == {name: task(name).version}
    assert run["seed"] == 0
    assert re.fullmatch("[0-9a-f]{12}", run["origin"]["commit"]), "run from a commit, not from files beside one"
    summary, _ = recorded(name)
    assert run["limit"] is None
    assert {cell.problems for cell in summary.cells} == {len(task(name).problems())} == {500}
    assert {*PAPER, "confidence+axon.paper"} <= {cell.decoder for cell in summary.cells}


@pytest.mark.parametrize("name", [*TASKS, *(f"options-{task}" for task in TASKS)])
def test_the_page_of_results_holds_their_tables_as_they_are(name):
    page = PAGES["results"].read_text()
    assert read(name, "run.json")["model"]["weights"] == weight_hash(axon.load("bundled"))
    assert markdown(*recorded(name)) in page
    assert read(name, "run.json")["origin"]["command"] in page


@pytest.mark.parametrize("name", TASKS)
def test_the_card_compares_every_row_with_its_base_on_the_same_problems(name):
    assert marked(PAIRS, list(pair_rows(recorded(name)[0], name))) in PAGES["card"].read_text()


@pytest.mark.parametrize("page", ["card", "readme"])
def test_rows_quoted_elsewhere_are_rows_on_record(page):
    """A quoted row is `decoder | sums accuracy | evaluations | code accuracy | evaluations`."""
    cells = {(name, cell.decoder): cell for name in TASKS for cell in recorded(name)[0].cells}
    rows = re.findall(
        r"^\| `([^`|]+)` \| ([\d.]+)[^|]*\| ([\d.]+) \| ([\d.]+)[^|]*\| ([\d.]+) \|$", PAGES[page].read_text(), re.M
    )
    assert len(rows) >= 4
    for decoder, *figures in rows:
        right = []
        for name in TASKS:
            cell = cells[name, decoder]
            right += [f"{100 * cell.accuracy:.1f}", f"{cell.nfe:.1f}"]
        assert figures == right, decoder
