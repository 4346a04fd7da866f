"""What the width of queries and keys does to scores and weights, how fast weights answer a nudge, and which division mends it."""

import functools
import math

import numpy as np

from helpers.attention import softmax, softmax_jacobian
from helpers.explorers.controls import slider, stops
from helpers.explorers.engine import explorer
from helpers.explorers.touch import Plane
from helpers.pictures.plane import Axes
from helpers.pictures.svg import Drawing

WIDEST, NUM_KEYS, NUM_QUERIES = 256, 16, 100
DIVISORS = {"÷ 1": lambda d_k: 1.0, "÷ √d_k": math.sqrt, "÷ d_k": float}
BINS = np.linspace(-4, 4, 17)  # in spreads
WIDE, HIGH, TOP, ROW, TALL = 800, 310, 42, 84, 56  # of the picture, in pixels: its rows stand ROW apart
LEFT, PANEL, BARS, BAR = 104, 400, 566, 14


def _rows(across):
    """For each scaling the axes of its row; across = (lowest, highest)."""
    tops = [TOP + ROW * row for row in range(3)]
    return [Axes(WIDE, HIGH, across, (0, 1), margin=(LEFT, y, WIDE - LEFT - PANEL, HIGH - y - TALL)) for y in tops]


HILLS, RESPONSES = _rows((-24, 24)), _rows((-4, 1))  # scores; powers of ten


def explore_scale():
    """Drag the width of random queries and keys, and watch scores and weights under three scalings.

    Shown, of 100 queries with 16 keys each: histogram (16,), the share of dot products in each bin of half a standard deviation;
    for the three scalings spread and peak (3,), weights (3, 16) of the chosen query, response (3, 100) of all
    """
    return explorer(
        _measure,
        lambda now: [_hills_and_weights(now)],
        _say_what_the_best_key_gets,
        presets={"narrow: 2": {"d_k": 2}, "wide: 256": {"d_k": 256}, "booster: 10": {"booster": 10}},
        planes={"hill": Plane(HILLS[0], _to_width, "drag: pull the hill wider")},
        d_k=slider("width of queries and keys, d_k", 64, 1, WIDEST, 1),
        query=slider("query", 1, 1, NUM_QUERIES, 1),
        booster=stops("booster on the keys", [(str(n), n) for n in (1, 2, 5, 10)], 1),
    )


def explore_response():
    """Walk from query to query, and see how fast their weights move when they are nudged.

    Shown as in `explore_scale`
    """
    return explorer(
        functools.partial(_measure, booster=1),
        lambda now: [_responses_and_weights(now)],
        _say_how_they_respond,
        planes={f"response {row}": Plane(axes, functools.partial(_nearest, row=row), "drag: from query to query")
                for row, axes in enumerate(RESPONSES)},
        d_k=slider("width of queries and keys, d_k", 64, 1, WIDEST, 1),
        query=slider("query", 1, 1, NUM_QUERIES, 1),
    )  # fmt: skip


# --- the numbers -----------------------------------------------------------------------------------------------------


@functools.cache
def _draw():
    """Keys (100, 16, 256), and the dot products (100, 16, 256) of their first 1, 2, … 256 entries with those of 100 queries."""
    rng = np.random.default_rng(1)
    query = rng.normal(size=(NUM_QUERIES, 1, WIDEST))
    key = rng.normal(size=(NUM_QUERIES, NUM_KEYS, WIDEST))
    return key, np.cumsum(query * key, axis=-1)


def _responses(weights, key, divisor):
    """The size of ∂w/∂q = J K / divisor, (num_queries,): how fast all weights move with the query."""
    return np.linalg.norm(softmax_jacobian(weights) @ key / divisor, axis=(-2, -1))


@functools.lru_cache(maxsize=8)
def _three_scalings(d_k, booster):
    """The dot products (100, 16); for each scaling spread (3,), weights (3, 100, 16) and responses (3, 100)."""
    key, products = _draw()
    key, products = booster * key[..., :d_k], booster * products[..., d_k - 1]
    divisors = [divisor(d_k) for divisor in DIVISORS.values()]
    weights = [softmax(products / divisor) for divisor in divisors]
    responses = [_responses(each, key, divisor) for each, divisor in zip(weights, divisors)]
    return products, products.std() / divisors, np.array(weights), np.array(responses)


def _measure(d_k, query, booster):
    products, spread, weights, response = _three_scalings(d_k, booster)
    return {
        "spread": spread.copy(),
        "peak": weights.max(axis=-1).mean(axis=-1),
        "weights": weights[:, query - 1].copy(),
        "response": response.copy(),
        "histogram": np.histogram(products / spread[0], BINS)[0] / products.size,
    }


def _to_width(now, x, y):
    """The width at which the upper hill, of standard deviation booster · √d_k, has its standard deviation at x."""
    return {"d_k": int(np.clip(round((x / now.booster) ** 2), 1, WIDEST))}


def _powers(response):
    """Where responses stand on their axis, in powers of ten."""
    return np.clip(np.log10(np.maximum(response, 1e-300)), *RESPONSES[0].x)


def _nearest(now, x, y, row):
    return {"query": int(np.abs(_powers(now.response[row]) - x).argmin()) + 1}


# --- in words --------------------------------------------------------------------------------------------------------


def _say_what_the_best_key_gets(now):
    plain, root, flat = (f"{peak:.0%}" for peak in now.peak)
    return (
        f"At d_k = {now.d_k} the best of {NUM_KEYS} keys gets {plain} of the weight on average if nothing is divided, {root} if "
        f"scores are divided by √d_k, and {flat} if they are divided by d_k. Equal shares would be 6%."
    )


def _say_how_they_respond(now):
    (low, high), (low_root, high_root), (low_flat, high_flat) = np.quantile(now.response, [0.25, 0.75], axis=1).T
    return (
        f"At d_k = {now.d_k}, with nothing divided, a quarter of the {NUM_QUERIES} queries respond by less than {low:.2f}, and a "
        f"quarter by more than {high:.2f}. Divided by √d_k, these are {low_root:.2f} and {high_root:.2f}; divided by d_k, "
        f"{low_flat:.2f} and {high_flat:.2f}."
    )


# --- the pictures ----------------------------------------------------------------------------------------------------


def _hills_and_weights(now):
    drawing = _drawing(now, f"scores, {NUM_QUERIES} queries with {NUM_KEYS} keys each")
    for row, (axes, spread) in enumerate(zip(HILLS, now.spread)):
        _ground(drawing, axes, {x: f"{x}" for x in range(-20, 21, 10)}, row)
        _hill(drawing, axes, now.histogram, spread)
        ends = [axes.to_pixels((np.clip(x, *axes.x), 0)) for x in (-spread, spread)]
        drawing.line(*ends, "chosen", 5, stroke_opacity=0.45)
        drawing.words(
            axes.right, axes.top + 16, f"spread {spread:.2f}", size=12, colour="chosen", anchor="end", halo=True
        )
    x, y = HILLS[0].to_pixels((min(now.spread[0], HILLS[0].x[1]), 0))
    drawing.add("circle", cx=x, cy=y, r=7, fill="chosen", stroke="paper", stroke_width=1.5)
    told = "; ".join(f"{name} {spread:.3g}" for name, spread in zip(DIVISORS, now.spread))
    return drawing.html(f"The scores in three hills, whose standard deviation is: {told}. {_weights_told(now)}")


def _responses_and_weights(now):
    drawing = _drawing(now, f"how fast the weights respond, {NUM_QUERIES} queries")
    for row, (axes, response) in enumerate(zip(RESPONSES, now.response)):
        _ground(drawing, axes, {-3: "0.001", -2: "0.01", -1: "0.1", 0: "1", 1: "10"}, row)
        places = [axes.to_pixels((power, 0.2))[0] for power in _powers(response)]
        strokes = "".join(f"M{x:.1f} {axes.top + 14}V{axes.bottom - 4}" for x in places)
        drawing.add("path", d=strokes, stroke="ink", stroke_width=1.6, stroke_opacity=0.4)
        x = places[now.query - 1]
        drawing.line((x, axes.top + 6), (x, axes.bottom), "chosen", 2.5)
        drawing.add("circle", cx=x, cy=axes.top + 6, r=5, fill="chosen")
    told = "; ".join(f"{name} {response[now.query - 1]:.2f}" for name, response in zip(DIVISORS, now.response))
    return drawing.html(f"A stroke for each query. Query {now.query} responds by: {told}. {_weights_told(now)}")


def _drawing(now, title):
    """The heads of rows and columns, and on the right the weights of one query under each scaling."""
    drawing = Drawing(WIDE, HIGH)
    drawing.words(LEFT, 18, title, size=13, colour="muted", anchor="start")
    drawing.words(BARS, 18, f"the {NUM_KEYS} weights of query {now.query}", size=13, colour="muted", anchor="start")
    for row, (axes, weights) in enumerate(zip(HILLS, now.weights)):
        drawing.words(
            4, axes.bottom - 18, ["undivided", "÷ √d_k", "÷ d_k"][row], size=15, anchor="start", font_weight=600
        )
        here = ["", f"√{now.d_k} = {math.sqrt(now.d_k):.3g}", f"= {now.d_k}"][row]
        drawing.words(4, axes.bottom - 1, here, size=12, colour="muted", anchor="start")
        right = BARS + NUM_KEYS * BAR
        drawing.line((BARS, axes.bottom), (right, axes.bottom), "line", 1.2)
        for k, weight in enumerate(weights):
            drawing.box(BARS + k * BAR + 1, axes.bottom - TALL * weight, BAR - 3, TALL * weight, fill="ink")
        equal = axes.bottom - TALL / NUM_KEYS
        drawing.line((BARS, equal), (right, equal), "muted", 1, stroke_dasharray="3 3")
        best = int(weights.argmax())
        x, y = BARS + (best + 0.5) * BAR, axes.bottom - TALL * weights[best] - 5
        drawing.words(x, y, f"{weights[best]:.0%}", size=12, halo=True)
    drawing.line((BARS, HIGH - 12), (BARS + 24, HIGH - 12), "muted", 1, stroke_dasharray="3 3")
    drawing.words(BARS + 30, HIGH - 8, "equal shares, 6%", size=11, colour="muted", anchor="start")
    return drawing


def _ground(drawing, axes, ticks, row):
    drawing.line((axes.left, axes.bottom), (axes.right, axes.bottom), "line", 1.2)
    for at, words in ticks.items():
        x, y = axes.to_pixels((at, 0))
        drawing.line((x, y), (x, y + 4), "line", 1.2)
        if row == 2:
            drawing.words(x, y + 18, words, size=11, colour="muted")


def _hill(drawing, axes, histogram, spread):
    """The same histogram in every row, as high, and as wide as the spread makes it."""
    x = np.clip(spread * np.concatenate([[-4.25], (BINS[1:] + BINS[:-1]) / 2, [4.25]]), *axes.x)
    y = np.concatenate([[0], histogram, [0]]) / (1.15 * histogram.max())
    corners = " ".join("{:.1f},{:.1f}".format(*axes.to_pixels(corner)) for corner in zip(x, y))
    drawing.add("polygon", points=corners, fill="muted", fill_opacity=0.35, stroke="muted", stroke_width=1.5)


def _weights_told(now):
    best = ", ".join(f"{weights.max():.2f} ({name})" for name, weights in zip(DIVISORS, now.weights))
    return f"Of the weights of query {now.query}, the largest is {best}."
