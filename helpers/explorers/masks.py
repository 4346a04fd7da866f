"""Masks: who may look at whom, before or after softmax, padding, and what True means to whom."""

import math

import numpy as np

from helpers.attention import causal_mask, padding_mask, scaled_dot_product_attention, softmax
from helpers.explorers.controls import SwitchGrid, choose, slider
from helpers.explorers.engine import SHARES, Rule, explorer, wrong_turns
from helpers.explorers.touch import Paint
from helpers.matrices import Html

WORDS = ["I", "love", "dogs", "."]
TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])  # the first three are those of lesson 04
NUDGE = np.array([0.3, 0.7])
CAUSAL, EVERYTHING = causal_mask(len(WORDS)), np.ones((4, 4), bool)
PAIRS = {"rows": WORDS, "columns": WORDS}


def _from_the_future(now):
    return np.triu(now.moved, 1).max()


def _seen_behind_the_mask(now):
    return np.nan_to_num(np.where(CAUSAL, 0, now.weights)).max()


_DEAF = Rule("no output hears from a later word", _from_the_future, "one moves by {:.3f}")
_HIDDEN = Rule("weights of blocked words are 0", _seen_behind_the_mask, "one is {:.3f}")
_HARMLESS = Rule("padding moves no output of a real word", lambda now: now.difference.max(), "one moves by {:.3f}")

# --- a mask of your own, and where it is applied ----------------------------------------------------------------------


def explore_mask():
    """Paint a mask over the scores of "I love dogs .", and apply it before or after softmax.

    Returns
    -------
    Explorer
        shown: X (4, 2), mask (4, 4), scores and weights (4, 4), output (4, 2), and moved (4, 4), how far the output of
        each word (down) moves when one word (across) is changed a little
    """
    return explorer(
        lambda mask, when, base: {
            "X": TOKENS,
            "mask": mask,
            "scores": TOKENS @ TOKENS.T,
            **_look(mask, _WAYS[when], base),
        },
        _show_mask,
        lambda now: (
            f"{now.mask.sum()} of 16 looks are allowed. When a later word changes, an output moves by up to "
            f"{_from_the_future(now):.3f}."
        ),
        [SHARES, _DEAF],
        presets={
            "causal": {"mask": CAUSAL},
            "everything": {"mask": EVERYTHING},
            "all but the full stop": {"mask": EVERYTHING & (np.arange(4) < 3)},
        },
        touch={"scores": Paint("mask", _what_painting_does)},
        folded=["mask"],
        mask=SwitchGrid("mask", CAUSAL, rows=[f"'{word}' sees" for word in WORDS], columns=WORDS),
        when=choose("mask applied", list(_WAYS)[:2], "before softmax"),
        base=choose("base of softmax", {"3": 3.0, "e": math.e}, 3.0),
    )


def explore_wrong_mask():
    """Apply the causal mask in a right and in wrong ways, and see which rule breaks.

    Returns
    -------
    Explorer
        shown: weights (4, 4), output (4, 2), moved (4, 4)
    """
    return wrong_turns(
        "the mask works",
        _WAYS,
        lambda weigh: _look(CAUSAL, weigh),
        lambda now: [_weights_output_moved(now, ~CAUSAL)],
        lambda now: (
            f"Mask {now.recipe}: the row of 'love' sums to {now.weights[1].sum():.3f}; a later word moves an output by up to "
            f"{_from_the_future(now):.3f}."
        ),
        [SHARES, _HIDDEN, _DEAF],
    )


def _after(scores, mask, base):
    return np.where(mask, softmax(scores, base=base), 0)


def _after_and_divided(scores, mask, base):
    weights = _after(scores, mask, base)
    return weights / weights.sum(axis=-1, keepdims=True)


_WAYS = {
    "before softmax": lambda scores, mask, base: softmax(np.where(mask, scores, -np.inf), base=base),
    "after softmax": _after,
    "after softmax, rows divided again": _after_and_divided,
    "before softmax, by scores of 0": lambda scores, mask, base: softmax(np.where(mask, scores, 0), base=base),
}


def _look(mask, weigh, base=3.0):
    for word, row in zip(WORDS, mask, strict=True):
        if not row.any():
            raise ValueError(f"'{word}' must see at least one word: shares of nothing do not exist.")

    def attend(X):
        weights = weigh(X @ X.T, mask, base)
        return weights, weights @ X

    weights, output = attend(TOKENS)
    moved = [np.abs(attend(TOKENS + NUDGE * word[:, None])[1] - output).max(axis=1) for word in np.eye(4)]
    return {"weights": weights, "output": output, "moved": np.transpose(moved)}


def _what_painting_does(now, i, j):
    does = "forbid" if now.mask[i, j] else "allow"
    return f"score {now.scores[i, j]:.0f}; click, or press and draw, to {does} that '{WORDS[i]}' sees '{WORDS[j]}'"


def _show_mask(now):
    blocked = ~now.mask & (now.when == "before softmax")
    scores = now.table("scores", "scores: paint the mask here", decimals=0, blocked=blocked, limit=2.0, **PAIRS)
    tokens = now.table("X", "X = Q = K = V", rows=WORDS, decimals=0)
    return [[_steady(scores), tokens], _weights_output_moved(now, ~now.mask)]


def _steady(scores):
    """Make every column as wide as the word "blocked", so that the table does not jump when a look is forbidden."""
    head = '<th scope="col" style="'
    return Html(scores.html.replace(head, f"{head}min-width:4.2em;"), scores.text)


def _weights_output_moved(now, blocked):
    return [
        now.table("weights", blocked=blocked, **PAIRS),
        now.table("output", rows=WORDS),
        now.table("moved", "how far each output moves with each word", corner="output ↓ word →", **PAIRS),
    ]


# --- padding ----------------------------------------------------------------------------------------------------------


def explore_padding():
    """Fill a sentence up with padding, and see who notices.

    Returns
    -------
    Explorer
        shown: X (n, 2), scores (as they enter softmax) and weights (n, n), output (n, 2), difference (4,), how far each
        real word's output is from that without padding
    """
    return explorer(
        _pad,
        _show_padding,
        lambda now: (
            f"The full stop gives {now.weights[3, 4:].sum():.3f} of its weight to padding; padding moves a real "
            f"word's output by up to {now.difference.max():.3f}."
        ),
        [SHARES, _HARMLESS],
        num_padding=slider("tokens of padding", 2, 0, 4, 1),
        mask=choose("mask", ["none", "padding", "causal", "causal and padding"], "none"),
    )


def _pad(num_padding, mask):
    length = len(TOKENS) + num_padding
    X = np.vstack([TOKENS, np.zeros((num_padding, 2))])
    may = causal_mask(length) if "causal" in mask else np.ones((length, length), bool)
    alone = scaled_dot_product_attention(TOKENS, TOKENS, TOKENS, mask=may[:4, :4], scale=1, base=3).output
    if "padding" in mask:
        may = may & padding_mask([len(TOKENS)], length)[0]
    padded = scaled_dot_product_attention(X, X, X, mask=may, scale=1, base=3)
    return {"X": X, **padded._asdict(), "difference": np.abs(padded.output[:4] - alone).max(axis=1)}


def _show_padding(now):
    names = WORDS + ["pad"] * now.num_padding
    return [
        [
            now.table("weights", decimals=2, blocked=np.isneginf(now.scores), rows=names, columns=names),
            now.table("output", rows=names, decimals=2),
            now.table("difference", "moved by padding", column="largest", rows=WORDS),
        ]
    ]


# --- what True means --------------------------------------------------------------------------------------------------


def explore_wrong_meaning():
    """Hand a mask to libraries that read True in opposite ways.

    Returns
    -------
    Explorer
        shown: mask (4, 4), as handed over, weights (4, 4), NaN where a row is left nothing
    """
    return explorer(
        _hand_over,
        lambda now: [
            [
                now.table("mask", "what is handed over, True = 1", decimals=0, corner="query ↓ key →", **PAIRS),
                now.table("weights", "weights that come back", **PAIRS),
            ]
        ],
        lambda now: (
            f"To {now.library}, True means {'may attend' if _MAY_ATTEND[now.library] else 'blocked'}: 'I' gives "
            f"{now.weights[0, 1:].sum():.3f} of its weight to later words."
        ),
        [SHARES, _HIDDEN],
        library=choose("handed to", list(_MAY_ATTEND), next(iter(_MAY_ATTEND))),
        handed=choose("what is handed over", ["mask", "~mask"], "mask"),
    )


_MAY_ATTEND = {  # does True mean "may attend"?
    "this course": True,
    "torch scaled_dot_product_attention": True,
    "torch nn.MultiheadAttention": False,
    "JAX, Keras, ONNX": True,
}


def _hand_over(library, handed):
    mask = CAUSAL if handed == "mask" else ~CAUSAL
    scores = np.where(mask if _MAY_ATTEND[library] else ~mask, TOKENS @ TOKENS.T, -np.inf)
    with np.errstate(invalid="ignore"):  # -inf minus -inf: the NaN is the point
        powers = 3.0 ** (scores - scores.max(axis=-1, keepdims=True))
    return {"mask": mask, "weights": powers / powers.sum(axis=-1, keepdims=True)}
