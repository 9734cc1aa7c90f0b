"""What answers to sums quote: the words around a number, whole enough to be understood and from one place alone."""

import itertools
import re
from collections import Counter

import pytest

from axon.tasks.passages import around, marked, of_times, plain
from axon.tasks.sums import Sums


def written(text):
    """A text with its numbers marked in their order."""
    numbers = itertools.count()
    return re.sub(r"\d+", lambda number: marked(int(number[0]), next(numbers)), text)


@pytest.mark.parametrize(
    ("text", "numbers", "passage"),
    [
        # Three words to both sides, and an article before them; what is over soon is quoted to its end.
        (
            "Once again the old aunt sent 5 ripe red apples to us by post.",
            [0],
            "the old aunt sent 5 ripe red apples",
        ),
        ("Once again the old aunt sent 5 ripe red apples home.", [0], "the old aunt sent 5 ripe red apples home"),
        # A sentence ends it, and so does what is said of another number.
        ("He has 9. He sold 5. Then 3 more came.", [1], "He sold 5"),
        ("Ann lost 5 pens, found 6 and bought 7 more of them.", [1], "found 6"),
        ("She gave 4 to Tom and 6 to Ann.", [1], "6 to Ann"),
        # Not without the verb, nor with half of what follows.
        ("So 5 of the eggs were sold at once to a cook.", [0], "5 of the eggs were sold"),
        ("In all 25 snow leopards were released into the hills again.", [0], "In all 25 snow leopards were released"),
        ("At noon the tired captain gave them all to 8 helpers.", [0], "gave them all to 8 helpers"),
        # Not to the end at a title.
        ("He sold 5 to old Mrs. Brown.", [0], "He sold 5 to old Mrs. Brown"),
        # Two numbers: one passage where they are neighbours, two where they are not.
        ("We bought 3 boxes of 6 pens.", [0, 1], "We bought 3 boxes of 6 pens"),
        ("It had 12 red and 8 blue seats.", [0, 1], "It had 12 red and 8 blue seats"),
        ("He owns 3 sheds. Each of the sheds holds 6 pots.", [0, 1], "He owns 3 sheds ... the sheds holds 6 pots"),
        # In the order of the text, whatever the order of the plan.
        ("He lost 4 of his 20 pens.", [1], "of his 20 pens"),
    ],
)
def test_a_passage_is_what_is_said_of_its_numbers(text, numbers, passage):
    assert around(written(text), numbers) == passage


def test_twice_and_three_times_are_quoted_where_they_are_said_once():
    assert of_times("Soon the flock doubled in size.", "double") == "the flock doubled in size"
    assert of_times(written("He had 4. By the next May it had three times as many."), "triple") == (
        "May it had three times as many"
    )
    assert of_times("It came twice a week and doubled.", "double") is None
    assert of_times("As many again came.", "double") is None


def test_marks_leave_no_trace():
    assert plain(written("3 cats and 12 dogs")) == "3 cats and 12 dogs"


def test_every_step_quotes_the_problem_and_no_number_but_its_own():
    quoted: Counter[str] = Counter()
    for problem in itertools.islice(Sums().generate(9, "train"), 600):
        assert "\0" not in problem.prompt + problem.gold
        lines = problem.gold.splitlines()
        layout = "lines" if "\n- " in f"\n{problem.gold}" else "steps" if "\n1. " in f"\n{problem.gold}" else "sentence"
        steps = re.split(r"; |: ", lines[0]) if layout == "sentence" else lines
        for said, left, right in re.findall(
            r"^(?:- |\d\. )?(.*?)(?:[:,]|, so) (\d+)[-+*/](\d+)=", "\n".join(steps), re.MULTILINE
        ):
            numbers = re.findall(r"\d+", said)
            if not numbers:
                continue
            quoted[layout] += 1
            # Within a sentence a passage begins with a small letter.
            same = str.lower if layout == "sentence" else str
            assert all(same(passage) in same(problem.prompt) for passage in said.split(" ... ")), (said, problem.prompt)
            # An operand that is not quoted is what was reached before.
            assert right in numbers, problem.gold
            assert set(numbers) <= {left, right}, problem.gold
    assert min(quoted[layout] for layout in ("lines", "steps", "sentence")) > 300
