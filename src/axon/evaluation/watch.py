"""What a decoder saw while it wrote, kept for figures: confidences, the block's attention, proposals, gate readings."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from torch import Tensor

from axon import checks
from axon.decoders.base import Decoder, GateReading, Proposal
from axon.errors import AxonError
from axon.evaluation.records import whole_write
from axon.generate import generate
from axon.models.base import Model
from axon.prompts import Prompt
from axon.settings import Settings
from axon.signals import AttentionNeed, Layers, Needs, Signals

FORMAT = "axon-attention/1"
# Finer than any picture, and a third of the file.
_DIGITS = 4


def trace_path(out: Path, task: str, index: int) -> Path:
    """Where a run keeps the trace of its decoder number `index` on a task."""
    return out / "traces" / task / f"{index:02d}.jsonl"


def attention_path(out: Path, task: str, index: int) -> Path:
    """Where a run keeps what its decoder number `index` saw on a task."""
    return out / "attention" / task / f"{index:02d}.json"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation of one row, as its decoder saw it; positions are absolute.

    masked, confidence  the block's masked positions and how sure the model was of each
    attention           what the block's W positions pay to each other, W rows of W
    proposed            what the decoder answered; an empty answer is the engine's to fill
    """

    block: int
    step: int
    start: int
    masked: tuple[int, ...]
    confidence: tuple[float, ...]
    attention: tuple[tuple[float, ...], ...]
    proposed: tuple[int, ...]
    gate: GateReading | None


class _Seen(NamedTuple):
    """A row's state: the watched decoder's own, and the row's evaluations so far."""

    own: Any
    log: list[Evaluation]


@dataclass(frozen=True, slots=True)
class Watch(Decoder):
    """A decoder that answers as the one inside it does, and writes down what that one saw.

    `rows` holds one list of evaluations per row, in the order in which rows were started.
    """

    decoder: Decoder
    layers: Layers = "all"
    rows: list[list[Evaluation]] = field(default_factory=list, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.decoder, Decoder):
            raise AxonError(f"only a decoder can be watched, got {self.decoder!r}")
        checks.layers("layers", self.layers)

    @property
    def _need(self) -> AttentionNeed:
        return AttentionNeed(self.layers, columns="block")

    @property
    def needs(self) -> Needs:
        return self.decoder.needs | Needs(attention=frozenset({self._need}))

    def start(self) -> _Seen:
        self.rows.append([])
        return _Seen(self.decoder.start(), self.rows[-1])

    def propose(self, signals: Signals, state: Sequence[_Seen]) -> Proposal:
        offer = self.decoder.propose(signals, [seen.own for seen in state])
        finite = signals.finite.tolist()
        for row, seen in enumerate(state):
            if finite[row]:
                seen.log.append(self._evaluation(signals, offer, row))
        if offer.state is None:
            return offer
        return replace(offer, state=[_Seen(own, seen.log) for own, seen in zip(offer.state, state, strict=True)])

    def _evaluation(self, signals: Signals, offer: Proposal, row: int) -> Evaluation:
        frame = signals.frame
        start, width = int(frame.start[row]), int(frame.width[row])
        masked = frame.masked[row]
        weights = signals.attention[self._need].weights[row, :width, :width]
        return Evaluation(
            block=int(frame.block[row]),
            step=int(frame.step[row]),
            start=start,
            masked=_places(masked, start),
            confidence=tuple(round(value, _DIGITS) for value in signals.confidence[row][masked].tolist()),
            attention=tuple(tuple(round(value, _DIGITS) for value in line) for line in weights.tolist()),
            proposed=_places(offer.reveal[row] & masked, start),
            gate=None if offer.gate is None else offer.gate[row],
        )

    def __str__(self) -> str:
        # A watched run is the same run, so its trace names the decoder inside.
        return str(self.decoder)


def _places(part: Tensor, start: int) -> tuple[int, ...]:
    return tuple((part.nonzero()[:, 0] + start).tolist())


def watch(
    model: Model, prompt: Prompt, decoder: Decoder, settings: Settings, *, layers: Layers = "all"
) -> list[Evaluation]:
    """Decode one prompt as `generate` would, and return what the decoder saw at each evaluation."""
    watched = Watch(decoder, layers)
    generate(model, [prompt], watched, settings)
    return watched.rows[0]


@dataclass(frozen=True, slots=True)
class Watched:
    """The evaluations of some problems under one decoder, by problem."""

    decoder: str
    rows: dict[str, tuple[Evaluation, ...]]


def write_watched(path: Path, decoder: Decoder, rows: Mapping[str, Sequence[Evaluation]]) -> None:
    """Write the evaluations of some problems, by problem."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AxonError(f"cannot write {path}: {error.strerror}") from None
    plain = {problem: [asdict(seen) for seen in evaluations] for problem, evaluations in rows.items()}
    whole_write(path, json.dumps({"format": FORMAT, "decoder": str(decoder), "rows": plain}) + "\n")


def read_watched(path: Path) -> Watched:
    """Read back what `write_watched` wrote."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AxonError(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise AxonError(f"{path} is not a record of attention: it is not JSON") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise AxonError(f"{path} is not a record of attention: it does not say format {FORMAT}")
    try:
        rows = {problem: tuple(map(_evaluation, seen)) for problem, seen in content["rows"].items()}
        return Watched(str(content["decoder"]), rows)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise AxonError(f"{path} is damaged: a record lacks or misnames a field ({error})") from None


def _evaluation(record: dict[str, Any]) -> Evaluation:
    gate = record.pop("gate")
    attention = tuple(map(tuple, record.pop("attention")))
    if not attention or any(len(row) != len(attention) for row in attention):
        raise ValueError("attention is no square")
    reading = None if gate is None else GateReading(**_tuples(gate))
    return Evaluation(**_tuples(record), attention=attention, gate=reading)


def _tuples(record: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in record.items()}
