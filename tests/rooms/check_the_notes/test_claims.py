"""What the text of this lesson says of rounding, tried."""

import numpy as np

from helpers import explorers
from tests import driving


def test_a_rounded_number_may_be_off_by_more_where_something_multiplies_it():
    values, weights = np.array([10, 10, 20, 10]), np.array([1 / 6, 1 / 6, 1 / 2, 1 / 6])
    off = abs(values @ weights.round(3) - values @ weights)
    assert 4 * 0.0005 < off <= values.sum() * 0.0005


def rules_that_notice(explorer, place, slip):
    explorer.set(place=place, slip=slip)
    return [not holds for holds, _ in driving.lights(explorer.html)]


def test_answers_on_a_planted_slip():
    explorer = explorers.explore_wrong_number()
    driving.buttons(explorer)["the 0 of our text"].click()
    assert [not holds for holds, _ in driving.lights(explorer.html)] == [True, False, False]
    assert explorer.shown["moved"].tolist()[2:] == [3, 2]  # a row of weights, an output
    for i, j in np.ndindex(3, 3):
        assert rules_that_notice(explorer, ("weights", i, j), "one more") == [False, True, True]
        for slip in ("one more", "made 0", "three times", "minus"):
            assert any(rules_that_notice(explorer, ("dot products", i, j), slip)) == (
                i != j and explorer.shown["moved"][0] > 0
            )
