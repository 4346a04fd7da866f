"""Known answers of the explorers of the stacks; tests/test_explorers.py holds them against recorded states."""

import numpy as np

from helpers import explorers
from tests import driving


def heard(explorer):
    return (explorer.shown["moves"] > 1e-9).astype(int)


def test_encoder_and_decoder_are_a_square_a_rectangle_and_a_triangle_and_either_alone_is_one_of_them():
    explorer = explorers.explore_architecture()
    square, rectangle, empty = np.ones((4, 4)), np.ones((5, 4)), np.zeros((4, 5))
    np.testing.assert_array_equal(heard(explorer), np.block([[square, empty], [rectangle, np.tri(5)]]))
    explorer.set(kind="encoder alone")
    np.testing.assert_array_equal(heard(explorer), square)
    explorer.set(kind="decoder alone")
    np.testing.assert_array_equal(heard(explorer), np.tri(9))


def test_the_way_from_the_memory_is_cut_and_the_mask_lifted_by_clicks():
    explorer = explorers.explore_architecture()
    explorer._touched({"type": "click", "target": {"id": "at-memory"}})
    assert not heard(explorer)[4:, :4].any() and "✂" in explorer.html and "✗ what is written" in explorer.html
    explorer._touched({"type": "click", "target": {"id": "at-mask"}})
    assert heard(explorer)[4:, 4:].all() and "✗ nothing that is written" in explorer.html


def test_the_decoder_opens_broken_every_other_wiring_leaks_and_one_never_hears_the_source():
    explorer = explorers.explore_wrong_decoder()
    assert "✗ no row sees" in explorer.html
    leaks, deaf = {}, {}
    for recipe in driving.choices(explorer.controls["recipe"]):
        explorer.set(recipe=recipe)
        leaks[recipe] = "✗ no row sees" in explorer.html
        deaf[recipe] = "✗ the decoder hears" in explorer.html
    assert [*leaks.values()] == [False, True, True, True, True]
    assert [*deaf.values()] == [False, False, False, False, True]
