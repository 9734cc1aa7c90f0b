"""How a sums problem is told: who, what, and what happens to it, in sentences of one theme."""

import random
import re
from collections.abc import Sequence
from typing import Any

from axon.tasks.english import bank, said, sentences
from axon.tasks.passages import marked

# Themes, and how often each is told.
THEMES = {
    "objects": 4, "food": 3, "produce": 3, "stock": 2, "books": 1, "animals": 2, "pets": 1, "zoo": 1, "birds": 1,
    "people": 2, "vehicles": 1, "clubs": 1,
}  # fmt: skip
_PRONOUNS = {
    "she": ("she", "her", "her"),
    "he": ("he", "his", "him"),
    "it": ("it", "its", "it"),
    "they": ("they", "their", "them"),
}
# Indices into <gives|gave>.
_PRESENT, _PAST = 0, 1


class Telling:
    """A story being told, sentence by sentence; `words` is what its texts are filled with."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.theme: dict[str, Any] = bank(rng.choices(list(THEMES), weights=list(THEMES.values()))[0])
        self.people = bank("names")
        self.tense = rng.choice((_PRESENT, _PAST))
        self.words = self._actor() | {"T": rng.choice(self.theme["things"])}
        self.words["B"], self.words["b"] = rng.choice(self.theme["boxes"])
        self.words["F"] = self._friend()
        self.told: list[str] = []
        self.acted = self.lost = False
        self.numbers = 0

    @property
    def text(self) -> str:
        """What is told, with its numbers marked."""
        return " ".join(self.told)

    def open(self, kind: str, **numbers: int) -> None:
        """How things are at first: "plain", "groups" or "pairs"."""
        texts = self.theme["start" if kind == "plain" else kind]
        if kind == "pairs" and self.rng.random() < 0.35:
            texts = self.theme["mixed"]
            self.words["A"], self.words["C"], self.words["T"] = self.rng.choice(self.theme["kinds"])
        told = said(self.rng, self._fitting(texts), self.tense)
        self.told.append(sentences(told.format(**self.words, **self._marked(numbers))))

    def happen(self, kind: str, **numbers: int) -> None:
        """One event, in a sentence of its own or behind the last one."""
        text = said(self.rng, self._fitting(self.theme[kind]), self.tense)
        told = text.format(**self.words, **self._marked(numbers))
        again = f"{self.words['p']} "
        if len(self.told) > 1 and self.rng.random() < 0.2:
            # Without its pronoun only where the last one to act was the same.
            more = told.removeprefix(again) if self.acted and self.told[-1].lower().startswith(again) else told
            joint = self._pick([" and ", " and then "]) if more != told else ", and "
            self.told[-1] = self.told[-1].removesuffix(".") + joint + more + "."
        else:
            if told.startswith(again) and self.rng.random() < 0.25:
                told = f"{self.words['Q']} {told.removeprefix(again)}"
            link = "{}." if re.search(self.people["own_time"], told) else self._pick(self.people["links"])
            self.told.append(sentences(link.format(told)))
        self.acted = text.startswith("{p} ")
        self.lost |= kind == "lose"

    def ask(self, kind: str, **numbers: int) -> None:
        """The question: "ask", "share", "cost" or "together"."""
        rest = self.theme.get(f"{kind}_rest", []) if self.lost else []
        texts = rest if rest and self.rng.random() < 0.5 else self.theme[kind]
        # What was is often followed by what is now.
        now = kind == "ask" and self.tense == _PAST and self.rng.random() < 0.5
        self._stray()
        asked = said(self.rng, self._fitting(texts), _PRESENT if now else self.tense)
        self.told.append(sentences(asked.format(**self.words, **self._marked(numbers))))

    def _pick(self, texts: Sequence[Any]) -> Any:
        return self.rng.choice(texts)

    def _fitting(self, texts: Sequence[str]) -> str:
        """A text that makes sense for these things and this actor; nobody eats tulips."""
        for _ in range(20):
            text = self._pick(texts)
            if not any(
                self.words["T"] in unfit["things"] and re.search(unfit["wording"], text)
                for unfit in self.theme.get("except", ())
            ) and not (self.unfit and re.search(self.unfit, text)):
                break
        return str(text)

    def _marked(self, numbers: dict[str, int]) -> dict[str, str]:
        first, self.numbers = self.numbers, self.numbers + len(numbers)
        return {name: marked(value, first + place) for place, (name, value) in enumerate(numbers.items())}

    def _actor(self) -> dict[str, str]:
        first, later, gender = self._pick(self.theme["actors"])
        self.unfit = ""
        if gender in ("she", "he"):
            self.unfit = self.people["not_a_child" if first in self.people["children"] else "not_an_adult"]
        # Most people have names.
        if gender == "name" or (gender != "it" and "name" in self._genders() and self.rng.random() < 0.6):
            gender = self._pick(["she", "he"])
            first = later = self._pick(self.people[gender])
            self.unfit = ""
        subject, possessive, object_ = _PRONOUNS[gender]
        return {"P": first, "Q": later, "p": subject, "s": possessive, "o": object_}

    def _genders(self) -> set[str]:
        return {gender for _, _, gender in self.theme["actors"]}

    def _friend(self) -> str:
        if "friends" in self.theme:
            return str(self._pick(self.theme["friends"]))
        name = self._pick([name for name in (*self.people["she"], *self.people["he"]) if name != self.words["P"]])
        return str(self._pick([name, name, f"{self.words['s']} {self._pick(self.people['relatives'])}"]))

    def _stray(self) -> None:
        """Now and then a sentence without a number that changes nothing, as people add them."""
        if self.rng.random() < 0.06:
            self.told.append(self._pick(self.people["asides"]))


def numbers_in(prompt: str) -> tuple[int, ...]:
    """The numbers of a text in their order."""
    return tuple(map(int, re.findall(r"\d+", prompt)))
