"""Five models of today with one classic mistake each, wrong on purpose, and six rules that a right one keeps.

All have one signature: run(X, layers, first=0, caches=None) -> output, caches, with X (num_tokens, d_model), a list of dicts of
matrices, and the position of the first token that is new. They believe what they are given.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from helpers.attention import causal_mask, merge_heads, scaled_dot_product_attention, softmax, split_heads
from helpers.layers import rms_norm
from helpers.positions import rotate
from helpers.since_2017.experts import swiglu
from helpers.since_2017.sparse import best_mask
from helpers.support import inputs

HEADS, SHARED, CHOSEN = 4, 2, 2  # query heads, heads of keys and values, experts for each token


class Parts(NamedTuple):
    """The parts of a model, each a function that may be replaced by a wrong one.

    place : (first, past, num_tokens) -> the positions of the new tokens
    turn : (query, key, value, positions) -> query, key, value
    share : heads of keys or values -> one for each query head
    mask : (num_queries, num_keys) -> Boolean
    add : (x, step) -> x and what the step adds
    spread : scores of the experts -> shares
    """

    place: Callable
    turn: Callable
    share: Callable
    mask: Callable
    add: Callable
    spread: Callable


RIGHT = Parts(
    place=lambda first, past, num_tokens: first + past + np.arange(num_tokens),
    turn=lambda query, key, value, positions: (rotate(query, positions), rotate(key, positions), value),
    share=lambda heads: np.repeat(heads, HEADS // SHARED, axis=0),
    mask=causal_mask,
    add=lambda x, step: x + step(rms_norm(x)),
    spread=lambda scores: softmax(np.where(best_mask(scores, CHOSEN), scores, -np.inf)),
)
MISTAKES = {  # in words -> the parts, of which one is wrong
    "new tokens count their positions from 0": RIGHT._replace(
        place=lambda first, past, num_tokens: first + np.arange(num_tokens)
    ),
    "values are turned, too": RIGHT._replace(
        turn=lambda query, key, value, positions: tuple(rotate(x, positions) for x in (query, key, value))
    ),
    "shared heads are tiled, not repeated": RIGHT._replace(share=lambda heads: np.tile(heads, (HEADS // SHARED, 1, 1))),
    "the mask opens one step too many": RIGHT._replace(
        mask=lambda num_queries, num_keys: (
            causal_mask(num_queries, num_keys) | np.eye(num_queries, num_keys, num_keys - num_queries + 1, bool)
        )
    ),
    "the norm is on the way around, not inside the step": RIGHT._replace(
        add=lambda x, step: rms_norm(x) + step(rms_norm(x))
    ),
    "an expert's share is taken of all experts": RIGHT._replace(
        spread=lambda scores: np.where(best_mask(scores, CHOSEN), softmax(scores), 0)
    ),
}
ORDER = (3, 6, 1, 5, 2)  # specimen 1 makes the third mistake; nobody makes the fourth


def model_of(parts):
    """Make a model of its parts: run(X, layers, first=0, caches=None) -> output, caches."""
    if not isinstance(parts, Parts):
        raise TypeError(f"parts must be Parts, such as RIGHT, got {type(parts).__name__}.")

    def attend(x, layer, first, cache):
        query = split_heads(x @ layer["W_query"], HEADS)
        key, value = (split_heads(x @ layer[name], SHARED) for name in ("W_key", "W_value"))
        past = 0 if cache is None else cache[0].shape[1]
        query, key, value = parts.turn(query, key, value, parts.place(first, past, len(x)))
        if cache is not None:
            key, value = (np.concatenate(pair, axis=1) for pair in zip(cache, (key, value)))
        found = scaled_dot_product_attention(
            query, parts.share(key), parts.share(value), mask=parts.mask(len(x), past + len(x))
        )
        return merge_heads(found.output) @ layer["W_output"], (key, value)

    def think(x, layer):
        shares = parts.spread(x @ layer["W_router"])
        return sum(share[:, None] * swiglu(x, *expert) for share, expert in zip(shares.T, layer["experts"]))

    def run(X, layers, first=0, caches=None):
        kept, x = [], X
        for layer, cache in zip(layers, caches or [None] * len(layers)):
            x = parts.add(
                x, lambda normed, layer=layer, cache=cache: _keeping(kept, attend(normed, layer, first, cache))
            )
            x = parts.add(x, lambda normed, layer=layer: think(normed, layer))
        return x, kept

    return run


def _keeping(kept, found):
    kept.append(found[1])
    return found[0]


def specimen(number):
    """Hand out one of the five models, 1 to 5."""
    return model_of(MISTAKES[mistake_of(number)])


def mistake_of(number):
    """Tell which mistake a specimen makes: one of the names in MISTAKES."""
    number = inputs.whole_number("number", number, minimum=1, maximum=len(ORDER))
    return list(MISTAKES)[ORDER[number - 1] - 1]


# --- what a right one keeps ------------------------------------------------------------------------------------------


def _layer(rng, d_model=8, d_ff=6, num_experts=4):
    shapes = {
        "W_query": d_model,
        "W_key": d_model // 2,
        "W_value": d_model // 2,
        "W_output": d_model,
        "W_router": num_experts,
    }
    layer = {name: rng.normal(size=(d_model, width)) / 2 for name, width in shapes.items()}
    sizes = [(d_model, d_ff), (d_model, d_ff), (d_ff, d_model)]
    return layer | {"experts": [[rng.normal(size=size) / 2 for size in sizes] for _ in range(num_experts)]}


_RNG = np.random.default_rng(24)
X, LAYERS = _RNG.normal(size=(5, 8)), [_layer(_RNG) for _ in range(2)]


def _changed(**changes):
    """All layers, with some of their entries made anew: name=function(layer) -> the entry."""
    return [layer | {name: change(layer) for name, change in changes.items()} for layer in LAYERS]


def _gap(one, other):
    return np.abs(one - other).max()


def _last_token(run):
    moved = X + np.where(np.arange(5)[:, None] == 4, 1.0, 0.0)
    return _gap(run(moved, LAYERS)[0][:4], run(X, LAYERS)[0][:4])


def _token_by_token(run):
    rows, caches = [], None
    for row in X[:, None]:
        output, caches = run(row, LAYERS, 0, caches)
        rows.append(output[0])
    return _gap(np.array(rows), run(X, LAYERS)[0])


def _further_on(run):
    return _gap(run(X, LAYERS, 7)[0], run(X, LAYERS)[0])


def _partners(run):
    """The first two query heads, which share a key, change places, and so do the rows of the output matrix that read them."""
    places = [2, 3, 0, 1, 4, 5, 6, 7]
    swapped = _changed(
        W_query=lambda layer: layer["W_query"][:, places], W_output=lambda layer: layer["W_output"][places]
    )
    return _gap(run(X, swapped)[0], run(X, LAYERS)[0])


def _silent(run):
    silent = _changed(
        W_output=lambda layer: 0 * layer["W_output"],
        experts=lambda layer: [[gate, up, 0 * down] for gate, up, down in layer["experts"]],
    )
    return _gap(run(X, silent)[0], X)


def _alike(run):
    same = {"experts": lambda layer: [layer["experts"][0]] * 4}
    return _gap(run(X, _changed(**same))[0], run(X, _changed(**same, W_router=lambda layer: 3 * layer["W_router"]))[0])


RULES = {  # in words -> function(run) -> the gap, by how much it breaks the rule; 0 = it keeps it
    "the last token moves no output before it": _last_token,
    "token by token with a cache, all outputs stay": _token_by_token,
    "seven positions further on, all outputs stay": _further_on,
    "two query heads that share a key may change places": _partners,
    "a layer that adds 0 passes everything on": _silent,
    "if all experts are alike, the router does not matter": _alike,
}
SMALLEST_GAP = 1e-9


def gaps(run):
    """Hold a model beside every rule.

    Parameters
    ----------
    run : function(X, layers, first=0, caches=None) -> output, caches

    Returns
    -------
    gaps : (num_rules,), 0 where the rule is kept, in the order of RULES

    Examples
    --------
    >>> gaps(model_of(RIGHT)).any()
    np.False_
    """
    inputs.function("run", run)
    found = np.array([gap(run) for gap in RULES.values()])
    return np.where(found < SMALLEST_GAP, 0, found)
