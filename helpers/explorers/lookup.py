"""One query against three keys: the first thing that moves."""

import math

import numpy as np
from matplotlib.patheffects import withStroke

from helpers import matrices, plots
from helpers.attention import scaled_dot_product_attention
from helpers.explorers.controls import number_field, slider
from helpers.explorers.engine import SHARES, explorer
from helpers.explorers.sums import decimals, power_share, terms
from helpers.explorers.touch import Plane

WORDS = ["cat", "horse", "car"]
KEYS = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])  # how furry it is, how much it carries you
LONGEST = 3.0  # of the query
HALO = withStroke(linewidth=3, foreground="white")  # lines run behind words
WHEELS = np.array([[0.0], [0.0], [4.0]])


def explore_lookup():
    """Drag a query between "furry" and "carries you" and see which of three words answers.

    Shown: query (2,), scores (3,), weights (3,), output (1,), the mixture of the numbers of wheels
    """
    arrows, axes = _arrows()
    return explorer(
        _look_up,
        lambda now: (arrows.draw(now), _strip(now)),
        _describe,
        [SHARES],
        planes={"query": Plane(axes, _to_tip, "drag the tip of the query")},
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
        matrices.Row("score = key · query", now.scores, "scores", made=score),
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


def _arrows():
    """Three keys as arrows that stay, and the query as an arrow whose tip can be dragged, all to one scale. A dashed line drops
    from its tip onto the line of each key, at a right angle: where it meets the line, so far along is the score, as keys have
    length 1."""
    figure, axes = plots.new_figure(3.8, 3.8)
    low, high = -2.3, LONGEST + 0.2
    for line in (axes.axhline, axes.axvline):
        line(0, color="#bbbbbb", linewidth=0.8, zorder=0)
    for key, word, place in zip(KEYS, WORDS, [(1.0, -0.25), (1.05, 0.95), (-0.3, 1.0)], strict=True):
        axes.plot(*np.outer(key, [low, high]), color="#bbbbbb", linewidth=0.8, zorder=0)
        plots.arrow(axes, key, color="#1d4ed8")
        axes.text(*place, word, color="#1d4ed8", ha="center", va="center")
    axes.set(xlabel="furry →", ylabel="carries you →", xticks=range(-2, 4), yticks=range(-2, 4))
    axes.set(xlim=(low, high), ylim=(low, high), aspect="equal")
    drops = [axes.plot([], [], "--", color="#777777", linewidth=1)[0] for _ in KEYS]
    (dots,) = axes.plot([], [], "o", color="#777777", markersize=4)
    query = plots.arrow(axes, [1, 0], color="#c2410c")
    name = axes.text(0, 0, "query", color="#c2410c", ha="center", va="center", path_effects=[HALO])

    def update(now):
        length = np.linalg.norm(now.query)
        query.xy = now.query
        name.set_position(now.query + 0.3 * now.query[::-1] * (1, -1) / length if length else (0, -0.3))
        feet = KEYS * now.scores[:, None]
        dots.set_data(*feet.T)
        for drop, foot in zip(drops, feet, strict=True):
            drop.set_data(*np.stack([now.query, foot], axis=1))

    def tell(now):
        tip, length = "[{:.2f}, {:.2f}]".format(*now.query), np.linalg.norm(now.query)
        return (
            "Three keys as arrows of length 1, cat to the right, car up, horse between them. The query is an arrow to "
            f"{tip}, {length:.1f} long, to the same scale; from its tip a dashed line drops onto the line of each key."
        )

    return plots.LiveFigure(figure, [*drops, dots, query, name], update, tell), axes
