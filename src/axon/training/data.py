"""Rows without end, made on the fly: problems with their gold answers, equations, and off-topic prompts."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from axon.tasks import BUNDLED
from axon.tasks.sums import LARGEST
from axon.training import chatter, drills
from axon.training.recipe import Recipe

BLOCK = 32
LONGEST_ANSWER = 128
# The library's default length; answers end long before, but the room behind them must not confuse.
LONGEST_ROOM = 256


@dataclass(frozen=True, slots=True)
class Row:
    """Tokens of a prompt and of an answer, and where they come from: a task, drill, asked or chatter."""

    prompt: list[int]
    answer: list[int]
    kind: str


def texts(recipe: Recipe, count: int) -> Iterator[str]:
    """Text of the training split for a tokenizer to learn from."""
    rng = random.Random(f"texts {recipe.seed}")
    if "sums" in recipe.tasks:
        # Large ones are rare in problems, and each must be a token of its own, or equations differ in length.
        yield from (f"{number} " * (count // 20) for number in range(LARGEST + 1))
    sources = [BUNDLED[name].generate(recipe.seed, "train") for name in dict.fromkeys(recipe.tasks)]
    for _ in range(count):
        problem = next(rng.choice(sources))
        yield problem.prompt
        yield problem.gold
    for _ in range(count // 20):
        yield from chatter.pair(rng, recipe.tasks)
        if "sums" in recipe.tasks:
            yield from drills.asked(rng)


class Rows:
    """The stream of one process; `start` keeps a continued run from seeing its first rows again."""

    def __init__(self, recipe: Recipe, tokenizer: Any, process: int, start: int) -> None:
        seed = f"{recipe.seed} {process} {start}"
        self.recipe = recipe
        self.rng = random.Random(f"rows {seed}")
        number = self.rng.randrange(1, 2**60)
        self.sources = {name: BUNDLED[name].generate(number, "train") for name in recipe.tasks}
        # The fast tokenizer beneath: no padding, no warnings, many texts at a time.
        self.tokenizer = tokenizer.backend_tokenizer
        self.chat = tokenizer.apply_chat_template(
            [{"role": "user", "content": "\0"}], tokenize=False, add_generation_prompt=True
        )

    def take(self, count: int, *, drills: float) -> list[Row]:
        """The next rows, this share of them equations if there are sums."""
        kinds = [self._kind(drills) for _ in range(count)]
        pairs = [self._pair(kind) for kind in kinds]
        encoded = self.tokenizer.encode_batch(list(itertools.chain(*pairs)), add_special_tokens=False)
        rows = []
        for kind, prompt, answer in zip(kinds, encoded[::2], encoded[1::2], strict=True):
            rows.append(Row(prompt.ids, answer.ids[: LONGEST_ANSWER - 1], kind))
        return rows

    def _kind(self, drills: float) -> str:
        recipe = self.recipe
        if "sums" in recipe.tasks and self.rng.random() < drills:
            # Asked for as often as bare: rows without a prompt alone would teach the model to look at none.
            return self.rng.choice(("drill", "asked"))
        if self.rng.random() < recipe.chatter:
            return "chatter"
        return self.rng.choice(recipe.tasks)

    def _pair(self, kind: str) -> tuple[str, str]:
        if kind == "drill":
            return "", drills.row(self.rng)
        if kind == "asked":
            prompt, answer = drills.asked(self.rng)
        elif kind == "chatter":
            prompt, answer = chatter.pair(self.rng, self.recipe.tasks)
        else:
            problem = next(self.sources[kind])
            prompt, answer = problem.prompt, problem.gold
        return self.chat.replace("\0", prompt), answer
