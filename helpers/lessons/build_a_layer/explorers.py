"""What surrounds attention in a layer: norm, residual, feed-forward, and what each does for depth."""

import itertools
import math

import numpy as np

from helpers.attention import scaled_dot_product_attention
from helpers.explorers.controls import NumberGrid, choose, slider, stops, switch
from helpers.explorers.engine import SHARES, Rule, explorer
from helpers.explorers.touch import Plane, Touch
from helpers.layers import feed_forward, layer_norm
from helpers.learning import depth
from helpers.learning.depth import NORMS, QUANTITIES, quartiles
from helpers.pictures.plane import Axes
from helpers.pictures.svg import Drawing

EPSILONS = [("0.00001", 1e-5), ("0.001", 1e-3), ("0.1", 0.1), ("1", 1.0), ("10", 10.0)]
LEAST = 1e-16  # that a logarithmic axis shows: 0 has no place on it
PLACES = np.array([-1.0, 0.5, 2.0])  # of three tokens on a line


# --- depth -----------------------------------------------------------------------------------------------------------

WIDE, HIGH, TOP, BOTTOM = 800, 372, 40, 330
TITLES = {
    "difference": "how far tokens differ",
    "signal": "size of their numbers",
    "gradient": "gradient at the bottom",
}
PANELS = {name: 292 + 178 * k for k, name in enumerate(TITLES)}  # left ends
LEAST_SIZE, LARGEST_SIZE = 0.01, 100  # beyond, a light goes out
ENDS = {"difference": {LEAST_SIZE: "all the same"}, "signal": {LEAST_SIZE: "too small", LARGEST_SIZE: "too large"}}
ENDS["gradient"] = ENDS["signal"]
PANEL = 138


def _panel_axes(left):
    return Axes(WIDE, HIGH, (0, depth.DEEPEST), (0, 1), margin=(left, TOP, WIDE - left - PANEL, HIGH - BOTTOM))


AXES = {name: _panel_axes(left) for name, left in PANELS.items()}


def explore_depth():
    """Stack 1 to 48 layers drawn at random, in any design, and see what reaches the top and what comes back.

    Shown: signal, gradient and difference (3, 49): lower quartile, median and upper quartile of 20 stacks after 0 to 48
    layers; top (3,), the three medians at the chosen depth
    """
    return explorer(
        _stacked,
        lambda now: [_layer_and_curves(now)],
        _say_what_arrives,
        [
            Rule("tokens stay different", lambda now: (now.top[2] > LEAST_SIZE, f"they differ by {_power(now.top[2])}")),
            Rule("their numbers keep their size", lambda now: _keeps("at the top", now.top[0])),
            Rule("the gradient keeps its size", lambda now: _keeps("at the bottom", now.top[1])),
        ],
        presets={
            "48 layers": {"depth": depth.DEEPEST},
            "a layer of 2017": {"residual": True, "norm": "post", "feed_forward": True},
            "a layer of today": {"residual": True, "norm": "pre", "feed_forward": True},
        },
        planes={f"depth {k}": Plane(AXES[name], _to_depth, "drag: the number of layers") for k, name in enumerate(AXES)},
        touch={
            "around": Touch(lambda now, k: {"residual": not now.residual}, lambda now, k: "click: cut or mend the way around"),
            "box": Touch(_turn_a_box, lambda now, k: ["click: feed-forward on or off", "click: norm after, before, none"][k]),
        },
        folded=["residual", "norm", "feed_forward"],
        depth=slider("depth: number of layers", 12, 1, depth.DEEPEST, 1),
        residual=switch("residual: add the input to the output", False),
        norm=choose("layer norm", {"none": "none", "post (2017)": "post", "pre": "pre"}, "none"),
        feed_forward=switch("feed-forward after attention", False),
    )  # fmt: skip


def _stacked(depth, residual, norm, feed_forward):
    sizes = quartiles(residual, norm, feed_forward)
    return {**sizes, "top": np.array([sizes[name][1, depth] for name in QUANTITIES])}


def _to_depth(now, x, y):
    return {"depth": int(np.clip(round(x), 1, depth.DEEPEST))}


def _turn_a_box(now, k):
    if k == 0:
        return {"feed_forward": not now.feed_forward}
    return {"norm": NORMS[(NORMS.index(now.norm) + 1) % len(NORMS)]}


def _layer_and_curves(now):
    drawing = Drawing(WIDE, HIGH)
    drawing.words(120, 366, "tokens", size=13, colour="muted")
    drawing.words(120, 16, "one layer", size=13, colour="muted")
    for k, (bottom, name) in enumerate(((350, "attention"), (190, "feed-forward"))):
        _draw_step(drawing, now, bottom, name, k)
    for name in TITLES:
        _draw_curve(drawing, now, name)
    medians = dict(zip(QUANTITIES, now.top))
    return drawing.html(
        f"Left, one layer: {_design(now)}. Right, medians of 20 stacks at {now.depth} layers: tokens differ by "
        f"{_power(medians['difference'])}, size of their numbers {_power(medians['signal'])}, gradient {_power(medians['gradient'])}."
    )


def _design(now):
    around = "with a way around each step" if now.residual else "without a way around"
    steps = "attention and feed-forward" if now.feed_forward else "attention alone"
    return f"{steps}, {around}, {'no norm' if now.norm == 'none' else f'{now.norm}-norm'}"


def _draw_step(drawing, now, bottom, name, k):
    """One step, upwards: its box, the norm before or after it, and the way around that is added behind it."""
    x, off, cut = 120, k == 1 and not now.feed_forward, not now.residual
    fork, plus, top = bottom - 8, bottom - 106, bottom - 150
    drawing.line((x, bottom + 4), (x, top - 6), "ink", 2)
    if k:
        drawing.add("path", d=f"M {x} {top - 14} l -5 9 h 10 z", fill="ink")
    if not off:
        _way_around(drawing, now, x, fork, plus)
    slot = {"pre": bottom - 34, "post": plus - 28}
    for where, y in slot.items():
        if now.norm in (where, "none") and not off and (now.norm != "none" or where == "post"):
            ghost = now.norm == "none"
            _box(drawing, x, y, "no norm" if ghost else "norm", ghost, (now.places("box"), 1), 22)
    y = bottom - 72 if now.norm == "pre" else bottom - 58
    _box(drawing, x, y, f"no {name}" if off else name, off, (now.places("box"), 0) if k else None, 30)
    if not cut and not off:
        drawing.add("circle", cx=x, cy=plus, r=9, fill="paper", stroke="ink", stroke_width=1.5)
        drawing.words(x, plus + 5, "+", size=15)


def _way_around(drawing, now, x, fork, plus):
    path = f"M {x} {fork} C {x + 130} {fork}, {x + 130} {plus}, {x + 9} {plus}"
    look = (
        {"stroke": "output", "stroke_width": 4}
        if now.residual
        else {"stroke": "muted", "stroke_width": 2.5, "stroke_dasharray": "4 7"}
    )
    drawing.add("path", d=path, fill="none", **look)
    middle = (fork + plus) / 2
    if not now.residual:
        drawing.words(x + 98, middle + 6, "✂", size=20, colour="wrong")
    belly = {"x": x + 62, "y": plus, "width": 56, "height": fork - plus}
    drawing.add("rect", fill="transparent", place=(now.places("around"), 0), **belly)


def _box(drawing, x, y, words, ghost, place, height):
    width = 108 if height > 22 else 64
    look = {"stroke": "line" if ghost else "ink", "stroke_dasharray": "3 4" if ghost else None}
    frame = {"x": x - width / 2, "y": y - height / 2, "width": width, "height": height, "rx": 6}
    drawing.add("rect", fill="paper", stroke_width=1.4, **look, **frame)
    drawing.words(x, y + 5, words, size=13, colour="muted" if ghost else "ink")
    if place:
        drawing.add("rect", fill="transparent", place=place, **frame)


def _draw_curve(drawing, now, name):
    """Median and quartiles of one quantity against depth, on a logarithmic axis that holds the design."""
    low, middle, high = (np.log10(np.maximum(row, LEAST)) for row in now[name])
    bottom, top = min(np.floor(low.min()), -3), max(np.ceil(high.max()), 0 if name == "difference" else 3)
    axes = AXES[name]

    def place(layer, power):
        x, y = axes.to_pixels((layer, (power - bottom) / (top - bottom)))
        return f"{x:.1f},{y:.1f}"

    drawing.words(axes.left, TOP - 14, TITLES[name], size=12, colour="muted", anchor="start")
    for power in sorted({bottom, 0.0, top}):
        y = axes.to_pixels((0, (power - bottom) / (top - bottom)))[1]
        drawing.line((axes.left, y), (axes.right, y), "line", 1.2 if power == 0 else 0.6)
        drawing.words(axes.left - 5, y + 4, _power_of_ten(power), size=10, colour="muted", anchor="end")
    for end, words in ENDS[name].items():
        y = axes.to_pixels((0, (np.log10(end) - bottom) / (top - bottom)))[1]
        drawing.line((axes.left, y), (axes.right, y), "wrong", 1, stroke_dasharray="4 3")
        drawing.words(axes.right, y + (13 if end < 1 else -5), words, size=11, colour="wrong", anchor="end", halo=True)
    for layer in (0, 24, 48):
        drawing.words(axes.to_pixels((layer, 0))[0], BOTTOM + 16, f"{layer}", size=10, colour="muted")
    drawing.words((axes.left + axes.right) / 2, BOTTOM + 34, "layers", size=11, colour="muted")
    layers = range(depth.DEEPEST + 1)
    band = [*(place(k, low[k]) for k in layers), *(place(k, high[k]) for k in reversed(layers))]
    drawing.add("polygon", points=" ".join(band), fill="muted", fill_opacity=0.22)
    line = " ".join(place(k, middle[k]) for k in layers)
    drawing.add("polyline", points=line, fill="none", stroke="ink", stroke_width=2)
    x, y = map(float, place(now.depth, middle[now.depth]).split(","))
    drawing.line((x, TOP), (x, BOTTOM), "chosen", 1.5)
    drawing.add("circle", cx=x, cy=y, r=5, fill="chosen")


def _power_of_ten(power):
    return "1" if power == 0 else "10" + f"{int(power)}".translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _keeps(where, size):
    return LEAST_SIZE < size < LARGEST_SIZE, f"{where} it is {_power(size)}"


def _say_what_arrives(now):
    layers = f"{now.depth} layer{'s' if now.depth > 1 else ''}"
    return (
        f"Medians of 20 stacks: after {layers} tokens differ by {_power(now.top[2])} of their size, their numbers have size "
        f"{_power(now.top[0])}, and the gradient at the bottom is {_power(now.top[1])}, where the top has 1."
    )


def _power(x):
    """A number of any size in a few letters; below 1e-12 only rounding is left."""
    if x < 1e-12 or 0.01 <= x < 1000:
        return f"{x:.2f}" if x < 100 else f"{x:.0f}"
    digit, power = f"{x:.0e}".split("e")
    return f"{digit}·{_power_of_ten(int(power))}"


# --- layer norm ------------------------------------------------------------------------------------------------------

STAGES = {"x": "x", "centred": "− mean", "scaled": "÷ spread", "output": "× gain + bias"}
NORM_WIDE, NORM_STEP, REACH = 800, 62, 5.0
LINE = Axes(NORM_WIDE, 4 * NORM_STEP + 30, (-REACH, REACH), (0, 1), margin=(120, 14, 30, 3 * NORM_STEP + 16))


def explore_layer_norm():
    """Drag the three features of a token, and see them slide to mean 0, stretch to spread 1, and move on.

    Shown: x, centred, scaled and output (3,), mean and variance ()
    """
    return explorer(
        _normalise,
        lambda now: [_slide(now)],
        lambda now: (
            f"The mean is {_small(now.mean)} and the variance {now.variance:.3f}, so each number loses {_small(now.mean)} and is "
            f"divided by {np.sqrt(now.variance + now.epsilon):.4f}. At the end the mean is {_small(now.output.mean())} and the "
            f"spread {now.output.std():.3f}."
        ),
        [
            Rule("÷ spread has mean 0", lambda now: abs(now.scaled.mean()), "it is {:.3f}", 1e-6),
            Rule("÷ spread has variance 1", lambda now: (abs(now.scaled.var() - 1) < 1e-3, f"it is {now.scaled.var():.3f}")),
        ],
        presets={
            "all the same": {"x": [[2.0, 2.0, 2.0]]},
            "a hundredth": {"x": [[0.01, 0.02, 0.03]]},
        },
        planes={"features": Plane(LINE, _carry, "drag a feature", grab=_nearest)},
        folded=["x"],
        x=NumberGrid("x", [[1.0, 2.0, 3.0]], compact=True),
        gain=slider("gain", 1.0, -3.0, 3.0),
        bias=slider("bias", 0.0, -3.0, 3.0),
        epsilon=stops("ε", EPSILONS, 1e-5),
    )  # fmt: skip


def _normalise(x, gain, bias, epsilon):
    x = x[0]
    return {
        "x": x,
        "mean": x.mean(),
        "variance": x.var(),
        "centred": x - x.mean(),
        "scaled": layer_norm(x, epsilon=epsilon),
        "output": layer_norm(x, gain, bias, epsilon),
    }


def _nearest(now, x, y):
    return int(np.abs(now.x - x).argmin())


def _carry(now, x, y, taken):
    row = now.x.copy()
    row[taken] = round(float(np.clip(x, -REACH, REACH)), 1) + 0.0
    return {"x": [row.tolist()]}


def _slide(now):
    """Four number lines under each other; every feature is a dot that moves from line to line."""
    drawing = Drawing(*LINE.size)

    def at(value):
        return LINE.to_pixels((float(np.clip(value, -REACH, REACH)), 0))[0]

    heights = {name: 30 + NORM_STEP * k for k, name in enumerate(STAGES)}
    for name, y in heights.items():
        role = "output" if name == "output" else "ink"
        drawing.words(4, y + 5, STAGES[name], size=14, colour=role, anchor="start", font_weight=600)
        drawing.line((LINE.left, y), (LINE.right, y), "line", 1.2)
        for tick in range(-5, 6):
            drawing.line((at(tick), y - 4), (at(tick), y + 4), "line", 1)
        ends = now[name].mean(), now[name].std()
        drawing.line((at(ends[0] - ends[1]), y), (at(ends[0] + ends[1]), y), "chosen", 5, stroke_opacity=0.35)
        drawing.add("path", d=f"M {at(ends[0]):.1f} {y + 12} l -5 9 h 10 z", fill="chosen")
    pairs = list(heights.items())
    for (name, y), (below, y_below) in itertools.pairwise(pairs):
        for start, end in zip(now[name], now[below]):
            drawing.line((at(start), y), (at(end), y_below), "muted", 1.2, stroke_dasharray="2 3")
    for name, y in pairs:
        for value in now[name]:
            far = abs(value) > REACH
            look = {"fill": "paper" if far else "output" if name == "output" else "ink", "stroke": "ink"}
            drawing.add("circle", cx=at(value), cy=y, r=7, stroke_width=1.5, **look)
        for value in dict.fromkeys(np.round(now[name], 2) + 0.0):
            drawing.words(at(value), y - 12, f"{value:g}", size=11, halo=True)
    for tick in range(-5, 6):
        drawing.words(at(tick), LINE.size[1] - 2, f"{tick}", size=10, colour="muted")
    told = "; ".join(
        f"{words}: {', '.join(f'{each:g}' for each in np.round(now[name], 2) + 0.0)}" for name, words in STAGES.items()
    )
    return drawing.html(f"Three features on four number lines, with mean and spread marked. {told}.")


def _small(x):
    return f"{float(np.round(x, 3)) + 0.0:.3f}"


# --- span ------------------------------------------------------------------------------------------------------------

SPAN = Axes(800, 372, (-5.5, 5.5), (-2.3, 2.8), x_title="feature 1", y_title="feature 2")


def explore_span():
    """Send three tokens on a line through attention, with nothing learned, and through a network that folds the plane.

    Shown: tokens and output (3, 2), weights (3, 3) of the last attention, off_line (3,), rank ()
    """
    return explorer(
        _spread_out,
        lambda now: [_line_and_outputs(now)],
        _say_where_outputs_lie,
        [SHARES],
        planes={"line": Plane(SPAN, _to_direction, "drag: turn the line of the tokens")},
        direction=slider("direction of the line, in degrees", 30, 0, 180, 1),
        rounds=slider("rounds of attention", 1, 1, 3, 1),  # after more, all tokens are the same
        feed_forward=switch("feed-forward after each round", False),
    )


def _spread_out(direction, rounds, feed_forward):
    unit = np.array([np.cos(np.radians(direction)), np.sin(np.radians(direction))])
    tokens = output = PLACES[:, None] * unit
    for _ in range(rounds):
        answer = scaled_dot_product_attention(output, output, output)
        output = _fold(answer.output) if feed_forward else answer.output
    return {
        "tokens": tokens,
        "output": output,
        "weights": answer.weights,
        "off_line": np.abs(output @ [-unit[1], unit[0]]),
        "rank": np.linalg.matrix_rank(output, tol=1e-9),
    }


def _to_direction(now, x, y):
    return {"direction": math.degrees(math.atan2(y, x)) % 180}


def _say_where_outputs_lie(now):
    off = now.off_line.max()
    where = (
        "all lie on the line of the tokens" if off < 1e-9 else f"they leave the line of the tokens, by up to {off:.3f}"
    )
    return f"The outputs have rank {now.rank}: {where}."


def _fold(x):
    """Fold the plane along the x axis: x = relu(x) - relu(-x) stays, y becomes relu(y) + relu(-y). No bias moves it."""
    W_in = np.array([[1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]])
    W_out = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    return feed_forward(x, W_in, np.zeros(4), W_out, np.zeros(2))


def _line_and_outputs(now):
    """A line through the origin, the tokens on it, and their outputs."""
    sketch = SPAN.sketch()
    sketch.through(now.tokens[2], "muted", 1)
    for k, token in enumerate(now.tokens):
        sketch.dot(token, "key", f"x{k + 1}")
    for k, output in enumerate(now.output):
        sketch.diamond(output, f"y{k + 1}")
    off = now.off_line.max()
    where = "on the same line" if off < 1e-9 else f"up to {off:.2f} beside the line"
    return sketch.html(f"Three tokens on a line through the origin, and their outputs {where}.")
