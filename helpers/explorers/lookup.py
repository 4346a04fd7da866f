"""One query against three keys: the first thing that moves."""

import math

import numpy as np

from helpers import matrices
from helpers.attention import scaled_dot_product_attention
from helpers.explorers.controls import number_field, slider
from helpers.explorers.engine import SHARES, explorer
from helpers.explorers.sums import decimals, power_share, terms
from helpers.explorers.touch import Plane
from helpers.pictures.plane import Axes

WORDS = ["cat", "horse", "car"]
KEYS = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])  # how furry it is, how much it carries you
LONGEST = 3.0  # of the query
AXES = Axes(390, 390, (-2.2, 3.3), (-2.2, 3.3), x_title="furry →", y_title="↑ carries you")
WHEELS = np.array([[0.0], [0.0], [4.0]])


def explore_lookup():
    """Drag a query between "furry" and "carries you" and see which of three words answers.

    Shown: query (2,), scores (3,), weights (3,), output (1,), the mixture of the numbers of wheels
    """
    return explorer(
        _look_up,
        lambda now: (_draw(now), _strip(now)),
        _describe,
        [SHARES],
        planes={"query": Plane(AXES, _to_tip, "drag the tip of the query")},
        folded=["angle", "length"],
        angle=slider("direction of the query, in degrees", 10, -45, 135, 1),
        length=number_field("length of the query", 2.5, 0.0, LONGEST, 0.1),
    )


def _to_tip(now, x, y):
    """The arrow to a place; where that is out of its range, the arrow waits at the end that is nearer."""
    length, middle = math.hypot(x, y), 45
    angle = (math.degrees(math.atan2(y, x)) - middle + 180) % 360 - 180 + middle
    return {"length": length} if length < 0.05 else {"angle": angle, "length": length}


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
    def score(k):
        return f"{terms(KEYS[k], now.query)} = {decimals(now.scores[k])}"

    def weight(k):
        return f"{power_share(now.scores, k)} = {decimals(now.weights[k])}"

    def weighted(k):
        return f"{decimals(now.weights[k])}·{WHEELS[k, 0]:g} = {decimals(now.weighted_values[k])}"

    stages = [
        matrices.Row("key", [[f"{x:.1f}" for x in key] for key in KEYS]),
        matrices.Row("score", now.scores, "scores", made=score),
        matrices.Row("weight", now.weights, "weights", now.weights.sum(), weight),
        matrices.Row("value: wheels", [f"{wheels:.0f}" for wheels in WHEELS[:, 0]]),
        matrices.Row("weight × value", now.weighted_values, "plain", now.output[0], weighted),
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


def _draw(now):
    """Three keys and the query, all to one scale. A dashed line drops from the query's tip onto the line of each key, at a right
    angle: where it meets the line, so far along is the score, as keys have length 1."""
    sketch = AXES.sketch()
    for key in KEYS:
        sketch.through(key)
    for key, word, score in zip(KEYS, WORDS, now.scores, strict=True):
        sketch.between(now.query, score * key, "muted", 1, stroke_dasharray="4 4")
        sketch.dot(score * key, "muted", radius=4)
        sketch.arrow(key, "key", word)
    sketch.arrow(now.query, "query", "q")
    tip, length = "[{:.2f}, {:.2f}]".format(*now.query), np.linalg.norm(now.query)
    return sketch.html(
        "Three keys as arrows of length 1, cat to the right, car up, horse between them. The query is an arrow to "
        f"{tip}, {length:.1f} long, to the same scale; from its tip a dashed line drops onto the line of each key."
    )
