"""The words around a number of a problem, which its answer repeats before it calculates.

Whoever works out a sum on paper notes what each number was: "gave 5 to Tom: 12-5=7". So the text of a problem is made
with a mark behind each number that says which one it is, and the passage around it is cut out by the rules here.
"""

import re
from collections.abc import Sequence

# How a number is marked, and how far a passage reaches to both sides of one number and of one among several; a clause
# that is over soon is quoted to its end.
_MARK = "\0"
_REACH, _REACH_AMONG = 3, 2
_SOON = 2
_WORD = re.compile(r"[^\s\0]+(?:\0\d+\0\S*)?")
# Where what is said of a number ends; not at a title.
_END = re.compile(r"(?<!\bMrs)(?<!\bMr)(?<!\bMs)(?<!\bDr)[.,;:?!\u2013\u2014]$")
_LINKS = {"and", "but", "then", "while", "so", "soon", "later", "afterwards"}
# Words that no passage should begin or end with, if more can be had; and how much more.
_OPEN_START = {
    "of", "them", "all", "it", "him", "us", "each", "is", "are", "was", "were", "be", "been", "had", "has", "have",
    "equally", "evenly",
}  # fmt: skip
_OPEN_END = {
    "of", "in", "a", "an", "the", "than", "to", "on", "at", "for", "with", "from", "by", "into", "as", "off", "that",
    "and", "his", "her", "its", "their", "my", "our", "your", "was", "were", "are", "is", "be", "been", "had", "has",
    "have", "got", "when",
}  # fmt: skip
_MORE = 2
# What stands between a number and its verb, in words: "5 of the eggs are sold".
_BETWEEN = {"of": 2, "more": 1, "other": 1, "new": 1}
_ARTICLES = {"a", "an", "the", "his", "her", "its", "their", "my", "our"}
_TIMES = {
    "double": re.compile(r"\b(doubl\w+|twice|two times)\b", re.IGNORECASE),
    "triple": re.compile(r"\b(tripl\w+|three times)\b", re.IGNORECASE),
}


def marked(value: int, number: int) -> str:
    """A number as it is written into a text that passages are to be cut from."""
    return f"{value}{_MARK}{number}{_MARK}"


def plain(text: str) -> str:
    """The text without its marks."""
    return re.sub(r"\0\d+\0", "", text)


def around(text: str, numbers: Sequence[int]) -> str:
    """What the marked text says around these numbers, in the order of the text."""
    words = _WORD.findall(text)
    places = sorted(place for place, word in enumerate(words) if _number(word) in numbers)
    reach = _REACH if len(places) == 1 else _REACH_AMONG
    spans: list[list[int]] = []
    for place in places:
        first, last = _span(words, place, reach, numbers)
        # A single word between two passages is worth less than the marks that would stand for it.
        gap = words[spans[-1][1] + 1 : first] if spans else []
        if spans and (not gap or (len(gap) == 1 and _number(gap[0]) is None and not _END.search(gap[0]))):
            spans[-1][1] = last
        else:
            spans.append([first, last])
    return " ... ".join(_cut(words[first : last + 1]) for first, last in spans)


def of_times(text: str, kind: str) -> str | None:
    """The same around the words for twice or three times as much; None where they are not found just once."""
    words = _WORD.findall(text)
    found = [place for place in range(len(words)) if _TIMES[kind].match(plain(" ".join(words[place : place + 2])))]
    if len(found) != 1:
        return None
    first, last = _span(words, found[0], _REACH, ())
    return _cut(words[first : last + 1])


def _span(words: list[str], place: int, reach: int, own: Sequence[int]) -> tuple[int, int]:
    """The first and the last word of the passage around one place."""
    first = last = place

    def more_before() -> bool:
        return first > 0 and _goes_on(words, first - 1, first, own)

    def more_behind() -> bool:
        return last + 1 < len(words) and _goes_on(words, last, last + 1, own)

    while more_before() and (place - first < reach or (words[first] in _OPEN_START and place - first < reach + _MORE)):
        first -= 1
    start = first
    while start > 0 and first - start <= _SOON and _goes_on(words, start - 1, start, own):
        start -= 1
    if first - start <= _SOON:
        first = start
    if more_before() and words[first - 1].lower() in _ARTICLES:
        first -= 1
    if own and last + 1 < len(words) and not _END.search(words[last]):
        reach += _BETWEEN.get(words[last + 1], 0)
    while more_behind() and (last - place < reach or (words[last] in _OPEN_END and last - place < reach + _MORE)):
        last += 1
    end = last
    while end + 1 < len(words) and end - last <= _SOON and _goes_on(words, end, end + 1, own):
        end += 1
    if end - last <= _SOON:
        return first, end
    while last > place and words[last] in _OPEN_END:
        last -= 1
    return first, last


def _goes_on(words: list[str], before: int, behind: int, own: Sequence[int]) -> bool:
    """Whether two neighbouring words speak of the same thing."""
    if _END.search(words[before]):
        return False
    return not any(
        words[place].lower() in _LINKS or (_number(words[place]) is not None and _number(words[place]) not in own)
        for place in (before, behind)
    )


def _number(word: str) -> int | None:
    found = re.search(r"\0(\d+)\0", word)
    return int(found[1]) if found else None


def _cut(words: list[str]) -> str:
    return re.sub(r"[^\w)'\"]+$", "", plain(" ".join(words)))
