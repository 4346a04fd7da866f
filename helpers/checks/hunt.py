"""The exercise of the hunt: a test that knows a right attention from ten wrong ones."""

import numpy as np

from helpers import specimens
from helpers.attention import multi_head_attention, scaled_dot_product_attention, softmax
from helpers.checks.engine import Exercise

SHOWS = {  # mistake -> what brings it to light
    "softmax runs over the queries": "Its rows of weights do not sum to 1.",
    "the scores are not divided by √d_k": "Compare its weights with right ones.",
    "the largest score is not subtracted": "Try tokens a thousand times as large: it gives NaN.",
    "queries and keys are exchanged": "It hides where W_query equals W_key: use matrices that differ.",
    "keys are mixed, not values": "It hides where W_key equals W_value: use matrices that differ, and look at the output.",
    "weights are masked after softmax": "Try it with a mask: the rows of weights do not sum to 1.",
    "blocked scores are set to 0": "Try it with a mask: blocked keys have weight.",
    "the mask opens one step too many": "Try it with a causal mask: the key after the diagonal has weight.",
    "heads are cut by reshape alone": "Try it with num_heads=2.",
    "a matrix is changed along the way": "Call it twice with the same matrices, or look whether they have changed.",
}


def _by_helper(X, W_query, W_key, W_value, num_heads=1, mask=None):
    answer = multi_head_attention(X, W_query, W_key, W_value, np.eye(W_value.shape[1]), num_heads=num_heads, mask=mask)
    return answer.output, answer.weights


def _head_by_head(X, W_query, W_key, W_value, num_heads=1, mask=None):
    cut = [np.split(X @ W, num_heads, axis=1) for W in (W_query, W_key, W_value)]
    answers = [scaled_dot_product_attention(*qkv, mask=mask) for qkv in zip(*cut)]
    return np.hstack([answer.output for answer in answers]), np.stack([answer.weights for answer in answers])


def _with_divided_queries(X, W_query, W_key, W_value, num_heads=1, mask=None):
    def heads(x):
        return np.moveaxis(np.reshape(x, (len(x), num_heads, -1)), 1, 0)

    query = heads(X @ W_query) * (W_query.shape[1] / num_heads) ** -0.5
    scores = np.einsum("hqd,hkd->hqk", query, heads(X @ W_key))
    weights = softmax(scores if mask is None else np.where(mask, scores, -np.inf))
    return np.hstack(list(weights @ heads(X @ W_value))), weights


def _named(attend, name):
    def named(*arguments, **keywords):
        return attend(*arguments, **keywords)

    named.__name__ = name
    return named


RIGHT_ONES = [
    _named(_by_helper, "a_right_attention"),
    _named(_head_by_head, "a_right_attention_head_by_head"),
    _named(_with_divided_queries, "a_right_attention_with_divided_queries"),
]
SPECIMENS = [_named(specimens.specimen(k), f"specimen_{k}") for k in range(1, len(specimens.ORDER) + 1)]


def _is_right(attend):
    return attend in RIGHT_ONES


def _trust_all(attend):
    return True


def _explain(got, want, attend):
    if got not in (0, 1):
        return f"is_right must say True or False, got {got:g}."
    if want:
        return (
            f"It says False of {attend.__name__.replace('_', ' ')}. Sums may differ in their last digits: "
            "compare by np.allclose, and hand over X, W_query, W_key, W_value in this order."
        )
    number = SPECIMENS.index(attend) + 1
    mistake = specimens.mistake_of(number)
    return f"It says True of specimen {number}, in which {mistake}. {SHOWS[mistake]}"


def _hint(error, attend):
    if isinstance(error, AssertionError):
        return "Return False where something is wrong: an assert stops the whole test."
    if "read-only" in str(error):
        return "This specimen changes what it is given: hand over copies, and look whether they have changed."
    if "mask" in str(error):
        return "The mask is Boolean, (num_tokens, num_tokens), one for all heads."
    return "attend takes X, W_query, W_key, W_value, num_heads=1, mask=None and gives output, weights; num_heads must divide the width."


IS_RIGHT = Exercise(
    name="is_right",
    solve=_is_right,
    cases=[(attend,) for attend in [*RIGHT_ONES, *SPECIMENS]],
    mistakes={
"It says True of everything: call attend, look at what it gives, and return False where a rule breaks.": _trust_all,
"It says False of everything, of right ones too. Are its matrices made inside? One specimen changes what it gets.": lambda attend: False,
"It is upside down: True must mean that nothing wrong was found.": lambda attend: not _is_right(attend),
},
    praise="Right: your test trusts three right attentions, each written in another way, and none of the ten wrong ones.",
    explain=_explain,
    hint=_hint,
)  # fmt: skip

EXERCISES = [IS_RIGHT]
