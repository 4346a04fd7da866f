"""Known answers of the explorers of queries, keys and values, and what answers the hand."""

import math

import numpy as np

from helpers import explorers
from tests import driving


def test_the_booster_sends_every_letter_to_the_b():
    explorer = explorers.explore_projections()
    driving.buttons(explorer)["booster"].click()
    np.testing.assert_array_equal(explorer.shown["scores"], [[0, 0, 4, 0]] * 4)
    np.testing.assert_allclose(explorer.shown["weights"][:, 2], math.e**4 / (math.e**4 + 3))


def test_one_row_turned_lets_every_letter_find_the_b():
    explorer = explorers.explore_projections()
    driving.point(explorer, "rows of W", 1.0, 0.0, kind="mousedown")  # the first row of W_Q
    driving.point(explorer, "rows of W", 0.0, 2.0, kind="mousemove")
    np.testing.assert_array_equal(explorer.shown["W_Q"], [[0, 2], [0, 1]])
    assert (explorer.shown["weights"].argmax(axis=1) == 2).all()


def test_swapping_transposes_the_scores_and_the_identity_hides_it():
    explorer = explorers.explore_projections()
    before = explorer.shown["scores"]
    explorer.set(W_query=[[0, 1], [2, 1]], swap=False)
    turned = explorer.shown["scores"]
    explorer.set(swap=True)
    np.testing.assert_array_equal(explorer.shown["scores"], turned.T)
    assert not np.array_equal(turned, turned.T) and np.array_equal(before, before.T)


def test_identity_hides_five_mistakes_and_the_companion_none():
    explorer = explorers.explore_wrong_projections()
    mistakes = driving.choices(explorer.controls["recipe"])[1:]
    dark = {}
    for example in ("identity", "companion"):
        explorer.controls["example"].value = example
        for mistake in mistakes:
            explorer.controls["recipe"].value = mistake
            dark[mistake, example] = not all(holds for holds, _ in driving.lights(explorer.html))
    assert [m for m in mistakes if not dark[m, "companion"]] == []
    assert [m for m in mistakes if dark[m, "identity"]] == ["softmax down the columns"]
