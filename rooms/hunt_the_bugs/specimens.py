"""Ten attentions with one classic mistake each, wrong on purpose, and ten rules that a right one keeps.

All have one signature: attend(X, W_query, W_key, W_value, num_heads=1, mask=None) -> output, weights, with X
(num_tokens, d_model), three matrices (d_model, width), output (num_tokens, width) and weights (num_heads, num_tokens,
num_tokens). They believe what they are given: only a right attention has errors to raise.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from helpers.attention import causal_mask, softmax, split_heads
from helpers.support import inputs


class Steps(NamedTuple):
    """The steps of attention, each a function that may be replaced by a wrong one.

    project : (X, W_query, W_key, W_value) -> query, key, value
    split : (x, num_heads) -> (num_heads, num_tokens, d_head)
    scale : (dot products, d_head) -> scores
    weigh : (scores, mask) -> weights
    mix : (weights, key, value) -> outputs of the heads
    """

    project: Callable
    split: Callable
    scale: Callable
    weigh: Callable
    mix: Callable


def attention_of(steps):
    """Make an attention of its steps: attend(X, W_query, W_key, W_value, num_heads=1, mask=None) -> output, weights."""

    if not isinstance(steps, Steps):
        raise TypeError(f"steps must be Steps, such as RIGHT, got {type(steps).__name__}.")

    def attend(X, W_query, W_key, W_value, num_heads=1, mask=None):
        query, key, value = (steps.split(x, num_heads) for x in steps.project(X, W_query, W_key, W_value))
        scores = steps.scale(query @ np.swapaxes(key, -1, -2), query.shape[-1])
        weights = steps.weigh(scores, np.ones(scores.shape, bool) if mask is None else mask)
        heads = steps.mix(weights, key, value)
        return np.swapaxes(heads, -2, -3).reshape(len(X), -1), weights  # merge_heads would refuse NaN

    return attend


RIGHT = Steps(
    project=lambda X, W_query, W_key, W_value: (X @ W_query, X @ W_key, X @ W_value),
    split=split_heads,
    scale=lambda dot_products, d_head: dot_products / math.sqrt(d_head),
    weigh=lambda scores, mask: softmax(np.where(mask, scores, -np.inf)),
    mix=lambda weights, key, value: weights @ value,
)


def _powers_alone(scores, mask):
    with np.errstate(over="ignore", invalid="ignore"):
        powers = np.exp(np.where(mask, scores, -np.inf))
        return powers / powers.sum(axis=-1, keepdims=True)


def _scale_in_place(X, W_query, W_key, W_value):
    queries = X @ W_query
    W_query[...] = W_query / 2
    return queries, X @ W_key, X @ W_value


MISTAKES = {  # in words -> the steps, of which one is wrong
    "softmax runs over the queries": RIGHT._replace(weigh=lambda scores, mask: softmax(np.where(mask, scores, -np.inf), axis=-2)),
    "the scores are not divided by √d_k": RIGHT._replace(scale=lambda dot_products, d_head: dot_products),
    "the largest score is not subtracted": RIGHT._replace(weigh=_powers_alone),
    "queries and keys are exchanged": RIGHT._replace(project=lambda X, W_query, W_key, W_value: (X @ W_key, X @ W_query, X @ W_value)),
    "keys are mixed, not values": RIGHT._replace(mix=lambda weights, key, value: weights @ key),
    "weights are masked after softmax": RIGHT._replace(weigh=lambda scores, mask: np.where(mask, softmax(scores), 0)),
    "blocked scores are set to 0": RIGHT._replace(weigh=lambda scores, mask: softmax(np.where(mask, scores, 0))),
    "the mask opens one step too many": RIGHT._replace(weigh=lambda scores, mask: RIGHT.weigh(scores, mask | np.roll(mask, 1, axis=-1))),
    "heads are cut by reshape alone": RIGHT._replace(split=lambda x, num_heads: x.reshape(num_heads, len(x), -1)),
    "a matrix is changed along the way": RIGHT._replace(project=_scale_in_place),
}  # fmt: skip
ORDER = (4, 6, 1, 9, 3, 8, 2, 10, 5, 7)  # specimen 1 makes the fourth mistake


def specimen(number):
    """Hand out one of the ten.

    Parameters
    ----------
    number : 1 to 10

    Returns
    -------
    attend : function(X, W_query, W_key, W_value, num_heads=1, mask=None) -> output, weights

    Examples
    --------
    >>> output, weights = specimen(3)(np.eye(2), np.eye(2), np.eye(2), np.eye(2))
    >>> weights.shape
    (1, 2, 2)
    """
    return attention_of(MISTAKES[mistake_of(number)])


def mistake_of(number):
    """Tell which mistake a specimen makes: one of the names in MISTAKES."""
    number = inputs.whole_number("number", number, minimum=1)
    if number > len(ORDER):
        raise ValueError(f"number must be one of the specimens 1 to {len(ORDER)}, got {number}.")
    return list(MISTAKES)[ORDER[number - 1] - 1]


# --- what a right one keeps ------------------------------------------------------------------------------------------

X = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0], [0.0, 2.0, 1.0, 1.0]])
W_QUERY = np.array([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 1.0]])
W_KEY = np.array([[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0]])
W_VALUE = np.array([[1.0, 0.0, 0.0, 2.0], [0.0, 3.0, 1.0, 0.0], [2.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
for _array in (X, W_QUERY, W_KEY, W_VALUE):
    _array.flags.writeable = False  # one specimen would change them for all that come after it
CAUSAL = causal_mask(4)
SHUFFLE = [2, 0, 3, 1]
NUDGE = np.array([1.0, -1.0, 2.0, 0.5])


def ask(attend, X=X, W_query=W_QUERY, W_key=W_KEY, W_value=W_VALUE, num_heads=2, mask=None):
    """Call `attend` with copies, so that none can spoil what the next one gets."""
    return _answer(attend, X.copy(), W_query.copy(), W_key.copy(), W_value.copy(), num_heads, mask)


def _answer(attend, X, W_query, W_key, W_value, num_heads=1, mask=None):
    """What an attention answers, if that is an output and weights at all; the numbers may be as wrong as they like."""
    shapes = [(len(X), W_value.shape[1]), (num_heads, len(X), len(X))]
    answer = attend(X, W_query, W_key, W_value, num_heads, mask)
    if not isinstance(answer, tuple) or len(answer) != 2 or [np.shape(array) for array in answer] != shapes:
        got = [np.shape(array) for array in answer] if isinstance(answer, tuple) else type(answer).__name__
        raise ValueError(f"attend must return output and weights of shapes {shapes[0]} and {shapes[1]}, got {got}.")
    return answer


def _moved_by_the_last(attend):
    """(num_tokens,), how far each output moves when the last token is changed, under the causal mask."""
    changed = X + np.where(np.arange(4)[:, None] == 3, NUDGE, 0)
    return np.abs(ask(attend, changed, mask=CAUSAL)[0] - ask(attend, mask=CAUSAL)[0]).max(axis=-1)


def _twice(attend):
    matrices = [x.copy() for x in (W_QUERY, W_KEY, W_VALUE)]
    first, second = _answer(attend, X.copy(), *matrices)[0], _answer(attend, X.copy(), *matrices)[0]
    return np.abs(second - first).max()


def _one_asks(attend):
    deaf = np.diag([1.0, 1.0, 1.0, 0.0])  # only W_query reads the fourth feature
    given = {"W_key": deaf @ W_KEY, "W_value": deaf @ W_VALUE}
    before = ask(attend, **given)[0]
    after = ask(attend, X + np.outer([0, 1, 0, 0], [0, 0, 0, 3]), **given)[0]
    return np.abs(after - before)[[0, 2, 3]].max()


def _wide(attend):
    twice = {"W_query": np.hstack([W_QUERY] * 2), "W_key": np.hstack([W_KEY] * 2), "W_value": np.hstack([W_VALUE] * 2)}
    twice = {**twice, "W_query": twice["W_query"] / math.sqrt(2)}
    return np.abs(ask(attend, num_heads=1, **twice)[1] - ask(attend, num_heads=1)[1]).max()


RULES = {  # in words -> function(attend) -> the gap, by how much it breaks the rule; 0 = it keeps it
    "every row of weights sums to 1": lambda attend: np.abs(ask(attend, mask=CAUSAL)[1].sum(axis=-1) - 1).max(),
    "blocked keys have weight 0": lambda attend: np.abs(np.where(CAUSAL, 0, ask(attend, mask=CAUSAL)[1])).max(),
    "the last token moves no output before it": lambda attend: _moved_by_the_last(attend)[:3].max(),
    "the last token does not move the first output": lambda attend: _moved_by_the_last(attend)[0],
    "shuffled tokens give shuffled outputs": lambda attend: np.abs(ask(attend, X[SHUFFLE])[0] - ask(attend)[0][SHUFFLE]).max(),
    "what a token asks moves only its own output": _one_asks,
    "doubled values double the outputs": lambda attend: np.abs(ask(attend, W_value=2 * W_VALUE)[0] - 2 * ask(attend)[0]).max(),
    "twice the width leaves the weights as they are": _wide,
    "tokens a thousand times as large give numbers": lambda attend: (~np.isfinite(ask(attend, 1000 * X)[0])).mean(),  # the share that are none
    "asked twice, it gives the same answer": _twice,
}  # fmt: skip
SMALLEST_GAP = 1e-9


def gaps(attend, rules=RULES):
    """Hold an attention beside every rule.

    Parameters
    ----------
    attend : function(X, W_query, W_key, W_value, num_heads=1, mask=None) -> output, weights
    rules : dict, words -> function(attend) -> the gap

    Returns
    -------
    gaps : (num_rules,), 0 where the rule is kept, in the order of the rules; infinite where NaN breaks it

    Examples
    --------
    >>> gaps(attention_of(RIGHT)).any()
    np.False_
    """
    inputs.function("attend", attend)
    found = np.array([gap(attend) for gap in rules.values()])
    return np.where(found < SMALLEST_GAP, 0, np.where(np.isnan(found), np.inf, found))
