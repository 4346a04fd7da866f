"""Known answers of the explorers of two sequences, and what answers the hand."""

import numpy as np

from helpers import explorers
from tests import driving


def test_explore_cross_starts_with_15_and_11_and_turns_round_to_four_rows_of_two():
    explorer = explorers.explore_cross()
    np.testing.assert_allclose(explorer.shown["output"], [[15], [11]], rtol=1e-12)
    driving.buttons(explorer)["roles reversed"].click()
    assert explorer.shown["weights"].shape == (4, 2) and explorer.shown["output"].shape == (4, 1)
    driving.buttons(explorer)["queries twice as long"].click()  # takes the roles and the strings back, too
    np.testing.assert_allclose(explorer.shown["weights"][0] * 12, [1, 1, 9, 1], rtol=1e-12)
    np.testing.assert_allclose(explorer.shown["output"][0], 17.5, rtol=1e-12)
    explorer.set(asking="AB", source="B")
    driving.buttons(explorer)["queries twice as long"].click()
    np.testing.assert_allclose(explorer.shown["output"][0], 17.5, rtol=1e-12)


def test_one_letter_that_asks_one_has_one_weight_and_one_output():
    explorer = explorers.explore_cross()
    for asking, source, told in [
        ("A", "B", "1 asks 1: 1 × 1 weight, and 1 output, 20.000."),
        ("A", "BA", "1 asks 2: 1 × 2 weights, and 1 output, 12.500."),
        ("AB", "B", "2 ask 1: 2 × 1 weights, and 2 outputs, from 20.000 to 20.000."),
    ]:
        explorer.set(asking=asking, source=source)
        assert explorer.text == told
