"""Masks: who may look at whom, and what comes of masking too late."""

import math

import numpy as np

from helpers.attention import causal_mask, softmax
from helpers.explorers.controls import SwitchGrid, choose
from helpers.explorers.engine import SHARES, Rule, explorer
from helpers.explorers.sums import listed, mixture, number, terms
from helpers.explorers.touch import Paint, Sum

WORDS = ["I", "love", "dogs", "."]
TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])  # the first three are those of lesson 02
NUDGE = np.array([0.3, 0.7])
CAUSAL, EVERYTHING = causal_mask(len(WORDS)), np.ones((4, 4), bool)
PAIRS = {"rows": WORDS, "columns": WORDS}


def _from_the_future(now):
    return np.nan_to_num(np.triu(now.moved, 1)).max()


def explore_mask():
    """Paint who may look at whom in "I love dogs .", and apply that mask before or after softmax.

    Shown: X (4, 2), mask (4, 4), scores and weights (4, 4), output (4, 2), and moved (4, 4), how far the output of each word
    (down) moves when one word (across) is changed a little
    """
    return explorer(
        _painted,
        _show_mask,
        lambda now: f"{now.mask.sum()} of 16 pairs may attend. {_told_of_the_future(now)}{_left_with_nothing(now)}",
        [SHARES, Rule("no output hears from a later word", _from_the_future, "one moves by {:.3f}")],
        presets={
            "causal": {"mask": CAUSAL, "when": "before softmax"},
            "everything": {"mask": EVERYTHING},
            "all but the full stop": {"mask": EVERYTHING & (np.arange(4) < 3)},
        },
        touch={"mask": Paint("mask", _what_painting_does)},
        sums={
            "scores": _score_in_words,
            "weights": Sum([("scores", "i:")], _share_in_words),
            "output": mixture("output", "weights", "X", number),
            "moved": _moved_in_words,
        },
        folded=["mask"],
        mask=SwitchGrid("mask", CAUSAL, rows=[f"'{word}' sees" for word in WORDS], columns=WORDS),
        when=choose("mask applied", list(_WAYS), "before softmax"),
        base=choose("base of softmax", {"3": 3.0, "e": math.e}, 3.0),
    )


def _told_of_the_future(now):
    moved = _from_the_future(now)
    return f"When a word changes, {f'an output before it moves by up to {moved:.3f}' if moved > 1e-9 else 'no output before it moves'}."


def _shares(scores, mask, base):
    """Softmax over what may be seen; a row with nothing to see is 0/0, NaN."""
    scores = np.where(mask, scores, -np.inf)
    with np.errstate(invalid="ignore"):  # -inf minus -inf: the NaN is the point
        powers = base ** (scores - scores.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)


def _after(scores, mask, base):
    return np.where(mask, softmax(scores, base=base), 0)


_WAYS = {"before softmax": _shares, "after softmax": _after}


def _painted(mask, when, base):
    def attend(X):
        scores = X @ X.T
        weights = _WAYS[when](scores, mask, base)
        return scores, weights, weights @ X

    scores, weights, output = attend(TOKENS)
    moved = [np.abs(attend(TOKENS + NUDGE * word[:, None])[-1] - output).max(axis=1) for word in np.eye(4)]
    shown = {"scores": scores, "weights": weights, "output": output, "moved": np.transpose(moved)}
    return {"X": TOKENS, "mask": mask, **shown}


def _left_with_nothing(now):
    blind = [f"'{word}'" for word, row in zip(WORDS, now.weights, strict=True) if np.isnan(row).any()]
    return f" {listed(blind)} may see nothing, so there is nothing to share out: NaN." if blind else ""


def _share_in_words(now, i, j):
    before, base = now.when == "before softmax", "3" if now.base == 3 else "e"
    powers = [
        "0" if before and not may else f"{base}^{score:.0f}"
        for score, may in zip(now.scores[i], now.mask[i], strict=True)
    ]
    hidden = "" if now.mask[i, j] or before else ", then set to 0"
    made = f"{powers[j]} / ({' + '.join(powers)}){hidden}"
    return f"'{WORDS[i]}' looks at '{WORDS[j]}': {made} = {number(now.weights[i, j])}"


def _score_in_words(now, i, j):
    return f"'{WORDS[i]}' · '{WORDS[j]}' = {terms(TOKENS[i], TOKENS[j])} = {number(now.scores[i, j])}"


def _moved_in_words(now, i, j):
    nudge = " ".join(map(number, NUDGE))
    return (
        f"[{nudge}] added to '{WORDS[j]}': the largest change in the output of '{WORDS[i]}' = {number(now.moved[i, j])}"
    )


def _what_painting_does(now, i, j):
    does = "keep '{}' from seeing '{}'" if now.mask[i, j] else "let '{}' see '{}'"
    return f"click, or press and draw, to {does.format(WORDS[i], WORDS[j])}"


def _show_mask(now):
    mask = now.table("mask", "paint here: 1 = may look", kind="weights", decimals=0, corner="", **PAIRS)
    blocked = ~now.mask & (now.when == "before softmax")
    unseen = dict.fromkeys(zip(*np.nonzero(blocked)), "−∞")
    scores = now.table("scores", decimals=0, blocked=blocked, instead=unseen, limit=2.0, corner="", **PAIRS)
    weights = now.table("weights", blocked=~now.mask, decimals=2, corner="", **PAIRS)
    title = "how far each output moves when a word moves by [0.3, 0.7]"
    moved = now.table("moved", title, corner="output ↓ word →", **PAIRS)
    return [[mask, scores, weights], [now.table("output", rows=WORDS), moved]]
