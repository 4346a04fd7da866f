"""What the explorers of queries, keys and values must show, in plain loops; tests/test_explorers.py holds them beside it."""

import math

import numpy as np
import pytest

from helpers import explorers
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


def projections(tokens, swap, chosen, **entries):
    W_Q, W_K = ([[entries[f"W_{name}[{i}, {j}]"] for j in (1, 2)] for i in (1, 2)] for name in "QK")
    if swap:
        W_Q, W_K = W_K, W_Q
    X = LETTERS if tokens == STRING else THREE
    query, key = times(X, W_Q), times(X, W_K)
    scores = [[dot(q, k) for k in key] for q in query]
    weights = [powers_over_sum(row) for row in scores]
    return {
        **{"X": X, "W_Q": W_Q, "W_K": W_K, "query": query, "key": key, "scores": scores, "weights": weights},
        "output": [mix(row, X) for row in weights],
        "chosen": min(chosen, len(X)) - 1,
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


def projections_tables(shown, values):
    names = {"Q": "query", "K": "key", "Q Kᵀ": "scores", "weights": "weights", "output": "output"}
    return {caption: shown[name] for caption, name in names.items()}


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
    return [i + 1, *shown["query"][i], f"{max(weights):.0%}", *best]


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
    return [off_one(shown["weights"]), ("every output lies between the tokens", 0)]


def wrong_lights(shown, values):
    got, want = widths(shown)
    return [
        off_one(shown["weights"]),
        ("the output is as wide as W_V makes it", 0 if got == want else got),
        ("the output equals softmax(QKᵀ/√d_k) V", distance(shown) if got == want else None),
    ]


LIGHTS = {"explore_projections": projections_lights, "explore_wrong_projections": wrong_lights}

# --- known answers ---------------------------------------------------------------------------------------------------


def test_the_booster_sends_every_letter_to_the_b():
    explorer = explorers.explore_projections()
    driving.buttons(explorer)["booster"].click()
    np.testing.assert_array_equal(explorer.shown["scores"], [[0, 0, 4, 0]] * 4)
    np.testing.assert_allclose(explorer.shown["weights"][:, 2], math.e**4 / (math.e**4 + 3))


def test_one_row_turned_lets_every_letter_find_the_b():
    explorer = explorers.explore_projections()
    driving.point(explorer, "rows of W", 1.0, 0.0, kind="mousedown")  # the first row of W_Q
    driving.point(explorer, "rows of W", 0.0, 2.0, kind="mousemove")
    np.testing.assert_array_equal(explorer.shown["W_Q"], [[0, 2], [0, 1]])
    assert (explorer.shown["weights"].argmax(axis=1) == 2).all()


def test_swapping_transposes_the_scores_and_the_identity_hides_it():
    explorer = explorers.explore_projections()
    before = explorer.shown["scores"]
    explorer.set(W_query=[[0, 1], [2, 1]], swap=False)
    turned = explorer.shown["scores"]
    explorer.set(swap=True)
    np.testing.assert_array_equal(explorer.shown["scores"], turned.T)
    assert not np.array_equal(turned, turned.T) and np.array_equal(before, before.T)


def test_a_press_takes_the_nearest_tip():
    explorer = explorers.explore_projections()
    driving.point(explorer, "rows of W", 2.5, 0.5, kind="mousedown")
    np.testing.assert_array_equal(explorer.shown["W_K"], [[2.5, 0.5], [0, 2]])
    np.testing.assert_array_equal(explorer.shown["W_Q"], np.eye(2))


@pytest.mark.parametrize("name", ["query", "key", "scores", "weights", "output"])
def test_click_on_a_row_follows_its_token_as_the_slider_does(name):
    one, other = explorers.explore_projections(), explorers.explore_projections()
    for i in reversed(range(4)):
        driving.click(one, name, i, 0)
        other.controls["chosen"].value = i + 1
        assert one.html == other.html and one.shown["chosen"] == i


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
