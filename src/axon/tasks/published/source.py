"""Rows of a published dataset: from a file in a folder of one's own, or from the hub."""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from axon.errors import AxonError

Row = dict[str, Any]
INSTALL = "pip install axon-dllm[eval]"
_KINDS = {str: "a text", int: "a whole number", list: "a list of texts"}


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows of a dataset are, and what each must hold.

    files    file names or patterns in a local folder; the first that is there is taken
    hub      the dataset's id on the hub, `split` of it, and its `configs` one behind the other
    fields   the fields of a row and their types
    """

    files: tuple[str, ...]
    hub: str
    split: str
    fields: Mapping[str, type]
    configs: tuple[str | None, ...] = (None,)

    def rows(self, folder: Path | None) -> list[Row]:
        """All rows, checked; a row of the hub says in `config` where it came from."""
        if folder is None:
            return [row for config in self.configs for row in self._download(config)]
        file = self.file(folder)
        found = [self._checked(row, f"line {number} of {file}") for number, row in _lines(file)]
        if not found:
            raise AxonError(f"{file} is empty; it must hold one JSON object a line")
        return found

    def file(self, folder: Path) -> Path:
        """The local file that is read."""
        if not folder.is_dir():
            raise AxonError(f"there is no folder {folder}; give the one that holds {' or '.join(self.files)}")
        for pattern in self.files:
            found = sorted(folder.glob(pattern))
            if len(found) > 1:
                names = " and ".join(file.name for file in found)
                raise AxonError(f"{folder} holds {names}; keep one of them, or name the whole split {self.files[0]}")
            if found:
                return found[0]
        raise AxonError(
            f"{folder} holds no {' or '.join(self.files)}; put it there, or leave the folder out to load "
            f"{self.hub} from the hub"
        )

    def _download(self, config: str | None) -> Iterator[Row]:
        try:
            import datasets
        except ImportError:
            raise AxonError(
                f"loading {self.hub} needs the package datasets; install it with {INSTALL}, or give a folder that "
                f"holds {' or '.join(self.files)}"
            ) from None
        try:
            loaded = datasets.load_dataset(self.hub, config, split=self.split)
        except Exception as error:  # offline, refused, not found, disk full: its errors share no base class
            reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
            raise AxonError(
                f"{self.hub} did not come from the hub ({reason}); give a folder that holds {' or '.join(self.files)}"
            ) from None
        for number, row in enumerate(loaded):
            yield self._checked(dict(row), f"row {number} of {self.hub}") | {"config": config}

    def _checked(self, row: Any, where: str) -> Row:
        if not isinstance(row, dict):
            raise AxonError(f"{where} is not a JSON object")
        for name, kind in self.fields.items():
            if name not in row:
                raise AxonError(f"{where} lacks the field {name}; it needs {', '.join(self.fields)}")
            value = row[name]
            texts = kind is not list or (isinstance(value, list) and all(isinstance(item, str) for item in value))
            if not isinstance(value, kind) or not texts:
                raise AxonError(f"the field {name} in {where} must be {_KINDS[kind]}, got {value!r:.60}")
        return row


def _lines(file: Path) -> Iterator[tuple[int, Any]]:
    """The JSON values of a file with their line numbers, blank lines left out."""
    number = 0
    try:
        with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, json.loads(line)
    except json.JSONDecodeError as error:
        raise AxonError(f"line {number} of {file} is not valid JSON ({error})") from None
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise AxonError(f"{file} cannot be read behind line {number}: {reason}") from None
