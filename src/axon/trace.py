"""A run as JSON lines: a header, then every Step as it happened; read back and replayed to the same canvas.

Each line also brings the text of tokens not met before ("pieces"), so a trace can be shown without its model.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from axon.canvas import Canvas
from axon.decoders.base import Decoder, GateReading
from axon.engine import Step
from axon.errors import AxonError
from axon.models.base import Model
from axon.settings import Settings

FORMAT = "axon-trace/1"


def replay(canvas: Canvas, steps: Iterable[Step]) -> tuple[int, ...]:
    """The canvas after these steps."""
    tokens = list(canvas.tokens)
    for step in steps:
        for position, token in zip(step.positions, step.tokens, strict=True):
            tokens[position] = token
    return tuple(tokens)


def header(model: Model, decoder: Decoder, settings: Settings, canvases: Iterable[Canvas]) -> dict[str, Any]:
    """What is needed to run it again."""
    return {
        "format": FORMAT,
        "versions": {name: version(name) for name in ("axon-dllm", "torch", "transformers")},
        "model": model.describe() | {"mask_id": model.mask_id, "eos_ids": sorted(model.eos_ids)},
        "decoder": str(decoder),
        "settings": settings.as_dict(),
        "rows": [{"tokens": canvas.tokens, "holes": canvas.holes, "spans": canvas.spans} for canvas in canvases],
    }


class TraceWriter:
    """Writes a trace line by line, so that a run cut short leaves what it did.

    Making one writes the header, so a path that cannot be written is refused before anything is decoded; the
    steps are written while it is entered.
    """

    def __init__(
        self, path: str | Path, model: Model, decoder: Decoder, settings: Settings, canvases: Sequence[Canvas]
    ) -> None:
        self._path, self._model = Path(path), model
        self._told: set[int] = set()
        self._file = self._open("w")
        with self:
            top = header(model, decoder, settings, canvases)
            self._line(top, {token for canvas in canvases for token in canvas.tokens})

    def write(self, step: Step) -> None:
        self._line(asdict(step), set(step.tokens))

    def __enter__(self) -> "TraceWriter":
        if self._file.closed:
            self._file = self._open("a")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        try:
            self._file.close()
        except OSError as failed:  # what could not be written before is tried once more here
            if error is None:
                raise self._refusal(failed) from None

    def _open(self, mode: str) -> IO[str]:
        try:
            return open(self._path, mode, encoding="utf-8")
        except OSError as error:
            raise self._refusal(error) from None

    def _refusal(self, error: OSError) -> AxonError:
        return AxonError(f"cannot write the trace to {self._path}: {error.strerror}")

    def _line(self, record: dict[str, Any], tokens: set[int]) -> None:
        if self._model.has_tokenizer:
            fresh = sorted(tokens - self._told)
            self._told.update(fresh)
            record["pieces"] = {token: self._model.decode([token]) for token in fresh}
        try:
            self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as error:
            raise self._refusal(error) from None


def write_trace(
    path: Path,
    model: Model,
    decoder: Decoder,
    settings: Settings,
    canvases: Sequence[Canvas],
    rows: Sequence[Sequence[Step]],
) -> None:
    """Write what was decoded before, a row after the other; the file is there whole or not at all."""
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AxonError(f"cannot write the trace to {path}: {error.strerror}") from None
    with TraceWriter(part, model, decoder, settings, canvases) as writer:
        for row, steps in enumerate(rows):
            for step in steps:
                # Rows that were not decoded together all began as the first.
                writer.write(replace(step, row=row))
    try:
        part.replace(path)
    except OSError as error:
        raise AxonError(f"cannot write the trace to {path}: {error.strerror}") from None


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace read back. `truncated` says that the last line was cut off and left out.

    `pieces` is the text of every token that occurs, empty if the model came without a tokenizer.
    """

    header: dict[str, Any]
    canvases: tuple[Canvas, ...]
    steps: tuple[Step, ...]
    pieces: dict[int, str]
    truncated: bool

    def canvas(self, row: int, upto: int | None = None) -> tuple[int, ...]:
        """A row's canvas after its first `upto` steps, or after all of them."""
        mine = [step for step in self.steps if step.row == row]
        return replay(self.canvases[row], mine[:upto])

    def tokens(self, row: int) -> tuple[int, ...]:
        """A row's new tokens, up to the first EOS where the run stopped there."""
        model, ends = self.header["model"], self.header["model"]["eos_ids"]
        holes = self.canvases[row].written(
            self.canvas(row), model["mask_id"], ends if self.header["settings"]["stop_at_eos"] else ()
        )
        return tuple(token for tokens in holes for token in tokens)


def read_trace(path: str | Path) -> Trace:
    """Read a trace; a last line that was cut off is left out and reported, any other damage is an error."""
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise AxonError(f"cannot read the trace {path}: {error.strerror}") from None
    # A complete file ends with a newline, so what follows the last one is empty or a line cut short.
    cut_off = lines.pop() != ""
    if not lines:
        raise AxonError(f"{path} is not a trace: it has no complete header line")
    records = []
    for number, line in enumerate(lines, start=1):
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            raise AxonError(f"{path} is not a trace: line {number} is not JSON") from None
    top = records[0]
    if not isinstance(top, dict) or top.get("format") != FORMAT:
        raise AxonError(f"{path} is not a trace: its first line does not say format {FORMAT}")
    try:
        pieces = {int(token): text for record in records for token, text in record.pop("pieces", {}).items()}
        canvases = tuple(_canvas(row) for row in top["rows"])
        steps = tuple(_step(record, len(canvases)) for record in records[1:])
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        raise AxonError(f"{path} is damaged: a record lacks or misnames a field ({error})") from None
    return Trace(top, canvases, steps, pieces, cut_off)


def _canvas(row: dict[str, Any]) -> Canvas:
    free = [False] * len(row["tokens"])
    for start, end in row["holes"]:
        free[start:end] = [True] * (end - start)
    spans = row["spans"]
    return Canvas(tuple(row["tokens"]), tuple(free), None if spans is None else tuple(spans))


def _step(record: dict[str, Any], rows: int) -> Step:
    gate = record.pop("gate")
    if not 0 <= record["row"] < rows:
        raise KeyError(f"row {record['row']}")
    return Step(**_tuples(record), gate=None if gate is None else GateReading(**_tuples(gate)))


def _tuples(record: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
