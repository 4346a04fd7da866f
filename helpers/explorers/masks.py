"""Masks: who may look at whom, and what comes of masking too late."""

import math

import numpy as np

from helpers.attention import causal_mask, softmax
from helpers.explorers.controls import SwitchGrid, choose, slider
from helpers.explorers.engine import SHARES, Rule, explorer, wrong_turns
from helpers.explorers.sums import listed, mixture, number, terms
from helpers.explorers.touch import Paint, Sum

WORDS = ["I", "love", "dogs", "."]
TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])  # the first three are those of lesson 02
NUDGE = np.array([0.3, 0.7])
CAUSAL, EVERYTHING = causal_mask(len(WORDS)), np.ones((4, 4), bool)
PAIRS = {"rows": WORDS, "columns": WORDS}


def _from_the_future(now):
    return np.nan_to_num(np.triu(now.moved, 1)).max()


def _seen_behind_the_mask(now):
    return np.nan_to_num(np.where(CAUSAL, 0, now.weights)).max()


_DEAF = Rule("no output hears from a later word", _from_the_future, "one moves by {:.3f}")
_HIDDEN = Rule("weights of blocked words are 0", _seen_behind_the_mask, "one is {:.3f}")

# --- a mask of your own, and where it is applied ----------------------------------------------------------------------


def explore_mask():
    """Paint who may look at whom in "I love dogs .", and apply that mask before or after softmax.

    Shown: X (4, 2), mask (4, 4), scores and weights (4, 4), output (4, 2), and moved (4, 4), how far the output of each word
    (down) moves when one word (across) is changed a little
    """
    return explorer(
        _painted,
        _show_mask,
        lambda now: f"{now.mask.sum()} of 16 pairs may attend. {_told_of_the_future(now)}{_left_with_nothing(now)}",
        [SHARES, _DEAF],
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
        when=choose("mask applied", list(_WAYS)[:2], "before softmax"),
        base=choose("base of softmax", {"3": 3.0, "e": math.e}, 3.0),
    )


def explore_wrong_mask():
    """Apply the causal mask in a right and in wrong ways, raise the score of a hidden word, and see which rule breaks.

    Shown: scores and weights (4, 4), output (4, 2), moved (4, 4)
    """
    return wrong_turns(
        "the mask comes",
        _WAYS,
        lambda weigh, score: _look(CAUSAL, weigh, score=score),
        lambda now: [
            [now.table("scores", decimals=0, limit=2.0, **PAIRS), now.table("weights", blocked=~CAUSAL, **PAIRS)],
            [now.table("output", rows=WORDS), _moved(now)],
        ],
        _say_what_went_wrong,
        [SHARES, *map(_broken_by_nan, (_HIDDEN, _DEAF))],
        presets={"a hidden score of 1000": {"score": 1000}},
        sums={
            "scores": _score_in_words,
            "weights": Sum([("scores", "i:")], _share_in_words),
            "output": mixture("output", "weights", lambda now: TOKENS, number),
            "moved": _moved_in_words,
        },
        picks={"scores": (4, 4), "weights": (4, 4), "output": (4, 2), "moved": (4, 4)},
        score=slider("score of the hidden 'love' for 'I'", 0, 0, 1000, 100),
    )


def _broken_by_nan(rule):
    """The rule, broken also where a row holds NaN: here every word has something to see."""
    return rule._replace(gap=lambda now: (False, "a row holds NaN") if np.isnan(now.weights).any() else rule.gap(now))


def _say_what_went_wrong(now):
    robbed = [f"'{word}'" for word, row in zip(WORDS, now.weights) if np.isnan(row).any()]
    if robbed:
        return f"Mask {now.recipe}: a hidden word took the whole weight of {listed(robbed)}, and 0/0 is left: NaN."
    return f"Mask {now.recipe}: the row of 'love' sums to {now.weights[1].sum():.3f}. {_told_of_the_future(now)}"


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


def _after_and_divided(scores, mask, base):
    weights = _after(scores, mask, base)
    with np.errstate(invalid="ignore"):  # where a hidden score took everything, 0/0 is left
        return weights / weights.sum(axis=-1, keepdims=True)


_WAYS = {
    "before softmax": _shares,
    "after softmax": _after,
    "after softmax, rows divided again": _after_and_divided,
    "before softmax, by scores of 0": lambda scores, mask, base: softmax(np.where(mask, scores, 0), base=base),
}


def _painted(mask, when, base):
    return {"X": TOKENS, "mask": mask, **_look(mask, _WAYS[when], base)}


def _look(mask, weigh, base=3.0, score=0.0):
    def attend(X):
        scores = X @ X.T
        scores[0, 1] += score  # X @ X.T has 0 there
        weights = weigh(scores, mask, base)
        return scores, weights, weights @ X

    scores, weights, output = attend(TOKENS)
    moved = [np.abs(attend(TOKENS + NUDGE * word[:, None])[-1] - output).max(axis=1) for word in np.eye(4)]
    return {"scores": scores, "weights": weights, "output": output, "moved": np.transpose(moved)}


def _left_with_nothing(now):
    blind = [f"'{word}'" for word, row in zip(WORDS, now.weights, strict=True) if np.isnan(row).any()]
    return f" {listed(blind)} may see nothing, so there is nothing to share out: NaN." if blind else ""


def _share_in_words(now, i, j):
    when, mask, base = (now.recipe, CAUSAL, 3.0) if "recipe" in vars(now) else (now.when, now.mask, now.base)
    blocked = {"before softmax": "0", "before softmax, by scores of 0": "3^0"}.get(when)
    powers = [
        blocked if blocked and not may else f"{'3' if base == 3 else 'e'}^{score:.0f}"
        for score, may in zip(now.scores[i], mask[i], strict=True)
    ]
    hidden = "" if mask[i, j] or blocked else ", then set to 0"
    again = ", then divided by what is left of the row" if "divided" in when else ""
    return (
        f"'{WORDS[i]}' looks at '{WORDS[j]}': {powers[j]} / ({' + '.join(powers)}){hidden}{again} = "
        f"{number(now.weights[i, j])}"
    )


def _score_in_words(now, i, j):
    score = vars(now).get("score", 0)
    raised = f" + {score}" if (i, j) == (0, 1) and score else ""
    return f"'{WORDS[i]}' · '{WORDS[j]}' = {terms(TOKENS[i], TOKENS[j])}{raised} = {number(now.scores[i, j])}"


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
    return [[mask, scores, weights], [now.table("output", rows=WORDS), _moved(now)]]


def _moved(now):
    return now.table(
        "moved", "how far each output moves when a word moves by [0.3, 0.7]", corner="output ↓ word →", **PAIRS
    )
