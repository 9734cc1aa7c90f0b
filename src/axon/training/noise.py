"""What is masked in a batch and how much each masked token counts.

Most of what a semi-autoregressive decoder meets is not LLaDA's uniform noise: blocks before the current one are
finished, blocks behind it are all masks, and the current one fills mostly from the left. And a result whose operands
are masked teaches nothing but guessing, so part of the rows with equations hide nothing but results.
"""

import random
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from axon.training.data import BLOCK, LONGEST_ANSWER, LONGEST_ROOM, Row

_LEAST_RATE = 0.15
_BLOCK_PATTERN = 0.6
_ONLY_RESULTS = {"drill": 0.8, "asked": 0.25, "sums": 0.3}
# The share of block patterns that are written from left to right up to some place, how much is out of that order, how
# many positions behind the place count, and how much.
_FRONTIER, _STRAY, _NEAR, _NEXT = 0.6, 0.1, 8, 3.0
# The shares of rows with nothing behind their answer's block, and with the room that answers are decoded in.
_NO_ROOM, _USUAL_ROOM = 0.6, 0.35
# Weights: of blocks behind an answer, of blocks not yet begun, of all but results in drills.
_PADDING, _LATER, _OTHER = 0.1, 0.3, 0.2
# Of results where nothing else is hidden: few tokens a row, which whole answers beside them would drown.
_ALONE = 8.0


# (L,) bool.
Mask = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


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


def batches(
    rows: list[Row], size: int, rng: random.Random, order: random.Random, vocabulary: "Vocabulary"
) -> list[Batch]:
    """Rows of similar length together, so that little is spent on padding.

    `order` draws the order of the batches. Processes share it, so that all of them have short batches at the same
    step and none waits for the others.
    """
    sized = sorted(((len(row.prompt) + extent(row, rng), number) for number, row in enumerate(rows)))
    cut = [sized[first : first + size] for first in range(0, len(sized), size)]
    order.shuffle(cut)
    return [masked([rows[number] for _, number in part], part[-1][0], rng, vocabulary) for part in cut]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The token ids that noise must know."""

    mask: int
    eos: int
    equals: int
    numbers: dict[int, int]


def masked(rows: list[Row], length: int, rng: random.Random, vocabulary: Vocabulary) -> Batch:
    """One batch; shorter rows are filled with EOS, which belongs to their answers."""
    targets = np.full((len(rows), length), vocabulary.eos, dtype=np.int64)
    hidden = np.zeros((len(rows), length), dtype=bool)
    weights = np.zeros((len(rows), length), dtype=np.float32)
    noise = np.random.default_rng(rng.getrandbits(64))
    rates = (noise.permutation(len(rows)) + noise.random(len(rows))) / len(rows)
    for number, row in enumerate(rows):
        first, end = len(row.prompt), len(row.prompt) + len(row.answer)
        targets[number, :first] = row.prompt
        targets[number, first:end] = row.answer
        results = np.zeros(length, dtype=bool)
        if row.kind in _ONLY_RESULTS:
            results[first:end] = _results(row.answer, vocabulary)
        weight = np.ones(length, dtype=np.float32)
        # Not from the first EOS on: where an answer may end here or go on, the one must not count more than the other.
        weight[first + (len(row.answer) // BLOCK + 1) * BLOCK :] = _PADDING
        rate = max(float(rates[number]), 1e-3)
        if rng.random() < _ONLY_RESULTS.get(row.kind, 0.0):
            if row.kind == "sums":
                hide = _from_a_result_on(results, np.isin(targets[number], list(vocabulary.numbers)), rng)
                weight[:] = _LATER
                weight[_run(hide & results)] = _ALONE
            else:
                hide = results & (noise.random(length) < 0.7)
                weight[results] = _ALONE
        else:
            hide = noise.random(length) < rate
            factor = np.full(length, 1 / max(rate, _LEAST_RATE), dtype=np.float32)
            if row.kind != "drill" and rng.random() < _BLOCK_PATTERN:
                current = first + BLOCK * rng.randrange(len(row.answer) // BLOCK + 1)
                if rng.random() < _FRONTIER:
                    place = current + rng.randrange(BLOCK)
                    hide = noise.random(length) < np.where(np.arange(length) < place, _STRAY, 1 - _STRAY)
                    factor[:] = _NEXT
                    factor[place + _NEAR :] = _LATER
                hide[:current] = False
                hide[current + BLOCK :] = True
                factor[current + BLOCK :] = _LATER
            weight *= factor
            if row.kind == "drill":
                weight[~results] *= _OTHER
        hide[:first] = False
        hidden[number], weights[number] = hide, weight * hide
    tokens = np.where(hidden, vocabulary.mask, targets)
    return Batch(torch.from_numpy(tokens), torch.from_numpy(targets), torch.from_numpy(weights))


def _from_a_result_on(results: Mask, numbers: Mask, rng: random.Random) -> Mask:
    """Every number from one equation's result on.

    A result comes back as the next equation's first number and behind ####. Left visible, it would be copied from
    there, and nothing learned of the arithmetic.
    """
    begins = np.flatnonzero(results & ~np.roll(results, 1))
    return numbers & (np.arange(len(numbers)) >= rng.choice(begins.tolist()))


def _run(marked: Mask) -> Mask:
    """The first run of marked positions alone."""
    begin = int(marked.argmax())
    behind = np.flatnonzero(~marked[begin:])
    alone = np.zeros_like(marked)
    alone[begin : begin + int(behind[0]) if len(behind) else None] = True
    return alone


def _results(answer: list[int], vocabulary: Vocabulary) -> list[bool]:
    """Which tokens are of a result."""
    inside, found = False, []
    for token in answer:
        inside = token == vocabulary.equals or (inside and token in vocabulary.numbers)
        found.append(inside and token != vocabulary.equals)
    return found
