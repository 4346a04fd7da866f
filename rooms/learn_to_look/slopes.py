"""A loss of three steps, as a graph: numbers go forward through it, and slopes flow back."""

import numpy as np

from workbench import Drawing, Touch, by_width, explorer, slider

X, WANTED, RATE = 2.0, 3.0, 0.05
WIDE, NARROW = 780, 340
NODES = [("× x", "product"), ("+ b", "output"), ("(… − 3)²", "loss")]


def explore_slopes():
    """Move a weight or a bias, and see the numbers go forward through three nodes and the slopes flow back.

    Shown: forward (3,): product, output and loss; local (3,), the slope of each node in what comes into it from the left; back
    (3,), the slope of the loss in each node's result; slopes (2,), of the loss in w and in b; trial (), what a nudge of w says
    """
    return explorer(
        _there_and_back,
        lambda now: by_width(_graph(now, WIDE), _graph(now, NARROW)),
        _say_what_flows,
        touch={"step": Touch(_step_downhill, lambda now, k: "click: one step against the slopes")},
        w=slider("weight w", 3.0, -4.0, 4.0, 0.05),
        b=slider("bias b", 1.0, -4.0, 4.0, 0.05),
    )


def _loss(w, b):
    return (w * X + b - WANTED) ** 2


def _there_and_back(w, b):
    product = w * X
    output = product + b
    local = np.array([X, 1.0, 2 * (output - WANTED)])  # of the product in w, of the sum, of the square
    back = np.array([local[2] * local[1], local[2], 1.0])
    nudge = 1e-4
    return {
        "forward": np.array([product, output, _loss(w, b)]),
        "local": local,
        "back": back,
        "slopes": np.array([back[0] * local[0], back[1]]),
        "trial": np.array((_loss(w + nudge, b) - _loss(w - nudge, b)) / (2 * nudge)),
    }


def _step_downhill(now, k):
    return {name: round(20 * (now[name] - RATE * slope)) / 20 for name, slope in zip("wb", now.slopes)}


def _graph(now, width):
    """The nodes in a row, or below each other on a phone: results above the lines in ink, slopes below them, flowing back."""
    across = width == WIDE
    drawing = Drawing(width, 216 if across else 510)
    places = [(216 + 186 * k, 84) if across else (200, 120 + 128 * k) for k in range(3)]
    start = (60, 84) if across else (200, 22)
    inputs = [("w", now.w, start, places[0], now.slopes[0]), *_links(now, places)]
    for name, value, (x0, y0), (x1, y1), slope in inputs:
        drawing.line((x0, y0), (x1, y1), "line", 2)
        if across:
            above, below, anchor = ((x0 + x1) / 2, y0 - 12), ((x0 + x1) / 2, y0 + 22), "middle"
        else:
            above, below, anchor = (x0 - 12, (y0 + y1) / 2 + 4), (x0 + 12, (y0 + y1) / 2 + 4), None
        drawing.words(*above, f"{name} {value:.2f}", size=14, anchor=anchor or "end", halo=True)
        drawing.words(
            *below,
            f"◂ {slope:.2f}" if across else f"▴ {slope:.2f}",
            size=14,
            colour="wrong",
            anchor=anchor or "start",
            bold=True,
            halo=True,
        )
    for (x, y), (name, _), local in zip(places, NODES, now.local):
        drawing.box(x - 44, y - 24, 88, 48, rx=10, fill="paper", stroke="ink", stroke_width=1.5)
        drawing.words(x, y - 2, name, size=15, bold=True)
        drawing.words(x, y + 16, f"slope {local:.2f}", size=12, colour="muted")
    x, y = places[1]
    here = (x, y + 74) if across else (x - 118, y)
    drawing.line(here, (x, y + 24) if across else (x - 44, y), "line", 2)
    drawing.words(here[0], here[1] + 18, f"b {now.b:.2f}", size=14)
    drawing.words(
        here[0] + (46 if across else 0),
        here[1] - (22 if across else 14),
        f"◂ {now.slopes[1]:.2f}",
        size=14,
        colour="wrong",
        bold=True,
        halo=True,
    )
    x, y = places[2]
    end = (x + 150, y) if across else (x, y + 66)
    drawing.line((x + 44, y) if across else (x, y + 24), end, "line", 2)
    drawing.words(
        x + 98 if across else x + 12,
        end[1] - 12 if across else end[1] - 8,
        f"loss {now.forward[2]:.2f}",
        size=15,
        bold=True,
        anchor="middle" if across else "start",
        halo=True,
    )
    drawing.words(
        x + 98 if across else x - 14,
        end[1] + 22 if across else end[1] - 8,
        "◂ 1",
        size=14,
        colour="wrong",
        bold=True,
        anchor="middle" if across else "end",
        halo=True,
    )
    _button(drawing, now, *((560, 178) if across else (105, 466)))
    return drawing.html(_told(now))


def _links(now, places):
    """Between the nodes: what comes out of one, and the slope of the loss in it."""
    (product, output, _), (back_product, back_output, _) = now.forward, now.back
    return [("", product, places[0], places[1], back_product), ("", output, places[1], places[2], back_output)]


def _button(drawing, now, x, y):
    drawing.box(x, y, 190, 32, rx=6, fill="chosen")
    drawing.words(x + 95, y + 21, "one step downhill", size=14, colour="paper", bold=True)
    drawing.box(x, y, 190, 32, fill="transparent", place=(now.places("step"), 0))


def _told(now):
    product, output, loss = now.forward
    return (
        f"Three nodes. Forward: w {now.w:.2f} times x {X:g} is {product:.2f}, plus b {now.b:.2f} is {output:.2f}, and the loss is {loss:.2f}. "
        f"Back: 1, then {now.back[1]:.2f}, then {now.back[0]:.2f}; the slope of w is {now.slopes[0]:.2f}, of b {now.slopes[1]:.2f}."
    )


def _say_what_flows(now):
    return (
        f"The slope of w is {now.local[2]:.2f} × {now.local[1]:g} × {now.local[0]:g} = {now.slopes[0]:.2f}. A nudge of w by hand says "
        f"{now.trial:.2f}. The slope of b is {now.slopes[1]:.2f}."
    )
