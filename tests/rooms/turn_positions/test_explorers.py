"""Known answers of the explorers of rotary positions, and what answers the hand."""

import math

import numpy as np
import pytest

from helpers import explorers, positions
from rooms.turn_positions import explorers as room
from tests import driving


def hand(degrees):
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]


@pytest.mark.parametrize(("degrees", "place"), [(0, 0), (62, 1), (110, 2), (179, 3), (-65, 5)])
def test_the_key_is_dragged_round_the_clock(degrees, place):
    explorer = explorers.explore_rotation()
    x, y = hand(degrees)
    assert room._nearest_place(explorer._now, x, y) == {"key_at": place}
    explorer.set(key_at=7)
    nearest = room._nearest_place(explorer._now, x, y)["key_at"]
    assert nearest == (place + 6 if place < 2 else place)  # places 6 and 7 point as 0 and 1 do: the nearest is meant


def test_the_score_keeps_the_difference_of_the_positions_with_its_sign():
    query, key = (positions.rotate(np.tile(arrow, (4, 1)), np.arange(4) * np.radians(60)) for arrow in np.eye(2))
    scores = (query @ key.T).round(3)
    assert scores[0, 1] == scores[1, 2] == -0.866 and scores[1, 0] == scores[2, 1] == 0.866


def test_squeezed_positions_end_at_210_degrees_in_the_place_of_420():
    for squeeze, end in ((1, 420), (2, 210)):
        last = positions.rotate(np.tile([1.0, 0.0], (8, 1)), np.arange(8) / squeeze * np.radians(60))[-1]
        np.testing.assert_allclose(last, [math.cos(math.radians(end)), math.sin(math.radians(end))], atol=1e-12)


def test_slips_of_layout():
    """Mixed, lengths change, 30 becomes 50; queries in one layout and keys in the other keep lengths and lose the distance."""
    x, angles = np.tile([1.0, 2, 3, 4], (4, 1)), np.arange(4)[:, None] * np.radians([90.0, 0.0])
    twice = np.repeat(angles, 2, axis=-1)
    mixed = x * np.cos(twice) + np.concatenate([-x[:, 2:], x[:, :2]], axis=-1) * np.sin(twice)
    np.testing.assert_allclose(mixed[1], [-3, -4, 3, 4])
    assert mixed[1] @ mixed[1] == pytest.approx(50)
    pairs, halves = (positions.turn(x, angles, layout=layout) for layout in ("pairs", "halves"))
    for scores, same in ((pairs @ pairs.T, True), (halves @ halves.T, True), (pairs @ halves.T, False)):
        assert np.allclose(np.diag(scores), scores[0, 0]) == same


def test_side_by_side_is_so_from_anywhere_and_no_angle_is_wider_than_a_half_turn():
    explorer = explorers.explore_rotation()
    explorer.set(query_at=3, key_at=5)
    driving.buttons(explorer)["side by side"].click()
    assert explorer.text.startswith("1 position apart, 60° between them")
    explorer.set(query_at=0, key_at=7)
    assert explorer.text == "7 positions apart, one turned 420° further: the score is 0.500."
    explorer.set(step=90, key_at=3)
    assert explorer.text.endswith("the score is 0.000.")
