"""One query against three keys: the first thing that moves."""

import numpy as np

from helpers import matrices, plots
from helpers.attention import scaled_dot_product_attention
from helpers.explorers.engine import Explorer, rows_sum_to_one, slider

WORDS = ["cat", "horse", "car"]
KEYS = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])  # alive, carries you
WHEELS = np.array([[0.0], [0.0], [4.0]])


def explore_lookup():
    """Turn a query from "alive" to "carries you" and see which of three words answers.

    Returns
    -------
    Explorer
        shown: query (2,), scores (3,), weights (3,), output (1,), the mixture of the numbers of wheels
    """
    arrows = _Arrows()
    return Explorer(
        {
            "angle": slider("direction of the query, in degrees", 20, 0, 90, 1),
            "length": slider("length of the query", 2.0, 0.0, 8.0, 0.1),
        },
        _look_up,
        lambda shown, values: matrices.beside(arrows.draw(shown), _strip(shown)),
        _describe,
        lights=lambda shown, values: [rows_sum_to_one(shown["weights"])],
    )


def _look_up(angle, length):
    query = length * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    answer = scaled_dot_product_attention(query[None, :], KEYS, WHEELS, scale=1.0)
    weights = answer.weights[0]
    return {
        "query": query,
        "scores": answer.scores[0],
        "weights": weights,
        "weighted_values": weights * WHEELS[:, 0],
        "output": answer.output[0],
    }


def _strip(shown):
    stages = [
        matrices.Row("key", KEYS),
        matrices.Row("score = key · query", shown["scores"], "scores"),
        matrices.Row("weight", shown["weights"], "weights", shown["weights"].sum()),
        matrices.Row("value: wheels", WHEELS[:, 0]),
        matrices.Row("weight × value", shown["weighted_values"], "plain", shown["output"][0]),
    ]
    query = "query [{:.2f} {:.2f}]".format(*shown["query"])
    return matrices.strip(WORDS, stages, "one query, three keys", query=query, decimals=2, limit=8.0)


def _describe(shown, values):
    best = int(np.argmax(shown["weights"]))
    if np.ptp(shown["weights"]) < 1e-9:
        return f"Nothing is asked, so each gets {shown['weights'][0]:.0%} of the weight. The mixture has {shown['output'][0]:.2f} wheels."
    return (
        f"The query finds the {WORDS[best]} most: {shown['weights'][best]:.0%} of the weight. "
        f"The mixture has {shown['output'][0]:.2f} wheels."
    )


class _Arrows:
    """Three keys as arrows that stay, and the query as an arrow that turns: it shows a direction, and the longer the
    query, the thicker the arrow. Drawn to scale, a query of length 8 would leave no room to read the keys."""

    def __init__(self):
        figure, ax = plots.new_figure(2.5, 2.5)
        plots.arrows(ax, KEYS, WORDS, limit=1.25)
        ax.set(xlabel="alive →", ylabel="carries you →", xticks=[], yticks=[])
        self._query = plots.arrow(ax, [1, 0], color="#c2410c")
        self._name = ax.text(1.25, 1.25, "", ha="right", va="top", color="#c2410c", fontsize=10)
        self._live = plots.LiveFigure(figure, [self._query, self._name], self._update)

    def _update(self, shown):
        length = np.linalg.norm(shown["query"])
        plots.point_arrow(self._query, 0.7 * shown["query"] / (length or 1.0))
        self._query.arrow_patch.set_linewidth(1 + length / 2)
        self._query.arrowprops["mutation_scale"] = 10 + 2 * length  # of its head
        self._name.set_text(f"query: {length:.1f} long")

    def draw(self, shown):
        query, length = "[{:.2f}, {:.2f}]".format(*shown["query"]), np.linalg.norm(shown["query"])
        return self._live.draw(
            shown,
            "Three keys as arrows, cat to the right, car up, horse between them. A fourth arrow has the direction of the "
            f"query {query}, and is the thicker, the longer the query: it is {length:.1f} long.",
        )
