"""Known answers of the explorers of the scale, and what answers the hand."""

import math
import re

import numpy as np
import pytest

from helpers import explorers
from tests import driving


def luck(d_k, by):
    explorer = explorers.explore_luck()
    explorer.set(d_k=d_k, by=by)
    return explorer


def test_one_word_wins_by_luck_until_scores_are_divided_by_the_root():
    """The numbers of the lesson's three answers."""
    undivided = {d_k: luck(d_k, "nothing").shown["largest"] for d_k in (4, 64, 256)}
    assert (undivided[64] > 0.5).all() and round(undivided[64].mean(), 2) == 0.78
    assert (undivided[4] > 0.5).sum() < 10 and undivided[256].mean() > undivided[64].mean()
    divided = [luck(d_k, "√d_k").shown["largest"].mean() for d_k in (4, 16, 64, 256)]
    assert 0.18 < min(divided) < max(divided) < 0.22


def test_dividing_leaves_the_order_of_the_words():
    orders = [luck(64, by).shown["weights"].argsort().tolist() for by in ("nothing", "√d_k", "d_k")]
    assert orders[0] == orders[1] == orders[2]


def test_draws_are_chosen_by_a_click():
    explorer = explorers.explore_luck()
    driving.click(explorer, "draws", 6)
    assert explorer.controls["draw"].value == 7
    assert explorer.shown["weights"].max() == explorer.shown["largest"][6]


@pytest.mark.parametrize("d_k", [4, 64, 256])
def test_scores_spread_by_the_root_of_the_width_and_by_1_when_divided_by_it(d_k):
    explorer = explorers.explore_scale()
    explorer.set(d_k=d_k)
    np.testing.assert_allclose(explorer.shown["spread"], [d_k**0.5, 1, d_k**-0.5], rtol=0.1)


def test_hill_is_pulled_to_a_width():
    explorer = explorers.explore_scale()
    driving.point(explorer, "hill", 16, 0.5, kind="mousedown")
    assert explorer.controls["d_k"].value == 256
    explorer.set(booster=10)
    driving.point(explorer, "hill", 20, 0.5, kind="mousedown")
    assert explorer.controls["d_k"].value == 4


def test_lesson_says_what_its_hills_show():
    explorer = explorers.explore_scale()
    explorer.set(d_k=64)
    assert [f"{peak:.0%}" for peak in explorer.shown["peak"]] == ["86%", "26%", "8%"]
    explorer.set(booster=10)
    assert f"{explorer.shown['peak'][1]:.0%}" == "89%" and math.isclose(explorer.shown["spread"][1], 10, rel_tol=0.1)


@pytest.mark.parametrize("d_k", [1, 64, 256])
def test_each_hill_is_as_high_as_the_others(d_k):
    explorer = explorers.explore_scale()
    explorer.set(d_k=d_k)
    hills = re.findall(r'<polygon points="([^"]*)"', explorer.html)
    heights = [np.ptp([float(corner.split(",")[1]) for corner in hill.split()]) for hill in hills]
    assert len(hills) == 6 and np.ptp(heights) < 0.11  # on the card and on a phone; corners are rounded to tenths
