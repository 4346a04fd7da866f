"""Masks, who may look at whom; and one sequence that asks another."""

import numpy as np

from helpers import matrices
from helpers.attention import causal_mask, scaled_dot_product_attention, softmax
from helpers.explorers.controls import SwitchGrid, choose, slider, text_field
from helpers.explorers.engine import SHARES, Rule, between, explorer
from helpers.explorers.strings import read_letters
from helpers.explorers.sums import dot_product, listed, mixture, number, share_of_3
from helpers.explorers.touch import Paint, Touch, turn_letter
from helpers.pictures.html import by_width
from helpers.pictures.svg import Drawing
from helpers.tokens import one_hot

WORDS = ["I", "love", "dogs", "."]
LOOKS_AHEAD = np.eye(4) + 4 * np.eye(4, k=1)  # what a model learns that sees everything: look one word ahead
NUDGE = 0.3
CAUSAL, EVERYTHING = causal_mask(len(WORDS)), np.ones((4, 4), bool)
WIDE, NARROW, CELL = 780, 340, 52


def _from_the_future(now):
    return np.nan_to_num(np.triu(now.moved, 1)).max()


def explore_mask():
    """Paint who may look at whom in "I love dogs .", and watch a model that has learned to look one word ahead.

    Shown: mask (4, 4), scores and weights (4, 4), output (4, 4), how much of each word a row has read, and moved (4, 4), how
    far the output of each word (down) moves when one word (across) is changed a little
    """
    return explorer(
        _painted,
        lambda now: by_width(_grid_and_bars(now, WIDE), _grid_and_bars(now, NARROW)),
        _say_what_is_guessed,
        [SHARES, Rule("no output hears from a later word", _from_the_future, "one moves by {:.3f}")],
        presets={
            "causal": {"mask": CAUSAL, "when": "before softmax"},
            "everything": {"mask": EVERYTHING, "when": "before softmax"},
        },
        touch={"mask": Paint("mask", _what_painting_does)},
        folded=["mask"],
        mask=SwitchGrid("mask", EVERYTHING, rows=[f"'{word}' sees" for word in WORDS], columns=WORDS),
        when=choose("mask applied", list(_WAYS), "before softmax"),
    )


def _shares(scores, mask):
    """Softmax over what may be seen; a row with nothing to see is 0/0, NaN."""
    scores = np.where(mask, scores, -np.inf)
    with np.errstate(invalid="ignore"):  # -inf minus -inf: the NaN is the point
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)


def _after(scores, mask):
    return np.where(mask, softmax(scores), 0)


_WAYS = {"before softmax": _shares, "after softmax": _after}


def _painted(mask, when):
    def attend(X):
        scores = X @ LOOKS_AHEAD @ X.T
        weights = _WAYS[when](scores, mask)
        return scores, weights, weights @ X

    words = np.eye(len(WORDS))  # each word is its own feature
    scores, weights, output = attend(words)
    moved = [np.abs(attend(words + NUDGE * word[:, None])[-1] - output).max(axis=1) for word in np.eye(4)]
    return {"mask": mask, "scores": scores, "weights": weights, "output": output, "moved": np.transpose(moved)}


def _guesses(now):
    """Of each word but the last: the word that it has read most of, and whether that is the next one; None where it is blind."""
    return [
        None if np.isnan(row).any() or not row.any() else (int(row.argmax()), int(row.argmax()) == k + 1)
        for k, row in enumerate(now.output[:-1])
    ]


def _say_what_is_guessed(now):
    guesses = _guesses(now)
    right = sum(bool(guess and guess[1]) for guess in guesses)
    cheats = "because it reads the answer" if right else "it has to guess from what it has read"
    blind = [f"'{word}'" for word, row in zip(WORDS, now.weights, strict=True) if np.isnan(row).any()]
    nothing = f" {listed(blind)} may see nothing, so there is nothing to share out: NaN." if blind else ""
    return f"{now.mask.sum()} of 16 pairs may attend. The model has {right} of 3 next words right, {cheats}.{nothing}"


def _what_painting_does(now, i, j):
    does = "keep '{}' from seeing '{}'" if now.mask[i, j] else "let '{}' see '{}'"
    return f"{now.weights[i, j]:.0%}; click, or press and draw, to {does.format(WORDS[i], WORDS[j])}"


def _grid_and_bars(now, width):
    """The pairs as a grid to paint on, and beside each row, or below them, what it has read and what it guesses next."""
    wide = width == WIDE
    left, top = 64, 44
    drawing = Drawing(width, 312 if wide else 532)
    drawing.words(left + 2 * CELL, 14, "may look at", size=13, colour="muted")
    for k, word in enumerate(WORDS):
        drawing.words(left + CELL * (k + 0.5), top - 8, word, size=16)
        drawing.words(left - 10, top + CELL * (k + 0.5) + 6, word, size=16, anchor="end")
    for i in range(4):
        for j in range(4):
            _draw_pair(drawing, now, i, j, left + CELL * j, top + CELL * i)
    drawing.words(left, top + 4 * CELL + 22, "strong: weight", size=12, colour="muted", anchor="start")
    drawing.words(left, top + 4 * CELL + 38, f"crossed: hidden {now.when}", size=12, colour="muted", anchor="start")
    drawing.words(left, top + 4 * CELL + 54, "red: hears from a later word", size=12, colour="wrong", anchor="start")
    x, y, step, bar = (330, top, CELL, 230) if wide else (64, top + 4 * CELL + 96, 48, 150)
    drawing.words(x, y - 12, "what it has read", size=13, colour="muted", anchor="start")
    drawing.words(x + bar + 16, y - 12, "guesses next", size=13, colour="muted", anchor="start")
    for k, word in enumerate(WORDS):
        _draw_reading(drawing, now, k, x, y + step * k + 8, bar)
        if not wide:
            drawing.words(x - 10, y + step * k + 30, word, size=15, anchor="end")
    return drawing.html(_told(now))


def _draw_pair(drawing, now, i, j, x, y):
    weight, leaks = now.weights[i, j], j > i and np.nan_to_num(now.moved[i, j]) > 1e-9
    drawing.box(
        x + 2,
        y + 2,
        CELL - 4,
        CELL - 4,
        rx=5,
        fill="ink",
        fill_opacity=0 if np.isnan(weight) else weight**0.7,
        stroke="line",
    )
    if not now.mask[i, j]:
        drawing.line((x + 8, y + CELL - 8), (x + CELL - 8, y + 8), "muted", 1.5)
        drawing.line((x + 8, y + 8), (x + CELL - 8, y + CELL - 8), "muted", 1.5)
    if leaks:
        drawing.box(x + 3, y + 3, CELL - 6, CELL - 6, rx=5, fill="none", stroke="wrong", stroke_width=3)
    drawing.box(x + 2, y + 2, CELL - 4, CELL - 4, fill="transparent", place=(now.places("mask"), i, j))


def _draw_reading(drawing, now, k, x, y, width):
    """A bar of the words that a row has read, each as wide as its share; then its guess."""
    at = x
    for j, share in enumerate(np.nan_to_num(now.weights[k])):
        role = "wrong" if j > k else "ink"
        drawing.box(at, y, width * share, 32, fill=role, fill_opacity=0.16, stroke="paper", rx=3)
        if share * width > 34:
            drawing.words(at + width * share / 2, y + 21, WORDS[j], size=14, colour=role)
        at += width * share
    guess = _guesses(now)[k] if k < 3 else None
    if guess:
        word, right = WORDS[guess[0]], guess[1]
        told, colour = (f"{word} — it cheats", "wrong") if right else (word, "ink")
        drawing.words(x + width + 16, y + 21, told, size=15, colour=colour, anchor="start", bold=True)


def _told(now):
    rows = [
        f"{word} reads "
        + (", ".join(f"{WORDS[j]} {share:.2f}" for j, share in enumerate(row) if share > 0.005) or "nothing")
        for word, row in zip(WORDS, np.nan_to_num(now.weights), strict=True)
    ]
    return f"A grid of four words, {now.mask.sum()} of 16 pairs open. {'; '.join(rows)}."


# --- one sequence asks another ---------------------------------------------------------------------------------------

ASKING, SOURCE = "BA", "AABA"
SIDES = ["the first asks the second", "the second asks the first"]
NUMBERS = np.array([[10.0], [20.0]])  # the values of an A and a B
ACROSS, HIGH = 640, 210


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
    drawing, below, above = Drawing(ACROSS, HIGH), _places(len(asks)), _places(len(asked))
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
    return ACROSS / 2 + (np.arange(count) - (count - 1) / 2) * min(90, ACROSS / (count + 1))


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
