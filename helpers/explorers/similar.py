"""Similar tokens look at each other, and every output is a mixture that stays between the tokens."""

import itertools
import math

import numpy as np
from matplotlib.patheffects import withStroke

from helpers import matrices, plots, words
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers.controls import NumberGrid, choose, slider, stops, switch
from helpers.explorers.engine import Light, rows_sum_to_one
from helpers.explorers.legacy import Explorer

SHE = words.she_sentences()
CANDIDATES = ["Sarah", "Alex", "cat"]
PLACES = {"Sarah": (1.6, 1.5), "cat": (1.5, -1.0), "park": (-1.2, -1.5), "watch": (-1.6, 0.8)}  # made by hand
NAMES = [*PLACES, "She"]
START = (1.0, 0.6)  # where She stands at first
HEAT = np.arange(41) / 40  # temperature / (1 + temperature), from one limit to the other


def explore_similar_words():
    """Let any word of two sentences look at all words by similarity, and edit the features that make them similar.

    Returns
    -------
    Explorer
        shown: X (20, 5) with one row for each token, query (5,) of the token that asks, scores and weights (20,), and
        output (5,), the mixture of all tokens
    """
    table = np.array(list(SHE.table.values()))
    labels = list(zip(SHE.tokens, range(len(SHE.tokens)), strict=True))
    return Explorer(
        {
            "asks": choose("who looks? (the query)", labels, SHE.tokens.index("She")),
            "swapped": switch("swap the names Sarah and Alex"),
            "features": NumberGrid(
                "features",
                table,
                step=0.5,
                minimum=-3,
                maximum=3,
                compact=True,
                rows=list(SHE.table),
                columns=SHE.features,
            ),
        },
        _look,
        _sentences,
        _describe_look,
        lights=lambda shown, values: [
            rows_sum_to_one(shown["weights"])._replace(rule="the whole row, both sentences together, sums to 1")
        ],
    )


def explore_hull():
    """Move a token in the plane and turn the temperature from 0 to infinity: the output stays inside the convex hull.

    Returns
    -------
    Explorer
        shown: X (5, 2), query (2,), scores (5,) before the temperature, weights (5,), output (2,), and path (41, 2), the
        outputs at all temperatures from 0 to infinity
    """
    plane = _Plane(way="the output goes from a corner to the plain average")
    return Explorer(
        {
            "asks": choose("who looks? (the query)", NAMES, "She"),
            "x": slider("She, across", START[0], -2.0, 2.0),
            "y": slider("She, up", START[1], -2.0, 2.0),
            "heat": stops("temperature", [(_temperature(heat), float(heat)) for heat in HEAT], 0.5),
        },
        _move,
        lambda shown, values: matrices.beside(plane.draw(shown, values["asks"]), _shares_table(shown)),
        _describe_move,
        lights=lambda shown, values: _mixture_lights(shown),
    )


def explore_wrong_mixture():
    """Break one of the two rules of a mixture, and see the output leave the convex hull.

    Returns
    -------
    Explorer
        shown: X (5, 2), query (2,), scores (5,), weights (5,), output (2,)
    """
    plane = _Plane(reach=1.3)
    return Explorer(
        {
            "recipe": choose("how weights are made", list(_RECIPES), next(iter(_RECIPES))),
            "asks": choose("who looks? (the query)", NAMES, "She"),
        },
        _mix_wrongly,
        lambda shown, values: matrices.beside(plane.draw(shown, values["asks"]), _shares_table(shown)),
        lambda shown, values: (
            f"The weights sum to {shown['weights'].sum():.2f}, the smallest is {shown['weights'].min():.2f}, "
            f"and the output is [{shown['output'][0]:.2f}, {shown['output'][1]:.2f}]."
        ),
        lights=lambda shown, values: _mixture_lights(shown),
    )


# --- words -----------------------------------------------------------------------------------------------------------


def _tokens(swapped):
    names = {"Sarah": "Alex", "Alex": "Sarah"} if swapped else {}
    return [names.get(token, token) for token in SHE.tokens]


def _look(asks, swapped, features):
    X = words.rows(_tokens(swapped), dict(zip(SHE.table, features, strict=True)), len(SHE.features))
    answer = scaled_dot_product_attention(X[asks][None, :], X, X, scale=1)
    return {
        "X": X,
        "query": X[asks],
        "scores": answer.scores[0],
        "weights": answer.weights[0],
        "output": answer.output[0],
    }


def _sentences(shown, values):
    tokens, start, strips = _tokens(values["swapped"]), 0, []
    limit = max(3.0, np.abs(shown["scores"]).max())
    for number, sentence in enumerate(SHE.sentences, start=1):
        part = slice(start, start + len(sentence))
        stages = [
            matrices.Row("score", shown["scores"][part], "scores"),
            matrices.Row("weight", shown["weights"][part], "weights", shown["weights"][: part.stop].sum()),
        ]
        name = f"the same row: sentence {number}" if start else f"one row of {len(tokens)} weights: sentence {number}"
        total = "Σ" if part.stop == len(tokens) else "Σ so far"
        strips.append(matrices.strip(tokens[part], stages, name, total=total, decimals=2, limit=limit))
        start = part.stop
    asks = tokens[values["asks"]]
    both = np.stack([shown["query"], shown["output"]])
    mixed = matrices.matrix(both, "before and after", rows=[asks, "its mixture"], columns=SHE.features)
    return matrices.under(*strips, mixed)


def _describe_look(shown, values):
    tokens, weights = _tokens(values["swapped"]), shown["weights"]
    if np.ptp(shown["scores"]) == 0:
        return f"To “{tokens[values['asks']]}” all tokens are equally similar: each gets {weights[0]:.1%}."
    best = [token for token, weight in zip(tokens, weights, strict=True) if weight > weights.max() - 1e-9]
    shares = ", ".join(f"{name} {weights[tokens.index(name)]:.1%}" for name in CANDIDATES)
    each = "each to" if len(best) > 1 else "to"
    return (
        f"“{tokens[values['asks']]}” gives most, {weights.max():.1%}, {each} {', '.join(best)}. "
        f"The three of the question get: {shares}."
    )


# --- the plane -------------------------------------------------------------------------------------------------------


def _temperature(heat):
    if heat in (0, 1):
        return "0, the limit" if heat == 0 else "∞, the limit"
    return f"{heat / (1 - heat):.2f}"


def _points(x, y):
    return np.array([*PLACES.values(), (x, y)])


def _move(asks, x, y, heat):
    X = _points(x, y)
    query = X[NAMES.index(asks)]
    scores = X @ query
    weights = _weights(scores, heat)
    return {
        "X": X,
        "query": query,
        "scores": scores,
        "weights": weights,
        "output": weights @ X,
        "path": np.stack([_weights(scores, each) @ X for each in HEAT]),
    }


def _weights(scores, heat):
    """Softmax at the temperature heat / (1 - heat). Each point of score less leaves r of the best part: r is 0 in the one
    limit, where only the best stay (0 to the power 0 is 1), and 1 in the other, where all count the same."""
    r = math.exp(-(1 - heat) / heat) if heat else 0.0
    parts = r ** np.round(scores.max() - scores, 9)  # rounded: equal scores must not differ by a last digit
    return parts / parts.sum()


def _describe_move(shown, values):
    output = "[{:.2f}, {:.2f}]".format(*(shown["output"] + 0.0))
    largest = shown["weights"].max()
    best = [name for name, weight in zip(NAMES, shown["weights"], strict=True) if weight > largest - 1e-9]
    if len(best) == len(NAMES):
        return f"All tokens have the same weight: the output {output} is their plain average."
    all_of_it = "all the weight" if largest > 1 - 1e-9 else f"{largest:.1%} of the weight"
    return f"{values['asks']} gives {all_of_it}{' each' if len(best) > 1 else ''} to {' and '.join(best)}; the output is {output}."


def _shares_table(shown):
    columns = np.column_stack([shown["scores"], shown["weights"]])
    return matrices.beside(
        matrices.matrix(columns[:, :1], "score", kind="scores", rows=NAMES, columns=["x · query"], limit=6.0),
        matrices.matrix(columns[:, 1:], "weight", kind="weights", rows=NAMES, columns=["share"]),
    )


def _mixture_lights(shown):
    weights, gap = shown["weights"], _outside(shown["output"], shown["X"])
    total = weights.sum()
    return [
        Light("no weight is negative", bool(weights.min() >= 0), f"one is {weights.min():.2f}"),
        Light("the weights sum to 1", bool(abs(total - 1) < 1e-9), f"they sum to {total:.2f}"),
        Light("the output lies in the convex hull of the tokens", gap < 1e-9, f"it is {gap:.2f} outside"),
    ]


def _hull(points):
    """Corners of the convex hull of points in the plane, against the clock; points on an edge are no corners."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return np.array(ordered)
    half = []
    for line in (ordered, ordered[::-1]):  # along the bottom, and back along the top
        chain = []
        for point in line:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 1e-12:
                chain.pop()
            chain.append(point)
        half += chain[:-1]
    return np.array(half)


def _turn(a, b, c):
    """Positive where the way from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _outside(point, points):
    """How far a point is from the convex hull of others; 0 inside."""
    corners = _hull(points)
    edges = list(itertools.pairwise([*corners, corners[0]]))
    if len(corners) > 2 and all(_turn(a, b, point) >= -1e-9 for a, b in edges):
        return 0.0
    return min(_distance(point, a, b) for a, b in edges)


def _distance(point, a, b):
    """From a point to the segment between a and b."""
    along = np.clip((point - a) @ (b - a) / max((b - a) @ (b - a), 1e-12), 0, 1)
    return float(np.linalg.norm(point - a - along * (b - a)))


class _Plane:
    """The tokens as points, their hull as a shape, the output as a dot, and the way it takes."""

    def __init__(self, reach=2.45, way=""):
        figure, self.ax = plots.new_figure(3.9, 3.5)
        self.ax.set(aspect="equal", xlabel="feature 1", ylabel="feature 2")
        self.hull = self.ax.fill([0], [0], facecolor="#dbeafe", edgecolor="#1d4ed8", linewidth=1.2)[0]
        (self.path,) = self.ax.plot([], [], color="#c2410c", linewidth=1.2, linestyle=":")
        (self.tokens,) = self.ax.plot([], [], "o", color="#1d4ed8", markersize=7)
        (self.asker,) = self.ax.plot([], [], "o", markersize=14, fillstyle="none", color="#111111")
        (self.output,) = self.ax.plot([], [], "D", color="#c2410c", markersize=8)
        word = {"va": "center", "fontsize": 9, "path_effects": [withStroke(linewidth=3, foreground="white")]}
        self.names = [self.ax.text(0, 0, name, ha="center", **word) for name in NAMES]
        self.label = self.ax.text(0, 0, "output", color="#c2410c", **word)  # white around it: edges run behind words
        self.reach, self.way = reach, way
        moving = [self.hull, self.path, self.tokens, self.asker, self.output, *self.names, self.label]
        self.live = plots.LiveFigure(figure, moving, self._update)

    def draw(self, shown, asks):
        gap = _outside(shown["output"], shown["X"])
        where = f"{gap:.2f} outside the hull" if gap > 1e-9 else "inside the hull"
        way = f"; over all temperatures {self.way}" if self.way else ""
        return self.live.draw(
            {**shown, "asker": NAMES.index(asks)},
            f"Five tokens as points with their convex hull. {asks} looks, and the output, a diamond, lies {where}{way}.",
        )

    def _update(self, shown):
        X, output = shown["X"], shown["output"]
        reach = max(self.reach, 1.15 * np.abs(output).max())
        self.ax.set(xlim=(-reach, reach), ylim=(-0.94 * reach, 0.94 * reach))
        self.hull.set_xy(_hull(X))
        self.tokens.set_data(X[:, 0], X[:, 1])
        self.asker.set_data(X[[shown["asker"]], 0], X[[shown["asker"]], 1])
        self.output.set_data([output[0]], [output[1]])
        if "path" in shown:
            self.path.set_data(shown["path"][:, 0], shown["path"][:, 1])
        outward = X - X.mean(axis=0)
        outward /= np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), 1e-9)
        outward[-1] = (0, 1)  # She may stand in the middle
        for name, place in zip(self.names, X + reach * outward * (0.2, 0.11), strict=True):
            name.set_position(place)
        side = -1 if output[0] > 0.7 * reach else 1  # the word stays in the picture
        self.label.set_position((output[0] + side * 0.06 * reach, output[1]))
        self.label.set_horizontalalignment("left" if side > 0 else "right")


_RECIPES = {
    "softmax": softmax,
    "powers of e, not divided by their sum": np.exp,
    "scores, divided by their sum": lambda scores: scores / scores.sum(),
}


def _mix_wrongly(recipe, asks):
    X = 0.5 * _points(*START)  # near each other, so that what leaves them stays in the picture
    query = X[NAMES.index(asks)]
    scores = X @ query
    weights = _RECIPES[recipe](scores)
    return {"X": X, "query": query, "scores": scores, "weights": weights, "output": weights @ X}
