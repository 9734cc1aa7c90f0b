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
    plain=("all numbers", "every number", "all the numbers"),
    filters={
        "even": Piece(
            ("the even numbers", "the even ones", "the numbers divisible by two", "all even numbers"),
            "{x} % 2 == 0",
            lambda x, k: x % 2 == 0,
        ),
        "odd": Piece(
            ("the odd numbers", "the odd ones", "the numbers that are odd", "all odd numbers"),
            "{x} % 2 == 1",
            lambda x, k: x % 2 == 1,
        ),
        "above": Piece(
            (
                "the numbers greater than {k}",
                "the numbers above {k}",
                "the ones larger than {k}",
                "all numbers bigger than {k}",
            ),
            "{x} > {k}",
            lambda x, k: x > k,
        ),
        "below": Piece(
            (
                "the numbers less than {k}",
                "the numbers below {k}",
                "the ones smaller than {k}",
                "all numbers under {k}",
            ),
            "{x} < {k}",
            lambda x, k: x < k,
        ),
        "at least": Piece(
            ("the numbers of at least {k}", "the numbers not below {k}", "the numbers that are {k} or more"),
            "{x} >= {k}",
            lambda x, k: x >= k,
        ),
        "at most": Piece(
            ("the numbers of at most {k}", "the numbers not above {k}", "the numbers that are {k} or less"),
            "{x} <= {k}",
            lambda x, k: x <= k,
        ),
        "divisible": Piece(
            ("the numbers divisible by {k}", "the multiples of {k}", "the numbers that {k} divides"),
            "{x} % {k} == 0",
            lambda x, k: x % k == 0,
        ),
        "not divisible": Piece(
            (
                "the numbers not divisible by {k}",
                "the numbers that are no multiple of {k}",
                "the numbers that {k} does not divide",
            ),
            "{x} % {k} != 0",
            lambda x, k: x % k != 0,
        ),
        "positive": Piece(
            ("the positive numbers", "the positive ones", "the numbers above zero", "all positive numbers"),
            "{x} > 0",
            lambda x, k: x > 0,
        ),
        "negative": Piece(
            ("the negative numbers", "the negative ones", "the numbers below zero", "all negative numbers"),
            "{x} < 0",
            lambda x, k: x < 0,
        ),
        "other than": Piece(
            ("the numbers other than {k}", "the numbers different from {k}", "the numbers that are not {k}"),
            "{x} != {k}",
            lambda x, k: x != k,
        ),
    },
    maps={
        "double": Piece(
            ("doubles each", "multiplies each by 2", "doubles every one", "doubles them"), "{x} * 2", lambda x, k: x * 2
        ),
        "times": Piece(
            ("multiplies each by {k}", "takes {k} times each", "multiplies every one by {k}", "multiplies them by {k}"),
            "{x} * {k}",
            lambda x, k: x * k,
        ),
        "plus": Piece(
            ("adds {k} to each", "increases each by {k}", "adds {k} to every one", "adds {k} to each of them"),
            "{x} + {k}",
            lambda x, k: x + k,
        ),
        "minus": Piece(
            (
                "subtracts {k} from each",
                "lowers each by {k}",
                "takes {k} away from each",
                "subtracts {k} from every one",
            ),
            "{x} - {k}",
            lambda x, k: x - k,
        ),
        "square": Piece(
            ("squares each", "takes the square of each", "squares every one", "squares them"),
            "{x} ** 2",
            lambda x, k: x * x,
        ),
        "cube": Piece(
            ("cubes each", "takes the cube of each", "raises each to the third power", "cubes every one"),
            "{x} ** 3",
            lambda x, k: x * x * x,
        ),
        "negate": Piece(
            ("negates each", "flips the sign of each", "changes the sign of each"), "-{x}", lambda x, k: -x
        ),
        "size": Piece(
            ("takes the absolute value of each", "drops the sign of each", "makes each positive"),
            "abs({x})",
            lambda x, k: abs(x),
        ),
        "rest": Piece(
            ("takes the remainder of each by {k}", "takes each modulo {k}", "takes the rest of each divided by {k}"),
            "{x} % {k}",
            lambda x, k: x % k,
        ),
        "half": Piece(
            ("halves each, rounding down", "divides each by 2, rounding down", "takes half of each, rounded down"),
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
    plain=("all words", "every word", "all the words"),
    filters={
        "longer": Piece(
            (
                "the words longer than {k} letters",
                "the words with more than {k} letters",
                "the words of more than {k} letters",
            ),
            "len({x}) > {k}",
            lambda x, k: len(x) > k,
        ),
        "shorter": Piece(
            (
                "the words shorter than {k} letters",
                "the words with fewer than {k} letters",
                "the words of fewer than {k} letters",
            ),
            "len({x}) < {k}",
            lambda x, k: len(x) < k,
        ),
        "starting": Piece(
            ("the words that start with '{c}'", "the words starting with '{c}'", "the words that begin with '{c}'"),
            "{x}.startswith('{c}')",
            lambda x, c: x[:1] == c,
        ),
        "ending": Piece(
            ("the words that end with '{c}'", "the words ending in '{c}'", "the words whose last letter is '{c}'"),
            "{x}.endswith('{c}')",
            lambda x, c: x[-1:] == c,
        ),
        "with": Piece(
            ("the words that contain '{c}'", "the words with '{c}'", "the words that have the letter '{c}'"),
            "'{c}' in {x}",
            lambda x, c: c in x,
        ),
        "without": Piece(
            ("the words that do not contain '{c}'", "the words without '{c}'", "the words that have no '{c}'"),
            "'{c}' not in {x}",
            lambda x, c: c not in x,
        ),
    },
    maps={
        "upper": Piece(
            ("puts each in upper case", "makes each upper case", "turns each into capitals"),
            "{x}.upper()",
            lambda x, k: x.upper(),
        ),
        "flip": Piece(
            ("reverses each", "writes each backwards", "turns each around"), "{x}[::-1]", lambda x, k: x[::-1]
        ),
        "first": Piece(
            ("takes the first letter of each", "keeps just the first letter of each"), "{x}[0]", lambda x, k: x[0]
        ),
        "last": Piece(
            ("takes the last letter of each", "keeps just the last letter of each"), "{x}[-1]", lambda x, k: x[-1]
        ),
        "length": Piece(
            ("takes the length of each", "replaces each by its length", "measures the length of each"),
            "len({x})",
            lambda x, k: len(x),
        ),
        "capital": Piece(
            ("capitalizes each", "capitalizes every one", "capitalizes each of them"),
            "{x}.capitalize()",
            lambda x, k: x.capitalize(),
        ),
        "twice": Piece(("writes each twice", "repeats each two times", "repeats each"), "{x} * 2", lambda x, k: x + x),
    },
    folds={
        "list": LIST,
        "count": COUNT,
        "sorted": SORTED,
        "backwards": BACKWARDS,
        "distinct": DISTINCT,
        "spaced": joined(("joins them with spaces", "returns them joined by spaces", "puts spaces between them"), " "),
        "dashed": joined(("joins them with dashes", "returns them joined by dashes", "puts dashes between them"), "-"),
        "sum": SUM,
        "largest": LARGEST,
    },
    elements=("w", "word", "s", "part"),
)

LETTERS = Domain(
    argument="text",
    walk="text",
    plain=("all characters", "every character", "all the characters"),
    filters={
        "vowels": Piece(
            ("the lower case vowels", "the small vowels", "the characters that are small vowels"),
            "{x} in 'aeiou'",
            lambda x, k: x in tuple("aeiou"),
        ),
        "no vowels": Piece(
            (
                "everything but lower case vowels",
                "everything but small vowels",
                "the characters that are no small vowels",
            ),
            "{x} not in 'aeiou'",
            lambda x, k: x not in tuple("aeiou"),
        ),
        "letters": Piece(
            ("the letters", "the characters that are letters", "all letters"), "{x}.isalpha()", lambda x, k: x.isalpha()
        ),
        "digits": Piece(
            ("the digits", "the characters that are digits", "all digits"), "{x}.isdigit()", lambda x, k: x.isdigit()
        ),
        "capitals": Piece(
            ("the capital letters", "the upper case letters", "the capitals"), "{x}.isupper()", lambda x, k: x.isupper()
        ),
        "same": Piece(
            ("the characters equal to '{c}'", "each '{c}'", "every '{c}'"), "{x} == '{c}'", lambda x, c: x == c
        ),
        "different": Piece(
            ("the characters other than '{c}'", "everything except '{c}'", "everything but '{c}'"),
            "{x} != '{c}'",
            lambda x, c: x != c,
        ),
    },
    maps={
        "upper": Piece(
            ("puts each in upper case", "makes each upper case", "turns each into capitals"),
            "{x}.upper()",
            lambda x, k: x.upper(),
        ),
        "lower": Piece(
            ("puts each in lower case", "makes each lower case", "turns each into small letters"),
            "{x}.lower()",
            lambda x, k: x.lower(),
        ),
        "twice": Piece(("writes each twice", "repeats each two times", "repeats each"), "{x} * 2", lambda x, k: x + x),
        "swap": Piece(
            ("swaps the case of each", "turns small into capital and back"), "{x}.swapcase()", lambda x, k: x.swapcase()
        ),
    },
    folds={
        "list": LIST,
        "count": COUNT,
        "sorted": SORTED,
        "backwards": BACKWARDS,
        "distinct": DISTINCT,
        "glued": joined(("joins them into one string", "returns them as one string", "glues them together"), ""),
        "dashed": joined(("joins them with dashes", "returns them joined by dashes", "puts dashes between them"), "-"),
    },
    elements=("c", "ch", "char", "letter"),
)

DOMAINS = {"numbers": NUMBERS, "words": WORDS, "letters": LETTERS}
