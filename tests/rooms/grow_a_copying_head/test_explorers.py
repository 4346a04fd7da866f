"""Known answers of the explorers of heads that copy, and what answers the hand."""

import numpy as np

from helpers import explorers
from tests import driving


def test_heads_are_switched_off_one_by_one_and_all_three_that_copy_at_once():
    explorer = explorers.explore_copying()
    assert "copies 100% of 200 strings" in explorer.text
    driving.click(explorer, "switch", 1, 1)
    assert "Without 1.1," in explorer.text and 0.8 < explorer.shown["right"] < 0.95
    driving.click(explorer, "switch", 1, 1)
    assert explorer.shown["right"] > 0.99
    driving.buttons(explorer)["copying heads off"].click()
    assert "Without 1.0, 1.1, 1.3," in explorer.text and explorer.shown["right"] < 0.3
    driving.click(explorer, "map", 1, 2)
    driving.click(explorer, "string", 20)
    assert explorer.controls["head"].value == (1, 2) and explorer.controls["place"].value == 20


def test_two_heads_find_what_came_after_the_letter():
    explorer = explorers.explore_two_heads()
    np.testing.assert_allclose(explorer.shown["weights"][4], np.array([1, 1, 9, 1, 1]) / 13)
    assert "→ B 0.69" in explorer.html and "gets 0.69 of B" in explorer.text
    driving.click(explorer, "letters", 2)
    assert "B has not come before" in explorer.text
