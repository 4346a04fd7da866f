"""Masks, who may look at whom; and one sequence that asks another."""

import math

import numpy as np

from helpers import matrices
from helpers.attention import causal_mask, scaled_dot_product_attention, softmax
from helpers.explorers.controls import SwitchGrid, choose, slider, text_field
from helpers.explorers.engine import SHARES, Rule, between, explorer
from helpers.explorers.strings import read_letters
from helpers.explorers.sums import dot_product, listed, mixture, number, share_of_3, terms
from helpers.explorers.touch import Paint, Sum, Touch, turn_letter
from helpers.pictures.svg import Drawing
from helpers.tokens import one_hot

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


# --- one sequence asks another ---------------------------------------------------------------------------------------

ASKING, SOURCE = "BA", "AABA"
SIDES = ["the first asks the second", "the second asks the first"]
NUMBERS = np.array([[10.0], [20.0]])  # the values of an A and a B
WIDE, HIGH = 640, 210


def explore_cross():
    """Let one string of A's and B's ask another, of another length: click who asks, turn the letters, turn the roles round.

    Shown: query (num_queries, 2), key (num_keys, 2), value (num_keys, 1), scores and weights (num_queries, num_keys), output
    (num_queries, 1), and chosen (), the place of the letter that is followed
    """
    asks = Touch(lambda now, i, *j: {"asks": i + 1}, lambda now, i, *j: f"click: follow letter {i + 1}")
    turn = turn_letter(lambda now: "source" if now.side == SIDES[0] else "asking")
    return explorer(
        _ask_across,
        lambda now: [_lines(now), _stages(now)],
        _describe_across,
        [SHARES, between(lambda now: now.output, lambda now: now.value, "every output lies between the values")],
        presets={
            "roles reversed": {"side": SIDES[1]},
            "queries twice as long": {"asking": ASKING, "source": SOURCE, "side": SIDES[0], "length": 2.0},
        },
        touch={"who asks": asks, "scores": asks, "weights": asks, "who is asked": turn},
        sums={
            "scores": dot_product("scores", "query", "key", written=number),
            "weights": share_of_3(),
            "output": mixture("output", "weights", "value"),
        },
        folded=["asks", "length"],
        asking=text_field("first string", ASKING),
        source=text_field("second string", SOURCE),
        side=choose("who asks", SIDES, SIDES[0]),
        asks=slider("letter to follow", 1, 1, 12, 1),
        length=slider("length of the queries", 1.0, 0.0, 5.0, 0.5),
    )


def _sides(asking, source, side):
    strings = read_letters(asking, "first string"), read_letters(source, "second string")
    return strings if side == SIDES[0] else strings[::-1]


def _ask_across(asking, source, side, asks, length):
    asker, asked = _sides(asking, source, side)
    query, key = length * one_hot(asker, "AB"), one_hot(asked, "AB")
    value = key @ NUMBERS
    answer = scaled_dot_product_attention(query, key, value, scale=1, base=3)
    return {
        "query": query,
        "key": key,
        "value": value,
        **answer._asdict(),
        "chosen": np.array(min(asks, len(asker)) - 1),
    }


def _lines(now):
    """Who is asked above who asks; a line between any two letters, as thick as the weight, strong for the letter that is followed."""
    asks, asked = _sides(now.asking, now.source, now.side)
    drawing, below, above = Drawing(WIDE, HIGH), _places(len(asks)), _places(len(asked))
    for i in (*(i for i in range(len(asks)) if i != now.chosen), int(now.chosen)):
        for j, weight in enumerate(now.weights[i]):
            strong = 0.8 if i == now.chosen else 0.15
            drawing.line(
                (below[i], 150), (above[j], 58), "ink", 14 * weight, stroke_opacity=strong, stroke_linecap="round"
            )
    for name, letters, places, y, numbers in (
        ("who is asked", asked, above, 38, now.value[:, 0]),
        ("who asks", asks, below, 172, now.output[:, 0]),
    ):
        for k, letter in enumerate(letters):
            role = "key" if name == "who is asked" else "query"
            chosen = role == "query" and k == now.chosen
            drawing.words(places[k], y, letter, size=22, colour=role, font_weight=700 if chosen else 400)
            drawing.words(places[k], y + (-22 if role == "key" else 22), f"{numbers[k]:.4g}", size=13,
                          colour="value" if role == "key" else "output")  # fmt: skip
            drawing.add(
                "rect", fill="transparent", place=(now.places(name), k), x=places[k] - 14, y=y - 22, width=28, height=30
            )
    letter = f"letter {now.chosen + 1}, {asks[int(now.chosen)]}"
    return drawing.html(
        f"The letters {asked} with their values above the letters {asks} with their outputs, a line from each letter below to each "
        f"above, as thick as its weight; those of {letter}, are strong."
    )


def _places(count):
    """Where the letters of a string stand."""
    return WIDE / 2 + (np.arange(count) - (count - 1) / 2) * min(90, WIDE / (count + 1))


def _stages(now):
    asks, asked = _sides(now.asking, now.source, now.side)
    across = {"rows": asks, "columns": asked, "chosen_row": int(now.chosen), "corner": ""}
    return matrices.chain(
        now.table("scores", limit=5.0, decimals=1, **across),
        now.table("weights", decimals=2, row_sums=False, **across),
        now.table("value", "values", rows=asked, columns=["number"], decimals=0),
        now.table("output", decimals=2, rows=asks, columns=["number"], chosen_row=int(now.chosen)),
    )


def _describe_across(now):
    num_queries, num_keys = now.weights.shape
    one, low, high = num_queries == 1, now.output.min(), now.output.max()
    return (
        f"{num_queries} ask{'s' * one} {num_keys}: {num_queries} × {num_keys} weight{'s' * (now.weights.size > 1)}, and "
        f"{num_queries} output{'s' * (not one)}, {f'{low:.3f}' if one else f'from {low:.3f} to {high:.3f}'}."
    )
