"""Known answers of the explorers of the hunt, and what answers the hand."""

import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from helpers import explorers
from rooms.hunt_the_bugs import model_specimens, specimens
from tests import driving

KEY = {  # the answers: number of the specimen -> mistake
    1: "queries and keys are exchanged",
    2: "weights are masked after softmax",
    3: "softmax runs over the queries",
    4: "heads are cut by reshape alone",
    5: "the largest score is not subtracted",
    6: "the mask opens one step too many",
    7: "the scores are not divided by √d_k",
    8: "a matrix is changed along the way",
    9: "keys are mixed, not values",
    10: "blocked scores are set to 0",
}


def gaps(mistake):
    return specimens.gaps(specimens.attention_of(specimens.MISTAKES[mistake]))


@pytest.mark.parametrize("number", KEY)
def test_explore_hunt_confirms_the_right_verdict_and_answers_wrong_ones_with_a_rule(number):
    explorer = explorers.explore_hunt()
    explorer.set(number=number, **{f"verdict_{number}": KEY[number]})
    assert f" Yes: {KEY[number]}. Named correctly so far: 1 of 10." in explorer.text
    for mistake in sorted(set(KEY.values()) - {KEY[number]}):
        explorer.set(**{f"verdict_{number}": mistake})
        assert explorer.text.endswith("Named correctly so far: 0 of 10.")
        kind, rule, state = re.search(
            r"it would (break|keep) “(.*)”, which is (kept|broken) here\. Named", explorer.text
        ).groups()
        place = list(specimens.RULES).index(rule)
        assert (gaps(mistake)[place] > 0) == (kind == "break") and (gaps(KEY[number])[place] > 0) == (state == "broken")
        assert (kind == "break") == (state == "kept")


def test_verdicts_are_kept_while_others_are_given_and_can_be_taken_back():
    explorer, mistakes = explorers.explore_hunt(), list(specimens.MISTAKES)
    for solved, number in enumerate(KEY, start=1):
        driving.click(explorer, "rules", 0, number - 1)
        driving.click(explorer, "verdicts", mistakes.index(KEY[number]))
        assert explorer.text.endswith(f"Named correctly so far: {solved} of 10.")
    driving.click(explorer, "verdicts", mistakes.index(KEY[10]))
    assert explorer.controls["verdict_10"].value == "none yet" and explorer.text.endswith("9 of 10.")
    driving.click(explorer, "verdicts", mistakes.index(KEY[4]))
    assert "would" in explorer.text and explorer.shown["right"].sum() == 9
    driving.buttons(explorer)["Reset"].click()
    assert not explorer.shown["right"].any()


def test_specimens_are_those_of_the_key_in_the_lesson():
    assert [specimens.mistake_of(number) for number in KEY] == list(KEY.values())
    path = Path(__file__).parents[3] / "notebooks" / "30_hunt_the_bugs.ipynb"
    lesson = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    assert dict(re.findall(r"^\| (\d+) \| (.*) \|$", lesson, re.M)) == {str(k): v for k, v in KEY.items()}
    assert all(f"| {rule}" in lesson for rule in specimens.RULES)


def test_what_stays_hidden_is_counted_in_words_that_fit_one():
    explorer = explorers.explore_hiding_examples()
    assert (False, "8 mistakes stay hidden") in driving.lights(explorer.html)
    explorer.set(example="four tokens, whole numbers", causal=True, two_heads=True, again=True)
    assert driving.lights(explorer.html) == [(False, "1 mistake stays hidden")]


def test_no_single_example_catches_all_ten_mistakes():
    explorer, caught = explorers.explore_hiding_examples(), []
    switches = [name for name in explorer.controls if name != "example"]
    for example in explorer.controls["example"].options:
        for state in range(16):
            explorer.set(example=example, **{name: bool(state >> k & 1) for k, name in enumerate(switches)})
            caught.append(~(explorer.shown["differences"] < 1e-9))
    assert max(c.sum() for c in caught) == 9 and np.any(caught, axis=0).all()


def test_each_bug_breaks_rules_of_its_own_and_a_right_model_none():
    broken = {
        words: model_specimens.gaps(model_specimens.model_of(parts)) > 0
        for words, parts in model_specimens.MISTAKES.items()
    }
    assert not model_specimens.gaps(model_specimens.model_of(model_specimens.RIGHT)).any()
    rules = [list(np.flatnonzero(row) + 1) for row in broken.values()]
    assert rules == [[2], [3], [4], [1, 2], [5], [6], [2, 7], [8], [9], [10], [11], [12]]


def test_model_hunt_is_won_by_eleven_clicks():
    explorer = explorers.explore_model_hunt()
    for number, bug in enumerate((2, 5, 0, 7, 4, 6, 1, 8, 10, 11, 9), 1):
        explorer.set(number=number)
        driving.click(explorer, "verdicts", bug)
        assert "Yes: " in explorer.text
    assert "Found so far: 11 of 11" in explorer.text


def test_on_one_short_text_seven_of_the_models_are_right_to_the_last_digit():
    right = model_specimens.model_of(model_specimens.RIGHT)(model_specimens.X, model_specimens.LAYERS)[0]
    found = [model_specimens.specimen(k)(model_specimens.X, model_specimens.LAYERS)[0] for k in range(1, 12)]
    assert [k for k, output in enumerate(found, 1) if np.array_equal(output, right)] == [3, 4, 6, 8, 9, 10, 11]


@pytest.mark.parametrize("made, what", [(explorers.explore_hunt, "specimen"), (explorers.explore_model_hunt, "model")])
def test_the_board_draws_only_what_breaks_and_a_verdict_moves_to_its_column(made, what):
    explorer = made()
    wide = explorer.html.split('class="only-narrow"')[0]
    assert wide.count(">✗<") == np.count_nonzero(explorer.shown["gaps"]) and "✓" not in re.sub(
        "<title>.*?</title>", "", wide.split("<table")[0]
    )
    driving.click(explorer, "verdicts", 0)
    assert f"{what.capitalize()} 1 breaks" in explorer._picture_text and "your verdict a" in explorer._picture_text
    assert ">a ✗<" in explorer.html.split('class="only-narrow"')[0]
