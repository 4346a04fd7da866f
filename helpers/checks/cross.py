"""Exercises on one sequence that asks another."""

import math

import numpy as np

from helpers.attention import multi_head_attention, scaled_dot_product_attention, softmax
from helpers.checks.cases import whole
from helpers.checks.exercise import Exercise
from helpers.checks.reading import Stop


def _attend(query, key, value, **how):
    return scaled_dot_product_attention(query, key, value, **how).output


def _cross(Y, X, W_query, W_key, W_value):
    return _attend(Y @ W_query, X @ W_key, X @ W_value)


def _scores(Y, X, W_query, W_key):
    return Y @ W_query @ (X @ W_key).T / math.sqrt(W_query.shape[1])


def _by_weights(weigh):
    """The output with weights made in another way from the scaled scores."""
    return lambda Y, X, W_query, W_key, W_value: weigh(_scores(Y, X, W_query, W_key)) @ (X @ W_value)


def _with_scale(scale):
    """The output with another scale, a function of the arguments."""
    return lambda Y, X, W_query, W_key, W_value: _attend(
        Y @ W_query, X @ W_key, X @ W_value, scale=scale(Y, X, W_query, W_value)
    )


def _explain(got, want, Y, X, *matrices):
    return (
        f"For {len(Y)} tokens that ask and {len(X)} that are asked, row 1 is {_row(got)}, where {_row(want)} is right."
    )


def _row(output):
    return "[" + ", ".join(f"{x:.3f}" for x in output[0]) + "]"


def _hint(error, Y, X, *matrices):
    if not isinstance(error, (ValueError, TypeError, IndexError)):
        return None
    return (
        f"Here Y is {Y.shape}, X is {X.shape}: queries come from Y, keys and values from X, and the scores are "
        f"{len(Y)} × {len(X)}."
    )


def _cases():
    rng = np.random.default_rng(11)

    def case(num_queries, num_keys, of_y, of_x, d_k, d_v):
        shapes = (num_queries, of_y), (num_keys, of_x), (of_y, d_k), (of_x, d_k), (of_x, d_v)
        return tuple(rng.integers(-3, 4, size=shape) / 2 for shape in shapes)

    B_A, A_A_B_A = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    W_query, W_key, W_value = (
        np.array(W) for W in ([[1.0, 2.0], [0.0, 1.0]], [[0.0, 1.0], [2.0, 1.0]], [[1.0, 3.0], [4.0, 2.0]])
    )
    return [
        case(3, 3, 3, 3, 3, 3),  # of one length, so that mixed-up sides give numbers and not an error
        (B_A, A_A_B_A, W_query, W_key, W_value),
        case(5, 3, 4, 4, 4, 4),
        case(2, 5, 4, 3, 7, 6),
        case(5, 2, 3, 7, 2, 3),
        case(1, 4, 2, 3, 4, 1),
        whole((B_A, A_A_B_A, W_query, W_key, W_value)),
        case(2, 1, 2, 3, 2, 2),
    ]


CROSS = Exercise(
    name="cross_attention",
    stages={
        "values": lambda Y, X, Q, K, V: X @ V,
        "queries": lambda Y, X, Q, K, V: Y @ Q,
        "keys": lambda Y, X, Q, K, V: X @ K,
        "scores": lambda Y, X, Q, K, V: _scores(Y, X, Q, K),
        "weights": lambda Y, X, Q, K, V: softmax(_scores(Y, X, Q, K)),
    },
    solve=_cross,
    remakes=(multi_head_attention,),
    cases=_cases(),
    mistakes={
        "The roles are exchanged: here X asks and Y answers. Queries come from Y, keys and values from X.": lambda Y, X, W_query, W_key, W_value: (
            _cross(X, Y, W_query, W_key, W_value)
        ),
        "The queries are made of X by W_key and the keys of Y by W_query: the scores are transposed.": lambda Y, X, W_query, W_key, W_value: (
            softmax(_scores(Y, X, W_query, W_key).T) @ (Y @ W_value)
        ),
        "W_key and W_value are exchanged: keys are X @ W_key, values X @ W_value.": lambda Y, X, W_query, W_key, W_value: (
            _cross(Y, X, W_query, W_value, W_key)
        ),
        "The scores are not scaled: divide them by √d_k.": _with_scale(lambda Y, X, W_query, W_value: 1.0),
        "The scores are multiplied by √d_k; divide by it.": _with_scale(
            lambda Y, X, W_query, W_value: math.sqrt(W_query.shape[1])
        ),
        "The scores are divided by the root of the width of Y; d_k is the width of queries and keys.": _with_scale(
            lambda Y, X, W_query, W_value: 1 / math.sqrt(Y.shape[1])
        ),
        "The scores are divided by the root of the width of X; d_k is the width of queries and keys.": _with_scale(
            lambda Y, X, W_query, W_value: 1 / math.sqrt(X.shape[1])
        ),
        "The scores are divided by √d_v, the width of the values; d_k is the width of queries and keys.": _with_scale(
            lambda Y, X, W_query, W_value: 1 / math.sqrt(W_value.shape[1])
        ),
        "The scores are divided by the root of the number of keys; divide by √d_k, the width of a key.": _with_scale(
            lambda Y, X, W_query, W_value: 1 / math.sqrt(len(X))
        ),
        "The scores are divided by the root of the number of queries; divide by √d_k, the width of a query.": _with_scale(
            lambda Y, X, W_query, W_value: 1 / math.sqrt(len(Y))
        ),
        "Softmax is missing: the scores were used as weights.": _by_weights(lambda scores: scores),
        "The powers were not divided by their sum: the rows of weights must sum to 1.": _by_weights(np.exp),
        "The values are X itself; multiply it by W_value.": lambda Y, X, W_query, W_key, W_value: _attend(
            Y @ W_query, X @ W_key, X
        ),
        "The queries are Y itself; multiply it by W_query.": lambda Y, X, W_query, W_key, W_value: _attend(
            Y, X @ W_key, X @ W_value
        ),
        "The keys are X itself; multiply it by W_key.": lambda Y, X, W_query, W_key, W_value: _attend(
            Y @ W_query, X, X @ W_value
        ),
        "No matrix was used: queries are Y @ W_query, keys X @ W_key, values X @ W_value.": lambda Y, X, W_query, W_key, W_value: (
            _attend(Y, X, X)
        ),
        "The matrices were transposed: tokens are rows and matrices multiply from the right, Y @ W_query.": lambda Y, X, W_query, W_key, W_value: (
            _cross(Y, X, W_query.T, W_key.T, W_value.T)
        ),
        "Those are the weights; the output is the weights times the values.": lambda Y, X, W_query, W_key, W_value: (
            softmax(_scores(Y, X, W_query, W_key))
        ),
        "Those are the scores; softmax and the mixture of the values follow.": lambda Y, X, W_query, W_key, W_value: (
            _scores(Y, X, W_query, W_key)
        ),
        "A causal mask was used; the source lies there whole, and every query may see all of it.": lambda Y, X, W_query, W_key, W_value: (
            _by_weights(lambda scores: softmax(np.where(np.tri(*scores.shape, dtype=bool), scores, -np.inf)))(
                Y, X, W_query, W_key, W_value
            )
        ),
        "Base 3 kept the fractions of the example; softmax takes base e.": lambda Y, X, W_query, W_key, W_value: (
            _attend(Y @ W_query, X @ W_key, X @ W_value, base=3)
        ),
    },
    praise="Right, for any two lengths: as many outputs as there are tokens that ask.",
    explain=_explain,
    hint=_hint,
)

# --- keys and values, made once ----------------------------------------------------------------------------------------


def _queries(W_key):
    return np.random.default_rng(5).integers(-3, 4, size=(3, W_key.shape[1])) / 2


def _asked(ask, X, W_key, W_value):
    """What three queries are answered, after the tokens and the matrices are gone."""
    if not callable(ask):
        raise Stop("wrong", f"remember must return a function that answers a query, got {type(ask).__name__}.")
    queries = _queries(W_key)
    for array in (X, W_key, W_value):
        array[...] = 0
    outputs = [ask(query) for query in queries]
    if any(output is None for output in outputs):
        raise Stop(
            "wrong", "The function that remember returns gives back nothing: end the inner one with return, too."
        )
    return outputs


def _remembered(
    X, W_key, W_value, score=lambda q, K, V: q @ K.T / math.sqrt(K.shape[1]), weigh=softmax, mix=lambda w, K, V: w @ V
):
    K, V = X @ W_key, X @ W_value
    return mix(weigh(score(_queries(W_key), K, V)), K, V)


def _instead(**steps):
    return lambda *arguments: _remembered(*arguments, **steps)


REMEMBER = Exercise(
    name="remember",
    solve=_remembered,
    cases=[case[1:2] + case[3:] for case in _cases()],
    use=_asked,
    stages={
        "values": lambda X, W_key, W_value: X @ W_value,
        "keys": lambda X, W_key, W_value: X @ W_key,
        "scores": _instead(weigh=np.array, mix=lambda w, K, V: w),
        "weights": _instead(mix=lambda w, K, V: w),
    },
    mistakes={
        "When a query comes, X and both matrices are empty, and what is made of them then is 0: make keys and values before, once, outside of the inner function, and use those alone.": [
            lambda X, W_key, W_value: np.zeros((3, W_value.shape[1])),
            _instead(weigh=lambda scores: np.full(scores.shape, 1 / scores.shape[-1])),
        ],
        "The scores were not divided by √d_k.": _instead(score=lambda q, K, V: q @ K.T),
        "The scores were divided by d_k; divide by its root.": _instead(score=lambda q, K, V: q @ K.T / K.shape[1]),
        "The scores were used as weights: softmax comes between them.": _instead(weigh=np.array),
        "Those are the weights; the values are mixed by them.": _instead(mix=lambda w, K, V: w),
        "Each value was weighted; now add them up.": _instead(mix=lambda w, K, V: w[..., None] * V),
    },
    explain=lambda got, want, *arguments: (
        "The first query is answered right, the next ones are not: asking must leave keys and values as they were."
        if np.allclose(got[0], want[0], atol=1e-5)
        else None
    ),
    praise="Right: what a query needs outlives X and its matrices. Where keys and values themselves are kept, and not made anew for each query, this is the cache that makes writing token by token quick.",
)

EXERCISES = [CROSS, REMEMBER]
