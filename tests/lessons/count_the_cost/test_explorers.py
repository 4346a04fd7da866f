"""Known answers of the explorers of cost; tests/test_explorers.py holds them against recorded states."""

import pytest

from helpers import explorers
from tests import driving


def test_pairs_cost_as_much_as_projections_at_twice_the_width_and_with_the_network_at_six_times():
    explorer = explorers.explore_cost()
    explorer.set(num_tokens=1024, d_model=512)
    projections, network, pairs = explorer.shown["multiplications"]
    assert projections == pairs and network == 0 and explorer.shown["kept_bytes"][2] == 4 * 2**20
    explorer.set(num_tokens=768, d_model=128, feed_forward=True)
    *others, pairs = explorer.shown["multiplications"]
    assert sum(others) == pairs and explorer.shown["crossing"] == 768


def test_areas_are_drawn_to_scale():
    explorer = explorers.explore_cost()
    for rectangle in ('width="128" height="128"', 'width="32" height="128"', 'width="32" height="32"'):
        assert rectangle in explorer.html


def test_keys_pass_by_with_a_click_and_a_larger_score_shrinks_what_was_there():
    explorer = explorers.explore_stream()
    assert explorer.shown["before"] * 9 == pytest.approx([3, 1, 9, 3, 0])
    assert explorer.shown["parts"] * 27 == pytest.approx([3, 1, 9, 3, 27])
    driving.click(explorer, "key", 1)
    assert explorer.controls["keys"].value == 2 and explorer.shown["state"][-1] == pytest.approx(
        [1, 4 / 3, 5 / 3, 5 / 4]
    )
    titles = driving.titles(explorer)
    assert titles["state", (1, 1)].startswith("l = 3^0·1 + 3^(-1) = 4/3")
    assert titles["state", (1, 3)].startswith("u / l = 5/3 / 4/3 = 5/4")


def test_sums_that_do_not_shrink_are_right_by_luck_only_where_the_largest_score_comes_first():
    explorer = explorers.explore_stream()
    assert "✗" not in explorer.html
    explorer.set(larger="leave the old sums", keys=6)
    assert "✗" in explorer.html
    for place in range(1, 7):
        explorer.set(place=place)
        assert ("✗" in explorer.html) == (place > 1)
