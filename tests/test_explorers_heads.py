"""What the explorers of several heads must show, in plain loops; tests/test_explorers.py holds them beside it."""

import math

import numpy as np

from helpers import explorers
from tests import driving
from tests.references import dot, mix, powers_over_sum

MIX = [[0.5, 0.5, 0.5, 0.5], [0.5, -0.5, 0.5, -0.5], [0.5, 0.5, -0.5, -0.5], [0.5, -0.5, -0.5, 0.5]]


def part(row, head, num_heads):
    """The columns of one head."""
    width = len(row) // num_heads
    return row[head * width : (head + 1) * width]


def binding(num_heads, strength):
    sides = [[1, 0], [0, 0], [0, 1], [0, 0], [0, 0]]
    weights, output = [], []
    for names in ([[1, 0], [0, 0], [0, 1], [0, 0], [0, 0]], [[0, 1], [0, 0], [1, 0], [0, 0], [0, 0]]):
        asked = [[0, 1]] if num_heads == 1 else [[0], [1]]  # which of the two questions a head asks
        rows = [powers_over_sum([strength * sum(side[k] for k in ask) for side in sides]) for ask in asked]
        weights.append(rows)
        output.append([mix(row, names) for row in rows])
    return {"weights": weights, "output": output}


def heads(num_heads, mixing, head=1, **entries):  # with one head there is none to choose
    X = [[entries[f"X[{i}, {j}]"] for j in (1, 2, 3, 4)] for i in (1, 2, 3)]
    W_Q = [[entries[f"W_Q[{i}, {j}]"] for j in (1, 2, 3, 4)] for i in (1, 2, 3, 4)]
    queries = [mix(row, W_Q) for row in X]
    W_O = {
        "mix the heads": MIX,
        "identity": [[float(i == j) for j in range(4)] for i in range(4)],
        "first half only": [[float(i == j < 2) for j in range(4)] for i in range(4)],
    }[mixing]
    width = 4 // num_heads
    scores, weights, side_by_side = [], [], [[], [], []]
    for h in range(num_heads):
        tokens = [part(row, h, num_heads) for row in X]
        asking = [part(row, h, num_heads) for row in queries]
        scores.append([[dot(asks, asked) / math.sqrt(width) for asked in tokens] for asks in asking])
        weights.append([powers_over_sum(line) for line in scores[-1]])
        for i in range(3):
            side_by_side[i] += mix(weights[-1][i], tokens)
    reach = [
        [sum(abs(W_O[i][j]) for i in range(h * width, (h + 1) * width)) for j in range(4)] for h in range(num_heads)
    ]
    return {
        **{name: X for name in ("X", "key", "value")},
        "W_Q": W_Q,
        "query": queries,
        "scores": scores,
        "weights": weights,
        "heads": side_by_side,
        "W_O": W_O,
        "output": [mix(row, W_O) for row in side_by_side],
        "reach": reach,
    }


def wrong_reshape(recipe, num_tokens, num_heads, d_head):
    width = num_heads * d_head
    x = [[i * width + j + 1 for j in range(width)] for i in range(num_tokens)]
    cut = [[part(row, h, num_heads) for row in x] for h in range(num_heads)]
    if recipe == "reshape straight to the shape":
        numbers = iter(range(1, num_tokens * width + 1))
        cut = [[[next(numbers) for _ in range(d_head)] for _ in range(num_tokens)] for _ in range(num_heads)]
    owner = [[[(number - 1) // width + 1 for number in row] for row in head] for head in cut]
    return {"x": x, "heads": cut, "again": x, "owner": owner}


REFERENCES = {"explore_binding": binding, "explore_heads": heads, "explore_wrong_reshape": wrong_reshape}


def followed(values):
    return values.get("head", 1)


def heads_tables(shown, values):
    weights = {
        f"{'▸ ' if h == followed(values) else ''}weights, head {h}": shown["weights"][h - 1]
        for h in range(1, values["num_heads"] + 1)
    }
    named = {
        "X = K = V": "X",
        "W_Q": "W_Q",
        "Q = X W_Q": "query",
        "heads, side by side": "heads",
        "W_O": "W_O",
        "output": "output",
    }
    return {
        **weights,
        **{caption: shown[name] for caption, name in named.items()},
    }


def wrong_reshape_tables(shown, values):
    cut = {f"head {h + 1}": head for h, head in enumerate(shown["heads"])}
    return {"x, a shade for each token": shown["x"], **cut}


TABLES = {
    "explore_binding": lambda shown, values: {},
    "explore_heads": heads_tables,
    "explore_wrong_reshape": wrong_reshape_tables,
}


def heads_sentence(shown, values):
    head, width = followed(values), 4 // values["num_heads"]
    reached = sum(x > 0 for x in shown["reach"][head - 1])
    columns = range((head - 1) * width, head * width)
    heard = [i + 1 for i in range(4) if any(shown["W_Q"][i][j] for j in columns)]
    return [head, values["num_heads"], width, *heard, width, math.sqrt(width), reached, 4]


def strangers(shown):
    return sum(x != i + 1 for head in shown["owner"] for i, row in enumerate(head) for x in row)


def wrong_reshape_sentence(shown, values):
    first = [x for row in shown["heads"][0] for x in row]
    return [1, *first, strangers(shown), len(shown["x"]) * len(shown["x"][0])]


SENTENCES = {
    "explore_binding": lambda shown, values: [x for output in shown["output"] for row in output for x in row],
    "explore_heads": heads_sentence,
    "explore_wrong_reshape": wrong_reshape_sentence,
}


def binding_lights(shown, values):
    gap = max(abs(x - y) for one, two in zip(*shown["output"], strict=True) for x, y in zip(one, two, strict=True))
    return [("the two sentences give different outputs", 0 if gap > 1e-9 else None)]


LIGHTS = {
    "explore_binding": binding_lights,
    "explore_heads": lambda shown, values: [
        ("every row sums to 1", 0),
        ("every output feature hears from every head", sum(x == 0 for row in shown["reach"] for x in row)),
    ],
    "explore_wrong_reshape": lambda shown, values: [
        ("the shape is (heads, tokens, width of a head)", 0),
        ("cut and put together again, nothing has changed", 0),
        ("row i of every head comes from token i", strangers(shown)),
    ],
}

# --- known answers ---------------------------------------------------------------------------------------------------


def test_one_average_forgets_who_was_which_and_two_heads_remember():
    explorer = explorers.explore_binding()
    explorer.set(strength=10)
    one, other = explorer.shown["output"]
    np.testing.assert_allclose([one[0], other[0]], 0.5, atol=1e-4)
    assert "✗ the two sentences" in explorer.html
    explorer.set(num_heads=2)
    gave, got = explorer.shown["output"].reshape(2, 4).round(2).tolist()
    assert (gave, got) == ([1, 0, 0, 1], [0, 1, 1, 0]) and "✗" not in explorer.html


def test_first_of_two_heads_has_the_weights_of_lesson_04():
    weights = explorers.explore_heads().shown["weights"][0]
    np.testing.assert_allclose(
        weights, [[0.401, 0.198, 0.401], [0.198, 0.401, 0.401], [0.248, 0.248, 0.503]], atol=5e-4
    )


def test_a_head_hears_every_feature_that_its_column_of_W_Q_takes():
    explorer = explorers.explore_heads()
    first, second = explorer.shown["weights"]
    assert "made of features 1, 2 of each token" in explorer.text
    driving.click(explorer, "W_Q", 3, 0)
    assert explorer.shown["W_Q"][3, 0] == 1 and "made of features 1, 2, 4 of each token" in explorer.text
    assert np.abs(explorer.shown["weights"][0] - first).max() > 0.1
    np.testing.assert_array_equal(explorer.shown["weights"][1], second)
    driving.buttons(explorer)["W_Q: mix"].click()
    assert "made of features 1, 2, 3, 4 of each token" in explorer.text
    driving.click(explorer, "heads", 1, 3)
    assert explorer.values["head"] == 2 and explorer.text.startswith("Head 2 of 2")
    assert driving.titles(explorer)["query", (0, 0)].startswith("query [1, 1] = 1·1 + 0·1 + 2·1 + 0·1 = 3")


def test_numbers_of_explore_heads_say_how_they_are_made():
    explorer = explorers.explore_heads()
    said = driving.titles(explorer)["heads", (0, 2)]
    assert said.startswith("head 2, weights of token 1 by column 3 of V: 0.77·2 + 0.05·0 + 0.19·1 = 1.72")


def test_every_number_of_a_wrong_cut_says_from_which_token_it_comes():
    explorer = explorers.explore_wrong_reshape()
    explorer.set(recipe="reshape straight to the shape")
    titles = driving.titles(explorer)
    assert [titles["head_1", (i, 0)] for i in range(3)] == ["from token 1", "from token 1", "from token 2"]


def test_head_to_follow_is_there_where_there_is_a_choice_and_is_the_one_that_the_sentence_names():
    explorer = explorers.explore_heads()
    for num_heads, head in [(4, 4), (2, 2), (1, None), (4, 2), (1, None), (2, 1)]:
        explorer.controls["num_heads"].value = num_heads
        assert ("head" in explorer.controls) == (num_heads > 1)
        if head:
            assert explorer.controls["head"].max == num_heads
            explorer.controls["head"].value = head
        assert explorer.text.startswith(f"Head {head or 1} of {num_heads} ")


def test_straight_reshape_passes_shape_and_round_trip_and_only_the_rows_notice():
    explorer = explorers.explore_wrong_reshape()
    explorer.set(recipe="reshape, then swap the axes")
    assert explorer.shown["heads"][0].ravel().tolist() == [1, 3, 5] and "✗" not in explorer.html
    explorer.set(recipe="reshape straight to the shape")
    assert explorer.shown["heads"][0].ravel().tolist() == [1, 2, 3]
    assert explorer.html.count("✓") == 2 and "✗ row i of every head comes from token i" in explorer.html


def test_what_queries_are_made_of_is_told_of_one_feature_and_of_none():
    explorer = explorers.explore_heads()
    explorer.set(num_heads=4)
    assert "Its queries are made of feature 1 of each token, its" in explorer.text
    W_Q = explorer.shown["W_Q"]
    W_Q[:, 0] = 0
    explorer.set(W_Q=W_Q)
    assert "Its queries are all 0, its" in explorer.text
