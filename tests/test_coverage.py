"""Every row of the notes is taught somewhere, and every item of them leads to a lesson that has it."""

import json
import re
from collections import Counter

from rooms.check_the_notes import notes
from rooms.shared import examples
from tests.notebooks import lessons

COUNTS = {"P": 6, "A": 11, "S": 11, "L": 6, "B": 8}  # part4, notes-ab, section9, lecture-sal, notes-bishop
ROWS = [f"{letter}{number}" for letter, count in COUNTS.items() for number in range(1, count + 1)]


def claims():
    """dict number of a lesson -> the rows that it claims."""
    found = {}
    for path in lessons():
        metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"]
        found[int(path.name[:2])] = metadata.get("lesson", {}).get("covers")
    return found


CLAIMS = claims()


def faults(claims):
    """What is wrong with the claims: dict number of a lesson -> list of rows, or None where there is no list."""
    for lesson, covers in claims.items():
        if not isinstance(covers, list):
            yield f"lesson {lesson:02d} must say which rows it covers, in its metadata: lesson, covers."
            continue
        unknown = [row for row in covers if row not in ROWS]
        if unknown:
            yield f"lesson {lesson:02d} covers {', '.join(map(str, unknown))}, which are no rows of the notes."
        if len(covers) > len(set(map(str, covers))):
            yield f"lesson {lesson:02d} names a row twice: {', '.join(map(str, covers))}."
    taught = {row for covers in claims.values() for row in covers or []}
    untaught = [row for row in ROWS if row not in taught]
    if untaught:
        yield f"no lesson covers {', '.join(untaught)}."


def test_every_row_of_the_notes_has_its_lesson():
    assert list(faults(CLAIMS)) == []


def test_rows_are_those_of_the_data():
    assert {example.row for example in examples.load().values()} <= {*ROWS, None}  # None: our own


def test_lesson_that_an_example_names_claims_its_row():
    there = {number: covers or [] for number, covers in CLAIMS.items()}
    missing = {
        (example.lesson, example.row)
        for example in examples.load().values()
        if example.row and example.lesson in there and example.row not in there[example.lesson]
    }
    assert sorted(missing) == []


# --- every item of the notes leads to a lesson -----------------------------------------------------------------------

ITEMS = notes.items()
HANDLES = {"part4": "P", "notes-ab": "A", "section9": "S", "lecture-sal": "L", "notes-bishop": "B"}
LESSONS = {path.name: path for path in lessons()}


def text_of(path):
    """What a reader finds in a lesson: the sources of its cells, without the marks of bold words and code."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return re.sub("[*`]", "", "\n".join("".join(cell["source"]) for cell in cells))


def lost(items, texts):
    """Which words that an item sends its reader to are no longer in the lesson."""
    for item in items:
        for file, words in item.where.items():
            if words and words.casefold() not in texts[file].casefold():
                yield (
                    f"{file} no longer has the words {words!r}: give data/notes_to_lessons.json new ones, "
                    f"or another lesson, for the item {item.item!r} of {item.notes}."
                )


def test_every_item_of_the_five_notes_is_there():
    assert Counter(item.notes for item in ITEMS) == {
        "part4": 17, "notes-ab": 30, "section9": 32, "lecture-sal": 28, "notes-bishop": 47,
    }  # fmt: skip
    assert len({(item.notes, item.item) for item in ITEMS}) == len(ITEMS)


def test_every_item_leads_to_lessons_that_exist():
    assert [item.item for item in ITEMS if not item.where or not set(item.where) <= set(LESSONS)] == []


def test_every_lesson_of_an_item_has_words_to_look_for():
    assert [item.item for item in ITEMS if not all(item.where.values())] == []


def test_lessons_have_the_words_that_items_send_their_readers_to():
    assert list(lost(ITEMS, {file: text_of(path) for file, path in LESSONS.items()})) == []


def test_items_belong_to_the_rows_of_their_notes_and_leave_none_out():
    assert [item.item for item in ITEMS if HANDLES[item.notes] != item.row[0]] == []
    assert sorted({item.row for item in ITEMS}) == sorted(ROWS)
