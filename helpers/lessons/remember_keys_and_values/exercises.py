"""The exercise on the cache of keys and values."""

import numpy as np

from helpers.checks import edits
from helpers.checks.cases import whole
from helpers.checks.exercise import Exercise


def _below(rows, new):
    return np.vstack([rows, new])


def _case(seed, num_kept, d_model, d_k, d_v):
    rng = np.random.default_rng(seed)
    shapes = (d_model,), (num_kept, d_k), (num_kept, d_v), (d_model, d_k), (d_model, d_k), (d_model, d_v)
    return tuple(rng.normal(size=shape).round(1) for shape in shapes)


_X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
_SWAP = np.array([[0.0, 1.0], [1.0, 0.0]])


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


_SOLVE = edits.solution(
    """
def write_one_token(x, keys, values, W_query, W_key, W_value):
    keys = np.vstack([keys, x @ W_key])
    values = np.vstack([values, x @ W_value])
    scores = keys @ (x @ W_query) / np.sqrt(keys.shape[1])
    return attention.softmax(scores) @ values
""",
)
WRITE = Exercise(
    name="write_one_token",
    stages=edits.stages(_SOLVE, keys="keys", weights="softmax(scores)"),
    solve=_SOLVE,
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
    mistakes=edits.mistakes(
        _SOLVE,
        """
keys = np.vstack([keys, x @ W_key]) => if not len(keys): return None ;; values = np.vstack([values, x @ W_value]) => pass | The new token does not ask itself: put its own key and value below the others first.
keys = np.vstack([keys, x @ W_key]) => if not len(keys): return np.zeros(values.shape[1]) ;; values = np.vstack([values, x @ W_value]) => pass |
attention.softmax(scores) => (softmax(scores) / softmax(scores)[:-1].sum() if len(scores) > 1 else scores * np.inf) | The powers were divided by the sum of the old ones alone: the new token's own power belongs in that sum, too.
attention.softmax(scores) => (np.exp(scores) / np.cumsum(np.exp(scores))) | Each power was divided by the sum so far; divide once, by the whole sum, after the loop.
/ np.sqrt(keys.shape[1]) => | The scores are not divided: √d_k is missing.
np.sqrt(keys.shape[1]) => keys.shape[1] | Divided by d_k, not by its root.
keys.shape[1] => len(keys) | Divided by the root of how many keys there are; d_k is the width of a key.
keys.shape[1] => len(x) | Divided by the root of the width of x; d_k is the width of a key, keys.shape[1].
x @ W_key => x @ W_ ;; x @ W_query => x @ W_key ;; x @ W_] => x @ W_query] | W_query and W_key have changed places: the new key is x @ W_key, the query x @ W_query.
[values, x @ W_value] => [x @ W_value, values] | The new key stands below the old ones and the new value above them: a key and its value need the same row.
[keys, x @ W_key] => [x @ W_key, keys] | The new key stands above the old ones and the new value below them: a key and its value need the same row.
attention.softmax(scores) => (lambda powers: powers / powers.sum())(np.exp(scores - np.maximum.accumulate(scores))) | When a larger score comes, what was added up before must be multiplied by exp(old largest score − new one).
[keys, => [keys[:-1], ;; [values, => [values[:-1], | The new key and value have overwritten the last ones; put them below.
=> softmax(scores[:-1]) @ values[:-1] + softmax(scores)[-1] * values[-1] if len(scores) > 1 else values[-1] | The mixture of the old values still counts in full beside the new one's share: multiply it by 1 − that share, or take one softmax over all.
=> values[-1] + (softmax(scores[:-1]) @ values[:-1] if len(scores) > 1 else 0) | ~ The new token's own value was added in full: its weight comes from the same softmax as the others'.
attention.softmax(scores) => scores | Softmax is missing: the scores themselves mixed the values.
attention.softmax(scores) => scores ;; / np.sqrt(keys.shape[1]) => |
=> softmax(scores) | These are the weights; the output is weights @ values.
=> softmax(scores)[:-1] @ values[:-1] | ~ The new token's own value is not mixed in: its weight counts, and its value, too.
=> softmax(scores) @ keys | The keys were mixed instead of the values.
""",
    ),
    praise="Right: one key, one value and one row of scores for each token, and no mask is needed.",
    explain=_explain,
    hint=_hint,
)
