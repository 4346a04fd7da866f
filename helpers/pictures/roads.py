"""The residual stream as a straight road: what each layer adds turns in from the sides."""

import numpy as np

from helpers.pictures.plane import Axes
from helpers.pictures.svg import Drawing

STEP, REACH, MIDDLE, LEFT, RIGHT = 21, 98, 126, 88, 76
SHADES = (0.8, 0.35)


def road_axes(num_layers):
    """The Axes of the road: x is the layer."""
    return Axes(
        LEFT + STEP * num_layers + RIGHT, 2 * MIDDLE + 20, (-0.5, num_layers - 0.5), (0, 1), margin=(LEFT, 0, RIGHT, 0)
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
    width = LEFT + STEP * layers + RIGHT
    drawing = Drawing(width, 2 * MIDDLE + 20)
    if chosen is not None:
        drawing.box(LEFT + STEP * chosen, 4, STEP, 2 * MIDDLE - 8, rx=4, fill="chosen", fill_opacity=0.14)
    drawing.line((LEFT - 20, MIDDLE), (width - RIGHT + 12, MIDDLE), "muted", 9, stroke_opacity=0.55)
    drawing.words(LEFT - 26, MIDDLE + 5, signed(start), size=13, anchor="end")
    drawing.words(
        width - RIGHT + 18,
        MIDDLE + 5,
        signed(start + np.sum(above) + np.sum(below)),
        size=15,
        anchor="start",
        bold=True,
    )
    for side, values, name in ((-1, above, names[0]), (1, below, names[1])):
        drawing.words(2, MIDDLE + side * 80 + 5, name, size=12, colour="muted", anchor="start")
        for layer, value in enumerate(values):
            x, length = LEFT + STEP * (layer + 0.5), REACH * abs(value) / largest
            colour = "high" if value > 0 else "low"
            if length < 0.5:
                continue
            drawing.line((x - 7, MIDDLE + side * (6 + length)), (x, MIDDLE + side * 5), colour, 1 + 8 * length / REACH)
            if length > 0.25 * REACH or layer == chosen:
                outside = side < 0 or layer == layers - 1  # where no longer line stands in the way
                drawing.words(
                    x - 7, MIDDLE + side * (14 + length) + 4, signed(value), size=11, colour=colour,
                    anchor="start" if outside else "end",
                )  # fmt: skip
    for layer in range(layers):
        drawing.words(LEFT + STEP * (layer + 0.5), 2 * MIDDLE + 14, str(layer), size=11, colour="muted")
    return drawing.html(text)


def signed(value):
    """A number with its sign and two decimals."""
    return f"{value:+.2f}".replace("-", "−")


def signed_bars(words, pairs, names, text, *, width=680, title=""):
    """Show two signed sizes for each word, as bars that stand on one line or hang from it.

    Parameters
    ----------
    words : list of str
    pairs : (num_words, 2)
    names : the two things that are measured; the first is dark
    text : what it shows, one sentence
    """
    pairs = np.asarray(pairs)
    largest, step, middle = max(np.abs(pairs).max(), 0.5), min(74, width / len(words)), 92
    drawing = Drawing(width, 2 * middle)
    drawing.words(0, 15, title, size=13, anchor="start", font_weight=600)
    for k, name in enumerate(names):
        x = width - 130 + 66 * k
        drawing.box(x, 5, 11, 11, fill="ink", fill_opacity=SHADES[k])
        drawing.words(x + 16, 15, name, size=12, anchor="start")
    drawing.line((0, middle), (step * len(words), middle), "line", 1)
    for k, (word, pair) in enumerate(zip(words, pairs)):
        for side, value in enumerate(pair):
            size, x = 50 * abs(value) / largest, step * (k + 0.5) + 30 * side - 15
            up = value > 0
            drawing.box(x - 12, middle - size * up, 24, max(size, 1), fill="ink", fill_opacity=SHADES[side])
            y = middle - size - 4 if up else middle + size + 12
            drawing.words(x, y, signed(value), size=10, colour="muted")
        drawing.words(step * (k + 0.5), 2 * middle - 8, word, size=11, colour="muted")
    return drawing.html(text)
