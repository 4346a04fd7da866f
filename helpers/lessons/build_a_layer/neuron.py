"""One neuron of a feed-forward network, set by hand: for which words of the sentence it lights up, with its bend and without."""

import numpy as np

from helpers.explorers.controls import NumberGrid, choose, slider, switch
from helpers.explorers.engine import Rule, explorer
from helpers.explorers.touch import Touch
from helpers.layers import feed_forward
from helpers.pictures import columns
from helpers.pictures.html import by_width
from helpers.pictures.svg import Drawing
from helpers.sources import words

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
        touch={"weight": Touch(_turned, lambda now, k: f"{FEATURES[k]} × {now.weights[k]:g}; a click makes it {_next(now, k):g}")},
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
    return {"X": KNOWN, "weights": weights, "before": before, "lights": told, "wanted": has * (also == (sign > 0))}


def _next(now, k):
    return TURNS.get(float(now.weights[k]), 0.0)


def _turned(now, k):
    weights = np.array(now.control_values["weight"], dtype=float)
    weights[0, k] = _next(now, k)
    return {"weight": weights}


def _meets(now):
    dark = [NAMES[k] for k in np.flatnonzero(now.wanted) if now.lights[k] <= 1e-9]
    wrong = [f"{NAMES[k]} gets {now.lights[k]:g}" for k in np.flatnonzero(now.wanted == 0) if abs(now.lights[k]) > 1e-9]
    return not dark and not wrong, f"{dark[0]} stays dark" if dark else wrong[0] if wrong else ""


def _picture(now, width, shown):
    left, size = (128, 16) if width == WIDE else (84, 12)
    step = (width - left - 8) / len(shown)
    zero = 44 + len(FEATURES) * STEP + REACH * UNIT + 14
    drawing = Drawing(width, zero + REACH * UNIT + 66)
    drawing.words(left - CELL + 10 - 1, 20, "weights", size=12, colour="query", anchor="end", bold=True)
    top = 34
    columns.labels(drawing, left - CELL - 24, top, FEATURES, height=CELL, gap=GAP, size=13 if width == WIDE else 11)
    for k, weight in enumerate(now.weights):
        y = top + k * STEP
        if weight:
            drawing.box(
                left - CELL - 16, y - 1, width - left + CELL + 12, CELL + 2, rx=3, fill="query", fill_opacity=0.10
            )
        frame = {
            "stroke": "query",
            "rx": 3,
            "fill": "query" if weight > 0 else "paper",
            "fill_opacity": min(1, abs(weight)),
        }
        drawing.box(left - CELL - 14, y, CELL + 8, CELL, stroke_width=1.5, **frame)
        sign = f"{weight:g}".replace("-", "−")
        drawing.words(left - CELL / 2 - 10, y + 13, sign, size=12, colour="paper" if weight > 0 else "query", bold=True)
        drawing.box(left - CELL - 14, y, CELL + 8, CELL, fill="transparent", place=(now.places("weight"), k))
    _axis(drawing, now, left, width, zero)
    foot = zero + REACH * UNIT + 22
    drawing.words(left - 12, foot + 14, "it writes", size=12, colour="output", anchor="end", bold=True)
    for place, k in enumerate(shown):
        middle = left + step * (place + 0.5)
        lit = now.lights[k] > 1e-9
        drawing.words(middle, 20, NAMES[k], size=size, bold=lit, colour="output" if lit else "ink")
        columns.cells(drawing, middle - CELL / 2, top, now.X[k], width=CELL, height=CELL, gap=GAP)
        _bar(drawing, middle, zero, now.before[k], now.lights[k])
        columns.cells(drawing, middle - CELL / 2, foot, [now.lights[k]], width=CELL, height=CELL, role="output")
        if now.wanted[k]:
            drawing.box(
                middle - CELL / 2 - 3, foot - 3, CELL + 6, CELL + 6, rx=5, fill="none", stroke="ink", stroke_width=1.5
            )
    return drawing.html(_told(now))


def _axis(drawing, now, left, width, zero):
    if now.bend:
        drawing.box(left, zero, width - left - 4, REACH * UNIT, fill="line", fill_opacity=0.35, rx=4)
        drawing.words(left + 6, zero + REACH * UNIT - 6, "cut off by the bend", size=12, colour="muted", anchor="start")
    drawing.line((left - 4, zero), (width - 4, zero), "ink", 1.5)
    drawing.words(left - 12, zero + 4, "0", size=12, colour="muted", anchor="end")
    for value in (2, -2):
        drawing.words(
            left - 12, zero - UNIT * value + 4, f"{value}".replace("-", "−"), size=12, colour="muted", anchor="end"
        )
    drawing.words(left - 40, zero - UNIT + 4, "sum", size=12, colour="muted", anchor="end")
    drawing.words(left - 40, zero + 4, "+ bias", size=12, colour="muted", anchor="end")


def _bar(drawing, middle, zero, before, told):
    """A bar from 0 to the sum; dashed and empty where the bend cuts it off."""
    end = zero - UNIT * float(np.clip(before, -REACH, REACH))
    lost = abs(told - before) > 1e-9
    look = (
        {"fill": "none", "stroke": "muted", "stroke_dasharray": "3 3"}
        if lost
        else {"fill": "output", "fill_opacity": 0.8}
    )
    drawing.box(middle - 11, min(zero, end), 22, max(abs(end - zero), 0.01), rx=2, **look)
    at = end - 6 if before >= 0 else end + 15
    number = f"{before:g}".replace("-", "−")
    drawing.words(middle, at, number, size=13, colour="muted" if lost else "ink", halo=True)


def _told(now):
    rows = ", ".join(f"{name} {light:g}" for name, light in zip(NAMES, now.lights))
    asked = (
        ", ".join(f"{feature} × {weight:g}" for feature, weight in zip(FEATURES, now.weights) if weight) or "nothing"
    )
    return f"A neuron that adds up {asked} and {now.control_values['bias']:g}, {'with' if now.bend else 'without'} a bend. It writes {rows}."


def _say_for_whom(now):
    lit = [f"{NAMES[k]} ({now.lights[k]:g})" for k in np.flatnonzero(now.lights > 1e-9)]
    below = [f"{NAMES[k]} ({now.lights[k]:g})".replace("-", "−") for k in np.flatnonzero(now.lights < -1e-9)]
    lights = f"The neuron lights up for {_listed(lit)}" if lit else "The neuron lights up for no word"
    return (
        f"{lights}; it takes something away from {_listed(below)}."
        if below
        else f"{lights}, and leaves the others alone."
    )


def _listed(parts):
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
