"""What the width of queries and keys does to scores and weights, whom She finds by luck, and which division mends it."""

import functools
import math

import numpy as np

from helpers.attention import softmax
from rooms.shared import words
from rooms.shared.arcs import Under, arcs
from workbench import Axes, Drawing, Plane, Touch, by_width, choose, explorer, slider, stops

WIDEST, NUM_KEYS, NUM_QUERIES = 256, 16, 100
DIVISORS = {"÷ 1": lambda d_k: 1.0, "÷ √d_k": math.sqrt, "÷ d_k": float}
BINS = np.linspace(-4, 4, 17)  # in spreads
WIDE, HIGH, TOP, ROW, TALL = 800, 310, 42, 84, 56  # of the picture, in pixels: its rows stand ROW apart
LEFT, PANEL, BARS, BAR = 104, 400, 566, 14


PHONE = {"size": (340, 396), "top": 70, "row": 100, "left": 4, "panel": 158, "bars": 178, "bar": 10}
CARD = {"size": (WIDE, HIGH), "top": TOP, "row": ROW, "left": LEFT, "panel": PANEL, "bars": BARS, "bar": BAR}


def _rows(across):
    """For each scaling the axes of its row; across = (lowest, highest)."""
    return [_row(across, row, **CARD, narrow=_row(across, row, **PHONE)) for row in range(3)]


def _row(across, number, *, size, top, row, left, panel, narrow=None, **_):
    y = top + row * number
    margin = (left, y, size[0] - left - panel, size[1] - y - TALL)
    return Axes(*size, across, (0, 1), margin=margin, narrow=narrow)


HILLS = _rows((-24, 24))
TOKENS, NUM_DRAWS = words.she_sentences().tokens, 20


def explore_scale():
    """Drag the width of random queries and keys, and watch scores and weights under three scalings.

    Shown, of 100 queries with 16 keys each: histogram (16,), the share of dot products in each bin of half a standard deviation;
    for the three scalings spread and peak (3,), weights (3, 16) of the chosen query
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


def explore_luck():
    """Let She look at 20 words whose keys are random, draw again, and divide.

    Shown: scores and weights (20,) of the chosen draw, largest (20,), the largest weight in each of 20 draws
    """
    return explorer(
        _cast,
        _words_and_draws,
        _say_who_wins,
        touch={"draws": Touch(lambda now, k: {"draw": k + 1}, lambda now, k: f"draw {k + 1}: one word has {now.largest[k]:.0%}; click to see it")},
        d_k=stops("width d_k", [(str(width), width) for width in (4, 16, 64, 256)], 64),
        by=choose("scores divided by", ["nothing", "√d_k", "d_k"], "nothing"),
        draw=slider("draw", 1, 1, NUM_DRAWS, 1),
    )  # fmt: skip


# --- the numbers -----------------------------------------------------------------------------------------------------


@functools.cache
def _draw():
    """The dot products (100, 16, 256) of the first 1, 2, … 256 entries of 100 queries and of 16 keys each."""
    rng = np.random.default_rng(1)
    query = rng.normal(size=(NUM_QUERIES, 1, WIDEST))
    key = rng.normal(size=(NUM_QUERIES, NUM_KEYS, WIDEST))
    return np.cumsum(query * key, axis=-1)


@functools.lru_cache(maxsize=8)
def _three_scalings(d_k, booster):
    """The dot products (100, 16); for each scaling spread (3,) and weights (3, 100, 16)."""
    products = booster * _draw()[..., d_k - 1]
    divisors = [divisor(d_k) for divisor in DIVISORS.values()]
    weights = [softmax(products / divisor) for divisor in divisors]
    return products, products.std() / divisors, np.array(weights)


def _measure(d_k, query, booster):
    products, spread, weights = _three_scalings(d_k, booster)
    return {
        "spread": spread.copy(),
        "peak": weights.max(axis=-1).mean(axis=-1),
        "weights": weights[:, query - 1].copy(),
        "histogram": np.histogram(products / spread[0], BINS)[0] / products.size,
    }


def _to_width(now, x, y):
    """The width at which the upper hill, of standard deviation booster · √d_k, has its standard deviation at x."""
    return {"d_k": int(np.clip(round((x / now.booster) ** 2), 1, WIDEST))}


@functools.cache
def _keys_and_questions():
    """For each draw the key of every word and the question of She, (20, 21, 256): random numbers, nothing learned."""
    return np.random.default_rng(4).normal(size=(NUM_DRAWS, len(TOKENS) + 1, WIDEST))


def _cast(d_k, by, draw):
    drawn = _keys_and_questions()[..., :d_k]
    scores = np.einsum("dnk,dk->dn", drawn[:, 1:], drawn[:, 0]) / DIVISORS[f"÷ {by}".replace("nothing", "1")](d_k)
    weights = softmax(scores)
    return {"scores": scores[draw - 1], "weights": weights[draw - 1], "largest": weights.max(axis=1)}


# --- in words --------------------------------------------------------------------------------------------------------


def _say_what_the_best_key_gets(now):
    plain, root, flat = (f"{peak:.0%}" for peak in now.peak)
    return (
        f"At d_k = {now.d_k} the best of {NUM_KEYS} keys gets {plain} of the weight on average if nothing is divided, {root} if "
        f"scores are divided by √d_k, and {flat} if they are divided by d_k. Equal shares would be 6%."
    )


def _say_who_wins(now):
    best, many = int(now.weights.argmax()), int((now.largest > 0.5).sum())
    return (
        f"“She” gives {now.weights[best]:.0%} of its weight to “{TOKENS[best]}”. In {many} of {NUM_DRAWS} draws one word has more "
        f"than half, {now.largest.mean():.0%} on average; equal shares would be {1 / len(TOKENS):.0%}."
    )


# --- the pictures ----------------------------------------------------------------------------------------------------


def _hills_and_weights(now):
    return by_width(_three_rows(now, HILLS, CARD), _three_rows(now, [axes.narrow for axes in HILLS], PHONE))


def _three_rows(now, hills, room):
    drawing = _drawing(now, f"scores, {NUM_QUERIES} queries with {NUM_KEYS} keys each", hills, room)
    for row, (axes, spread) in enumerate(zip(hills, now.spread)):
        _ground(drawing, axes, {x: f"{x}" for x in range(-20, 21, 10)}, row)
        _hill(drawing, axes, now.histogram, spread)
        ends = [axes.to_pixels((np.clip(x, *axes.x), 0)) for x in (-spread, spread)]
        drawing.line(*ends, "chosen", 5, stroke_opacity=0.45)
        drawing.words(
            axes.right, axes.top + 16, f"spread {spread:.2f}", size=12, colour="chosen", anchor="end", halo=True
        )
    x, y = hills[0].to_pixels((min(now.spread[0], hills[0].x[1]), 0))
    drawing.add("circle", cx=x, cy=y, r=7, fill="chosen", stroke="paper", stroke_width=1.5)
    told = "; ".join(f"{name} {spread:.3g}" for name, spread in zip(DIVISORS, now.spread))
    return drawing.html(f"The scores in three hills, whose standard deviation is: {told}. {_weights_told(now)}")


def _words_and_draws(now):
    under = Under(
        76, 120, lambda drawing, middles, top, narrow: _draws(drawing, top + 4, now, 10 if narrow else NUM_DRAWS)
    )
    return arcs(TOKENS, now.weights, TOKENS.index("She"), name="Two sentences, random keys", highest=110, under=under)


def _draws(drawing, top, now, across):
    """A cell for each draw, as strong as the share of the word that wins in it."""
    drawing.words(
        8, top + 8, f"{NUM_DRAWS} draws, each as strong as its winner's share", size=13, colour="muted", anchor="start"
    )
    step = 38 if across == NUM_DRAWS else 33
    for k, share in enumerate(now.largest):
        x, y = 8 + step * (k % across), top + 18 + 44 * (k // across)
        chosen = k + 1 == now.draw
        look = {"stroke": "chosen" if chosen else "line", "stroke_width": 3 if chosen else 1, "rx": 4}
        drawing.box(x, y, step - 5, 22, fill="ink", fill_opacity=share, place=(now.places("draws"), k), **look)
        drawing.words(x + step / 2 - 2, y + 36, f"{share:.0%}", size=12, colour="muted")


def _drawing(now, title, hills, room):
    """The heads of rows and columns, and on the right the weights of one query under each scaling."""
    drawing, wide = Drawing(*room["size"]), room is CARD
    left, bars, bar = (room[name] for name in ("left", "bars", "bar"))
    drawing.words(left, 18, title, size=13, colour="muted", anchor="start")
    weights_of = f"the {NUM_KEYS} weights of query {now.query}"
    drawing.words(
        *((bars, 18) if wide else (336, 40)), weights_of, size=13, colour="muted", anchor="start" if wide else "end"
    )
    for row, (axes, weights) in enumerate(zip(hills, now.weights)):
        places = [(4, axes.bottom - 18), (4, axes.bottom - 1)] if wide else [(4, axes.top - 9), (92, axes.top - 9)]
        name = ["undivided", "÷ √d_k", "÷ d_k"][row]
        drawing.words(*places[0], name, size=15, anchor="start", font_weight=600)
        here = ["", f"√{now.d_k} = {math.sqrt(now.d_k):.3g}", f"= {now.d_k}"][row]
        drawing.words(*places[1], here, size=12, colour="muted", anchor="start")
        right = bars + NUM_KEYS * bar
        drawing.line((bars, axes.bottom), (right, axes.bottom), "line", 1.2)
        for k, weight in enumerate(weights):
            drawing.box(bars + k * bar + 1, axes.bottom - TALL * weight, bar - 3, TALL * weight, fill="ink")
        equal = axes.bottom - TALL / NUM_KEYS
        drawing.line((bars, equal), (right, equal), "muted", 1, stroke_dasharray="3 3")
        best = int(weights.argmax())
        x = min(bars + (best + 0.5) * bar, room["size"][0] - 14)  # the number is wider than a bar on a phone
        drawing.words(x, axes.bottom - TALL * weights[best] - 5, f"{weights[best]:.0%}", size=12, halo=True)
    low = room["size"][1]
    drawing.line((bars, low - 12), (bars + 24, low - 12), "muted", 1, stroke_dasharray="3 3")
    drawing.words(bars + 30, low - 8, "equal shares, 6%", size=11, colour="muted", anchor="start")
    return drawing


def _ground(drawing, axes, ticks, row):
    drawing.line((axes.left, axes.bottom), (axes.right, axes.bottom), "line", 1.2)
    for at, label in ticks.items():
        x, y = axes.to_pixels((at, 0))
        drawing.line((x, y), (x, y + 4), "line", 1.2)
        if row == 2:
            drawing.words(x, y + 18, label, size=12, colour="muted")


def _hill(drawing, axes, histogram, spread):
    """The same histogram in every row, as high, and as wide as the spread makes it."""
    x = np.clip(spread * np.concatenate([[-4.25], (BINS[1:] + BINS[:-1]) / 2, [4.25]]), *axes.x)
    y = np.concatenate([[0], histogram, [0]]) / (1.15 * histogram.max())
    corners = " ".join("{:.1f},{:.1f}".format(*axes.to_pixels(corner)) for corner in zip(x, y))
    drawing.add("polygon", points=corners, fill="muted", fill_opacity=0.35, stroke="muted", stroke_width=1.5)


def _weights_told(now):
    best = ", ".join(f"{weights.max():.2f} ({name})" for name, weights in zip(DIVISORS, now.weights))
    return f"Of the weights of query {now.query}, the largest is {best}."
