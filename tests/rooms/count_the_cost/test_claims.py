"""What the text of this lesson says in numbers, computed on its own."""

import pytest

from helpers import explorers

LAYERS, D = 32, 4096


def multiplications(N):
    return LAYERS * (12 * N * D**2 + 2 * N**2 * D)


def test_a_page_costs_its_share_and_a_novel_six_times_its_share():
    sentence, page, novel = 30, 500, 131_072
    assert (round(page / sentence), round(novel / page)) == (17, 262)
    assert round(multiplications(page) / multiplications(sentence)) == 17
    assert round(multiplications(novel) / multiplications(page), -2) == 1600


def test_all_but_the_novel_fit_on_one_card_and_the_novel_needs_fifteen_for_the_maps_of_one_layer():
    explorer, cards = explorers.explore_novel(), []
    for text in ("sentence", "page", "chapter", "novel"):
        explorer.set(text=text)
        cards.append(explorer.shown["cards"])
    assert cards == [1, 1, 1, 15] and explorer.shown["kept_bytes"][2] > 13 * 80e9


def test_500_new_tokens_are_next_to_no_arithmetic_and_a_third_of_the_time():
    explorer = explorers.explore_novel()
    read, count = float(explorer.shown["seconds"]), float(explorer.shown["multiplications"])
    explorer.set(task="answer, with a cache")
    assert explorer.shown["multiplications"] < 1.02 * count
    assert 1 - read / float(explorer.shown["seconds"]) == pytest.approx(1 / 3, abs=0.02)
    each = 2 * LAYERS * (12 * D**2 + 2 * 131_322 * D) / 3e12  # halfway: all weights and the cache, in bytes
    assert float(explorer.shown["seconds"]) - read == pytest.approx(500 * each, rel=0.01)


def test_the_speed_is_less_than_half_of_what_the_card_could_do():
    assert explorers.explore_novel().controls["speed"].value < 989e12 / 2  # data/README.md says whose
