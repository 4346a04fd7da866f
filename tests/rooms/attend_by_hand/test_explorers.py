"""Known answers of the explorers of this lesson; tests/test_explorers.py holds them against recorded states."""

import itertools
import math
import re

import pytest

from helpers import explorers
from tests import driving

TOKENS = "Sarah was walking in the park with her cat , Alex . She was wearing a beautiful gold watch .".split()


def test_similarity_cannot_tell_sarah_from_her_and_she():
    explorer = explorers.explore_similar_words()
    weights = explorer.shown["weights"]
    total = 3 * math.e + math.e ** (2 / 3) + 3 * math.e ** (1 / 3) + 13  # three share all with her, Alex two features
    for word, score in {"Sarah": 3, "her": 3, "She": 3, "Alex": 2, "cat": 1, "wearing": 1, "park": 0}.items():
        assert weights[TOKENS.index(word)] == pytest.approx(math.e ** (score / 3) / total)
    assert explorer.text == "“She” gives 10% of the weight each to “Sarah”, “her” and “She”."
    assert "She is a bit of everybody" in explorer.html
    assert "shares 3, gets 10.0% of the weight; click: “Sarah” looks" in explorer.html


def test_by_likeness_alone_no_word_is_half_somebody():
    explorer = explorers.explore_similar_words()
    for swapped in (False, True):
        for asks in range(len(TOKENS)):
            explorer.set(asks=asks, swapped=swapped)
            assert explorer.shown["output"][5:].max() < 0.5 and " is a bit of everybody" in explorer.html


def test_twins_and_what_is_made_of_them_share_their_labels():
    explorer = explorers.explore_three_tokens()
    driving.buttons(explorer)["twins"].click()
    assert (
        explorer.html.count(">token 1, 2<") == explorer.html.count(">y1, y2<") == 2
    )  # the wide picture and the narrow one
    explorer.set(X=[[5, 0], [0, 1], [1, 1]])  # beyond what the plane grows to
    assert explorer.html.count(">token 1 [5, 0]<") == explorer.html.count(">y1 [5, 0]<") == 2


def test_every_sentence_of_explore_three_tokens_is_a_true_equation():
    explorer = explorers.explore_three_tokens()
    explorer.set(numbers=True)
    for cell in driving.choices(explorer.controls["cell"]):
        explorer.controls["cell"].value = cell
        sides = [side for side in explorer.text.split(" = ")[1:] if "token" not in side]
        results = [
            eval(side.replace("·", "*").replace("^", "**").replace("√2", "2**0.5"), {"e": math.e}) for side in sides
        ]
        assert len(results) == 2 and abs(results[0] - results[1]) < 2e-3, explorer.text


def test_three_tokens_open_with_the_triangle_and_one_bar_and_no_numbers():
    explorer = explorers.explore_three_tokens()
    assert explorer.text == "y1 is made of 40% of token 1, 20% of token 2 and 40% of token 3."
    assert (
        "<table" not in explorer.html and explorer.html.count("is made of what token 1 looks at") == 2
    )  # on the card and on a phone
    explorer.set(cell=("outputs", 2, 0))
    assert explorer.text == "y3 is made of 25% of token 1, 25% of token 2 and 50% of token 3."
    explorer.set(numbers=True)
    assert explorer.html.count("<table") == 5


def test_beside_the_bar_stand_the_dot_products_that_the_shares_follow():
    explorer = explorers.explore_three_tokens()
    for row, chosen in enumerate((("1", "40%", "0", "20%", "1", "40%"), ("0", "20%", "1", "40%", "1", "40%"))):
        explorer.set(cell=("outputs", row, 0))
        for page in explorer.html.split("only-narrow"):
            assert (
                tuple(re.findall(r">([^<>]+)</text>", page.split(">share<")[1])[k] for k in (1, 2, 4, 5, 7, 8))
                == chosen
            )
            assert all(f">y{name}" in page for name in "123")  # on a phone, too, no diamond is nameless
    assert "y2: what" not in explorer.html  # no room beside y3
    explorer.set(cell=("outputs", 2, 0))
    assert explorer.html.count(">y3: what token 3 gets<") == 1 and explorer.html.count(">y3<") == 3


def test_each_step_of_the_slider_shows_another_output():
    explorer = explorers.explore_three_tokens()
    seen = []
    for cell in driving.choices(explorer.controls["cell"]):
        explorer.controls["cell"].value = cell
        seen.append(explorer.html)
    assert all(one != other for one, other in itertools.pairwise(seen))
