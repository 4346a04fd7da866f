"""Self-attention on three tokens, every number within reach."""

import math

import numpy as np

from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers.controls import NumberGrid, choose, stops
from helpers.explorers.engine import SHARES, between, explorer, wrong_turns
from helpers.explorers.sums import bracketed, cells, decimals, dot_product, mixture, number, quotient, share
from helpers.explorers.touch import leads_on
from helpers.matrices import fewest_decimals

TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
STAGES = {"dot products": (3, 3), "scaled scores": (3, 3), "weights": (3, 3), "outputs": (3, 2)}
FEATURES = {"columns": ["feature 1", "feature 2"], "corner": "token"}
SUMS = {
    "dot products": dot_product("dot products", "X", "X", ("token", "token")),
    "scaled scores": quotient(
        "scaled scores", "dot products", lambda now: "1" if now.scale == 1 else number(1 / now.scale)
    ),
    "weights": share("weights", "scaled scores", lambda now: "3" if now.base == 3 else "e"),
    "outputs": mixture("outputs", "weights", "X"),
}
WITHIN = "every output lies between the smallest and the largest feature"


def explore_three_tokens():
    """Click any number of the four stages for the sum behind it, and the numbers of the tokens to change them.

    Shown: X (3, 2), "dot products", "scaled scores" and weights (3, 3), outputs (3, 2), and cell: row, column and value of
    the chosen cell
    """
    return explorer(
        _attend,
        _stages,
        lambda now: SUMS[now.control_values["cell"][0]].words(now, *now.control_values["cell"][1:]),
        [SHARES, between(lambda now: now.outputs, lambda now: now.X, WITHIN)],
        presets={
            "base 3, not scaled": {"X": TOKENS, "base": 3.0, "scale": 1.0},
            "twins": {"X": [[1, 0], [1, 0], [1, 1]]},
        },
        touch={"X": leads_on("X")},
        sums=SUMS,
        follow="cell",
        folded=["X", "cell"],
        X=NumberGrid("X", TOKENS, compact=True),
        scale=choose("dot products divided by", {"√2": 1 / math.sqrt(2), "1": 1.0}, 1 / math.sqrt(2)),
        base=choose("base of softmax", {"e": math.e, "3": 3.0}, math.e),
        cell=stops("cell", cells(STAGES), ("outputs", 0, 0)),
    )


def explore_wrong_turns():
    """Take one wrong turn on the way from scores to outputs, and see which rule breaks.

    Shown: weights (3, 3), outputs (3, 2)
    """
    return wrong_turns(
        "after the scaled scores",
        _TURNS,
        _turn,
        lambda now: (now.table("weights"), now.table("outputs", columns=FEATURES["columns"])),
        lambda now: f"The largest output is {now.outputs.max():.3f}; the largest feature is 1.",
        [SHARES, between(lambda now: now.outputs, lambda now: TOKENS, WITHIN)],
        sums=_TURNED_SUMS,
        picks={"weights": (3, 3), "outputs": (3, 2)},
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


def _stages(now):
    row = now.control_values["cell"][1]
    limit = max(np.abs(now["dot products"]).max(), np.abs(now["scaled scores"]).max()) or 1.0
    scores = {"kind": "scores", "corner": "query ↓ key →", "chosen_row": row, "limit": limit}
    return (
        now.table("X", "X = Q = K = V", decimals=fewest_decimals(now.X, 2), **FEATURES),
        now.table("dot products", decimals=fewest_decimals(now["dot products"], 2), **scores),
        now.table("scaled scores", **scores),
        now.table("weights", chosen_row=row),
        now.table("outputs", chosen_row=row, **FEATURES),
    )


_TURNS = {
    "softmax along each row": lambda scores: softmax(scores, axis=-1),
    "softmax down each column": lambda scores: softmax(scores, axis=0),
    "powers, not divided by their sum": np.exp,
    "no softmax at all": lambda scores: scores,
}


def _turn(turn):
    weights = turn(TOKENS @ TOKENS.T / math.sqrt(2))
    return {"weights": weights, "outputs": weights @ TOKENS}


def _made(now, i, j):
    """The weight, from the scaled scores of its row or its column."""
    scores = TOKENS @ TOKENS.T / math.sqrt(2)
    powers = {"row": scores[i], "column": scores[:, j]}
    along = "column" if "column" in now.recipe else "row"
    if "no softmax" in now.recipe:
        return f"weights [{i + 1}, {j + 1}] = the scaled score, {decimals(scores[i, j])}"
    if "not divided" in now.recipe:
        return f"weights [{i + 1}, {j + 1}] = e^{bracketed(decimals(scores[i, j]))} = {decimals(now.weights[i, j])}"
    total = " + ".join(f"e^{bracketed(decimals(score))}" for score in powers[along])
    return f"weights [{i + 1}, {j + 1}] = e^{bracketed(decimals(scores[i, j]))} / ({total}) = {decimals(now.weights[i, j])}"


_TURNED_SUMS = {"weights": _made, "outputs": mixture("outputs", "weights", lambda now: TOKENS)}
