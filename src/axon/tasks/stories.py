"""The English of the sums task: who, what, and how each kind of event is told.

In every text {P} is the actor at first mention and {Q} later on, {p}, {s} and {o} are pronouns (she, her, her), {T} the
things, {B} what they come in, {n} and {k} numbers, {F} a friend. What stands in [brackets] is what an answer quotes.
"""

from dataclasses import dataclass

SHE = ("she", "her", "her")
HE = ("he", "his", "him")
IT = ("it", "its", "it")

GIRLS = (
    "Mia", "Anna", "Lena", "Sara", "Emma", "Nora", "Julia", "Zoe", "Ruth", "Ivy", "Maya", "Ella", "Lucy", "Clara",
    "Mary", "Sophie",
)  # fmt: skip
BOYS = (
    "Tom", "Ben", "Leo", "Max", "Sam", "Noah", "Paul", "Jack", "Omar", "Finn", "Adam", "Luis", "John", "Peter",
    "David", "Tim",
)  # fmt: skip
FRIENDS = ("Kim", "Alex", "Robin", "Chris")


@dataclass(frozen=True)
class Theme:
    """A setting: who can act in it, with which things, and what can happen to them."""

    actors: tuple[tuple[str, str, tuple[str, str, str]], ...]
    things: tuple[str, ...]
    box: tuple[str, ...]
    start: tuple[str, ...]
    gain: tuple[str, ...]
    lose: tuple[str, ...]


_PEOPLE = tuple((name, name, SHE) for name in GIRLS) + tuple((name, name, HE) for name in BOYS)

THEMES: dict[str, Theme] = {
    "collection": Theme(
        actors=_PEOPLE,
        things=("stickers", "marbles", "stamps", "coins", "shells", "cards", "beads", "badges", "buttons", "stones"),
        box=("bags", "boxes", "packs", "jars"),
        start=(
            "[{P} has {n} {T}].",
            "[{P} owns {n} {T}].",
            "[{P} starts with {n} {T}].",
            "[There are {n} {T}] in {Q}'s collection.",
            "In {s} room [{P} keeps {n} {T}].",
            "[{P} counted {n} {T}] this morning.",
        ),
        gain=(
            "[{p} finds {n} more]",
            "[{p} buys {n} more] at the market",
            "[{p} gets {n}] from {s} aunt",
            "[{s} uncle gives {o} another {n}]",
            "[{p} wins {n}] in a game",
            "[{p} is given {n}] for {s} birthday",
            "[{p} collects {n} more]",
            "[{s} friend gives {o} {n}]",
            "[{p} adds {n}] to them",
        ),
        lose=(
            "[{p} gives {n} to a friend]",
            "[{p} loses {n}] on the way home",
            "[{p} trades {n} away]",
            "[{p} sells {n}] of them",
            "[{n} of the {T} are lost]",
            "[{s} brother takes {n}] of them",
            "[{p} gives away {n}] of them",
            "[{p} loses {n} of the {T}]",
        ),
    ),
    "kitchen": Theme(
        actors=_PEOPLE,
        things=("cookies", "muffins", "rolls", "pies", "pancakes", "buns", "cupcakes", "cakes", "waffles"),
        box=("trays", "boxes", "plates", "bags"),
        start=(
            "[{P} bakes {n} {T}].",
            "[{P} has {n} {T}] on the table.",
            "[There are {n} {T}] in {Q}'s kitchen.",
            "[{P} made {n} {T}] for the party.",
            "In the morning [{P} bakes {n} {T}].",
            "[{P} put {n} {T}] on the counter.",
        ),
        gain=(
            "[{p} bakes {n} more]",
            "[{p} makes another {n}]",
            "[a neighbor brings {n}] of them",
            "[{p} buys {n} more] at the shop",
            "[{s} sister adds {n}] of her own",
            "[{n} more come] out of the oven",
            "[{s} mother bakes {n} more]",
        ),
        lose=(
            "[{p} eats {n}] of them",
            "[{s} family eats {n}]",
            "[{p} sells {n}] at the fair",
            "[{p} drops {n}] on the floor",
            "[{p} gives {n} to the neighbors]",
            "[{n} of the {T} get burned]",
            "[{s} friends eat {n}] of them",
            "[{p} gives away {n}] of them",
        ),
    ),
    "garden": Theme(
        actors=_PEOPLE,
        things=("apples", "pears", "plums", "lemons", "tomatoes", "carrots", "oranges", "peaches", "onions"),
        box=("baskets", "crates", "buckets", "bags"),
        start=(
            "[{P} picks {n} {T}].",
            "[{P} has {n} {T}] from the garden.",
            "On Monday [{P} picked {n} {T}].",
            "[There are {n} {T}] in {Q}'s basket.",
            "[{P} gathers {n} {T}] before lunch.",
            "[{P} brought home {n} {T}].",
        ),
        gain=(
            "[{p} picks {n} more]",
            "[{p} finds {n}] behind the shed",
            "[{p} gathers another {n}]",
            "[a farmer gives {o} {n}]",
            "[{p} buys {n} more]",
            "[{s} cousin picks {n}] for {o}",
            "[{p} gets {n} more] from a friend",
        ),
        lose=(
            "[{p} throws {n} bad ones out]",
            "[{p} sells {n}] at the market",
            "[{p} gives {n} to a neighbor]",
            "[{p} uses {n}] in the kitchen",
            "[{n} of the {T} go bad]",
            "[birds spoil {n}] of them",
            "[{p} eats {n}] of them",
            "[{p} gives away {n}] of them",
        ),
    ),
    "shop": Theme(
        actors=(
            ("A shop", "the shop", IT),
            ("A store", "the store", IT),
            ("The school", "the school", IT),
            ("A library", "the library", IT),
            ("The museum", "the museum", IT),
        ),
        things=("lamps", "books", "chairs", "pens", "balls", "hats", "maps", "toys", "clocks"),
        box=("boxes", "crates", "shelves", "cases"),
        start=(
            "[{P} has {n} {T}].",
            "[{P} opens with {n} {T}].",
            "[{P} starts the week with {n} {T}].",
            "[{P} owns {n} {T}].",
            "[{P} has {n} {T}] on Monday.",
        ),
        gain=(
            "[{p} orders {n} more]",
            "[a truck brings {n} more]",
            "[{p} buys another {n}]",
            "[{n} new {T} arrive]",
            "[{p} receives {n}] as a gift",
            "[{p} gets {n} more]",
        ),
        lose=(
            "[{p} sells {n}] of them",
            "[{p} gives {n} to a school]",
            "[{n} of the {T} get damaged]",
            "[{p} sends {n} back]",
            "[visitors take {n}] of them",
            "[{p} throws {n} old ones away]",
        ),
    ),
}

# Openings that need a first equation: groups of things, or two kinds of them.
GROUPS = (
    "[{P} has {k} {B} with {n} {T}] in each.",
    "[{P} has {k} {B} of {n} {T}] each.",
    "[{P} fills {k} {B} with {n} {T}] each.",
    "[{P} buys {k} {B} with {n} {T}] in each of them.",
)
PAIRS = (
    "[{P} has {n} red {T} and {k} blue] ones.",
    "[{P} has {n} small {T} and {k} big] ones.",
    "[{P} counts {n} old {T} and {k} new] ones.",
    "[{P} owns {n} green {T} and {k} yellow] ones.",
)
# Events that multiply what is there, and one that adds whole groups (two equations).
DOUBLE = (
    "[{p} doubles the number of {T}]",
    "[the number of {T} doubles]",
    "[{p} ends up with twice as many] {T}",
)
TRIPLE = (
    "[{p} triples the number of {T}]",
    "[the number of {T} triples]",
    "[{p} ends up with three times as many] {T}",
)
MORE_GROUPS = (
    "[{p} gets {k} more {B} of {n}] {T} each",
    "[{p} buys {k} {B} with {n}] {T} in each",
    "[{k} {B} of {n} are added]",
)
ADD_THEM = "{p} adds them"
# What is asked at the end.
ASK_LEFT = (
    "How many {T} does {Q} have now?",
    "How many {T} are there in the end?",
    "How many {T} does {p} have at the end?",
    "What is the number of {T} now?",
    "How many {T} is that in all?",
    "How many {T} are there now?",
    "How many {T} does {Q} have in total?",
)
# The same where some were lost.
ASK_REST = (*ASK_LEFT, "How many {T} are left?")
ASK_SHARE = (
    "[The {T} are shared among {k}] friends equally. How many does each friend get?",
    "[{Q} splits them into {k} groups] of the same size. How many {T} are in each group?",
    "Then [{k} children share them] equally. How many {T} does each child get?",
    "If [{k} people divide them] equally, how many {T} does each get?",
    "[{Q} shares them among {k}] people equally. How many {T} does each person get?",
)
ASK_COST = (
    "[Each one costs {k} dollars]. How much do all of them cost?",
    "[{Q} sells each for {k} dollars]. How many dollars is that?",
    "[They cost {k} dollars each]. What is the total price in dollars?",
    "If [each is worth {k} dollars], how many dollars are they worth together?",
    "If [each one costs {k} dollars], what do all of them cost?",
)
ASK_TOGETHER = (
    "[{F} has {n} more] than that. How many {T} do they have together?",
    "[{F} has {n} more] {T} than {Q}. How many do the two have in all?",
)
TOGETHER = "they put them together"
LINKS = (
    "Then {}.",
    "After that {}.",
    "Later {}.",
    "Next, {}.",
    "The next day {}.",
    "{}.",
    "In the evening {}.",
    "Soon {}.",
    "Afterwards {}.",
)
# A sentence without a number that changes nothing, as people add them.
ASIDES = (
    "It is a sunny day.",
    "{Q} is very happy.",
    "Everyone is busy.",
    "It takes a while.",
    "That was a lot of work.",
    "The weather is fine.",
    "{Q} is a bit tired.",
)
