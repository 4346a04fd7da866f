"""Self-attention on three tokens, every number within reach."""

import math

import numpy as np

from helpers import matrices
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers.engine import Explorer, Light, NumberGrid, choose, rows_sum_to_one, steps

TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
STAGES = {"dot products": (3, 3), "scaled scores": (3, 3), "weights": (3, 3), "outputs": (3, 2)}
CELLS = [
    (f"{stage} [{i + 1}, {j + 1}]", (stage, i, j))
    for stage, (num_rows, num_columns) in STAGES.items()
    for i in range(num_rows)
    for j in range(num_columns)
]


def explore_three_tokens():
    """Edit three tokens, and walk through every cell of the four stages with the sum behind it.

    Returns
    -------
    Explorer
        shown: X (3, 2), "dot products", "scaled scores" and weights (3, 3), outputs (3, 2), and cell: row, column and
        value of the chosen cell
    """
    return Explorer(
        {
            "X": NumberGrid("X", TOKENS),
            "scale": choose("dot products divided by", {"√2": 1 / math.sqrt(2), "1": 1.0}, 1 / math.sqrt(2)),
            "base": choose("base of softmax", {"e": math.e, "3": 3.0}, math.e),
            "cell": steps("cell", CELLS, ("outputs", 0, 0)),
        },
        _attend,
        _draw,
        lambda shown, values: _sum_behind(shown, values),
        lights=lambda shown, values: [
            rows_sum_to_one(shown["weights"]),
            _within_features(shown["outputs"], shown["X"]),
        ],
        presets={
            "base 3, not scaled": {"X": TOKENS, "base": 3.0, "scale": 1.0},
            "twins": {"X": [[1, 0], [1, 0], [1, 1]]},
        },
    )


def explore_wrong_turns():
    """Take one wrong turn on the way from scores to outputs, and see which rule breaks.

    Returns
    -------
    Explorer
        shown: weights (3, 3), outputs (3, 2)
    """
    return Explorer(
        {"turn": choose("after the scaled scores", list(_TURNS), next(iter(_TURNS)))},
        _turn,
        lambda shown, values: matrices.beside(
            matrices.matrix(shown["weights"], "weights", kind="weights", corner="query ↓ key →", row_sums=True),
            matrices.matrix(shown["outputs"], "outputs", columns=["feature 1", "feature 2"]),
        ),
        lambda shown, values: f"The largest output is {shown['outputs'].max():.3f}; the largest feature is 1.",
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"]), _within_features(shown["outputs"], TOKENS)],
    )


def _attend(X, scale, base, cell):
    stage, i, j = cell
    answer = scaled_dot_product_attention(X, X, X, scale=scale, base=base)
    shown = {
        "X": X,
        "dot products": X @ X.T,
        "scaled scores": answer.scores,
        "weights": answer.weights,
        "outputs": answer.output,
    }
    return {**shown, "cell": np.array([i, j, shown[stage][i, j]])}


def _draw(shown, values):
    marks = _marks(*values["cell"])
    row = values["cell"][1]
    asks = {"corner": "query ↓ key →", "chosen_row": row}
    features = {"columns": ["feature 1", "feature 2"], "corner": "token"}
    dot_products, scaled = shown["dot products"], shown["scaled scores"]
    limit = max(np.abs(dot_products).max(), np.abs(scaled).max()) or 1.0
    return matrices.beside(
        matrices.matrix(shown["X"], "X = Q = K = V", marks=marks.get("X"), **features),
        matrices.matrix(
            dot_products, "dot products", kind="scores", limit=limit, marks=marks.get("dot products"), **asks
        ),
        matrices.matrix(scaled, "scaled scores", kind="scores", limit=limit, marks=marks.get("scaled scores"), **asks),
        matrices.matrix(shown["weights"], "weights", kind="weights", marks=marks.get("weights"), row_sums=True, **asks),
        matrices.matrix(shown["outputs"], "outputs", marks=marks.get("outputs"), chosen_row=row, **features),
    )


def _marks(stage, i, j):
    """Which cells go into the chosen one: dict matrix -> dict cell -> mark."""
    result = {stage: {(i, j): "result"}}
    if stage == "dot products":
        first, second = [(i, k) for k in range(2)], [(j, k) for k in range(2)]
        return {"X": dict.fromkeys(second, "second factor") | dict.fromkeys(first, "factor"), **result}
    if stage == "scaled scores":
        return {"dot products": {(i, j): "factor"}, **result}
    if stage == "weights":
        return {
            "scaled scores": dict.fromkeys([(i, k) for k in range(3)], "second factor") | {(i, j): "factor"},
            **result,
        }
    weights, column = [(i, k) for k in range(3)], [(k, j) for k in range(3)]
    return {"weights": dict.fromkeys(weights, "factor"), "X": dict.fromkeys(column, "second factor"), **result}


def _sum_behind(shown, values):
    stage, i, j = values["cell"]
    X, head = shown["X"], f"{stage} [{i + 1}, {j + 1}]"
    result = f"{shown[stage][i, j]:.3f}"
    if stage == "dot products":
        products = " + ".join(f"{_short(a)}·{_short(b)}" for a, b in zip(X[i], X[j], strict=True))
        return f"{head} = token {i + 1} · token {j + 1} = {products} = {result}"
    if stage == "scaled scores":
        divisor = f"{math.sqrt(2):.3f}" if values["scale"] < 1 else "1"
        return f"{head} = {shown['dot products'][i, j]:.3f} / {divisor} = {result}"
    if stage == "weights":
        base = "3" if values["base"] == 3 else "e"
        powers = [f"{base}^{score:.3f}" for score in shown["scaled scores"][i]]
        return f"{head} = {powers[j]} / ({' + '.join(powers)}) = {result}"
    products = [f"{w:.3f}·{_short(x)}" for w, x in zip(shown["weights"][i], X[:, j], strict=True)]
    return f"{head} = {' + '.join(products)} = {result}"


def _short(x):
    return f"{x:.3f}".rstrip("0").rstrip(".")


def _within_features(outputs, X):
    gap = max((outputs - X.max(axis=0)).max(), (X.min(axis=0) - outputs).max())
    rule = "every output lies between the smallest and the largest feature"
    return Light(rule, bool(gap < 1e-9), f"one is outside by {gap:.3f}")


_TURNS = {
    "softmax along each row": lambda scores: softmax(scores, axis=-1),
    "softmax down each column": lambda scores: softmax(scores, axis=0),
    "powers, not divided by their sum": np.exp,
    "no softmax at all": lambda scores: scores,
}


def _turn(turn):
    weights = _TURNS[turn](TOKENS @ TOKENS.T / math.sqrt(2))
    return {"weights": weights, "outputs": weights @ TOKENS}
