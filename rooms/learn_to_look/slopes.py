"""A cross-entropy of two logits as a graph: numbers go forward through it, slopes flow back, and two of them meet at b."""

import numpy as np

from workbench import Drawing, Touch, explorer, in_two_widths, slider, with_minus

RATE = 1.0
WIDE, PHONE = 780, 340  # pixels
BOXES = "eᵃ", "eᵇ", "+", "ln", "−"
WAYS = [("a", "eᵃ"), ("b", "eᵇ"), ("eᵃ", "+"), ("eᵇ", "+"), ("+", "ln"), ("ln", "−"), ("−", "loss")]
PLACES = {  # on a card, and on a phone
    "a": [(122, 46), (70, 24)], "b": [(122, 186), (214, 24)], "eᵃ": [(250, 46), (70, 118)], "eᵇ": [(250, 186), (214, 118)],
    "+": [(385, 116), (142, 214)], "ln": [(505, 116), (142, 302)], "−": [(625, 116), (142, 390)], "loss": [(748, 116), (142, 478)],
}  # fmt: skip
STRAIGHT = [[(122, 262), (625, 262)], [(214, 56), (306, 56), (306, 390)]]  # corners of the way from b to the end


def explore_slopes():
    """Move two logits, and see the loss of the second made of them, and the slopes that flow back from it.

    Shown: forward (5,): eᵃ, eᵇ, their sum, its logarithm and the loss; back (2,), the slopes of the loss in eᵃ and eᵇ;
    at_b (2,), the slopes that meet at b: by way of eᵇ, and straight from the end; slopes (2,), of the loss in a and b; trial
    (2,), what a nudge of each says
    """
    return explorer(
        _there_and_back,
        _graph,
        _say_what_flows,
        touch={"step": Touch(_step_downhill, lambda now, k: "click: one step against the slopes")},
        a=slider("logit a, of the letter A", 0.0, -3.0, 3.0, 0.1),
        b=slider("logit b, of the letter B", 0.0, -3.0, 3.0, 0.1),
    )


def _loss(a, b):
    return np.log(np.exp(a) + np.exp(b)) - b


def _there_and_back(a, b):
    powers = np.exp([a, b])
    back = np.full(2, 1 / powers.sum())  # the slope of the logarithm; a sum hands it on to both
    at_b, nudge = np.array([powers[1] * back[1], -1.0]), 1e-4
    return {
        "forward": np.array([*powers, powers.sum(), np.log(powers.sum()), _loss(a, b)]),
        "back": back,
        "at_b": at_b,
        "slopes": np.array([powers[0] * back[0], at_b.sum()]),
        "trial": np.array([_loss(a + i, b + j) - _loss(a - i, b - j) for i, j in nudge * np.eye(2)]) / (2 * nudge),
    }


def _step_downhill(now, k):
    return {name: round(float(np.clip(now[name] - RATE * slope, -3, 3)), 1) for name, slope in zip("ab", now.slopes)}


@in_two_widths((0,), (1,))
def _graph(now, phone):
    """From left to right, on a phone downwards: results in ink, slopes in red."""
    places = {name: two[phone] for name, two in PLACES.items()}
    drawing = Drawing(*[(WIDE, 330), (PHONE, 552)][phone])
    drawing.curve([places["b"], *STRAIGHT[phone], places["−"]], "line", 2)
    flows = now.slopes[0], now.at_b[0], *now.back, now.back[0], 1.0, 1.0
    for (start, end), forward, slope in zip(WAYS, [None, None, *now.forward], flows):
        (x0, y0), (x1, y1) = places[start], places[end]
        corner = (x0, y1) if phone else (x1, y0)
        drawing.curve([(x0, y0), corner, (x1, y1)], "line", 2)
        _say(drawing, np.add((x0, y0), corner) / 2, phone, forward, slope, bold=end == "loss")
    _slope(drawing, *[(380, 284), (240, 250)][phone], now.at_b[1], phone)
    for name in BOXES:
        x, y = places[name]
        drawing.box(x - 27, y - 18, 54, 36, rx=9, fill="paper", stroke="ink", stroke_width=1.5)
        drawing.words(x, y + 6, name, size=18, bold=True)
    for name in "ab":
        x, y = places[name]
        drawing.box(x - 36, y - 18, 72, 36, fill="paper")
        drawing.words(x, y + 6, f"{name} {_number(now[name], 1)}", size=17, bold=True)
    x, y = places["b"]
    _slope(drawing, *[(x - 76, y + 6), (x + 46, y + 6)][phone], now.slopes[1], phone, size=17)
    x, y = places["loss"]
    drawing.box(x - 22, y - 14, 50, 28, fill="paper")
    drawing.words(x, y + 6, "loss", size=15, bold=True)
    x, y = [(580, 292), (75, 512)][phone]
    drawing.box(x, y, 190, 32, rx=6, fill="chosen")
    drawing.words(x + 95, y + 21, "one step downhill", size=14, colour="paper", bold=True)
    drawing.box(x, y, 190, 32, fill="transparent", place=(now.places("step"), 0))
    return drawing.html(_told(now))


def _say(drawing, middle, phone, forward, slope, bold):
    """The result above a line and the slope below it; on a phone left and right of it."""
    x, y = middle
    if forward is not None:
        where = (x - 12, y + 5) if phone else (x, y - 11)
        drawing.words(*where, f"{forward:.2f}", size=14, anchor="end" if phone else "middle", halo=True, bold=bold)
    _slope(drawing, *((x + 12, y + 5) if phone else (x, y + 22)), slope, phone)


def _slope(drawing, x, y, slope, phone, size=14):
    told, anchor = f"{'▴' if phone else '◂'} {_number(slope)}", "start" if phone else "middle"
    drawing.words(x, y, told, size=size, colour="wrong", bold=True, halo=True, anchor=anchor)


def _number(value, decimals=2):
    return with_minus(value + 0.0, f".{decimals}f")


def _told(now):
    e_a, e_b, total, logarithm, loss = now.forward
    return (
        f"Forward: eᵃ {e_a:.2f} plus eᵇ {e_b:.2f} is {total:.2f}, its logarithm {logarithm:.2f}, less b {now.b + 0.0:.1f} is the "
        f"loss, {loss:.2f}. Back: 1, then {_number(now.back[0])} at both powers, {_number(now.slopes[0])} at a. At b "
        f"{_number(now.at_b[0])} and −1 meet: {_number(now.slopes[1])}."
    )


def _say_what_flows(now):
    return (
        f"Two slopes meet at b. By way of eᵇ comes {_number(now.at_b[0])}, and straight from the end −1, so together they are "
        f"{_number(now.slopes[1])}. The slope of a is {_number(now.slopes[0])}. Nudging a and b by hand says "
        f"{_number(now.trial[0])} and {_number(now.trial[1])}."
    )
