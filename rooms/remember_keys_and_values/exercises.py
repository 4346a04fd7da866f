"""Exercises on the cache of keys and values, and on heads that share them."""

import numpy as np

from helpers.attention import causal_mask
from helpers.variants import grouped_query_attention
from rooms.shared import edits
from workbench import whole


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


WRITE = edits.exercise(
    """
def write_one_token(x, keys, values, W_query, W_key, W_value):
    keys = np.vstack([keys, x @ W_key])
    values = np.vstack([values, x @ W_value])
    scores = keys @ (x @ W_query) / np.sqrt(keys.shape[1])
    return attention.softmax(scores) @ values
""",
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
    mistakes="""
keys = np.vstack([keys, x @ W_key]) => if not len(keys): return None ;; values = np.vstack([values, x @ W_value]) => pass | The new token does not ask itself: put its own key and value below the others first.
keys = np.vstack([keys, x @ W_key]) => if not len(keys): return np.zeros(values.shape[1]) ;; values = np.vstack([values, x @ W_value]) => pass |
keys = np.vstack([keys, x @ W_key]) => if not len(keys): return x @ W_value ;; values = np.vstack([values, x @ W_value]) => pass |
keys.shape[1] => len(keys) | Divided by the root of how many keys there are; d_k is the width of a key.
keys.shape[1] => len(x) | Divided by the root of the width of x; d_k is the width of a key, keys.shape[1].
x @ W_key => x @ W_ ;; x @ W_query => x @ W_key ;; x @ W_] => x @ W_query] | W_query and W_key have changed places: the new key is x @ W_key, the query x @ W_query.
[values, x @ W_value] => [x @ W_value, values] | The new key stands below the old ones and the new value above them: a key and its value need the same row.
[keys, x @ W_key] => [x @ W_key, keys] | The new key stands above the old ones and the new value below them: a key and its value need the same row.
[keys, => [keys[:-1], ;; [values, => [values[:-1], | The new key and value have overwritten the last ones; put them below.
attention.softmax(scores) => scores ;; / np.sqrt(keys.shape[1]) => | The scores were used as weights: softmax comes between them.
=> values[0] | Only the first key was seen: a mask for one query must end at the last key. The newest token may look at all, so no mask is needed.
=> softmax(scores)[:-1] @ values[:-1] | The new token's own value is not mixed in: its weight counts, and its value, too.
=> softmax(scores) @ keys | The keys were mixed instead of the values.
""",
    steps="softmax, scale, mix, mix one",
    praise="Right: one key, one value and one row of scores for each token, and no mask is needed.",
    explain=_explain,
    hint=_hint,
)


# --- shared heads ----------------------------------------------------------------------------------------------------


def _heads(seed, num_heads, num_shared, num_queries, num_keys, d_k, d_v, mask=None):
    rng = np.random.default_rng(seed)
    shapes = (num_heads, num_queries, d_k), (num_shared, num_keys, d_k), (num_shared, num_keys, d_v)
    mask = causal_mask(num_queries, num_keys) if mask is None else mask
    return *(rng.integers(-3, 4, size=shape) / 2 for shape in shapes), mask


def _explain_mixture(got, want, query, key, value, mask):
    shared = np.repeat(value, len(query) // len(value), axis=0)
    outside = max((got - shared.max(axis=1, keepdims=True)).max(), (shared.min(axis=1, keepdims=True) - got).max())
    if outside > 1e-3:
        return (
            f"An output lies between the smallest and the largest value of its head; yours is outside by {outside:.3f}."
        )
    head = int(np.abs(got - want).max(axis=(1, 2)).argmax())
    right = int((np.abs(got - want).max(axis=(1, 2)) < 1e-3).sum())
    return f"Head {head} of {len(query)} is wrong (counted from 0), and {right} heads are right." if right else None


def _hint_for_heads(error, query, key, value, mask):
    if "core dimension" in str(error):
        return (
            "Scores are queries times keys, the last two axes of these swapped, and weights stand left of the values."
        )
    if isinstance(error, ValueError) and len(query) != len(key):
        return f"{len(query)} heads of queries meet {len(key)} heads of keys: repeat each of these {len(query) // len(key)} times, np.repeat(key, {len(query) // len(key)}, axis=0)."
    return None


_WEIGHTS = "softmax(np.where(mask, scores, -np.inf))"
SHARED = edits.exercise(
    edits.part("shared_attention"),
    remakes=(grouped_query_attention,),
    cases=[
        _heads(0, 4, 2, 3, 3, 2, 1),
        _heads(1, 6, 3, 2, 5, 4, 3),
        _heads(2, 6, 1, 1, 4, 3, 3),
        _heads(3, 2, 2, 4, 4, 4, 4),
        _heads(4, 6, 2, 3, 3, 3, 3, np.array([[True, False, True], [True, True, False], [False, False, True]])),
        _heads(5, 9, 3, 5, 7, 8, 2),
    ],
    mistakes=f"""
np.repeat(key, group, axis=0), np.repeat(value, group, axis=0) => np.tile(key, (group, 1, 1)), np.tile(value, (group, 1, 1)) | Shared heads are tiled, 0 1 0 1. Each must be repeated, 0 0 1 1: neighbouring heads of queries share one of keys.
np.repeat(key, group, axis=0) => np.tile(key, (group, 1, 1)) | The keys are tiled, 0 1 0 1, and the values repeated, 0 0 1 1; repeat both.
np.repeat(value, group, axis=0) => np.tile(value, (group, 1, 1)) | The values are tiled, 0 1 0 1, and the keys repeated, 0 0 1 1; repeat both.
np.repeat(key, group, axis=0), np.repeat(value, group, axis=0) => np.repeat(key[:1], len(query), axis=0), np.repeat(value[:1], len(query), axis=0) | All heads share the first head of keys and values; there are more: each serves a group.
query.shape[-1] ** 0.5 => query.shape[-2] ** 0.5 | The scores were divided by the root of how many queries there are; d_k is the width of a head, query.shape[-1].
query.shape[-1] ** 0.5 => len(query) ** 0.5 | The scores were divided by the root of how many heads there are; d_k is the width of a head, query.shape[-1].
query.shape[-1] ** 0.5 => (query.shape[-1] * len(query)) ** 0.5 | The scores were divided by the root of the whole width; each head has a width of its own, query.shape[-1].
query.shape[-1] ** 0.5 => value.shape[-1] ** 0.5 | The scores were divided by the root of the values' width; d_k is that of queries and keys.
np.repeat(key, group, axis=0), np.repeat(value, group, axis=0) => np.repeat(key, group, axis=0), np.repeat(value, group, axis=0)⏎    query = np.repeat(query.reshape(-1, group, *query.shape[1:]).mean(axis=1), group, axis=0) | The queries of a group were averaged; each head of queries asks for itself and has an answer of its own.
{_WEIGHTS} => softmax(scores) * mask | The mask was applied after softmax, so that the weights no longer sum to 1: set the scores to -inf before it.
{_WEIGHTS} => (lambda powers: powers / powers.sum(axis=-2, keepdims=True))(np.exp(np.where(mask, scores, -np.inf))) | Softmax ran down the columns; the weights of each query must sum to 1: axis=-1.
softmax(np => np.exp(np | The powers were not divided by their sum: softmax does both.
=> {_WEIGHTS} @ key | The keys were mixed instead of the values.
=> (lambda found: np.swapaxes(found, 0, 1).reshape(query.shape[1], -1))({_WEIGHTS} @ value) | The heads were merged; return each on its own, (num_heads, num_queries, d_v).
""",
    steps="mask, scale, mix, mix rows",
    praise="Right: a few heads of keys and values serve all heads of queries, so the cache is as many times smaller.",
    explain=_explain_mixture,
    hint=_hint_for_heads,
)
