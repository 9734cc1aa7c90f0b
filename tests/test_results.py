"""Figures in the docs are those of the runs on record in docs/results, and those runs are of the shipped model."""

import re
import sys
from pathlib import Path

import pytest

import axon
from axon.evaluation.plan import PAPER, weight_hash
from axon.tasks import task

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "results"))
import fill


@pytest.mark.parametrize("name", fill.TASKS)
def test_the_runs_are_of_the_shipped_weights_and_have_every_row(name):
    run = fill.read(name, "run.json")
    assert run["model"]["weights"] == weight_hash(axon.load("bundled"))
    assert run["tasks"] == {name: task(name).version}
    assert run["seed"] == 0
    assert re.fullmatch("[0-9a-f]{12}", run["origin"]["commit"]), "run from a commit, not from files beside one"
    summary, _ = fill.recorded(name)
    assert run["limit"] is None
    assert {cell.problems for cell in summary.cells} == {len(task(name).problems())} == {500}
    assert {*PAPER, "confidence+axon.paper"} <= {cell.decoder for cell in summary.cells}


@pytest.mark.parametrize("name", fill.RUNS)
def test_every_run_is_of_the_shipped_weights_and_stands_on_the_page_of_results(name):
    assert fill.read(name, "run.json")["model"]["weights"] == weight_hash(axon.load("bundled"))
    assert f"<!-- run {name} -->" in fill.PAGES[1].read_text()


@pytest.mark.parametrize("page", fill.PAGES, ids=["readme", "results", "card"])
def test_figures_on_the_pages_are_those_on_record(page):
    text = page.read_text()
    assert fill.filled(text) == text
    # And no figure is so only because nothing is filled in.
    broken, count = re.subn(r"(?<=\| )\d+\.\d(?= \|)", "0.0", text)
    assert count > 8
    assert fill.filled(broken) == text


@pytest.mark.parametrize("name", fill.TASKS)
def test_the_card_compares_every_row_with_its_base_on_the_same_problems(name):
    assert f"<!-- pairs {name} -->" in fill.PAGES[2].read_text()
    assert {pair.decoder for pair in fill.recorded(name)[0].comparisons} >= {row for row in PAPER if "+" in row}
