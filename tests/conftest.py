"""Models shared by all tests: the weightless toy, and the tiny golden LLaDA and Dream."""

import os

import pytest
import torch
from hypothesis import settings

import axon
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


@pytest.fixture(autouse=True)
def _same_randomness():
    torch.manual_seed(0)
