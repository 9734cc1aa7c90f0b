"""What is masked in a batch and how much each masked token counts.

LLaDA's uniform noise, with two departures: a semi-autoregressive decoder meets finished blocks before the current one
and masks behind it, so some rows look like that; and a result whose operands are masked teaches nothing but guessing,
so part of the rows with equations hide nothing but results. Rows masked as decoding leaves them are in path.py.
"""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from axon.training.data import BLOCK, LONGEST_ANSWER, LONGEST_ROOM, Row

LEAST_RATE = 0.15
_BLOCK_PATTERN = 0.6
_ONLY_RESULTS = {"drill": 0.8, "asked": 0.25}
# The shares of rows with nothing behind their answer's block, and with the room that answers are decoded in.
_NO_ROOM, _USUAL_ROOM = 0.6, 0.35
# Weights: of blocks behind an answer, of blocks not yet begun, of all but results in drills.
_PADDING, LATER, _OTHER = 0.1, 0.1, 0.2
# Of results where nothing else is hidden: few tokens a row, which whole answers beside them would drown.
_ALONE = 8.0


@dataclass(frozen=True, slots=True)
class Batch:
    """tokens (B, L) with masks in; targets and weights (B, L), the weight 0 where nothing is to be learned."""

    tokens: Tensor
    targets: Tensor
    weights: Tensor

    def to(self, place: torch.device) -> "Batch":
        return Batch(self.tokens.to(place), self.targets.to(place), self.weights.to(place))


def extent(row: Row, rng: random.Random) -> int:
    """How many positions an answer gets: to the end of its block, or more, lest the room tell its length."""
    if row.kind == "drill":
        return len(row.answer)
    least, room = -(-(len(row.answer) + 1) // BLOCK), rng.random()
    if room < _NO_ROOM:
        return least * BLOCK
    if room < _NO_ROOM + _USUAL_ROOM:
        return LONGEST_ANSWER
    return rng.randint(least, LONGEST_ROOM // BLOCK) * BLOCK


def alike(rows: list[Row], size: int, rng: random.Random) -> list[tuple[list[Row], int]]:
    """Rows of similar length together, so that little is spent on padding; each group with its length."""
    sized = sorted(((len(row.prompt) + extent(row, rng), number) for number, row in enumerate(rows)))
    cut = [sized[first : first + size] for first in range(0, len(sized), size)]
    return [([rows[number] for _, number in part], part[-1][0]) for part in cut]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The token ids that noise must know."""

    mask: int
    eos: int
    equals: int
    numbers: dict[int, int]


def padded(rows: list[Row], length: int, vocabulary: Vocabulary) -> tuple[Any, Any]:
    """What is to be written in each row, and how much each place of it counts; rows are filled with EOS."""
    targets = np.full((len(rows), length), vocabulary.eos, dtype=np.int64)
    weights = np.ones((len(rows), length), dtype=np.float32)
    for number, row in enumerate(rows):
        first, end = len(row.prompt), len(row.prompt) + len(row.answer)
        targets[number, :first] = row.prompt
        targets[number, first:end] = row.answer
        # Not from the first EOS on: where an answer may end here or go on, the one must not count more than the other.
        weights[number, first + (len(row.answer) // BLOCK + 1) * BLOCK :] = _PADDING
    return targets, weights


def masked(rows: list[Row], length: int, rng: random.Random, vocabulary: Vocabulary) -> Batch:
    """One batch under random masks; shorter rows are filled with EOS, which belongs to their answers."""
    targets, weights = padded(rows, length, vocabulary)
    hidden = np.zeros((len(rows), length), dtype=bool)
    noise = np.random.default_rng(rng.getrandbits(64))
    rates = (noise.permutation(len(rows)) + noise.random(len(rows))) / len(rows)
    for number, row in enumerate(rows):
        first, weight = len(row.prompt), weights[number]
        results = np.zeros(length, dtype=bool)
        if row.kind in _ONLY_RESULTS:
            results[first : first + len(row.answer)] = results_in(row.answer, vocabulary)
        rate = max(float(rates[number]), 1e-3)
        if rng.random() < _ONLY_RESULTS.get(row.kind, 0.0):
            hide = results & (noise.random(length) < 0.7)
            weight[:] = _ALONE
        else:
            hide = noise.random(length) < rate
            weight /= max(rate, LEAST_RATE)
            if row.kind == "drill":
                weight[~results] *= _OTHER
            elif rng.random() < _BLOCK_PATTERN:
                current = first + BLOCK * rng.randrange(len(row.answer) // BLOCK + 1)
                hide[:current] = False
                hide[current + BLOCK :] = True
                weight[current + BLOCK :] *= LATER * max(rate, LEAST_RATE)
        hide[:first] = False
        hidden[number] = hide
    tokens = np.where(hidden, vocabulary.mask, targets)
    return Batch(torch.from_numpy(tokens), torch.from_numpy(targets), torch.from_numpy(weights * hidden))


def results_in(answer: list[int], vocabulary: Vocabulary) -> list[bool]:
    """Which tokens are of a result."""
    inside, found = False, []
    for token in answer:
        inside = token == vocabulary.equals or (inside and token in vocabulary.numbers)
        found.append(inside and token != vocabulary.equals)
    return found
