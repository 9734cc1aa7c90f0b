"""stream() and generate(): one generator of Steps, watched or drained."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from axon.canvas import Canvas
from axon.decoders.base import Decoder
from axon.decoders.confidence import Confidence
from axon.engine import Engine, Finish, Step
from axon.errors import AxonError
from axon.models.base import Model
from axon.prompts import Prompt, to_canvases
from axon.settings import Settings
from axon.support.axon import Axon
from axon.trace import TraceWriter, replay

log = logging.getLogger("axon")


@dataclass(frozen=True)
class Generation:
    """What became of one prompt.

    `canvas` is the whole row as it ended, mask tokens where nothing was written. `tokens` are the new tokens
    only, up to the first EOS and without it, or up to a stop text; `text` is their text, without the stop text.
    """

    model: Model
    start: Canvas
    settings: Settings
    steps: tuple[Step, ...]

    @cached_property
    def canvas(self) -> tuple[int, ...]:
        return replay(self.start, self.steps)

    @property
    def finish_reason(self) -> Finish:
        """Why the row ended: "stop", "length", or "error" (see `error`)."""
        reason = self.steps[-1].finish_reason
        assert reason is not None
        return reason

    @property
    def error(self) -> str | None:
        """What stopped the row, None if nothing did."""
        return self.steps[-1].error

    @property
    def nfe(self) -> int:
        """Model evaluations of this row."""
        return len(self.steps)

    @property
    def nfe_full(self) -> int:
        """Evaluations of the whole row."""
        return sum(step.evaluation == "full" for step in self.steps)

    @property
    def nfe_cached(self) -> int:
        """Evaluations of only the part a cache left open."""
        return self.nfe - self.nfe_full

    @cached_property
    def tokens(self) -> tuple[int, ...]:
        tokens = self._written
        if not self.settings.stop or not self.model.has_tokenizer:
            return tokens
        # Keep the tokens whose text the cut text needs, found by bisection: decoding grows with the tokens.
        low, high = 0, len(tokens)
        while low < high:
            middle = (low + high) // 2
            if len(self.model.decode(tokens[:middle])) >= len(self.text):
                high = middle
            else:
                low = middle + 1
        return tokens[:low]

    @cached_property
    def text(self) -> str:
        text = self.model.decode(self._written)
        cuts = [text.index(stop) for stop in self.settings.stop if stop in text]
        return text[: min(cuts)] if cuts else text

    @cached_property
    def document(self) -> str:
        """The whole text, prompt included; the fixed spans of an infilling canvas stand as they were given."""
        holes = [self.model.decode(tokens) for tokens in self._holes]
        spans = self.start.spans
        if spans is None:
            edges = [0, *(edge for hole in self.start.holes for edge in hole), len(self.start)]
            pairs = zip(edges[0::2], edges[1::2], strict=True)
            spans = tuple(self.model.decode(self.start.tokens[a:b]) for a, b in pairs)
        return "".join(part for pair in zip(spans, [*holes, ""], strict=True) for part in pair)

    @cached_property
    def _holes(self) -> list[tuple[int, ...]]:
        ends = self.model.eos_ids if self.settings.stop_at_eos else ()
        return self.start.written(self.canvas, self.model.mask_id, ends)

    @cached_property
    def _written(self) -> tuple[int, ...]:
        return tuple(token for tokens in self._holes for token in tokens)


def stream(
    model: Model,
    prompts: Prompt | Sequence[Prompt],
    decoder: Decoder | None = None,
    settings: Settings | None = None,
    *,
    trace: str | Path | None = None,
) -> Iterator[Step]:
    """Decode and yield every Step as it happens; `trace` also writes them to a file.

    Without a decoder it is AXON over the confidence threshold.
    """
    decoder, settings = _defaults(decoder, settings)
    return _run(model, to_canvases(model, prompts, settings), decoder, settings, trace)


def generate(
    model: Model,
    prompts: Prompt | Sequence[Prompt],
    decoder: Decoder | None = None,
    settings: Settings | None = None,
    *,
    trace: str | Path | None = None,
) -> list[Generation]:
    """Decode to the end; one Generation per prompt, in their order.

    A row whose evaluation fails ends with finish_reason "error" and leaves the others running.
    """
    decoder, settings = _defaults(decoder, settings)
    canvases = to_canvases(model, prompts, settings)
    steps: list[list[Step]] = [[] for _ in canvases]
    for step in _run(model, canvases, decoder, settings, trace):
        steps[step.row].append(step)
        if step.error is not None:
            log.error(step.error)
    return [Generation(model, canvas, settings, tuple(taken)) for canvas, taken in zip(canvases, steps, strict=True)]


def _defaults(decoder: Decoder | None, settings: Settings | None) -> tuple[Decoder, Settings]:
    decoder = Axon(Confidence()) if decoder is None else decoder
    settings = Settings() if settings is None else settings
    if not isinstance(decoder, Decoder):
        raise AxonError(f"decoder must be a Decoder (axon.decoder(text) builds one), got {decoder!r}")
    if not isinstance(settings, Settings):
        raise AxonError(f"settings must be axon.Settings(…), got {settings!r}")
    return decoder, settings


def _run(
    model: Model, canvases: list[Canvas], decoder: Decoder, settings: Settings, trace: str | Path | None
) -> Iterator[Step]:
    writer = None if trace is None else TraceWriter(trace, model, decoder, settings, canvases)
    return _steps(Engine(model, decoder, settings.cache), canvases, settings, writer)


def _steps(engine: Engine, canvases: list[Canvas], settings: Settings, writer: TraceWriter | None) -> Iterator[Step]:
    waiting = list(enumerate(canvases))[::-1]
    room = settings.batch_size or len(canvases)
    with writer or nullcontext():
        while waiting or engine.active:
            while waiting and engine.active < room:
                engine.join(*waiting.pop(), settings)
            for step in engine.step():
                if writer is not None:
                    writer.write(step)
                yield step
