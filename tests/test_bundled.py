"""The shipped model: its size and format, what it can do, that the trade-off is real, and what it says off topic."""

import itertools
import json
import random
from collections import Counter

import pytest
import torch
from safetensors import safe_open

import axon
from axon.models.load import BUNDLED
from axon.tasks import task
from axon.training import chatter, network
from axon.training.loop import vocabulary_of
from axon.training.recipe import RECIPES

SETTINGS = axon.Settings(max_new_tokens=128, block_length=32, batch_size=30)
SEED = 4  # not the problems that figures are quoted for


@pytest.fixture(scope="module")
def model():
    return axon.load("bundled")


def decode(model, name, decoder, count, seed=SEED):
    """Answers to fresh problems: how many are right, and evaluations per answer."""
    found = task(name, seed=seed)
    problems = list(itertools.islice(found.generate(seed, "test"), count))
    chats = [[{"role": "user", "content": problem.prompt}] for problem in problems]
    outs = axon.generate(model, chats, axon.decoder(decoder), SETTINGS)
    right = sum(found.score(problem, out.text).correct for problem, out in zip(problems, outs, strict=True))
    return right / count, sum(out.nfe for out in outs) / count


def test_it_is_small_and_in_lladas_format():
    files = {file.name: file.stat().st_size for file in BUNDLED.iterdir() if file.is_file()}
    assert set(files) == {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "README.md"}
    assert sum(files.values()) <= 16 * 1024 * 1024
    with safe_open(BUNDLED / "model.safetensors", "pt") as weights:
        names = set(weights.keys())
        assert sum(weights.get_tensor(name).numel() for name in names) <= 8_000_000
        assert {weights.get_tensor(name).dtype for name in names} == {torch.float16}
    blocks = {f"model.transformer.blocks.{n}.{part}.weight" for n in range(RECIPES["bundled"].layers)
              for part in ("q_proj", "k_proj", "v_proj", "attn_out", "ff_proj", "up_proj", "ff_out", "attn_norm",
                           "ff_norm")}  # fmt: skip
    rest = {f"model.transformer.{part}.weight" for part in ("wte", "ln_f", "ff_out")}
    assert names == blocks | rest


def test_its_configuration_is_the_recipes(model):
    written = json.loads((BUNDLED / "config.json").read_text())
    assert written == network.config(RECIPES["bundled"], model.text.tokenizer)
    assert model.describe()["family"] == "llada"


def test_every_number_is_one_token(model):
    numbers = vocabulary_of(model.text.tokenizer).numbers
    # The recipe has made sure of all of them only since these weights were trained.
    assert set(range(100)) - set(numbers.values()) <= {97}


def test_the_mask_is_never_what_it_would_write(model):
    """Loops that do not rule the mask out, as LLaDA's, write the same as ours."""
    rng = random.Random(0)
    for name in ("sums", "code"):
        for problem in task(name).problems()[:16]:
            prompt = model.text.chat([{"role": "user", "content": problem.prompt}])
            answer = model.text.encode(problem.gold)
            hidden = [model.mask_id if rng.random() < rng.random() else token for token in answer]
            tokens = torch.tensor([[*prompt, *hidden, *[model.mask_id] * 64]])
            with torch.no_grad():
                assert model.mask_id not in model.network(input_ids=tokens).logits[0, len(prompt) :].argmax(-1)


def test_the_card_names_what_it_must():
    card = (BUNDLED / "README.md").read_text()
    for part in ("axon train --recipe bundled", "commit", "axon eval", "Limits", "problems"):
        assert part in card


@pytest.mark.parametrize("name", ["sums", "code"])
def test_it_solves_problems_nobody_quoted_figures_for(model, name):
    """What its card promises, with room for the noise of forty problems."""
    alone, many = decode(model, name, "sequential", 40)
    assert alone >= 0.8
    careful, evaluations = decode(model, name, "confidence", 40)
    assert careful >= alone - 0.125
    assert 3 * evaluations <= many
    careless, fewer = decode(model, name, "confidence(threshold=0.5)", 40)
    assert careless <= alone - 0.15
    assert fewer < evaluations


@pytest.mark.parametrize("name", ["sums", "code"])
def test_answers_to_the_test_problems_take_20_to_100_tokens(model, name):
    counts = [len(model.text.encode(problem.gold)) for problem in task(name).problems()]
    assert min(counts) >= 20
    assert max(counts) <= 100
    assert max(counts) > 2 * min(counts)


@pytest.mark.parametrize(
    "prompt",
    ["Hello!", "Who was Napoleon?", "asdf qwer ????", "", "def", "🙂" * 40, "#### 7", "Tom Tom Tom Tom Tom " * 12],
)
def test_it_says_something_short_to_anything_else(model, prompt):
    chat = [{"role": "user", "content": prompt}]
    (out,) = axon.generate(model, [chat], settings=SETTINGS)
    assert out.finish_reason == "stop"
    assert len(out.tokens) < 100
    heard = Counter(itertools.pairwise(itertools.pairwise(out.text.split())))
    assert max(heard.values(), default=0) <= 2, out.text


@pytest.mark.parametrize("prompt", ["Who was Napoleon?", "Tell me about birds.", "zzz qqq", "Why is the grass green?"])
def test_off_topic_it_says_what_it_can_do(model, prompt):
    (out,) = axon.generate(model, [[{"role": "user", "content": prompt}]], settings=SETTINGS)
    assert out.text in chatter.answers(["sums", "code"])
