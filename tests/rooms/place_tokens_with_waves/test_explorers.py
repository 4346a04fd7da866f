"""Known answers of the explorers of positions, and what answers the hand."""

import re

import numpy as np
import pytest

from helpers import explorers
from tests import driving

WRITTEN = ["the", "cat", "sat", "on", "the", "mat"]


def test_explore_shuffle_moves_nothing_without_positions_and_something_with_them():
    explorer = explorers.explore_shuffle()
    assert (
        explorer.shown["difference"].max() < 1e-12
        and "✗ in any order, every word gets the same output" in explorer.html
    )
    for kind in driving.choices(explorer.controls["positions"])[1:]:
        explorer.set(positions=kind)
        assert explorer.shown["difference"].max() > 0.1 and "✗" not in explorer.html
    explorer.set(read=" ".join(WRITTEN))
    assert explorer.shown["difference"].max() == 0 and "✗" not in explorer.html


def test_map_of_the_encoding_is_clicked_among_the_sines_and_among_the_cosines():
    explorer = explorers.explore_encoding()
    for x, dimension in ((0.0, 0), (0.97, 30), (1.03, 1), (2.0, 31), (0.5, 16)):
        driving.point(explorer, "encoding", x, 12.4)
        assert (explorer.values["dimension"], explorer.values["position"]) == (dimension, 12)
    explorer.set(d_model=512, dimension=511)
    assert "dimensions 384 to 511 of 512" in explorer._picture_text
    driving.point(explorer, "encoding", 0.0, 5.0)
    assert explorer.values["dimension"] == 384


def test_a_word_that_stands_twice_is_followed_where_it_stays():
    explorer = explorers.explore_shuffle()
    explorer.set(positions="clocks", read="mat cat sat on the the")
    assert explorer.shown["order"].tolist() == [5, 1, 2, 3, 4, 0]


def test_at_first_only_the_names_have_all_their_clocks_and_the_rest_is_shown_when_asked():
    explorer = explorers.explore_places()
    wide, phone = explorer.html.split("only-narrow")
    assert wide.count("<circle") == 3 * 4 + 18  # what She asks for, Sarah, Alex; of the other words the first one
    assert phone.count("<circle") == 3 * 4 + 20
    for told in ("+ 4.00 clocks", "− 0.35 clocks", "= 8.00", "= 3.65"):
        assert told in wide and told in phone
    explorer.set(every=True)
    assert explorer.html.split("only-narrow")[0].count("<circle") == 21 * 4
    explorer.set(every=False, asks_for="a woman's name", swapped=True)
    assert "+ 0 female" in explorer.html and "+ 4 female" in explorer.html and "✗ Sarah, 94%" in explorer.html


def test_hands_start_at_12_and_turn_clockwise_each_row_more_slowly_than_the_one_above():
    places = explorers.explore_places().shown["places"].reshape(20, 4, 2)
    np.testing.assert_allclose(places[0], [[0, 1]] * 4)
    right = places[1, :, 0]
    assert (right > 0).all() and (np.diff(right) < 0).all()


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("asks_for", ["a name at the very start", "a woman's name"])
def test_all_words_fit_on_one_line_of_a_wide_page(swapped, asks_for):
    explorer = explorers.explore_places()
    explorer.set(swapped=swapped, asks_for=asks_for, every=True)
    wide = explorer.html[: explorer.html.index("only-narrow")]
    assert wide.count(">position<") == 1


def test_every_position_but_0_fits_the_last_number_best():
    fits = np.outer(np.arange(5), np.arange(5))
    assert fits.argmax(axis=1)[1:].tolist() == [4] * 4 and not fits[0].any()


def test_waves_repeat_as_the_lesson_says():
    explorer, told = explorers.explore_encoding(), []
    for dimension in (0, 8, 12, 31):
        explorer.set(dimension=dimension)
        told.append(float(explorer.text.split("repeats every ")[1].split(" positions")[0].replace(",", "")))
    assert [round(wave) for wave in told] == [6, 63, 199, 35333]
    explorer.set(d_model=512)  # the window is the first quarter of it
    assert "dimensions 0 to 127 of 512" in explorer._picture_text and "31 repeats every 10.8 positions" in explorer.text


@pytest.mark.parametrize("d_model", [8, 32, 128, 512])
def test_the_quickest_clock_the_slowest_and_the_one_followed_are_always_drawn(d_model):
    explorer = explorers.explore_encoding()
    explorer.set(d_model=d_model)
    for dimension in {0, 1, 2, 5, d_model // 3, d_model - 4, d_model - 1}:
        explorer.set(dimension=dimension)
        ends = [(int(a), int(b)) for a, b in re.findall(r">(\d+), (\d+)</text>", explorer.html)]
        card = ends[: len(ends) // 2]  # the same stand in the phone's picture
        even = dimension - dimension % 2
        assert ends == 2 * card and len(card) == min(d_model // 2, 8) and card == sorted(set(card))
        assert card[0] == (0, 1) and card[-1] == (d_model - 2, d_model - 1) and (even, even + 1) in card
