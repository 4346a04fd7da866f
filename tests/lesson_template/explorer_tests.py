"""Known answers of the explorers of TOPIC; what they show is recorded: python -m tests.record explore_TOPIC."""

import pytest

from helpers import explorers


def test_explore_TOPIC_gives_a_score_of_one_three_fifths():
    assert explorers.explore_TOPIC().shown["weights"][0] == pytest.approx([1 / 5, 1 / 5, 3 / 5])


def test_explore_wrong_TOPIC_opens_broken():
    assert explorers.explore_wrong_TOPIC().shown["weights"].sum() == 13
