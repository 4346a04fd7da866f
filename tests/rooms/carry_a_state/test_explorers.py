"""Known answers of the explorers of the state, and what answers the hand."""

import numpy as np

from helpers import explorers
from rooms.carry_a_state import explorers as room


def test_explore_state_starts_with_the_state_of_the_lesson_and_a_click_lets_a_token_pass():
    explorer = explorers.explore_state()
    assert explorer.shown["states"][2].tolist() == [[2, 1], [1, 2]]
    assert explorer.shown["by_mask"][2].tolist() == explorer.shown["by_state"][2].tolist() == [3, 3]
    explorer.set(decay=0.5)
    np.testing.assert_allclose(explorer.shown["by_state"][2], [2.25, 2.5])
    explorer._touched({"type": "click", "target": {"className": "touch at-token r1"}})
    assert explorer.controls["passing"].value == 2


def test_explore_recall_beta_decides_whether_the_delta_rule_wins():
    explorer = explorers.explore_recall()
    assert explorer.shown["right"][:, 0].round(2).tolist() == [1, 0.92, 0.77, 1]
    explorer.set(strength=0.3)
    assert explorer.shown["right"][2, 0].round(2) == 0.93
    explorer.set(changed=0.5)
    assert explorer.shown["right"][:, 0].round(2).tolist() == [0.78, 0.68, 0.89, 1]
    assert room._nearest_count(explorer._now, 4.4, 0.3) == {"names": 16}


def test_the_best_state_recites_as_many_names_as_it_has_rows():
    explorer = explorers.explore_recall()
    assert explorer.shown["curves"][3, 3:].round(2).tolist() == [1, 0.91, 0.58]  # 16, 32 and 64 names in 16 dimensions
    assert explorer.shown["curves"][0].tolist() == [1] * 6  # softmax keeps all keys
    explorer.set(width=32)
    assert explorer.shown["curves"][3, 3:].round(2).tolist() == [1, 1, 0.91]
