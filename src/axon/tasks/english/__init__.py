"""The English of the bundled tasks: banks of wordings, and the marks in them.

`<gives|gave>` is a word in two forms, of which a text uses one throughout; `[ at the market]` may be left out; what is
in braces is filled in. Each bank is a TOML file of its own, for wordings are data: many, short and read as a whole.
Beside the banks there are problems that were written at one go rather than put together: stories.txt for sums and
requests.txt for code, a line each.
"""

import random
import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

_FORMS = re.compile(r"<([^|>]*)\|([^>]*)>")
_OPTIONAL = re.compile(r"\[([^\]]*)\]")


@cache
def bank(name: str) -> dict[str, Any]:
    """A bank by the name of its file; one that is `like` another has what the other has and it has not."""
    found = tomllib.loads((resources.files(__name__) / f"{name}.toml").read_text("utf-8"))
    return bank(found["like"]) | found if "like" in found else found


def said(rng: random.Random, text: str, form: int) -> str:
    """A text with its optional parts there or not and its words in one form; what is to be filled in stays."""
    told = _OPTIONAL.sub(lambda part: part[1] if rng.random() < 0.5 else "", text)
    return _FORMS.sub(lambda word: word[1 + form], told)


def sentences(text: str) -> str:
    """The text with a capital at the start of each sentence, but for a function's name."""
    return re.sub(r"(^|[.?] )(?!solve\()([a-z])", lambda start: start[1] + start[2].upper(), text)


@cache
def whole(name: str) -> tuple[tuple[str, ...], ...]:
    """The lines of `stories` or `requests`, each as its fields."""
    lines = (resources.files(__name__) / f"{name}.txt").read_text("utf-8").splitlines()
    return tuple(tuple(field.strip() for field in line.split("|")) for line in lines if not line.startswith("#"))
