"""Exercises on queries, keys and values."""

import numpy as np

from helpers.attention import multi_head_attention, softmax
from rooms.shared import edits
from rooms.shared.she import IDENTITY, SHE, N, X, asking, she
from workbench import like, whole


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


SELF_ATTENTION = edits.exercise(
    edits.part("self_attention", softmax=softmax),  # with an axis and a base, for edits
    # All sizes the same, so that a wrong transpose gives numbers, which can be named; the companion; other sizes.
    remakes=(multi_head_attention,),
    cases=[
        _SQUARE, _COMPANION, _case(1, 5, 3, 2, 4), _case(4, 2, 5, 3, 1), _case(9, 6, 4, 5, 4), whole(_COMPANION),
        _case(5, 1, 3, 2, 2),
    ],
    mistakes="""
query.shape => X.shape | The scores were divided by √d_model; d_k is the width of queries and keys, not of the tokens.
query.shape => value.shape | The scores were divided by √d_v, the width of the values; d_k is the width of queries and keys.
query.shape[-1] => len(X) | The scores were divided by the square root of the number of tokens; d_k is a width: query.shape[-1].
math.sqrt(query.shape[-1]) => np.sqrt(np.linalg.norm(query, axis=-1, keepdims=True)) | The scores were divided by the root of each query's length as an arrow; d_k is how many numbers it has.
W_query, X @ W_key => W_key, X @ W_query | Queries and keys are swapped: rows ask and columns are asked, so the scores are query @ key.T.
=> weights @ X | The weights mixed the tokens X themselves: W_value is missing. Mix X @ W_value.
=> weights @ key | The weights mixed the keys; mix the values, X @ W_value.
=> weights @ query | The weights mixed the queries; mix the values, X @ W_value.
X @ W_query, X @ W_key, X @ W_value => X, X, X | Nothing was projected: queries, keys and values are X @ W_query, X @ W_key and X @ W_value.
X @ W_query, X @ W_key, X @ W_value => X, X, X ;; query.shape => W_query.shape |
X @ W_query, X @ W_key => X, X | Queries and keys were not projected: they are X @ W_query and X @ W_key.
X @ W_query, X @ W_key => X, X ;; query.shape => W_query.shape |
X @ W_key, X @ W_value => X @ W_value, X @ W_key | W_key and W_value are exchanged: keys are X @ W_key, values X @ W_value.
query @ key.T => query @ key | The keys are not transposed: in query @ key, queries meet columns of the keys, which are features; token asks token by query @ key.T.
query @ key.T => query.T @ key | The scores are query.T @ key, features with features; token asks token: query @ key.T.
/ math.sqrt(query.shape[-1]) => ;; => weights @ value / math.sqrt(query.shape[-1]) | The weights were divided by √d_k after softmax; divide the scores before it.
softmax(scores) => softmax(np.where(np.tri(len(X), dtype=bool), scores, -np.inf)) | Tokens saw only the past: here every token may ask every token, no mask.
X @ W_key, X @ W_value => (k := X @ W_key), k @ W_value if k.shape[1] == len(W_value) else X @ W_value | The values were made of the keys; they are made of the tokens, X @ W_value.
""",
    steps="softmax, rows, scale, mix, mix rows, project",
    praise="Right: each token asks, offers and hands over by a matrix of its own.",
    explain=_explain,
    hint=_hint,
)  # fmt: skip


# --- drawn with the answer ------------------------------------------------------------------------------------------


def _flows(self_attention):
    """The weights of She, since each value says which word it is of."""
    (W_query, W_key), rest = asking(8, "female", "name"), np.zeros((N, 4))
    tokens, W_value = np.hstack([X, IDENTITY]), np.vstack([np.zeros((X.shape[1], N)), IDENTITY])
    made = self_attention(tokens, np.vstack([W_query, rest]), np.vstack([W_key, rest]), W_value)
    return like(made, (N, N))[SHE]


SELF_ATTENTION_DRAWN = she("self_attention", _flows, "a woman's name")
