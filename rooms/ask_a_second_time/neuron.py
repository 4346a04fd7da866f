"""One neuron of a feed-forward network, set by hand: for which words of the sentence it lights up, with its bend and without."""

import numpy as np

from helpers.layers import feed_forward
from rooms.shared import columns, words
from workbench import Drawing, NumberGrid, Rule, Touch, by_width, choose, explorer, listed, slider, switch, with_minus

WIDE, NARROW = 800, 340  # pixels of the picture, on a card and on a phone
SHE = words.she_sentences()
FEATURES = SHE.features
NAMES = list(SHE.table)  # in the order of the text
KNOWN = np.array([SHE.table[name] for name in NAMES])
ON_A_PHONE = [NAMES.index(name) for name in ("Sarah", "her", "cat", "Alex", "She", "watch")]
GOALS = {
    "a female name": ("female", "name", 1),
    "female, no name": ("female", "name", -1),
    "a name, not female": ("name", "female", -1),
}
TURNS = {0.0: 1.0, 1.0: -1.0, -1.0: 0.0}  # what a click makes of a weight
CELL, GAP = 18, 2
STEP = CELL + GAP
REACH, UNIT = 3, 18  # how far a bar goes, and pixels for 1


def explore_neuron():
    """Set the weights and the bias of one neuron, and let it light up for one kind of word alone; then take its bend away.

    Shown: X (9, 5), nine words and their features; before (9,), the weighted sums and the bias; lights (9,), what the neuron writes
    """
    return explorer(
        _fire,
        lambda now: by_width(_picture(now, WIDE, range(len(NAMES))), _picture(now, NARROW, ON_A_PHONE)),
        _say_for_whom,
        [Rule(lambda now: f"“{now.goal}” lights up, and nothing else", _meets)],
        touch={"weight": Touch(_turned, lambda now, k: f"{FEATURES[k]} × {now.W_in[k]:g}; a click makes it {_next(now, k):g}")},
        folded=["weight"],
        goal=choose("light up for", list(GOALS), "a female name"),
        bias=slider("bias", 0.0, -3.0, 3.0, 0.5),
        bend=switch("bend: everything below 0 becomes 0", False),
        weight=NumberGrid("weight", [[0.0, 0.0, 1.0, 1.0, 0.0]], compact=True, columns=FEATURES, step=0.5, minimum=-2, maximum=2),
    )  # fmt: skip


def _fire(goal, bias, bend, weight):
    """A network of one neuron: its weights are a column of W_in, and W_out passes on what it says. `goal` only says what to wish for."""
    weights = weight[0]
    before = KNOWN @ weights + bias
    told = feed_forward(KNOWN, weights[:, None], bias, np.eye(1), 0.0)[:, 0] if bend else before
    wanted, other, sign = GOALS[goal]
    has, also = KNOWN[:, FEATURES.index(wanted)], KNOWN[:, FEATURES.index(other)]
    return {"X": KNOWN, "W_in": weights, "before": before, "lights": told, "wanted": has * (also == (sign > 0))}


def _next(now, k):
    return TURNS.get(float(now.W_in[k]), 0.0)


def _turned(now, k):
    weights = np.array(now.control_values["weight"], dtype=float)
    weights[0, k] = _next(now, k)
    return {"weight": weights}


def _meets(now):
    dark = [f"{name} stays dark" for name, wanted, light in _words(now) if wanted and light <= 0]
    wrong = [f"{name} ({with_minus(light)})" for name, wanted, light in _words(now) if light and not wanted]
    told = [*dark, *([f"{listed(wrong)} should get 0"] if wrong else [])]
    return not told, "; ".join(told)


def _words(now):
    return zip(NAMES, now.wanted, now.lights)


# --- the picture -----------------------------------------------------------------------------------------------------


def _picture(now, width, shown):
    left, size, top = (128, 16, 34) if width == WIDE else (84, 12, 34)
    step = (width - left - 8) / len(shown)
    zero = top + len(FEATURES) * STEP + REACH * UNIT + 24
    foot = zero + REACH * UNIT + 22
    drawing = Drawing(width, foot + 44)
    columns.labels(drawing, left - CELL - 24, top, FEATURES, height=CELL, gap=GAP, size=13 if width == WIDE else 11)
    _weights(drawing, now, left - CELL - 14, top, width)
    _axis(drawing, now, left, width, zero)
    drawing.words(left - 12, foot + 14, "it writes", size=12, colour="output", anchor="end", bold=True)
    for place, k in enumerate(shown):
        middle, light = left + step * (place + 0.5), now.lights[k]
        x = middle - CELL / 2
        drawing.words(middle, 20, NAMES[k], size=size, bold=light > 0, colour="output" if light > 0 else "ink")
        columns.cells(drawing, x, top, now.X[k], width=CELL, height=CELL, gap=GAP)
        _bar(drawing, middle, zero, now.before[k], light)
        columns.cells(drawing, x, foot, [light], width=CELL, height=CELL, role="output")
        if now.wanted[k]:
            drawing.box(x - 3, foot - 3, CELL + 6, CELL + 6, rx=5, fill="none", stroke="ink", stroke_width=1.5)
    return drawing.html(_told(now))


def _weights(drawing, now, x, top, width):
    """A field for each weight, and where it is not 0 a band through the words' features."""
    drawing.words(x + CELL + 5, 20, "weights", size=12, colour="query", anchor="end", bold=True)
    for k, weight in enumerate(now.W_in):
        field = {"x": x, "y": top + k * STEP, "width": CELL + 8, "height": CELL}
        if weight:
            drawing.box(x - 2, field["y"] - 1, width - x - 2, CELL + 2, rx=3, fill="query", fill_opacity=0.10)
        look = {"fill": "query", "fill_opacity": min(1, weight)} if weight > 0 else {"fill": "paper"}
        drawing.box(**field, rx=3, stroke="query", stroke_width=1.5, **look)
        colour = "paper" if weight > 0 else "query"
        drawing.words(x + CELL / 2 + 4, field["y"] + 13, with_minus(weight), size=12, colour=colour, bold=True)
        drawing.box(**field, fill="transparent", place=(now.places("weight"), k))


def _axis(drawing, now, left, width, zero):
    if now.bend:
        drawing.box(left, zero, width - left - 4, REACH * UNIT, fill="line", fill_opacity=0.35, rx=4)
        for line, name in enumerate(("cut off", "by the", "bend")):  # beside the bars, which may reach all the way down
            drawing.words(left - 40, zero + 28 + 14 * line, name, size=12, colour="muted", anchor="end")
    drawing.line((left - 4, zero), (width - 4, zero), "ink", 1.5)
    for value in (2, 0, -2):
        drawing.words(left - 12, zero - UNIT * value + 4, with_minus(value), size=12, colour="muted", anchor="end")
    for line, name in enumerate(("sum", "+ bias")):
        drawing.words(left - 40, zero + UNIT * (line - 1) + 4, name, size=12, colour="muted", anchor="end")


def _bar(drawing, middle, zero, before, light):
    """A bar from 0 to the sum; dashed and empty where the bend cuts it off."""
    end = zero - UNIT * float(np.clip(before, -REACH, REACH))
    look, colour = {"fill": "output", "fill_opacity": 0.8}, "ink"
    if light != before:
        look, colour = {"fill": "none", "stroke": "muted", "stroke_dasharray": "3 3"}, "muted"
    drawing.box(middle - 11, min(zero, end), 22, max(abs(end - zero), 0.01), rx=2, **look)
    drawing.words(middle, end + (-6 if before >= 0 else 15), with_minus(before), size=13, colour=colour, halo=True)


# --- in words --------------------------------------------------------------------------------------------------------


def _told(now):
    rows = ", ".join(f"{name} {with_minus(light)}" for name, _, light in _words(now))
    asked = [f"{feature} × {with_minus(weight)}" for feature, weight in zip(FEATURES, now.W_in) if weight]
    added = listed([*asked, f"a bias of {with_minus(now.control_values['bias'])}"])
    return f"A neuron that adds up {added}, {'with' if now.bend else 'without'} a bend. It writes {rows}."


def _say_for_whom(now):
    lit, taken = ([f"{name} ({with_minus(x)})" for name, _, x in _words(now) if sign * x > 0] for sign in (1, -1))
    told = f"The neuron lights up for {listed(lit or ['no word'])}"
    if taken:
        return f"{told}; it takes something away from {listed(taken)}."
    return f"{told}, and leaves the others alone." if 0 < len(lit) < len(NAMES) else f"{told}."
