"""axon average: the mean of the weights of models of one origin."""

import json
import shutil

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

import axon
from axon.models.load import BUNDLED
from axon.training.average import average

FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")


@pytest.fixture
def moved(tmp_path):
    """The bundled model with every weight moved by a quarter, which half precision holds or rounds."""
    folder = tmp_path / "moved"
    folder.mkdir()
    for name in FILES:
        shutil.copy(BUNDLED / name, folder / name)
    weights = load_file(folder / "model.safetensors")
    save_file({name: value + 0.25 for name, value in weights.items()}, folder / "model.safetensors", {"format": "pt"})
    return folder


def test_every_weight_is_the_mean_and_the_rest_is_the_first_ones(run, moved, tmp_path):
    out = tmp_path / "new" / "mean"
    assert run("average", BUNDLED, moved, "--out", out).returncode == 0
    before, after = load_file(BUNDLED / "model.safetensors"), load_file(moved / "model.safetensors")
    mean = load_file(out / "model.safetensors")
    assert mean.keys() == before.keys()
    for name, value in mean.items():
        assert torch.equal(value, ((before[name].float() + after[name].float()) / 2).half()), name
        assert not torch.equal(value, before[name])
    for name in set(FILES) - {"model.safetensors"}:
        assert (out / name).read_bytes() == (BUNDLED / name).read_bytes()
    assert sorted(file.name for file in out.iterdir()) == sorted(FILES)
    assert [file.name for file in out.parent.iterdir()] == ["mean"]


def test_three_of_the_same_are_the_same_and_decode(tmp_path):
    average([BUNDLED] * 3, tmp_path / "mean")
    with safe_open(tmp_path / "mean" / "model.safetensors", "pt") as mean:
        assert mean.metadata() == {"format": "pt"}
    chat = [{"role": "user", "content": "Tom has 12 apples. He buys 9 more. How many apples does he have now?"}]
    settings = axon.Settings(max_new_tokens=64, block_length=32)
    texts = {axon.generate(axon.load(folder), [chat], settings=settings)[0].text
             for folder in (BUNDLED, tmp_path / "mean")}  # fmt: skip
    assert len(texts) == 1


def test_what_cannot_be_averaged_is_refused_and_nothing_is_written(fails, moved, tmp_path):
    out = tmp_path / "out"
    assert "takes at least two model folders, got 1" in fails("average", BUNDLED, "--out", out)
    assert "is no model in LLaDA's format" in fails("average", BUNDLED, "toy", "--out", out)
    assert "missing" in fails("average", BUNDLED, tmp_path / "missing", "--out", out)
    assert "exists; choose another --out" in fails("average", BUNDLED, moved, "--out", moved)
    config = json.loads((moved / "config.json").read_text())
    (moved / "config.json").write_text(json.dumps(config | {"rope_theta": 10000.0}))
    assert "differ in sizes or tokenizer" in fails("average", BUNDLED, moved, "--out", out)
    (tmp_path / "file").write_text("")
    assert "cannot write to" in fails("average", BUNDLED, BUNDLED, "--out", tmp_path / "file" / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"moved", "file"}
