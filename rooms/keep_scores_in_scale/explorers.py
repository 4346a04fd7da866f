"""Whom She finds by luck while queries and keys are random, and how one division mends it."""

import functools
import math

import numpy as np

from helpers.attention import softmax
from rooms.shared import words
from workbench import Drawing, by_width, explorer, stops, text_width

WIDTHS, NUM_DRAWS, TOKENS = (4, 16, 64, 256), 20, words.she_sentences().tokens
WIDE = {"size": (806, 462), "lefts": (8, 438), "tops": (82, 82), "step": (18, 15), "down": True}
PHONE = {"size": (340, 618), "lefts": (10, 10), "tops": (84, 336), "step": (16, 10), "down": False}


def explore_luck():
    """Draw 20 random questions of She and 20 random keys for each, at four widths, and see what the division does.

    Shown: undivided and divided (20, 20), for each draw the weights of the 20 words, without and with ÷ √d_k
    """
    return explorer(
        _cast,
        lambda now: by_width(_side_by_side(now, **WIDE), _side_by_side(now, **PHONE)),
        _say_who_wins,
        d_k=stops("numbers in a query, d_k", [(str(width), width) for width in WIDTHS], 64),
    )


@functools.cache
def _keys_and_questions():
    """For each draw the key of every word and the question of She, (20, 21, 256): random numbers, nothing learned."""
    return np.random.default_rng(4).normal(size=(NUM_DRAWS, len(TOKENS) + 1, WIDTHS[-1]))


def _cast(d_k):
    drawn = _keys_and_questions()[..., :d_k]
    scores = np.einsum("dnk,dk->dn", drawn[:, 1:], drawn[:, 0])
    return {"undivided": softmax(scores), "divided": softmax(scores / math.sqrt(d_k))}


def _taken(weights):
    """In how many draws one word has more than half."""
    return int((weights.max(axis=1) > 0.5).sum())


def _say_who_wins(now):
    plain, root = now.undivided, now.divided
    return (
        f"Undivided, one word gets more than half in {_taken(plain)} of {NUM_DRAWS} draws, and {plain.max(axis=1).mean():.0%} on "
        f"average. Divided by √{now.d_k}, that happens in {_taken(root)}, and the winner gets {root.max(axis=1).mean():.0%}. "
        f"Equal shares would be {1 / len(TOKENS):.0%}."
    )


def _side_by_side(now, *, size, lefts, tops, step, down):
    """Two blocks of specks, a row for each draw and a column for each word; a speck's area is the word's weight."""
    drawing, largest = Drawing(*size), 0.62 * step[1]
    asks = "asks 20 times, each time with random numbers"
    drawing.words(lefts[0], 22, "She", size=17, colour="query", anchor="start", bold=True)
    asked, large = (asks, 17) if down else (asks.removesuffix(" with random numbers"), 15)
    drawing.words(lefts[0] + text_width("She ", 17) * 1.18, 22, asked, size=large, anchor="start")
    if not down:
        drawing.words(lefts[0], 42, "with random numbers", size=15, anchor="start")
    titles = ("undivided", f"÷ √{now.d_k} = {math.sqrt(now.d_k):g}")
    for weights, title, left, top in zip((now.undivided, now.divided), titles, lefts, tops):
        taken, right = _taken(weights), left + step[0] * len(TOKENS)
        colour = "wrong" if taken > NUM_DRAWS / 2 else "muted"
        drawing.words(left, top - 14, title, size=16, anchor="start", bold=True)
        told = f"one word takes over half: {taken} of {NUM_DRAWS}"
        drawing.words(right, top - 14, told, size=13, colour=colour, anchor="end")
        for k, row in enumerate(weights):
            y = top + step[1] * (k + 0.5)
            drawing.line((left, y), (right, y), "line", 0.6)
            for word, weight in enumerate(row):
                radius = largest * math.sqrt(weight)
                if radius > 0.3:
                    drawing.add("circle", cx=left + step[0] * (word + 0.5), cy=y, r=radius, fill="ink")
        if down or top == tops[-1]:
            _words_below(drawing, left, top + step[1] * NUM_DRAWS + 6, step[0])
    return drawing.html(
        f"20 rows of specks for 20 draws, as large as the weights of 20 words. {titles[0]}: one word has over half in "
        f"{_taken(now.undivided)} rows; {titles[1]}: in {_taken(now.divided)}, and all specks are small."
    )


def _words_below(drawing, left, y, step):
    for k, token in enumerate(TOKENS):
        x, mine = left + step * (k + 0.5) + 4, token == "She"
        look = {"size": 12, "colour": "query" if mine else "muted", "bold": mine, "anchor": "end"}
        drawing.words(x, y, token, transform=f"rotate(-90 {x:.1f} {y})", **look)
