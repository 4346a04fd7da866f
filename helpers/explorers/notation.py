"""One computation, two notations: tokens as rows, tokens as columns."""

import math
from typing import NamedTuple

import numpy as np

from helpers import matrices
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers.controls import choose, slider
from helpers.explorers.engine import Light, equals
from helpers.explorers.legacy import Explorer


class Setting(NamedTuple):
    """tokens (num_tokens, d_model) as rows, the matrices that multiply them from the right, and how to show them."""

    X: np.ndarray
    W_query: np.ndarray
    W_key: np.ndarray
    W_value: np.ndarray
    divisor: float
    root: str
    decimals: int
    labels: list


TWO = np.eye(2)
THREE_TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
SETTINGS = {
    "three tokens": Setting(THREE_TOKENS, TWO, TWO, TWO, math.sqrt(2), " / √2", 3, ["1", "2", "3"]),
    "A A B A": Setting(
        np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]),
        np.array([[0.0, 1.0], [0.0, 1.0]]),
        10 * TWO,
        TWO,
        1.0,
        "",
        4,
        ["A", "A", "B", "A"],
    ),
    "four wide, three wide": Setting(
        THREE_TOKENS,
        np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]),
        np.array([[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 0.0, 0.0]]),
        np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]),
        2.0,
        " / √4",
        3,
        ["1", "2", "3"],
    ),
}
ROWS, COLUMNS = "a row", "a column"


def explore_notation():
    """Turn every matrix of an example from rows to columns and back, with its formulas and its shapes.

    Returns
    -------
    Explorer
        shown, always with tokens as rows: query, key (num_tokens, d_k), value, output (num_tokens, d_v), scores and
        weights (num_tokens, num_tokens); and as they are drawn now, turned or not: X, W_Q, W_K, W_V, Q, K, V, S, A, Y
    """
    return Explorer(
        {
            "token_is": choose("one token is", [ROWS, COLUMNS], ROWS),
            "example": choose("example", list(SETTINGS), "three tokens"),
            "token": slider("token to follow", 3, 1, 3, 1),
        },
        _both_notations,
        _draw,
        _describe,
        lights=lambda shown, values: [
            _shares(shown["A"], values["token_is"]),
            _light_same(shown["Y"] if values["token_is"] == ROWS else shown["Y"].T, shown["output"]),
        ],
    )


def explore_wrong_notation():
    """Write a formula for tokens that are columns, right or mixed up, and see which rule breaks.

    Returns
    -------
    Explorer
        shown: Q, K (d_k, num_tokens) and V (d_v, num_tokens), weights and output as the formula gives them, and right,
        the output (d_v, num_tokens) that it should give; output is empty where the shapes do not fit
    """
    return Explorer(
        {
            "formula": choose("formula, tokens are columns", list(_FORMULAS), next(iter(_FORMULAS))),
            "example": choose("example", list(SETTINGS), "A A B A"),
        },
        _apply_formula,
        _draw_formula,
        _describe_formula,
        lights=_lights_of_formula,
    )


# --- the two notations -----------------------------------------------------------------------------------------------


def _both_notations(token_is, example, token):
    setting = SETTINGS[example]
    X, query, key, value = _projected(setting)
    answer = scaled_dot_product_attention(query, key, value, scale=1 / setting.divisor)
    roles = {"query": query, "key": key, "value": value, **answer._asdict()}
    if token_is == ROWS:
        matrices_now = [setting.W_query, setting.W_key, setting.W_value, query, key, value, *answer[::-1]]
        return {**roles, **dict(zip(["X", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "A", "Y"], [X, *matrices_now]))}
    W_Q, W_K, W_V = setting.W_query.T, setting.W_key.T, setting.W_value.T
    Q, K, V = W_Q @ X.T, W_K @ X.T, W_V @ X.T
    S = K.T @ Q / setting.divisor
    A = softmax(S, axis=0)
    return {**roles, "X": X.T, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "Q": Q, "K": K, "V": V, "S": S, "A": A, "Y": V @ A}


def _projected(setting):
    X = setting.X
    return X.copy(), X @ setting.W_query, X @ setting.W_key, X @ setting.W_value


def _draw(shown, values):
    setting, rows = SETTINGS[values["example"]], values["token_is"] == ROWS
    chosen = values["token"] - 1
    tokens = {"rows": setting.labels, "chosen_row": chosen} if rows else {}
    tokens |= {} if rows else {"columns": setting.labels, "chosen_column": chosen}
    pairs = {**tokens, "rows": setting.labels, "columns": setting.labels}
    whole = {"decimals": 0}

    def show(name, **options):
        caption = "H" if name == "Y" and not rows else name
        return matrices.matrix(shown[name], caption, **options)

    weights = {"kind": "weights", "decimals": setting.decimals, "row_sums": rows, "column_sums": not rows}
    asks = {"corner": "query ↓ key →" if rows else "key ↓ query →"}
    return matrices.under(
        matrices.beside(
            show("X", **whole, **tokens), *(show(name, **whole) for name in ("W_Q", "W_K", "W_V")),
            *(show(name, **whole, **tokens) for name in ("Q", "K", "V")),
        ),
        matrices.beside(
            show("S", kind="scores", decimals=min(setting.decimals, 3), **asks, **pairs),
            show("A", **weights, **asks, **pairs),
            show("Y", decimals=setting.decimals, **tokens),
        ),
        _ribbon(shown, setting, rows),
    )  # fmt: skip


def _ribbon(shown, setting, rows):
    """The same five lines in both notations: transposing turns the order of the factors."""
    shape = {name: array.shape for name, array in shown.items()} | {
        "Kᵀ": shown["K"].T.shape,
        "H": shown["Y"].shape,
    }

    def product(name, first, second, result):
        return matrices.Product(name, [(first, shape[first]), (second, shape[second])], (result, shape[result]))

    score = f"S = Q Kᵀ{setting.root}" if rows else f"S = Kᵀ Q{setting.root}"
    softmax_line = matrices.Product(
        "A = softmax(S)", [("S", shape["S"])], ("A", shape["A"]), "of each row" if rows else "of each column"
    )
    projections = [
        product(f"{letter} = X W_{letter}" if rows else f"{letter} = W_{letter} X", *pair, letter)
        for letter in "QKV"
        for pair in [("X", f"W_{letter}") if rows else (f"W_{letter}", "X")]
    ]
    return matrices.ribbon(
        [
            *projections,
            product(score, "Q", "Kᵀ", "S") if rows else product(score, "Kᵀ", "Q", "S"),
            softmax_line,
            product("Y = A V", "A", "V", "Y") if rows else product("H = V A", "V", "A", "H"),
        ],
        "shapes",
    )


def _describe(shown, values):
    place, word = values["token"], "row" if values["token_is"] == ROWS else "column"
    weights = ", ".join(f"{w:.{SETTINGS[values['example']].decimals}f}" for w in shown["weights"][place - 1])
    output = "Y" if word == "row" else "H"
    height, width = shown["Y"].shape
    return (
        f"Token {place} is {word} {place} of every matrix of tokens: its weights {weights} stand in {word} {place} of A, "
        f"and its output in {word} {place} of {output}, which is {height}×{width}."
    )


def _shares(A, token_is):
    axis, word = (1, "row") if token_is == ROWS else (0, "column")
    gap = np.abs(A.sum(axis=axis) - 1).max()
    return Light(f"every {word} of A sums to 1", bool(gap < 1e-6), f"one is off by {gap:.3f}")


def _light_same(output, right):
    return equals("the output is the same in both notations", output, right)


# --- mixed formulas --------------------------------------------------------------------------------------------------


class Formula(NamedTuple):
    """How scores, weights and output are made of Q, K and V; `axis` is the one along which softmax shares out 1."""

    scores: tuple
    axis: int
    output: tuple


_FORMULAS = {
    "Kᵀ Q, each column, V A": Formula(("Kᵀ", "Q"), 0, ("V", "A")),
    "Q Kᵀ, each row, A V": Formula(("Q", "Kᵀ"), 1, ("A", "V")),
    "Kᵀ Q, each row, V A": Formula(("Kᵀ", "Q"), 1, ("V", "A")),
    "Qᵀ K, each column, V A": Formula(("Qᵀ", "K"), 0, ("V", "A")),
    "Kᵀ Q, each column, V Aᵀ": Formula(("Kᵀ", "Q"), 0, ("V", "Aᵀ")),
}
_PAIRS = {("Kᵀ", "Q"): "key ↓ query →", ("Qᵀ", "K"): "query ↓ key →"}  # the others compare features


def _apply_formula(formula, example):
    setting, recipe = SETTINGS[example], _FORMULAS[formula]
    _, query, key, value = _projected(setting)
    known = {"Q": query.T, "K": key.T, "V": value.T, "Qᵀ": query, "Kᵀ": key}
    first, second = recipe.scores
    known["A"] = softmax(known[first] @ known[second] / setting.divisor, axis=recipe.axis)
    known["Aᵀ"] = known["A"].T
    left, right = (known[name] for name in recipe.output)
    return {
        "Q": query.T.copy(),
        "K": key.T.copy(),
        "V": value.T.copy(),
        "weights": known["A"],
        "output": left @ right if left.shape[1] == right.shape[0] else np.empty((0, 0)),
        "right": scaled_dot_product_attention(query, key, value, scale=1 / setting.divisor).output.T,
    }


def _draw_formula(shown, values):
    setting, recipe = SETTINGS[values["example"]], _FORMULAS[values["formula"]]
    tokens = {"columns": setting.labels}
    shape = {name: shown[name].shape for name in "QKV"} | {"A": shown["weights"].shape, "H": shown["output"].shape}
    shape |= {f"{name}ᵀ": shape[name][::-1] for name in "QKA"}
    fits = shown["output"].size > 0
    lines = [("scores", recipe.scores, "A"), ("output", recipe.output, "H")][: 1 + fits]
    products = [
        matrices.Product(name, [(factor, shape[factor]) for factor in factors], ("S" if to == "A" else to, shape[to]))
        for name, factors, to in lines
    ]
    decimals = {"decimals": setting.decimals}
    pairs = {**tokens, "rows": setting.labels, "corner": _PAIRS[recipe.scores]} if recipe.scores in _PAIRS else {}
    outputs = [matrices.matrix(shown["output"], "H", **decimals, **tokens)] if fits else []
    return matrices.under(
        matrices.beside(*(matrices.matrix(shown[name], name, decimals=0, **tokens) for name in "QKV")),
        matrices.matrix(shown["weights"], "A", kind="weights", column_sums=True, **decimals, **pairs),
        matrices.beside(*outputs, matrices.matrix(shown["right"], "H, as it should be", **decimals, **tokens)),
        matrices.ribbon(products, "shapes"),
    )


def _describe_formula(shown, values):
    pairs, num_tokens = shown["weights"].shape, shown["Q"].shape[1]
    compared = f"A is {pairs[0]}×{pairs[1]} for {num_tokens} tokens"
    if not shown["output"].size:
        names = " times ".join(_FORMULAS[values["formula"]].output)
        return f"{compared}, and {names} cannot be computed: the inner sizes {pairs[1]} and {len(shown['V'])} differ."
    gap = np.abs(shown["output"] - shown["right"]).max()  # where it can be computed, it has the right shape
    height, width = shown["output"].shape
    return f"{compared}; H is {height}×{width}, and its largest error is {gap:.3f}."


def _lights_of_formula(shown, values):
    num_tokens, (height, width) = shown["Q"].shape[1], shown["weights"].shape
    gap = np.abs(shown["weights"].sum(axis=0) - 1).max()
    return [
        Light("one weight for every pair of tokens", height == width == num_tokens, "A compares features"),
        Light("every column of A sums to 1", bool(gap < 1e-6), f"one is off by {gap:.3f}"),
        _light_same(shown["output"], shown["right"]),
    ]
