"""A sentence as running text, and arcs from one word to those that it attends to."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from workbench import BOLD, Drawing, by_width, text_width

SIZE, MARK, GAP, PUNCTUATION = 17, 12, 7, set(".,;:!?")
PHONE, FINGER, LINE = 340, 14, 58  # pixels of a line on a phone, between two words there, and from line to line
DEEPEST = 0.34  # opacity of the shade behind the word with the largest weight: its letters stay readable


class Under(NamedTuple):
    """What is drawn below the words of a sentence, in the same drawing.

    height, narrow_height : of its room, on a card and on a phone
    draw : function(drawing, middles, top, narrow) that draws it; `middles` are the places of the words, and None on a phone
    """

    height: float
    narrow_height: float
    draw: Callable


def arcs(
    words, weights, chosen, *, name="sentence", places=None, marks=(), names=None, gap=GAP, highest=150, under=None
):
    """Show what one word attends to: thick and dark where its weight is large, as a share of the row's largest.

    On a phone, a long sentence breaks into lines, for arcs of a width of which its words would be too small to be read: there,
    the shade behind the words says it alone.

    Parameters
    ----------
    words : list of str
    weights : (num_words,), how much of the chosen word's attention each word gets
    chosen : index of the word that asks
    name : what the picture is called in its text
    places : Places, names for the words, one index each
    marks : indices of tokens that are no words of the text, written smaller
    names : (num_words,) what the words are called in the text; None = as they are
    gap : pixels between two words
    highest : pixels that the longest arc may rise
    under : Under, what stands below the words; or None

    Returns
    -------
    Html
    """
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (len(words),):
        raise ValueError(f"weights must be one number for each of {len(words)} words, got {weights.shape}.")
    shares, sizes = weights / max(weights.max(), 1e-300), [MARK if k in marks else SIZE for k in range(len(words))]
    told = _told(names or words, weights, chosen, name)

    def written(drawing, laid_out, top, finger, between):
        told_at = _with_room([(start + wide / 2, line) for start, line, wide in laid_out], shares)
        for k, (word, (start, line, wide)) in enumerate(zip(words, laid_out, strict=True)):
            y = top + LINE * line
            box = {"x": start - 3, "y": y, "width": wide + 6, "height": 30, "rx": 4}
            drawing.add("rect", fill="ink", fill_opacity=DEEPEST * shares[k], **box)
            colour = "query" if k == chosen else "muted" if k in marks else "ink"
            look = {"size": sizes[k], "colour": colour}
            if k == chosen:
                look |= _bold(wide, 1 if words[k + 1 : k + 2] and words[k + 1] in PUNCTUATION else between)
            drawing.words(start + wide / 2, y + 21, word, **look)
            if k in told_at:
                number = f"{weights[k]:.0%}"
                most = drawing.width - 0.55 * text_width(number, 12)  # that of a full stop at the end of a line, too
                drawing.words(min(start + wide / 2, most), y + 49, number, size=12, colour="muted")
            touch = max(wide + finger, 26 if finger == FINGER else 0)
            touched = {**box, "x": start + (wide - touch) / 2, "width": touch}
            drawing.add("rect", fill="transparent", place=(places, k), **touched)
        if under:
            end = max(line for _, line, _ in laid_out)
            middles = None if end else [start + wide / 2 for start, _, wide in laid_out]
            under.draw(drawing, middles, top + LINE * end + 62, middles is None)
        return drawing.html(told)

    laid_out, (width, _) = _laid_out(words, sizes, gap)
    middles = [start + wide / 2 for start, _, wide in laid_out]
    reach = max(abs(middle - middles[chosen]) for middle in middles)
    top = min(40 + 0.3 * reach, highest + 40)  # where the words begin
    drawing = Drawing(max(width, 200), top + 62 + (under.height if under else 0))
    for k in np.argsort(shares):
        if k != chosen and shares[k] >= 0.02:
            _arc(drawing, middles[chosen], middles[k], top - 6, shares[k], (top - 16) / max(reach, 1))
    wide = written(drawing, laid_out, top, 6, gap)
    if width <= 1.4 * PHONE:
        return wide
    laid_out, (_, lines) = _laid_out(words, sizes, FINGER, PHONE)
    tall = LINE * lines + (under.narrow_height if under else 0)
    return by_width(wide, written(Drawing(PHONE, tall), laid_out, 4, FINGER, FINGER))


def _bold(wide, gap):
    """The look of the chosen word: bold letters are wider, and are drawn closer where they would touch a neighbour."""
    close = {"textLength": wide + gap - 2, "lengthAdjust": "spacingAndGlyphs"} if BOLD * wide > wide + gap else {}
    return {"font_weight": 700, **close}


def _with_room(middles, shares, room=32):
    """Indices of the words whose number is shown: the large ones, each as far from a larger one as a number is wide."""
    shown = []
    for k in np.argsort(-shares, kind="stable"):
        x, line = middles[k]
        if shares[k] >= 0.1 and all(line != there or abs(x - at) >= room for at, there in (middles[j] for j in shown)):
            shown.append(k)
    return shown


def _laid_out(words, sizes, gap, most=np.inf):
    """(start, line, width) of each word, in lines of at most so many pixels; then (width, number) of the lines."""
    left = max(4.0, gap / 4)
    parts, x, line = [], left, 0
    for word, size in zip(words, sizes, strict=True):
        wide = text_width(word, size)
        x -= gap - 1 if word in PUNCTUATION and parts else 0
        if x + wide > most and word not in PUNCTUATION:
            x, line = left, line + 1
        parts.append((x, line, wide))
        x += wide + gap
    return parts, (x, line + 1)


def _arc(drawing, start, end, base, share, rise):
    """Half an ellipse above the words, as high as they are far apart."""
    radius = abs(end - start) / 2
    height = max(2 * radius * rise, 14)
    path = f"M {start:.1f} {base:.1f} A {radius:.1f} {height:.1f} 0 0 {int(end > start)} {end:.1f} {base:.1f}"
    drawing.add(
        "path", d=path, fill="none", stroke="ink", stroke_width=1 + 7 * share, stroke_opacity=0.12 + 0.73 * share
    )


def _told(names, weights, chosen, name):
    """The largest weights in words."""
    first = [f"{names[k]} {weights[k]:.3f}" for k in np.argsort(-weights, kind="stable") if weights[k] >= 0.02]
    return f"{name}: {names[chosen]} attends to {', '.join(first)}."
