"""The residual stream as a straight road: what each layer adds turns in from the sides."""

import numpy as np

from workbench import Axes, Drawing, with_minus

REACH, MIDDLE = 98, 126
CARD, PHONE = ROOMS = (88, 21, 76), (68, 6.6, 66)  # pixels on the left, for a layer, on the right
SHADES = (0.8, 0.35)


def road_axes(num_layers):
    """The Axes of the road: x is the layer."""
    return _axes(num_layers, CARD, narrow=_axes(num_layers, PHONE))


def _axes(num_layers, room, narrow=None):
    left, step, right = room
    size = left + step * num_layers + right, 2 * MIDDLE + 20
    return Axes(*size, (-0.5, num_layers - 0.5), (0, 1), margin=(left, 0, right, 0), narrow=narrow)


def road(start, above, below, text, chosen, room):
    """Draw the road, from left to right: what pulls up the sum is of one hue, what pulls it down of the other.

    Parameters
    ----------
    start : what is there before the first layer
    above, below : (num_layers,) what attention and the feed-forward network of each layer add, signed
    text : what it shows, one sentence
    chosen : index of the layer that is marked
    room : one of ROOMS, as it is on a card or on a phone
    """
    layers, largest = len(above), max(np.abs(above).max(), np.abs(below).max(), 1e-9)
    (left, step, right), phone = room, room == PHONE
    width, across = left + step * layers + right, min(7, 0.6 * step)
    drawing = Drawing(width, 2 * MIDDLE + 20)
    drawing.box(left + step * chosen, 4, step, 2 * MIDDLE - 8, rx=4, fill="chosen", fill_opacity=0.14)
    drawing.line((left - 20, MIDDLE), (width - right + 12, MIDDLE), "muted", 9, stroke_opacity=0.55)
    drawing.words(left - 26, MIDDLE + 5, signed(start), size=13, anchor="end")
    total = signed(start + np.sum(above) + np.sum(below))
    drawing.words(width - right + 18, MIDDLE + 5, total, size=15, anchor="start", bold=True)
    for side, values, name in ((-1, above, "attention"), (1, below, "feed-forward")):
        y = MIDDLE + side * (112 if phone else 80) + 5
        drawing.words(2, y, name, size=12, colour="muted", anchor="start")
        for layer, value in enumerate(values):
            x, length = left + step * (layer + 0.5), REACH * abs(value) / largest
            colour, wide = "high" if value > 0 else "low", 1 + (3 if phone else 8) * length / REACH
            if length < 0.5:
                continue
            drawing.line((x - across, MIDDLE + side * (6 + length)), (x, MIDDLE + side * 5), colour, wide)
            if length > (0.6 if phone else 0.25) * REACH or layer == chosen:
                # where no longer line stands in the way
                look = {"colour": colour, "anchor": "start" if side < 0 or layer == layers - 1 else "end"}
                drawing.words(x - across, MIDDLE + side * (14 + length) + 4, signed(value), size=11, **look)
    for layer in range(0, layers, 5 if phone else 1):
        drawing.words(left + step * (layer + 0.5), 2 * MIDDLE + 14, str(layer), size=11, colour="muted")
    return drawing.html(text)


def signed(value):
    """A number with its sign and two decimals."""
    return with_minus(value, "+.2f")


def signed_bars(words, pairs, names, text, width, title):
    """Show two signed sizes for each word, as bars that stand on one line or hang from it.

    Parameters
    ----------
    words : list of str
    pairs : (num_words, 2)
    names : the two things that are measured; the first is dark
    text : what it shows, one sentence
    """
    largest, per_line = max(np.abs(pairs).max(), 0.5), min(len(words), int(width // 74))
    step, lines = min(88, (width - 4) / per_line), -(-len(words) // per_line)
    middle, key = (92, 15) if lines == 1 else (84, 35)  # on more lines the key stands below the title
    drawing = Drawing(width, 2 * middle * lines + (24 if lines > 1 else 0))
    drawing.words(0, 15, title, size=13, anchor="start", font_weight=600)
    for k, name in enumerate(names):
        x = width - 130 + 66 * k
        drawing.box(x, key - 10, 11, 11, fill="ink", fill_opacity=SHADES[k])
        drawing.words(x + 16, key, name, size=12, anchor="start")
    for line in range(lines):
        y = middle * (2 * line + 1) + (key - 15)
        drawing.line((0, y), (step * min(per_line, len(words) - per_line * line), y), "line", 1)
    for number, (word, pair) in enumerate(zip(words, pairs)):
        line, k = divmod(number, per_line)
        zero = middle * (2 * line + 1) + (key - 15)
        for side, value in enumerate(pair):
            size, x = 50 * abs(value) / largest, step * (k + side / 2 + 0.25)
            up = value > 0
            drawing.box(x - 12, zero - size * up, 24, max(size, 1), fill="ink", fill_opacity=SHADES[side])
            y = zero - size - 4 if up else zero + size + 12
            drawing.words(x, y, signed(value), size=11, colour="muted")
        drawing.words(step * (k + 0.5), zero + middle - 8, word, size=11, colour="muted")
    return drawing.html(text)
