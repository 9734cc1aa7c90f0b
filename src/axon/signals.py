"""What a decoder asks of one evaluation (Needs) and what that evaluation tells it (Signals).

Shapes: B rows, W positions of the widest current block, L tokens of the longest row, V vocabulary.
Everything is batch-first, and every row stands for itself.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from torch import Tensor

Layers = Literal["all"] | int | float


@dataclass(frozen=True, slots=True)
class AttentionNeed:
    """Attention of the block's positions, mean over heads and over the last layers of the model.

    layers   "all", a number of last layers, or a fraction of the depth (rounded up)
    columns  "block": to the block's own positions; "row": to every position of the row
    sinks    also how much attention each column receives, mean over all evaluated positions
    """

    layers: Layers = "all"
    columns: Literal["block", "row"] = "block"
    sinks: bool = False

    def first_layer(self, depth: int) -> int:
        """Index of the first layer averaged, for a model of `depth` layers."""
        if self.layers == "all":
            return 0
        count = math.ceil(self.layers * depth) if isinstance(self.layers, float) else int(self.layers)
        return max(0, depth - count)


@dataclass(frozen=True, slots=True)
class Needs:
    """What a decoder wants beside the most likely token and its probability."""

    attention: frozenset[AttentionNeed] = frozenset()
    entropy: bool = False
    margin: bool = False
    log_probs: bool = False

    def __or__(self, other: "Needs") -> "Needs":
        return Needs(
            self.attention | other.attention,
            self.entropy or other.entropy,
            self.margin or other.margin,
            self.log_probs or other.log_probs,
        )


@dataclass(frozen=True, slots=True)
class Frame:
    """What is known of the rows before they are evaluated.

    tokens   (B, L) right padded         lengths  (B,) tokens of the row
    start    (B,) first position of the current block; width (B,) its number of positions
    masked   (B, W) still masked positions of the block
    row_masked (B, L) masked positions of the whole row
    step     (B,) evaluations already spent in this block
    block    (B,) index of the block; blocks (B,) how many the row has
    opened   (B,) masked positions when the block was opened
    """

    tokens: Tensor
    lengths: Tensor
    start: Tensor
    width: Tensor
    masked: Tensor
    row_masked: Tensor
    step: Tensor
    block: Tensor
    blocks: Tensor
    opened: Tensor
    # Derived once per evaluation: (B, W) the block's absolute positions, clamped to the row in padding
    # columns, and which columns are real; (B, L) the positions that belong to the row at all.
    positions: Tensor = field(kw_only=True)
    inside: Tensor = field(kw_only=True)
    valid: Tensor = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class Reading:
    """The vocabulary distribution at n positions, reduced to what was asked for.

    token, confidence (n,): the proposed token and its probability among non-mask tokens.
    neg_entropy, margin (n,): sum of p log p, and p(1) - p(2), when asked; log_probs (n, V) when asked.
    """

    token: Tensor
    confidence: Tensor
    finite: Tensor
    neg_entropy: Tensor | None = None
    margin: Tensor | None = None
    log_probs: Tensor | None = None


@dataclass(frozen=True, slots=True)
class Attention:
    """weights (B, W, W or L) as asked; sinks (B, W or L) mean attention received, or None."""

    weights: Tensor
    sinks: Tensor | None


@dataclass(frozen=True, slots=True)
class Signals:
    """One evaluation of B rows, as a decoder sees it.

    token, confidence  (B, W) at the block's masked positions, 0 elsewhere
    finite             (B,) False where the model's output was not a number
    look(where, needs) the Reading at any further positions, where (B, L) bool, in row-major order;
                       the vocabulary is projected only then, so a decoder asks for few
    """

    frame: Frame
    token: Tensor
    confidence: Tensor
    finite: Tensor
    look: Callable[[Tensor, Needs], Reading]
    neg_entropy: Tensor | None = None
    margin: Tensor | None = None
    log_probs: Tensor | None = None
    attention: Mapping[AttentionNeed, Attention] = field(default_factory=dict)

    @property
    def masked(self) -> Tensor:
        """(B, W) the positions that may be revealed now."""
        return self.frame.masked

    @property
    def step(self) -> Tensor:
        """(B,) evaluations already spent in the block."""
        return self.frame.step
