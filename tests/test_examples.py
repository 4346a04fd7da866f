"""Each number of the worked examples is computed again from what is given; what our text of the notes has is compared with it."""

import dataclasses
import json
import math
import re

import numpy as np
import pytest

from rooms.shared import examples
from tests.refusals import refused

ALL = examples.load()
NUMERIC = [id for id, example in ALL.items() if example.verdict != "formula"]
FORMULAS = [id for id, example in ALL.items() if example.verdict == "formula"]
HANDLES = {"P": "part4", "A": "notes-ab", "S": "section9", "L": "lecture-sal", "B": "notes-bishop"}
VERDICTS = ("match", "differs", "computed", "formula")
SPEAKS = ("differs", "formula")  # verdicts that need evidence


# --- the data --------------------------------------------------------------------------------------------------------


def test_every_numeric_example_has_its_recipe():
    assert sorted(NUMERIC) == sorted(examples.RECIPES)


@pytest.mark.parametrize("id", NUMERIC)
def test_compute_gives_the_right_numbers(id):
    computed = examples.compute(id)
    assert computed.shape == ALL[id].right.shape
    np.testing.assert_allclose(computed, ALL[id].right, rtol=0, atol=0.5e-8 + 1e-12)


@pytest.mark.parametrize(("verdict", "expected"), [("match", True), ("differs", False)])
def test_verdict_is_what_the_comparison_gives(verdict, expected):
    chosen = [example for example in ALL.values() if example.verdict == verdict]
    assert {examples.agrees(example, example.right) for example in chosen} == {expected}
    for example in chosen:
        computed = examples.compute(example)
        off = examples.differs(example, computed)
        assert off.shape == example.printed.shape
        assert examples.agrees(example, computed) == expected == (computed.shape == off.shape and not off.any())


def test_entries_are_whole():
    entries = json.loads(examples.PATH.read_text(encoding="utf-8"))["examples"]
    fields = {field.name for field in dataclasses.fields(examples.Example)}
    assert len(entries) == len(ALL) and all(set(entry) == fields for entry in entries)
    for id, example in ALL.items():
        assert example.verdict in VERDICTS and (example.printed is None) == (example.verdict == "computed"), id
        assert (example.reading in examples.READINGS) == (example.verdict in SPEAKS), id
        assert (20 < len(example.evidence) < 200) == (example.verdict in SPEAKS) and "\n" not in example.evidence, id
        assert example.source == (examples.OURS if example.row is None else HANDLES[example.row[0]]), id
        assert example.row is None or example.lesson in {*range(1, 19), 90}, id
        assert example.source != examples.OURS or example.verdict == "computed", id
    assert all(ALL[id].printed.replace(" ", "") != ALL[id].right.replace(" ", "") for id in FORMULAS)
    assert sorted(examples.sources()) == sorted([*HANDLES.values(), examples.OURS])


def test_nothing_is_called_wrong_but_what_the_notes_themselves_show_and_no_code_of_a_row_reaches_a_reader():
    accusing = re.compile(r"\b(slip|slips|slipped|erratum|errata|wrong|mistake|error)\b", re.IGNORECASE)
    told = {id: f"{example.what} {example.evidence}" for id, example in ALL.items()}
    assert {id for id, words in told.items() if accusing.search(words)} == {
        "A/B query: output, base e",  # "the wrong last letter": of the toy language
        "three tokens: y1",  # "it may be a slip of the pen or of the reading"
    }
    assert [id for id, words in told.items() if re.search(r"\b[PASLB]\d{1,2}\b", id + words)] == []


# --- get and compute -------------------------------------------------------------------------------------------------


def test_fractions_become_numbers_and_texts_stay():
    assert examples.get("A/B query: weights").printed.tolist() == [1 / 6, 1 / 6, 1 / 2, 1 / 6]
    assert examples.get("A/B query: output").given["weights"].dtype == np.float64
    assert examples.get("A/B strings: last letter").given["strings"] == ("AAAAAA", "ABAAAA", "ABAABA", "AAAABA")


def test_nothing_of_an_example_can_be_changed_and_what_is_computed_is_ones_own():
    example = examples.get("three tokens: y1")
    for array in (example.printed, example.right, example.given["X"]):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
    with pytest.raises(TypeError):
        example.given["X"] = 7
    with pytest.raises(AttributeError):
        example.verdict = "match"
    examples.load().clear()
    examples.sources()["part4"]["title"] = "mine"
    examples.compute("three tokens: Q")[:] = 7
    assert len(examples.load()) == len(ALL) and examples.sources()["part4"]["title"].startswith("Transformers (Part 4)")
    assert examples.compute("three tokens: Q").tolist() == [[1, 0], [0, 1], [1, 1]]


@pytest.mark.parametrize(
    ("id", "hint"),
    [
        ("three tokens: y2", "Close to it: 'three tokens: y2 and y3'."),
        ("booster", "Close to it: 'booster: keys', 'booster: scores', 'booster: weights', 'booster: output'."),
        ("boster: wieghts", "Close to it: 'booster: weights'"),
        ("zzzzz", r"list\(examples.load\(\)\) shows them all."),
        (["three tokens: y1"], "Close to it: 'three tokens: y1'"),
        (None, r"list\(examples.load\(\)\) shows them all."),
    ],
)
def test_get_names_close_ids(id, hint):
    with pytest.raises(ValueError, match="id must be that of a worked example, got .*" + hint):
        examples.get(id)


# --- agrees and differs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "values", "expected"),
    [
        ("three tokens: weights, row 1", [0.4014999, 0.1975001, 0.401], True),  # within half a unit of the third decimal
        ("three tokens: weights, row 1", [0.4015, 0.198, 0.401], True),  # on the edge, whatever the last bit says
        ("three tokens: weights, row 1", [0.40151, 0.198, 0.401], False),
        ("A/B query: weights", [1 / 6 + 1e-15, 1 / 6, 1 / 2, 1 / 6], True),
        ("A/B query: weights", [1 / 6 + 1e-11, 1 / 6, 1 / 2, 1 / 6], False),  # fractions are exact
        ("whole string: Q", [0, 1], False),  # would broadcast
        ("whole string: Q", [[0, 1]], False),
        ("cost: last additions", 3, True),
        ("cost: last additions", [3], False),
        ("patches: divisor", "√c", True),
        ("patches: divisor", "√e", False),
    ],
)  # fmt: skip
def test_agrees_to_the_printed_precision(id, values, expected):
    assert examples.agrees(id, values) is expected


@pytest.mark.parametrize(
    ("id", "values", "expected"),
    [
        ("three tokens: y1", [0.802, 0.599], [True, False]),
        ("three tokens: y1", [1.2034, 0.5995], [False, False]),  # within half a unit of the third decimal
        ("three tokens: K transposed", [[1, 0, 1], [0, 7, 1]], [[False] * 3, [False, True, False], [True] * 3]),
        ("three tokens: identity", [[1]], [[False, True], [True, True]]),
        ("three tokens: identity", [[1, 0, 5], [1, 1, 5], [5, 5, 5]], [[False, False], [False, False]]),
        ("three tokens: identity", [1, 0], [[True, True], [True, True]]),  # a vector has no row to compare with
        ("cost: last additions", 1, True),
    ],
)
def test_differs_marks_the_numbers_that_are_off(id, values, expected):
    assert examples.differs(id, values).tolist() == expected


WRONG = [
    (lambda: examples.compute("patches: divisor"), "example must hold numbers to compute, but 'patches: divisor' is about a formula…"),
    (lambda: examples.agrees("whole string, scaled: weights", [0]), "example must have something in our text of the notes, but for 'whole string, scaled: weights' it has no number."),
    (lambda: examples.differs("patches: divisor", [1]), "example must have numbers in our text of the notes, but for 'patches: divisor' it has none."),
    (lambda: examples.differs("A/B query: output", [math.nan, 0.5]), "values must not hold NaN…"),
]  # fmt: skip


test_what_has_no_numbers_is_refused = refused(ValueError, WRONG)


def test_lesson_91_rounding_of_what_goes_in_is_added():
    thirds = [math.exp(score / math.sqrt(2)) for score in (1, 1, 2)]
    row = [share / sum(thirds) for share in thirds]
    assert [f"{share:.3f}" for share in row] == ["0.248", "0.248", "0.503"]
    assert f"{row[0] + row[2]:.3f}" == "0.752" and round(0.248 + 0.503, 3) == 0.751
