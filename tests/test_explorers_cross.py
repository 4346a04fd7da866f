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


def test_letters_of_explore_cross_are_clicked():
    explorer = explorers.explore_cross()
    driving.click(explorer, "who asks", 1)
    assert explorer.values["asks"] == 2 and explorer.shown["chosen"] == 1
    assert "those of letter 2, A, are dark" in explorer.html
    driving.click(explorer, "weights", 0, 3)
    assert explorer.values["asks"] == 1
    driving.click(explorer, "who is asked", 2)
    assert explorer.values["source"] == "AAAA" and explorer.shown["output"].ravel().tolist() == [10, 10]
    explorer.set(side="the second asks the first")
    driving.click(explorer, "who is asked", 0)
    assert explorer.values["asking"] == "AA" and explorer.shown["weights"].shape == (4, 2)


def test_explore_cross_tells_how_its_numbers_are_made():
    said = driving.titles(explorers.explore_cross())
    assert said["weights", (0, 2)].startswith("weights [1, 3] = 3^1 / (3^0 + 3^0 + 3^1 + 3^0) = 0.5")
    assert said["output", (1, 0)] == "output [2, 1] = 0.300·10 + 0.300·10 + 0.100·20 + 0.300·10 = 11.000"


def test_one_letter_that_asks_one_has_one_weight_and_one_output():
    explorer = explorers.explore_cross()
    for asking, source, told in [
        ("A", "B", "1 asks 1: 1 × 1 weight, and 1 output, 20.000."),
        ("A", "BA", "1 asks 2: 1 × 2 weights, and 1 output, 12.500."),
        ("AB", "B", "2 ask 1: 2 × 1 weights, and 2 outputs, from 20.000 to 20.000."),
    ]:
        explorer.set(asking=asking, source=source)
        assert explorer.text == told


def test_every_row_of_a_larger_map_lights_up_too():
    explorer = explorers.explore_cross()
    explorer.set(asking="AAAAAA", source="AABAABA")
    style = explorer.children[0].value
    assert all(f".at-weights.r{row}" in style for row in range(6)) and ".at-weights.r6" not in style
    explorer.set(asking="A", source="AB")
    assert ".at-weights.r0" in explorer.children[0].value and ".at-weights.r1" not in explorer.children[0].value
