"""Bases and the decoders that wrap them, as many as a figure has room for."""

from collections.abc import Mapping
from typing import Any

from axon.report.figures.style import LeftOut
from axon.report.source import TaskData

_BASES, _VARIANTS = 4, 4


def families(
    data: TaskData, kept: Mapping[str, Any], what: str, variants: int = _VARIANTS
) -> tuple[dict[str, list[str]], str]:
    """The first bases that are kept together with a decoder that wraps them, and a remark if there are more.

    `kept` is by decoder, such as traces; `what` names it for the reader who misses the figure.
    """
    if not kept:
        raise LeftOut(f"there is no {what}")
    found = {
        base: own
        for base, names in data.families.items()
        if base in kept and (own := [name for name in names if name in kept][:variants])
    }
    if not found:
        raise LeftOut(f"there is no {what} of a decoder and of its base")
    remark = f", the first {_BASES} of {len(found)} bases" if len(found) > _BASES else ""
    return dict(list(found.items())[:_BASES]), remark
