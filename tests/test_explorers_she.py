"""Known answers of the explorer of lesson 00, and what answers the hand."""

import pytest

from helpers import explorers
from tests import driving


def test_explore_she_finds_sarah_and_follows_when_the_names_are_swapped():
    explorer = explorers.explore_she()
    assert "“She” gives 45% of its attention to “Sarah”" in explorer.text
    explorer.set(names="names swapped")
    assert "57% of its attention to “Alex”" in explorer.text
    driving.click(explorer, "words", 9)
    assert explorer.controls["word"].value == 9 and "“cat” gives" in explorer.text


@pytest.mark.parametrize("names", ["She", "names swapped"])
def test_words_stand_as_they_are_written(names):
    explorer = explorers.explore_she()
    explorer.set(names=names)
    for word in ("Sarah", "Alex", "She", "[CLS]"):
        assert f">{word}</text>" in explorer.html
