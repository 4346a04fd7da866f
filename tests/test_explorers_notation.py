"""Rows and columns: both notations in plain loops; tests/test_explorers.py moves the explorers beside them."""

import math

import numpy as np
import pytest

from helpers import explorers
from helpers.explorers import notation
from helpers.sources import examples
from tests import driving

UNIT = [[1.0, 0.0], [0.0, 1.0]]
THREE = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
EXAMPLES = {  # X, W_Q, W_K, W_V, divisor, its words, decimals
    "three tokens": (THREE, UNIT, UNIT, UNIT, math.sqrt(2), " / √2", 3),
    "A A B A": (
        [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]],
        [[0.0, 1.0], [0.0, 1.0]],
        [[10.0, 0.0], [0.0, 10.0]],
        UNIT,
        1,
        "",
        4,
    ),
    "all sizes differ": (
        THREE,
        [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]],
        [[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 0.0, 0.0]],
        [[1.0], [3.0]],
        2,
        " / √4",
        3,
    ),
}


def times(a, b):
    assert len(a[0]) == len(b)
    return [[sum(row[k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for row in a]


def turned(a):
    return [list(column) for column in zip(*a)]


def shares(line):
    top = max(line)
    powers = [math.exp(x - top) for x in line]
    return [power / sum(powers) for power in powers]


def divided(a, number):
    return [[x / number for x in row] for row in a]


def by_rows(example):
    X, W_Q, W_K, W_V, divisor, _, _ = EXAMPLES[example]
    Q, K, V = times(X, W_Q), times(X, W_K), times(X, W_V)
    S = divided(times(Q, turned(K)), divisor)
    A = [shares(row) for row in S]
    return {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "Q": Q, "K": K, "V": V, "S": S, "A": A, "Y": times(A, V)}


def both(token_is, example, token):
    rows = by_rows(example)
    drawn = rows if token_is == "a row" else {name: turned(matrix) for name, matrix in rows.items()}
    roles = {"query": "Q", "key": "K", "value": "V", "scores": "S", "weights": "A", "output": "Y"}
    return {**drawn, **{role: rows[letter] for role, letter in roles.items()}}


def wrong(recipe, example):
    rows = by_rows(example)
    divisor = EXAMPLES[example][4]
    Q, K, V = (turned(rows[name]) for name in "QKV")
    first, second = {"Kᵀ Q": (turned(K), Q), "Q Kᵀ": (Q, turned(K)), "Qᵀ K": (turned(Q), K)}[recipe.split(",")[0]]
    scores = divided(times(first, second), divisor)
    A = [shares(row) for row in scores] if "row" in recipe else turned([shares(column) for column in turned(scores)])
    left, right = {"V A": (V, A), "A V": (A, V), "V Aᵀ": (V, turned(A))}[recipe.split(", ")[-1]]
    output = times(left, right) if len(left[0]) == len(right) else np.empty((0, 0))
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": A, "output": output, "right": turned(rows["Y"])}


REFERENCES = {"explore_notation": both, "explore_wrong_notation": wrong}


def size(matrix):
    return f"{len(matrix)}×{len(matrix[0])}"


def with_column_sums(rows):
    return [*rows, [sum(column) for column in zip(*rows)]]


def tables(shown, values):
    rows = values["token_is"] == "a row"
    drawn = {name: shown[name] for name in ("X", "Q", "K", "V", "S")}
    output = "Y" if rows else "H"
    shape = {name: size(shown[name]) for name in ("W_Q", "W_K", "W_V", *drawn)} | {
        "A": size(shown["A"]),
        output: size(shown["Y"]),
    }
    shape["Kᵀ"] = size(turned(shown["K"]))
    lines = [(("X", f"W_{x}") if rows else (f"W_{x}", "X"), x) for x in "QKV"]
    lines += [(("Q", "Kᵀ") if rows else ("Kᵀ", "Q"), "S"), (("S", None), "A")]
    lines += [(("A", "V") if rows else ("V", "A"), output)]
    ribbon = [[f"{name} {shape[name]}" if name else None for name in (*pair, result)] for pair, result in lines]
    ribbon[4][1] = "of each row" if rows else "of each column"
    return {**drawn, "A": shown["A"], output: shown["Y"], "shapes": ribbon}


def wrong_tables(shown, values):
    cells = {name: shown[name] for name in "QKV"}
    cells |= {"A": with_column_sums(shown["weights"]), "H, as it should be": shown["right"]}
    shape = {name: size(shown[name]) for name in "QKV"}
    shape |= {f"{name}ᵀ": size(turned(shown[name])) for name in "QK"}
    shape |= {"A": size(shown["weights"]), "S": size(shown["weights"]), "Aᵀ": size(turned(shown["weights"]))}
    first, _, last = values["recipe"].split(", ")
    cells["shapes"] = [[*(f"{name} {shape[name]}" for name in first.split()), f"S {shape['S']}"]]
    factors = [f"{name} {shape[name]}" for name in last.split()]
    if len(shown["output"]):
        cells["H"] = shown["output"]
        cells["shapes"].append([*factors, f"H {size(shown['output'])}"])
    else:
        cells["shapes"].append([*factors, f"✗ {len(shown['weights'][0])} and {len(shown['V'])} do not meet"])
    return cells


TABLES = {"explore_notation": tables, "explore_wrong_notation": wrong_tables}


def sentence(shown, values):
    token, output = values["token"], shown["Y"]
    return [token, token, *shown["weights"][token - 1], token, token, len(output), len(output[0])]


def largest_error(shown):
    return max(abs(a - b) for pair in zip(shown["output"], shown["right"]) for a, b in zip(*pair, strict=True))


def wrong_sentence(shown, values):
    weights, tokens = shown["weights"], len(shown["Q"][0])
    if not len(shown["output"]):
        return [len(weights), len(weights[0]), tokens, len(weights[0]), len(shown["V"])]
    return [len(weights), len(weights[0]), tokens, len(shown["output"]), tokens, largest_error(shown)]


SENTENCES = {"explore_notation": sentence, "explore_wrong_notation": wrong_sentence}
SAME = "the output is the same in both notations"


def wrong_lights(shown, values):
    pairs = None if values["recipe"].startswith("Q Kᵀ") else 0
    gap = max(abs(sum(column) - 1) for column in zip(*shown["weights"]))
    error = largest_error(shown) if len(shown["output"]) else None
    return [
        ("one weight for every pair of tokens", pairs),
        ("every column of A sums to 1", gap if gap > 1e-6 else 0),
        (SAME, error if error is None or error > 1e-6 else 0),
    ]


LIGHTS = {
    "explore_notation": lambda shown, values: [
        (f"every {values['token_is'].removeprefix('a ')} of A sums to 1", 0),
        (SAME, 0),
    ],
    "explore_wrong_notation": wrong_lights,
}


# --- known answers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "id"), [("three tokens", "three tokens: y1"), ("A A B A", "whole string: weights")])
def test_examples_of_the_explorer_are_those_of_the_notes(name, id):
    given, setting = examples.get(id).given, notation.SETTINGS[name]
    tokens = given["X"] if "X" in given else given["E"]
    assert np.array_equal(setting.X, tokens)
    assert np.array_equal(setting.W_query, given["W_query"]) and np.array_equal(setting.W_key, given["W_key"])


def test_columns_are_those_of_the_slides():
    explorer = explorers.explore_notation()
    explorer.controls["token_is"].value = "a column"
    np.testing.assert_allclose(explorer.shown["A"], examples.get("columns: weights").right, atol=1e-8)
    np.testing.assert_allclose(explorer.shown["Y"], examples.get("columns: output").right, atol=1e-8)


def test_switch_turns_every_matrix_and_back():
    explorer = explorers.explore_notation()
    explorer.controls["example"].value = "all sizes differ"
    rows, picture = explorer.shown, explorer.html
    explorer.controls["token_is"].value = "a column"
    for letter in ("X", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "A", "Y"):
        np.testing.assert_allclose(explorer.shown[letter], rows[letter].T)
    explorer.controls["token_is"].value = "a row"
    assert explorer.html == picture


def test_followed_token_is_marked_as_row_or_as_column():
    explorer = explorers.explore_notation()
    assert explorer.html.count("▸ 3") == 7 and "▾" not in explorer.html  # in X, Q, K, V, S, A and Y
    explorer.controls["token_is"].value = "a column"
    assert "▸" not in explorer.html and explorer.html.count("▾ 3") == 7


def test_wrong_notation_lays_the_two_outputs_one_under_the_other_behind_the_weights():
    explorer = explorers.explore_wrong_notation()
    captions = [table.caption for table in driving.tables(explorer.html)]
    assert captions == ["Q", "K", "V", "shapes", "A", "H", "H, as it should be"]


@pytest.mark.parametrize("example", list(EXAMPLES))
@pytest.mark.parametrize("formula", list(notation._FORMULAS))
def test_wrong_notation_names_tokens_wherever_tokens_stand(formula, example):
    explorer = explorers.explore_wrong_notation()
    explorer.set(recipe=formula, example=example)
    found = {table.caption: table for table in driving.tables(explorer.html)}
    tokens = list("AABA") if example == "A A B A" else ["1", "2", "3"]
    assert all(found[name].heads == tokens for name in found if name[0] in "QKVH")
    corner = {"Kᵀ Q": "key ↓ query →", "Qᵀ K": "query ↓ key →", "Q Kᵀ": ""}[formula.split(",")[0]]
    features = [str(k + 1) for k in range(len(explorer.shown["Q"]))]
    assert found["A"].corner == corner and found["A"].heads == (tokens if corner else features)


def test_symmetric_scores_hide_who_asks():
    explorer = explorers.explore_wrong_notation()
    explorer.controls["recipe"].value = "Qᵀ K, each column, V A"
    assert not all(holds for holds, _ in driving.lights(explorer.html))
    explorer.controls["example"].value = "three tokens"
    assert all(holds for holds, _ in driving.lights(explorer.html))


@pytest.mark.parametrize("example", list(EXAMPLES))
@pytest.mark.parametrize("name", ["X", "Q", "K", "V", "S", "A", "Y"])
def test_click_on_a_matrix_turns_it_over_as_the_switch_does(name, example):
    one, other = explorers.explore_notation(), explorers.explore_notation()
    for explorer in (one, other):
        explorer.controls["example"].value = example
    for token_is in ("a column", "a row"):
        rows, columns = one.shown[name].shape
        driving.click(one, name, rows - 1, columns - 1)
        other.controls["token_is"].value = token_is
        assert one.html == other.html and one.shown[name].shape == (columns, rows)
