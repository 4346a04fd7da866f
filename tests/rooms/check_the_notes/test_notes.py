"""From the notes to the lessons: the items, the folded page, and a file that is damaged."""

import pytest

from rooms.check_the_notes import notes
from rooms.shared import examples

TEXT = notes.PATH.read_text(encoding="utf-8")
HANDLES = ["part4", "notes-ab", "section9", "lecture-sal", "notes-bishop"]


def test_items_of_one_set_of_notes_are_those_of_all():
    assert [item for handle in HANDLES for item in notes.items(handle)] == notes.items()


def test_an_item_tells_its_lessons_home_first():
    item = notes.items("part4")[1]
    assert list(item.where.items()) == [("02_attend_by_hand.ipynb", "Alex"), ("17_ask_a_real_encoder.ipynb", "She")]


@pytest.mark.parametrize("unknown", ["ours", "part5", 4])
def test_unknown_notes_are_refused(unknown):
    with pytest.raises(ValueError, match=f"^notes must be one of part4, .*notes-bishop, got {unknown!r}"):
        notes.items(unknown)


@pytest.mark.parametrize("handle", HANDLES)
def test_page_holds_every_item_with_its_links(handle):
    page, found = notes.page(handle), notes.items(handle)
    assert page.html.startswith(
        f"<details><summary>{examples.sources()[handle]['title'].replace('&', '&amp;')}: {len(found)}\u00a0items"
    )
    assert page.html.count("<tr>") == len(found) + 1
    assert "nowrap" not in page.html.partition("</caption>")[0] and "$" not in page.html
    for item in found:
        assert item.item in page.text and item.remark in page.text
        for file in item.where:
            assert f'<a href="{file}">lesson {file[:2]}</a>' in page.html
            assert (item.where[file] or "") in page.text


def test_no_code_of_a_row_reaches_a_reader():
    assert [item.item for item in notes.items() if item.row in f"{item.item} {item.remark}".split()] == []
