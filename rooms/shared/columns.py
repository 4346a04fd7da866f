"""A word's vector as a column of cells."""

import numpy as np

NUMBERED = 0.4  # opacity of a full cell that has words or a number in it: ink stays readable on it in both themes
FRAME = 0.7  # opacity of a cell's frame: 3 : 1 with the page, so that an empty one is seen


def opacity(value, full=1.0):
    """How strongly a cell is filled: nothing for 0, half for half of `full`, all for `full` and more."""
    return min(1.0, abs(float(value)) / full)


def cells(drawing, x, y, values, *, width=20, height=20, gap=2, role="ink", full=1.0):
    """Draw numbers as filled cells, one below the other.

    Parameters
    ----------
    drawing : Drawing
    x, y : of the upper left corner of the first cell
    values : (n,), 0 stays empty and `full` is filled
    role : of the colour, or one for each cell
    """
    for k, value in enumerate(values):
        fill = role if isinstance(role, str) else role[k]
        look = {"fill": fill, "fill_opacity": opacity(value, full), "stroke": "muted", "stroke_opacity": FRAME, "rx": 3}
        drawing.box(x, y + k * (height + gap), width, height, stroke_dasharray="2 2" if value < 0 else None, **look)


def labels(drawing, x, y, words, *, height=20, gap=2, size=13, anchor="end", colours=None):
    """Write a word beside each cell of a column."""
    for k, word in enumerate(words):
        middle, colour = y + k * (height + gap) + height / 2, colours[k] if colours else "muted"
        drawing.words(x, middle + size * 0.36, word, size=size, anchor=anchor, colour=colour)


def under_words(drawing, middles, top, X, asked):
    """Draw each word's vector as a small column below it; what is asked for runs through all columns as a band.

    Parameters
    ----------
    middles : (num_words,) of the words, in pixels
    X : (num_words, num_features); a word of which nothing is known has no column
    asked : (num_features,), how strongly each feature is asked for, 0 to 1
    """
    side, step, left = 8, 9, min(middles) - 14
    for k in np.flatnonzero(asked):
        band = {"fill": "query", "fill_opacity": 0.10 + 0.25 * asked[k], "rx": 2}
        drawing.box(left, top + k * step - 1, max(middles) + 10 - left, side + 2, **band)
    for j, row in enumerate(X):
        for k, value in enumerate(row if row.any() else ()):
            look = {"fill": "query" if asked[k] and value else "ink", "fill_opacity": opacity(value), "rx": 1.5}
            drawing.box(middles[j] - side / 2, top + k * step, side, side, stroke="muted", stroke_opacity=0.4, **look)
