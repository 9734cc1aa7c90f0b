"""Rows without end, made on the fly: problems with their gold answers, equations, and off-topic prompts."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from axon.tasks import BUNDLED
from axon.training import chatter, drills
from axon.training.recipe import Recipe

BLOCK = 32
LONGEST_ANSWER = 128
# The library's default length; answers end long before, but the room behind them must not confuse.
LONGEST_ROOM = 256


@dataclass(frozen=True, slots=True)
class Row:
    """Tokens of a prompt and of an answer, and whether results of equations in it matter most."""

    prompt: list[int]
    answer: list[int]
    kind: str


def texts(recipe: Recipe, count: int) -> Iterator[str]:
    """Text of the training split for a tokenizer to learn from."""
    rng = random.Random(f"texts {recipe.seed}")
    sources = [BUNDLED[name].generate(recipe.seed, "train") for name in recipe.tasks]
    for _ in range(count):
        problem = next(rng.choice(sources))
        yield problem.prompt
        yield problem.gold
    for _ in range(count // 20):
        yield chatter.prompt(rng)
        yield chatter.answer(rng)


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

    def take(self, count: int, *, drilled: bool) -> list[Row]:
        """The next rows: nothing but equations until they are known, then the mixture."""
        kinds = [self._kind(drilled) for _ in range(count)]
        pairs = [self._pair(kind) for kind in kinds]
        encoded = self.tokenizer.encode_batch(list(itertools.chain(*pairs)), add_special_tokens=False)
        rows = []
        for kind, prompt, answer in zip(kinds, encoded[::2], encoded[1::2], strict=True):
            rows.append(Row(prompt.ids, answer.ids[: LONGEST_ANSWER - 1], kind))
        return rows

    def _kind(self, drilled: bool) -> str:
        recipe = self.recipe
        if "sums" in recipe.tasks and (not drilled or self.rng.random() < recipe.drills):
            return "drill"
        if self.rng.random() < recipe.chatter:
            return "chatter"
        return self.rng.choice(recipe.tasks)

    def _pair(self, kind: str) -> tuple[str, str]:
        if kind == "drill":
            return "", drills.row(self.rng)
        if kind == "chatter":
            return self.chat.replace("\0", chatter.prompt(self.rng)), chatter.answer(self.rng)
        problem = next(self.sources[kind])
        return self.chat.replace("\0", problem.prompt), problem.gold
