"""One query against three keys: the first thing that moves."""

import math

import numpy as np

from helpers import matrices, plots
from helpers.attention import scaled_dot_product_attention
from helpers.explorers.controls import slider
from helpers.explorers.engine import SHARES, explorer
from helpers.explorers.touch import Plane

WORDS = ["cat", "horse", "car"]
KEYS = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])  # alive, carries you
LONGEST = 4.0  # of the query
WHEELS = np.array([[0.0], [0.0], [4.0]])


def explore_lookup():
    """Drag a query between "alive" and "carries you" and see which of three words answers.

    Returns
    -------
    Explorer
        shown: query (2,), scores (3,), weights (3,), output (1,), the mixture of the numbers of wheels
    """
    arrows = _Arrows()
    return explorer(
        _look_up,
        lambda now: [[arrows.draw(now), _strip(now)]],
        _describe,
        [SHARES],
        planes={"query": Plane(arrows.axes, _to_tip, "drag the tip of the query")},
        angle=slider("direction of the query, in degrees", 20, 0, 90, 1),
        length=slider("length of the query", 2.0, 0.0, LONGEST, 0.1),
    )


def _to_tip(now, x, y):
    return {"angle": math.degrees(math.atan2(y, x)), "length": math.hypot(x, y)}


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


def _strip(now):
    stages = [
        matrices.Row("key", KEYS),
        matrices.Row("score = key · query", now.scores, "scores"),
        matrices.Row("weight", now.weights, "weights", now.weights.sum()),
        matrices.Row("value: wheels", WHEELS[:, 0]),
        matrices.Row("weight × value", now.weighted_values, "plain", now.output[0]),
    ]
    query = "query [{:.2f} {:.2f}]".format(*now.query)
    return matrices.strip(WORDS, stages, "one query, three keys", query=query, decimals=2, limit=LONGEST)


def _describe(now):
    best = int(np.argmax(now.weights))
    if np.ptp(now.weights) < 1e-9:
        return f"Nothing is asked, so each gets {now.weights[0]:.0%} of the weight. The mixture has {now.output[0]:.2f} wheels."
    return (
        f"The query finds the {WORDS[best]} most: {now.weights[best]:.0%} of the weight. "
        f"The mixture has {now.output[0]:.2f} wheels."
    )


class _Arrows:
    """Three keys as arrows that stay, and the query as an arrow whose tip can be dragged, all to one scale. The dashed line
    from its tip to each key meets it at a right angle: how far along the key it meets is the score, for keys of length 1."""

    def __init__(self):
        figure, self.axes = plots.new_figure(3.4, 3.4)
        plots.arrows(self.axes, KEYS, WORDS, limit=LONGEST + 0.3)
        self.axes.set(xlabel="alive →", ylabel="carries you →", xticks=range(5), yticks=range(5))
        self._drops = [self.axes.plot([], [], ":", color="#777777", linewidth=1.2)[0] for _ in KEYS]
        self._query = plots.arrow(self.axes, [1, 0], color="#c2410c")
        self._name = self.axes.text(0, 0, "query", color="#c2410c", fontsize=10)
        self._live = plots.LiveFigure(figure, [*self._drops, self._query, self._name], self._update)

    def _update(self, now):
        plots.point_arrow(self._query, now.query)
        self._name.set_position(now.query + 0.12)
        for drop, key in zip(self._drops, KEYS, strict=True):
            foot = key * (key @ now.query)
            drop.set_data([now.query[0], foot[0]], [now.query[1], foot[1]])

    def draw(self, now):
        query, length = "[{:.2f}, {:.2f}]".format(*now.query), np.linalg.norm(now.query)
        return self._live.draw(
            now,
            "Three keys as arrows of length 1, cat to the right, car up, horse between them. The query is an arrow to "
            f"{query}, {length:.1f} long, to the same scale; from its tip a dashed line drops onto each key.",
        )
