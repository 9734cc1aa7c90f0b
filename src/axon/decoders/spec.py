"""Decoders from text: "localleap(radius=2)+axon(budget=cover)" for command line, server and config files.

Grammar: name[(key=value, …)], and behind it any number of +wrapper[(key=value, …)]. Values are numbers,
fractions such as 1/8, true, false, none, or bare words.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields
from typing import Any, TypeVar

from axon.decoders.base import Decoder
from axon.errors import AxonError

D = TypeVar("D", bound=type[Decoder])


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A decoder made of a decoder, and the parameters its name stands for."""

    cls: Callable[..., Decoder]
    preset: Mapping[str, Any]


_PART = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(?:\(([^()]*)\))?\s*")
_WORDS = {"none": None, "true": True, "false": False}

_bases: dict[str, type[Decoder]] = {}
_wrappers: dict[str, Wrapper] = {}


def register(cls: D) -> D:
    """Class decorator: make a decoder known to `axon.decoder` under its class name in lower case."""
    name = cls.spec_name()
    known = _bases.get(name, cls)
    # The same class defined again, as when a notebook cell is run twice, takes the place of the old one.
    same = (known.__module__, known.__qualname__) == (cls.__module__, cls.__qualname__)
    if name in _wrappers or not same:
        raise AxonError(f"a decoder named {name} exists already; choose another class name")
    _bases[name] = cls
    return cls


def register_wrapper(name: str, cls: Callable[..., Decoder], preset: Mapping[str, Any]) -> None:
    """Make cls(base, **preset and parameters) known as +name."""
    _wrappers[name] = Wrapper(cls, preset)


def registered() -> dict[str, type[Decoder]]:
    """All base decoders by name, in alphabetical order."""
    return dict(sorted(_bases.items()))


def wrappers() -> dict[str, Wrapper]:
    """All wrappers by name, in alphabetical order."""
    return dict(sorted(_wrappers.items()))


def parameters(cls: Callable[..., Decoder]) -> dict[str, Field[Any]]:
    """A decoder's parameters by name; a wrapper's base is not one of them."""
    return {f.name: f for f in fields(cls) if f.name != "base"}  # type: ignore[arg-type]


def decoder(text: str) -> Decoder:
    """Build a decoder from its text; an unknown name or parameter answers with the allowed ones."""
    if not isinstance(text, str):
        raise AxonError(f"a decoder is given as text such as 'dawn+axon', got {text!r}")
    parts = [_split(part, text) for part in _split_parts(text)]
    name, values = parts[0]
    if name not in _bases:
        hint = f" ({name} wraps a base: write base+{name})" if name in _wrappers else ""
        raise AxonError(f"unknown decoder {name!r}{hint}; known are {', '.join(registered())}")
    built: Decoder = _bases[name](**_checked(name, _bases[name], values))
    for name, values in parts[1:]:
        if name not in _wrappers:
            raise AxonError(f"unknown wrapper {name!r} behind '+'; known are {', '.join(wrappers())}")
        wrapper = _wrappers[name]
        built = wrapper.cls(built, **{**wrapper.preset, **_checked(name, wrapper.cls, values)})
    return built


def _split_parts(text: str) -> list[str]:
    # A plus sign inside parentheses belongs to a number such as 1e+3.
    return re.split(r"\+(?![^()]*\))", text)


def _split(part: str, text: str) -> tuple[str, dict[str, Any]]:
    match = _PART.fullmatch(part)
    if match is None:
        raise AxonError(f"cannot read decoder {text!r} at {part!r}; write name(key=value,…)+axon(key=value,…)")
    values: dict[str, Any] = {}
    for pair in filter(str.strip, (match[2] or "").split(",")):
        key, equals, value = (piece.strip() for piece in pair.partition("="))
        if not equals or not key or not value:
            raise AxonError(f"cannot read parameter {pair.strip()!r} of {match[1]}; write key=value")
        if key in values:
            raise AxonError(f"parameter {key!r} of {match[1]} is given twice")
        values[key] = _value(value)
    return match[1].lower(), values


def _checked(name: str, cls: Callable[..., Decoder], values: dict[str, Any]) -> dict[str, Any]:
    allowed = parameters(cls)
    for key in values:
        if key not in allowed:
            raise AxonError(f"{name} has no parameter {key!r}; it takes {', '.join(allowed) or 'none'}")
    return values


def _value(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    top, slash, bottom = text.partition("/")
    if slash:
        try:
            return float(top) / float(bottom)
        except (ValueError, ZeroDivisionError):
            raise AxonError(f"cannot read the fraction {text!r}") from None
    return text.strip("'\"")
