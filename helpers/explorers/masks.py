"""Masks: who may look at whom, before or after softmax, padding, and what True means to whom."""

import math

import numpy as np

from helpers import matrices
from helpers.attention import causal_mask, padding_mask, scaled_dot_product_attention, softmax
from helpers.explorers.controls import SwitchGrid, choose, slider
from helpers.explorers.engine import Light, rows_sum_to_one
from helpers.explorers.legacy import Explorer

WORDS = ["I", "love", "dogs", "."]
TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])  # the first three are those of lesson 04
NUDGE = np.array([0.3, 0.7])
CAUSAL = causal_mask(len(WORDS))


def explore_mask():
    """Paint a mask over "I love dogs .", and apply it before or after softmax.

    Returns
    -------
    Explorer
        shown: X (4, 2), mask (4, 4), scores and weights (4, 4), output (4, 2), and moved (4, 4), how far the output of
        each word (down) moves when one word (across) is changed a little
    """
    everything = np.ones((4, 4), bool)
    return Explorer(
        {
            "mask": SwitchGrid("mask", CAUSAL, rows=[f"'{word}' sees" for word in WORDS], columns=WORDS),
            "when": choose("mask applied", list(_WAYS)[:2], "before softmax"),
            "base": choose("base of softmax", {"3": 3.0, "e": math.e}, 3.0),
        },
        _look_through,
        _draw_mask,
        lambda shown, values: (
            f"{shown['mask'].sum()} of 16 looks are allowed. When a later word changes, an output moves by up to "
            f"{_from_the_future(shown['moved']):.3f}."
        ),
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"]), _no_word_from_the_future(shown["moved"])],
        presets={
            "causal": {"mask": CAUSAL},
            "everything": {"mask": everything},
            "all but the full stop": {"mask": everything & (np.arange(4) < 3)},
        },
    )


def explore_wrong_mask():
    """Apply the causal mask in a right and in wrong ways, and see which rule breaks.

    Returns
    -------
    Explorer
        shown: weights (4, 4), output (4, 2), moved (4, 4)
    """
    return Explorer(
        {"way": choose("the mask works", list(_WAYS), "before softmax")},
        lambda way: {name: _look_through(CAUSAL, way, 3.0)[name] for name in ("weights", "output", "moved")},
        lambda shown, values: matrices.beside(*_weights_output_moved(shown, ~CAUSAL)),
        lambda shown, values: (
            f"Mask {values['way']}: the row of 'love' sums to {shown['weights'][1].sum():.3f}; a later word moves an output by up to "
            f"{_from_the_future(shown['moved']):.3f}."
        ),
        lights=lambda shown, values: [
            rows_sum_to_one(shown["weights"]),
            _blocked_are_zero(shown["weights"]),
            _no_word_from_the_future(shown["moved"]),
        ],
    )


def _mask_scores(scores, mask, base):
    return softmax(np.where(mask, scores, -np.inf), base=base)


def _mask_weights(scores, mask, base):
    return np.where(mask, softmax(scores, base=base), 0)


def _mask_weights_and_divide(scores, mask, base):
    weights = _mask_weights(scores, mask, base)
    return weights / weights.sum(axis=-1, keepdims=True)


def _mask_by_zeros(scores, mask, base):
    return softmax(np.where(mask, scores, 0), base=base)


_WAYS = {
    "before softmax": _mask_scores,
    "after softmax": _mask_weights,
    "after softmax, rows divided again": _mask_weights_and_divide,
    "before softmax, by scores of 0": _mask_by_zeros,
}


def _look_through(mask, when, base):
    for word, row in zip(WORDS, mask, strict=True):
        if not row.any():
            raise ValueError(f"'{word}' must see at least one word: shares of nothing do not exist.")
    output = _WAYS[when](TOKENS @ TOKENS.T, mask, base) @ TOKENS
    moved = np.zeros(mask.shape)
    for j in range(len(TOKENS)):
        changed = TOKENS + np.where(np.arange(len(TOKENS))[:, None] == j, NUDGE, 0)
        moved[:, j] = np.abs(_WAYS[when](changed @ changed.T, mask, base) @ changed - output).max(axis=1)
    scores = TOKENS @ TOKENS.T
    return {
        "X": TOKENS.copy(),
        "mask": mask,
        "scores": scores,
        "weights": _WAYS[when](scores, mask, base),
        "output": output,
        "moved": moved,
    }


def _draw_mask(shown, values):
    blocked = ~shown["mask"]
    early = values["when"] == "before softmax"
    scores = matrices.matrix(
        shown["scores"], "scores", kind="scores", decimals=0, blocked=blocked & early, limit=2.0, **_ASKS
    )
    return matrices.under(
        matrices.beside(matrices.matrix(shown["X"], "X = Q = K = V", rows=WORDS, decimals=0), _steady(scores)),
        matrices.beside(*_weights_output_moved(shown, blocked)),
    )


def _steady(scores):
    """Make every column as wide as the word "blocked", so that the table does not jump when a look is forbidden."""
    head = '<th scope="col" style="'
    return matrices.Html(scores.html.replace(head, f"{head}min-width:4.2em;"), scores.text)


_ASKS = {"rows": WORDS, "columns": WORDS, "corner": "query ↓ key →"}


def _weights_output_moved(shown, blocked):
    moves = {"rows": WORDS, "columns": WORDS, "corner": "output ↓ word →"}
    return [
        matrices.matrix(shown["weights"], "weights", kind="weights", blocked=blocked, row_sums=True, **_ASKS),
        matrices.matrix(shown["output"], "output", rows=WORDS),
        matrices.matrix(shown["moved"], "how far each output moves with each word", **moves),
    ]


def _from_the_future(moved):
    return np.triu(moved, 1).max()


def _no_word_from_the_future(moved):
    gap = _from_the_future(moved)
    return Light("no output hears from a later word", bool(gap < 1e-9), f"one moves by {gap:.3f}")


def _blocked_are_zero(weights):
    largest = np.nan_to_num(np.where(CAUSAL, 0, weights)).max()
    return Light("weights of blocked words are 0", bool(largest < 1e-9), f"one is {largest:.3f}")


def explore_padding():
    """Fill a sentence up with padding, and see who notices.

    Returns
    -------
    Explorer
        shown: X (n, 2), scores (as they enter softmax) and weights (n, n), output (n, 2), difference (4,), how far each
        real word's output is from that without padding
    """
    return Explorer(
        {
            "num_padding": slider("tokens of padding", 2, 0, 4, 1),
            "mask": choose("mask", ["none", "padding", "causal", "causal and padding"], "none"),
        },
        _pad,
        _draw_padding,
        lambda shown, values: (
            f"The full stop gives {shown['weights'][3, 4:].sum():.3f} of its weight to padding; padding moves a real "
            f"word's output by up to {shown['difference'].max():.3f}."
        ),
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"]), _padding_is_harmless(shown["difference"])],
    )


def _pad(num_padding, mask):
    length = len(TOKENS) + num_padding
    X = np.vstack([TOKENS, np.zeros((num_padding, 2))])
    may, alone = np.ones((length, length), bool), np.ones(CAUSAL.shape, bool)
    if "causal" in mask:
        may, alone = may & causal_mask(length), CAUSAL
    if "padding" in mask:
        may = may & padding_mask([len(TOKENS)], length)[0]
    padded = scaled_dot_product_attention(X, X, X, mask=may, scale=1, base=3)
    unpadded = scaled_dot_product_attention(TOKENS, TOKENS, TOKENS, mask=alone, scale=1, base=3)
    return {
        "X": X,
        "scores": padded.scores,
        "weights": padded.weights,
        "output": padded.output,
        "difference": np.abs(padded.output[: len(TOKENS)] - unpadded.output).max(axis=1),
    }


def _draw_padding(shown, values):
    names = WORDS + ["pad"] * values["num_padding"]
    blocked = np.isneginf(shown["scores"])
    return matrices.beside(
        matrices.matrix(
            shown["weights"], "weights", kind="weights", decimals=2, blocked=blocked, row_sums=True,
            rows=names, columns=names, corner="query ↓ key →",
        ),
        matrices.matrix(shown["output"], "output", rows=names, decimals=2),
        matrices.matrix(shown["difference"][:, None], "moved by padding", rows=WORDS, columns=["largest"]),
    )  # fmt: skip


def _padding_is_harmless(difference):
    rule = "padding moves no output of a real word"
    return Light(rule, bool(difference.max() < 1e-9), f"one moves by {difference.max():.3f}")


def explore_wrong_meaning():
    """Hand a mask to libraries that read True in opposite ways.

    Returns
    -------
    Explorer
        shown: mask (4, 4), as handed over, weights (4, 4), NaN where a row is left nothing
    """
    return Explorer(
        {
            "library": choose("handed to", list(_LIBRARIES), next(iter(_LIBRARIES))),
            "handed": choose("what is handed over", ["mask", "~mask"], "mask"),
        },
        _hand_over,
        lambda shown, values: matrices.beside(
            matrices.matrix(shown["mask"].astype(int), "what is handed over, True = 1", decimals=0, **_ASKS),
            matrices.matrix(shown["weights"], "weights that come back", kind="weights", row_sums=True, **_ASKS),
        ),
        lambda shown, values: (
            f"To {values['library']}, True means {'may attend' if _LIBRARIES[values['library']] else 'blocked'}: 'I' gives "
            f"{shown['weights'][0, 1:].sum():.3f} of its weight to later words."
        ),
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"]), _blocked_are_zero(shown["weights"])],
    )


_LIBRARIES = {  # does True mean "may attend"?
    "this course": True,
    "torch scaled_dot_product_attention": True,
    "torch nn.MultiheadAttention": False,
    "JAX, Keras, ONNX": True,
}


def _hand_over(library, handed):
    mask = CAUSAL if handed == "mask" else ~CAUSAL
    may = mask if _LIBRARIES[library] else ~mask
    scores = np.where(may, TOKENS @ TOKENS.T, -np.inf)
    with np.errstate(invalid="ignore"):  # -inf minus -inf: the NaN is the point
        powers = 3.0 ** (scores - scores.max(axis=-1, keepdims=True))
    return {"mask": mask.copy(), "weights": powers / powers.sum(axis=-1, keepdims=True)}
