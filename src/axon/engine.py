"""The loop: evaluate, propose, commit. The only place that writes a canvas.

Two laws hold for every decoder. Only masked positions of a row's current block change. Every evaluated row
makes progress: an empty proposal becomes the single most confident position, lowest index on ties, unless
the decoder's own schedule says that this step reveals nothing. Rows are independent and may join and leave
between steps; that is all continuous batching is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import torch

from axon import checks
from axon.canvas import Canvas
from axon.decoders.base import Decoder, GateReading, best
from axon.errors import AxonError
from axon.models.base import Model, Sampling
from axon.settings import CACHES, Settings
from axon.signals import Frame, Signals

Finish = Literal["stop", "length", "error"]
# A schedule may reveal nothing for a while, not for ever.
_LONGEST_WAIT = 1024


@dataclass(frozen=True, slots=True)
class Step:
    """One evaluation of one row: what it revealed, and why. Positions are absolute on the row's canvas.

    origin      "base": the decoder's proposal; "anchor": AXON's gate was open and these are its anchors (with
                commit="union" the base's positions too); "fallback": the proposal was empty
    gate        AXON's reading, None for other decoders
    evaluation  "full", or "cached" where a cache left only part of the row to evaluate
    finish_reason  set on a row's last step: "stop" (EOS or a stop text), "length" (nothing left to write),
                "error" (then `error` says what happened and nothing is revealed)
    """

    row: int
    index: int
    block: int
    step_in_block: int
    positions: tuple[int, ...]
    tokens: tuple[int, ...]
    confidences: tuple[float, ...]
    origin: Literal["base", "anchor", "fallback"] = "base"
    gate: GateReading | None = None
    evaluation: Literal["full", "cached"] = "full"
    finish_reason: Finish | None = None
    error: str | None = None


@dataclass
class _Row:
    """A row under way."""

    key: int
    tokens: np.ndarray[Any, np.dtype[np.int64]]
    masked: np.ndarray[Any, np.dtype[np.bool_]]
    blocks: tuple[tuple[int, int], ...]
    tail: int
    settings: Settings
    sampling: Sampling | None
    state: Any
    block: int = 0
    step_in_block: int = 0
    opened: int = field(init=False)
    index: int = 0
    settled: int = field(init=False)

    def __post_init__(self) -> None:
        self.opened = int(self._current_mask().sum())
        self.settled = self.tail

    def _current_mask(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        start, end = self.blocks[self.block]
        return self.masked[start:end]

    def advance(self) -> bool:
        """Count one step; move on to the next block when this one is written. False when all are."""
        self.index += 1
        self.step_in_block += 1
        if self._current_mask().any():
            return True
        while self.block + 1 < len(self.blocks):
            self.block += 1
            self.step_in_block = 0
            self.opened = int(self._current_mask().sum())
            if self.opened:
                return True
        return False


class Engine:
    """Decodes any number of rows together with one model and one decoder."""

    def __init__(self, model: Model, decoder: Decoder, cache: str = "none") -> None:
        checks.one_of("cache", cache, CACHES)
        self.model = model
        self.decoder = decoder
        self._cache = model.new_cache(cache)
        self._rows: dict[int, _Row] = {}

    @property
    def active(self) -> int:
        """How many rows are under way."""
        return len(self._rows)

    def join(self, key: int, canvas: Canvas, settings: Settings) -> None:
        """Let a row take part from the next step on; `key` names it in every Step."""
        if key in self._rows:
            raise AxonError(f"row {key} is under way already")
        sampling = None
        if settings.temperature > 0:
            source = torch.Generator(device=self.model.device).manual_seed(settings.seed_of(key))
            sampling = Sampling(settings.temperature, source)
        self._rows[key] = _Row(
            key=key,
            tokens=np.array(canvas.tokens, dtype=np.int64),
            masked=np.array(canvas.free, dtype=np.bool_),
            blocks=canvas.blocks(settings.block_length),
            tail=canvas.tail,
            settings=settings,
            sampling=sampling,
            state=self.decoder.start(),
        )

    def leave(self, key: int) -> None:
        """Take a row out, finished or not."""
        del self._rows[key]
        if self._cache is not None:
            self._cache.drop([key])

    @torch.inference_mode()
    def step(self) -> list[Step]:
        """Evaluate every row once; rows that finish have left when this returns."""
        rows = list(self._rows.values())
        if self._cache is None:
            steps = self._evaluate(rows, refresh=True)
        else:
            # The first evaluation of a block is a full one, later ones only the open part.
            fresh = [row for row in rows if row.step_in_block == 0]
            going = [row for row in rows if row.step_in_block > 0]
            steps = self._evaluate(fresh, refresh=True) + self._evaluate(going, refresh=False)
        for done in steps:
            if done.finish_reason is not None:
                self.leave(done.row)
        return sorted(steps, key=lambda step: step.row)

    def _evaluate(self, rows: Sequence[_Row], *, refresh: bool) -> list[Step]:
        if not rows:
            return []
        frame = self._frame(rows)
        view = None if self._cache is None else self._cache.view([row.key for row in rows], refresh=refresh)
        signals = self.model.evaluate(frame, self.decoder.needs, [row.sampling for row in rows], view)
        return self._commit(rows, signals, "full" if refresh else "cached")

    def _frame(self, rows: Sequence[_Row]) -> Frame:
        """Rows side by side, padded on the right, so no row's positions depend on its neighbours."""
        size, length = len(rows), max(len(row.tokens) for row in rows)
        spans = np.array([row.blocks[row.block] for row in rows])
        start, width = spans[:, 0], spans[:, 1] - spans[:, 0]
        tokens = np.empty((size, length), dtype=np.int64)
        row_masked = np.zeros((size, length), dtype=np.bool_)
        for index, row in enumerate(rows):
            # Padding repeats the row's own last token: one of another row's might be the one that is not a number.
            tokens[index] = row.tokens[-1]
            tokens[index, : len(row.tokens)] = row.tokens
            row_masked[index, : len(row.tokens)] = row.masked
        lengths = np.array([len(row.tokens) for row in rows])
        column = np.arange(width.max())
        inside = column < width[:, None]
        positions = np.minimum(start[:, None] + column, (start + width - 1)[:, None])
        counts = np.array([(row.step_in_block, row.block, len(row.blocks), row.opened) for row in rows])

        def send(array: np.ndarray[Any, Any]) -> torch.Tensor:
            return torch.from_numpy(np.ascontiguousarray(array)).to(self.model.device)

        return Frame(
            tokens=send(tokens),
            lengths=send(lengths),
            start=send(start),
            width=send(width),
            masked=send(np.take_along_axis(row_masked, positions, axis=1) & inside),
            row_masked=send(row_masked),
            step=send(counts[:, 0]),
            block=send(counts[:, 1]),
            blocks=send(counts[:, 2]),
            opened=send(counts[:, 3]),
            positions=send(positions),
            inside=send(inside),
            valid=send(np.arange(length) < lengths[:, None]),
        )

    def _commit(self, rows: Sequence[_Row], signals: Signals, kind: Literal["full", "cached"]) -> list[Step]:
        """Apply the two laws and write."""
        proposal = self.decoder.propose(signals, [row.state for row in rows])
        reveal = proposal.reveal & signals.masked
        empty = ~reveal.any(dim=1)
        if proposal.wait is not None:
            empty &= ~(proposal.wait & (signals.step < _LONGEST_WAIT))
        reveal |= best(signals.confidence, signals.masked) & empty[:, None]
        chosen, fell, finite = reveal.cpu().numpy(), empty.tolist(), signals.finite.tolist()
        tokens, confidences = signals.token.cpu().numpy(), signals.confidence.cpu().numpy()
        steps = []
        for index, row in enumerate(rows):
            start = row.blocks[row.block][0]
            (offsets,) = chosen[index].nonzero()
            gate = proposal.gate[index] if proposal.gate is not None else None
            record: dict[str, Any] = {
                "row": row.key,
                "index": row.index,
                "block": row.block,
                "step_in_block": row.step_in_block,
                "evaluation": kind,
            }
            if not finite[index]:
                why = f"row {row.key} stopped at evaluation {row.index}: the model's output is not a finite number"
                steps.append(Step(**record, positions=(), tokens=(), confidences=(), finish_reason="error", error=why))
                continue
            places, written = offsets + start, tokens[index, offsets]
            row.tokens[places] = written
            row.masked[places] = False
            if proposal.state is not None:
                row.state = proposal.state[index]
            more = row.advance()
            steps.append(
                Step(
                    **record,
                    positions=tuple(places.tolist()),
                    tokens=tuple(written.tolist()),
                    confidences=tuple(confidences[index, offsets].tolist()),
                    origin="fallback" if fell[index] else "anchor" if gate and gate.anchors else "base",
                    gate=gate,
                    finish_reason=self._finish(row, more),
                )
            )
        return steps

    def _finish(self, row: _Row, more: bool) -> Finish | None:
        """Whether the row has ended: EOS and stop texts count in its open end, once all before them is revealed."""
        unwritten = np.flatnonzero(row.masked)
        settled = int(unwritten[0]) if len(unwritten) else len(row.tokens)
        if settled > row.settled:
            row.settled = settled
            written = row.tokens[row.tail : settled]
            if row.settings.stop_at_eos and np.isin(written, list(self.model.eos_ids)).any():
                return "stop"
            if row.settings.stop and any(text in self.model.decode(written.tolist()) for text in row.settings.stop):
                return "stop"
        return None if more else "length"
