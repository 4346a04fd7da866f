"""Known answers of the explorer of guesses; what it shows is recorded: python -m tests.record explore_guesses."""

import html
import re

import pytest

from helpers import explorers
from rooms.guess_and_check.passes import SHOWN, passes
from rooms.shared import served


@pytest.mark.parametrize("k", [0, 1, 3, 7, 15])
@pytest.mark.parametrize("name", served.names())
def test_passes_write_the_text_of_the_model_alone(name, k):
    text, found = served.load(name), passes(name, k)
    assert [token for each in found for token in each.kept] == text.ids[text.begin :]
    assert all(1 <= len(each.kept) <= len(each.draft) + 1 <= k + 1 for each in found)
    assert k or len(found) == 80


def test_the_words_of_the_text_that_is_looked_into_are_below_its_bar():
    explorer = explorers.explore_guesses()
    for row, name in enumerate(SHOWN):
        explorer.set(text=row, number=3)
        text, picture = served.load(name), explorer._picture_text
        words = "".join(served.spoken(text.ids[text.begin :])).replace("\n", "⏎")
        assert picture.count(words) == 1 and picture.index(f"writes of {name}:") < picture.index(words)
        before = text.ids[: text.begin]
        assert "".join(served.spoken(before))[:30].split("\n")[0] in re.sub("<[^>]*>", "", explorer.html)
        assert ("dotted" in explorer.html) == bool(passes(name, 7)[3].draft)
        assert ("<s " in explorer.html) == (passes(name, 7)[3].right < len(passes(name, 7)[3].draft))


@pytest.mark.parametrize("name", SHOWN)
def test_what_was_thrown_away_comes_before_the_token_that_is_there_instead(name):
    explorer, text = explorers.explore_guesses(), served.load(name)
    for number, each in enumerate(passes(name, 7)):
        explorer.set(text=SHOWN.index(name), number=number)
        before, struck, _ = explorer.html.partition("<s ")
        if struck:
            words = html.unescape(re.sub("<[^>]*>", "", before[before.rindex("<p ") :])).replace("⏎ ", "\n")
            assert words == "".join(served.spoken(text.ids[: text.begin + each.begin + each.right]))


def test_every_click_on_a_pass_leads_there():
    explorer = explorers.explore_guesses()
    for row, name in enumerate(SHOWN):
        explorer.set(text=row, number=1)
        assert explorer.text.startswith(name.capitalize()) and "Pass 1 " in explorer.text
