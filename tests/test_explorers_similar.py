"""What the explorers of similar tokens must show, in plain loops; tests/test_explorers.py holds them beside it."""

import itertools
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from helpers import explorers
from helpers.explorers import similar
from tests import driving

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
    shown = {"X": X, "query": X[asks], "scores": scores, "weights": weights, "output": mix(weights, X)}
    return {**shown, "dot products": [[dot(row, X[asks])] for row in table.values()]}


def similar_words_tables(shown, values):
    features = [[values[f"features[{i}, {j}]"] for j in range(1, 6)] for i in range(1, 10)]
    both = [list(pair) for pair in zip(shown["query"], shown["output"], strict=True)]
    return {"features": features, "score": shown["dot products"], "before and after": both}


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
    return {f"{values['asks']} looks": [[*shown["scores"], ""], [*shown["weights"], sum(shown["weights"])]]}


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
    off = abs(sum(shown["weights"]) - 1)
    return [
        ("no weight is negative", min(0, *shown["weights"])),
        ("the weights sum to 1", 0 if off < 1e-9 else off),
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
    "explore_similar_words": lambda shown, values: [("all 20 weights, both sentences together, sum to 1", 0)],
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
    assert running_words(explorer)[0][0] == "Alex" and running_words(explorer)[10][0] == "Sarah"


def running_words(explorer):
    """The running text as it is written: list of (word, number below it)."""
    text = explorer._picture_text.splitlines()[0].partition(": ")[2]
    return [tuple(piece.removeprefix("▸ ").rsplit(" ", 1)) for piece in text.split(" · ")]


def test_running_text_has_every_weight_below_its_word():
    explorer, rng = explorers.explore_similar_words(), np.random.default_rng(5)
    for _ in range(30):
        driving.move_all(explorer, rng)
        values = driving.state(explorer)
        weights = similar_words(**values)["weights"]
        words, numbers = zip(*running_words(explorer))
        assert list(words) == tokens(values["swapped"])
        assert all(map(driving.says, numbers, weights))
        asks = explorer.controls["asks"].value
        assert f"▸ {words[asks]} {numbers[asks]}" in explorer._picture_text


def test_a_click_on_a_word_lets_it_look_and_its_title_says_what_they_share():
    clicked, moved = explorers.explore_similar_words(), explorers.explore_similar_words()
    for k, token in enumerate(tokens(False)):
        driving.click(clicked, "weights", k, *rows_of(token))
        moved.controls["asks"].value = k
        assert clicked.controls["asks"].value == k and clicked.html == moved.html
        mine, his = DATA["table"].get(token, [0] * 5), DATA["table"]["Alex"]
        both = [name for name, a, b in zip(DATA["features"], mine, his, strict=True) if a * b]
        if token != "Alex":
            said = driving.titles(clicked)["weights", (10, *rows_of("Alex"))]
            assert f"Alex and {token} share {', '.join(both) or 'nothing'}: score {len(both)}, " in said
            assert driving.says(said.split(" = ")[1].split(",")[0], clicked.shown["weights"][10])
        assert driving.titles(clicked)["weights", (k, *rows_of(token))].endswith("chosen")


def rows_of(token):
    """The row of a word in the table of features; none if it has no features."""
    return [list(DATA["table"]).index(token)] if token in DATA["table"] else []


def test_a_click_on_a_feature_changes_it_for_both_and_says_to_what():
    explorer = explorers.explore_similar_words()
    she = list(DATA["table"]).index("She")
    for row in (0, she):
        for j, want in ((2, 2.0), (2, 0.0), (4, 1.0)):
            said = driving.titles(explorer)["features", (row, j)]
            assert said == f"features [{row + 1}, {j + 1}], a click makes it {want:.0f}"
            driving.click(explorer, "features", row, j)
            assert explorer.controls[f"features[{row + 1}, {j + 1}]"].value == want
        driving.buttons(explorer)["Reset"].click()
    explorer.set(features=np.full((9, 5), -2.5))
    driving.click(explorer, "features", 3, 3)
    assert explorer.shown["X"][8].tolist() == [-2.5, -2.5, -2.5, 0.0, -2.5]


def test_score_of_a_word_says_its_sum():
    explorer = explorers.explore_similar_words()
    assert driving.titles(explorer)["dot_products", (4, 0)] == "Alex · She = 1·1 + 1·1 + 0·1 + 1·0 + 0·0 = 2"


def test_task_of_the_lesson_her_falls_behind_sarah_whose_female_is_2():
    explorer = explorers.explore_similar_words()
    driving.click(explorer, "features", 0, 2)
    weights = dict(zip(tokens(False), explorer.shown["weights"], strict=True))
    assert weights["Sarah"] / weights["her"] == pytest.approx(math.e)


def test_word_without_features_is_equally_similar_to_all():
    explorer = explorers.explore_similar_words()
    explorer.set(asks=tokens(False).index("was"))
    np.testing.assert_allclose(explorer.shown["weights"], 1 / 20)
    assert "equally similar: each gets 5.0%" in explorer.text


def best_words(text):
    return text.partition(" to ")[2].partition(". ")[0].replace(" and ", ", ").split(", ")


def test_sentence_names_exactly_the_tokens_with_the_largest_weight():
    explorer = explorers.explore_similar_words()
    for asks in range(20):
        explorer.set(asks=asks)
        weights = explorer.shown["weights"]
        want = [token for token, w in zip(tokens(False), weights, strict=True) if w > max(weights) - 1e-9]
        assert len(want) == 20 or best_words(explorer.text) == want


def test_each_stands_with_the_share_that_each_gets():
    explorer = explorers.explore_similar_words()
    assert explorer.text.startswith("“She” gives most, 22.6% each, to Sarah, her and She. ")


def test_she_who_is_longest_gives_all_to_itself():
    explorer = explorers.explore_hull()
    explorer.set(x=2.0, y=2.0, heat=0.0)
    assert explorer.text.startswith("She gives all the weight to itself;")


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
    assert explorer.text.startswith("cat gives all the weight to itself;")
    explorer.set(x=2.0, y=-2.0)
    assert explorer.text.startswith("cat gives all the weight to She;")


@pytest.mark.parametrize(("x", "y"), [(-1.3, 1.1), (0.0, 0.0), (2.0, -2.0)])
def test_she_is_dragged_and_looks(x, y):
    dragged, moved = explorers.explore_hull(), explorers.explore_hull()
    driving.click(dragged, "tokens", 2)
    assert dragged.controls["asks"].value == "park"
    driving.point(dragged, "plane", 0.5, -0.2)
    driving.point(dragged, "plane", x, y, kind="mousemove")
    moved.set(asks="She", x=x, y=y)
    assert dragged.controls["x"].value == pytest.approx(x) and dragged.controls["y"].value == pytest.approx(y)
    assert dragged.html == moved.html


@pytest.mark.parametrize("name", ["Sarah", "cat", "park", "watch"])
def test_a_press_on_a_point_lets_it_look_and_drags_nothing(name):
    for explorer in (explorers.explore_hull(), explorers.explore_wrong_mixture()):
        x, y = explorer.shown["X"][list(PLACES).index(name)]
        driving.point(explorer, "plane", x + 0.05, y - 0.05)
        driving.point(explorer, "plane", 0.0, 0.0, kind="mousemove")
        assert explorer.controls["asks"].value == name
        np.testing.assert_array_equal(explorer.shown["query"], explorer.shown["X"][list(PLACES).index(name)])
    assert explorers.explore_hull().controls["asks"].value == "She"


def test_a_press_on_the_wrong_mixture_lets_the_nearest_look():
    explorer = explorers.explore_wrong_mixture()
    for x, y, name in ((-1.1, 1.1, "watch"), (-1.2, -1.2, "park"), (0.45, 0.2, "She")):
        driving.point(explorer, "plane", x, y)
        assert explorer.controls["asks"].value == name


@pytest.mark.parametrize(
    ("x", "y", "output"), [(1.6, 0.0, [1.6, 0.75]), (0.0, 1.5, [0.8, 1.5]), (0.0, 0.0, [0.06, -0.04])]
)
def test_cold_output_that_is_no_corner_is_where_she_is_as_similar_to_herself_as_to_another(x, y, output):
    explorer = explorers.explore_hull()
    explorer.set(x=x, y=y, heat=0.0)
    assert explorer.shown["output"].tolist() == pytest.approx(output)
    assert x * x + y * y == pytest.approx(1.6 * x + 1.5 * y)  # the circle over the way from the origin to Sarah
    assert min(math.dist(output, place) for place in [*PLACES.values(), (x, y)]) > 0.05


def test_weights_that_are_no_shares_are_not_shaded_like_shares():
    explorer = explorers.explore_wrong_mixture()
    shades = {}
    for recipe in explorer.controls["recipe"].options:
        explorer.controls["recipe"].value = recipe
        row = explorer.html.partition(">weight</th>")[2].partition("</tr>")[0]
        cells = re.findall(r'<td[^>]* style="([^"]*)"', row)[:-1]
        shades[recipe] = [(w, "var(--x" in cell) for w, cell in zip(explorer.shown["weights"], cells, strict=True)]
    for w, orange in itertools.chain(*shades.values()):
        assert orange == (not 0 <= w <= 1)
    assert sum(orange for _, orange in itertools.chain(*shades.values())) >= 4


def test_wrong_mixtures_leave_the_hull_and_break_one_rule_each():
    explorer = explorers.explore_wrong_mixture()
    for recipe, rules in zip(explorer.controls["recipe"].options, ["✓✓✓", "✓✗✗", "✗✓✗"], strict=True):
        for asks in PLACES:
            explorer.set(recipe=recipe, asks=asks)
            assert "".join(sign for sign in explorer.html if sign in "✓✗") == rules
    driving.click(explorer, "tokens", list(PLACES).index("park"))
    assert (explorer.shown["output"] > explorer.shown["X"][0]).all()  # beyond Sarah, on the side that is not park's


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
