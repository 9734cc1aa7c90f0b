"""Reading a checkpoint's config.json: every field we rely on is checked and named when it is wrong."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from axon.errors import LoadError


def read_config(folder: Path) -> dict[str, Any]:
    """The folder's config.json."""
    path = folder / "config.json"
    if not path.is_file():
        raise LoadError(f"{folder} has no config.json, so it is not a checkpoint folder")
    try:
        config = json.loads(path.read_text())
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise LoadError(f"{path} is not valid JSON ({error})") from None
    if not isinstance(config, dict):
        raise LoadError(f"{path} must hold a JSON object, got {type(config).__name__}")
    return config


def needed(config: Mapping[str, Any], name: str, kind: type) -> Any:
    """A field that must be there, positive and of its kind; an int passes for a float."""
    if config.get(name) is None:
        raise LoadError(f"config.json lacks the field {name}")
    value = config[name]
    fits = isinstance(value, (int, float) if kind is float else kind) and not isinstance(value, bool)
    if not fits or value <= 0:
        raise LoadError(f"config.json gives {name} as {value!r}, a positive {kind.__name__} is needed")
    return value


def token_id(config: Mapping[str, Any], name: str) -> int:
    """A token id that must be there."""
    value = config.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise LoadError(f"config.json lacks the field {name} (a token id), got {value!r}")
    return value


def settled(config: Mapping[str, Any], fixed: Mapping[str, Any], family: str) -> None:
    """Refuse variants of a family we do not build; a field that is absent or null takes the family's value."""
    for name, value in fixed.items():
        given = config.get(name)
        if given is not None and given != value:
            raise LoadError(f"config.json gives {name} as {given!r}, only {value!r} is supported for {family}")
