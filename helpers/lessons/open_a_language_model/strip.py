"""What may come next as one strip: each word as wide as it is likely, and hatched what all others share."""

import numpy as np

from helpers.pictures.svg import Drawing, text_width

TALL, TOP, CHIP, FAN = 48, 24, 28, 26  # pixels: of the strip, above it, of a chip, between both
LONGEST = 14  # letters of a word that are shown
THROUGH = {"pointer_events": "none"}  # a click on a word is one on its box


def strip(words, shares, text, *, width, title, places):
    """Show shares of 1 beside one another; what is too narrow for its word gets a chip below.

    Parameters
    ----------
    words : list of str
    shares : (num_words,), from 0 to 1, their sum at most 1
    text : what it shows, one sentence
    width : pixels of the page
    title : written above
    places : list of Places or None, one for each word: what it answers

    Returns
    -------
    Html
    """
    words = [word if len(word) <= LONGEST else word[: LONGEST - 1] + "…" for word in words]
    starts = [0, *(round(width * float(each)) for each in np.cumsum(shares))]
    inside = [_wide(word, 16) + 14 <= b - a for word, a, b in zip(words, starts, starts[1:])]
    told = [f"{share:.1%}" for share in shares]
    others, rest = "all others", f"{max(1 - float(sum(shares)), 0):.1%}"
    named = _wide(others, 14) + 8 <= width - starts[-1]  # within their part
    chips = [(words[k], told[k], (starts[k] + starts[k + 1]) / 2, k) for k in range(len(words)) if not inside[k]]
    if not named:
        chips.append((others, rest, (starts[-1] + width) / 2, None))
    laid = _in_rows([_wide(word, 15) + _wide(share, 12) + 22 for word, share, *_ in chips], width, starts[-1])
    below = TOP + TALL + FAN
    drawing = Drawing(width, below + max((row for _, row, _ in laid), default=-1) * (CHIP + 8) + CHIP + 6)
    drawing.words(0, 15, title, size=13, anchor="start", font_weight=600)
    _hatch(drawing, starts[-1], width)
    if laid and not laid[-1][1]:  # in one row
        ends = zip((x for *_, x, _ in chips), (left + wide / 2 for left, _, wide in laid))
        fan = "".join(f"M{x:.0f},{TOP + TALL}L{end:.0f},{below}" for x, end in ends)
        drawing.add("path", d=fan, stroke="line", fill="none")
    for k, word in enumerate(words):
        _segment(drawing, starts[k], starts[k + 1], word if inside[k] else "", told[k], k == 0, (places[k], k))
    if named:
        middle = (starts[-1] + width) / 2
        drawing.words(middle, TOP + 21, others, size=14, halo=True)
        drawing.words(middle, TOP + 38, rest, size=12, colour="muted", halo=True)
    for (word, share, _, k), (left, row, wide) in zip(chips, laid):
        y, look = below + row * (CHIP + 8), {"stroke_dasharray": "3 3"} if k is None else {"place": (places[k], k)}
        drawing.box(left, y, wide, CHIP, rx=6, fill="paper", stroke="line", **look)
        drawing.words(left + 8, y + 19, word, size=15, anchor="start", **THROUGH)
        drawing.words(left + wide - 8, y + 19, share, size=12, colour="muted", anchor="end", **THROUGH)
    return drawing.html(text)


def _wide(words, size):
    return round(1.12 * text_width(words, size))  # fonts differ


def _segment(drawing, left, right, word, share, strong, place):
    """A word's part of the strip; the likeliest one is dark."""
    look = {"fill": "ink", "fill_opacity": 0.8 if strong else 0.2}
    drawing.box(left, TOP, max(right - left - 1, 0.5), TALL, place=place, **look)
    if word:
        colour, middle = "paper" if strong else "ink", (left + right) / 2
        drawing.words(middle, TOP + 22, word, size=16, colour=colour, bold=strong, **THROUGH)
        drawing.words(middle, TOP + 39, share, size=12, colour=colour, **THROUGH)


def _hatch(drawing, left, right):
    """What all other tokens share: dashes of a line that is as broad as the strip is high."""
    middle = TOP + TALL / 2
    drawing.line((left, middle), (right, middle), "muted", TALL, stroke_dasharray="1 5", stroke_opacity=0.6)


def _in_rows(widths, width, begin):
    """(left, row, width) of each chip: all in one row that begins below the strip's narrow parts, or in several from the left."""
    gap, total = 8, sum(widths) + 8 * (len(widths) - 1)
    if total <= width:
        left, laid = min(begin, width - total), []
        for each in widths:
            laid.append((left, 0, each))
            left += each + gap
        return laid
    laid, left, row = [], 0, 0
    for each in widths:
        if left and left + each > width:
            left, row = 0, row + 1
        laid.append((left, row, each))
        left += each + gap
    return laid
