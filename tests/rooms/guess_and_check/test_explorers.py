"""Known answers of the explorer of guesses; what it shows is recorded: python -m tests.record explore_guesses."""

import html
import re

import pytest

from helpers import explorers
from rooms.guess_and_check import explorers as explorers_of
from rooms.guess_and_check.passes import SHOWN, passes
from rooms.shared import served
from tests import driving


@pytest.mark.parametrize("k", [0, 1, 3, 7, 15])
@pytest.mark.parametrize("name", served.names())
def test_passes_write_the_text_of_the_model_alone(name, k):
    text, found = served.load(name), passes(name, k)
    assert [token for each in found for token in each.kept] == text.ids[text.begin :]
    assert all(1 <= len(each.kept) <= len(each.draft) + 1 <= k + 1 for each in found)
    assert k or len(found) == 80


@pytest.mark.parametrize("name", SHOWN)
def test_the_rows_of_a_text_hold_its_words_and_what_was_thrown_away_before_the_one_in_its_place(name):
    explorer, text, found = explorers.explore_guesses(), served.load(name), passes(name, 7)
    for number in range(0, len(found), explorers_of.ROWS):
        explorer.set(text=SHOWN.index(name), number=number)
        rows = re.findall(r'<div class="touch at-pass r(\d+)".*?</div>', explorer.html)
        assert [*map(int, rows)] == [*range(number, min(number + explorers_of.ROWS, len(found)))]
        for k in map(int, rows):
            (row,) = re.findall(rf'<div class="touch at-pass r{k}".*?</div>', explorer.html)
            each, parts = found[k], re.split("(<s .*</s>)", row)  # what is right, struck out, and the model's own
            words = (each.kept[: each.right], each.draft[each.right :], each.kept[each.right :])
            wanted = words if each.draft[each.right :] else [each.kept]
            told = [bare("".join(served.spoken(tokens))) for tokens in wanted]
            assert list(map(bare, parts)) == [f"{k}{told[0]}", *told[1:]]
        assert bare(explorer.html).count(bare("".join(served.spoken(text.ids[: text.begin])))) == 1
        more = re.search(r"and (\d+) more", explorer.html)
        assert int(more[1] if more else 0) == len(found) - (number + len(rows))


def bare(markup):
    """Its words, without what only shows spaces and line breaks."""
    return re.sub(r"[\s⏎␣]", "", html.unescape(re.sub("<[^>]*>", "", markup)))


@pytest.mark.parametrize("number", [3, 6])
def test_what_a_guess_was_copied_from_has_a_dotted_line(number):
    explorer = explorers.explore_guesses()
    explorer.set(text=1, number=number)
    dotted = re.findall(r'<span style="border-bottom:3px dotted[^>]*>([^<]*)</span>', explorer.html)[
        1:
    ]  # after the legend
    assert bare("".join(dotted)) == bare("".join(served.spoken(passes("code", 7)[number].draft)))


def test_the_slider_ends_with_the_passes_of_the_text():
    explorer = explorers.explore_guesses()
    for name in (*SHOWN, SHOWN[0]):
        for k in (0, 15, 7):
            explorer.set(k=k, text=SHOWN.index(name))
            explorer.set(number=79)
            assert explorer.values["number"] == explorer.controls["number"].max == len(passes(name, k)) - 1


def test_clicks_on_a_stack_and_on_a_row_lead_there():
    explorer = explorers.explore_guesses()
    for at, name in enumerate(SHOWN):
        driving.click(explorer, "text", at)
        driving.click(explorer, "pass", 1)
        assert explorer.text.startswith(name.capitalize()) and "Pass 1 " in explorer.text
