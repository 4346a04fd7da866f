"""Every row of the notes is taught somewhere: the rows against the lessons that claim them in their metadata."""

import json

import pytest

from helpers import examples
from tests.lessons import lessons

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


# --- a test that cannot fail proves nothing --------------------------------------------------------------------------

COMPLETE = {4: [], 0: ROWS}


@pytest.mark.parametrize("claims", [COMPLETE, {**COMPLETE, 4: ["B4"]}])
def test_claims_without_a_fault_pass(claims):
    assert list(faults(claims)) == []


@pytest.mark.parametrize(
    ("claims", "fault"),
    [
        ({**COMPLETE, 0: ROWS[1:]}, "no lesson covers P1."),
        ({**COMPLETE, 0: [row for row in ROWS if row not in {"S11", "A11"}]}, "no lesson covers A11, S11."),
        ({**COMPLETE, 4: ["B4", "B9"]}, "lesson 04 covers B9, which are no rows of the notes."),
        ({**COMPLETE, 4: ["b4"]}, "lesson 04 covers b4, which are no rows of the notes."),
        ({**COMPLETE, 4: ["B4", "B4"]}, "lesson 04 names a row twice: B4, B4."),
        ({**COMPLETE, 4: None}, "lesson 04 must say which rows it covers, in its metadata: lesson, covers."),
        ({**COMPLETE, 4: "B4"}, "lesson 04 must say which rows it covers, in its metadata: lesson, covers."),
    ],
)
def test_fault_of_a_claim_is_named(claims, fault):
    assert list(faults(claims)) == [fault]


def test_forty_two_rows_are_numbered_as_in_the_notes():
    assert len(ROWS) == len(set(ROWS)) == 42
    assert (ROWS[0], ROWS[6], ROWS[17], ROWS[28], ROWS[-1]) == ("P1", "A1", "S1", "L1", "B8")
