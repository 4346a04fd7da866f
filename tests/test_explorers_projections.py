"""What the explorers of queries, keys and values must show, in plain loops; tests/test_explorers.py holds them beside it."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from helpers import explorers
from helpers.explorers.projections import _Arrows
from tests import driving
from tests.references import dot, mix, off_one, powers_over_sum, with_sums

LETTERS = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
THREE = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
STRING = "A A B A"


def times(rows, matrix, bias=None):
    columns = list(zip(*matrix, strict=True))
    bias = bias or [0.0] * len(columns)
    return [[dot(row, column) + b for column, b in zip(columns, bias, strict=True)] for row in rows]


def transposed(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def projections(tokens, d_k, d_v, biases, swap, scaled, thirds, chosen, **entries):
    def matrix(name, width, rows=(1, 2)):
        return [[entries[f"{name}[{i}, {j}]"] for j in range(1, width + 1)] for i in rows]

    def bias(name, width):
        return matrix(name, width, rows=[1])[0] if biases else [0.0] * width

    X = LETTERS if tokens == STRING else THREE
    asks, offers = (matrix("W_Q", d_k), bias("b_Q", d_k)), (matrix("W_K", d_k), bias("b_K", d_k))
    if swap:
        asks, offers = offers, asks
    hands = matrix("W_V", d_v), bias("b_V", d_v)
    query, key, value = times(X, *asks), times(X, *offers), times(X, *hands)
    in_use = {f"W_{name}": pair[0] for name, pair in zip("QKV", (asks, offers, hands))}
    in_use |= {f"b_{name}": [pair[1]] for name, pair in zip("QKV", (asks, offers, hands))}
    dots = [[dot(q, k) for k in key] for q in query]
    scores = [[x / math.sqrt(d_k) for x in row] for row in dots] if scaled else dots
    weights = [powers_over_sum(row, 3.0 if thirds else math.e) for row in scores]
    return {
        "X": X,
        **in_use,
        "query": query,
        "key": key,
        "dot_products": dots,
        "scores": scores,
        "weights": weights,
        "value": value,
        "output": [mix(row, value) for row in weights],
        "one_matrix": [[dot(q, k) for k in offers[0]] for q in asks[0]],
        "chosen": chosen - 1,
    }


COMPANION = (
    [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]],
    [[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 0.0, 0.0]],
    [[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]],
)
IDENTITY = ([[1.0, 0.0], [0.0, 1.0]],) * 3


def wrong_projections(recipe, example):
    X = THREE
    query, key, value = (times(X, matrix) for matrix in (COMPANION if example == "companion" else IDENTITY))
    scores = [[dot(q, k) / math.sqrt(len(query[0])) for k in key] for q in query]
    right = [powers_over_sum(row) for row in scores]
    weights, mixed = {
        "as it should be": (right, value),
        "Q and K swapped": ([powers_over_sum(row) for row in transposed(scores)], value),
        "W_V forgotten": (right, X),
        "W_K used for the values": (right, key),
        "divided by √d_model": (
            [powers_over_sum([dot(q, k) / math.sqrt(2) for k in key]) for q in query],
            value,
        ),
        "nothing projected": ([powers_over_sum([dot(a, b) / math.sqrt(2) for b in X]) for a in X], X),
        "softmax down the columns": (transposed([powers_over_sum(column) for column in transposed(scores)]), value),
    }[recipe]
    scores = {
        "Q and K swapped": transposed(scores),
        "divided by √d_model": [[x * math.sqrt(len(query[0]) / 2) for x in row] for row in scores],
        "nothing projected": [[dot(a, b) / math.sqrt(2) for b in X] for a in X],
    }.get(recipe, scores)
    output, right_output = ([mix(row, rows) for row in shares] for shares, rows in ((weights, mixed), (right, value)))
    return {"scores": scores, "weights": weights, "output": output, "right_output": right_output}


REFERENCES = {"explore_projections": projections, "explore_wrong_projections": wrong_projections}


def words(rows, thirds):
    """Fractions stand as such while the base is 3."""

    def word(x):
        near = Fraction(x).limit_denominator(99)
        return str(near) if thirds and abs(near - Fraction(x)) < 1e-9 else x

    return [[word(x) for x in row] for row in rows]


def projections_tables(shown, values):
    views = {
        name if values["biases"] else f"{name} = X W_{name}": shown[view]
        for name, view in (("Q", "query"), ("K", "key"), ("V", "value"))
    }
    letters = "Wb" if values["biases"] else "W"
    return {
        "X": shown["X"],
        **{f"{letter}_{name}": shown[f"{letter}_{name}"] for letter in letters for name in "QKV"},
        **views,
        "Q Kᵀ / √d_k" if values["scaled"] else "Q Kᵀ": shown["scores"],
        "weights": words(shown["weights"], values["thirds"]),
        "output": words(shown["output"], values["thirds"]),
    }


TABLES = {
    "explore_projections": projections_tables,
    "explore_wrong_projections": lambda shown, values: {
        "weights": with_sums(shown["weights"]),
        "output": shown["output"],
        "right output": shown["right_output"],
    },
}


def projections_sentence(shown, values):
    i = shown["chosen"]
    weights = shown["weights"][i]
    best = [j + 1 for j, weight in enumerate(weights) if weight > max(weights) - 1e-9]
    return [i + 1, *shown["query"][i], f"{100 * max(weights):.3f}%", *best, *shown["output"][i]]


def widths(shown):
    return len(shown["output"][0]), len(shown["right_output"][0])


def distance(shown):
    rows = zip(shown["output"], shown["right_output"], strict=True)
    gap = max(abs(a - b) for pair in rows for a, b in zip(*pair, strict=True))
    return gap if gap > 1e-9 else 0


SENTENCES = {
    "explore_projections": projections_sentence,
    "explore_wrong_projections": lambda shown, values: (
        [distance(shown)] if len(set(widths(shown))) == 1 else list(widths(shown))
    ),
}


def projections_lights(shown, values):
    one = [("one matrix W_Q W_Kᵀ gives the same dot products", 0)]
    between = ("every output lies between the values", 0)
    return [off_one(shown["weights"]), between, *([] if values["biases"] else one)]


def wrong_lights(shown, values):
    got, want = widths(shown)
    return [
        off_one(shown["weights"]),
        ("the output is as wide as W_V makes it", 0 if got == want else got),
        ("the output equals softmax(QKᵀ/√d_k) V", distance(shown) if got == want else None),
    ]


LIGHTS = {"explore_projections": projections_lights, "explore_wrong_projections": wrong_lights}

# --- known answers ---------------------------------------------------------------------------------------------------


@pytest.fixture
def explorer():
    return explorers.explore_projections()


def press(explorer, name):
    driving.buttons(explorer)[name].click()
    return explorer.shown


def test_explore_projections_starts_with_the_booster_of_the_notes(explorer):
    shown = explorer.shown
    np.testing.assert_array_equal(shown["query"], [[0, 1]] * 4)
    np.testing.assert_array_equal(shown["key"], [[10, 0], [10, 0], [0, 10], [10, 0]])
    np.testing.assert_array_equal(shown["scores"], [[0, 0, 10, 0]] * 4)
    np.testing.assert_allclose(shown["output"], [[0.00013618, 0.99986382]] * 4, atol=1e-8)


def test_identity_preset_gives_lesson_04(explorer):
    output = press(explorer, "identity")["output"]
    np.testing.assert_allclose(output, [[0.802, 0.599], [0.599, 0.802], [0.752, 0.752]], atol=5e-4)


def test_each_of_several_largest_weights_is_told_as_such(explorer):
    press(explorer, "identity")
    assert ", gives its largest weight, 40.111% each, to tokens 1 and 3, and" in explorer.text
    explorer.controls["chosen"].value = 3
    assert ", gives its largest weight, 50.349%, to token 3, and" in explorer.text


def test_companion_preset_gives_its_fractions_and_base_e_beside(explorer):
    shown = press(explorer, "companion")
    np.testing.assert_array_equal(shown["dot_products"], [[0, 2, 2], [4, 0, 4], [4, 2, 6]])
    sevenths, nineteenths, thirteenths = [1, 3, 3], [9, 1, 9], [3, 1, 9]
    want = [np.divide(sevenths, 7), np.divide(nineteenths, 19), np.divide(thirteenths, 13)]
    np.testing.assert_allclose(shown["weights"], want, atol=1e-12)
    want = [np.divide([4, 18, 14], 7), np.divide([18, 30, 46], 19), np.divide([12, 30, 34], 13)]
    np.testing.assert_allclose(shown["output"], want, atol=1e-12)
    explorer.controls["thirds"].value = False
    want = [[0.5777, 2.5339, 2], [0.9366, 1.5951, 2.4049], [0.9100, 2.2658, 2.5752]]
    np.testing.assert_allclose(explorer.shown["output"], want, atol=5e-5)


@pytest.mark.parametrize("preset", ["A/B booster", "identity", "companion", "companion, biases"])
def test_swapping_transposes_the_dot_products(explorer, preset):
    before = press(explorer, preset)["dot_products"]
    explorer.controls["swap"].value = True
    np.testing.assert_array_equal(explorer.shown["dot_products"], before.T)


def test_key_bias_moves_scores_and_no_weight(explorer):
    before = press(explorer, "companion, biases")
    explorer.controls["b_K[1, 2]"].value = -3
    assert not np.allclose(explorer.shown["scores"], before["scores"])
    np.testing.assert_allclose(explorer.shown["weights"], before["weights"])


def test_fields_beyond_the_widths_and_biases_that_are_off_are_not_in_play(explorer):
    assert "W_Q[1, 3]" not in explorer.controls and "b_Q[1, 1]" not in explorer.controls
    explorer.controls["d_k"].value = 3
    assert {"W_Q[1, 3]", "W_K[2, 3]"} <= set(explorer.controls) and "W_Q[1, 4]" not in explorer.controls
    explorer.controls["biases"].value = True
    assert {"b_Q[1, 3]", "b_K[1, 3]", "b_V[1, 2]"} <= set(explorer.controls)
    assert not {"b_Q[1, 4]", "b_V[1, 3]"} & set(explorer.controls)
    explorer.controls["biases"].value = False
    assert not [name for name in explorer.controls if name.startswith("b_")]


def test_identity_hides_five_mistakes_and_the_companion_none():
    explorer = explorers.explore_wrong_projections()
    mistakes = driving.choices(explorer.controls["recipe"])[1:]
    dark = {}
    for example in ("identity", "companion"):
        explorer.controls["example"].value = example
        for mistake in mistakes:
            explorer.controls["recipe"].value = mistake
            dark[mistake, example] = not all(holds for holds, _ in driving.lights(explorer.html))
    assert [m for m in mistakes if not dark[m, "companion"]] == []
    assert [m for m in mistakes if dark[m, "identity"]] == ["softmax down the columns"]


# --- touch -----------------------------------------------------------------------------------------------------------

PLACES = ["X", "query", "key", "value", "scores", "weights", "output"]


@pytest.mark.parametrize("preset", ["A/B booster", "companion, biases"])
@pytest.mark.parametrize("name", PLACES)
def test_click_on_a_row_follows_its_token_as_the_slider_does(preset, name):
    one, other = explorers.explore_projections(), explorers.explore_projections()
    for explorer in (one, other):
        press(explorer, preset)
    for i in reversed(range(len(one.shown["X"]))):
        driving.click(one, name, i, 0)
        other.controls["chosen"].value = i + 1
        assert one.html == other.html and one.shown["chosen"] == i


@pytest.mark.parametrize("swap", [False, True])
def test_click_on_an_entry_of_a_matrix_changes_its_own_field(swap):
    one, other = explorers.explore_projections(), explorers.explore_projections()
    for explorer in (one, other):
        explorer.set(tokens="lesson 04's three", d_k=3, biases=True, swap=swap)
    field = {"W_Q": "W_K", "W_K": "W_Q", "b_Q": "b_K", "b_K": "b_Q"} if swap else {}
    for name in ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"):
        for i, j in np.ndindex(one.shown[name].shape):
            before = one.shown[name][i, j]
            following = {0: 1, 1: 2, 2: -1, -1: 0}.get(before, 0)
            assert driving.titles(one)[name, (i, j)] == f"{name} [{i + 1}, {j + 1}], a click makes it {following}"
            driving.click(one, name, i, j)
            other.controls[f"{field.get(name, name)}[{i + 1}, {j + 1}]"].value = following
            assert one.html == other.html and one.shown[name][i, j] == following


@pytest.mark.parametrize("preset", ["A/B booster", "identity", "companion", "companion, biases"])
def test_every_number_says_the_sum_that_makes_it(preset):
    explorer = explorers.explore_projections()
    press(explorer, preset)
    for click in range(4):
        driving.click(explorer, "W_V", click % 2, 0)
        driving.click(explorer, "W_Q", click % 2, 1)
        shown, said = explorer.shown, driving.titles(explorer)
        for view in ("query", "key", "value"):
            for i, j in np.ndindex(shown[view].shape):
                left, right = said[view, (i, j)].split(", follow")[0].split(" = ")[1:]
                sides = [eval(side.replace("·", "*")) for side in (left, right)]
                assert sides == pytest.approx([shown[view][i, j]] * 2, abs=2e-3), said[view, (i, j)]
        for name in ("scores", "weights", "output"):
            for i, j in np.ndindex(shown[name].shape):
                sides = said[name, (i, j)].split(", follow")[0].split(" = ")[-2:]
                names = {"e": math.e}
                made = [
                    eval(re.sub(r"√(\d)", r"(\1**.5)", side).replace("·", "*").replace("^", "**"), names)
                    for side in sides
                ]
                assert made == pytest.approx([shown[name][i, j]] * 2, rel=2e-2, abs=2e-2), said[name, (i, j)]


def test_queries_and_keys_stand_as_arrows_while_they_have_two_numbers():
    explorer = explorers.explore_projections()
    assert (
        "Queries as arrows, [0.0, 1.0] [0.0, 1.0] [0.0, 1.0] [0.0, 1.0], and keys as arrows, [10.0, 0.0]"
        in explorer._picture_text
    )
    assert explorer.html.count("<img") == 1
    explorer.controls["d_k"].value = 3
    assert "<img" not in explorer.html and "arrows" not in explorer._picture_text


def test_each_arrow_points_where_its_query_or_key_does():
    arrows = _Arrows()
    query, key = np.array([[3.0, 4.0], [0.0, -1.0]]), np.zeros((2, 2))
    arrows._update({"queries": query, "keys": key, "names": ["1", "2"], "chosen": 0})
    shown = arrows._arrows[0]
    drawn = np.stack([shown.U, shown.V], axis=1)[~shown.Umask]
    np.testing.assert_allclose(drawn, [query[1] / 5, query[0] / 5])  # the followed one comes last
    assert [label.get_text() for label in arrows._names[1][:2]] == ["1 2", ""]
