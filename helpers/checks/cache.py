"""The exercise on the cache of keys and values."""

import numpy as np

from helpers.attention import softmax
from helpers.checks import patterns
from helpers.checks.cases import whole
from helpers.checks.exercise import Exercise, Symptom


def _below(rows, new):
    return np.vstack([rows, new])


def _solve(
    x, keys, values, W_query, W_key, W_value, *, scale=lambda x, K: K.shape[1] ** -0.5, weigh=softmax, mix=lambda w, K, V: w @ V
):  # fmt: skip
    """One token is written and asks, with one of the steps changed."""
    K, V = _below(keys, x @ W_key), _below(values, x @ W_value)
    return mix(weigh(K @ (x @ W_query) * scale(x, K)), K, V)


def _but(**changes):
    return lambda *arguments: _solve(*arguments, **changes)


def _case(seed, num_kept, d_model, d_k, d_v):
    rng = np.random.default_rng(seed)
    shapes = (d_model,), (num_kept, d_k), (num_kept, d_v), (d_model, d_k), (d_model, d_k), (d_model, d_v)
    return tuple(rng.normal(size=shape).round(1) for shape in shapes)


_X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
_SWAP = np.array([[0.0, 1.0], [1.0, 0.0]])


def _shared_in_one_go(scores):
    """Powers of each score minus the largest so far, added up as they come."""
    powers = np.exp(scores - np.maximum.accumulate(scores))
    return powers / powers.sum()


def _explain(got, want, x, keys, values, *W):
    all_values = _below(values, x @ W[2])
    outside = max((got - all_values.max(axis=0)).max(), (all_values.min(axis=0) - got).max())
    if outside > 1e-3:
        return f"An output lies between the smallest and the largest value of each column; yours is outside by {outside:.3f}."
    return None


def _hint(error, x, keys, *rest):
    if len(keys) == 0:
        return "Nothing is kept before the first token: append its own key and value, then ask."
    if isinstance(error, AttributeError) and "append" in str(error):
        return "np.vstack([keys, row]) puts a row below an array."
    if isinstance(error, ValueError) and "dimension" in str(error):
        return "np.vstack puts x @ W_key below keys."
    return None


WRITE = Exercise(
    name="write_one_token",
    stages={
        "keys": lambda x, k, v, Q, K, V: _below(k, x @ K),
        "weights": _but(mix=lambda w, K, V: w),
    },
    solve=_solve,
    cases=[
        (_X[2], _X[:2], _X[:2], np.eye(2), np.eye(2), np.eye(2)),
        (_X[2] * [1, 2], _X[:2], np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), _SWAP, np.eye(2) * 2, np.ones((2, 3))),
        _case(1, 3, 5, 4, 2),
        _case(2, 6, 3, 9, 4),
        _case(3, 0, 4, 3, 2),
        _case(4, 1, 2, 4, 3),
        whole((_X[2], _X[:2], _X[:2], np.eye(2), np.eye(2), np.eye(2))),
        _case(5, 2, 3, 1, 1),
    ],
    mistakes={
        "The new token does not ask itself: put its own key and value below the others first.": [
            lambda x, K, V, *W, of_nothing=of_nothing: (
                softmax(K @ (x @ W[0]) * K.shape[1] ** -0.5) @ V if len(K) else of_nothing(V)
            )
            for of_nothing in (lambda V: None, lambda V: np.zeros(V.shape[1]))
        ],
        "The powers were divided by the sum of the old ones alone: the new token's own power belongs in that sum, too.": _but(
            weigh=lambda s: softmax(s) / softmax(s)[:-1].sum() if len(s) > 1 else s * np.inf
        ),
        patterns.SO_FAR: _but(weigh=patterns.so_far),
        "The scores are not divided: √d_k is missing.": _but(scale=lambda x, K: 1),
        "Divided by d_k, not by its root.": _but(scale=lambda x, K: 1 / K.shape[1]),
        "Divided by the root of how many keys there are; d_k is the width of a key.": _but(
            scale=lambda x, K: len(K) ** -0.5
        ),
        "Divided by the root of the width of x; d_k is the width of a key, keys.shape[1].": _but(
            scale=lambda x, K: len(x) ** -0.5
        ),
        "W_query and W_key have changed places: the new key is x @ W_key, the query x @ W_query.": lambda x, K, V, Q, *W: (
            _solve(x, K, V, W[0], Q, W[1])
        ),
        "The new key stands below the old ones and the new value above them: a key and its value need the same row.": _but(
            mix=lambda w, K, V: w @ np.roll(V, 1, axis=0)
        ),
        "The new key stands above the old ones and the new value below them: a key and its value need the same row.": _but(
            mix=lambda w, K, V: w @ np.roll(V, -1, axis=0)
        ),
        patterns.LARGER: _but(weigh=_shared_in_one_go),
        "The new key and value have overwritten the last ones; put them below.": lambda x, K, V, *W: _solve(
            x, K[:-1], V[:-1], *W
        ),
        "The mixture of the old values still counts in full beside the new one's share: multiply it by 1 − that share, or take one softmax over all.": (
            lambda x, K, V, *W: (
                _solve(x, K, V, *W, mix=lambda w, K, V: softmax(np.log(w[:-1])) @ V[:-1] + w[-1] * V[-1])
                if len(K)
                else x @ W[2]
            )
        ),
        Symptom(
            "The new token's own value was added in full: its weight comes from the same softmax as the others'."
        ): lambda x, K, V, *W: x @ W[2] + (softmax(K @ (x @ W[0]) * K.shape[1] ** -0.5) @ V if len(K) else 0),
        "Softmax is missing: the scores themselves mixed the values.": [
            _but(weigh=np.array),
            _but(weigh=np.array, scale=lambda x, K: 1),
        ],
        "These are the weights; the output is weights @ values.": _but(mix=lambda w, K, V: w),
        Symptom("The new token's own value is not mixed in: its weight counts, and its value, too."): _but(
            mix=lambda w, K, V: w[:-1] @ V[:-1]
        ),
        "The keys were mixed instead of the values.": _but(mix=lambda w, K, V: w @ K),
    },
    praise="Right: one key, one value and one row of scores for each token, and no mask is needed.",
    explain=_explain,
    hint=_hint,
)
