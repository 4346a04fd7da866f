"""Each number of the worked examples, computed a second time in plain Python loops, from the notes and not from the file."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest

from helpers import examples

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
    "P1-mixture": [sum(w * x for w, x in zip(SIXTHS[0], feature)) for feature in ([1, 1, 0, 1], [0, 0, 1, 0])],
    "P2-weights": turned(THREE_WEIGHTS_3),
    "P2-output": turned(times(THREE_WEIGHTS_3, THREE)),
    "P3-sentences": [
        words_and_marks("Sarah was walking in the park with her cat, Alex."),
        words_and_marks("She was wearing a beautiful gold watch."),
    ],
    "P5-weights": turned(THREE_WEIGHTS),
    "P5-output": turned(THREE_OUTPUT),
    "P6-peak": [logistic(1), logistic(8)],
    "P6-slope": [math.exp(-gap) / (1 + math.exp(-gap)) ** 2 for gap in (1, 8)],
    "P6-spread": [deviation_by_chances(width) for width in (1, 4, 9)],
    "A1-strings": [last_letter(string) for string in ("AAAAAA", "ABAAAA", "ABAABA", "AAAABA")],
    "A2-keys": [[int(letter == "A"), int(letter == "B")] for letter in "AABA"],
    "A2-scores": times(FOR_B, turned(AABA))[0],
    "A3-weights": soft3([0, 0, 1, 0]),
    "A3-weights-base-e": soft([0, 0, 1, 0]),
    "A3-temperature": math.log(math.e, 3),
    "A3-weights-temperature": soft([0, 0, math.log(3), 0]),
    "A4-output": times(SIXTHS, AABA)[0],
    "A4-output-base-e": [3 / (3 + math.e), math.e / (3 + math.e)],
    "A5-keys": times(AABA, [[10, 0], [0, 10]]),
    "A5-scores": times(FOR_B, turned(BOOSTED))[0],
    "A5-weights": soft([0, 0, 10, 0]),
    "A5-output": times([soft([0, 0, 10, 0])], AABA)[0],
    "A6-one-matrix": times([[10, 0], [0, 10]], turned([[0, 1], [0, 1]])),
    "A6-scores": turned(times(BOOSTED, times(turned([[0, 1], [0, 1]]), [[1], [0]])))[0],
    "A7-E": [[int(letter == "A"), int(letter == "B")] for letter in "AABA"],
    "A7-Q": times(AABA, [[0, 1], [0, 1]]),
    "A7-K": times(AABA, [[10, 0], [0, 10]]),
    "A7-S": times(FOR_B * 4, turned(BOOSTED)),
    "A7-weights": [soft([0, 0, 10, 0]) for _ in "AABA"],
    "A7-output": times([soft([0, 0, 10, 0]) for _ in "AABA"], AABA),
    "A9-weights": soft([0, 0, 10 / math.sqrt(2), 0]),
    "A9-output": times([soft([0, 0, 10 / math.sqrt(2), 0])], AABA)[0],
    "A10-shape": [len("AABA"), len("AB")],
    "S3-row-1": [math.sin(1), math.cos(1), math.sin(1 / 100), math.cos(1 / 100)],
    "S3-dot-products": [math.cos(distance) + math.cos(distance / 100) for distance in (0, 1, 2)],
    "S6-layer-norm": [(x - 2) / math.sqrt(((1 - 2) ** 2 + (3 - 2) ** 2) / 3) for x in (1, 2, 3)],
    "S8-mask": [[int(key <= query) for key in range(4)] for query in range(4)],
    "S8-weights": [soft3(row[: place + 1]) + [0] * (2 - place) for place, row in enumerate(THREE_SCORES)],
    "L1-select": dict(zip("AABA", (10, 10, 20, 10)))["B"],
    "L1-weights": LESSON_1_WEIGHTS,
    "L1-soft-select": turned(times(LESSON_1_WEIGHTS, LESSON_1_VALUES))[0],
    "L4-matrix": [[*map(float, row[:2]), 1 - row[0] - row[1]] for row in PRINTED_L4],
    "L4-row-sums": [math.fsum(row) for row in PRINTED_L4],
    "B3-row-sums": [math.fsum(row) for row in THREE_WEIGHTS],
    "B4-identity": [[1, 0], [0, 1]],
    "B4-Q": times(THREE, [[1, 0], [0, 1]]),
    "B4-K-transposed": turned(THREE),
    "B4-scores": times(THREE, turned(THREE)),
    "B4-scaled": divided(THREE_SCORES, math.sqrt(2)),
    "B4-weights-row-1": THREE_WEIGHTS[0],
    "B4-weights-rows-2-3": THREE_WEIGHTS[1:],
    "B4-y1-values": times(THREE, [[1, 0], [0, 1]]),
    "B4-y1": THREE_OUTPUT[0],
    "B4-y2-y3": THREE_OUTPUT[1:],
    "B4-weights-base-3": THREE_WEIGHTS_3,
    "B4-output-base-3": times(THREE_WEIGHTS_3, THREE),
    "B6-two-heads": turned([one_head_output([1, 0, 1]), one_head_output([0, 1, 1])]),
    "B6-parameters": [4 * 2 * 2, 4 * 2 * 2],
    "B8-additions": ["+".join("x" * terms).count("+") for terms in (5, 3, 2)],
    "B8-additions-last": "x+x".count("+"),
    "B8-cost-3-tokens": cost(3, 2),
    "B8-cost-4-tokens": cost(4, 2),
}

# What the sheets print, typed once more from them: (id, the printed numbers or words)
ON_THE_SHEETS = {
    "A2-keys": AABA,
    "A2-scores": [0, 0, 1, 0],
    "A3-weights": [1 / 6, 1 / 6, 1 / 2, 1 / 6],
    "A3-weights-base-e": [1 / 6, 1 / 6, 1 / 2, 1 / 6],
    "A3-weights-temperature": [1 / 6, 1 / 6, 1 / 2, 1 / 6],
    "A4-output": [0.5, 0.5],
    "A4-output-base-e": [0.5, 0.5],
    "A5-keys": BOOSTED,
    "A5-scores": [0, 0, 1, 0],
    "A7-E": AABA,
    "A7-Q": [[0, 1]] * 4,
    "A7-K": BOOSTED,
    "A7-S": [[0, 0, 10, 0]] * 4,
    "L4-matrix": PRINTED_L4,
    "B4-identity": [[1, 0], [1, 1]],
    "B4-Q": THREE,
    "B4-K-transposed": [[1, 0, 1], [0, 1, 1], [0, 1, 1]],
    "B4-scores": [[1, 0, 1], [0, 1, 1], [0, 1, 2]],
    "B4-scaled": [[0.707, 0, 0.707], [0, 0.707, 0.707], [0, 0.707, 1.414]],
    "B4-weights-row-1": [0.401, 0.198, 0.401],
    "B4-y1-values": [[[0, 1], [1, 1]], [[0, 1], [0, 1]], [[1, 1], [1, 1]]],
    "B4-y1": [1.203, 0.599],
    "B8-additions": [4, 2, 1],
    "B8-additions-last": 3,
}

# Rows of the notes that have a number or a formula to check
ROWS = "P1 P2 P3 P5 P6 A1 A2 A3 A4 A5 A6 A7 A8 A9 S1 S3 S6 S8 L1 L3 L4 B3 B4 B5 B6 B7 B8".split()
HANDLES = {"P": "part4", "A": "notes-ab", "S": "section9", "L": "lecture-sal", "B": "notes-bishop"}

ALL = examples.load()
NUMERIC = [id for id, example in ALL.items() if example.verdict != "formula"]
FORMULAS = [id for id, example in ALL.items() if example.verdict == "formula"]
EIGHT_DECIMALS = 0.5e-8 + 1e-12


def nearly(values, expected, allowed):
    values, expected = np.asarray(values, dtype=float), np.array(expected, dtype=float)
    return values.shape == expected.shape and np.abs(values - expected).max() <= allowed


# --- the data --------------------------------------------------------------------------------------------------------


def test_every_numeric_example_is_computed_again_here():
    assert sorted(AGAIN) == sorted(NUMERIC) == sorted(examples.RECIPES)


@pytest.mark.parametrize("id", NUMERIC)
def test_right_is_what_plain_loops_give(id):
    assert nearly(ALL[id].right, AGAIN[id], EIGHT_DECIMALS)


@pytest.mark.parametrize("id", NUMERIC)
def test_compute_gives_what_plain_loops_give(id):
    assert nearly(examples.compute(id), AGAIN[id], 1e-12)


def test_printed_numbers_are_those_on_the_sheets():
    assert {id for id in NUMERIC if ALL[id].verdict != "computed"} == set(ON_THE_SHEETS)
    assert [id for id, printed in ON_THE_SHEETS.items() if not nearly(ALL[id].printed, printed, 1e-15)] == []


def test_decimals_are_those_on_the_sheets():
    assert {id: e.decimals for id, e in ALL.items() if e.decimals is not None} == {
        "B4-scaled": 3,
        "B4-weights-row-1": 3,
        "B4-y1": 3,
    }


def test_match_agrees_with_the_notes_and_erratum_does_not():
    for verdict, expected in (("match", {True}), ("erratum", {False})):
        chosen = [example for example in ALL.values() if example.verdict == verdict]
        assert {examples.agrees(example, example.right) for example in chosen} == expected
        assert {examples.agrees(example, examples.compute(example)) for example in chosen} == expected


@pytest.mark.parametrize("id", FORMULAS)
def test_formula_differs_from_what_is_printed_by_more_than_spaces(id):
    assert ALL[id].printed.replace(" ", "") != ALL[id].right.replace(" ", "")


def test_every_slip_has_its_reason_and_nothing_else_has_one():
    slips = {id for id, example in ALL.items() if example.verdict in ("erratum", "formula")}
    assert {id for id, example in ALL.items() if example.why} == slips
    assert all(len(ALL[id].why) < 140 and "\n" not in ALL[id].why for id in slips)


def test_every_row_with_a_number_or_a_formula_is_there():
    assert set(ROWS) - {example.row for example in ALL.values()} == set()


def test_id_row_source_and_lesson_belong_together():
    for example in ALL.values():
        assert example.id.startswith(example.row + "-")
        assert example.source == HANDLES[example.row[0]]
        assert 1 <= example.lesson <= 14


def test_known_slips_are_errata():
    slips = {example.row for example in ALL.values() if example.verdict in ("erratum", "formula")}
    assert {"A3", "A4", "A5", "A6", "S1", "S3", "S6", "L3", "L4", "B4", "B6"} <= slips


# --- load, sources, get ----------------------------------------------------------------------------------------------


def test_load_gives_a_dict_of_its_own():
    mine = examples.load()
    mine.clear()
    assert "B4-y1" in examples.load()


def test_sources_gives_a_dict_of_its_own():
    examples.sources()["part4"]["title"] = "mine"
    assert sorted(examples.sources()) == sorted(HANDLES.values())
    assert examples.sources()["part4"]["title"].startswith("Transformers (Part 4)")


def test_get_turns_fractions_into_numbers():
    assert examples.get("A3-weights").printed.tolist() == [1 / 6, 1 / 6, 1 / 2, 1 / 6]
    assert examples.get("A4-output").given["weights"].dtype == np.float64


def test_get_keeps_texts_and_numbers_of_given():
    assert examples.get("A7-E").given["letters"] == "AABA"
    assert examples.get("A1-strings").given["strings"] == ("AAAAAA", "ABAAAA", "ABAABA", "AAAABA")
    assert examples.get("A3-weights").given["base"] == 3


@pytest.mark.parametrize("field", ["printed", "right"])
def test_arrays_cannot_be_changed(field):
    array = getattr(examples.get("B4-y1"), field)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 7
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.setflags(write=True)


def test_given_cannot_be_changed():
    given = examples.get("B4-y1").given
    with pytest.raises(TypeError):
        given["X"] = 7
    with pytest.raises(ValueError, match="read-only"):
        given["X"][0, 0] = 7


def test_example_cannot_be_changed():
    with pytest.raises(AttributeError):
        examples.get("B4-y1").verdict = "match"


@pytest.mark.parametrize(
    ("id", "hint"),
    [
        ("B4-y2", "Close to it: B4-y2-y3."),
        ("b4-Y1", "Close to it: B4-y1-values, B4-y1."),
        ("A10", "Close to it: A10-shape."),
        ("A3-wieghts", "Close to it: A3-weights"),
        ("zzzzz", r"list\(examples.load\(\)\) shows them all."),
        ("", r"list\(examples.load\(\)\) shows them all."),
        (["B4-y1"], "Close to it: B4-y1."),
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
    first = examples.compute("B4-Q")
    first[:] = 7
    assert examples.compute(examples.get("B4-Q")).tolist() == THREE


@pytest.mark.parametrize("id", FORMULAS)
def test_compute_refuses_a_formula(id):
    with pytest.raises(ValueError, match=f"must hold numbers to compute, but {id} is about a formula"):
        examples.compute(id)


def test_compute_says_where_a_recipe_is_missing(monkeypatch):
    monkeypatch.delitem(examples.RECIPES, "B4-y1")
    with pytest.raises(ValueError, match=r"a row in RECIPES of helpers/examples\.py, but B4-y1 has none"):
        examples.compute("B4-y1")


# --- agrees ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "values", "expected"),
    [
        ("B4-weights-row-1", [0.4014999, 0.1975001, 0.401], True),  # inside half a unit of the third decimal
        ("B4-weights-row-1", [0.4015, 0.198, 0.401], True),  # on the edge, whatever the last bit of a float says
        ("B4-weights-row-1", [0.40151, 0.198, 0.401], False),
        ("B4-weights-row-1", [0.401, 0.198, 0.3999], False),
        ("A3-weights", [1 / 6 + 1e-15, 1 / 6, 1 / 2, 1 / 6], True),
        ("A3-weights", [1 / 6 + 1e-11, 1 / 6, 1 / 2, 1 / 6], False),  # fractions are exact
        ("A3-weights", [0.167, 0.167, 0.5, 0.167], False),
        ("A7-Q", [0, 1], False),  # would broadcast
        ("A7-Q", [[0, 1]], False),
        ("B8-additions-last", 3, True),
        ("B8-additions-last", [3], False),
        ("L3-scale", "sqrt(c)", True),
        ("L3-scale", "sqrt(e)", False),
    ],
)
def test_agrees_to_the_printed_precision(id, values, expected):
    assert examples.agrees(id, values) is expected
    assert examples.agrees(examples.get(id), values) is expected


def test_agrees_refuses_what_is_not_printed():
    with pytest.raises(ValueError, match="for A9-weights the notes print no number"):
        examples.agrees("A9-weights", [0, 0, 1, 0])


def test_agrees_refuses_nan():
    with pytest.raises(ValueError, match="values must not hold NaN"):
        examples.agrees("A4-output", [math.nan, 0.5])


# --- differs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", ON_THE_SHEETS)
def test_differs_and_agrees_tell_the_same(id):
    values = examples.compute(id)
    differs = examples.differs(id, values)
    assert differs.shape == ALL[id].printed.shape and differs.dtype == bool
    same_shape = values.shape == ALL[id].printed.shape
    assert examples.agrees(id, values) is bool(same_shape and not differs.any())


@pytest.mark.parametrize(
    ("id", "values", "expected"),
    [
        ("B4-y1", [0.802, 0.599], [True, False]),
        ("B4-y1", [1.2034, 0.5995], [False, False]),  # within half a unit of the third decimal
        ("A5-scores", [0, 0, 10, 0], [False, False, True, False]),
        ("B4-K-transposed", [[1, 0, 1], [0, 7, 1]], [[False] * 3, [False, True, False], [True] * 3]),
        ("B4-identity", [[1]], [[False, True], [True, True]]),
        ("B4-identity", [[1, 0, 5], [1, 1, 5], [5, 5, 5]], [[False, False], [False, False]]),
        ("B4-identity", [1, 0], [[True, True], [True, True]]),  # a vector has no row to compare with
        ("B8-additions-last", 3, False),
        ("B8-additions-last", 1, True),
    ],
)
def test_differs_marks_the_numbers_that_are_off(id, values, expected):
    assert examples.differs(id, values).tolist() == expected


@pytest.mark.parametrize("id", ["A9-weights", "L3-scale"])
def test_differs_refuses_what_has_no_numbers_printed(id):
    with pytest.raises(ValueError, match=f"^example must have numbers printed, but for {id} the notes print none"):
        examples.differs(id, [1])


def test_differs_refuses_nan():
    with pytest.raises(ValueError, match="values must not hold NaN"):
        examples.differs("A4-output", [math.nan, 0.5])


# --- a damaged file --------------------------------------------------------------------------------------------------

TEXT = examples.PATH.read_text(encoding="utf-8")


def read_instead(monkeypatch, folder, text):
    path = folder / "data" / "worked_examples.json"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(examples, "PATH", path)


def test_load_names_a_missing_file(monkeypatch, tmp_path):
    monkeypatch.setattr(examples, "PATH", tmp_path / "data" / "worked_examples.json")
    with pytest.raises(FileNotFoundError, match=r"^data/worked_examples\.json must be there, but it is missing"):
        examples.load()


@pytest.mark.parametrize("text", [TEXT[:5000], "", "\x00"])
def test_load_names_a_file_that_is_no_json(monkeypatch, tmp_path, text):
    read_instead(monkeypatch, tmp_path, text)
    with pytest.raises(ValueError, match=r"^data/worked_examples\.json must hold JSON, but it is damaged: .*line \d"):
        examples.load()


def change(place, **fields):
    return lambda data: data["examples"][place].update(fields)


DAMAGE = {  # what the message must say: the damage
    "must hold a list 'examples'": lambda data: data.pop("examples"),
    "must hold an object 'sources'": lambda data: data.update(sources=[]),
    r"example 1 must have exactly the fields id, .*unknown: \['why'\]": lambda data: data["examples"][0].pop("why"),
    r"example 2 must have exactly .*unknown: \['note'\]": change(1, note=""),
    "example 3 must have exactly .*unknown: 7": lambda data: data["examples"].__setitem__(2, 7),
    "example 2 must have an id of its own, got P1-mixture again": change(1, id="P1-mixture"),
    r"example 1 \(P1-mixture\) must have one of part4, .* as source, got 'part5'": change(0, source="part5"),
    r"example 1 \(P1-mixture\) must have one of match, .* as verdict, got 'fine'": change(0, verdict="fine"),
    r"example 1 \(P1-mixture\) must have int as lesson, got '3'": change(0, lesson="3"),
    r"example 1 \(P1-mixture\) must have int . None as decimals, got 1.5": change(0, decimals=1.5),
    r"\(P1-mixture\), right must hold numbers or fractions .* got \['1//2'": change(0, right=["1//2", 1]),
    r"\(P1-mixture\), right must hold numbers or fractions .* got \['1/0'": change(0, right=["1/0", 1]),
    r"\(P1-mixture\), right must hold .* in rows of one length": change(0, right=[[1, 2], [3]]),
    r"\(P1-mixture\), right must hold numbers or fractions": change(0, right=None),
    r"\(P1-mixture\), given weights must hold numbers": change(0, given={"weights": ["1/6", "B"]}),
    r"\(P1-mixture\) must have null as printed": change(0, printed=[1, 2]),
    r"\(P1-mixture\) must have null as printed if": change(0, verdict="erratum"),
    r"\(P1-mixture\) must have texts as printed and right": change(0, verdict="formula"),
    r"\(P1-mixture\), right must hold numbers or fractions .* got \[nan": change(0, right=[math.nan, 1]),
    r"\(P1-mixture\), right must hold numbers or fractions .* got \[inf": change(0, right=[math.inf, 1]),
}


@pytest.mark.parametrize("message", DAMAGE)
def test_load_says_what_is_wrong_with_an_entry(monkeypatch, tmp_path, message):
    data = json.loads(TEXT)
    DAMAGE[message](data)
    read_instead(monkeypatch, tmp_path, json.dumps(data))
    with pytest.raises(ValueError, match=r"^data/worked_examples\.json.*" + message):
        examples.load()


def test_undamaged_file_is_read_from_elsewhere(monkeypatch, tmp_path):
    read_instead(monkeypatch, tmp_path, TEXT)
    assert list(examples.load()) == list(ALL)
