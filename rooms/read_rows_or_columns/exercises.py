"""Exercises on notation: tokens as rows, tokens as columns."""

import numpy as np

from rooms.shared import edits
from workbench import whole


def _explain(got, want, X, W_query, W_key, W_value):
    values = W_value @ X
    gap = max((got - values.max(axis=1, keepdims=True)).max(), (values.min(axis=1, keepdims=True) - got).max())
    if gap > 1e-3:
        return f"A column of H is a mixture of the columns of V, and yours leaves their range by {gap:.3f}."
    return None


def _hint(error, X, W_query, W_key, W_value):
    text = str(error)
    if isinstance(error, ValueError) and any(
        words in text for words in ("matmul", "not aligned", "dimension mismatch")
    ):
        return f"Tokens are columns: X {X.shape}, and W_query {W_query.shape} stands on its left, W_query @ X."
    if "same width" in text or "same number of tokens" in text:
        return "The helper takes tokens as rows: hand it the transposes."
    return None


def _case(seed, num_features, num_tokens, d, d_v):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(num_features, num_tokens)) / 2
    sizes = ((d, num_features), (d, num_features), (d_v, num_features))
    return (X, *(rng.integers(-3, 4, size=size) / 2 for size in sizes))


ATTENTION_IN_COLUMNS = edits.exercise(
    """
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    scores = K.T @ Q / np.sqrt(len(Q))
    A = attention.softmax(scores, axis=0)
    return V @ A
""",
    # Squares first, where every transposed matrix fits and only the numbers tell (each mistake gives others).
    cases=[
        (
            np.array([[2.0, -1.0], [-2.0, -1.0]]),
            np.array([[0.0, -1.0], [1.0, -2.0]]),
            np.array([[1.0, -2.0], [-2.0, 2.0]]),
            np.array([[2.0, -1.0], [2.0, -2.0]]),
        ),
        _case(2, num_features=3, num_tokens=4, d=3, d_v=3),
        _case(7, num_features=3, num_tokens=5, d=2, d_v=2),
        _case(11, num_features=5, num_tokens=3, d=7, d_v=2),
        whole(_case(3, num_features=2, num_tokens=3, d=2, d_v=3)),
        _case(5, num_features=3, num_tokens=1, d=2, d_v=2),
    ],
    mistakes="""
=> (V @ A).T | These are the outputs as rows; the notes want them back as columns: transpose at the end.
=> attention.scaled_dot_product_attention(X @ W_query, X @ W_key, X @ W_value).output | The tokens were read as rows. Here each column of X is a token: transpose X and the matrices first.
=> attention.scaled_dot_product_attention(X @ W_query, X @ W_key, X @ W_value).output.T | The tokens were read as rows, and only the output was transposed: X and the matrices need it, too.
=> attention.scaled_dot_product_attention(X @ W_query.T, X @ W_key.T, X @ W_value.T).output | The matrices were transposed and X was not: each column of X is a token, so hand X.T to the rows.
=> attention.scaled_dot_product_attention(Q, K, V).output | Q Kᵀ of columns compares features with features: take Kᵀ Q, or hand the helper Q.T, K.T and V.T.
K.T @ Q => Q @ K.T ;; , axis=0 => ;; => A @ V | Q Kᵀ of columns compares features with features: for columns the scores are Kᵀ Q.
K.T @ Q => Q @ K.T ;; => A @ V |
K.T @ Q => Q @ K.T |
K.T @ Q => Q @ K.T ;; , axis=0 => |
=> A @ V | A V is for rows; where tokens are columns, V stands in front: V A.
=> A @ V.T | A Vᵀ is no mixture of the columns of V: H = V A.
, axis=0 => | The shares sum to 1 along the rows of Kᵀ Q: with tokens as columns each query owns a column of it, and softmax runs along axis=0.
, axis=0 => ;; => V @ A.T | Each column of A shares out the queries, not the keys: take Kᵀ Q, not Qᵀ K, softmax with axis=0, and V A for the output.
=> V @ A.T | A stands the wrong way round: each of its columns must hold one query's weights, and H = V A.
/ np.sqrt(len(Q)) => | The scores were not divided by √d_k.
np.sqrt(len(Q)) => len(Q) | The scores were divided by d_k; divide by its root, √d_k.
len(Q) => len(X) | The scores were divided by the root of the number of features of X; divide by that of d_k, the height of Q and K.
len(Q) => X.shape[1] | The scores were divided by the root of the number of tokens; divide by that of d_k, the height of Q and K.
/ np => * np | The scores were multiplied by √d_k; divide by it.
attention.softmax(scores, axis=0) => scores | Softmax is missing: the scores themselves were used as weights.
attention.softmax(scores, axis=0) => np.exp(scores) | The powers were not divided by their sum: each column of A must sum to 1.
attention.softmax(scores, axis=0) => softmax(scores.ravel()).reshape(scores.shape) | Softmax ran over the whole matrix: each column must sum to 1.
=> A | These are the weights A; the output is H = V A.
=> V | These are the values V; the weights must mix them: V A.
W_value @ X => X | W_value was left out: the weights mix the values W_value X, not the tokens.
=> X @ softmax(X.T @ X, axis=0) | The learned matrices were left out: X stands in place of queries, keys and values.
=> X @ softmax(X.T @ X / np.sqrt(len(X)), axis=0) |
W_query @ X, W_key @ X, W_value @ X => W_query.T @ X, W_key.T @ X, W_value.T @ X | With columns W_query stands on the left of X as it is, W_query @ X; X.T @ W_query or W_query.T @ X transposes it.
""",
    praise="Right: the same numbers as with rows, one column for each token.",
    explain=_explain,
    hint=_hint,
)
