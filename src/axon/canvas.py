"""A canvas: one row of tokens, some fixed and some free, and the blocks in which the free ones are decoded.

It knows token ids and, for infilling, the verbatim text of its fixed spans. It knows no model beyond the
tokenizer handed to `from_text`.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from axon.errors import AxonError

_HOLE = re.compile(r"\[MASK(?::(-?\d+))?\]")


class Writes(Protocol):
    """The part of a model a canvas needs: its mask token and its tokenizer."""

    @property
    def mask_id(self) -> int: ...

    def encode(self, text: str) -> list[int]: ...


@dataclass(frozen=True)
class Canvas:
    """Tokens of one row; `free[i]` says whether position i is to be written.

    `spans` holds the verbatim text of the fixed spans of an infilling canvas, one more than it has holes.
    """

    tokens: tuple[int, ...]
    free: tuple[bool, ...]
    spans: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.tokens) != len(self.free):
            raise AxonError(
                f"a canvas needs one free flag per token, got {len(self.tokens)} tokens and {len(self.free)} flags"
            )
        if not any(self.free):
            raise AxonError("a canvas needs at least one free position, got none")

    @classmethod
    def from_prompt(cls, prompt: Sequence[int], new_tokens: int, mask_id: int) -> "Canvas":
        """The prompt, fixed, and `new_tokens` free positions behind it."""
        return cls(
            tuple(prompt) + (mask_id,) * new_tokens,
            (False,) * len(prompt) + (True,) * new_tokens,
        )

    @classmethod
    def from_text(cls, model: Writes, text: str) -> "Canvas":
        """Text with holes: `[MASK:12]` is twelve free tokens, `[MASK]` is one; the rest stays as it is."""
        parts = _HOLE.split(text)
        spans, holes = parts[0::2], [1 if size is None else int(size) for size in parts[1::2]]
        if not holes:
            raise AxonError("the text has no hole; write [MASK] for one token or [MASK:n] for n tokens")
        if min(holes) < 1:
            raise AxonError(f"a hole needs at least one token, got [MASK:{min(holes)}]")
        tokens: list[int] = []
        free: list[bool] = []
        for span, size in zip(spans, [*holes, 0], strict=True):
            fixed = model.encode(span) if span else []
            tokens += [*fixed, *[model.mask_id] * size]
            free += [False] * len(fixed) + [True] * size
        return cls(tuple(tokens), tuple(free), tuple(spans))

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def holes(self) -> tuple[tuple[int, int], ...]:
        """The maximal runs of free positions, as (start, end)."""
        edges = [i for i in range(len(self) + 1) if self._is_free(i) != self._is_free(i - 1)]
        return tuple(zip(edges[0::2], edges[1::2], strict=True))

    @property
    def tail(self) -> int:
        """Where the open end begins: behind it there is nothing fixed. len(self) when there is none."""
        start, end = self.holes[-1]
        return start if end == len(self) else len(self)

    def blocks(self, length: int) -> tuple[tuple[int, int], ...]:
        """Blocks of `length` positions from the first free one on, as (start, end).

        The last one may be shorter; a block with nothing to write is left out.
        """
        first, last = self.holes[0][0], self.holes[-1][1]
        cuts = ((start, min(start + length, last)) for start in range(first, last, length))
        return tuple((start, end) for start, end in cuts if any(self.free[start:end]))

    def written(self, tokens: Sequence[int], mask_id: int, ends: Collection[int]) -> list[tuple[int, ...]]:
        """What stands in each hole of the finished row `tokens`, masks left out.

        The open end is read up to the first of `ends` (the EOS tokens that count) or the first gap.
        """
        filled = []
        for start, end in self.holes:
            found = tokens[start:end]
            if start == self.tail:
                stop = (i for i, token in enumerate(found) if token == mask_id or token in ends)
                found = found[: next(stop, len(found))]
            filled.append(tuple(token for token in found if token != mask_id))
        return filled

    def _is_free(self, position: int) -> bool:
        return 0 <= position < len(self) and self.free[position]
