"""Ablations: every sweep of the paper as decoders that differ in one thing, measured and drawn by one command."""

from html import unescape

import pytest

import axon
from axon.decoders.texts import parts
from axon.errors import AxonError
from axon.evaluation.ablations import ABLATIONS, ablation
from axon.report.figures.registry import FIGURES
from axon.report.source import read_run

SIZES = {"alpha": 5, "beta": 25, "budget": 7, "objective": 10, "layers": 5, "reading": 4, "threshold": 13}


@pytest.mark.parametrize("name", ABLATIONS)
def test_an_ablation_is_its_base_and_every_value(name):
    found = ablation(name, ("confidence",))
    assert found[0] == "confidence"
    assert len(found) == 1 + SIZES[name]
    assert len({str(axon.decoder(text)) for text in found}) == len(found)


def test_several_bases_are_swept_each(monkeypatch):
    found = ablation("budget", ("confidence", "dawn(low=0.8)"))
    assert [text for text in found if "+" not in text] == ["confidence", "dawn(low=0.8)"]
    assert sum(text.startswith("dawn(low=0.8)+axon(budget=") for text in found) == 7


def test_what_the_wrapper_says_stays_and_what_it_leaves_open_is_filled():
    assert "confidence+axon.paper(budget=2,alpha=0.5,gate=blend)" in ablation(
        "alpha", ("confidence",), "axon.paper(budget=2,alpha=0.1)"
    )
    wrappers = [parts(text)[-1] for text in ablation("objective", ("confidence",), "axon(budget=cover)")[1:]]
    assert {part.values["budget"] for part in wrappers} == {"cover"}
    wrappers = [parts(text)[-1] for text in ablation("objective", ("confidence",))[1:]]
    assert {part.values["budget"] for part in wrappers} == {"3"}
    assert {(part.values["objective"], part.values["redundancy"]) for part in wrappers} == {
        (kind, price) for kind in ("facility", "graph_cut") for price in ("0", "0.2", "0.3", "0.4", "0.5")
    }


def test_the_readings_take_the_wrappers_other_parameters():
    found = ablation("reading", ("confidence",), "axon(commit=union,budget=2)")
    assert len(found) == 5
    assert {parts(text)[-1].values["budget"] for text in found[1:]} == {"2"}
    assert sum("commit=union" in text for text in found) == 2


def test_a_threshold_is_swept_as_far_as_its_base_allows():
    found = ablation("threshold", ("localleap",))
    # Its relaxed bar of 0.75 stays, so nothing below it can be had.
    assert [text for text in found if "+" not in text] == [
        "localleap", "localleap(threshold=0.8)", "localleap(threshold=0.85)", "localleap(threshold=0.95)"
    ]  # fmt: skip
    assert sum(text.endswith("+axon") for text in found) == 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gamma", ("confidence",)), "unknown ablation 'gamma'; there are alpha, beta, budget, objective, layers, "),
        (("budget", ("fastest",)), "unknown decoder 'fastest'"),
        (("budget", ("confidence",), "confidence+axon"), "axon must be one wrapper such as axon(budget=cover), got "),
        (("threshold", ("sequential",)), "sequential has no threshold to sweep; confidence, factor, localleap, dawn"),
    ],
    ids=str,
)
def test_what_cannot_be_swept_is_refused(arguments, said):
    with pytest.raises(AxonError) as caught:
        ablation(*arguments)
    assert said in str(caught.value)


COMMON = ["--model", "toy", "--tasks", "sums", "--max-new-tokens", 16, "--block-length", 16]


@pytest.mark.parametrize("name", ABLATIONS)
def test_the_command_measures_and_draws_the_sweep(run, tmp_path, name):
    done = run("ablate", name, *COMMON, "--limit", 1, "--out", tmp_path)
    assert done.returncode == 0, done.err
    for kind in ("png", "svg"):
        assert (tmp_path / "figures" / f"sweep-{name}.sums.{kind}").stat().st_size > 0
    page = unescape((tmp_path / "report.html").read_text())
    assert f'<figure aria-label="{FIGURES[f"sweep-{name}"].title}">' in page
    assert f"sweep-{name} was left out" not in page
    (data,) = read_run(tmp_path).tasks
    swept = ablation(name, ("confidence",))
    assert list(data.cells) == list(swept)
    assert [pair.decoder for pair in data.comparisons] == [text for text in swept if "+" in text]


def test_an_unknown_ablation_leaves_no_folder(fails, tmp_path):
    said = fails("ablate", "gamma", *COMMON, "--out", tmp_path / "out")
    assert said.startswith("axon: unknown ablation 'gamma'; there are ")
    assert not (tmp_path / "out").exists()
