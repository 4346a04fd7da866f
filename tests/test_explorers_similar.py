"""What the explorers of similar tokens must show, in plain loops; tests/test_explorers.py holds them beside it."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from helpers import explorers
from helpers.explorers import similar

DATA = json.loads((Path(__file__).parents[1] / "data" / "she_sentences.json").read_text(encoding="utf-8"))
PLACES = {"Sarah": [1.6, 1.5], "cat": [1.5, -1.0], "park": [-1.2, -1.5], "watch": [-1.6, 0.8], "She": [1.0, 0.6]}


def dot(first, second):
    return sum(a * b for a, b in zip(first, second, strict=True))


def mix(weights, rows):
    return [sum(weight * row[k] for weight, row in zip(weights, rows, strict=True)) for k in range(len(rows[0]))]


def softmax(scores, temperature=1.0):
    """Weights at any temperature, its limits 0 and infinity included, by a rule of their own each."""
    if temperature == 0:
        best = [score > max(scores) - 1e-9 for score in scores]
        return [flag / sum(best) for flag in best]
    powers = [1.0 if temperature == math.inf else math.exp((score - max(scores)) / temperature) for score in scores]
    return [power / sum(powers) for power in powers]


# --- words -----------------------------------------------------------------------------------------------------------


def tokens(swapped):
    names = {"Sarah": "Alex", "Alex": "Sarah"} if swapped else {}
    return [names.get(token, token) for sentence in DATA["sentences"] for token in sentence]


def similar_words(asks, swapped, **entries):
    table = {
        word: [entries[f"features[{i}, {j}]"] for j in range(1, 6)] for i, word in enumerate(DATA["table"], start=1)
    }
    X = [table.get(token, [0.0] * 5) for token in tokens(swapped)]
    scores = [dot(row, X[asks]) for row in X]
    weights = softmax(scores)
    return {"X": X, "query": X[asks], "scores": scores, "weights": weights, "output": mix(weights, X)}


def similar_words_tables(shown, values):
    scores, weights = shown["scores"], shown["weights"]
    return {
        "one row of 20 weights: sentence 1": [[*scores[:12], ""], [*weights[:12], sum(weights[:12])]],
        "the same row: sentence 2": [[*scores[12:], ""], [*weights[12:], 1.0]],
        "before and after": [shown["query"], shown["output"]],
    }


def percent(x):
    return f"{100 * x:.1f}%"


def similar_words_sentence(shown, values):
    names, weights = tokens(values["swapped"]), shown["weights"]
    if max(shown["scores"]) == min(shown["scores"]):
        return [percent(weights[0])]
    candidates = [percent(weights[names.index(name)]) for name in ("Sarah", "Alex", "cat")]
    return [percent(max(weights)), *candidates]


# --- the plane -------------------------------------------------------------------------------------------------------


def place(x, y):
    return [*(PLACES[name] for name in ("Sarah", "cat", "park", "watch")), [x, y]]


def hull(asks, x, y, heat):
    X = place(x, y)
    query = X[list(PLACES).index(asks)]
    scores = [dot(row, query) for row in X]
    weights = softmax(scores, math.inf if heat == 1 else heat / (1 - heat))
    heats = [k / 40 for k in range(41)]
    path = [mix(softmax(scores, math.inf if h == 1 else h / (1 - h)), X) for h in heats]
    return {"X": X, "query": query, "scores": scores, "weights": weights, "output": mix(weights, X), "path": path}


def wrong_mixture(recipe, asks):
    X = [[a / 2, b / 2] for a, b in place(1.0, 0.6)]
    query = X[list(PLACES).index(asks)]
    scores = [dot(row, query) for row in X]
    weights = {
        "softmax": softmax(scores),
        "powers of e, not divided by their sum": [math.exp(score) for score in scores],
        "scores, divided by their sum": [score / sum(scores) for score in scores],
    }[recipe]
    return {"X": X, "query": query, "scores": scores, "weights": weights, "output": mix(weights, X)}


def plane_tables(shown, values):
    return {"score": [[x] for x in shown["scores"]], "weight": [[x] for x in shown["weights"]]}


def hull_sentence(shown, values):
    largest = max(shown["weights"])
    if min(shown["weights"]) > largest - 1e-9 or largest > 1 - 1e-9:
        return shown["output"]
    return [percent(largest), *shown["output"]]


def in_triangle(point, a, b, c):
    """Whether a point lies in a triangle, by its three areas."""

    def area(p, q, r):
        return abs((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return 1e-9 < area(a, b, c) >= area(point, a, b) + area(point, b, c) + area(point, c, a) - 1e-9


def to_segment(point, a, b):
    """How far a point is from a segment, by the foot of the plumb line."""
    length = math.dist(a, b)
    if length == 0:
        return math.dist(point, a)
    foot = min(max(dot([p - q for p, q in zip(point, a)], [p - q for p, q in zip(b, a)]) / length**2, 0), 1)
    return math.dist(point, [p + foot * (q - p) for p, q in zip(a, b, strict=True)])


def outside(point, X):
    """A point of the hull lies in a triangle of three of the points; any other has a nearest segment between two."""
    if any(in_triangle(point, *corners) for corners in itertools.combinations(X, 3)):
        return 0
    return min(to_segment(point, a, b) for a, b in itertools.combinations(X, 2))


def mixture_lights(shown, values):
    total = sum(shown["weights"])
    return [
        ("no weight is negative", min(0, *shown["weights"])),
        ("the weights sum to 1", 0 if abs(total - 1) < 1e-9 else total),
        ("the output lies in the convex hull of the tokens", outside(shown["output"], shown["X"])),
    ]


REFERENCES = {
    "explore_similar_words": similar_words,
    "explore_hull": hull,
    "explore_wrong_mixture": wrong_mixture,
}
TABLES = {
    "explore_similar_words": similar_words_tables,
    "explore_hull": plane_tables,
    "explore_wrong_mixture": plane_tables,
}
SENTENCES = {
    "explore_similar_words": similar_words_sentence,
    "explore_hull": hull_sentence,
    "explore_wrong_mixture": lambda shown, values: [sum(shown["weights"]), min(shown["weights"]), *shown["output"]],
}
LIGHTS = {
    "explore_similar_words": lambda shown, values: [("the whole row, both sentences together, sums to 1", 0)],
    "explore_hull": mixture_lights,
    "explore_wrong_mixture": mixture_lights,
}

# --- known answers ---------------------------------------------------------------------------------------------------


def test_she_looks_at_sarah_before_alex_before_the_cat():
    explorer = explorers.explore_similar_words()
    total = 3 * math.e**3 + math.e**2 + 3 * math.e + 13  # scores 3, 3, 3, then 2, then 1, 1, 1, and 13 times 0
    want = {"Sarah": math.e**3 / total, "Alex": math.e**2 / total, "cat": math.e / total, "gold": 1 / total}
    weights = dict(zip(tokens(False), explorer.shown["weights"], strict=True))
    assert {word: weights[word] for word in want} == pytest.approx(want)
    assert weights["Sarah"] == weights["her"] == weights["She"]


def test_swapped_names_take_their_weights_along():
    explorer = explorers.explore_similar_words()
    before = dict(zip(tokens(False), explorer.shown["weights"], strict=True))
    explorer.controls["swapped"].value = True
    assert explorer.shown["weights"][0] == pytest.approx(before["Alex"])
    assert explorer.shown["weights"][10] == pytest.approx(before["Sarah"])
    assert ">Alex</th>" in explorer.html.split("sentence 2")[0].partition(">was</th>")[0]


def test_word_without_features_is_equally_similar_to_all():
    explorer = explorers.explore_similar_words()
    explorer.set(asks=tokens(False).index("was"))
    np.testing.assert_allclose(explorer.shown["weights"], 1 / 20)
    assert "equally similar: each gets 5.0%" in explorer.text


def best_words(text):
    return text.partition(" to ")[2].partition(". ")[0].split(", ")


def test_sentence_names_exactly_the_tokens_with_the_largest_weight():
    explorer = explorers.explore_similar_words()
    for asks in range(20):
        explorer.set(asks=asks)
        weights = explorer.shown["weights"]
        want = [token for token, w in zip(tokens(False), weights, strict=True) if w > max(weights) - 1e-9]
        assert len(want) == 20 or best_words(explorer.text) == want


@pytest.mark.parametrize("asks", PLACES)
def test_output_goes_from_the_best_token_to_the_plain_average(asks):
    explorer = explorers.explore_hull()
    explorer.set(asks=asks, heat=0.0)
    best = max(PLACES.values(), key=lambda row: dot(row, PLACES[asks]))
    assert explorer.shown["output"].tolist() == pytest.approx(best)
    assert explorer.shown["path"][0].tolist() == pytest.approx(best)
    assert "all the weight" in explorer.text
    explorer.set(heat=1.0)
    average = [sum(row[k] for row in PLACES.values()) / 5 for k in (0, 1)]
    assert explorer.shown["output"].tolist() == pytest.approx(average)
    assert explorer.shown["weights"].tolist() == [0.2] * 5 and "plain average" in explorer.text


def test_cat_takes_she_at_the_lower_right_corner_as_the_lesson_says():
    explorer = explorers.explore_hull()
    explorer.set(asks="cat", heat=0.0)
    assert explorer.text.startswith("cat gives all the weight to cat;")
    explorer.set(x=2.0, y=-2.0)
    assert explorer.text.startswith("cat gives all the weight to She;")


def test_wrong_mixtures_leave_the_hull_and_break_one_rule_each():
    explorer = explorers.explore_wrong_mixture()
    for recipe, rules in zip(explorer.controls["recipe"].options, ["✓✓✓", "✓✗✗", "✗✓✗"], strict=True):
        explorer.controls["recipe"].value = recipe
        assert "".join(sign for sign in explorer.html if sign in "✓✗") == rules


@pytest.mark.parametrize(
    ("points", "corners"),
    [
        ([[0, 0], [2, 0], [2, 2], [0, 2], [1, 1]], [[0, 0], [2, 0], [2, 2], [0, 2]]),
        ([[0, 0], [1, 0], [2, 0], [1, 1]], [[0, 0], [2, 0], [1, 1]]),  # on an edge
        ([[0, 0], [1, 1], [2, 2]], [[0, 0], [2, 2]]),  # on one line
        ([[1, 1], [1, 1], [1, 1]], [[1, 1]]),
        ([[1, 1], [0, 3], [1, 1]], [[0, 3], [1, 1]]),
    ],
)
def test_hull_has_the_corners_that_one_sees(points, corners):
    assert similar._hull(np.array(points, dtype=float)).tolist() == corners


def test_distance_from_the_hull_is_that_of_triangles_and_segments():
    rng = np.random.default_rng(3)
    for _ in range(500):
        X, point = rng.integers(-20, 21, size=(5, 2)) / 10, rng.integers(-40, 41, size=2) / 10
        want = outside(point.tolist(), X.tolist())
        assert similar._outside(point, X) == pytest.approx(want, abs=1e-7), (X.tolist(), point.tolist())
