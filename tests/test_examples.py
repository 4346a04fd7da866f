"""Each number of the worked examples, computed a second time in plain Python loops, from our text of the notes and not from the file."""

import dataclasses
import itertools
import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest

from helpers.sources import examples
from helpers.support import data_files

RESTORE = re.escape(data_files.AGAIN)
TEXT = examples.PATH.read_text(encoding="utf-8")

# --- plain Python: lists of rows, no NumPy ---------------------------------------------------------------------------


def times(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def turned(a):
    return [list(column) for column in zip(*a)]


def divided(a, number):
    return [[entry / number for entry in row] for row in a]


def shares(powers):
    return [power / sum(powers) for power in powers]


def soft(scores):
    """Base e, in floats."""
    return shares([math.exp(score) for score in scores])


def soft3(scores):
    """Base 3, in exact fractions."""
    return shares([Fraction(3) ** score for score in scores])


AABA = [[1, 0], [1, 0], [0, 1], [1, 0]]
FOR_B = [[0, 1]]
BOOSTED = [[10, 0], [10, 0], [0, 10], [10, 0]]
SIXTHS = [[Fraction(1, 6), Fraction(1, 6), Fraction(1, 2), Fraction(1, 6)]]
THREE = [[1, 0], [0, 1], [1, 1]]
THREE_SCORES = [[1, 0, 1], [0, 1, 1], [1, 1, 2]]
THREE_WEIGHTS = [soft([score / math.sqrt(2) for score in row]) for row in THREE_SCORES]
THREE_OUTPUT = times(THREE_WEIGHTS, THREE)
THREE_WEIGHTS_3 = [soft3(row) for row in THREE_SCORES]
LESSON_1_WEIGHTS = [soft3(scores) for scores in ([0, 0, 1, 0], [0, 0, 2, 0], [1, 1, 0, 1])]
LESSON_1_VALUES = [[10], [10], [20], [10]]
PRINTED_L4 = [[0, 1, 0], [0.7, 0.3, 0], [0.5, 0.45, 0.5]]


def words_and_marks(sentence):
    return len(sentence.split()) + sum(sentence.count(mark) for mark in ".,")


def last_letter(string):
    for letter in string:
        if letter == "B":
            return 1
    return 0


def deviation_by_chances(width):
    """Of a sum of `width` terms +1 or -1, from the binomial chances."""
    chances = [(math.comb(width, plus) / 2**width, 2 * plus - width) for plus in range(width + 1)]
    return math.sqrt(sum(chance * total**2 for chance, total in chances))


def one_head_output(column):
    """Base-3 self-attention over tokens of width 1."""
    return [sum(w * x for w, x in zip(soft3([query * key for key in column]), column)) for query in column]


def logistic(gap):
    return 1 / (1 + math.exp(-gap))


def multiplications(rows, inner, columns):
    return sum(1 for _ in itertools.product(range(rows), range(inner), range(columns)))


def cost(num_tokens, d_model):
    attention = multiplications(num_tokens, d_model, num_tokens) + multiplications(num_tokens, num_tokens, d_model)
    return [attention, 4 * multiplications(num_tokens, d_model, d_model)]


AGAIN = {
    "columns: one mixture": [
        sum(w * x for w, x in zip(SIXTHS[0], feature)) for feature in ([1, 1, 0, 1], [0, 0, 1, 0])
    ],
    "columns, nothing learned: weights": turned(THREE_WEIGHTS_3),
    "columns, nothing learned: output": turned(times(THREE_WEIGHTS_3, THREE)),
    "two sentences: tokens": [
        words_and_marks("Sarah was walking in the park with her cat, Alex."),
        words_and_marks("She was wearing a beautiful gold watch."),
    ],
    "columns: weights": turned(THREE_WEIGHTS),
    "columns: output": turned(THREE_OUTPUT),
    "gap: larger weight": [logistic(1), logistic(8)],
    "gap: slope": [math.exp(-gap) / (1 + math.exp(-gap)) ** 2 for gap in (1, 8)],
    "signs: spread": [deviation_by_chances(width) for width in (1, 4, 9)],
    "A/B strings: last letter": [last_letter(string) for string in ("AAAAAA", "ABAAAA", "ABAABA", "AAAABA")],
    "A/B query: keys": [[int(letter == "A"), int(letter == "B")] for letter in "AABA"],
    "A/B query: scores": times(FOR_B, turned(AABA))[0],
    "A/B query: weights": soft3([0, 0, 1, 0]),
    "A/B query: weights, base e": soft([0, 0, 1, 0]),
    "A/B query: temperature": math.log(math.e, 3),
    "A/B query: weights at that temperature": soft([0, 0, math.log(3), 0]),
    "A/B query: output": times(SIXTHS, AABA)[0],
    "A/B query: output, base e": [3 / (3 + math.e), math.e / (3 + math.e)],
    "booster: keys": times(AABA, [[10, 0], [0, 10]]),
    "booster: scores": times(FOR_B, turned(BOOSTED))[0],
    "booster: weights": soft([0, 0, 10, 0]),
    "booster: output": times([soft([0, 0, 10, 0])], AABA)[0],
    "one matrix: W": times([[10, 0], [0, 10]], turned([[0, 1], [0, 1]])),
    "one matrix: scores": turned(times(BOOSTED, times(turned([[0, 1], [0, 1]]), [[1], [0]])))[0],
    "whole string: E": [[int(letter == "A"), int(letter == "B")] for letter in "AABA"],
    "whole string: Q": times(AABA, [[0, 1], [0, 1]]),
    "whole string: K": times(AABA, [[10, 0], [0, 10]]),
    "whole string: scores": times(FOR_B * 4, turned(BOOSTED)),
    "whole string: weights": [soft([0, 0, 10, 0]) for _ in "AABA"],
    "whole string: output": times([soft([0, 0, 10, 0]) for _ in "AABA"], AABA),
    "whole string, scaled: weights": soft([0, 0, 10 / math.sqrt(2), 0]),
    "whole string, scaled: output": times([soft([0, 0, 10 / math.sqrt(2), 0])], AABA)[0],
    "whole string: shape": [len("AABA"), len("AB")],
    "waves: position 1": [math.sin(1), math.cos(1), math.sin(1 / 100), math.cos(1 / 100)],
    "waves: dot products": [math.cos(distance) + math.cos(distance / 100) for distance in (0, 1, 2)],
    "layer norm: 1, 2, 3": [(x - 2) / math.sqrt(((1 - 2) ** 2 + (3 - 2) ** 2) / 3) for x in (1, 2, 3)],
    "I love dogs: mask": [[int(key <= query) for key in range(4)] for query in range(4)],
    "three tokens, causal: weights": [
        soft3(row[: place + 1]) + [0] * (2 - place) for place, row in enumerate(THREE_SCORES)
    ],
    "select: hard": dict(zip("AABA", (10, 10, 20, 10)))["B"],
    "select: weights": LESSON_1_WEIGHTS,
    "select: soft": turned(times(LESSON_1_WEIGHTS, LESSON_1_VALUES))[0],
    "similarity matrix": [[*map(float, row[:2]), 1 - row[0] - row[1]] for row in PRINTED_L4],
    "similarity matrix: row sums": [math.fsum(row) for row in PRINTED_L4],
    "three tokens: row sums": [math.fsum(row) for row in THREE_WEIGHTS],
    "three tokens: identity": [[1, 0], [0, 1]],
    "three tokens: Q": times(THREE, [[1, 0], [0, 1]]),
    "three tokens: K transposed": turned(THREE),
    "three tokens: scores": times(THREE, turned(THREE)),
    "three tokens: scaled scores": divided(THREE_SCORES, math.sqrt(2)),
    "three tokens: weights, row 1": THREE_WEIGHTS[0],
    "three tokens: weights, rows 2 and 3": THREE_WEIGHTS[1:],
    "three tokens: values": times(THREE, [[1, 0], [0, 1]]),
    "three tokens: y1": THREE_OUTPUT[0],
    "three tokens: y2 and y3": THREE_OUTPUT[1:],
    "three tokens: weights, base 3": THREE_WEIGHTS_3,
    "three tokens: output, base 3": times(THREE_WEIGHTS_3, THREE),
    "two heads: output": turned([one_head_output([1, 0, 1]), one_head_output([0, 1, 1])]),
    "two heads: parameters": [4 * 2 * 2, 4 * 2 * 2],
    "cost: additions": ["+".join("x" * terms).count("+") for terms in (5, 3, 2)],
    "cost: last additions": "x+x".count("+"),
    "cost: 3 tokens": cost(3, 2),
    "cost: 4 tokens": cost(4, 2),
    "a page with a suspect": [4, 2, 1 * 0 + 1 * 1],
}

# What our text of the notes has, typed once more from it: id -> its numbers
IN_OUR_TEXT = {
    "A/B query: keys": AABA,
    "A/B query: scores": [0, 0, 1, 0],
    "A/B query: weights": [1 / 6, 1 / 6, 1 / 2, 1 / 6],
    "A/B query: weights, base e": [1 / 6, 1 / 6, 1 / 2, 1 / 6],
    "A/B query: output": [0.5, 0.5],
    "A/B query: output, base e": [0.5, 0.5],
    "booster: keys": BOOSTED,
    "booster: scores": [0, 0, 1, 0],
    "whole string: E": AABA,
    "whole string: Q": [[0, 1]] * 4,
    "whole string: K": BOOSTED,
    "whole string: scores": [[0, 0, 10, 0]] * 4,
    "similarity matrix": PRINTED_L4,
    "three tokens: identity": [[1, 0], [1, 1]],
    "three tokens: Q": THREE,
    "three tokens: K transposed": [[1, 0, 1], [0, 1, 1], [0, 1, 1]],
    "three tokens: scores": [[1, 0, 1], [0, 1, 1], [0, 1, 2]],
    "three tokens: scaled scores": [[0.707, 0, 0.707], [0, 0.707, 0.707], [0, 0.707, 1.414]],
    "three tokens: weights, row 1": [0.401, 0.198, 0.401],
    "three tokens: values": [[[0, 1], [1, 1]], [[0, 1], [0, 1]], [[1, 1], [1, 1]]],
    "three tokens: y1": [1.203, 0.599],
    "cost: additions": [4, 2, 1],
    "cost: last additions": 3,
}

# Rows of the notes that have a number or a formula to check
ROWS = "P1 P2 P3 P5 P6 A1 A2 A3 A4 A5 A6 A7 A8 A9 S1 S3 S6 S8 L1 L3 L4 B3 B4 B5 B6 B7 B8".split()
HANDLES = {"P": "part4", "A": "notes-ab", "S": "section9", "L": "lecture-sal", "B": "notes-bishop"}

# Where our text and the computation differ, and how that is to be read
READ = {
    "stated": [
        "A/B query: weights, base e",
        "A/B query: output, base e",
        "whole string: values",
        "layer norm: formula",
    ],
    "convention": ["booster: scores", "one matrix: name", "heads: projection", "heads: size of W_Q"],
    "source": ["waves: index"],
    "transcription": [
        "matrix form: output",
        "patches: divisor",
        "similarity matrix",
        "three tokens: identity",
        "three tokens: K transposed",
        "three tokens: divisor",
        "three tokens: values",
        "sizes of W_Q, W_K, W_V",
        "heads: scores",
        "heads: size of W_O",
        "layer: post-norm",
        "layer: pre-norm",
    ],
    "open": [
        "patches: bias",
        "three tokens: scores",
        "three tokens: scaled scores",
        "three tokens: y1",
        "softmax: index",
        "heads: queries",
        "cost: last additions",
        "cost: scores",
        "cost: weighting",
        "cost: weighting, one token",
    ],
    "author": ["matrix form: scores"],
}

ALL = examples.load()
NUMERIC = [id for id, example in ALL.items() if example.verdict != "formula"]
FORMULAS = [id for id, example in ALL.items() if example.verdict == "formula"]
EIGHT_DECIMALS = 0.5e-8 + 1e-12


def nearly(values, expected, allowed):
    values, expected = np.asarray(values, dtype=float), np.array(expected, dtype=float)
    return values.shape == expected.shape and np.abs(values - expected).max() <= allowed


# --- the data --------------------------------------------------------------------------------------------------------


def test_every_numeric_example_is_computed_twice():
    for id in NUMERIC:
        assert id in examples.RECIPES, f"{id!r} must have a line in RECIPES, at the end of helpers/sources/examples.py"
        assert id in AGAIN, f"{id!r} must be computed once more, in loops, in AGAIN of tests/test_examples.py"
    assert sorted(AGAIN) == sorted(NUMERIC) == sorted(examples.RECIPES)


@pytest.mark.parametrize("id", NUMERIC)
def test_right_is_what_plain_loops_give(id):
    assert nearly(ALL[id].right, AGAIN[id], EIGHT_DECIMALS)


@pytest.mark.parametrize("id", NUMERIC)
def test_compute_gives_what_plain_loops_give(id):
    assert nearly(examples.compute(id), AGAIN[id], 1e-12)


def test_numbers_are_those_of_our_text():
    assert {id for id in NUMERIC if ALL[id].verdict != "computed"} == set(IN_OUR_TEXT)
    assert [id for id, printed in IN_OUR_TEXT.items() if not nearly(ALL[id].printed, printed, 1e-15)] == []


def test_decimals_are_those_of_our_text():
    assert {id: e.decimals for id, e in ALL.items() if e.decimals is not None} == {
        "three tokens: scaled scores": 3,
        "three tokens: weights, row 1": 3,
        "three tokens: y1": 3,
    }


@pytest.mark.parametrize(("verdict", "expected"), [("match", True), ("differs", False)])
def test_verdict_is_what_the_comparison_gives(verdict, expected):
    chosen = [example for example in ALL.values() if example.verdict == verdict]
    assert {examples.agrees(example, example.right) for example in chosen} == {expected}
    assert {examples.agrees(example, examples.compute(example)) for example in chosen} == {expected}


@pytest.mark.parametrize("id", FORMULAS)
def test_formula_differs_from_our_text_by_more_than_spaces(id):
    assert ALL[id].printed.replace(" ", "") != ALL[id].right.replace(" ", "")


def test_every_difference_has_its_reading_and_nothing_else_has_one():
    read = {id: reading for reading, ids in READ.items() for id in ids}
    assert read == {id: example.reading for id, example in ALL.items() if example.reading}
    assert set(read) == {id for id, example in ALL.items() if example.verdict in ("differs", "formula")}
    assert tuple(READ) == tuple(examples.READINGS)


@pytest.mark.parametrize("id", [id for ids in READ.values() for id in ids])
def test_reading_has_evidence_in_one_line(id):
    assert 20 < len(ALL[id].evidence) < 200 and "\n" not in ALL[id].evidence


def test_nothing_is_called_wrong_but_what_the_notes_themselves_show():
    accusing = re.compile(r"\b(slip|slips|slipped|erratum|errata|wrong|mistake|error)\b", re.IGNORECASE)
    told = {id: accusing.findall(f"{example.what} {example.evidence}") for id, example in ALL.items()}
    assert {id for id, words in told.items() if words} == {
        "A/B query: output, base e",  # "the wrong last letter": of the toy language
        "three tokens: y1",  # "it may be a slip of the pen or of the reading"
    }


def test_no_code_of_a_row_reaches_a_reader():
    code = re.compile(r"\b[PASLB]\d{1,2}\b")
    for id, example in ALL.items():
        assert not code.search(" ".join([id, example.what, example.evidence])), id


def test_every_row_with_a_number_or_a_formula_is_there():
    assert set(ROWS) - {example.row for example in ALL.values()} == set()


def test_row_source_and_lesson_belong_together():
    for example in ALL.values():
        assert example.source == (examples.OURS if example.row is None else HANDLES[example.row[0]])
        assert example.row is None or example.lesson in {*range(1, 14), 90}


def test_entries_are_whole():
    entries, ids = json.loads(TEXT)["examples"], [example.id for example in ALL.values()]
    fields = {field.name for field in dataclasses.fields(examples.Example)}
    assert len(entries) == len(set(ids)) and all(set(entry) == fields for entry in entries)
    for example in ALL.values():
        assert example.verdict in examples.VERDICTS and example.reading in (None, *examples.READINGS), example.id
        assert bool(example.reading) == bool(example.evidence) == (example.verdict in ("differs", "formula")), (
            example.id
        )
        assert (example.printed is None) == (example.verdict == "computed"), example.id
        assert isinstance(example.lesson, int) and isinstance(example.decimals, int | None), example.id
        assert example.source != examples.OURS or example.verdict == "computed", example.id


# --- load, sources, get ----------------------------------------------------------------------------------------------


def test_load_gives_a_dict_of_its_own():
    mine = examples.load()
    mine.clear()
    assert "three tokens: y1" in examples.load()


def test_sources_gives_a_dict_of_its_own():
    examples.sources()["part4"]["title"] = "mine"
    assert sorted(examples.sources()) == sorted([*HANDLES.values(), examples.OURS])
    assert examples.sources()["part4"]["title"].startswith("Transformers (Part 4)")


def test_get_turns_fractions_into_numbers():
    assert examples.get("A/B query: weights").printed.tolist() == [1 / 6, 1 / 6, 1 / 2, 1 / 6]
    assert examples.get("A/B query: output").given["weights"].dtype == np.float64


def test_get_keeps_texts_and_numbers_of_given():
    assert examples.get("whole string: E").given["letters"] == "AABA"
    assert examples.get("A/B strings: last letter").given["strings"] == ("AAAAAA", "ABAAAA", "ABAABA", "AAAABA")
    assert examples.get("A/B query: weights").given["base"] == 3


@pytest.mark.parametrize("field", ["printed", "right"])
def test_arrays_cannot_be_changed(field):
    array = getattr(examples.get("three tokens: y1"), field)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 7
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.setflags(write=True)


def test_given_cannot_be_changed():
    given = examples.get("three tokens: y1").given
    with pytest.raises(TypeError):
        given["X"] = 7
    with pytest.raises(ValueError, match="read-only"):
        given["X"][0, 0] = 7


def test_example_cannot_be_changed():
    with pytest.raises(AttributeError):
        examples.get("three tokens: y1").verdict = "match"


@pytest.mark.parametrize(
    ("id", "hint"),
    [
        ("three tokens: y2", "Close to it: 'three tokens: y2 and y3'."),
        ("Three Tokens: Y", "Close to it: 'three tokens: y1', 'three tokens: y2 and y3'."),
        ("booster", "Close to it: 'booster: keys', 'booster: scores', 'booster: weights', 'booster: output'."),
        ("boster: wieghts", "Close to it: 'booster: weights'"),
        ("zzzzz", r"list\(examples.load\(\)\) shows them all."),
        ("", r"list\(examples.load\(\)\) shows them all."),
        (["three tokens: y1"], "Close to it: 'three tokens: y1'"),
        (None, r"list\(examples.load\(\)\) shows them all."),
    ],
)
@pytest.mark.parametrize(
    "function",
    [examples.get, examples.compute, lambda id: examples.agrees(id, 0), lambda id: examples.differs(id, 0)],
)
def test_get_names_close_ids(function, id, hint):
    with pytest.raises(ValueError, match="id must be that of a worked example, got .*" + hint):
        function(id)


# --- compute ---------------------------------------------------------------------------------------------------------


def test_compute_takes_an_example_or_its_id_and_gives_a_fresh_array():
    first = examples.compute("three tokens: Q")
    first[:] = 7
    assert examples.compute(examples.get("three tokens: Q")).tolist() == THREE


@pytest.mark.parametrize("id", FORMULAS)
def test_compute_refuses_a_formula(id):
    with pytest.raises(ValueError, match=f"must hold numbers to compute, but {id!r} is about a formula"):
        examples.compute(id)


def test_compute_says_where_a_recipe_is_missing(monkeypatch):
    monkeypatch.delitem(examples.RECIPES, "three tokens: y1")
    with pytest.raises(
        ValueError, match=r"a row in RECIPES of helpers/sources/examples\.py, but 'three tokens: y1' has none"
    ):
        examples.compute("three tokens: y1")


# --- agrees ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "values", "expected"),
    [
        (
            "three tokens: weights, row 1",
            [0.4014999, 0.1975001, 0.401],
            True,
        ),  # inside half a unit of the third decimal
        (
            "three tokens: weights, row 1",
            [0.4015, 0.198, 0.401],
            True,
        ),  # on the edge, whatever the last bit of a float says
        ("three tokens: weights, row 1", [0.40151, 0.198, 0.401], False),
        ("three tokens: weights, row 1", [0.401, 0.198, 0.3999], False),
        ("A/B query: weights", [1 / 6 + 1e-15, 1 / 6, 1 / 2, 1 / 6], True),
        ("A/B query: weights", [1 / 6 + 1e-11, 1 / 6, 1 / 2, 1 / 6], False),  # fractions are exact
        ("A/B query: weights", [0.167, 0.167, 0.5, 0.167], False),
        ("whole string: Q", [0, 1], False),  # would broadcast
        ("whole string: Q", [[0, 1]], False),
        ("cost: last additions", 3, True),
        ("cost: last additions", [3], False),
        ("patches: divisor", "sqrt(c)", True),
        ("patches: divisor", "sqrt(e)", False),
    ],
)
def test_agrees_to_the_printed_precision(id, values, expected):
    assert examples.agrees(id, values) is expected
    assert examples.agrees(examples.get(id), values) is expected


def test_agrees_refuses_what_is_not_printed():
    with pytest.raises(ValueError, match="but for 'whole string, scaled: weights' it has no number"):
        examples.agrees("whole string, scaled: weights", [0, 0, 1, 0])


def test_agrees_refuses_nan():
    with pytest.raises(ValueError, match="values must not hold NaN"):
        examples.agrees("A/B query: output", [math.nan, 0.5])


# --- differs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", IN_OUR_TEXT)
def test_differs_and_agrees_tell_the_same(id):
    values = examples.compute(id)
    differs = examples.differs(id, values)
    assert differs.shape == ALL[id].printed.shape and differs.dtype == bool
    same_shape = values.shape == ALL[id].printed.shape
    assert examples.agrees(id, values) is bool(same_shape and not differs.any())


@pytest.mark.parametrize(
    ("id", "values", "expected"),
    [
        ("three tokens: y1", [0.802, 0.599], [True, False]),
        ("three tokens: y1", [1.2034, 0.5995], [False, False]),  # within half a unit of the third decimal
        ("booster: scores", [0, 0, 10, 0], [False, False, True, False]),
        ("three tokens: K transposed", [[1, 0, 1], [0, 7, 1]], [[False] * 3, [False, True, False], [True] * 3]),
        ("three tokens: identity", [[1]], [[False, True], [True, True]]),
        ("three tokens: identity", [[1, 0, 5], [1, 1, 5], [5, 5, 5]], [[False, False], [False, False]]),
        ("three tokens: identity", [1, 0], [[True, True], [True, True]]),  # a vector has no row to compare with
        ("cost: last additions", 3, False),
        ("cost: last additions", 1, True),
    ],
)
def test_differs_marks_the_numbers_that_are_off(id, values, expected):
    assert examples.differs(id, values).tolist() == expected


@pytest.mark.parametrize("id", ["whole string, scaled: weights", "patches: divisor"])
def test_differs_refuses_what_has_no_numbers_printed(id):
    with pytest.raises(
        ValueError, match=f"^example must have numbers in our text of the notes, but for {id!r} it has none"
    ):
        examples.differs(id, [1])


def test_differs_refuses_nan():
    with pytest.raises(ValueError, match="values must not hold NaN"):
        examples.differs("A/B query: output", [math.nan, 0.5])


# --- a damaged file --------------------------------------------------------------------------------------------------


def read_instead(monkeypatch, folder, text):
    path = folder / "data" / "worked_examples.json"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(examples, "PATH", path)


def test_load_names_a_missing_file(monkeypatch, tmp_path):
    monkeypatch.setattr(examples, "PATH", tmp_path / "data" / "worked_examples.json")
    with pytest.raises(FileNotFoundError, match=r"^data/worked_examples\.json must be there, but it is missing"):
        examples.load()


@pytest.mark.parametrize(
    ("text", "damage"),
    [
        (TEXT[:5000], r"it is damaged: .*line \d"),
        ("", r"it is damaged: .*line \d"),
        ("\x00", r"it is damaged: .*line \d"),
        (TEXT.replace('"base": 3', '"base": NaN', 1), "it is damaged: NaN is no finite number"),
        (TEXT.replace('"base": 3', '"base": 1e999', 1), "it is damaged: 1e999 is no finite number"),
        ("[" * 200_000, "its brackets have no end"),
    ],
    ids=["half", "nothing", "zero byte", "NaN", "infinity", "brackets"],
)
def test_load_names_a_file_that_is_no_json(monkeypatch, tmp_path, text, damage):
    read_instead(monkeypatch, tmp_path, text)
    with pytest.raises(ValueError, match=rf"^data/worked_examples\.json must hold JSON, but {damage}.*{RESTORE}$"):
        examples.load()


def test_lesson_91_rounding_of_what_goes_in_is_added():
    thirds = [math.exp(score / math.sqrt(2)) for score in (1, 1, 2)]
    row = [share / sum(thirds) for share in thirds]
    assert [f"{share:.3f}" for share in row] == ["0.248", "0.248", "0.503"]
    assert f"{row[0] + row[2]:.3f}" == "0.752" and round(0.248 + 0.503, 3) == 0.751
