"""The English of the sums task: who, what, and how each kind of event is told and explained.

In every text {P} is the actor at first mention and {Q} later on, {p}, {s} and {o} are pronouns (she, her, her), {T} the
things, {B} what they come in, {n} and {k} numbers, {F} a friend. Beside each event stand the words that name it in an
answer.
"""

from dataclasses import dataclass

SHE = ("she", "her", "her")
HE = ("he", "his", "him")
IT = ("it", "its", "it")

GIRLS = ("Mia", "Anna", "Lena", "Sara", "Emma", "Nora", "Julia", "Zoe", "Ruth", "Ivy", "Maya", "Ella")
BOYS = ("Tom", "Ben", "Leo", "Max", "Sam", "Noah", "Paul", "Jack", "Omar", "Finn", "Adam", "Luis")
FRIENDS = ("Kim", "Alex", "Robin", "Chris")


@dataclass(frozen=True)
class Theme:
    """A setting: who can act in it, with which things, and what can happen to them."""

    actors: tuple[tuple[str, str, tuple[str, str, str]], ...]
    things: tuple[str, ...]
    box: tuple[str, ...]
    start: tuple[str, ...]
    gain: tuple[tuple[str, str], ...]
    lose: tuple[tuple[str, str], ...]


_PEOPLE = tuple((name, name, SHE) for name in GIRLS) + tuple((name, name, HE) for name in BOYS)

THEMES: dict[str, Theme] = {
    "collection": Theme(
        actors=_PEOPLE,
        things=("stickers", "marbles", "stamps", "coins", "shells", "cards", "beads", "badges"),
        box=("bags", "boxes", "packs", "jars"),
        start=(
            "{P} has {n} {T}.",
            "{P} owns {n} {T}.",
            "{P} starts with {n} {T}.",
            "There are {n} {T} in {Q}'s collection.",
            "In {s} room {P} keeps {n} {T}.",
            "{P} counted {n} {T} this morning.",
        ),
        gain=(
            ("{p} finds {n} more", "finding more"),
            ("{p} buys {n} more at the market", "buying more"),
            ("{p} gets {n} from {s} aunt", "getting more"),
            ("{s} uncle gives {o} another {n}", "getting more"),
            ("{p} wins {n} in a game", "winning more"),
            ("{p} is given {n} new {T} for {s} birthday", "getting more"),
        ),
        lose=(
            ("{p} gives {n} to a friend", "giving some away"),
            ("{p} loses {n} on the way home", "losing some"),
            ("{p} trades {n} away", "trading some away"),
            ("{p} sells {n} of them", "selling some"),
            ("{n} of the {T} are lost", "losing some"),
            ("{s} brother takes {n} of them", "losing some"),
        ),
    ),
    "kitchen": Theme(
        actors=_PEOPLE,
        things=("cookies", "muffins", "rolls", "pies", "pancakes", "buns", "cupcakes"),
        box=("trays", "boxes", "plates", "bags"),
        start=(
            "{P} bakes {n} {T}.",
            "{P} has {n} {T} on the table.",
            "There are {n} {T} in {Q}'s kitchen.",
            "{P} made {n} {T} for the party.",
            "In the morning {P} bakes {n} {T}.",
            "{P} put {n} {T} on the counter.",
        ),
        gain=(
            ("{p} bakes {n} more", "baking more"),
            ("{p} makes another {n}", "making more"),
            ("a neighbor brings {n} {T}", "getting more"),
            ("{p} buys {n} more at the shop", "buying more"),
            ("{s} sister adds {n} of her own", "adding more"),
            ("{n} more come out of the oven", "adding more"),
        ),
        lose=(
            ("{p} eats {n} of them", "eating some"),
            ("{s} family eats {n}", "eating some"),
            ("{p} sells {n} at the fair", "selling some"),
            ("{p} drops {n} on the floor", "dropping some"),
            ("{p} gives {n} to the neighbors", "giving some away"),
            ("{n} of the {T} get burned", "losing some"),
        ),
    ),
    "garden": Theme(
        actors=_PEOPLE,
        things=("apples", "pears", "plums", "lemons", "tomatoes", "carrots", "flowers", "tulips"),
        box=("baskets", "crates", "buckets", "bags"),
        start=(
            "{P} picks {n} {T}.",
            "{P} has {n} {T} from the garden.",
            "On Monday {P} picked {n} {T}.",
            "There are {n} {T} in {Q}'s basket.",
            "{P} gathers {n} {T} before lunch.",
            "{P} brought home {n} {T}.",
        ),
        gain=(
            ("{p} picks {n} more", "picking more"),
            ("{p} finds {n} behind the shed", "finding more"),
            ("{p} gathers another {n}", "gathering more"),
            ("a farmer gives {o} {n} {T}", "getting more"),
            ("{p} buys {n} more", "buying more"),
            ("{s} cousin picks {n} for {o}", "getting more"),
        ),
        lose=(
            ("{p} throws {n} bad ones out", "throwing some out"),
            ("{p} sells {n} at the market", "selling some"),
            ("{p} gives {n} to a neighbor", "giving some away"),
            ("{p} uses {n} in the kitchen", "using some"),
            ("{n} of the {T} go bad", "losing some"),
            ("birds spoil {n} of them", "losing some"),
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
            "{P} has {n} {T}.",
            "{P} opens with {n} {T}.",
            "{P} starts the week with {n} {T}.",
            "{P} owns {n} {T}.",
            "{P} has {n} {T} on Monday.",
        ),
        gain=(
            ("{p} orders {n} more", "ordering more"),
            ("a truck brings {n} more", "getting more"),
            ("{p} buys another {n}", "buying more"),
            ("{n} new {T} arrive", "getting more"),
            ("{p} receives {n} as a gift", "getting more"),
        ),
        lose=(
            ("{p} sells {n} of them", "selling some"),
            ("{p} gives {n} to a school", "giving some away"),
            ("{n} of the {T} break", "losing some"),
            ("{p} sends {n} back", "sending some back"),
            ("customers take {n} of them", "selling some"),
        ),
    ),
}

# Openings that need a first equation: groups of things, or two kinds of them.
GROUPS = (
    "{P} has {k} {B} with {n} {T} in each.",
    "{P} has {k} {B} of {n} {T} each.",
    "{P} fills {k} {B} with {n} {T} each.",
    "Each of {Q}'s {k} {B} holds {n} {T}.",
)
PAIRS = (
    "{P} has {n} red {T} and {k} blue {T}.",
    "{P} has {n} small {T} and {k} big ones.",
    "{P} counts {n} old {T} and {k} new ones.",
    "There are {n} {T} on {Q}'s table and {k} {T} on the floor.",
)
# Events that multiply what is there, and one that adds whole groups (two equations).
DOUBLE = (
    "{p} doubles that number",
    "the number of {T} doubles",
    "{p} manages to double that",
    "{p} ends up with twice as many",
)
TRIPLE = (
    "{p} triples that number",
    "the number of {T} triples",
    "{p} manages to triple that",
    "{p} ends up with three times as many",
)
MORE_GROUPS = (
    "{p} gets {k} more {B} of {n} {T} each",
    "{p} buys {k} {B} with {n} {T} in each",
    "{k} {B} of {n} {T} each are added",
)
# What is asked at the end.
ASK_LEFT = (
    "How many {T} does {Q} have now?",
    "How many {T} are there in the end?",
    "How many {T} does {p} have at the end?",
    "What is the number of {T} now?",
    "How many {T} is that in all?",
)
ASK_SHARE = (
    "The {T} are shared equally among {k} friends. How many does each friend get?",
    "{Q} splits all of them evenly into {k} groups. How many {T} are in each group?",
    "Then {k} children share the {T} equally. How many {T} does each child get?",
    "If {k} people divide them equally, how many {T} does each get?",
)
ASK_COST = (
    "Each one costs {k} dollars. How much do all of them cost?",
    "{Q} sells every one of them for {k} dollars. How many dollars is that?",
    "They cost {k} dollars each. What is the total price in dollars?",
    "If each is worth {k} dollars, how many dollars are they worth together?",
)
ASK_TOGETHER = (
    "{F} has {n} more than that. How many {T} do they have together?",
    "{F} has {n} more {T} than {Q}. How many do the two have in all?",
)
LINKS = (
    "Then {}.",
    "After that {}.",
    "Later {}.",
    "Next, {}.",
    "The next day {}.",
    "{}.",
    "In the evening {}.",
    "Soon {}.",
)
# A sentence without a number that changes nothing, as people add them.
ASIDES = (
    "It is a sunny day.",
    "{Q} is very happy.",
    "Everyone is busy.",
    "It takes a while.",
    "That was a lot of work.",
    "The weather is fine.",
)
