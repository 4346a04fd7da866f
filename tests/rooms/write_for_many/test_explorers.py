"""Known answers of the explorers of seats and pages; what they show is recorded: python -m tests.record explore_seats explore_pages."""

import numpy as np
import pytest

from helpers import explorers
from rooms.write_for_many.explorers import LENGTHS, seat


def test_a_free_seat_taken_at_once_saves_a_third_of_the_steps():
    shown = explorers.explore_seats().shown
    assert shown["steps"].tolist() == [95, 61] and sum(LENGTHS) == 188


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


def test_two_texts_share_the_full_pages_of_their_beginning():
    pages = explorers.explore_pages()
    shown = pages.shown
    assert shown["table_A"].tolist() == [0, 1, 2, 3] and shown["table_B"].tolist() == [0, 1, 4]
    assert shown["tokens"].tolist() == [25, 17]
    pages.set(other=True)
    assert not {*pages.shown["table_A"].tolist()} & {*pages.shown["table_B"].tolist()}
