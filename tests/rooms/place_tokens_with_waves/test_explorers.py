"""Known answers of the explorers of positions, and what answers the hand."""

import re

import numpy as np
import pytest

from helpers import explorers
from tests import driving

WRITTEN = ["the", "cat", "sat", "on", "the", "mat"]


def test_explore_shuffle_moves_nothing_without_positions_and_something_with_them():
    explorer = explorers.explore_shuffle()
    assert explorer.shown["difference"].max() < 1e-12 and "✗ read backwards, every word gets the same output" in explorer.html
    for kind in driving.choices(explorer.controls["positions"])[1:]:
        explorer.set(positions=kind)
        assert explorer.shown["difference"].max() > 0.1 and "✗" not in explorer.html
    explorer.set(read=" ".join(WRITTEN))
    assert explorer.shown["difference"].max() == 0 and "✗" not in explorer.html


@pytest.mark.parametrize(("d_model", "base"), [(128, 10_000.0), (8, 10.0), (32, 100.0)])
@pytest.mark.parametrize("back", [0, 1, 7])
def test_a_position_turned_back_by_k_looks_at_the_one_k_before(d_model, base, back):
    explorer = explorers.explore_encoding()
    explorer.set(d_model=d_model, base=base, position=30, back=back)
    assert explorer.shown["scores"].argmax() == 30 - back
    np.testing.assert_allclose(explorer.shown["query"], explorer.shown["encoding"][30 - back], atol=1e-12)


def test_map_of_the_encoding_is_clicked_in_each_width():
    explorer = explorers.explore_encoding()
    driving.point(explorer, "encoding", 77.2, 12.4)
    assert (explorer.values["dimension"], explorer.values["position"]) == (77, 12)
    driving.point(explorer, "scores", 8.7, 0.0)
    assert explorer.values["back"] == 3 and explorer.shown["scores"].argmax() == 9
    driving.point(explorer, "scores", 58.0, 0.0)  # ahead: k ends at 0
    assert explorer.values["back"] == 0
    explorer.set(d_model=8)  # each dimension is 96 pixels wide
    driving.point(explorer, "encoding", 127.0, 5.0)
    assert explorer.values["dimension"] == 7
    explorer.set(d_model=512, dimension=511)
    assert "dimensions 384 to 511 of 512" in explorer._picture_text
    driving.point(explorer, "encoding", 0.0, 5.0)
    assert explorer.values["dimension"] == 384


def test_a_word_that_stands_twice_is_followed_where_it_stays():
    explorer = explorers.explore_shuffle()
    explorer.set(positions="sinusoidal", read="mat cat sat on the the")
    assert explorer.shown["order"].tolist() == [5, 1, 2, 3, 4, 0]


def test_a_question_for_a_name_follows_the_name_and_one_for_a_place_follows_the_place():
    explorer = explorers.explore_places()
    before = explorer.shown["after"]
    assert explorer.text == "She is Sarah: 94%. The arc goes to place 1, with 94%."
    explorer.set(swapped=True)
    np.testing.assert_allclose(explorer.shown["after"], before)  # not a cell of her column changes
    assert explorer.shown["weights"].argmax() == 10 and "✗ Sarah, 94%" in explorer.html
    explorer.set(asks_for="a name at the very start")
    assert (explorer.shown["X"][[0, 10], 3] == 1).all()  # both are names, and one of them stands at place 1
    np.testing.assert_allclose(explorer.shown["scores"][0], 4 + 4)
    assert explorer.shown["weights"].argmax() == 0 and "✓ Alex, 84%" in explorer.html
    explorer.set(swapped=False)
    assert explorer.shown["weights"].argmax() == 0 and "✓ Sarah, 84%" in explorer.html


def test_every_place_finds_the_last_number_best():
    numbers = np.arange(1, 6)
    assert (np.outer(numbers, numbers).argmax(axis=1) == 4).all()


def test_clicked_columns_repeat_as_the_lesson_says():
    explorer, told = explorers.explore_encoding(), []
    for column in (0, 40, 100, 127):
        driving.point(explorer, "encoding", column, 30.0)
        told.append(float(explorer.text.split("repeats every ")[1].split(" positions")[0].replace(",", "")))
    assert [round(wave) for wave in told] == [6, 112, 8379, 54410]
    explorer.set(d_model=512)  # the window is the first quarter of it
    assert "dimensions 0 to 127 of 512" in explorer._picture_text and "repeats every 60.6 positions" in explorer.text


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


def test_columns_are_counted_by_round_numbers_and_each_of_eight_by_its_own():
    def ticks(**state):
        explorer.set(**state)
        card = explorer.html[: explorer.html.index("position ↓")]
        return [int(tick) for tick in re.findall(r">(\d+)</text>", card)]

    explorer = explorers.explore_encoding()
    assert ticks() == [0, 20, 40, 60, 80, 100, 120]
    assert ticks(d_model=8) == list(range(8)) and ticks(d_model=32) == list(range(0, 32, 5))
    assert ticks(d_model=512, dimension=200) == [140, 160, 180, 200, 220, 240]


def test_no_place_before_the_first_is_pointed_out():
    explorer = explorers.explore_encoding()
    explorer.set(position=5, back=5)
    assert explorer.html.count('stroke-dasharray="4 4"') == 2  # on the card and on a phone
    explorer.set(back=6)
    assert 'stroke-dasharray="4 4"' not in explorer.html
