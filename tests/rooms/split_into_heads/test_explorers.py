"""Known answers of the explorers of several heads, and what answers the hand."""

import re

import numpy as np
import pytest

from helpers import explorers
from tests import driving
from workbench.pictures import svg


def test_one_average_forgets_who_was_which_and_two_heads_remember():
    explorer = explorers.explore_binding()
    explorer.set(strength=10)
    one, other = explorer.shown["output"]
    np.testing.assert_allclose([one[0], other[0]], 0.5, atol=1e-4)
    assert "✗ both sentences give the same output" in explorer.html
    explorer.set(num_heads=2)
    gave, got = explorer.shown["output"].reshape(2, 4).round(2).tolist()
    assert (gave, got) == ([1, 0, 0, 1], [0, 1, 1, 0]) and "✗" not in explorer.html


def test_at_strength_3_two_heads_say_clearly_who_gave():
    explorer = explorers.explore_binding()
    explorer.set(num_heads=2, strength=3)
    assert explorer.shown["output"][0, 0, 0] > 0.8
    explorer.set(strength=2.5)
    assert explorer.shown["output"][0, 0, 0] < 0.8


def test_heads_are_steered_until_they_find_who_got_and_what_was_given():
    explorer = explorers.explore_steer()
    assert explorer.html.count("✗") == 2
    driving.point(explorer, "question", 1.0, 0.0, kind="mousedown")  # the tip of head 1
    driving.point(explorer, "question", 2.5, 2.5, kind="mousemove")
    driving.point(explorer, "question", 0.0, 1.0, kind="mousedown")  # the tip of head 2
    driving.point(explorer, "question", 2.5, -2.5, kind="mousemove")
    np.testing.assert_array_equal(explorer.shown["query"], [[2.5, 2.5], [2.5, -2.5]])
    scores = np.array([[-1, 1], [0, 0], [1, 1], [0.5, 0], [1, -1]]) @ [2.5, 2.5] / np.sqrt(2)
    np.testing.assert_allclose(explorer.shown["weights"][0], np.exp(scores) / np.exp(scores).sum())
    assert "✗" not in explorer.html and explorer.text.startswith("“gave” asks twice: head 1 gives 86% to “Tom”")


def test_a_tie_is_called_a_tie():
    explorer = explorers.explore_steer()
    assert "head 1 gives 29% each to “Tom” and “book”, head 2 gives 31% each to “Mia” and “Tom”" in explorer.text
    assert "head 1 brings: Tom and book, 29% each" in explorer.html
    explorer.set(query=[[3.0, 3.0], [0.0, 0.0]])
    assert "head 1 gives 92% to “Tom”, head 2 gives 20% each to “Mia”, “gave”, “Tom”, “a” and “book”" in explorer.text
    assert "head 2 brings: all five, 20% each" in explorer.html


@pytest.mark.parametrize("query", [[0.0, 0.0], [-3.0, -3.0], [0.0, -3.0], [0.0, 3.0], [3.0, 0.0]])
def test_names_of_a_tie_fit_into_the_picture(query):
    explorer = explorers.explore_steer()
    explorer.set(query=[query, query])
    told = re.findall(r"<text([^>]*)>(head \d brings: [^<]*)</text>", explorer.html)
    assert len(told) == 4  # two heads, on a wide page and on a phone
    for look, words in told:
        end = float(re.search(r' x="([\d.]+)"', look)[1]) + svg.text_width(words, 14)
        assert end < (800 if 'x="430' in look else 332)


def test_answer_of_the_lesson_steers_both_heads():
    keys = np.array([[-1, 1], [0, 0], [1, 1], [0.5, 0], [1, -1]])  # Mia gave Tom a book
    for query, word, share in (([3, 3], 2, "92%"), ([2, -2], 4, "81%")):
        powers = np.exp(keys @ query / np.sqrt(2))
        assert f"{powers[word] / powers.sum():.0%}" == share
    explorer = explorers.explore_steer()
    explorer.set(query=[[3.0, 3.0], [2.0, -2.0]])
    assert "✗" not in explorer.html and "head 1 gives 92% to “Tom”, head 2 gives 81% to “book”" in explorer.text


def test_straight_reshape_passes_shape_and_round_trip_and_only_the_rows_notice():
    explorer = explorers.explore_wrong_reshape()
    explorer.set(recipe="reshape, then swap the axes")
    assert explorer.shown["heads"][0].ravel().tolist() == [1, 3, 5] and "✗" not in explorer.html
    explorer.set(recipe="reshape straight to the shape")
    assert explorer.shown["heads"][0].ravel().tolist() == [1, 2, 3]
    assert explorer.html.count("✓") == 2 and "numbers stand in the row of another token" in explorer.html


def test_one_head_gives_one_output_at_every_strength():
    explorer = explorers.explore_binding()
    for strength in np.arange(0, 10.5, 0.5):
        explorer.set(strength=strength)
        one, other = explorer.shown["output"]
        np.testing.assert_allclose(one, other)


def test_same_matrices_cut_into_two_heads_say_who_gave_and_cut_into_one_they_do_not():
    explorer = explorers.explore_cut()
    powers = np.exp(np.array([[16, 0, 0, -4, -8], [0, 0, 16, 4, 8]]) / np.sqrt(2))  # of Mia gave Tom a book
    for sentence, names in (("Mia gave Tom", [0, 1]), ("Tom gave Mia", [1, 0])):
        explorer.set(num_heads=2, sentence=sentence)
        np.testing.assert_allclose(explorer.shown["weights"][:, 1], powers / powers.sum(axis=1, keepdims=True))
        parts = explorer.shown["parts"].round(2)
        assert parts[0].tolist() == [[-1, 0], [0, -1]][names[0]] and parts[1].tolist() == [[1, 0], [0, 1]][names[1]]
        np.testing.assert_allclose(explorer.shown["parts"].sum(axis=0), explorer.shown["output"][1])
        assert "✗" not in explorer.html
        maps = explorer.shown["weights"]
        explorer.set(num_heads=1)
        wide = np.exp([8, 0, 8, 0, 0])  # 16 for either name, divided by the root of 4: the place has cancelled
        np.testing.assert_allclose(explorer.shown["weights"][0, 1], wide / wide.sum())
        np.testing.assert_allclose(explorer.shown["heads"][1], 0.5, atol=1e-3)
        np.testing.assert_allclose(explorer.shown["output"][1], 0, atol=1e-12)
        assert "✗ “gave” says the same of both" in explorer.html
    explorer.set(num_heads=2, sentence="Mia gave Tom")
    np.testing.assert_array_equal(explorer.shown["weights"], maps)  # the maps are the same for both sentences
