"""What another order of its words does to a sentence, without and with positions."""

import functools
import itertools

import numpy as np

from helpers.positions import sinusoidal_positional_encoding
from helpers.tokens import one_hot
from rooms.shared import ribbons
from rooms.shared.shuffling import shuffled
from workbench import Drawing, Rule, Swap, choose, explorer, in_two_widths, rows_sum_to_one, slider, text_field

SENTENCE = ["the", "cat", "sat", "on", "the", "mat"]
ENCODINGS = ["none", "clocks", "learned (here: drawn at random)"]


def explore_shuffle():
    """Drag the words of a sentence into another order, without and with positions added.

    Shown: scores, weights, shuffled_scores and shuffled_weights (6, 6), output and shuffled_output (6, 5), order
    (6,), difference (6,), how far each word's output is from the same word's output as written, and at_most (), how far
    one is at most in any order of the six words
    """
    return explorer(
        _reorder,
        _tiles,
        lambda now: f"Read as '{' '.join(_words(now.order))}', the same word's output moves by up to {now.difference.max():.3f}.",
        [Rule("every row sums to 1", lambda now: rows_sum_to_one(now.shuffled_weights)), _ORDER_COUNTS],
        presets={"as written": {"read": " ".join(SENTENCE)}, "mixed up": {"read": "sat mat the cat on the"}},
        touch={"words": Swap(_exchange, lambda now, k: {"asks": k}, lambda now, k: f"click: '{_words(now.order)[k]}' looks; or drag it onto another word")},
        folded=["read", "asks"],
        positions=choose("positions, added to the words", ENCODINGS, "none"),
        read=text_field("read as", "the mat sat on the cat"),
        asks=slider("position that looks", 5, 0, 5, 1),
    )  # fmt: skip


def _words(order):
    return [SENTENCE[i] for i in order]


def _order(read):
    """Which word of the sentence stands at each place of a text; of two equal words each stays at its place, if it can."""
    typed, left = read.split(), list(range(len(SENTENCE)))
    if sorted(typed) != sorted(SENTENCE):
        raise ValueError(f"read as must hold the words of '{' '.join(SENTENCE)}' in any order, got {read!r:.60}.")
    stay = {place for place, word in enumerate(typed) if SENTENCE[place] == word}
    left = [place for place in left if place not in stay]
    order = []
    for place, word in enumerate(typed):
        order.append(place if place in stay else next(i for i in left if SENTENCE[i] == word))
        left = [i for i in left if i != order[-1]]
    return np.array(order)


def _exchange(now, start, end):
    order = _words(now.order)
    (i,), (j,) = start, end
    order[i], order[j] = order[j], order[i]
    return {"read": " ".join(order), "asks": j}


def _tokens(positions):
    """The words, one-hot, and what is added for their positions, both (6, 5)."""
    tokens = one_hot(SENTENCE, list(dict.fromkeys(SENTENCE)))
    added = {
        "none": np.zeros(tokens.shape),
        "clocks": sinusoidal_positional_encoding(*tokens.shape),
        ENCODINGS[2]: np.random.default_rng(8).normal(size=tokens.shape),
    }[positions]
    return tokens, added


def _reorder(positions, read, asks):
    tokens, added = _tokens(positions)
    return {**shuffled(tokens, added, None, _order(read)), "at_most": _at_most(positions)}


@functools.cache
def _at_most(positions):
    """How far an output moves at most, in all orders of the six words."""
    orders = map(np.array, itertools.permutations(range(len(SENTENCE))))
    return max(shuffled(*_tokens(positions), None, order)["difference"].max() for order in orders)


_ORDER_COUNTS = Rule(
    "word order changes the outputs",
    lambda now: (now.at_most > 1e-9, "in any order, every word gets the same output"),
)


@in_two_widths((118,), (56,))
def _tiles(now, step):
    """Words as tiles, ribbons from the one that looks, and under each word its output as bars; where they stood as written, lines."""
    read, asks, half = _words(now.order), now.asks, 0.37 * step  # of a tile
    bar = 0.135 * step
    drawing, weights = Drawing(6 * step, 330), now.shuffled_weights[asks]
    middles = [step * (k + 0.5) for k in range(len(read))]
    ribbons.over(drawing, middles, weights, asks, 121, lambda apart: min(24 + 0.14 * apart, 90))
    both = now.shuffled_output, now.output
    low, high = min(0.0, *(each.min() for each in both)), max(1e-9, *(each.max() for each in both))
    size = 110 / (high - low)
    zero = 200 + high * size
    for k, (word, x) in enumerate(zip(read, middles)):
        look = {"stroke": "query", "stroke_width": 2} if k == asks else {"stroke": "line", "stroke_width": 1}
        drawing.box(x - half, 122, 2 * half, 34, rx=6, fill="paper", **look)
        drawing.words(x, 145, word, size=17 if step > 60 else 15, colour="query" if k == asks else "ink")
        drawing.line((x - 2.5 * bar, zero), (x + 2.5 * bar, zero), "line", 1)
        for f, (value, written) in enumerate(zip(now.shuffled_output[k], now.output[now.order[k]])):
            left = x + bar * (f - 2.5)
            top, tall = zero - max(value, 0) * size, max(abs(value) * size, 0.5)
            drawing.box(left + bar / 8, top, 0.75 * bar, tall, fill="output")
            drawing.line((left, zero - written * size), (left + bar, zero - written * size), "ink", 2)
        drawing.box(x - half, 122, 2 * half, 34, fill="transparent", place=(now.places("words"), k))
    bars = f"a bar each for {', '.join(dict.fromkeys(SENTENCE))}" if step > 60 else "a bar a word"
    drawing.words(8, 186, f"outputs, {bars}; lines: as written", size=12, colour="muted", anchor="start")
    return drawing.html(
        f"The words {' '.join(read)} as tiles; '{read[asks]}' looks, with ribbons as wide as its weights. Under each word its "
        f"output as five bars, and as lines what it was as written; the largest difference is {now.difference.max():.3f}."
    )
