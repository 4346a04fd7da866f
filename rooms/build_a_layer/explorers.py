"""What surrounds attention in a layer, norm, residual and feed-forward network, and what each does for depth."""

import functools

import numpy as np

from rooms.build_a_layer import depth
from rooms.build_a_layer.depth import NORMS, QUANTITIES, quartiles
from workbench import Drawing, Rule, Touch, by_width, choose, explorer, scientific, slider, switch

# --- depth -----------------------------------------------------------------------------------------------------------

WIDE, HIGH, NARROW = 800, 372, 340
SENTENCE = "She wore a watch".split()
ROWS = 12  # of coloured words above the first; of a deeper stack they show every second layer, or every fourth
GAUGES = {"difference": "words differ", "signal": "size of numbers", "gradient": "gradient"}
LEAST_SIZE, LARGEST_SIZE = 0.01, 100  # beyond, a light goes out
SCALE = (-4, 4)  # of the gauges, in powers of ten


def explore_depth():
    """Stack 12 to 48 layers drawn at random, in any design, and see what becomes of four words.

    Shown: signal, gradient and difference (3, 49): lower quartile, median and upper quartile of 20 stacks after 0 to 48
    layers; top (3,), the three medians at the chosen depth; words (13, 4, 8), each word after every so many layers of one of these stacks
    """
    return explorer(
        _stacked,
        lambda now: by_width(_layer_and_words(now), _layer_above_words(now)),
        _say_what_arrives,
        [
            Rule("words stay different", lambda now: (now.top[2] > LEAST_SIZE, "at the top words hardly differ (grey: the same)")),
            Rule("their numbers have a sensible size", lambda now: _keeps("at the top numbers have size", now.top[0])),
            Rule("the gradient has a sensible size", lambda now: _keeps("at the bottom the gradient is", now.top[1])),
        ],
        presets={
            "48 layers": {"depth": depth.DEEPEST},
            "a layer of 2017": {"residual": True, "norm": "post", "feed_forward": True},
            "a layer of today": {"residual": True, "norm": "pre", "feed_forward": True},
        },
        touch={
            "around": Touch(lambda now, k: {"residual": not now.residual}, lambda now, k: "click: cut or mend the residual"),
            "box": Touch(_turn_a_box, lambda now, k: ["click: without feed-forward", "click: norm after, before, none"][k]),
        },
        folded=["residual", "norm", "feed_forward", "drawn"],
        depth=slider("depth: number of layers", 12, 12, depth.DEEPEST, 12),
        residual=switch("residual: add the input to the output", False),
        norm=choose("layer norm", {"none": "none", "post (2017)": "post", "pre": "pre"}, "none"),
        feed_forward=switch("feed-forward after attention", False),
        drawn=slider("stack, of 20", 2, 1, depth.NUM_STACKS, 1),
    )  # fmt: skip


@functools.lru_cache(maxsize=64)
def _words_at(drawn, design):
    """The four words after 0 to 48 layers of one of the stacks, (49, 4, 8)."""
    return depth.heights(*depth.random_stack(drawn - 1), design)


def _stacked(depth, residual, norm, feed_forward, drawn):
    sizes = quartiles(residual, norm, feed_forward)
    words = _words_at(drawn, (residual, norm, feed_forward))[: depth + 1 : depth // ROWS]
    return {**sizes, "top": np.array([sizes[name][1, depth] for name in QUANTITIES]), "words": words}


def _turn_a_box(now, k):
    if k == 0:
        return {"feed_forward": False}
    return {"norm": NORMS[(NORMS.index(now.norm) + 1) % len(NORMS)]}


def _layer_and_words(now):
    drawing = Drawing(WIDE, HIGH)
    _draw_layer(drawing, now)
    _draw_words(drawing, now, 286, 20, 88, 25)
    _draw_gauges(drawing, now, 668, 122)
    return drawing.html(_told(now))


def _layer_above_words(now):
    drawing = Drawing(NARROW, HIGH + 270)
    _draw_layer(drawing, now)
    _draw_gauges(drawing, now, 232, 100)
    _draw_words(drawing, now, 26, HIGH + 24, 78, 16)
    return drawing.html(_told(now))


def _told(now):
    medians = dict(zip(QUANTITIES, now.top))
    return (
        f"Left, one layer: {_design(now)}. Beside it four words as colours, from the bottom to layer {now.depth}. Medians of 20 "
        f"stacks at the top: words differ by {_power(medians['difference'])}, size of their numbers {_power(medians['signal'])}, "
        f"gradient {_power(medians['gradient'])}."
    )


def _draw_layer(drawing, now):
    drawing.words(120, 366 if now.feed_forward else 288, "words", size=13, colour="muted")
    drawing.words(120, 16 if now.feed_forward else 94, "one layer", size=13, colour="muted")
    steps = ((350, "attention"), (190, "feed-forward")) if now.feed_forward else ((272, "attention"),)
    for k, (bottom, name) in enumerate(steps):
        _draw_step(drawing, now, bottom, name, k)


def _draw_words(drawing, now, left, top, step, line):
    """A row of coloured words for each layer, the first at the foot. Three numbers of a word are its red, green and blue, after
    what all four share is taken off: words that are alike are grey."""
    sizes = np.sqrt(np.mean(now.words**2, axis=(1, 2), keepdims=True))
    apart = (now.words - now.words.mean(axis=1, keepdims=True)) / np.maximum(sizes, 1e-300)
    colours = np.clip(0.5 + 0.28 * apart[..., :3], 0.05, 0.95)
    for row in range(ROWS + 1):
        y = top + line * (ROWS - row)
        drawing.words(left - 7, y + line // 2 + 4, f"{row * now.depth // ROWS}", size=12, colour="muted", anchor="end")
        for k, colour in enumerate(colours[row]):
            red, green, blue = (round(255 * part) for part in colour)
            drawing.box(left + k * step, y, step - 3, line - 3, rx=4, fill=f"rgb({red},{green},{blue})")
    for k, word in enumerate(SENTENCE):
        she = {"colour": "output", "bold": True} if word == "She" else {}
        drawing.words(left + k * step + (step - 3) / 2, top + line * (ROWS + 1) + 14, word, size=14, **she)
    drawing.words(left - 7, top - 8, "layer", size=12, colour="muted")


def _draw_gauges(drawing, now, left, width):
    """The three medians on fixed scales; between the two ends that are named a size is as it should be."""

    def at(size):
        return left + width * (np.clip(np.log10(max(size, 1e-300)), *SCALE) - SCALE[0]) / (SCALE[1] - SCALE[0])

    medians = dict(zip(QUANTITIES, now.top))
    for k, (name, title) in enumerate(GAUGES.items()):
        y, size = 40 + 104 * k, medians[name]
        most = LARGEST_SIZE if name != "difference" else 10.0 ** SCALE[1]
        good = LEAST_SIZE < size < most
        drawing.words(left, y, title, size=13, anchor="start")
        drawing.box(left, y + 12, width, 10, fill="line", fill_opacity=0.6, rx=5)
        drawing.box(at(LEAST_SIZE), y + 12, at(most) - at(LEAST_SIZE), 10, fill="value", fill_opacity=0.45, rx=5)
        role = "ink" if good else "wrong"
        drawing.add("circle", cx=at(size), cy=y + 17, r=7, fill=role, stroke="paper", stroke_width=1.5)
        ends = [(LEAST_SIZE, f"{LEAST_SIZE}")] + ([] if name == "difference" else [(LARGEST_SIZE, f"{LARGEST_SIZE}")])
        for end, told in ends:
            drawing.words(at(end), y + 35, told, size=11, colour="muted")
        drawing.words(left, y + 56, f"{'✓' if good else '✗'} {_power(size)}", size=13, colour=role, anchor="start")


def _design(now):
    around = "with a residual around each step" if now.residual else "without a residual"
    steps = "attention and feed-forward" if now.feed_forward else "attention alone"
    return f"{steps}, {around}, {'no norm' if now.norm == 'none' else f'{now.norm}-norm'}"


def _draw_step(drawing, now, bottom, name, k):
    """One step, upwards: its box, the norm before or after it, and the residual that is added behind it."""
    x, fork, plus, top = 120, bottom - 8, bottom - 106, bottom - 150
    drawing.line((x, bottom + 4), (x, top - 6), "ink", 2)
    if bottom < 350:
        drawing.add("path", d=f"M {x} {top - 14} l -5 9 h 10 z", fill="ink")
    _bypass(drawing, now, x, fork, plus)
    for where, y in (("pre", bottom - 34), ("post", plus - 28)):
        if now.norm in (where, "none") and (now.norm != "none" or where == "post"):
            ghost = now.norm == "none"
            _box(drawing, x, y, "no norm" if ghost else "norm", ghost, (now.places("box"), 1), 22)
    y = bottom - 72 if now.norm == "pre" else bottom - 58
    _box(drawing, x, y, name, False, (now.places("box"), 0) if k else None, 30)
    if now.residual:
        drawing.add("circle", cx=x, cy=plus, r=9, fill="paper", stroke="ink", stroke_width=1.5)
        drawing.words(x, plus + 5, "+", size=15)


def _bypass(drawing, now, x, fork, plus):
    path = f"M {x} {fork} C {x + 130} {fork}, {x + 130} {plus}, {x + 9} {plus}"
    stroke, wide, dashes = ("output", 4, None) if now.residual else ("muted", 2.5, "4 7")
    drawing.add("path", d=path, fill="none", stroke=stroke, stroke_width=wide, stroke_dasharray=dashes)
    if not now.residual:
        drawing.words(x + 98, (fork + plus) / 2 + 6, "✂", size=20, colour="wrong")
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


def _keeps(told, size):
    return LEAST_SIZE < size < LARGEST_SIZE, f"{told} {_power(size)}"


def _say_what_arrives(now):
    layers = f"{now.depth} layer{'s' if now.depth > 1 else ''}"
    return (
        f"Medians of 20 stacks: after {layers} words differ by {_power(now.top[2])} of their size, their numbers have size "
        f"{_power(now.top[0])}, and the gradient at the bottom is {_power(now.top[1])}, while the top has 1."
    )


def _power(x):
    """A number of any size in a few letters; below 1e-12 only rounding is left."""
    if x < 1e-12 or 0.01 <= x < 1000:
        return f"{x:.2f}" if x < 100 else f"{x:.0f}"
    return scientific(x)
