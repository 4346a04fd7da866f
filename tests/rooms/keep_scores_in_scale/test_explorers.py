"""Known answers of the explorer of the scale."""

import itertools
import math
import re

import numpy as np
import pytest

from helpers import explorers
from rooms.keep_scores_in_scale.explorers import TOKENS

WIDTHS = (4, 16, 64, 256)


def luck(d_k):
    explorer = explorers.explore_luck()
    explorer.set(d_k=d_k)
    return explorer


def test_one_word_wins_by_luck_until_scores_are_divided_by_the_root():
    """The numbers of the lesson's three answers."""
    undivided = {d_k: luck(d_k).shown["undivided"].max(axis=1) for d_k in WIDTHS}
    assert (undivided[64] > 0.5).all() and round(undivided[64].mean(), 2) == 0.78
    assert (undivided[4] > 0.5).sum() == 5 and (undivided[256] > 0.5).all() and round(undivided[256].mean(), 2) == 0.87
    divided = {d_k: luck(d_k).shown["divided"].max(axis=1) for d_k in WIDTHS}
    assert (divided[64] > 0.5).sum() == 1 and all(0.18 < each.mean() < 0.22 for each in divided.values())


def test_from_row_to_row_it_is_another_word_and_once_even_sarah():
    winners = [TOKENS[word] for word in luck(64).shown["undivided"].argmax(axis=1)]
    assert {"walking", "a", "."} < set(winners) and winners.count("Sarah") == 1
    assert all(one != other for one, other in itertools.pairwise(winners))


def test_dividing_leaves_the_order_of_the_words():
    for d_k in WIDTHS:
        shown = luck(d_k).shown
        np.testing.assert_array_equal(shown["undivided"].argsort(), shown["divided"].argsort())


@pytest.mark.parametrize("d_k", WIDTHS)
def test_every_row_has_the_same_ink(d_k):
    """The area of a speck is its word's weight, on both sides and on both pages, but for what is too small to be drawn."""
    for page in luck(d_k).html.split('class="only-narrow"'):
        rows = {}
        for y, radius in re.findall(r'<circle [^>]*cy="([\d.]+)" r="([\d.]+)"', page):
            rows.setdefault(y, []).append(float(radius) ** 2)
        rows = {y: sum(areas) for y, areas in rows.items()}
        whole = max(rows.values())
        assert all(math.isclose(area / whole, 1, abs_tol=0.03) for area in rows.values())
