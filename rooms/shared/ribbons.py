"""How weights are drawn, in every lesson: a word has one ribbon of attention to give, as wide everywhere, and it parts.

A ribbon is as wide as its weight, so the ribbons of a row make the whole together, and two pictures can be compared.
"""

import numpy as np

from workbench import text_width, with_minus

WHOLE = 24  # pixels: the width of a weight of 1, wherever a weight is drawn
LEAST = 0.25  # pixels: what is narrower is not drawn
OPACITY = 0.62  # of every ribbon, so that one can be seen below another
DEEPEST = 0.34  # opacity of the shade behind a word that has the weight 1: its letters stay readable
FOOT = 13  # pixels: how high the foot is from which ribbons part
LENGTH = 200  # pixels of a bar of 100%


def width(weight):
    """Pixels; 0 where it is too narrow to be drawn."""
    wide = WHOLE * abs(float(weight))
    return wide if wide >= LEAST else 0.0


def shade(weight):
    """The opacity of the shade behind a word."""
    return DEEPEST * float(np.clip(weight, 0, 1))


def look(weight, colour="ink", opacity=OPACITY):
    """How a line is drawn that is as wide as a weight."""
    return {"stroke": colour, "stroke_width": width(weight), "stroke_opacity": opacity, "class_": "ribbon"}


def line(weight, **how):
    """The same for a straight line of a Drawing or a Sketch."""
    found = look(weight, **how)
    return {"colour": found.pop("stroke"), "width": found.pop("stroke_width"), **found}


def percent(weight):
    """A weight in words; of a wrong one that is far too large, only that it is."""
    return with_minus(weight, ".0%") if abs(weight) < 100 else f"{'under −' if weight < 0 else 'over '}9,999%"


def with_room(places, weights, least, wide=32):
    """The words whose weights are written: the large ones, each as far from a larger one as a number is wide.

    Parameters
    ----------
    places : (x, line) of each word, in pixels and by number
    least : weight that is written
    wide : pixels of a number
    """
    shown = []
    for k in np.argsort(-weights, kind="stable"):
        x, line = places[k]
        if weights[k] >= least and all(line != places[j][1] or abs(x - places[j][0]) >= wide for j in shown):
            shown.append(k)
    return shown


def foot(drawing, x, y, upwards=True):
    """Where ribbons part: 100%, above or below y."""
    top, x = y - FOOT if upwards else y, min(x, drawing.width - WHOLE / 2)  # the last word of a line may be a full stop
    drawing.box(x - WHOLE / 2, top, WHOLE, FOOT, fill="query")
    squeezed = {"textLength": WHOLE - 2, "lengthAdjust": "spacingAndGlyphs"}
    drawing.words(x, top + FOOT - 3, "100%", size=10, colour="paper", font_weight=600, **squeezed)


def arches(drawing, middles, weights, chosen, base, height, *, side=-1, stub=0, keeps=True, **how):
    """Ribbons that leave a word side by side and arch over the words between, the farther ones above the nearer ones.

    Parameters
    ----------
    middles : of the words, in pixels
    weights : (num_tokens,)
    chosen : index of the word that asks
    base : where the ribbons end, in pixels
    height : function(how far apart two words are) -> how high the middle of their ribbon stands
    side : -1 above the words, 1 below them
    stub : how far beyond the base they go on to the words, straight down
    keeps : whether what the word gives to itself stands at its place as a stub
    """
    far = sorted(range(len(middles)), key=lambda k: abs(k - chosen))
    order = [*(k for k in far if k < chosen), chosen, *(k for k in far[::-1] if k > chosen)]
    x = middles[chosen] - WHOLE * np.abs(weights).sum() / 2
    for k in order:
        start, x = x + WHOLE * abs(weights[k]) / 2, x + WHOLE * abs(weights[k])
        if not width(weights[k]) or (k == chosen and not keeps):
            continue
        path = f"M {start:.1f} {base:.1f} v {5 * side}"
        if k != chosen:
            # a browser widens what is too narrow, so that both ends are upright; what is too wide leans
            across = int(abs(round(middles[k], 1) - round(start, 1)) * 5) / 10
            up, turn = height(abs(middles[k] - middles[chosen])), int((middles[k] > start) == (side < 0))
            path = f"M {start:.1f} {base:.1f} A {across:g} {up:.1f} 0 0 {turn} {middles[k]:.1f} {base:.1f}"
            path += f" v {stub:.1f}" * bool(stub)
        drawing.add("path", d=path, fill="none", **look(weights[k], **how))


def over(drawing, middles, weights, chosen, y, height, *, below=0, side=-1, **how):
    """The foot of a word, and its arches, which come down to the words.

    Parameters
    ----------
    middles, chosen, height, side : as in `arches`
    weights : (num_tokens,)
    y : where the foot ends, in pixels
    below : how far below y the words stand, in pixels
    """
    base = y + FOOT * side
    arches(drawing, middles, weights, chosen, base, height, side=side, stub=y + below - base, **how)
    foot(drawing, middles[chosen], y, upwards=side < 0)


def fan(drawing, start, ends, weights, colours=None, **how):
    """Ribbons from a foot to places on another line, side by side in the order of those, each upright at both ends.

    Wrong weights that make more than the foot is wide are straight bands: so wide a ribbon has no room to bend.
    """
    (x, y), weights = start, np.asarray(weights)
    x, bends = x - WHOLE * np.abs(weights).sum() / 2, np.abs(weights).sum() < 1.01
    for k in sorted(range(len(ends)), key=lambda k: ends[k][0]):
        leaves, x = x + WHOLE * abs(weights[k]) / 2, x + WHOLE * abs(weights[k])
        (over, up), half, side = ends[k], (y + ends[k][1]) / 2, width(weights[k]) / 2
        if bends and side:
            tight = 1.5 * (up - half) ** 2 < side * abs(over - leaves)  # its edge would fold and stick out
            end = up - np.sign(up - y) * min(6, abs(up - half)) * tight
            path = f"M {leaves:.1f} {y:.1f} C {leaves:.1f} {half:.1f} {over:.1f} {half:.1f} {over:.1f} {end:.1f}"
            path += f" V {up:.1f}" * bool(tight)
            drawing.add("path", d=path, fill="none", **look(weights[k], colours[k] if colours else "ink", **how))
        elif side:
            path = f"M {leaves - side:.1f} {y:.1f} h {2 * side:.1f} L {over + side:.1f} {up:.1f} h {-2 * side:.1f} Z"
            drawing.add("path", d=path, fill="ink", fill_opacity=OPACITY)


def whole_bar(drawing, x, y, words, weights):
    """Weights end to end beside a mark at 100%: what runs over it is red, and what is below 0 is red to the left of it. At the
    edge of the drawing the bar is cut with an arrow.

    Parameters
    ----------
    x, y : of the upper left corner
    words : list of str, what has each weight
    """
    most, at, weights = drawing.width - x - 4, 0.0, np.asarray(weights, dtype=float)
    for k in np.argsort(-np.abs(weights), kind="stable"):
        wide, end = LENGTH * abs(weights[k]), min(at + LENGTH * abs(weights[k]), most)
        for start, stop, role in ((at, min(end, LENGTH), "ink"), (max(at, LENGTH), end, "wrong")):
            if stop - start > 0.3:
                role = "wrong" if weights[k] < 0 else role
                look = {"fill": role, "fill_opacity": 0.8 if role == "ink" else 1}
                drawing.box(x + start, y, max(stop - start - 1, 0.3), 16, **look)
        if end - at > text_width(words[k], 12) + 6:
            drawing.words(x + (at + end) / 2, y + 12.5, words[k], size=12, colour="paper")
        at += wide
    drawing.line((x + LENGTH, y - 4), (x + LENGTH, y + 20), "ink", 2)
    drawing.words(x + LENGTH, y + 33, "100%", size=12, colour="muted")
    total = weights.sum()
    told = f"{percent(total)}{' ▸' if at > most else ''}"
    if abs(total - 1) > 0.005 and np.isfinite(total):
        over = total > 1
        beside = x + min(at, most) if over and at < most - 60 else x + most - 4 if over else x + LENGTH + 10
        drawing.words(beside, y + 33 if over else y + 13, told, size=13, colour="wrong", bold=True,
                      anchor="end" if over else "start")  # fmt: skip
