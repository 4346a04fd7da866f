"""One computation, two notations: tokens as rows, tokens as columns."""

import math
from typing import NamedTuple

import numpy as np

from helpers.attention import scaled_dot_product_attention, softmax
from helpers.tokens import one_hot
from workbench import Rule, Touch, choose, equals, explorer, matrices, slider


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
        one_hot("AABA", "AB"), np.array([[0.0, 1.0], [0.0, 1.0]]), 10 * TWO, TWO, 1.0, "", 4, ["A", "A", "B", "A"]
    ),
    "all sizes differ": Setting(
        THREE_TOKENS, np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]), np.array([[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 0.0, 0.0]]),
        np.array([[1.0], [3.0]]), 2.0, " / √4", 3, ["1", "2", "3"],
    ),
}  # fmt: skip
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
            Rule(
                lambda now: f"every {now.token_is[2:]} of A sums to 1", _off_one, "weights of a token miss 1 by {:.3f}"
            ),
            Rule(SAME, lambda now: equals(now.Y if now.token_is == ROWS else now.Y.T, now.output)),
        ],
        touch=dict.fromkeys(["X", "Q", "K", "V", "S", "A", "Y"], turn),
        token_is=choose("one token is", [ROWS, COLUMNS], ROWS),
        example=choose("example", list(SETTINGS), "three tokens"),
        token=slider("token to follow", 3, 1, 3, 1),
    )


def _other(notation):
    return COLUMNS if notation == ROWS else ROWS


# --- the two notations -----------------------------------------------------------------------------------------------


def _both_notations(token_is, example, token):
    setting = SETTINGS[example]
    X = setting.X.copy()
    query, key, value = X @ setting.W_query, X @ setting.W_key, X @ setting.W_value
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


def _draw(now):
    setting, rows = SETTINGS[now.example], now.token_is == ROWS
    chosen = now.token - 1
    tokens = {"rows": setting.labels, "chosen_row": chosen} if rows else {}
    tokens |= {} if rows else {"columns": setting.labels, "chosen_column": chosen}
    pairs = {**tokens, "rows": setting.labels, "columns": setting.labels}
    asks = "asks ↓" if rows else "asks →"

    def show(name, caption=None, **options):
        decimals = matrices.fewest_decimals(now[name], 2 if name in "SA" else 3)
        return now.table(name, caption, decimals=decimals, **options)

    return [
        [*(show(name, **tokens) for name in ("X", "Q", "K", "V")), _ribbon(now, setting, rows)],
        matrices.chain(
            show("S", kind="scores", corner=asks, **pairs),
            show("A", kind="weights", **pairs),
            show("Y", None if rows else "H", **tokens),
        ),
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
        f"Token {place} is {word} {place} of every matrix of tokens: its weights {weights} are {word} {place} of A, "
        f"and its output is {word} {place} of {output}, which is {height}×{width}."
    )


def _off_one(now):
    return np.abs(now.A.sum(axis=1 if now.token_is == ROWS else 0) - 1).max()
