"""One computation, two notations: tokens as rows, tokens as columns."""

import functools
import math
from typing import NamedTuple

import numpy as np

from helpers import matrices
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers.controls import choose, slider
from helpers.explorers.engine import Rule, equals, explorer, wrong_turns
from helpers.explorers.sums import bracketed, number, terms
from helpers.explorers.touch import Touch


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
    "all sizes differ": Setting(
        THREE_TOKENS,
        np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]),
        np.array([[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 0.0, 0.0]]),
        np.array([[1.0], [3.0]]),
        2.0,
        " / √4",
        3,
        ["1", "2", "3"],
    ),
}
ROWS, COLUMNS = "a row", "a column"
SAME = "the output is the same in both notations"


def explore_notation():
    """Click a matrix: it turns over its diagonal, and every other one, the formulas and the shapes turn with it.

    Shown, always with tokens as rows: query, key (num_tokens, d_k), value, output (num_tokens, d_v), scores and weights
    (num_tokens, num_tokens); and as they are drawn now, turned or not: X, W_Q, W_K, W_V, Q, K, V, S, A, Y
    """
    turn = Touch(lambda now, i, j: {"token_is": _other(now.token_is)}, lambda now, i, j: "turn it over")
    return explorer(
        _both_notations,
        _draw,
        _describe,
        [
            Rule(lambda now: f"every {now.token_is.removeprefix('a ')} of A sums to 1", _off_one),
            Rule(SAME, lambda now: equals(now.Y if now.token_is == ROWS else now.Y.T, now.output)),
        ],
        touch=dict.fromkeys(["X", "Q", "K", "V", "S", "A", "Y"], turn),
        token_is=choose("one token is", [ROWS, COLUMNS], ROWS),
        example=choose("example", list(SETTINGS), "three tokens"),
        token=slider("token to follow", 3, 1, 3, 1),
    )


def explore_wrong_notation():
    """Write a formula for tokens that are columns, right or mixed up, and see which rule breaks.

    Shown: Q, K (d_k, num_tokens) and V (d_v, num_tokens), scores, weights and output as the formula gives them, and right,
    the output (d_v, num_tokens) that it should give; output is empty where the shapes do not fit
    """
    return wrong_turns(
        "formula, tokens are columns",
        _FORMULAS,
        _apply_formula,
        _draw_formula,
        _describe_formula,
        [
            Rule("one weight for every pair of tokens", _one_for_every_pair),
            Rule("every column of A sums to 1", lambda now: np.abs(now.weights.sum(axis=0) - 1).max()),
            Rule(SAME, lambda now: equals(now.output, now.right)),
        ],
        sums={
            **{name: functools.partial(_view_in_words, name) for name in "QKV"},
            "weights": _share_in_words,
            "output": _mixture_in_words,
            "right": _right_in_words,
        },
        picks={**dict.fromkeys("QK", (4, 4)), "V": (2, 4), "weights": (4, 4), "output": (2, 4), "right": (2, 4)},
        example=choose("example", list(SETTINGS), "A A B A"),
    )


def _other(notation):
    return COLUMNS if notation == ROWS else ROWS


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


def _draw(now):
    setting, rows = SETTINGS[now.example], now.token_is == ROWS
    chosen = now.token - 1
    tokens = {"rows": setting.labels, "chosen_row": chosen} if rows else {}
    tokens |= {} if rows else {"columns": setting.labels, "chosen_column": chosen}
    pairs = {**tokens, "rows": setting.labels, "columns": setting.labels}
    asks = "asks ↓" if rows else "asks →"

    def show(name, caption=None, **options):
        return now.table(
            name, caption, decimals=matrices.fewest_decimals(now[name], 2 if name in "SA" else 3), **options
        )

    return [
        [
            *(show(name, **tokens) for name in ("X", "Q", "K", "V")),
            show("S", kind="scores", corner=asks, **pairs),
            show("A", kind="weights", **pairs),
            show("Y", None if rows else "H", **tokens),
        ],
        _ribbon(now, setting, rows),
    ]


def _ribbon(now, setting, rows):
    """The same six lines in both notations: transposing turns the order of the factors."""
    shape = {name: now[name].shape for name in ("X", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "A", "Y")}
    shape |= {"Kᵀ": now.K.T.shape, "H": now.Y.shape}

    def product(name, first, second, result):
        first, second = (first, second) if rows else (second, first)
        return matrices.Product(name, [(first, shape[first]), (second, shape[second])], (result, shape[result]))

    projections = [
        product(f"{letter} = X W_{letter}" if rows else f"{letter} = W_{letter} X", "X", f"W_{letter}", letter)
        for letter in "QKV"
    ]
    note = "of each row" if rows else "of each column"
    return matrices.ribbon(
        [
            *projections,
            product(f"S = Q Kᵀ{setting.root}" if rows else f"S = Kᵀ Q{setting.root}", "Q", "Kᵀ", "S"),
            matrices.Product("A = softmax(S)", [("S", shape["S"])], ("A", shape["A"]), note),
            product("Y = A V", "A", "V", "Y") if rows else product("H = V A", "A", "V", "H"),
        ],
        "shapes",
    )


def _describe(now):
    place, word = now.token, "row" if now.token_is == ROWS else "column"
    weights = ", ".join(f"{w:.{SETTINGS[now.example].decimals}f}" for w in now.weights[place - 1])
    output = "Y" if word == "row" else "H"
    height, width = now.Y.shape
    return (
        f"Token {place} is {word} {place} of every matrix of tokens: its weights {weights} stand in {word} {place} of A, "
        f"and its output in {word} {place} of {output}, which is {height}×{width}."
    )


def _off_one(now):
    return np.abs(now.A.sum(axis=1 if now.token_is == ROWS else 0) - 1).max()


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


def _apply_formula(recipe, example):
    setting = SETTINGS[example]
    _, query, key, value = _projected(setting)
    known = {"Q": query.T, "K": key.T, "V": value.T, "Qᵀ": query, "Kᵀ": key}
    first, second = recipe.scores
    scores = known[first] @ known[second] / setting.divisor
    known["A"] = softmax(scores, axis=recipe.axis)
    known["Aᵀ"] = known["A"].T
    left, right = (known[name] for name in recipe.output)
    return {
        "Q": query.T.copy(),
        "K": key.T.copy(),
        "V": value.T.copy(),
        "scores": scores,
        "weights": known["A"],
        "output": left @ right if left.shape[1] == right.shape[0] else np.empty((0, 0)),
        "right": scaled_dot_product_attention(query, key, value, scale=1 / setting.divisor).output.T,
    }


def _share_in_words(now, i, j):
    scores, k = (now.scores[:, j], i) if _FORMULAS[now.recipe].axis == 0 else (now.scores[i], j)
    powers = [f"e^{bracketed(number(score))}" for score in scores]
    return f"A [{i + 1}, {j + 1}] = {powers[k]} / ({' + '.join(powers)}) = {now.weights[i, j]:.4f}"


def _view_in_words(name, now, i, j):
    setting = SETTINGS[now.example]
    W = {"Q": setting.W_query, "K": setting.W_key, "V": setting.W_value}[name]
    return f"{name} [{i + 1}, {j + 1}] = {terms(W[:, i], setting.X[j])} = {number(now[name][i, j])}"


def _right_in_words(now, i, j):
    root = SETTINGS[now.example].root
    return f"H [{i + 1}, {j + 1}] by V softmax(Kᵀ Q{root}), each column shared out = {now.right[i, j]:.4f}"


def _mixture_in_words(now, i, j):
    known = {"A": now.weights, "Aᵀ": now.weights.T, "V": now.V}
    left, right = (known[name] for name in _FORMULAS[now.recipe].output)
    return f"H [{i + 1}, {j + 1}] = {terms(left[i], right[:, j], _said, _said)} = {now.output[i, j]:.4f}"


def _said(x):
    return f"{x:.4f}" if x % 1 else f"{x:.0f}"


def _draw_formula(now):
    setting, recipe = SETTINGS[now.example], _FORMULAS[now.recipe]
    tokens = {"columns": setting.labels}
    shape = {name: now[name].shape for name in "QKV"} | {"A": now.weights.shape, "H": now.output.shape}
    shape |= {f"{name}ᵀ": shape[name][::-1] for name in "QKA"}
    fits = now.output.size > 0
    lines = [("scores", recipe.scores, "A"), ("output", recipe.output, "H")]
    products = [
        matrices.Product(
            name,
            [(factor, shape[factor]) for factor in factors],
            ("S" if to == "A" else to, shape[to]) if fits or to == "A" else None,
        )
        for name, factors, to in lines
    ]
    decimals = {"decimals": setting.decimals}
    pairs = {**tokens, "rows": setting.labels, "corner": _PAIRS[recipe.scores]} if recipe.scores in _PAIRS else {}
    outputs = [now.table("output", "H", **decimals, **tokens)] if fits else []
    weights = {"corner": "", **pairs, "row_sums": False, "column_sums": True, **decimals}
    return [
        [*(now.table(name, decimals=0, **tokens) for name in "QKV"), matrices.ribbon(products, "shapes")],
        [
            now.table("weights", "A", **weights),
            matrices.under(*outputs, now.table("right", "H, as it should be", **decimals, **tokens)),
        ],
    ]


def _describe_formula(now):
    pairs, num_tokens = now.weights.shape, now.Q.shape[1]
    compared = f"A is {pairs[0]}×{pairs[1]} for {num_tokens} tokens"
    if not now.output.size:
        names = " times ".join(_FORMULAS[now.recipe].output)
        return f"{compared}, and {names} cannot be computed: the inner sizes {pairs[1]} and {len(now.V)} differ."
    gap = np.abs(now.output - now.right).max()  # where it can be computed, it has the right shape
    height, width = now.output.shape
    return f"{compared}; H is {height}×{width}, and its largest error is {gap:.3f}."


def _one_for_every_pair(now):
    num_tokens, (height, width) = now.Q.shape[1], now.weights.shape
    return height == width == num_tokens, "A compares features"
