"""Known answers of the explorers of several heads, and what answers the hand."""

import numpy as np

from helpers import explorers
from tests import driving


def test_one_average_forgets_who_was_which_and_two_heads_remember():
    explorer = explorers.explore_binding()
    explorer.set(strength=10)
    one, other = explorer.shown["output"]
    np.testing.assert_allclose([one[0], other[0]], 0.5, atol=1e-4)
    assert "✗ the two sentences" in explorer.html
    explorer.set(num_heads=2)
    gave, got = explorer.shown["output"].reshape(2, 4).round(2).tolist()
    assert (gave, got) == ([1, 0, 0, 1], [0, 1, 1, 0]) and "✗" not in explorer.html


def test_first_of_two_heads_has_the_weights_of_lesson_04():
    weights = explorers.explore_heads().shown["weights"][0]
    np.testing.assert_allclose(
        weights, [[0.401, 0.198, 0.401], [0.198, 0.401, 0.401], [0.248, 0.248, 0.503]], atol=5e-4
    )


def test_a_head_hears_every_feature_that_its_column_of_W_Q_takes():
    explorer = explorers.explore_heads()
    first, second = explorer.shown["weights"]
    assert "made of features 1, 2 of each token" in explorer.text
    driving.click(explorer, "W_Q", 3, 0)
    assert explorer.shown["W_Q"][3, 0] == 1 and "made of features 1, 2, 4 of each token" in explorer.text
    assert np.abs(explorer.shown["weights"][0] - first).max() > 0.1
    np.testing.assert_array_equal(explorer.shown["weights"][1], second)
    driving.buttons(explorer)["W_Q: mix"].click()
    assert "made of features 1, 2, 3, 4 of each token" in explorer.text
    driving.click(explorer, "heads", 1, 3)
    assert explorer.values["head"] == 2 and explorer.text.startswith("Head 2 of 2")
    assert driving.titles(explorer)["query", (0, 0)].startswith("query [1, 1] = 1·1 + 0·1 + 2·1 + 0·1 = 3")


def test_head_to_follow_is_there_where_there_is_a_choice_and_is_the_one_that_the_sentence_names():
    explorer = explorers.explore_heads()
    for num_heads, head in [(4, 4), (2, 2), (1, None), (4, 2), (1, None), (2, 1)]:
        explorer.controls["num_heads"].value = num_heads
        assert ("head" in explorer.controls) == (num_heads > 1)
        if head:
            assert explorer.controls["head"].max == num_heads
            explorer.controls["head"].value = head
        assert explorer.text.startswith(f"Head {head or 1} of {num_heads} ")


def test_straight_reshape_passes_shape_and_round_trip_and_only_the_rows_notice():
    explorer = explorers.explore_wrong_reshape()
    explorer.set(recipe="reshape, then swap the axes")
    assert explorer.shown["heads"][0].ravel().tolist() == [1, 3, 5] and "✗" not in explorer.html
    explorer.set(recipe="reshape straight to the shape")
    assert explorer.shown["heads"][0].ravel().tolist() == [1, 2, 3]
    assert explorer.html.count("✓") == 2 and "✗ row i of every head comes from token i" in explorer.html


def test_what_queries_are_made_of_is_told_of_one_feature_and_of_none():
    explorer = explorers.explore_heads()
    explorer.set(num_heads=4)
    assert "Its queries are made of feature 1 of each token, its" in explorer.text
    W_Q = explorer.shown["W_Q"]
    W_Q[:, 0] = 0
    explorer.set(W_Q=W_Q)
    assert "Its queries are all 0, its" in explorer.text
