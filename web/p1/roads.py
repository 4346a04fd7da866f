"""The residual stream as a straight road: what each layer adds turns in from the sides."""

import numpy as np

from helpers.pictures.plane import Axes
from helpers.pictures.svg import Drawing

STEP, REACH, MIDDLE, LEFT = 26, 110, 150, 60


def road_axes(num_layers):
    """The Axes of the road: x is the layer."""
    return Axes(
        LEFT + STEP * num_layers + 60, 2 * MIDDLE + 20, (-0.5, num_layers - 0.5), (0, 1), margin=(LEFT, 0, 60, 0)
    )


def road(start, above, below, text, *, chosen=None, names=("attention", "feed-forward")):
    """Draw the road, from left to right: what pulls up the sum is of one hue, what pulls it down of the other.

    Parameters
    ----------
    start : what is there before the first layer
    above, below : (num_layers,) what turns in from above and from below in each layer, signed
    text : what it shows, one sentence
    chosen : index of the layer that is marked, or None
    names : what turns in from above and from below

    Returns
    -------
    Html
    """
    layers, largest = len(above), max(np.abs(above).max(), np.abs(below).max(), 1e-9)
    width = LEFT + STEP * layers + 60
    drawing = Drawing(width, 2 * MIDDLE + 20)
    if chosen is not None:
        drawing.add(
            "rect",
            x=LEFT + STEP * chosen,
            y=4,
            width=STEP,
            height=2 * MIDDLE - 8,
            rx=4,
            fill="chosen",
            fill_opacity=0.14,
        )
    drawing.line((LEFT - 20, MIDDLE), (width - 50, MIDDLE), "muted", 9, stroke_opacity=0.55)
    drawing.words(LEFT - 26, MIDDLE + 5, _signed(start), size=13, anchor="end")
    drawing.words(
        width - 44, MIDDLE + 5, _signed(start + np.sum(above) + np.sum(below)), size=15, anchor="start", font_weight=700
    )
    for side, values, name in ((-1, above, names[0]), (1, below, names[1])):
        drawing.words(LEFT - 26, MIDDLE + side * 90 + 5, name.split("-")[0], size=12, colour="muted", anchor="end")
        for layer, value in enumerate(values):
            x, length = LEFT + STEP * (layer + 0.5), REACH * abs(value) / largest
            colour = "high" if value > 0 else "low"
            if length < 0.5:
                continue
            drawing.line((x - 7, MIDDLE + side * (6 + length)), (x, MIDDLE + side * 5), colour, 1 + 8 * length / REACH)
            if length > 0.16 * REACH:
                drawing.words(x - 7, MIDDLE + side * (14 + length) + 4, _signed(value), size=11, colour=colour)
    for layer in range(layers):
        drawing.words(LEFT + STEP * (layer + 0.5), 2 * MIDDLE + 14, str(layer), size=11, colour="muted")
    return drawing.html(text)


def _signed(value):
    return f"{value:+.2f}".replace("-", "−")


def signed_bars(words, values, text, *, width=620, title=""):
    """Show signed sizes as bars that stand on one line, or hang from it.

    Parameters
    ----------
    words : list of str
    values : (num_words,)
    text : what it shows, one sentence
    """
    largest, step, middle = max(np.abs(values).max(), 0.5), min(60, width / len(words)), 82
    drawing = Drawing(width, 2 * middle - 4)
    drawing.words(0, 15, title, size=13, anchor="start", font_weight=600)
    drawing.line((0, middle), (step * len(words), middle), "line", 1)
    for k, (word, value) in enumerate(zip(words, values)):
        size, x = 44 * abs(value) / largest, step * (k + 0.5)
        drawing.add(
            "rect",
            x=x - 12,
            y=middle - size * (value > 0),
            width=24,
            height=max(size, 1),
            fill="high" if value > 0 else "low",
        )
        drawing.words(
            x, middle - size - 4 if value > 0 else middle + size + 13, _signed(value), size=11, colour="muted"
        )
        drawing.words(x, 2 * middle - 8, word, size=11, colour="muted")
    return drawing.html(text)
