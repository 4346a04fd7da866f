"""Known answers of the explorers of seats and pages; what they show is recorded: python -m tests.record explore_seats explore_pages."""

import numpy as np
import pytest

from rooms.write_for_many.explorers import seat


@pytest.mark.parametrize("seats", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("at_once", [False, True])
def test_nobody_sits_on_another_s_seat_and_nobody_who_came_later_begins_before(seats, at_once):
    lengths = np.random.default_rng(seats).integers(1, 40, 12)
    starts, places, steps = seat(lengths, seats, at_once)
    for one in range(12):
        for other in range(one):
            apart = starts[one] >= starts[other] + lengths[other]
            assert places[one] != places[other] or apart
    assert (np.diff(starts) >= 0).all() and steps == (starts + lengths).max()
    if not at_once:  # a round begins when the last one is over
        rounds = [slice(k, k + seats) for k in range(0, 12, seats)]
        assert all(len(set(starts[each])) == 1 for each in rounds)
        assert steps == sum(max(lengths[each]) for each in rounds)
