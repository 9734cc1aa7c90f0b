"""How good the network is so far: bare equations, and held-out problems decoded and scored."""

import itertools
import random
from typing import Any

import torch

from axon.decoders import Confidence
from axon.generate import generate
from axon.models.text import Text
from axon.models.transformer import TransformerModel
from axon.sandbox import isolation
from axon.settings import Settings
from axon.tasks import BUNDLED, Code
from axon.training.drills import row
from axon.training.noise import Vocabulary, results_in


def equations(network: Any, tokenizer: Any, vocabulary: Vocabulary, seed: int, rows: int = 16) -> float:
    """The share of fresh equations whose results, all hidden at once, come out right."""
    rng = random.Random(f"equations {seed}")
    right = total = 0
    place = next(network.parameters()).device
    for _ in range(rows):
        tokens = tokenizer.encode(row(rng), add_special_tokens=False)
        hidden = torch.tensor(results_in(tokens, vocabulary))
        target = torch.tensor(tokens)
        given = target.masked_fill(hidden, vocabulary.mask)[None].to(place)
        with torch.no_grad():
            states = network.model(input_ids=given, use_cache=False).last_hidden_state
            found = network.lm_head(states)[0].argmax(-1).cpu()
        ends = (target == tokenizer.convert_tokens_to_ids(";")).nonzero().flatten().tolist()
        for first, last in itertools.pairwise([-1, *ends]):
            part = slice(first + 1, last)
            right += bool((found[part] == target[part])[hidden[part]].all())
            total += 1
    return right / total


def accuracy(model: TransformerModel, task: str, seed: int, first: int, count: int) -> int:
    """How many of some held-out problems (not the fixed test problems) are answered right."""
    source = BUNDLED[task].generate(seed, "test")
    problems = list(itertools.islice(source, first, first + count))
    settings = Settings(max_new_tokens=128, block_length=32)
    chats = [[{"role": "user", "content": problem.prompt}] for problem in problems]
    results = generate(model, chats, Confidence(), settings)
    right = 0
    for problem, result in zip(problems, results, strict=True):
        right += BUNDLED[task].score(problem, result.text).correct
    return right


def scorable(task: str) -> bool:
    """Whether answers can be scored on this machine; code is run only where it can be shut in."""
    return task != Code.name or isolation().available


def as_model(network: Any, tokenizer: Any) -> TransformerModel:
    """The network in training as the engine sees a checkpoint."""
    return TransformerModel(
        network=network,
        name="in training",
        family="llada",
        mask_id=tokenizer.mask_token_id,
        eos_ids=frozenset({tokenizer.eos_token_id}),
        shift=0,
        text=Text(tokenizer, "in training"),
    )
