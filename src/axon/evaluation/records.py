"""The results of a run on disk: one JSON line a problem and cell, written whole, read back after any kill."""

import fcntl
import json
import os
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from axon.errors import AxonError

RESULTS, IDENTITY = "results.jsonl", "run.json"
# Held by the process that writes; a file of its own, for the others are replaced.
_LOCK = ".lock"
# What of an origin must change for a continued run to be told of.
_SAME = ("commit", "machine", "python")
Record = dict[str, Any]
Cell = tuple[str, str]


class Records:
    """The records of one folder, opened for one identity.

    Problems are decoded in chunks, and a chunk counts only when all of it is there: a half-written one is dropped
    when the folder is opened and decoded again with the same neighbours.
    """

    def __init__(self, folder: Path, identity: dict[str, Any], origin: dict[str, Any] | None = None) -> None:
        self.folder, self.path = folder, folder / RESULTS
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock()
            self._claim(identity, origin or {})
            self.chunks = self._recover()
        except OSError as error:
            raise AxonError(f"{folder} cannot be used for results: {error.strerror}") from None

    def _claim(self, identity: dict[str, Any], origin: dict[str, Any]) -> None:
        """Write what is run, and by whom first; whoever goes on must run the same, but may do so elsewhere."""
        path = self.folder / IDENTITY
        if not path.is_file():
            if self.path.exists():
                raise AxonError(
                    f"{self.path} has no {IDENTITY} beside it, so it cannot be continued; choose another --out"
                )
            whole_write(path, json.dumps(identity | {"origin": origin}, indent=2) + "\n")
            return
        try:
            before = json.loads(path.read_text())
        except ValueError as error:
            raise AxonError(f"{path} is not valid JSON ({error}); restore it or choose another --out") from None
        if not isinstance(before, dict):
            raise AxonError(f"{path} does not describe a run; restore it or choose another --out")
        now = json.loads(json.dumps(identity))
        names = (before.keys() | now.keys()) - {"origin", "continued"}
        # As text, because the order of decoders counts: traces are numbered by it.
        changed = sorted(name for name in names if json.dumps(before.get(name)) != json.dumps(now.get(name)))
        if changed:
            raise AxonError(
                f"{self.folder} holds results of another run (different: {', '.join(changed)}); choose another --out"
            )
        self._continue(path, before, origin)

    @staticmethod
    def _continue(path: Path, before: dict[str, Any], origin: dict[str, Any]) -> None:
        """Write down who goes on, if it is other source or another machine than before."""
        told = [before.get("origin") or {}, *before.get("continued", [])]
        if all(any(one.get(name) != origin.get(name) for name in _SAME) for one in told):
            whole_write(path, json.dumps(before | {"continued": [*told[1:], origin]}, indent=2) + "\n")

    def _lock(self) -> None:
        """Keep other processes out for as long as these records are in use."""
        held = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        weakref.finalize(self, os.close, held)
        try:
            fcntl.lockf(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise AxonError(
                f"another process is writing results to {self.folder}; wait for it or choose another --out"
            ) from None
        # What a kill left half-written; whoever wrote it is gone.
        for part in self.folder.glob("*.part"):
            part.unlink(missing_ok=True)

    def _recover(self) -> dict[tuple[str, str, int], list[Record]]:
        """Whole chunks only; what a kill left half-written at the end is cut off the file."""
        found: dict[tuple[str, str, int], list[Record]] = {}
        if not self.path.is_file():
            return found
        text = self.path.read_bytes()
        lines = text.split(b"\n")
        records: list[Record] = []
        for number, line in enumerate(lines[:-1], 1):
            try:
                record = parse(line)
            except ValueError:
                raise AxonError(
                    f"line {number} of {self.path} is not a result; repair it or choose another --out"
                ) from None
            found.setdefault((record["task"], record["decoder"], record["chunk"]), []).append(record)
            records.append(record)
        broken = {key for key, part in found.items() if len(part) != part[0]["chunk_size"]}
        if broken or lines[-1]:
            kept = [r for r in records if (r["task"], r["decoder"], r["chunk"]) not in broken]
            whole_write(self.path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in kept))
        return {key: part for key, part in found.items() if key not in broken}

    def add(self, records: Sequence[Record]) -> None:
        """Append a chunk and have it on disk before going on."""
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise AxonError(f"cannot write to {self.path}: {error.strerror}; what was written before is kept") from None
        first = records[0]
        self.chunks[first["task"], first["decoder"], first["chunk"]] = list(records)

    def __contains__(self, key: tuple[str, str, int]) -> bool:
        return key in self.chunks

    def of(self, task: str, decoder: str) -> list[Record]:
        """The records of a cell in the order of its problems."""
        parts = sorted((key[2], part) for key, part in self.chunks.items() if key[:2] == (task, decoder))
        return [record for _, part in parts for record in part]

    def __iter__(self) -> Iterator[Record]:
        return (record for part in self.chunks.values() for record in part)


_Kinds = dict[str, type | tuple[type, ...]]
_EVERY: _Kinds = {"task": str, "decoder": str, "problem": str, "chunk": int, "chunk_size": int, "seconds": (int, float)}
_DECODED: _Kinds = {"text": str, **dict.fromkeys(("tokens", "nfe", "nfe_full", "nfe_cached", "blocks", "gates"), int)}


def parse(line: str | bytes) -> Record:
    """One line of results; ValueError if it is none."""
    record = json.loads(line)
    if not isinstance(record, dict):
        raise ValueError("not an object")
    wanted = _EVERY | (_DECODED if "nfe" in record or "error" not in record else {})
    wrong = [name for name, kind in wanted.items() if not isinstance(record.get(name), kind)]
    if wrong:
        raise ValueError(f"no proper {wrong[0]}")
    return record


def whole_write(path: Path, text: str) -> None:
    """Write a file so that it is either the old or the new one, never half of it."""
    # Its own for every process: several may write the table of one reproduction.
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise AxonError(f"cannot write {path}: {error.strerror}") from None
