"""Two texts, one above the other, and a ribbon from a word of the lower one that parts to the words of the upper one that it attends to."""

import numpy as np

from rooms.shared import ribbons
from workbench.pictures.svg import BOLD, Drawing, text_width

SIZE, GAP, ABOVE, BELOW, HIGH = 17, 9, 46, 188, 216  # pixels; where the two lines of words stand
WIDE, PHONE = (64, 700), (30, 410)  # more room between words, as long as a line is no longer than this


def width_of(words):
    """How many pixels a line of words takes."""
    return sum(text_width(word, SIZE) + GAP for word in words) + GAP


def two_texts(
    asking, asked, weights, chosen, *, name, asking_places=None, asked_places=None, cursor=False, phone=False
):
    """Show what a word of one text attends to in another: ribbons as wide as the weights, strong for the word that asks.

    Parameters
    ----------
    asking, asked : lists of str, the words below and above
    weights : (num_asking, num_asked), rows sum to 1
    chosen : index of the word that asks
    name : what the picture is called in its text
    asking_places, asked_places : Places, names for the words, one index each
    cursor : whether the chosen word is about to be written, as an output: the ribbon leaves the cursor before it, and what comes later is grey
    phone : whether the words stand as close as a phone needs it
    """
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (len(asking), len(asked)):
        shape = f"{len(asking)} × {len(asked)}"
        raise ValueError(f"weights must be {shape}, a row for each word that asks, got {weights.shape}.")
    apart, fit = PHONE if phone else WIDE
    longest = max(len(asking), len(asked))
    width = max(width_of(asking), width_of(asked), 200)
    apart = min(apart, max(fit - width, 0) / longest)  # between two words, besides GAP
    width += apart * longest
    drawing, row = Drawing(width, HIGH), weights[chosen]
    above, below = _middles(asked, width, apart), _middles(asking, width, apart)
    foot, ends = BELOW - 24, [(x, ABOVE + 10) for x in above]
    x = below[chosen] - cursor * (BOLD * text_width(asking[chosen], SIZE) / 2 + GAP)
    for i in [i for i in range(len(asking)) if i != chosen and not cursor]:
        ribbons.fan(drawing, (below[i], foot), ends, weights[i], opacity=0.07)
    ribbons.fan(drawing, (x, foot - ribbons.FOOT), ends, row)
    ribbons.foot(drawing, x, foot)
    if cursor:
        drawing.line((x, foot), (x, BELOW + 6), "query", 2)
    for k, word in enumerate(asked):
        drawing.words(above[k], ABOVE, word, size=SIZE, colour="key", bold=row[k] >= 0.5)
        if row[k] >= 0.1:
            drawing.words(above[k], ABOVE - 24, share(row[k]), size=13 if phone else 12, colour="muted")
        _touch(drawing, word, above[k], ABOVE, asked_places, k)
    for k, word in enumerate(asking):
        colour = ("output" if cursor else "query") if k == chosen else "muted" if cursor and k > chosen else "ink"
        drawing.words(below[k], BELOW, word, size=SIZE, colour=colour, bold=k == chosen)
        _touch(drawing, word, below[k], BELOW, asking_places, k)
    told = ", ".join(f"{asked[k]} {row[k]:.3f}" for k in np.argsort(-row, kind="stable") if row[k] >= 0.02)
    who = f"before {asking[chosen]} is written, the cursor" if cursor else asking[chosen]
    return drawing.html(f"{name}: {who} attends to {told}.")


def share(weight):
    """A weight in percent; one that is nearly the whole has a decimal, so that it isn't called 100%."""
    return f"{weight:.1%}" if 0.995 <= weight < 1 else f"{weight:.0%}"


def _middles(words, width, apart):
    """Where the middles of words stand that are centred on a line."""
    wide = np.array([text_width(word, SIZE) + GAP + apart for word in words])
    return (width - wide.sum()) / 2 + wide.cumsum() - wide / 2


def _touch(drawing, word, x, y, places, k):
    wide = text_width(word, SIZE) + GAP - 1
    drawing.add("rect", fill="transparent", place=(places, k), x=x - wide / 2, y=y - 22, width=wide, height=30)
