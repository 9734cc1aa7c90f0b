"""The three kinds of input of the code task, with their filters, maps and reductions."""

from axon.tasks.pieces import (
    BACKWARDS,
    COUNT,
    DISTINCT,
    FALLING,
    LARGEST,
    LIST,
    SMALLEST,
    SORTED,
    SUM,
    Domain,
    Piece,
    joined,
)

NUMBERS = Domain(
    argument="numbers",
    walk="numbers",
    filters={
        "even": Piece(
            "{x} % 2 == 0",
            lambda x, k: x % 2 == 0,
        ),
        "odd": Piece(
            "{x} % 2 == 1",
            lambda x, k: x % 2 == 1,
        ),
        "above": Piece(
            "{x} > {k}",
            lambda x, k: x > k,
        ),
        "below": Piece(
            "{x} < {k}",
            lambda x, k: x < k,
        ),
        "at least": Piece(
            "{x} >= {k}",
            lambda x, k: x >= k,
        ),
        "at most": Piece(
            "{x} <= {k}",
            lambda x, k: x <= k,
        ),
        "divisible": Piece(
            "{x} % {k} == 0",
            lambda x, k: x % k == 0,
        ),
        "not divisible": Piece(
            "{x} % {k} != 0",
            lambda x, k: x % k != 0,
        ),
        "positive": Piece(
            "{x} > 0",
            lambda x, k: x > 0,
        ),
        "negative": Piece(
            "{x} < 0",
            lambda x, k: x < 0,
        ),
        "other than": Piece(
            "{x} != {k}",
            lambda x, k: x != k,
        ),
    },
    maps={
        "double": Piece("{x} * 2", lambda x, k: x * 2),
        "times": Piece(
            "{x} * {k}",
            lambda x, k: x * k,
        ),
        "plus": Piece(
            "{x} + {k}",
            lambda x, k: x + k,
        ),
        "minus": Piece(
            "{x} - {k}",
            lambda x, k: x - k,
        ),
        "square": Piece(
            "{x} ** 2",
            lambda x, k: x * x,
        ),
        "cube": Piece(
            "{x} ** 3",
            lambda x, k: x * x * x,
        ),
        "negate": Piece("-{x}", lambda x, k: -x),
        "size": Piece(
            "abs({x})",
            lambda x, k: abs(x),
        ),
        "rest": Piece(
            "{x} % {k}",
            lambda x, k: x % k,
        ),
        "half": Piece(
            "{x} // 2",
            lambda x, k: x // 2,
        ),
    },
    folds={
        "sum": SUM,
        "count": COUNT,
        "largest": LARGEST,
        "smallest": SMALLEST,
        "list": LIST,
        "sorted": SORTED,
        "falling": FALLING,
        "backwards": BACKWARDS,
        "distinct": DISTINCT,
    },
    elements=("x", "n", "num", "value"),
)

WORDS = Domain(
    argument="text",
    walk="text.split()",
    filters={
        "longer": Piece(
            "len({x}) > {k}",
            lambda x, k: len(x) > k,
        ),
        "shorter": Piece(
            "len({x}) < {k}",
            lambda x, k: len(x) < k,
        ),
        "starting": Piece(
            "{x}.startswith('{c}')",
            lambda x, c: x[:1] == c,
        ),
        "ending": Piece(
            "{x}.endswith('{c}')",
            lambda x, c: x[-1:] == c,
        ),
        "with": Piece(
            "{x}.count('{c}') > 0",
            lambda x, c: c in x,
        ),
        "without": Piece(
            "{x}.count('{c}') == 0",
            lambda x, c: c not in x,
        ),
    },
    maps={
        "upper": Piece(
            "{x}.upper()",
            lambda x, k: x.upper(),
        ),
        "flip": Piece("{x}[::-1]", lambda x, k: x[::-1]),
        "first": Piece("{x}[0]", lambda x, k: x[0]),
        "last": Piece("{x}[-1]", lambda x, k: x[-1]),
        "length": Piece(
            "len({x})",
            lambda x, k: len(x),
        ),
        "capital": Piece(
            "{x}.capitalize()",
            lambda x, k: x.capitalize(),
        ),
        "twice": Piece("{x} * 2", lambda x, k: x + x),
    },
    folds={
        "list": LIST,
        "count": COUNT,
        "sorted": SORTED,
        "backwards": BACKWARDS,
        "distinct": DISTINCT,
        "spaced": joined(" "),
        "dashed": joined("-"),
        "sum": SUM,
        "largest": LARGEST,
    },
    elements=("w", "word", "s", "part"),
)

LETTERS = Domain(
    argument="text",
    walk="text",
    filters={
        "vowels": Piece(
            "{x} in 'aeiou'",
            lambda x, k: x in tuple("aeiou"),
        ),
        "no vowels": Piece(
            "{x} not in 'aeiou'",
            lambda x, k: x not in tuple("aeiou"),
        ),
        "letters": Piece("{x}.isalpha()", lambda x, k: x.isalpha()),
        "digits": Piece("{x}.isdigit()", lambda x, k: x.isdigit()),
        "capitals": Piece("{x}.isupper()", lambda x, k: x.isupper()),
        "same": Piece("{x} == '{c}'", lambda x, c: x == c),
        "different": Piece(
            "{x} != '{c}'",
            lambda x, c: x != c,
        ),
    },
    maps={
        "upper": Piece(
            "{x}.upper()",
            lambda x, k: x.upper(),
        ),
        "lower": Piece(
            "{x}.lower()",
            lambda x, k: x.lower(),
        ),
        "twice": Piece("{x} * 2", lambda x, k: x + x),
        "swap": Piece("{x}.swapcase()", lambda x, k: x.swapcase()),
    },
    folds={
        "list": LIST,
        "count": COUNT,
        "sorted": SORTED,
        "backwards": BACKWARDS,
        "distinct": DISTINCT,
        "glued": joined(""),
        "dashed": joined("-"),
    },
    elements=("c", "ch", "char", "letter"),
)

DOMAINS = {"numbers": NUMBERS, "words": WORDS, "letters": LETTERS}
