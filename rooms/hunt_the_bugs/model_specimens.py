"""Eleven models as they are served, with one classic mistake each, wrong on purpose, and twelve rules that a right one keeps.

All have one signature: run(X, layers, first=0, caches=None, real=None, starts=None) -> output, caches, with X (num_tokens, d_model) or
a batch of such texts, a list of dicts of matrices, the position of the first token that is new, for a batch, which tokens are no
padding, (num_texts, num_tokens) Boolean, and, for several texts in one row, where each begins and the last one ends, (num_texts + 1,).
A layer with a "decay" carries a state, any other one has attention. They believe what they are given.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from helpers.attention import causal_mask, merge_heads, softmax, split_heads
from helpers.layers import rms_norm
from helpers.positions import rotate
from helpers.serving import PagedCache
from helpers.since_2017.experts import swiglu
from helpers.since_2017.sparse import best_mask
from helpers.support import inputs
from rooms.hunt_the_bugs import specimens

HEADS, SHARED = 4, 2  # of queries, and of keys and values
CHOSEN, PAGE = 2, 4  # experts for each token, and tokens on a page


class Parts(NamedTuple):
    """The parts of a model, each a function that may be replaced by a wrong one.

    place : (first, past, num_tokens) -> the positions of the new tokens
    turn : (query, key, value, positions) -> query, key, value
    share : heads of keys or values -> one for each query head
    mask : (num_queries, num_keys) -> Boolean
    keep : (kept or None, key, value of the new tokens) -> what is kept now, and the keys and values of all
    hide : (mask, real) -> Boolean, in which no padding may be asked
    together : starts -> Boolean (num_tokens, num_tokens), whose texts are the same
    write : (value, real) -> the values that a state takes in
    weigh : scores (..., num_queries, num_keys) -> weights
    add : (x, step) -> x and what the step adds
    spread : scores of the experts -> shares
    """

    place: Callable
    turn: Callable
    share: Callable
    mask: Callable
    keep: Callable
    hide: Callable
    together: Callable
    write: Callable
    weigh: Callable
    add: Callable
    spread: Callable


def _same_text(starts):
    texts = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return texts[:, None] == texts


def _behind(kept, key, value):
    """Keys and values behind those that are kept."""
    pairs = (key, value) if kept is None else [np.concatenate(pair, axis=-2) for pair in zip(kept, (key, value))]
    return tuple(pairs), *pairs


def _shared_before_full():
    """A `keep` in pages, in which the last page of a beginning counts as full: two texts that begin alike write on one."""
    book, pages = PagedCache(PAGE), {}

    def keep(kept, key, value):
        ids, table = kept or ((), [])
        new = range(len(ids), len(ids) + key.shape[-2])
        ids += tuple(key[..., [t - new[0]], :].tobytes() for t in new)
        if len(ids) > PAGE * len(table):  # the mistake: filled up, so full
            table = table + book.enter(ids + (None,) * (-len(ids) % PAGE))[len(table) :]
        for t in new:
            empty = [np.zeros((*x.shape[:-2], PAGE, x.shape[-1])) for x in (key, value)]
            page = pages.setdefault(table[t // PAGE], empty)
            for x, place in zip((key, value), page):
                place[..., t % PAGE, :] = x[..., t - new[0], :]
        pairs = zip(*(pages[number] for number in table))
        return (ids, table), *(np.concatenate(each, axis=-2)[..., : len(ids), :] for each in pairs)

    return keep


RIGHT = Parts(
    place=lambda first, past, num_tokens: first + past + np.arange(num_tokens),
    turn=lambda query, key, value, positions: (rotate(query, positions), rotate(key, positions), value),
    share=lambda heads: np.repeat(heads, HEADS // SHARED, axis=-3),
    mask=causal_mask,
    keep=_behind,
    # padding may ask itself
    hide=lambda mask, real: mask & (real[:, None, None, :] | np.eye(mask.shape[-1], dtype=bool)),
    together=_same_text,
    write=lambda value, real: value * real[..., None],
    weigh=softmax,
    add=lambda x, step: x + step(rms_norm(x)),
    spread=lambda scores: softmax(np.where(best_mask(scores, CHOSEN), scores, -np.inf)),
)
MISTAKES = {  # in words -> the parts, of which one is wrong
    "new tokens count their positions from 0": RIGHT._replace(place=lambda first, past, num_tokens: first + np.arange(num_tokens)),
    "values are turned, too": RIGHT._replace(turn=lambda query, key, value, positions: tuple(rotate(x, positions) for x in (query, key, value))),
    "shared heads are tiled, not repeated": RIGHT._replace(share=lambda heads: np.concatenate([heads] * (HEADS // SHARED), axis=-3)),
    "the mask opens one step too many": RIGHT._replace(mask=lambda num_queries, num_keys: (
        causal_mask(num_queries, num_keys) | np.eye(num_queries, num_keys, num_keys - num_queries + 1, bool)
    )),
    "the residual is normed, too, not the step alone": RIGHT._replace(add=lambda x, step: rms_norm(x) + step(rms_norm(x))),
    "an expert's share is taken of all experts": RIGHT._replace(spread=lambda scores: np.where(best_mask(scores, CHOSEN), softmax(scores), 0)),
    # as `is_causal` of PyTorch does: query i may ask keys 0 to i of all that are cached
    "with a cache, the mask starts top-left": RIGHT._replace(mask=lambda num_queries, num_keys: np.tri(num_queries, num_keys, dtype=bool)),
    # the keys of one text, the queries of a batch
    "softmax counts its axis from the front": RIGHT._replace(weigh=lambda scores: softmax(scores, axis=2)),
    "attention looks at padding": RIGHT._replace(hide=lambda mask, real: mask),
    "padding is written into a state": RIGHT._replace(write=lambda value, real: value),
    "a page is shared before it is full": RIGHT._replace(keep=_shared_before_full()),
    "texts in one row, boundaries forgotten": RIGHT._replace(together=lambda starts: np.ones((starts[-1], starts[-1]), bool)),
}  # fmt: skip
ORDER = (3, 6, 1, 8, 5, 7, 2, 9, 11, 12, 10)  # specimen 1 makes the third mistake; nobody makes the fourth


def model_of(parts):
    """Make a model of its parts: run(X, layers, first=0, caches=None, real=None, starts=None) -> output, caches."""
    if not isinstance(parts, Parts):
        raise TypeError(f"parts must be Parts, such as RIGHT, got {type(parts).__name__}.")

    def attend(x, layer, first, cache, real, starts):
        query = split_heads(x @ layer["W_query"], HEADS)
        key, value = (split_heads(x @ layer[name], SHARED) for name in ("W_key", "W_value"))
        past, kept, new = *(cache or (0, None)), x.shape[-2]
        query, key, value = parts.turn(query, key, value, parts.place(first, past, new))
        kept, key, value = parts.keep(kept, key, value)
        mask = parts.mask(new, past + new)
        mask = mask if starts is None else mask & parts.together(starts)
        mask = mask if real is None else parts.hide(mask, real)
        scores = query @ np.swapaxes(parts.share(key), -1, -2) / np.sqrt(query.shape[-1])
        weights = parts.weigh(np.where(mask, scores, -np.inf))
        return merge_heads(weights @ parts.share(value)) @ layer["W_output"], (past + new, kept)

    def carry(x, layer, first, cache, real, starts):
        query, key, value = (x @ layer[name] for name in ("W_query", "W_key", "W_value"))
        value = value if real is None else parts.write(value, real)
        together = None if starts is None else parts.together(starts)
        state, found = 0 if cache is None else cache, []
        for t in range(x.shape[-2]):
            state = 0 * state if starts is not None and t and not together[t, t - 1] else state
            state = layer["decay"] * state + key[..., t, :, None] * value[..., t, None, :]
            found.append((query[..., t, None, :] @ state)[..., 0, :])
        return np.stack(found, axis=-2) @ layer["W_output"], state

    def think(x, layer):
        shares = parts.spread(x @ layer["W_router"])
        return sum(shares[..., [e]] * swiglu(x, *expert) for e, expert in enumerate(layer["experts"]))

    def run(X, layers, first=0, caches=None, real=None, starts=None):
        kept, x = [], X
        for layer, cache in zip(layers, caches or [None] * len(layers)):
            look = carry if "decay" in layer else attend
            given = layer, first, cache, real, starts
            x = parts.add(x, lambda normed, look=look, given=given: _keeping(kept, look(normed, *given)))
            x = parts.add(x, lambda normed, layer=layer: think(normed, layer))
        return x, kept

    return run


def _keeping(kept, found):
    kept.append(found[1])
    return found[0]


def specimen(number):
    """Hand out one of the eleven models, 1 to 11."""
    return model_of(MISTAKES[mistake_of(number)])


def mistake_of(number):
    """Tell which mistake a specimen makes: one of the names in MISTAKES."""
    number = inputs.whole_number("number", number, minimum=1, maximum=len(ORDER))
    return list(MISTAKES)[ORDER[number - 1] - 1]


# --- what a right one keeps ------------------------------------------------------------------------------------------


def _layer(rng):
    widths = {"W_query": 8, "W_key": 4, "W_value": 4, "W_output": 8, "W_router": 4}
    layer = {name: rng.normal(size=(8, width)) / 2 for name, width in widths.items()}
    sizes = [(8, 6), (8, 6), (6, 8)]
    return layer | {"experts": [[rng.normal(size=size) / 2 for size in sizes] for _ in range(4)]}


_RNG = np.random.default_rng(24)
X, LAYERS = _RNG.normal(size=(5, 8)), [_layer(_RNG) for _ in range(2)]
STATE = _layer(_RNG) | {"decay": 0.9, "W_query": _RNG.normal(size=(8, 4)) / 2, "W_output": _RNG.normal(size=(4, 8)) / 2}


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


def _all_of_the_past(run):
    """1 if one of four cached tokens can change and move nothing, else 0."""
    moved = []
    for place in range(4):
        texts = X[:4], X[:4] + np.where(np.arange(4)[:, None] == place, 1.0, 0.0)
        outputs = [run(X[4:], LAYERS, 0, run(text, LAYERS)[1])[0] for text in texts]
        moved.append(_gap(*outputs))
    return float(min(moved) < specimens.SMALLEST_GAP)


def _behind_the_padding(run, layers=LAYERS):
    """Two tokens of padding in front, and something else on them: the tokens behind must not notice."""
    real = np.arange(7)[None] >= 2
    padded = [np.concatenate([fill, X])[None] for fill in (np.zeros((2, 8)), np.ones((2, 8)))]
    outputs = [run(text, layers, 0, None, real)[0] for text in padded]
    return _gap(*(output[0, 2:] for output in outputs))


def _who_began_alike(run):
    """Two texts of three equal tokens; each then writes a fourth, and the first one a fifth, whatever the second one wrote."""
    fifth = []
    for other in (X[0:1], X[2:3]):
        (_, mine), (_, theirs) = run(X[:3], LAYERS), run(X[:3], LAYERS)
        mine = run(X[3:4], LAYERS, 0, mine)[1]
        run(other, LAYERS, 0, theirs)
        fifth.append(run(X[4:], LAYERS, 0, mine)[0])
    return _gap(*fifth)


def _beside_another(run):
    """Two texts in one row: the second one must not notice what the first one says."""
    rows = [np.concatenate([first, X]) for first in (X[:2], X[2:4])]
    return _gap(*(run(row, LAYERS, 0, None, None, [0, 2, 7])[0][2:] for row in rows))


HEARD = "with a cache, each past token moves the next output"
RULES = {  # in words -> function(run) -> the gap, by how much it breaks the rule; 0 = it keeps it
    "the last token moves no output before it": _last_token,
    "token by token with a cache, all outputs stay": _token_by_token,
    "seven positions further on, all outputs stay": lambda run: _gap(run(X, LAYERS, 7)[0], run(X, LAYERS)[0]),
    "two query heads that share a key may change places": _partners,
    "a layer that adds 0 passes everything on": _silent,
    "if all experts are alike, the router does not matter": _alike,
    HEARD: _all_of_the_past,
    "a text in a batch answers as it does alone": lambda run: _gap(run(np.stack([X, X[::-1]]), LAYERS)[0][0], run(X, LAYERS)[0]),
    "what is on padding moves no other token": _behind_the_padding,
    "padding leaves no trace in a state": lambda run: _behind_the_padding(run, [STATE]),
    "texts that begin alike go on alone": _who_began_alike,
    "in one row, one text moves no other": _beside_another,
}  # fmt: skip


def gaps(run):
    """Hold a model beside every rule.

    Parameters
    ----------
    run : function(X, layers, first=0, caches=None, real=None, starts=None) -> output, caches

    Returns
    -------
    gaps : (num_rules,), 0 where the rule is kept, in the order of RULES

    Examples
    --------
    >>> gaps(model_of(RIGHT)).any()
    np.False_
    """
    return specimens.gaps(inputs.function("run", run), RULES)
