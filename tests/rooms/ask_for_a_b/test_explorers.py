"""Known answers of the explorers of a string that is asked for a B, and what answers the hand."""

import json
import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from helpers import attention, explorers
from helpers.tokens import one_hot
from rooms.ask_for_a_b import exercises
from rooms.ask_for_a_b import explorers as room
from rooms.shared import attention_maps, questions
from tests import driving
from tests.notebooks import prose


def move(**values):
    explorer = explorers.explore_ask_for_b()
    explorer.set(**values)
    return explorer


def test_three_a_outvote_one_b_until_it_asks_more_strongly():
    explorer = move()
    np.testing.assert_allclose(explorer.shown["weights"], np.array([1, 1, math.e, 1]) / (3 + math.e), rtol=1e-14)
    assert explorer.text == "47.5% of the output is B. The A’s together outvote it."
    assert "weights 17.5% 17.5% 47.5% 17.5%. Laid end to end they are the output, A 52.5%, B 47.5%." in explorer.html
    for told, times in ((">17.5%<", 3), (">47.5%<", 1), (">A 52.5%<", 1), (">B 47.5%<", 1)):
        assert explorer.html.count(told) == 2 * times  # 3 × 17.5 = 52.5, and with 47.5 it is 100; on both pages
    assert "outvote" not in move(strength=2.0).text and move(strength=2.0).text.startswith("71.1%")


@pytest.mark.parametrize(("strength", "on_b"), [(0.0, 0.25), (1.0, 0.4754), (10.0, 0.9999)])
def test_one_knob_leads_from_the_average_almost_to_select(strength, on_b):
    """Whoever asks ten times as strongly, makes the keys ten times as long, or divides the scores by a tenth does one thing."""
    explorer, keys = move(strength=strength), one_hot("AABA", "AB")
    assert explorer.shown["output"][1] == pytest.approx(on_b, abs=5e-5)
    query = np.array([0.0, 1.0])
    for scores in ((strength * keys) @ query, keys @ (strength * query)):
        np.testing.assert_allclose(attention.softmax(scores), explorer.shown["weights"])
    if strength:
        np.testing.assert_allclose(attention.softmax((keys @ query) / (1 / strength)), explorer.shown["weights"])


def test_a_share_that_is_not_the_whole_is_not_written_as_the_whole():
    assert move(strength=10.0).text == "99.99% of the output is B."
    assert move(string="AAAAAAAAAAAB", strength=10.0).text.startswith("99.95%")
    assert move(string="BBB", strength=10.0).text.startswith("100%")


@pytest.mark.parametrize("string", ["AABA", "ABAABAAAABAA", "BBB"])
def test_the_weights_end_to_end_are_the_output(string):
    """The A's first: each piece begins where the last one ends, and is as wide as its weight."""
    explorer = move(string=string, strength=2.0)
    for width, left, page in ((room.WIDTH, room.LEFT, 0), (room.PHONE, 52, 1)):
        drawing = ElementTree.fromstring(re.findall(r"<svg.*?</svg>", explorer.html)[page])
        boxes = [each for each in drawing.iter() if each.get("y") == "258"]
        starts = [float(each.get("x")) for each in boxes]
        order = sorted(range(len(string)), key=lambda k: string[k])
        ends = left + (width - left - 10) * np.cumsum(explorer.shown["weights"][order])
        np.testing.assert_allclose(starts, [left, *ends[:-1]], atol=0.01)


@pytest.mark.parametrize(
    ("strength", "dark"), [(1.0, [True] * 3 + [False]), (2.0, [False] * 3 + [True]), (0.0, [True] * 3 + [False])]
)
def test_who_has_more_than_half_of_the_output_is_the_darker(strength, dark):
    found = re.findall(r'<rect[^>]* y="258"[^>]*>', move(strength=strength).html)
    assert [f'fill-opacity="{room.WINS}"' in each for each in found] == 2 * dark
    assert move(strength=strength).html.count(">50%<") == 2


def test_nothing_asked_and_nothing_found_are_an_average():
    assert move(string="AAA").text == "There is no B, so every letter gets the same weight, 33%."
    assert move(strength=0.0).text == "Nothing is asked, so every letter gets the same weight, 25%."
    assert move(asked="A", string="AABA", strength=10.0).shown["weights"].round(4).tolist() == [
        0.3333,
        0.3333,
        0,
        0.3333,
    ]


def test_a_space_that_nobody_sees_is_named():
    explorer = move()
    explorer.controls["string"].value = "A B"
    assert "A and B only; a space is neither." in explorer._view.value


def test_only_powers_over_their_sum_keep_all_rules_at_every_score():
    explorer, kept = explorers.explore_recipes(), {name: np.ones(3, bool) for name in room.RECIPES}
    for score in driving.choices(explorer.controls["score"]):
        explorer.set(score=score)
        assert (
            "-0.00" not in explorer.text and "Only powers divided by their sum keep all three rules." in explorer.text
        )
        for name in kept:
            kept[name] &= room.keeps(name, explorer.shown["scores"])
    assert [name for name, rules in kept.items() if rules.all()] == ["powers divided by their sum"]
    two = {name: rules.tolist() for name, rules in kept.items() if rules.sum() == 2}
    assert two.pop("logarithms") == [
        True,
        True,
        False,
    ]  # "keeps two of the rules wherever you go, and breaks the third"
    assert two == {}


def test_powers_of_another_base_keep_all_rules_too_and_no_share_of_the_plain_scores_does():
    rng = np.random.default_rng(7)
    recipes = {name: recipe for name, (_, recipe) in room.RECIPES.items()} | {
        "powers of 3": lambda s: 3**s / (3**s).sum()
    }
    for scores in rng.normal(size=(20, 5)):
        moves = {name: np.abs(recipe(scores + 1) - recipe(scores)).max() for name, recipe in recipes.items()}
        assert [name for name, gap in moves.items() if gap < 1e-12] == ["powers divided by their sum", "powers of 3"]
        soft = recipes["logarithms"](scores)
        assert soft.sum() == pytest.approx(1) and (np.argsort(soft) == np.argsort(scores)).all()
    with np.errstate(divide="ignore", invalid="ignore"):
        assert not np.isfinite(recipes["plain scores"](np.array([1.0, 0.0, -1.0, 0.0]))).any()


def test_one_point_more_moves_nothing_only_where_every_worth_grows_by_the_same_factor():
    scores = np.arange(-3.0, 6.0)
    for worth, power in (
        (np.exp, True),
        (lambda s: 3**s, True),
        (lambda s: np.log1p(np.exp(s)), False),
        (np.square, False),
    ):
        with np.errstate(divide="ignore"):
            grown, factors = worth(scores + 1), worth(scores + 1) / worth(scores)
        assert np.allclose(grown / grown.sum(), worth(scores) / worth(scores).sum()) == power
        assert np.allclose(factors, factors[0]) == power


def test_with_3_it_is_a_draw_and_with_e_the_a_win():
    for base, b_gets in ((3, 0.5), (math.e, 0.475)):
        powers = base ** np.array([0.0, 0, 1, 0])
        assert powers[2] / powers.sum() == pytest.approx(b_gets, abs=5e-4)


def test_the_guess_says_how_many_letters_one_b_outvotes():
    question = json.loads(questions.PATH.read_text(encoding="utf-8"))["A's against one B"]
    assert f"{math.exp(10):,.0f}" == "22,026" and "22,026" in question["replies"][question["right"]]
    share = math.exp(10) / (math.exp(10) + np.array([999, 22_026, 22_027]))
    assert round(share[0], 2) == 0.96 and share[1] > 0.5 > share[2]


def test_the_head_of_the_last_cell_is_that_of_lesson_00():
    assert "45% for *Sarah*" in prose("ask_for_a_b")
    found = attention_maps.load("She")
    assert round(found.weights[3, 1, found.tokens.index("she"), found.tokens.index("sarah")], 2) == 0.45
    assert len(found.tokens) == 22


def test_softmax_of_pytorch_takes_scores_of_1000():
    torch = pytest.importorskip("torch", reason="PyTorch, a second opinion, is not installed")
    assert torch.softmax(torch.tensor([0.0, 0.0, 1000.0, 0.0]) / 0.5, dim=-1).tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(("row", "told"), [([0.5, 0.5], None), ([0.1, 0.1], "0.200"), ([1.5, 0.5], "2.000")])
def test_of_weights_that_sum_to_something_else_the_worst_row_is_told(row, told):
    said = exercises._explain_weights(np.array([[0.25, 0.75], row]), None)
    assert said is None if told is None else f"yours sum to {told}." in said
