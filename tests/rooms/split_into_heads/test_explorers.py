"""Known answers of the explorers of several heads, and what answers the hand."""

import re

import numpy as np
import pytest

from helpers import explorers
from tests import driving
from workbench.pictures import svg


def test_heads_are_steered_until_they_find_who_gave_and_who_got():
    explorer = explorers.explore_steer()
    assert explorer.html.count("✗") == 2
    driving.point(explorer, "question", -0.25, 1.5, kind="mousedown")  # the tip of head 0
    driving.point(explorer, "question", -2.5, 2.5, kind="mousemove")
    driving.point(explorer, "question", 0.25, 1.5, kind="mousedown")  # the tip of head 1
    driving.point(explorer, "question", 3.0, 3.0, kind="mousemove")
    np.testing.assert_array_equal(explorer.shown["query"], [[-2.5, 2.5], [3.0, 3.0]])
    scores = np.array([[-1, 1], [0, 0], [1, 1], [0.5, 0], [1, -1]]) @ [3.0, 3.0] / np.sqrt(2)
    np.testing.assert_allclose(explorer.shown["weights"][1], np.exp(scores) / np.exp(scores).sum())
    assert "✗" not in explorer.html and explorer.text.endswith("head 1 gives 92% to “Tom”.")
    explorer.set(query=[[-2.0, 2.0], [2.0, 2.0]])  # 87% and 77%
    assert explorer.html.count("✗") == 2


def test_a_tie_is_called_a_tie():
    explorer = explorers.explore_steer()
    explorer.set(query=[[1.0, 0.0], [0.0, 1.0]])
    assert "head 0 gives 29% each to “Tom” and “book”, head 1 gives 31% each to “Mia” and “Tom”" in explorer.text
    assert "head 0 gets: Tom and book, 29% each" in explorer.html
    explorer.set(query=[[-3.0, 3.0], [0.0, 0.0]])
    assert "head 0 gives 97% to “Mia”, head 1 gives 20% each to “Mia”, “gave”, “Tom”, “a” and “book”" in explorer.text
    assert "head 1 gets: all five, 20% each" in explorer.html


@pytest.mark.parametrize("query", [[0.0, 0.0], [-3.0, -3.0], [0.0, -3.0], [0.0, 3.0], [3.0, 0.0]])
def test_names_of_a_tie_fit_into_the_picture(query):
    explorer = explorers.explore_steer()
    explorer.set(query=[query, query])
    told = re.findall(r"<text([^>]*)>(head \d gets: [^<]*)</text>", explorer.html)
    assert len(told) == 4  # two heads, on a wide page and on a phone
    for look, words in told:
        end = float(re.search(r' x="([\d.]+)"', look)[1]) + svg.text_width(words, 14)
        assert end < (800 if 'x="430' in look else 332)


def test_answer_of_the_lesson_steers_both_heads():
    keys = np.array([[-1, 1], [0, 0], [1, 1], [0.5, 0], [1, -1]])  # Mia gave Tom a book
    for query, word, share in (([-3, 3], 0, "97%"), ([3, 3], 2, "92%")):
        powers = np.exp(keys @ query / np.sqrt(2))
        assert f"{powers[word] / powers.sum():.0%}" == share
    explorer = explorers.explore_steer()
    explorer.set(query=[[-3.0, 3.0], [3.0, 3.0]])
    assert "✗" not in explorer.html and "head 0 gives 97% to “Mia”, head 1 gives 92% to “Tom”" in explorer.text
