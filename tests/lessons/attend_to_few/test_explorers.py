"""Known answers of the explorers of windows and best keys, and what answers the hand."""

import pytest

from helpers import explorers


def test_explore_window_reach_of_five_windows_and_of_one_whole_layer():
    explorer = explorers.explore_window_reach()
    assert (explorer.shown["reach"], explorer.shown["kept"]) == (11, 15)
    explorer._touched({"type": "click", "target": {"className": "touch at-layer r2"}})
    assert explorer.values["whole"] == 3 and (explorer.shown["reach"], explorer.shown["kept"]) == (16, 28)


def test_explore_best_keys_asks_ada_and_tom_and_an_index_that_is_wrong_loses_ada():
    explorer = explorers.explore_best_keys()
    assert 4 * explorer.shown["weights"] == pytest.approx([3, 0, 1, 0, 0, 0, 0, 0])
    assert explorer.shown["kept"] == pytest.approx(2 / 3)
    explorer.set(index="prefers the newest")
    assert 2 * explorer.shown["weights"] == pytest.approx([0, 0, 0, 0, 0, 0, 1, 1])
    assert explorer.shown["kept"] == pytest.approx(1 / 9)
    explorer._touched({"type": "click", "target": {"className": "touch at-guesses r0"}})
    assert explorer.values["k"] == 8
