"""Known answers of the explorer of this lesson; tests/test_explorers.py holds it against recorded states."""

import pytest

from helpers import explorers
from rooms.shared import french
from tests import sentences


@pytest.mark.parametrize(("noun", "little"), [("car", False), ("car", True), ("cat", False), ("flower", True)])
def test_rouge_follows_red_wherever_they_stand(noun, little):
    explorer = explorers.explore_translation()
    explorer.set(noun=noun, little=little)
    english, written, pairs = french.sentence(noun, "little" if little else "", "red", "falls")
    place = written.index("rouge")
    assert explorer.shown["chosen"] == place and pairs[place] == [english.index("red")]
    assert english.index("red") != place == explorer.shown["weights"].shape[0] - 2
    assert explorer.text.startswith("Before the model writes rouge, head 0 looks most at red,")


def test_the_line_leaves_the_cursor_and_what_comes_later_is_grey():
    explorer = explorers.explore_translation()
    assert "before rouge is written, the cursor attends to red" in explorer._picture_text
    wide = explorer.html.split("only-narrow")[0]
    assert wide.count('class="ribbon"') == 1  # 0.3% for car is too little to be drawn, and other rows are left out
    assert "99.7%" in wide and ">100%</text>" in wide  # what red gets, and the whole ribbon


def test_only_what_was_never_read_is_said_to_be():
    explorer = explorers.explore_translation()
    assert "never met a red car" in explorer.text
    explorer.set(colour="green")
    assert "never" not in explorer.text
    explorer.set(colour="", noun="cat")
    assert "never" not in explorer.text


@pytest.mark.everything
def test_every_sentence_is_translated_right_and_every_word_and_head_told_right():
    assert sentences.complaints_in_all_states("explore_translation") == []
