"""Known answers of the explorers of the state, and what answers the hand."""

import numpy as np
import pytest

from helpers import explorers
from helpers.explorers import states
from helpers.since_2017 import recall


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
    assert explorer.shown["right"][:, 0].round(2).tolist() == [1, 0.92, 0.93, 1]
    explorer.set(strength=1.0)
    assert explorer.shown["right"][2, 0].round(2) == 0.77
    explorer.set(strength=0.3, changed=0.5)
    assert explorer.shown["right"][:, 0].round(2).tolist() == [0.51, 0.68, 0.89, 1]
    explorer.set(names=64, changed=0.0)
    assert explorer.shown["right"][3, 0] < 0.6  # more names than directions: no state can hold them
    assert states._nearest_count(explorer._now, 4.4, 0.3) == {"names": 16}


def test_lesson_24_softmax_recalls_because_its_scores_are_sharp():
    books = [recall.phone_book(np.random.default_rng(seed), 16, 16) for seed in range(20)]
    right = [np.mean([recall.share_right(book, "softmax", scale=scale) for book in books]) for scale in (50, 1 / 4)]
    assert right[0] == 1 and right[1] == pytest.approx(1 / 3, abs=0.03)
