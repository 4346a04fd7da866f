"""Masks: who may look at whom, before or after softmax, padding, and what True means to whom."""

import math

import numpy as np

from helpers.attention import causal_mask, softmax
from helpers.explorers.controls import SwitchGrid, choose, slider
from helpers.explorers.engine import SHARES, Rule, explorer, wrong_turns
from helpers.explorers.sums import listed, mixture, number, share_of_3, terms
from helpers.explorers.touch import Paint, Sum, Touch
from helpers.matrices import Html

WORDS = ["I", "love", "dogs", "."]
TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])  # the first three are those of lesson 04
NUDGE = np.array([0.3, 0.7])
CAUSAL, EVERYTHING = causal_mask(len(WORDS)), np.ones((4, 4), bool)
PAIRS = {"rows": WORDS, "columns": WORDS}


def _from_the_future(now):
    return np.nan_to_num(np.triu(now.moved, 1)).max()


def _seen_behind_the_mask(now):
    return np.nan_to_num(np.where(CAUSAL, 0, now.weights)).max()


_DEAF = Rule("no output hears from a later word", _from_the_future, "one moves by {:.3f}")
_HIDDEN = Rule("weights of blocked words are 0", _seen_behind_the_mask, "one is {:.3f}")
_HARMLESS = Rule("padding moves no output of a real word", lambda now: now.difference.max(), "one moves by {:.3f}")

# --- a mask of your own, and where it is applied ----------------------------------------------------------------------


def explore_mask():
    """Paint a mask over the scores of "I love dogs .", and apply it before or after softmax.

    Shown: X (4, 2), mask (4, 4), scores and weights (4, 4), output (4, 2), and moved (4, 4), how far the output of each word
    (down) moves when one word (across) is changed a little
    """
    return explorer(
        _painted,
        _show_mask,
        lambda now: (
            f"{now.mask.sum()} of 16 pairs may attend. When a later word changes, an output moves by up to "
            f"{_from_the_future(now):.3f}.{_left_with_nothing(now)}"
        ),
        [SHARES, _DEAF],
        presets={
            "causal": {"mask": CAUSAL, "when": "before softmax"},
            "everything": {"mask": EVERYTHING},
            "all but the full stop": {"mask": EVERYTHING & (np.arange(4) < 3)},
        },
        touch={"scores": Paint("mask", _what_painting_does)},
        sums={
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
        "the mask works",
        _WAYS,
        lambda weigh, score: _look(CAUSAL, weigh, score=score),
        lambda now: _four_tables(now, now.table("scores", decimals=0, limit=2.0, **PAIRS), ~CAUSAL),
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
    return (
        f"Mask {now.recipe}: the row of 'love' sums to {now.weights[1].sum():.3f}; a later word moves an output by up to "
        f"{_from_the_future(now):.3f}."
    )


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
    raised = f" + {now.score}" if (i, j) == (0, 1) and now.score else ""
    return f"'{WORDS[i]}' · '{WORDS[j]}' = {terms(TOKENS[i], TOKENS[j])}{raised} = {number(now.scores[i, j])}"


def _moved_in_words(now, i, j):
    nudge = " ".join(map(number, NUDGE))
    return (
        f"[{nudge}] added to '{WORDS[j]}': the largest change in the output of '{WORDS[i]}' = {number(now.moved[i, j])}"
    )


def _what_painting_does(now, i, j):
    does = "keep '{}' from seeing '{}'" if now.mask[i, j] else "let '{}' see '{}'"
    return f"score {now.scores[i, j]:.0f}; click, or press and draw, to {does.format(WORDS[i], WORDS[j])}"


def _show_mask(now):
    blocked = ~now.mask & (now.when == "before softmax")
    scores = now.table("scores", "scores: paint the mask here", decimals=0, blocked=blocked, limit=2.0, **PAIRS)
    tokens = now.table("X", "X = Q = K = V", rows=WORDS, decimals=0)
    return _four_tables(now, _steady(scores), ~now.mask, tokens)


def _steady(scores):
    """Make every column as wide as the word "blocked", so that the table does not jump when a look is forbidden."""
    head = '<th scope="col" style="'
    return Html(scores.html.replace(head, f"{head}min-width:4.2em;"), scores.text)


def _four_tables(now, scores, blocked, *others):
    moved = now.table("moved", "how far each output moves with each word", corner="output ↓ word →", **PAIRS)
    weights = now.table("weights", blocked=blocked, **PAIRS)
    return [[scores, moved], [weights, now.table("output", rows=WORDS), *others]]


# --- padding ----------------------------------------------------------------------------------------------------------

_MASKS = ["none", "padding", "causal", "causal and padding", "causal and padding, but each sees itself"]


def explore_padding():
    """Fill a sentence up with padding, at its end or at its start, and see who notices.

    Shown: X (n, 2), scores (as they enter softmax) and weights (n, n), NaN in a row with nothing to see, output (n, 2),
    difference (4,), how far each real word's output is from that without padding
    """
    return explorer(
        _pad,
        _show_padding,
        lambda now: (
            f"The full stop gives {now.weights[now.real][3, ~now.real].sum():.3f} of its weight to padding; padding moves a "
            f"real word's output by up to {now.difference.max():.3f}."
        ),
        [SHARES, _HARMLESS],
        sums={
            "weights": share_of_3(),
            "output": mixture("output", "weights", "X", number),
            "difference": _padding_in_words,
        },
        num_padding=slider("tokens of padding", 2, 0, 4, 1),
        side=choose("padding stands", ["at the end", "at the start"], "at the end"),
        mask=choose("mask", _MASKS, "none"),
    )


def _real(num_padding, side):
    """Which tokens are words."""
    real = np.arange(len(TOKENS) + num_padding) < len(TOKENS)
    return real if side == "at the end" else real[::-1]


def _attend(X, may):
    scores = np.where(may, X @ X.T, -np.inf)
    weights = _shares(scores, may, 3.0)
    return scores, weights, weights @ X


def _pad(num_padding, side, mask):
    real = _real(num_padding, side)
    X = np.zeros((len(real), 2))
    X[real] = TOKENS
    may = causal_mask(len(real)) if "causal" in mask else np.ones((len(real), len(real)), bool)
    alone = _attend(TOKENS, may[:4, :4])[-1]
    if "padding" in mask:
        may = may & real
    if "itself" in mask:
        may = may | np.eye(len(real), dtype=bool)
    scores, weights, output = _attend(X, may)
    return {
        "X": X,
        "real": real,
        "scores": scores,
        "weights": weights,
        "output": output,
        "difference": np.abs(output[real] - alone).max(axis=1),
    }


def _padding_in_words(now, i, j):
    return f"the largest change in the output of '{WORDS[i]}' by the padding = {number(now.difference[i])}"


def _show_padding(now):
    names = np.full(len(now.real), "pad", dtype=object)
    names[now.real] = WORDS
    return (
        now.table("weights", decimals=2, blocked=np.isneginf(now.scores), rows=names, columns=names),
        now.table("output", rows=names, decimals=2),
        now.table("difference", "moved by padding", column="largest", rows=WORDS),
    )


# --- what True means --------------------------------------------------------------------------------------------------


def explore_wrong_meaning():
    """Hand a mask to libraries that read True in opposite ways.

    Shown: mask (4, 4), as handed over, scores (4, 4), -inf where the library hides them, weights (4, 4), NaN where a row is
    left nothing
    """
    return explorer(
        _hand_over,
        lambda now: (
            now.table("mask", "what is handed over, True = 1", decimals=0, corner="query ↓ key →", **PAIRS),
            now.table("weights", "weights that come back", **PAIRS),
        ),
        lambda now: (
            f"To {now.library}, True means {'may attend' if _MAY_ATTEND[now.library] else 'blocked'}: 'I' gives "
            f"{now.weights[0, 1:].sum():.3f} of its weight to later words."
        ),
        [SHARES, _HIDDEN],
        touch={
            "mask": Touch(
                lambda now, i, j: {"handed": _turned(now)}, lambda now, i, j: f"click: hand over {_turned(now)}"
            )
        },
        sums={"weights": share_of_3()},
        library=choose("handed to", list(_MAY_ATTEND), next(iter(_MAY_ATTEND))),
        handed=choose("what is handed over", ["mask", "~mask"], "mask"),
    )


_MAY_ATTEND = {  # does True mean "may attend"?
    "this course": True,
    "torch scaled_dot_product_attention": True,
    "torch nn.MultiheadAttention": False,
    "JAX, Keras, ONNX": True,
}


def _turned(now):
    return "~mask" if now.handed == "mask" else "mask"


def _hand_over(library, handed):
    mask = CAUSAL if handed == "mask" else ~CAUSAL
    may = mask if _MAY_ATTEND[library] else ~mask
    scores = np.where(may, TOKENS @ TOKENS.T, -np.inf)
    return {"mask": mask, "scores": scores, "weights": _shares(scores, may, 3.0)}
