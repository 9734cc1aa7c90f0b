"""The banks of wordings: complete, well marked, and never the same words for two meanings."""

import itertools
import random
import re
import string

import pytest

from axon.tasks import BUNDLED, code, sums
from axon.tasks.english import bank, said, sentences, whole
from axon.tasks.telling import THEMES

FIELDS = {name for _, name, _, _ in string.Formatter().parse("{P}{Q}{p}{s}{o}{T}{B}{b}{F}{A}{C}{n}{k}")}
# Which numbers each kind of text must name, in this order.
NUMBERS = {
    "start": "n", "groups": "kn", "pairs": "nk", "mixed": "nk", "gain": "n", "lose": "n", "double": "", "triple": "",
    "more_groups": "kn", "share": "k", "share_rest": "k", "cost": "k", "together": "n", "ask": "", "ask_rest": "",
}  # fmt: skip


def fields(text):
    return [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]


def texts(tree):
    """Every text of a bank."""
    if isinstance(tree, str):
        yield tree
    else:
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from texts(part)


def test_a_text_takes_one_form_and_its_optional_parts_or_not():
    told = {said(random.Random(seed), "{p} <gives|gave> {n}[ of them] away", 1) for seed in range(20)}
    assert told == {"{p} gave {n} of them away", "{p} gave {n} away"}
    assert said(random.Random(0), "<keep|keeps> {f}", 0) == "keep {f}"


def test_sentences_start_with_a_capital_and_functions_do_not():
    assert sentences("he left. solve(text) is it? yes.") == "He left. solve(text) is it? Yes."


def test_a_bank_that_is_like_another_has_what_it_has_not_itself():
    birds, animals = bank("birds"), bank("animals")
    assert birds["things"] != animals["things"]
    assert set(animals) <= set(birds)


@pytest.mark.parametrize("name", THEMES)
def test_a_theme_tells_every_kind_of_event_with_its_numbers_in_order(name):
    theme = bank(name)
    for kind, numbers in NUMBERS.items():
        assert len(theme[kind]) == len(set(theme[kind])) >= 3
        for text in theme[kind]:
            # With every optional part, in both tenses.
            whole = text.replace("[", "").replace("]", "")
            for form in (0, 1):
                told = said(random.Random(0), whole, form)
                assert not set(told) & set("<>|[]"), text
                assert set(fields(told)) <= FIELDS, text
                assert "".join(field for field in fields(told) if field in "nk") == numbers, text
            assert not re.search(r"\d", text), text
    assert len(theme["things"]) >= 12
    assert all(len(actor) == 3 for actor in theme["actors"])
    assert all(len(kinds) == 3 for kinds in theme["kinds"])
    for unfit in theme.get("except", ()):
        assert any(re.search(unfit["wording"], text) for kind in NUMBERS for text in theme[kind]), unfit["wording"]


@pytest.mark.parametrize("kind", code.DOMAINS)
def test_every_part_of_a_function_can_be_said_in_every_way(kind):
    domain, words = code.DOMAINS[kind], bank(kind)
    assert set(words["filters"]) == {"", *domain.filters}
    assert set(words["maps"]) == set(domain.maps)
    assert set(domain.folds) <= set(bank("folds"))
    for name, piece in domain.filters.items():
        constant = {field for field in fields(piece.source) if field != "x"}
        for text in texts({way: words["filters"][name][way] for way in ("those", "is", "drop")}):
            assert set(fields(text)) == constant, text
    for name, piece in domain.maps.items():
        constant = {field for field in fields(piece.source) if field != "x"}
        for way, more in (("do", {"it"}), ("made", {"X"}), ("each", set())):
            for text in words["maps"][name][way]:
                assert set(fields(said(random.Random(0), text, 0))) - more == constant, text


@pytest.mark.parametrize("kind", code.DOMAINS)
def test_no_words_mean_two_things(kind):
    words = bank(kind)
    for part, way in (("filters", "those"), ("filters", "is"), ("maps", "do"), ("maps", "made")):
        heard = [text for name in words[part] for text in set(words[part][name].get(way, ()))]
        assert len(heard) == len(set(heard)), (part, way)
    # What is kept is never what is dropped.
    for name, filter_ in words["filters"].items():
        assert set(filter_["those"]).isdisjoint(filter_.get("drop", ())), name
    folds = [text for fold in bank("folds").values() for text in set(fold["do"])]
    assert len(folds) == len(set(folds))


@pytest.mark.parametrize("kind", code.DOMAINS)
def test_what_is_dropped_is_what_the_opposite_filter_keeps(kind):
    """Spelled out for the filters that have an opposite: none of their wordings is on the wrong side."""
    opposites = {"even": "odd", "above": "at most", "below": "at least", "divisible": "not divisible",
                 "with": "without", "vowels": "no vowels", "same": "different"}  # fmt: skip
    filters = bank(kind)["filters"]
    for one, other in opposites.items():
        if one in filters:
            for name, opposite in ((one, other), (other, one)):
                wrong = set(filters[name]["drop"]) & set(filters[name]["those"])
                right = set(filters[name]["drop"]) & set(filters[opposite]["those"])
                assert not wrong
                assert right, (name, opposite)


def test_prompts_come_in_many_shapes():
    """Prompts without their constants and names hardly ever repeat: the banks are used, not a few of their lines."""
    shapes = {
        re.sub(r"\d+|'.'", "#", problem.prompt) for problem in itertools.islice(code.Code().generate(3, "train"), 2000)
    }
    assert len(shapes) > 1800


# How many numbers each part of a plan names.
NAMED = {"plain": 1, "groups": 2, "pairs": 2, "gain": 1, "lose": 1, "double": 0, "triple": 0, "more_groups": 2,
         "left": 0, "share": 1, "cost": 1, "together": 1}  # fmt: skip


def test_stories_written_as_a_whole_have_a_plan_and_name_each_of_its_numbers_once():
    stories = whole("stories")
    assert len({text for *_, text in stories}) == len(stories) > 2500
    for plan, things, text in stories:
        parts = tuple(plan.split())
        assert parts in sums.compositions(), plan
        slots = fields(text)
        numbers = [slot for slot in slots if len(slot) == 1 and slot.islower()]
        assert sorted(numbers) == list("abcdefgh"[: sum(NAMED[part] for part in parts)]), text
        assert set(slots) - set(numbers) <= {"T", "M", "F", "M2", "F2"}, text
        assert all(thing.strip() for thing in things.split(",")), text
        assert not re.search(r"\d", re.sub(r"\{\w+\}", "", text)), text


def test_requests_written_as_a_whole_have_a_plan_and_name_its_constants():
    requests = whole("requests")
    assert len({text for _, text in requests}) == len(requests) > 2500
    for plan, text in requests:
        kind, test, change, _ = parts = tuple(plan.split("/"))
        assert parts in code.compositions(), plan
        domain = code.DOMAINS[kind]
        wanted = {name for name in ("k", "c") if test and f"{{{name}}}" in domain.filters[test].source}
        wanted |= {"m"} if change and "{k}" in domain.maps[change].source else set()
        assert set(fields(text)) == wanted, text
        assert f"solve({domain.argument})" in text, text


@pytest.mark.parametrize("name", ["sums", "code"])
def test_what_was_written_for_plans_of_the_test_split_is_never_met_in_training(name):
    """So most of the test problems are in words that the model cannot have seen."""
    texts, split, plans = {
        "sums": ("stories", None, sums._plans("test")),
        "code": ("requests", "/", itertools.chain(*code._plans("test"))),
    }[name]
    tested_plans = set(plans)
    held = [line[-1] for line in whole(texts) if tuple(line[0].split(split)) in tested_plans]
    assert len(held) > 300
    # The longest stretch without anything to fill in tells a text.
    told = [max(re.split(r"\{\w+\}", text), key=len) for text in held]
    told = [part for part in told if len(part) > 50]
    met = "\n".join(problem.prompt for problem in itertools.islice(BUNDLED[name].generate(5, "train"), 4000))
    tested = "\n".join(problem.prompt for problem in itertools.islice(BUNDLED[name].generate(5, "test"), 1500))
    assert not [part for part in told if part in met]
    assert sum(part in tested for part in told) > len(told) / 2
