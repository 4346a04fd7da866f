"""Known answers of the wall of letters."""

import pytest

from helpers import explorers
from rooms.cut_words_into_tokens.explorers import ORDERS, TEXT, learned
from tests import driving


def cut(explorer):
    return explorer._picture_text.partition(": ")[2].partition(".")[0].split()


def test_the_next_merge_is_made_by_a_click():
    explorer = explorers.explore_merges()
    for _ in range(6):
        driving.click(explorer, "next")
    assert explorer.shown["counts"].tolist() == [7, 5, 5, 3, 3, 3, 2, 2, 2, 2, 2]
    assert explorer.shown["pieces"].tolist() == [54, 47, 42, 37, 34, 31, 28, 26, 24, 22, 20, 18]
    assert {"␣token", "␣attend", "␣to"} <= set(cut(explorer))


def test_the_rarest_pair_saves_one_piece_at_a_time():
    explorer = explorers.explore_merges()
    explorer.set(order="the rarest pair", merges=11)
    assert explorer.shown["pieces"].tolist() == list(range(54, 42, -1)) and set(explorer.shown["counts"].tolist()) == {
        1
    }
    assert {"␣tokens", "␣that"} <= set(cut(explorer))


@pytest.mark.parametrize("choose", ORDERS.values())
@pytest.mark.parametrize("text", [TEXT, "to do to do to do to do to do", "a a a a", "aaaa aaa"])
def test_no_brick_reaches_across_a_blank(text, choose):
    for pieces in learned(text, 12, choose)[2]:
        assert "".join(pieces) == text and not any(" " in piece[1:] for piece in pieces)


def test_where_no_pair_is_left_it_ends():
    explorer = explorers.explore_merges()
    explorer.set(text="aaa", merges=12)
    assert explorer.shown["counts"].tolist() == [2, 1] and "No pair is left." in explorer.text
    assert "at-next" not in explorer.html
