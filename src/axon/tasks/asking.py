"""How a function of the code task is asked for: in the order of its parts, as one nested phrase, or filter last."""

import random
import re
from collections.abc import Sequence
from typing import Any

from axon.tasks.domains import DOMAINS
from axon.tasks.english import bank, said, sentences

# Which words an element goes by.
_KINDS = {
    "numbers": {"e": "number", "s": "numbers"},
    "words": {"e": "word", "s": "words"},
    "letters": {"e": "character", "s": "characters"},
}
# Indices into <base|third>: "to keep", "it keeps".
_BASE, _THIRD = 0, 1
Constants = dict[str, Any]


def ask(rng: random.Random, plan: tuple[str, str, str, str], first: Constants, second: Constants) -> str:
    """A prompt for a plan (kind, filter, map, reduction), with the constants of its filter and of its map."""
    asking = _Asking(rng, plan, first, second)
    way = rng.choices((asking.in_order, asking.nested, asking.filter_last, asking.one_by_one), weights=(10, 5, 3, 2))
    return sentences(way[0]())


class _Asking:
    """One prompt being worded."""

    def __init__(
        self, rng: random.Random, plan: tuple[str, str, str, str], first: Constants, second: Constants
    ) -> None:
        kind, self.test, self.change, fold = plan
        self.rng, self.first, self.second = rng, first, second
        words, self.frames = bank(kind), bank("frames")
        self.filters, self.names = words["filters"], _KINDS[kind] | {"a": DOMAINS[kind].argument}
        self.map = words["maps"].get(self.change, {})
        self.fold = bank("folds")[fold]
        self.it = self.frames["it"]
        self.given = rng.choice(self.frames["given"][self.names["a"]])

    def in_order(self) -> str:
        """Filter, map and reduction as they happen, each with a verb of its own."""
        kind, form = self._pick([("third", _THIRD), ("base", _BASE), ("steps", _THIRD)])
        changed = self._transform(form)
        parts = [part for part in (self._select(form, changed), changed, self._reduce(form)) if part]
        if kind == "steps":
            last = self._pick(["Finally it", "Then it", "At the end it"])
            starts = ["First it", *["Then it"] * (len(parts) - 2), last]
            chain = " ".join(f"{start} {part}." for start, part in zip(starts, parts, strict=True))
        else:
            chain = self._joined(parts)
        return self._framed(kind, chain)

    def nested(self) -> str:
        """All in one phrase, the last thing first: the sum of the squares of the even numbers."""
        return self._result(self._made(self._those()))

    def filter_last(self) -> str:
        """What is computed of all elements first, and then which of them count."""
        if not self.test:
            return self.nested()
        made = self._made(self._pick(self.filters[""]["those"]))
        if self.rng.random() < 0.7:
            return self._result(made, self._pick(self.frames["only"]).format(f=self._others()))
        return self._result(made, self._pick(self.frames["without"]).format(f=self._dropped()))

    def one_by_one(self) -> str:
        """What happens to a single element, and then to all of them."""
        if not self.change:
            return self.in_order()
        which = f" that {self._pick(self.filters[self.test]['is']).format(**self.first)}" if self.test else ""
        element = self._pick(self.frames["element"]).format(**self.names, f=which)
        each = self._pick(self.map["each"]).format(**self.second)
        kind, form = self._pick([("third", _THIRD), ("base", _BASE)])
        text = said(self.rng, self._pick(self.frames[f"each_{kind}"]), form)
        return self._filled(text, e=element, m=each, r=self._reduce(form))

    def _pick(self, texts: Sequence[Any]) -> Any:
        return self.rng.choice(texts)

    def _those(self) -> str:
        return str(self._pick(self.filters[self.test]["those"])).format(**self.first)

    def _others(self) -> str:
        """The same behind an "only"."""
        return re.sub("^(only|just|all of|all) ", "", self._those())

    def _dropped(self) -> str:
        return str(self._pick(self.filters[self.test]["drop"])).format(**self.first)

    def _made(self, those: str) -> str:
        return str(self._pick(self.map["made"])).format(X=those, **self.second) if self.change else those

    def _select(self, form: int, changed: str) -> str:
        """What is kept; nothing of the kind where there is no filter and the map says of each element what it does."""
        if not self.test and "{it}" in changed and self.rng.random() < 0.7:
            self.it = [f"each {self.names['e']}", f"every {self.names['e']}", f"all {self.names['s']}"]
            return ""
        # Few people say what they do not want.
        if self.test and self.rng.random() < 0.2:
            return said(self.rng, self._pick(self.frames["drop"]), form).format(f=self._dropped())
        return said(self.rng, self._pick(self.frames["keep"]), form).format(f=self._those())

    def _transform(self, form: int) -> str:
        if not self.change:
            return ""
        return said(self.rng, self._pick(self.map["do"]), form).format(it="{it}", **self.second)

    def _reduce(self, form: int) -> str:
        return said(self.rng, self._pick(self.fold["do"]), form)

    def _joined(self, parts: list[str]) -> str:
        last = self._pick([" and ", ", and ", " and then ", ", then ", " and finally "])
        return f"{', '.join(parts[:-1])}{last}{parts[-1]}"

    def _result(self, made: str, condition: str = "") -> str:
        # Behind a phrase with a comma nothing more can be said of it.
        texts = [text for text in self.fold["made"] if "," not in made or text.endswith("{X}")] or self.fold["made"]
        result = self._pick(texts).format(X=made) + condition
        empty = self.fold.get("empty")
        if empty:
            result += self._pick(empty)
        return self._framed("question" if not empty and self.rng.random() < 0.15 else "result", result)

    def _framed(self, kind: str, chain: str) -> str:
        return self._filled(said(self.rng, self._pick(self.frames[kind]), 0), x=chain)

    def _filled(self, text: str, **parts: str) -> str:
        told = text.format(a=self.names["a"], g=self.given, **parts)
        return told.replace("{it}", self._pick(self.it))
