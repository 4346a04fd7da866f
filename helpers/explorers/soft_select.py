"""A database select made soft: how sharp the choice is, who is asked for, and what the keys hand over."""

import numpy as np

from helpers import matrices, plots
from helpers.attention import softmax
from helpers.explorers.controls import NumberGrid, choose, slider
from helpers.explorers.engine import Light, rows_sum_to_one
from helpers.explorers.legacy import Explorer
from helpers.tokens import one_hot

LETTERS = "AABA"
KEYS = one_hot(LETTERS, "AB")
VALUES = [10.0, 10.0, 20.0, 10.0]
QUERIES = {"B [0, 1]": (0.0, 1.0), "B, louder [0, 2]": (0.0, 2.0), "A [1, 0]": (1.0, 0.0), "A or B [1, 1]": (1.0, 1.0)}
ALL_SHARPNESSES = np.linspace(0, 1, 101)


def explore_soft_select():
    """Ask a table of four keys and values, anywhere between "all count the same" and "the best key takes everything".

    A key whose score is 1 lower than the best keeps r = (1 - s) / (1 + s) of the best key's part, where s is the
    sharpness: r is 1 at s = 0, a third in the middle, and 0 at s = 1, so that both ends are there, not only near.

    Returns
    -------
    Explorer
        shown: query (2,), key (4, 2), value (4,), scores (4,), parts (4,), weights (4,), weighted_values (4,),
        output (), and curve (101,), the output at every sharpness from 0 to 1
    """
    curve = _Curve()
    return Explorer(
        {
            "sharpness": slider("sharpness (0 = all the same, 1 = hard select)", 0.5, 0.0, 1.0, 0.01),
            "query": choose("the query asks for", QUERIES, QUERIES["B [0, 1]"]),
            "values": NumberGrid("values", [VALUES], step=5, minimum=-100, maximum=100, compact=True, columns=LETTERS),
        },
        _select,
        lambda shown, values: matrices.beside(_strip(shown, values), curve.draw(shown, values)),
        _describe,
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"]), _between(shown["output"], shown["value"])],
    )


def explore_wrong_lookup():
    """Make weights from scores in a way that looks like sharing, and see which rule breaks.

    Returns
    -------
    Explorer
        shown: query (2,), key (4, 2), value (4,), scores (4,), weights (4,), weighted_values (4,), output ()
    """
    return Explorer(
        {
            "recipe": choose("how weights are made", list(_RECIPES), next(iter(_RECIPES))),
            "query": choose("the query asks for", QUERIES, QUERIES["B, louder [0, 2]"]),
        },
        _weigh,
        _wrong_strip,
        lambda shown, values: (
            f"With {values['recipe']}, the weights sum to {shown['weights'].sum():.2f} and the output is "
            f"{shown['output']:.2f}; the values are 10, 10, 20, 10."
        ),
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"]), _between(shown["output"], shown["value"])],
    )


def _select(sharpness, query, values):
    query, value = np.array(query), values[0]
    scores = KEYS @ query
    parts = _parts(scores, sharpness)
    weights = parts / parts.sum()
    every = _parts(scores, ALL_SHARPNESSES[:, None])
    return {
        "query": query,
        "key": KEYS.copy(),
        "value": value,
        "scores": scores,
        "parts": parts,
        "weights": weights,
        "weighted_values": weights * value,
        "output": weights @ value,
        "curve": every / every.sum(axis=-1, keepdims=True) @ value,
    }


def _parts(scores, sharpness):
    """The best key has part 1; each point of score less leaves r of it. 0 to the power 0 is 1: the best stay."""
    r = (1 - sharpness) / (1 + sharpness)
    return r ** (scores.max() - scores)


def _strip(shown, values):
    stages = [
        *_asked(shown),
        matrices.Row("part of the best", shown["parts"], "plain", shown["parts"].sum()),
        *_answered(shown),
    ]
    return matrices.strip(LETTERS, stages, "soft select", query=_named(shown["query"]), limit=2.0, decimals=2)


def _asked(shown):
    return [
        matrices.Row("key", [[f"{x:.0f}" for x in key] for key in shown["key"]]),
        matrices.Row("score = key · query", shown["scores"], "scores"),
    ]


def _answered(shown):
    return [
        matrices.Row("weight", shown["weights"], "weights", shown["weights"].sum()),
        matrices.Row("value", shown["value"]),
        matrices.Row("weight × value", shown["weighted_values"], "plain", shown["output"]),
    ]


def _named(query):
    return "query [{:.0f} {:.0f}]".format(*query)


def _describe(shown, values):
    sharpness, output = values["sharpness"], f"the output is {shown['output']:.2f}"
    if np.ptp(shown["scores"]) == 0:
        return f"All keys answer equally well, so no sharpness can choose between them: {output}, the plain average."
    if sharpness == 0:
        return f"Nobody listens to the query: every key has a quarter, and {output}, the plain average."
    best = shown["weights"][shown["scores"] == shown["scores"].max()]
    takes = (
        f"the best key takes {best[0]:.1%}" if len(best) == 1 else f"the {len(best)} best keys take {best[0]:.1%} each"
    )
    if sharpness == 1:
        return f"Hard select: {takes}, and {output}."
    return f"Each point of score makes a part {(1 + sharpness) / (1 - sharpness):.2f} times as large: {takes}, and {output}."


def _between(output, value):
    gap = max(output - value.max(), value.min() - output)
    rule = "the output lies between the smallest and the largest value"
    return Light(rule, bool(gap < 1e-9), f"it is outside by {gap:.2f}")


class _Curve:
    """The output at every sharpness as a line, and where the slider stands on it."""

    def __init__(self):
        figure, ax = plots.new_figure(2.9, 2.3)
        self._line = plots.curves(ax, 1, x_title="sharpness", title="output")[0]
        ax.set(xlim=(-0.03, 1.03), xticks=[0, 0.5, 1])
        (self._dot,) = ax.plot([], [], "o", color="#c2410c", markersize=9)
        self._live = plots.LiveFigure(figure, [self._line, self._dot], self._update)

    def draw(self, shown, values):
        start, end = shown["curve"][0], shown["curve"][-1]
        return self._live.draw(
            {**shown, "at": values["sharpness"]},
            f"The output against the sharpness: a smooth line from {start:.2f}, the plain average, to {end:.2f}, the hard "
            f"select; the dot stands at {shown['output']:.2f}.",
        )

    def _update(self, shown):
        self._line.set_data(ALL_SHARPNESSES, shown["curve"])
        self._dot.set_data([shown["at"]], [shown["output"]])
        low, high = shown["value"].min(), shown["value"].max()
        room = 0.08 * (high - low) or 1.0
        self._line.axes.set_ylim(low - room, high + room)


_RECIPES = {
    "powers of 3, divided by their sum": lambda scores: softmax(scores, base=3),
    "powers of 3, not divided": lambda scores: 3.0**scores,
    "the scores themselves": lambda scores: scores,
}


def _weigh(recipe, query):
    query, value = np.array(query), np.array(VALUES)
    scores = KEYS @ query
    weights = _RECIPES[recipe](scores)
    return {
        "query": query,
        "key": KEYS.copy(),
        "value": value,
        "scores": scores,
        "weights": weights,
        "weighted_values": weights * value,
        "output": weights @ value,
    }


def _wrong_strip(shown, values):
    stages = [*_asked(shown), *_answered(shown)]
    return matrices.strip(LETTERS, stages, "what comes out", query=_named(shown["query"]), limit=2.0, decimals=2)
