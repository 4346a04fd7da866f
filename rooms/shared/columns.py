"""A word's vector as a column of cells, and what attention does to it: a matrix of cells beside it, and what flows into it."""

import numpy as np

from rooms.shared import ribbons
from workbench.pictures.svg import text_width

NUMBERED = 0.4  # opacity of a full cell that has a number in it: ink stays readable on it in both themes


def opacity(value, full=1.0):
    """How strongly a cell is filled: nothing for 0, half for half of `full`, all for `full` and more."""
    return min(1.0, abs(float(value)) / full)


def cells(
    drawing, x, y, values, *, width=20, height=20, gap=2, role="ink", full=1.0, across=False, places=None, at=(),
    numbers=False,
):  # fmt: skip
    """Draw numbers as filled cells, one below the other, or side by side.

    Parameters
    ----------
    drawing : Drawing
    x, y : of the upper left corner of the first cell
    values : (n,), 0 stays empty and `full` is filled
    role : of the colour, or one for each cell
    across : whether the cells stand side by side
    places, at : Places of the cells, and the indices that come before a cell's own; or None
    numbers : whether each number is written into its cell
    """
    for k, value in enumerate(values):
        corner = (x + k * (width + gap), y) if across else (x, y + k * (height + gap))
        fill = role if isinstance(role, str) else role[k]
        strength = opacity(value, full) * (NUMBERED if numbers else 1)
        look = {"fill": fill, "fill_opacity": strength, "stroke": "muted", "stroke_opacity": 0.45, "rx": 3}
        drawing.box(*corner, width, height, stroke_dasharray="2 2" if value < 0 else None, **look)
        if numbers:
            _number(drawing, *corner, width, height, value)
        if places:
            drawing.box(*corner, width, height, fill="transparent", place=(places, *at, k))


def _number(drawing, x, y, width, height, value):
    """A number in the middle of its cell."""
    colour = "ink" if value else "muted"
    drawing.words(x + width / 2, y + height / 2 + 4.5, f"{value:g}", size=12, colour=colour)


def labels(drawing, x, y, words, *, height=20, gap=2, size=13, anchor="end", colours=None):
    """Write a word beside each cell of a column."""
    for k, word in enumerate(words):
        colour = colours[k] if colours else "muted"
        drawing.words(
            x, y + k * (height + gap) + height / 2 + size * 0.36, word, size=size, anchor=anchor, colour=colour
        )


def matrix(drawing, x, y, values, *, width=20, height=20, gap=2, role="query", full=1.0, lit=None, places=None):
    """Draw a matrix as cells with their numbers; rows that are not `lit` are pale, since nothing goes through them."""
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            corner = (x + j * (width + gap), y + i * (height + gap))
            strength = NUMBERED * opacity(value, full) * (1 if lit is None or lit[i] else 0.35)
            look = {"fill": role, "fill_opacity": strength, "stroke": role, "rx": 3}
            drawing.box(*corner, width, height, stroke_opacity=0.9 if lit is None or lit[i] else 0.35, **look)
            _number(drawing, *corner, width, height, value)
            if places:
                drawing.box(*corner, width, height, fill="transparent", place=(places, i, j))


def flows(drawing, start, end, y, shares, words, *, height=20, gap=2, size=13, least=0.005):
    """Draw a line into each cell of a column, as thick as what comes along it, and say beside it what that is."""
    for k, (share, word) in enumerate(zip(shares, words, strict=True)):
        if share < least:
            continue
        middle = y + k * (height + gap) + height / 2
        room = start + text_width(word, size) + 8
        drawing.words(start, middle + size * 0.36, word, size=size, colour="value", anchor="start")
        drawing.line((room, middle), (end, middle), **ribbons.line(share, colour="value"))


def under_words(drawing, middles, top, X, *, side=8, gap=1, chosen=None, asked=None):
    """Draw each word's vector as a small column below it; what is asked for runs through all columns as a band.

    Parameters
    ----------
    middles : (num_words,) of the words, in pixels
    X : (num_words, num_features); a word of which nothing is known has no column
    asked : (num_features,), how strongly each feature is asked for, 0 to 1; or None
    """
    step = side + gap
    if asked is not None:
        left, right = min(middles) - 14, max(middles) + 10
        for k in np.flatnonzero(asked):
            drawing.box(
                left,
                top + k * step - 1,
                right - left,
                side + 2,
                fill="query",
                fill_opacity=0.10 + 0.25 * asked[k],
                rx=2,
            )
    for j, row in enumerate(X):
        if row.any():
            for k, value in enumerate(row):
                hit = asked is not None and asked[k] and value
                look = {"fill": "query" if hit else "ink", "fill_opacity": opacity(value), "rx": 1.5}
                drawing.box(
                    middles[j] - side / 2, top + k * step, side, side, stroke="muted", stroke_opacity=0.4, **look
                )
