"""Queries, keys and values: three views of a token, made by three matrices."""

import math

import numpy as np

from helpers import matrices
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers.controls import NumberGrid, choose, slider, switch
from helpers.explorers.engine import Light, equals, rows_sum_to_one
from helpers.explorers.legacy import Explorer
from helpers.tokens import one_hot

D_K, D_V = 4, 3  # the widest that the fields hold
TOKENS = {"A A B A": one_hot("AABA", "AB"), "lesson 04's three": np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])}
LETTERS, THREE = TOKENS
COMPANION = {
    "W_query": np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]),
    "W_key": np.array([[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 0.0, 0.0]]),
    "W_value": np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]),
}
BIASES = {"b_query": [[2.0, 0.0, 0.0, 0.0]], "b_key": [[4.0, 0.0, 0.0, 0.0]], "b_value": [[0.0, 1.0, 0.0]]}
IDENTITY = dict.fromkeys(COMPANION, np.eye(2))


def explore_projections():
    """Set every entry of the matrices that make queries, keys and values, and follow one token's question.

    Returns
    -------
    Explorer
        shown: X (n, 2), query and key (n, d_k), dot_products, scores and weights (n, n), value and output (n, d_v),
        one_matrix (2, 2), W_query W_key^T as it is in use, and chosen (), the index of the token that is followed
    """
    booster = {"W_query": np.array([[0.0, 1.0], [0.0, 1.0]]), "W_key": 10 * np.eye(2), "W_value": np.eye(2)}
    controls = {
        "tokens": choose("tokens", list(TOKENS), LETTERS),
        "d_k": slider("d_k, width of queries and keys", 2, 1, D_K, 1),
        "W_query": _grid("W_Q", _padded(booster["W_query"], D_K)),
        "W_key": _grid("W_K", _padded(booster["W_key"], D_K)),
        "d_v": slider("d_v, width of values", 2, 1, D_V, 1),
        "W_value": _grid("W_V", _padded(booster["W_value"], D_V)),
        "biases": switch("add biases"),
        "b_query": _grid("b_Q", BIASES["b_query"]),
        "b_key": _grid("b_K", BIASES["b_key"]),
        "b_value": _grid("b_V", BIASES["b_value"]),
        "swap": switch("swap Q and K"),
        "scaled": switch("divide the scores by √d_k"),
        "thirds": switch("softmax with base 3 instead of e"),
        "chosen": slider("follow token", 1, 1, 4, 1),
    }
    _show_what_is_in_play(controls)
    same = {"biases": False, **BIASES, "swap": False, "chosen": 1}
    companion = {**same, **_state(THREE, COMPANION), "scaled": True, "thirds": True}
    return Explorer(
        controls,
        _attend,
        _draw,
        _describe,
        lights=lambda shown, values: [
            rows_sum_to_one(shown["weights"]),
            _between_values(shown["output"], shown["value"]),
            *([] if values["biases"] else [_same_by_one_matrix(shown)]),
        ],
        presets={
            "A/B booster": {**same, **_state(LETTERS, booster), "scaled": False, "thirds": False},
            "identity": {**same, **_state(THREE, IDENTITY), "scaled": True, "thirds": False},
            "companion": companion,
            "companion, biases": {**companion, "biases": True},
        },
    )


def explore_wrong_projections():
    """Make a mistake with queries, keys and values, where it shows and where the identity hides it.

    Returns
    -------
    Explorer
        shown: weights (3, 3), output (3, as wide as the mistake makes it), right_output (3, d_v)
    """
    examples = {"companion": COMPANION, "identity": IDENTITY}
    return Explorer(
        {
            "mistake": choose("how it is done", list(_MISTAKES), next(iter(_MISTAKES))),
            "example": choose("matrices", list(examples), "companion"),
        },
        lambda mistake, example: _mistaken(_MISTAKES[mistake], examples[example]),
        lambda shown, values: matrices.beside(
            matrices.matrix(shown["weights"], "weights", kind="weights", corner="query ↓ key →", row_sums=True),
            matrices.matrix(shown["output"], "output", corner="token"),
            matrices.matrix(shown["right_output"], "right output", corner="token"),
        ),
        _describe_mistake,
        lights=lambda shown, values: [
            rows_sum_to_one(shown["weights"]),
            Light(
                "the output is as wide as W_V makes it",
                shown["output"].shape == shown["right_output"].shape,
                f"it has {shown['output'].shape[1]} columns",
            ),
            equals("the output equals softmax(QKᵀ/√d_k) V", shown["output"], shown["right_output"]),
        ],
    )


def _grid(name, values):
    return NumberGrid(name, values, compact=True)


def _padded(matrix, width):
    return np.pad(matrix, [(0, 0), (0, width - matrix.shape[1])])


def _state(tokens, W):
    """The values of the controls that stand for an example."""
    return {
        "tokens": tokens,
        "d_k": W["W_query"].shape[1],
        "W_query": _padded(W["W_query"], D_K),
        "W_key": _padded(W["W_key"], D_K),
        "d_v": W["W_value"].shape[1],
        "W_value": _padded(W["W_value"], D_V),
    }


def _show_what_is_in_play(controls):
    """Hide the columns beyond d_k and d_v, and the biases while they are off; end the tokens with the string."""
    widths = {"W_query": "d_k", "W_key": "d_k", "W_value": "d_v", "b_query": "d_k", "b_key": "d_k", "b_value": "d_v"}

    def follow(_change=None):
        for name, width in widths.items():
            off = name.startswith("b_") and not controls["biases"].value
            controls[name].show_columns(0 if off else controls[width].value)
        controls["chosen"].max = len(TOKENS[controls["tokens"].value])

    for name in ("tokens", "d_k", "d_v", "biases"):
        controls[name].observe(follow, "value")
    follow()


def _attend(
    tokens, d_k, W_query, W_key, d_v, W_value, biases, b_query, b_key, b_value, swap, scaled, thirds, chosen
):  # fmt: skip
    X = TOKENS[tokens]
    W_query, W_key, W_value = W_query[:, :d_k], W_key[:, :d_k], W_value[:, :d_v]
    b_query, b_key, b_value = biases * b_query[0, :d_k], biases * b_key[0, :d_k], biases * b_value[0, :d_v]
    if swap:
        W_query, W_key, b_query, b_key = W_key, W_query, b_key, b_query
    query, key, value = X @ W_query + b_query, X @ W_key + b_key, X @ W_value + b_value
    answer = scaled_dot_product_attention(
        query, key, value, scale=1 / math.sqrt(d_k) if scaled else 1, base=3 if thirds else math.e
    )
    return {
        "X": X,
        "query": query,
        "key": key,
        "dot_products": query @ key.T,
        "value": value,
        **answer._asdict(),
        "one_matrix": W_query @ W_key.T,
        "chosen": np.array(min(chosen, len(X)) - 1),
    }


def _draw(shown, values):
    names = _names(values["tokens"])
    chosen, divisor = int(shown["chosen"]), "÷ √d_k" if values["scaled"] else "not scaled"
    own = {"rows": names, "chosen_row": chosen, "decimals": 2}
    asks = {"rows": names, "columns": names, "corner": "query ↓ key →", "chosen_row": chosen}
    fractions = {"fractions": values["thirds"], "decimals": 4}
    return matrices.under(
        matrices.beside(
            matrices.matrix(shown["X"], "X", **own),
            matrices.matrix(shown["query"], "Q, asks", **own),
            matrices.matrix(shown["key"], "K, offers", **own),
            matrices.matrix(shown["value"], "V, hands over", **own),
        ),
        matrices.beside(
            matrices.matrix(shown["scores"], f"scores, {divisor}", kind="scores", decimals=2, **asks),
            matrices.matrix(shown["weights"], "weights", kind="weights", row_sums=True, **fractions, **asks),
        ),
        matrices.matrix(shown["output"], "output", rows=names, chosen_row=chosen, **fractions),
    )


def _names(tokens):
    return list("AABA") if tokens == LETTERS else ["1", "2", "3"]


def _describe(shown, values):
    i = int(shown["chosen"])
    weights, names = shown["weights"][i], _names(values["tokens"])
    letter = f" ({names[i]})" if values["tokens"] == LETTERS else ""
    best = [str(j + 1) for j in np.flatnonzero(weights > weights.max() - 1e-9)]
    listed = ", ".join(best[:-1]) + (" and " if len(best) > 1 else "") + best[-1]
    return (
        f"Token {i + 1}{letter} asks {_vector(shown['query'][i], 2)}, gives its largest weight, "
        f"{100 * weights.max():.3f}%, to token{'s' if len(best) > 1 else ''} {listed}, "
        f"and receives {_vector(shown['output'][i], 4)}."
    )


def _vector(row, decimals):
    return "[" + ", ".join(f"{round(x, decimals) + 0.0:.{decimals}f}" for x in row.tolist()) + "]"


def _between_values(output, value):
    gap = max((output - value.max(axis=0)).max(), (value.min(axis=0) - output).max())
    return Light("every output lies between the smallest and the largest value", bool(gap < 1e-9), f"off by {gap:.3f}")


def _same_by_one_matrix(shown):
    gap = np.abs(shown["X"] @ shown["one_matrix"] @ shown["X"].T - shown["dot_products"]).max()
    return Light("one matrix W_Q W_Kᵀ gives the same dot products", bool(gap < 1e-9), f"off by {gap:.3f}")


# --- mistakes --------------------------------------------------------------------------------------------------------


def _weigh(query, key, divisor=None, axis=-1):
    return softmax(query @ key.T / (divisor or math.sqrt(query.shape[-1])), axis=axis)


# each takes the tokens and their three views, and returns weights and what they mix
_MISTAKES = {
    "as it should be": lambda X, query, key, value: (_weigh(query, key), value),
    "Q and K swapped": lambda X, query, key, value: (_weigh(key, query), value),
    "W_V forgotten": lambda X, query, key, value: (_weigh(query, key), X),
    "W_K used for the values": lambda X, query, key, value: (_weigh(query, key), key),
    "divided by √d_model": lambda X, query, key, value: (_weigh(query, key, math.sqrt(X.shape[-1])), value),
    "nothing projected": lambda X, query, key, value: (_weigh(X, X), X),
    "softmax down the columns": lambda X, query, key, value: (_weigh(query, key, axis=0), value),
}


def _mistaken(recipe, W):
    X = TOKENS[THREE]
    query, key, value = X @ W["W_query"], X @ W["W_key"], X @ W["W_value"]
    weights, mixed = recipe(X, query, key, value)
    return {"weights": weights, "output": weights @ mixed, "right_output": _weigh(query, key) @ value}


def _describe_mistake(shown, values):
    if shown["output"].shape != shown["right_output"].shape:
        return f"The output has {shown['output'].shape[1]} columns; {shown['right_output'].shape[1]} are right."
    gap = np.abs(shown["output"] - shown["right_output"]).max()
    hidden = ": these matrices hide the mistake" if gap < 1e-9 and values["mistake"] != next(iter(_MISTAKES)) else ""
    return f"The output is off by {gap:.3f} at most{hidden}."
