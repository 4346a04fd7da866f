"""Exercises on queries, keys and values."""

import math

import numpy as np

from helpers.attention import multi_head_attention, scaled_dot_product_attention, softmax
from helpers.checks import patterns
from helpers.checks.cases import whole
from helpers.checks.exercise import Exercise


def _self_attention(X, W_query, W_key, W_value):
    return scaled_dot_product_attention(X @ W_query, X @ W_key, X @ W_value).output


def _project(X, W_query, W_key, W_value):
    return X @ W_query, X @ W_key, X @ W_value


def _score(query, key, value, X):
    return query @ key.T / math.sqrt(query.shape[-1])


def _variant(project=_project, score=_score, weigh=softmax, mix=lambda weights, value, query, key, X: weights @ value):
    """Self-attention with one of its four steps replaced."""

    def wrong(X, *W):
        query, key, value = project(X, *W)
        return mix(weigh(score(query, key, value, X)), value, query, key, X)

    return wrong


def _divided_by(divisor):
    return _variant(score=lambda q, k, v, X: q @ k.T / divisor(q, v, X))


def _explain(got, want, X, W_query, W_key, W_value):
    value = X @ W_value
    outside = np.argwhere((got > value.max(axis=0) + 1e-4) | (got < value.min(axis=0) - 1e-4))
    if len(outside):
        i, j = (int(k) for k in outside[0])
        return f"Outputs are mixtures of the values X @ W_value, which lie between {value[:, j].min():.3f} and {value[:, j].max():.3f} in column {j}; yours goes to {got[i, j]:.3f}."
    return None


def _hint(error, *arguments):
    if isinstance(error, ValueError) and any(word in str(error) for word in ("matmul", "shape", "align")):
        return "Tokens are rows, so the matrices stand on the right, X @ W_query, and the scores are query @ key.T."
    return None


def _case(seed, num_tokens, d_model, d_k, d_v):
    rng = np.random.default_rng(seed)
    shapes = [(num_tokens, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)]
    return tuple(rng.integers(-3, 4, size=shape) / 2 for shape in shapes)


_SQUARE = (
    np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]]),
    np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 2.0], [1.0, 0.0, 0.0]]),
    np.array([[1.0, 0.0, 1.0], [0.0, 2.0, 0.0], [0.0, 1.0, 0.0]]),
    np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [1.0, 1.0, 0.0]]),
)
_COMPANION = (
    np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
    np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]),
    np.array([[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 0.0, 0.0]]),
    np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]),
)

_STAGES = {
    "values": lambda X, Q, K, V: X @ V,
    "queries": lambda X, Q, K, V: X @ Q,
    "keys": lambda X, Q, K, V: X @ K,
    "scores": lambda X, Q, K, V: X @ Q @ (X @ K).T / math.sqrt(Q.shape[1]),
    "weights": lambda X, Q, K, V: softmax(X @ Q @ (X @ K).T / math.sqrt(Q.shape[1])),
}

SELF_ATTENTION = Exercise(
    name="self_attention",
    stages=_STAGES,
    solve=_self_attention,
    # All sizes the same, so that a wrong transpose gives numbers, which can be named; the companion; other sizes.
    remakes=(multi_head_attention,),
    cases=[
        _SQUARE,
        _COMPANION,
        _case(1, 5, 3, 2, 4),
        _case(4, 2, 5, 3, 1),
        _case(9, 6, 4, 5, 4),
        whole(_COMPANION),
        _case(5, 1, 3, 2, 2),
    ],
    mistakes={
        "The scores were not divided by √d_k, the square root of the width of queries and keys.": _divided_by(
            lambda q, v, X: 1
        ),
        "The scores were divided by d_k, or twice by √d_k; divide once by its square root.": _divided_by(
            lambda q, v, X: q.shape[-1]
        ),
        "The scores were divided by √d_model; d_k is the width of queries and keys, not of the tokens.": _divided_by(
            lambda q, v, X: math.sqrt(X.shape[-1])
        ),
        "The scores were divided by √d_v, the width of the values; d_k is the width of queries and keys.": _divided_by(
            lambda q, v, X: math.sqrt(v.shape[-1])
        ),
        "The scores were divided by the square root of the number of tokens; d_k is a width: query.shape[-1].": _divided_by(
            lambda q, v, X: math.sqrt(len(X))
        ),
        "The scores were divided by the root of each query's length as an arrow; d_k is how many numbers it has.": _divided_by(
            lambda q, v, X: np.sqrt(np.linalg.norm(q, axis=-1, keepdims=True))
        ),
        "The scores were multiplied by √d_k; divide by it.": _divided_by(lambda q, v, X: q.shape[-1] ** -0.5),
        "Queries and keys are swapped: rows ask and columns are asked, so the scores are query @ key.T.": _variant(
            project=lambda X, Q, K, V: (X @ K, X @ Q, X @ V)
        ),
        "Softmax ran down the columns: each query's row of weights must sum to 1, so use axis=-1.": _variant(
            weigh=lambda s: softmax(s, axis=0)
        ),
        "Softmax ran over the whole matrix: each query's row must sum to 1.": _variant(
            weigh=lambda scores: np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
        ),
        "The weights mixed the tokens X themselves: W_value is missing. Mix X @ W_value.": _variant(
            mix=lambda w, v, q, k, X: w @ X
        ),
        "The weights mixed the keys; mix the values, X @ W_value.": _variant(mix=lambda w, v, q, k, X: w @ k),
        "The weights mixed the queries; mix the values, X @ W_value.": _variant(mix=lambda w, v, q, k, X: w @ q),
        "Nothing was projected: queries, keys and values are X @ W_query, X @ W_key and X @ W_value.": [
            _variant(project=lambda X, *W: (X, X, X)),
            lambda X, Q, K, V: softmax(X @ X.T / math.sqrt(Q.shape[-1])) @ X,
        ],
        "Queries and keys were not projected: they are X @ W_query and X @ W_key.": [
            _variant(project=lambda X, Q, K, V: (X, X, X @ V)),
            lambda X, Q, K, V: softmax(X @ X.T / math.sqrt(Q.shape[-1])) @ X @ V,
        ],
        "W_key and W_value are exchanged: keys are X @ W_key, values X @ W_value.": _variant(
            project=lambda X, Q, K, V: (X @ Q, X @ V, X @ K)
        ),
        "The scores are query.T @ key, features with features; token asks token: query @ key.T.": _variant(
            score=lambda q, k, v, X: q.T @ k / math.sqrt(q.shape[-1])
        ),
        "The weights were transposed before they mixed the values: row i of weights @ value belongs to token i.": _variant(
            mix=lambda w, v, q, k, X: w.T @ v
        ),
        "The scores were used as weights: softmax comes between them.": _variant(weigh=lambda s: s),
        "The powers were not divided by their sum: each row of weights must sum to 1.": _variant(weigh=np.exp),
        patterns.SO_FAR: _variant(weigh=patterns.so_far),
        "The weights were divided by √d_k after softmax; divide the scores before it.": _variant(
            score=lambda q, k, v, X: q @ k.T, mix=lambda w, v, q, k, X: w @ v / math.sqrt(q.shape[-1])
        ),
        "Softmax in base 3 was for fractions; take base e, as attention.softmax does by itself.": _variant(
            weigh=lambda s: softmax(s, base=3)
        ),
        "The sign of the scores is turned: the key that answers best got the smallest weight.": _variant(
            weigh=lambda s: softmax(-s)
        ),
        "Tokens saw only the past: here every token may ask every token, no mask.": _variant(
            weigh=lambda scores: softmax(np.where(np.tri(len(scores), dtype=bool), scores, -np.inf))
        ),
        "Those are the values; they must still be mixed: weights @ value.": _variant(mix=lambda w, v, q, k, X: v),
    },
    praise="Right: each token asks, offers and hands over by a matrix of its own.",
    explain=_explain,
    hint=_hint,
)
