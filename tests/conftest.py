"""What all tests share: the weightless toy, the tiny golden LLaDA and Dream, and the command line."""

import io
import os
import sys
from types import SimpleNamespace

import pytest
import torch
from hypothesis import settings

import axon
from axon.cli import main
from cases import golden

os.environ.setdefault("HF_HUB_OFFLINE", "1")
# A busy machine is no failure, and a run that failed must fail again.
settings.register_profile("axon", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("axon")
# The models are tiny: threads would only wait for each other.
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def toy():
    return axon.load("toy")


@pytest.fixture(scope="session")
def llada():
    return golden("llada")


@pytest.fixture(scope="session")
def dream():
    return golden("dream")


@pytest.fixture(scope="session", params=["llada", "dream"])
def checkpoint(request):
    """Each golden model in turn."""
    return golden(request.param)


@pytest.fixture(scope="session", params=["toy", "llada", "dream"])
def model(request):
    """Every kind of model in turn."""
    return axon.load("toy") if request.param == "toy" else golden(request.param)


@pytest.fixture
def run(monkeypatch, capsys):
    """The `axon` command in this process, where standard output is no terminal."""

    def call(*arguments, stdin=""):
        monkeypatch.setattr(sys, "argv", ["axon", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            main()
        return SimpleNamespace(returncode=done.value.code, **capsys.readouterr()._asdict())

    return call


@pytest.fixture
def fails(run):
    """The single sentence of a command that must refuse its input."""

    def call(*arguments, **options):
        done = run(*arguments, **options)
        assert done.returncode == 2
        assert done.out == ""
        (line,) = done.err.splitlines()
        assert line.startswith("axon: ")
        return line

    return call


@pytest.fixture(autouse=True)
def _same_randomness():
    torch.manual_seed(0)
