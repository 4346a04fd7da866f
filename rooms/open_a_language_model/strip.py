"""What may come next as one strip: each word as wide as it is likely, and hatched what all others share."""

import numpy as np

from workbench.pictures.svg import Drawing, text_width

TALL, TOP, CHIP, GAP = 48, 24, 28, 8  # pixels: of the strip, above it, of a chip, between two chips
NOTHING = "\u200b"  # a word of no width, so that all states are drawn of the same parts
LONGEST = 14  # letters of a word that are shown
THROUGH = {"pointer_events": "none"}  # a click on a word is one on its box


def strip(words, shares, text, *, width, title, places):
    """Show shares of 1 beside one another, and below each word with its share.

    Parameters
    ----------
    words : list of str
    shares : (num_words,), from 0 to 1, their sum at most 1
    text : what it shows, one sentence
    width : pixels of the page
    title : written above
    places : list of Places or None, one for each word: what it answers
    """
    words = [word if len(word) <= LONGEST else word[: LONGEST - 1] + "…" for word in words]
    starts = [0, *(round(width * float(each)) for each in np.cumsum(shares))]
    told = [f"{share:.1%}" for share in shares]
    columns, below = (5 if width > 500 else 2), TOP + TALL + 12
    wide, rows = (width - GAP * (columns - 1)) // columns, -(-(len(words) + 1) // columns)
    drawing = Drawing(width, below + rows * (CHIP + GAP))
    drawing.words(0, 15, title, size=13, anchor="start", font_weight=600)
    _hatch(drawing, starts[-1], width)
    for k, word in enumerate(words):
        room = max(1.12 * text_width(word, 16), 1.12 * text_width(told[k], 12))  # fonts differ
        fits = round(room) + 14 <= starts[k + 1] - starts[k]
        _segment(drawing, starts[k], starts[k + 1], word if fits else "", told[k], k == 0, (places[k], k))
    rest = f"{max(1 - float(sum(shares)), 0):.1%}"
    for k, (word, share) in enumerate([*zip(words, told), ("all others", rest)]):  # each stays where it is
        left, y = (k % columns) * (wide + GAP), below + k // columns * (CHIP + GAP)
        look = {"stroke_dasharray": "3 3"} if k == len(words) else {"place": (places[k], k)}
        drawing.box(left, y, wide, CHIP, rx=6, fill="paper", stroke="line", **look)
        drawing.words(left + 8, y + 19, word, size=15, anchor="start", **THROUGH)
        drawing.words(left + wide - 8, y + 19, share, size=12, colour="muted", anchor="end", **THROUGH)
    return drawing.html(text)


def _segment(drawing, left, right, word, share, strong, place):
    """A word's part of the strip; the likeliest one is dark."""
    look = {"fill": "ink", "fill_opacity": 0.8 if strong else 0.2}
    drawing.box(left, TOP, max(right - left - 1, 0.5), TALL, place=place, **look)
    colour, middle = "paper" if strong else "ink", (left + right) / 2
    drawing.words(middle, TOP + 22, word or NOTHING, size=16, colour=colour, bold=strong, **THROUGH)
    drawing.words(middle, TOP + 39, share if word else NOTHING, size=12, colour=colour, **THROUGH)


def _hatch(drawing, left, right):
    """What all other tokens share: dashes of a line that is as broad as the strip is high."""
    middle = TOP + TALL / 2
    drawing.line((left, middle), (right, middle), "muted", TALL, stroke_dasharray="1 5", stroke_opacity=0.6)
