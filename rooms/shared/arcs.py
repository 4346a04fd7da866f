"""A sentence as running text, and the ribbon of attention that parts at the word that asks."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rooms.shared import ribbons
from rooms.shared.attention_maps import MARKS
from workbench import BOLD, Drawing, by_width, text_width

SIZE, MARK, GAP, PUNCTUATION = 17, 12, 8, set(".,;:!?")
MOST = 6  # times the whole: wrong weights that make more would cover the page, and the bar alone says so
PHONE, FINGER, LINE = 340, 14, 58  # pixels of a line on a phone, between two words there, and from line to line
ROOM, BAR = 62, 44  # pixels below the line where the words begin; of the bar below them


class Under(NamedTuple):
    """What is drawn below the words of a sentence, in the same drawing.

    height, narrow_height : of its room, on a card and on a phone
    draw : function(drawing, middles, top, narrow) that draws it; `middles` are the places of the words, and None on a phone
    """

    height: float
    narrow_height: float
    draw: Callable


def arcs(
    words, weights, chosen, *, name="sentence", places=None, names=None, gap=GAP, highest=150, under=None, bar=False, colour="ink"
):  # fmt: skip
    """Show what one word attends to: a ribbon of 100% leaves it, and each word gets a part as wide as its weight.

    On a phone, a long sentence breaks into lines, for arcs of a width of which its words would be too small to be read: there,
    a piece of the ribbon stands below each word. Where the weights do not make 100%, a bar below the words says so.

    Parameters
    ----------
    words : list of str; [CLS] and [SEP], which are no words of the text, are written smaller
    weights : (num_words,), how much of the chosen word's attention each word gets
    chosen : index of the word that asks
    name : what the picture is called in its text
    places : Places, names for the words, one index each
    names : (num_words,) what the words are called in the text; None = as they are
    gap : pixels between two words
    highest : pixels that the longest arc may rise
    under : Under, what stands below the words; or None
    bar : whether the weights stand end to end below the words, beside a mark at 100%, even where they make 100%
    colour : role of the ribbons: of heads, one for each
    """
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (len(words),):
        raise ValueError(f"weights must be one number for each of {len(words)} words, got {weights.shape}.")
    sizes = [MARK if word in MARKS else SIZE for word in words]
    told, bar = _told(names or words, weights, chosen, name), BAR * (bar or _astray(weights))

    def written(drawing, laid_out, top, finger, between):
        told_at = _with_room([(start + wide / 2, line) for start, line, wide in laid_out], weights, chosen)
        narrow = finger == FINGER
        for k, (word, (start, line, wide)) in enumerate(zip(words, laid_out, strict=True)):
            y, middle = top + LINE * line, start + wide / 2
            box = {"x": start - 3, "y": y, "width": wide + 6, "height": 30, "rx": 4}
            shaded = ribbons.shade(weights[k]) if k != chosen else 0.0  # on which its colour would be hard to read
            drawing.add("rect", fill="ink", fill_opacity=shaded, **box)
            written_in = "query" if k == chosen else "muted" if word in MARKS and weights[k] < 0.1 else "ink"
            look = {"size": sizes[k], "colour": written_in}
            if k == chosen:
                look |= _bold(wide, 1 if words[k + 1 : k + 2] and words[k + 1] in PUNCTUATION else between)
            drawing.words(middle, y + 21, word, **look)
            if narrow and k == chosen:
                drawing.box(middle - ribbons.WHOLE / 2, y + 31, ribbons.WHOLE, 6, fill="none", stroke="query")
            if narrow and 0 < ribbons.width(weights[k]) < MOST * ribbons.WHOLE:
                drawing.line((middle, y + 31), (middle, y + 37), **ribbons.line(weights[k], colour=colour))
            if k in told_at:
                # That of a full stop at the end of a line has room, too, and a long one under its first word.
                half = 0.55 * text_width(told_at[k], 12)
                at = max(min(middle, drawing.width - half), half - 2)
                drawing.words(at, y + 49, told_at[k], size=12, colour="muted")
            touch = max(wide + finger, 26 if narrow else 0)
            touched = {**box, "x": start + (wide - touch) / 2, "width": touch}
            drawing.add("rect", fill="transparent", place=(places, k), **touched)
        end = max(line for _, line, _ in laid_out)
        if bar:
            ribbons.whole_bar(drawing, 4, top + LINE * end + ROOM, words, weights)
        if under:
            middles = None if narrow else [start + wide / 2 for start, _, wide in laid_out]
            under.draw(drawing, middles, top + LINE * end + ROOM + bar, narrow)
        return drawing.html(told)

    laid_out, (width, _) = _laid_out(words, sizes, gap)
    middles = [start + wide / 2 for start, _, wide in laid_out]
    reach = max(abs(middle - middles[chosen]) for middle in middles)
    top = min(50 + 0.3 * reach, highest + 50)  # where the words begin
    drawing = Drawing(max(width, 2 * PHONE if bar else 200), top + ROOM + bar + (under.height if under else 0))
    rise, drawn = (top - 32) / max(reach, 1), np.where(np.abs(weights).sum() < MOST, weights, 0.0)
    look = {"below": 1, "colour": colour}
    ribbons.over(drawing, middles, drawn, chosen, top - 1, lambda apart: max(apart * rise, 16), **look)
    wide = written(drawing, laid_out, top, 6, gap)
    if width <= 1.4 * PHONE:
        return wide
    laid_out, (_, lines) = _laid_out(words, sizes, FINGER, PHONE)
    tall = LINE * lines + 4 + bar + (under.narrow_height if under else 0)
    return by_width(wide, written(Drawing(PHONE, tall), laid_out, 4, FINGER, FINGER))


def _bold(wide, gap):
    """The look of the chosen word: bold letters are wider, and are drawn closer where they would touch a neighbour."""
    close = {"textLength": wide + gap - 2, "lengthAdjust": "spacingAndGlyphs"} if BOLD * wide > wide + gap else {}
    return {"font_weight": 700, **close}


def _astray(weights):
    """Whether weights are no shares of 1."""
    return not abs(weights.sum() - 1) < 0.005 or weights.min() < -0.005


def _with_room(middles, weights, chosen):
    """dict word -> the number below it."""
    if np.ptp(weights) < 0.002 and len(weights) > 1:
        return {chosen: f"{weights[chosen]:.0%} to each"}
    return {k: ribbons.percent(weights[k]) for k in ribbons.with_room(middles, weights, min(0.05, weights.max()))}


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


def _told(names, weights, chosen, name):
    """The largest weights in words."""
    first = [f"{names[k]} {weights[k]:.3f}" for k in np.argsort(-weights, kind="stable") if weights[k] >= 0.02]
    together = f" Together {ribbons.percent(weights.sum())}." if _astray(weights) else ""
    return f"{name}: {names[chosen]} attends to {', '.join(first)}.{together}"
