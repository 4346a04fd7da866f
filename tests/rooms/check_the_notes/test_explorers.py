"""Pages of the notes and a planted slip: known answers, and what answers the hand."""

import json

import pytest

from helpers import explorers
from rooms.check_the_notes import explorers as room
from rooms.shared import examples
from tests import driving

ENTRIES = {entry["id"]: entry for entry in json.loads(examples.PATH.read_text(encoding="utf-8"))["examples"]}
SOUND = {"whole string: scores", "three tokens: weights, row 1", "A/B query: weights", "cost: additions"}
SUSPECTS = {  # page -> the numbers that are off, row and column counted from 1
    "three tokens: scores": [(3, 1)],
    "similarity matrix": [(3, 3)],
    "three tokens: identity": [(2, 1)],
    "booster: scores": [(1, 3)],
    "three tokens: y1": [(1, 1)],
    "three tokens: K transposed": [(3, 1), (3, 2), (3, 3)],
    "cost: last additions": [(1, 1)],
}


def outlined(markup):
    """The words in outlined cells, table after table."""
    return [cell.split("</td>")[0].split(">", 1)[1] for cell in markup.split("<td ")[1:] if "outline:" in cell[:200]]


def at(page, **values):
    explorer = explorers.explore_notes()
    explorer.controls["page"].value = page
    explorer.set(**values)
    return explorer


def test_pages_are_those_with_a_suspect_and_those_without():
    assert set(room.PAGES) == SOUND | set(SUSPECTS)
    assert {page for page in room.PAGES if ENTRIES[page]["verdict"] == "match"} == SOUND


@pytest.mark.parametrize("page", SUSPECTS)
def test_a_click_on_a_suspect_finds_it_and_outlines_it_beside_the_computed_number(page):
    explorer = at(page)
    assert not outlined(explorer.html)
    row, column = SUSPECTS[page][0]
    driving.click(explorer, "printed", row - 1, column - 1)
    assert explorer.shown["found"] == 1 and explorer.text.startswith("Found. ")
    assert len(outlined(explorer.html)) == len(SUSPECTS[page])
    assert "computed" in {table.caption for table in driving.tables(explorer.html)}


@pytest.mark.parametrize("page", SUSPECTS)
def test_who_erred_is_answered_with_the_evidence(page):
    row, column = SUSPECTS[page][0]
    explorer = at(page, number=(row - 1, column - 1))
    agreed = []
    for who in room.WHO.values():
        explorer.controls["who"].value = who
        if who:
            assert ENTRIES[page]["evidence"] in explorer.text
            agreed += [who] * ("That is how we read it, too" in explorer.text)
            assert ("We read it differently" in explorer.text) == (who not in agreed)
    assert len(agreed) == 1 and ENTRIES[page]["reading"] in agreed[0]


@pytest.mark.parametrize("page", room.PAGES)
def test_a_page_is_sound_or_not(page):
    explorer = at(page, sound=True)
    calm = room.PAGES[page].calm or "Something is off"
    assert explorer.text.startswith("Right, nothing is off." if page in SOUND else calm)


@pytest.mark.parametrize("page", sorted(SOUND))
def test_only_who_blames_somebody_on_a_sound_page_blames_the_innocent(page):
    explorer = at(page, sound=True)
    for words, who in room.WHO.items():
        explorer.controls["who"].value = who
        blames = words in {"the author", "the reading of the sheet"}
        assert explorer.text.endswith("blames the innocent.") == blames, words


@pytest.mark.parametrize("page", room.PAGES)
def test_who_erred_waits_for_a_verdict_and_supposes_no_wrong_number(page):
    explorer = at(page, who=room.WHO["nobody"])
    assert explorer.text == "Who erred? First judge the page: click a number, or say that nothing is off."


def test_a_healthy_number_is_acquitted():
    explorer = at("three tokens: weights, row 1")
    driving.click(explorer, "printed", 0, 1)
    assert explorer.text.startswith("0.198 is what the computation gives, too.")
    assert outlined(explorer.html) == ["0.198"]


def test_a_new_page_starts_without_a_verdict():
    explorer = at("three tokens: scores", number=(2, 0), who=("open",))
    explorer.controls["page"].value = "similarity matrix"
    assert explorer.values == {"page": "similarity matrix", "number": "none yet", "sound": False, "who": ()}
    assert explorer.text.startswith("Click the number that you distrust.")


def test_a_slip_in_a_score_with_itself_is_seen_by_no_rule():
    explorer = explorers.explore_wrong_number()
    explorer.set(place=("dot products", 0, 0), slip="three times")
    assert explorer.text.endswith("No rule notices.")


def test_a_number_beside_the_one_that_is_off_is_not_called_right_where_the_sum_alone_speaks():
    for place in ((2, 0), (2, 1)):
        explorer = at("similarity matrix", number=place)
        assert "the sum cannot tell" in explorer.text and "computation gives, too" not in explorer.text
    assert "computation gives, too" in at("similarity matrix", number=(0, 0)).text


def test_the_other_of_two_like_rows_is_not_called_sound():
    """Which of rows 2 and 3 is one too many, the page does not say."""
    explorer = explorers.explore_notes()
    for column in range(3):
        explorer.set(page="three tokens: K transposed", number=(1, column))
        assert "rows 2 and 3 are the same" in explorer.text and "computation gives" not in explorer.text
        explorer.set(number=(0, column))
        assert "is what the computation gives, too" in explorer.text
