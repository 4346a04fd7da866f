"""Known answers of the explorers of cost; tests/test_explorers.py holds them against recorded states."""

import re

import pytest

from helpers import explorers
from rooms.count_the_cost import novel
from tests import driving, sentences
from workbench.pictures.html import plain_drawings


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
    for rectangle in ('width="150" height="150"', 'width="37.5" height="150"', 'width="37.5" height="37.5"'):
        assert rectangle in explorer.html
    wide = plain_drawings(explorer.html)[0]
    blocks = re.findall(r'<rect x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)" [^>]*fill-opacity', wide)
    assert len(blocks) == 9 and {float(y) + float(height) for y, height in blocks[:-1]} == {
        312.0
    }  # the line all stand on


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
    for place in range(6):
        explorer.set(place=place)
        assert ("✗" in explorer.html) == (place > 0)


def loops(num_tokens, d_model, num_layers):
    """The multiplications of all products of a model, each product by itself."""
    projections, network = 4 * num_tokens * d_model * d_model, 2 * num_tokens * d_model * 4 * d_model
    pairs = sum(2 * d_model for _ in range(num_tokens) for _ in range(num_tokens))
    return num_layers * (projections + network + pairs)


def test_a_text_costs_what_its_products_cost_and_one_more_token_its_share():
    assert novel.multiplications(30) == loops(30, 4096, 32)
    one_more = 32 * (12 * 4096**2 + 2 * 501 * 4096)  # it meets 501 tokens, itself among them
    assert novel.multiplications(501, new=1) == one_more


def test_a_novel_takes_seconds_to_read_and_hours_to_answer_if_nothing_is_kept():
    explorer = explorers.explore_novel()
    N = 2**17
    count = 32 * (12 * N * 4096**2 + 2 * N**2 * 4096)
    assert explorer.shown["multiplications"] == count and explorer.shown["seconds"] == pytest.approx(2 * count / 4e14)
    assert explorer.shown["euros"] == pytest.approx(2 * count / 4e14 * 2 / 3600)
    assert "27 seconds" in explorer.text and "1.5 cents" in explorer.text
    weights, cache, maps = explorer.shown["kept_bytes"]
    assert weights == 2 * 32 * 12 * 4096**2 and cache == 2 * 2 * 32 * 4096 * N and maps == 2 * 32 * N**2
    assert weights < 80e9 < weights + cache < maps  # a card of 80 GB
    explorer.set(task="answer, reading all anew")
    assert "3.7 hours" in explorer.text and "€ 7.45" in explorer.text
    explorer.set(task="answer, with a cache")
    assert "40 seconds" in explorer.text and "2.2 cents" in explorer.text


def test_what_is_fetched_is_the_model_at_every_pass_and_the_cache_for_every_token():
    explorer = explorers.explore_novel()
    weights, of_a_token = 2 * 32 * 12 * 4096**2, 2 * 2 * 32 * 4096
    assert explorer.shown["fetched"] == weights
    explorer.set(text="sentence", task="answer, with a cache")
    assert explorer.shown["fetched"] == sum([weights, *(weights + n * of_a_token for n in range(30, 530))])
    assert explorer.shown["seconds"] == pytest.approx(explorer.shown["fetching"])  # so few are waited for
    assert explorer.shown["fetching"] > 50 * explorer.shown["multiplying"]


def test_a_slower_machine_and_a_dearer_hour_cost_in_proportion():
    explorer = explorers.explore_novel()
    seconds, euros = explorer.shown["seconds"], explorer.shown["euros"]
    explorer.set(speed=1e11, price=4)
    assert explorer.shown["seconds"] == pytest.approx(4000 * seconds)
    assert explorer.shown["euros"] == pytest.approx(8000 * euros) and "1.2 days" not in explorer.text
    assert "30 hours" in explorer.text


def test_what_does_not_fit_on_the_first_card_is_red_and_a_time_off_the_line_is_an_arrow():
    explorer = explorers.explore_novel()
    wide = plain_drawings(explorer.html)[0]
    assert ">27 seconds and 1.5 cents,<" in wide and ">but a novel needs 15 cards of 80 GB<" in wide
    assert wide.count("stroke-dasharray") == 14 and "<polygon" not in wide
    explorer.set(text="sentence", speed=1e15)
    wide = plain_drawings(explorer.html)[0]
    assert "fits on one card" in wide and "stroke-dasharray" not in wide and wide.count("<polygon") == 1


@pytest.mark.everything
def test_the_bill_is_told_in_units_that_are_right_in_every_state():
    assert sentences.complaints_in_all_states("explore_novel", price=[0.1, 2.0, 10.0]) == []
