"""Decoder texts taken apart: which parameters they hold, and how to name them in the width of a label.

Texts are read, not built, so a run made with a plug-in can be reported without it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass

from axon.decoders import spec
from axon.decoders.base import Decoder

_PART = re.compile(r"\s*([\w.]+)\s*(?:\(([^()]*)\))?\s*")


@dataclass(frozen=True, slots=True)
class Part:
    """One name of a decoder text and the parameters behind it, as written."""

    name: str
    values: dict[str, str]

    def __str__(self) -> str:
        inner = ",".join(f"{name}={value}" for name, value in self.values.items())
        return f"{self.name}({inner})" if inner else self.name

    def without(self, *names: str) -> "Part":
        """The same without some parameters."""
        return Part(self.name, {name: value for name, value in self.values.items() if name not in names})


def parts(text: str) -> list[Part]:
    """The base and the wrappers of a decoder text; what cannot be read is a name without parameters."""
    found = []
    # A plus sign inside parentheses belongs to a number such as 1e+3.
    for piece in re.split(r"\+(?![^()]*\))", text):
        match = _PART.fullmatch(piece)
        if match is None:
            found.append(Part(piece.strip(), {}))
            continue
        pairs = (pair.partition("=") for pair in (match[2] or "").split(",") if pair.strip())
        named = {name.strip(): value.strip() for name, _, value in pairs}
        found.append(Part(match[1], {name: _value(name, value) for name, value in named.items()}))
    return found


def _value(name: str, value: str) -> str:
    """One way to write a number; but one layer and the whole depth, 1 and 1.0, are not the same."""
    if name == "layers":
        return value
    try:
        return f"{float(value):.12g}"
    except ValueError:
        return value


def base_text(text: str) -> str | None:
    """The text of the decoder inside a wrapped one with its numbers written one way, None for a plain one."""
    *inner, _ = parts(text)
    return "+".join(map(str, inner)) or None


def bases(resolved: Mapping[str, str]) -> dict[str, str | None]:
    """For decoders by name, each with its full text: the name of the base of every wrapped one.

    None for plain decoders, and where the base is not among them.
    """
    names = {same(text): name for name, text in reversed(list(resolved.items()))}
    inside = {name: base_text(text) for name, text in resolved.items()}
    return {name: None if text is None else names.get(text) for name, text in inside.items()}


def changed(text: str, place: int, **values: object) -> str:
    """A decoder text with some parameters of its base (0) or of its last wrapper (-1) set."""
    found = parts(text)
    part = found[place]
    found[place] = Part(part.name, part.values | _texts(values))
    return "+".join(map(str, found))


def same(text: str) -> str:
    """A decoder text with its numbers written one way, so that equal decoders have equal texts."""
    return "+".join(map(str, parts(text)))


def wrapped(text: str) -> bool:
    """Whether a decoder text has a wrapper such as +axon."""
    return len(parts(text)) > 1


def short(text: str) -> str:
    """A decoder text without the parameters that stand at their defaults, and with the preset that says most."""
    base, *wrappers = parts(text)
    known = spec.registered().get(base.name)
    said = [_beside(base, _defaults(known)) if known else base]
    for part in wrappers:
        presets = spec.wrappers()
        if part.name not in presets:
            said.append(part)
            continue
        alike = {name: preset for name, preset in presets.items() if preset.cls is presets[part.name].cls}
        options = [
            _beside(Part(name, part.values), _defaults(preset.cls) | _texts(preset.preset))
            for name, preset in alike.items()
        ]
        said.append(min(options, key=lambda option: (len(option.values), len(option.name))))
    return "+".join(map(str, said))


def _beside(part: Part, usual: dict[str, str]) -> Part:
    return Part(part.name, {name: value for name, value in part.values.items() if usual.get(name) != value})


def _defaults(kind: Callable[..., Decoder]) -> dict[str, str]:
    found = {name: item.default for name, item in spec.parameters(kind).items() if item.default is not MISSING}
    return _texts(found)


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    return {name: _value(name, str(value)) for name, value in values.items()}


def anchor_steps(text: str) -> int | None:
    """At how many first steps of a block the gate of this decoder is read; None: at all of them."""
    said = parts(text)[-1].values.get("anchor_steps", "None")
    return int(said) if said.isdigit() else None
