"""What the code task is composed of: filters, maps and reductions, each in English, in Python and as a reference.

{x} stands for the element, {k} for a number and {c} for a letter. The reference is plain Python over values, written
apart from the source text, so that unit tests do not come from the answers they test.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Piece:
    """`english` are wordings that mean the same, `source` the Python expression, `apply` what it computes."""

    english: tuple[str, ...]
    source: str
    apply: Callable[..., Any]


@dataclass(frozen=True)
class Fold:
    """A reduction: `whole` for a collected list {v}; `start`, `add` and `end` for a loop with the variable {r}."""

    english: tuple[str, ...]
    whole: str
    apply: Callable[[list[Any]], Any]
    start: str
    add: str
    end: str = "{r}"


@dataclass(frozen=True)
class Domain:
    """A kind of input: what it is called, how it is walked, and the pieces that fit it.

    `plain` names the elements without a filter; `numeric` lists the maps after which elements are numbers.
    """

    argument: str
    walk: str
    plain: tuple[str, ...]
    filters: dict[str, Piece]
    maps: dict[str, Piece]
    folds: dict[str, Fold]
    elements: tuple[str, ...]


_LIST = Fold(
    ("returns them as a list", "returns the list of results", "returns the resulting list"),
    "{v}", lambda v: v, "[]", "{r}.append({e})",
)  # fmt: skip
_COUNT = Fold(
    ("returns how many there are", "returns their number", "counts them"),
    "len({v})", len, "0", "{r} += 1",
)  # fmt: skip
_SORTED = Fold(
    ("returns them in sorted order", "returns them sorted", "returns a sorted list of them"),
    "sorted({v})", sorted, "[]", "{r}.append({e})", "sorted({r})",
)  # fmt: skip
_BACKWARDS = Fold(
    ("returns them in reverse order", "returns the list reversed", "returns them from last to first"),
    "{v}[::-1]", lambda v: v[::-1], "[]", "{r}.append({e})", "{r}[::-1]",
)  # fmt: skip
_DISTINCT = Fold(
    ("returns how many different values there are", "counts the distinct values", "returns the number of different ones"),
    "len(set({v}))", lambda v: len(set(v)), "[]", "{r}.append({e})", "len(set({r}))",
)  # fmt: skip
_SUM = Fold(
    ("returns their sum", "returns the total", "adds them up"),
    "sum({v})", sum, "0", "{r} += {e}",
)  # fmt: skip
_LARGEST = Fold(
    ("returns the largest, or 0 if there is none", "returns the maximum, or 0 for none", "returns the biggest one (0 if none)"),
    "max({v}, default=0)", lambda v: max(v, default=0), "[]", "{r}.append({e})", "max({r}, default=0)",
)  # fmt: skip
_SMALLEST = Fold(
    ("returns the smallest, or 0 if there is none", "returns the minimum, or 0 for none", "returns the least one (0 if none)"),
    "min({v}, default=0)", lambda v: min(v, default=0), "[]", "{r}.append({e})", "min({r}, default=0)",
)  # fmt: skip
_FALLING = Fold(
    ("returns them from largest to smallest", "returns them in falling order", "sorts them from high to low"),
    "sorted({v}, reverse=True)", lambda v: sorted(v, reverse=True), "[]", "{r}.append({e})",
    "sorted({r}, reverse=True)",
)  # fmt: skip


def _joined(english: tuple[str, ...], glue: str) -> Fold:
    return Fold(english, f"'{glue}'.join({{v}})", glue.join, "[]", "{r}.append({e})", f"'{glue}'.join({{r}})")


NUMBERS = Domain(
    argument="numbers",
    walk="numbers",
    plain=("all numbers", "every number", "the numbers"),
    filters={
        "even": Piece(("the even numbers", "the even ones", "the numbers divisible by two"), "{x} % 2 == 0", lambda x, k: x % 2 == 0),
        "odd": Piece(("the odd numbers", "the odd ones", "the numbers that are odd"), "{x} % 2 == 1", lambda x, k: x % 2 == 1),
        "above": Piece(
            ("the numbers greater than {k}", "the numbers above {k}", "the ones larger than {k}"),
            "{x} > {k}", lambda x, k: x > k,
        ),
        "below": Piece(
            ("the numbers less than {k}", "the numbers below {k}", "the ones smaller than {k}"),
            "{x} < {k}", lambda x, k: x < k,
        ),
        "at least": Piece(("the numbers of at least {k}", "the numbers not below {k}", "the numbers that are {k} or more"), "{x} >= {k}", lambda x, k: x >= k),
        "at most": Piece(("the numbers of at most {k}", "the numbers not above {k}", "the numbers that are {k} or less"), "{x} <= {k}", lambda x, k: x <= k),
        "divisible": Piece(
            ("the numbers divisible by {k}", "the multiples of {k}", "the numbers that {k} divides"), "{x} % {k} == 0", lambda x, k: x % k == 0
        ),
        "not divisible": Piece(
            ("the numbers not divisible by {k}", "the numbers that are no multiple of {k}", "the numbers that {k} does not divide"),
            "{x} % {k} != 0", lambda x, k: x % k != 0,
        ),
        "positive": Piece(("the positive numbers", "the positive ones", "the numbers above zero"), "{x} > 0", lambda x, k: x > 0),
        "negative": Piece(("the negative numbers", "the negative ones", "the numbers below zero"), "{x} < 0", lambda x, k: x < 0),
        "other than": Piece(("the numbers other than {k}", "the numbers different from {k}", "the numbers that are not {k}"), "{x} != {k}", lambda x, k: x != k),
    },
    maps={
        "double": Piece(("doubles each", "multiplies each by 2", "doubles every one"), "{x} * 2", lambda x, k: x * 2),
        "times": Piece(("multiplies each by {k}", "takes {k} times each", "multiplies every one by {k}"), "{x} * {k}", lambda x, k: x * k),
        "plus": Piece(("adds {k} to each", "increases each by {k}", "adds {k} to every one"), "{x} + {k}", lambda x, k: x + k),
        "minus": Piece(("subtracts {k} from each", "lowers each by {k}", "takes {k} away from each"), "{x} - {k}", lambda x, k: x - k),
        "square": Piece(("squares each", "takes the square of each", "squares every one"), "{x} ** 2", lambda x, k: x * x),
        "cube": Piece(("cubes each", "takes the cube of each", "raises each to the third power"), "{x} ** 3", lambda x, k: x * x * x),
        "negate": Piece(("negates each", "flips the sign of each", "changes the sign of each"), "-{x}", lambda x, k: -x),
        "size": Piece(("takes the absolute value of each", "drops the sign of each", "makes each positive"), "abs({x})", lambda x, k: abs(x)),
        "rest": Piece(
            ("takes the remainder of each by {k}", "takes each modulo {k}", "takes the rest of each divided by {k}"), "{x} % {k}", lambda x, k: x % k
        ),
        "half": Piece(("halves each, rounding down", "divides each by 2, rounding down", "takes half of each, rounded down"), "{x} // 2", lambda x, k: x // 2),
    },
    folds={
        "sum": _SUM, "count": _COUNT, "largest": _LARGEST, "smallest": _SMALLEST, "list": _LIST, "sorted": _SORTED,
        "falling": _FALLING, "backwards": _BACKWARDS, "distinct": _DISTINCT,
    },
    elements=("x", "n", "num", "value"),
)  # fmt: skip

WORDS = Domain(
    argument="text",
    walk="text.split()",
    plain=("all words", "every word", "the words"),
    filters={
        "longer": Piece(
            ("the words longer than {k} letters", "the words with more than {k} letters", "the words of more than {k} letters"),
            "len({x}) > {k}", lambda x, k: len(x) > k,
        ),
        "shorter": Piece(
            ("the words shorter than {k} letters", "the words with fewer than {k} letters", "the words of fewer than {k} letters"),
            "len({x}) < {k}", lambda x, k: len(x) < k,
        ),
        "starting": Piece(
            ("the words that start with '{c}'", "the words starting with '{c}'", "the words that begin with '{c}'"),
            "{x}.startswith('{c}')", lambda x, c: x[:1] == c,
        ),
        "ending": Piece(
            ("the words that end with '{c}'", "the words ending in '{c}'", "the words whose last letter is '{c}'"),
            "{x}.endswith('{c}')", lambda x, c: x[-1:] == c,
        ),
        "with": Piece(("the words that contain '{c}'", "the words with '{c}'", "the words that have an '{c}' in them"), "'{c}' in {x}", lambda x, c: c in x),
        "without": Piece(
            ("the words that do not contain '{c}'", "the words without '{c}'", "the words that have no '{c}'"), "'{c}' not in {x}", lambda x, c: c not in x
        ),
    },
    maps={
        "upper": Piece(("puts each in upper case", "makes each upper case", "turns each into capitals"), "{x}.upper()", lambda x, k: x.upper()),
        "flip": Piece(("reverses each", "writes each backwards", "turns each around"), "{x}[::-1]", lambda x, k: x[::-1]),
        "first": Piece(("takes the first letter of each", "keeps just the first letter of each"), "{x}[0]", lambda x, k: x[0]),
        "last": Piece(("takes the last letter of each", "keeps just the last letter of each"), "{x}[-1]", lambda x, k: x[-1]),
        "length": Piece(("takes the length of each", "replaces each by its length", "measures the length of each"), "len({x})", lambda x, k: len(x)),
        "capital": Piece(("capitalizes each", "gives each a capital first letter", "starts each with a capital"), "{x}.capitalize()", lambda x, k: x.capitalize()),
        "twice": Piece(("writes each twice", "repeats each two times", "repeats each"), "{x} * 2", lambda x, k: x + x),
    },
    folds={
        "list": _LIST, "count": _COUNT, "sorted": _SORTED, "backwards": _BACKWARDS, "distinct": _DISTINCT,
        "spaced": _joined(("joins them with spaces", "returns them joined by spaces", "puts spaces between them"), " "),
        "dashed": _joined(("joins them with dashes", "returns them joined by dashes", "puts dashes between them"), "-"),
        "sum": _SUM, "largest": _LARGEST,
    },
    elements=("w", "word", "s", "part"),
)  # fmt: skip

LETTERS = Domain(
    argument="text",
    walk="text",
    plain=("all characters", "every character", "the characters"),
    filters={
        "vowels": Piece(("the vowels", "the lower case vowels"), "{x} in 'aeiou'", lambda x, k: x in tuple("aeiou")),
        "no vowels": Piece(("everything but the vowels", "the characters that are no vowels"), "{x} not in 'aeiou'", lambda x, k: x not in tuple("aeiou")),
        "letters": Piece(("the letters", "the characters that are letters"), "{x}.isalpha()", lambda x, k: x.isalpha()),
        "digits": Piece(("the digits", "the characters that are digits"), "{x}.isdigit()", lambda x, k: x.isdigit()),
        "capitals": Piece(("the capital letters", "the upper case letters"), "{x}.isupper()", lambda x, k: x.isupper()),
        "same": Piece(("the characters equal to '{c}'", "each '{c}'"), "{x} == '{c}'", lambda x, c: x == c),
        "different": Piece(("the characters other than '{c}'", "everything except '{c}'"), "{x} != '{c}'", lambda x, c: x != c),
    },
    maps={
        "upper": Piece(("puts each in upper case", "makes each upper case", "turns each into capitals"), "{x}.upper()", lambda x, k: x.upper()),
        "lower": Piece(("puts each in lower case", "makes each lower case", "turns each into small letters"), "{x}.lower()", lambda x, k: x.lower()),
        "twice": Piece(("writes each twice", "repeats each two times", "repeats each"), "{x} * 2", lambda x, k: x + x),
        "swap": Piece(("swaps the case of each", "turns small into capital and back"), "{x}.swapcase()", lambda x, k: x.swapcase()),
    },
    folds={
        "list": _LIST, "count": _COUNT, "sorted": _SORTED, "backwards": _BACKWARDS, "distinct": _DISTINCT,
        "glued": _joined(("joins them into one string", "returns them as one string", "glues them together"), ""),
        "dashed": _joined(("joins them with dashes", "returns them joined by dashes", "puts dashes between them"), "-"),
    },
    elements=("c", "ch", "char", "letter"),
)  # fmt: skip

DOMAINS = {"numbers": NUMBERS, "words": WORDS, "letters": LETTERS}
# Folds that need numbers, and folds that need texts.
ON_NUMBERS = {"sum", "largest", "smallest", "falling"}
ON_TEXTS = {"spaced", "dashed", "glued"}
