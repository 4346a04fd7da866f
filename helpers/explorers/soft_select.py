"""A database select made soft: how sharp the choice is, who is asked for, and what the keys hand over."""

import numpy as np

from helpers import matrices, plots
from helpers.attention import softmax
from helpers.explorers.controls import NumberGrid, choose
from helpers.explorers.engine import SHARES, Rule, explorer, wrong_turns
from helpers.explorers.temperature import HEAT, nearest, parts_at, temperature_stops, weights_at
from helpers.explorers.touch import Plane, Touch
from helpers.tokens import one_hot

LETTERS = "AABA"
KEYS = one_hot(LETTERS, "AB")
VALUES = [10.0, 10.0, 20.0, 10.0]
LARGEST = 100  # value that can be typed, of either sign
QUERIES = {"B [0, 1]": (0.0, 1.0), "B, louder [0, 2]": (0.0, 2.0), "A [1, 0]": (1.0, 0.0), "A or B [1, 1]": (1.0, 1.0)}
BASE = 3  # each point of score triples a key's part, as by hand


def explore_soft_select():
    """Ask a table of four keys and values, anywhere between "all count the same" and "the best key takes everything".

    The weights are softmax in base 3 of the scores, divided by the temperature.

    Shown: query (2,), key (4, 2), value (4,), scores (4,), parts (4,), weights (4,), weighted_values (4,), output (), and
    curve (41,), the output at every temperature from 0 to infinity
    """
    curve, axes = _curve()
    return explorer(
        _select,
        lambda now: [curve.draw(now), _strip(now)],
        _describe,
        [SHARES, BETWEEN],
        touch=ASK,
        planes={"curve": Plane(axes, lambda now, x, y: {"heat": nearest(x)}, "drag the dot along the curve")},
        heat=temperature_stops(),
        query=choose("the query asks for", QUERIES, QUERIES["B [0, 1]"]),
        values=NumberGrid("values", [VALUES], step=5, minimum=-LARGEST, maximum=LARGEST, compact=True, columns=LETTERS),
    )


def explore_wrong_lookup():
    """Make weights from scores in a way that looks like sharing, and see which rule breaks.

    Shown: query (2,), key (4, 2), value (4,), scores (4,), weights (4,), weighted_values (4,), output ()
    """
    return wrong_turns(
        "how weights are made",
        _RECIPES,
        _weigh,
        lambda now: [_strip(now)],
        lambda now: (
            f"With {now.recipe}, the weights sum to {now.weights.sum():.2f} and the output is "
            f"{now.output:.2f}; the values are 10, 10, 20, 10."
        ),
        [SHARES, BETWEEN],
        touch=ASK,
        query=choose("the query asks for", QUERIES, QUERIES["B, louder [0, 2]"]),
    )


def _select(heat, query, values):
    value, scores = values[0], KEYS @ query
    parts, weights = parts_at(scores, heat, BASE), weights_at(scores, heat, BASE)
    return {
        **_asked(query),
        "value": value,
        "parts": parts,
        **_answered(weights, value),
        "curve": np.array([weights_at(scores, each, BASE) @ value for each in HEAT]),
    }


def _asked(query):
    return {"query": np.array(query), "key": KEYS.copy(), "scores": KEYS @ query}


def _answered(weights, value):
    return {"weights": weights, "weighted_values": weights * value, "output": weights @ value}


# --- the table -------------------------------------------------------------------------------------------------------


def _strip(now):
    stages = [
        matrices.Row("key", [[f"{x:.0f}" for x in key] for key in now.key]),
        matrices.Row("score = key · query", now.scores, "scores"),
        *([matrices.Row("part of the best", now.parts, "plain", now.parts.sum())] if "parts" in vars(now) else []),
        matrices.Row("weight", now.weights, "weights", now.weights.sum()),
        matrices.Row("value", now.value),
        matrices.Row("weight × value", now.weighted_values, "plain", now.output),
    ]
    query, places = "query [{:.0f} {:.0f}]".format(*now.query), now.places("table")
    return matrices.strip(LETTERS, stages, "the table", query=query, limit=2.0, decimals=2, places=places)


ASK = {"table": Touch(lambda now, k: {"query": tuple(KEYS[k])}, lambda now, k: f"click: ask for {LETTERS[k]}")}
BETWEEN = Rule(
    "the output lies between the smallest and the largest value",
    lambda now: max(now.output - now.value.max(), now.value.min() - now.output),
    "it is outside by {:.2f}",
)


def _describe(now):
    output = f"the output is {now.output:.2f}"
    if np.ptp(now.scores) == 0:
        return f"All keys answer equally well, so no temperature can choose between them: {output}, the plain average."
    if now.heat == 1:
        return f"Nobody listens to the query: every key has a quarter, and {output}, the plain average."
    best = now.weights[now.scores == now.scores.max()]
    takes = (
        f"the best key takes {best[0]:.1%}" if len(best) == 1 else f"the {len(best)} best keys take {best[0]:.1%} each"
    )
    if now.heat == 0:
        return f"Hard select: {takes}, and {output}."
    return f"Each point of score makes a part {_factor(now.heat)} times as large: {takes}, and {output}."


def _factor(heat):
    """By how much a point of score multiplies a part."""
    factor = BASE ** ((1 - heat) / heat)
    return f"{factor:.2f}" if factor < 1000 else f"{factor:.1e}"


def _curve():
    """The output at every temperature as a line, and a dot where the temperature is now."""
    figure, axes = plots.new_figure(4.6, 2.1)
    (line,) = plots.curves(axes, 1, x_title="temperature", title="output")
    ticks = {0: "0", 1 / 3: "0.5", 0.5: "1", 2 / 3: "2", 0.8: "4", 1: "∞"}
    axes.set(xlim=(-0.03, 1.03), xticks=list(ticks), xticklabels=list(ticks.values()))
    (dot,) = axes.plot([], [], "o", color="#c2410c", markersize=9)
    axes.set_ylim(-LARGEST, LARGEST)
    plots.freeze_layout(figure)

    def update(now):
        line.set_data(HEAT, now.curve)
        dot.set_data([now.heat], [now.output])
        low, high = now.value.min(), now.value.max()
        room = 0.08 * (high - low) or 1.0
        axes.set_ylim(low - room, high + room)

    def tell(now):
        return (
            f"The output against the temperature: a smooth line from {now.curve[0]:.2f}, the hard select, to "
            f"{now.curve[-1]:.2f}, the plain average; the dot stands at {now.output:.2f}."
        )

    return plots.LiveFigure(figure, [line, dot], update, tell), axes


# --- wrong ways ------------------------------------------------------------------------------------------------------

_RECIPES = {
    "powers of 3, divided by their sum": lambda scores: softmax(scores, base=BASE),
    "powers of 3, not divided": lambda scores: BASE**scores,
    "the scores themselves": lambda scores: scores,
}


def _weigh(recipe, query):
    value = np.array(VALUES)
    return {**_asked(query), "value": value, **_answered(recipe(KEYS @ query), value)}
