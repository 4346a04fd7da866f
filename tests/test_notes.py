"""From the notes to the lessons: the items, the folded page, and a file that is damaged."""

import json

import pytest

from helpers.sources import examples, notes

TEXT = notes.PATH.read_text(encoding="utf-8")
HANDLES = ["part4", "notes-ab", "section9", "lecture-sal", "notes-bishop"]


def test_items_of_one_set_of_notes_are_those_of_all():
    assert [item for handle in HANDLES for item in notes.items(handle)] == notes.items()


def test_an_item_tells_its_lessons_home_first():
    item = notes.items("part4")[1]
    assert list(item.where.items()) == [("02_attend_by_hand.ipynb", "Alex"), ("16_ask_a_real_encoder.ipynb", "She")]


@pytest.mark.parametrize("unknown", ["ours", "part5", 4])
def test_unknown_notes_are_refused(unknown):
    with pytest.raises(ValueError, match=f"^notes must be one of part4, .*notes-bishop, got {unknown!r}"):
        notes.items(unknown)


@pytest.mark.parametrize("handle", HANDLES)
def test_page_holds_every_item_with_its_links(handle):
    page, found = notes.page(handle), notes.items(handle)
    assert page.html.startswith(
        f"<details><summary>{examples.sources()[handle]['title'].replace('&', '&amp;')}: {len(found)} items"
    )
    assert page.html.count("<tr>") == len(found) + 1
    for item in found:
        assert item.item in page.text and item.remark in page.text
        for file in item.where:
            assert f'<a href="{file}">lesson {file[:2]}</a>' in page.html
            assert (item.where[file] or "") in page.text


def test_no_code_of_a_row_reaches_a_reader():
    assert [item.item for item in notes.items() if item.row in f"{item.item} {item.remark}".split()] == []


DAMAGE = {  # what the message must say: the damage
    "must hold an object 'lessons' and a list 'items'": lambda data: data.pop("lessons"),
    "must hold an object 'lessons' and a list 'items'. Restore": lambda data: data.pop("items"),
    "item 1 must have exactly notes, row, item, where, remark, got": lambda data: data["items"][0].pop("remark"),
    "item 2 must have exactly notes, row, item, where, remark, got 7": lambda data: data["items"].__setitem__(1, 7),
    "item 3 must have exactly notes, .*, got": lambda data: data["items"][2].update(where=[]),
    "item 1 must name notes and lessons that are there, .*99": lambda data: data["items"][0].update(where={"99": "x"}),
    "item 1 must name notes and lessons that are there": lambda data: data["items"][0].update(where={}),
    "item 1 must name notes and lessons that are there, .*part5": lambda data: data["items"][0].update(notes="part5"),
}


@pytest.mark.parametrize("message", DAMAGE)
def test_damage_is_named_with_its_file(monkeypatch, tmp_path, message):
    data, path = json.loads(TEXT), tmp_path / "data" / "notes_to_lessons.json"
    DAMAGE[message](data)
    path.parent.mkdir()
    path.write_text(json.dumps(data), encoding="utf-8")
    monkeypatch.setattr(notes, "PATH", path)
    with pytest.raises(ValueError, match=rf"^data/notes_to_lessons\.json.*{message}"):
        notes.items()


@pytest.mark.parametrize("root", ["null", "7", "[]"])
def test_a_root_of_another_kind_is_named(monkeypatch, tmp_path, root):
    path = tmp_path / "data" / "notes_to_lessons.json"
    path.parent.mkdir()
    path.write_text(root, encoding="utf-8")
    monkeypatch.setattr(notes, "PATH", path)
    with pytest.raises(ValueError, match=r"^data/notes_to_lessons\.json must hold an object 'lessons'"):
        notes.items()
