"""Queries and keys that are turned by their positions."""

import math

import numpy as np

from helpers import plots
from helpers.explorers.controls import slider, stops
from helpers.explorers.engine import Rule, explorer, wrong_turns
from helpers.explorers.sums import number, terms
from helpers.explorers.touch import Plane, Sum, Touch
from helpers.pictures.colours import COLOURS
from helpers.positions import rotate, turn

NUM_PLACES = 8
X = np.array([1.0, 2.0, 3.0, 4.0])
STEP = np.radians([90.0, 0.0])  # of the first and the second pair
FARTHEST = 255
LENGTHS = "a turn keeps lengths"
DISTANCE = "scores depend on the distance alone"


def explore_rotation():
    """Move a query and a key along a text, and turn both by so many degrees a step.

    Shown: query (2,) and key (2,), turned; scores (1, 8), with a key at each place; tokens (2, 8), who stands where
    """
    clock, axes = _clock()
    return explorer(
        _turn_both,
        lambda now: [clock.draw(now), *_text(now)],
        _tell_score,
        [
            Rule(LENGTHS, lambda now: max(abs(np.linalg.norm(arrow) - 1) for arrow in (now.query, now.key))),
            Rule(DISTANCE, lambda now: abs(now.scores[0, now.key_at] - math.cos(_angle(now)))),
        ],
        presets={
            "lesson 05's quick hand, 57°": {"step": 57},
            "15° a step": {"step": 15},
            "side by side": {"query_at": 0, "key_at": 1},
        },
        touch={"tokens": Touch(lambda now, i, j: {("query_at", "key_at")[i]: j}, _put)},
        planes={"clock": Plane(axes, _nearest_place, "drag the key round the clock")},
        sums={"scores": _score_in_words},
        step=slider("degrees a step", 60, 0, 180, 1),
        query_at=slider("place of the query", 0, 0, NUM_PLACES - 1, 1),
        key_at=slider("place of the key", 2, 0, NUM_PLACES - 1, 1),
    )


def explore_wrong_rotation():
    """Turn [1, 2, 3, 4] by one layout, by the other, or in ways that break a rule.

    Shown: queries and keys (4, 4), the same vector at places 0 to 3, turned; squares (4,), their lengths squared;
    scores (4, 4)
    """
    return wrong_turns(
        "how it is turned",
        _RECIPES,
        _turn_four,
        lambda now: (
            now.table("queries", "queries, turned", **_FOUR),
            now.table("squares", "length²", column="", rows=range(4), corner="place", decimals=1),
            now.table("scores", rows=range(4), columns=range(4), decimals=1),
        ),
        lambda now: (
            f"One place on, [1 2 3 4] has become [{' '.join(f'{x + 0.0:.0f}' for x in now.queries[1].round(9))}], "
            f"of length squared {now.squares[1]:.0f}; it was 30."
        ),
        [
            Rule(LENGTHS, lambda now: np.abs(now.squares - 30).max(), "one squared is off by {:.3f}"),
            Rule(DISTANCE, _spread),
        ],
        sums={
            "queries": _turned_in_words,
            "squares": Sum([("queries", "i:")], _square_in_words),
            "scores": Sum([("queries", "i:")], _product),
        },
        picks={"queries": (4, 4), "squares": (4, 1), "scores": (4, 4)},
    )


def explore_reach():
    """See how the score of equal vectors falls with the distance, and reach further.

    Shown: scores (256,), at distances 0 to 255, and score, that at the marked distance
    """
    curve, axes = _curve()
    return explorer(
        _fall,
        curve.draw,
        lambda now: (
            f"{now.width // 2} pair{'s' * (now.width > 2)}: at distance {now.distance} the score is "
            f"{now.score.round(2) + 0.0:.2f}; at distance 0 it is 1. {_first_below_half(now.scores)}"
        ),
        planes={"curve": Plane(axes, "distance", "drag the distance")},
        width=stops("width of the vectors", [(str(n), n) for n in (2, 8, 32, 128)], 8),
        base=stops("base", [(f"{n:,}", n) for n in (10, 100, 10_000, 500_000)], 10_000),
        squeeze=stops("positions squeezed by", [(str(n), n) for n in (1, 2, 4, 8)], 1),
        distance=slider("distance", 20, 0, FARTHEST, 1),
    )


# --- two arrows ------------------------------------------------------------------------------------------------------


def _turn_both(step, query_at, key_at):
    places = np.arange(NUM_PLACES)
    arrows = turn(np.tile([1.0, 0.0], (NUM_PLACES, 1)), np.radians(step * places)[:, None])
    return {
        "query": arrows[query_at],
        "key": arrows[key_at],
        "scores": (arrows[query_at] @ arrows.T)[None],
        "tokens": np.array([places == query_at, places == key_at], dtype=float),
    }


def _angle(now):
    return math.radians(now.step * (now.key_at - now.query_at))


def _text(now):
    places = {"columns": range(NUM_PLACES), "corner": "place", "decimals": 2}
    who = {"rows": ["query", "key"], "kind": "weights", **places, "decimals": 0}
    return [
        now.table("tokens", "who stands where", **who),
        now.table("scores", "score of the query with a key at each place", rows=["score"], limit=1, **places),
    ]


def _put(now, i, j):
    return f"put the {('query', 'key')[i]} at place {j}"


def _score_in_words(now, i, j):
    apart = abs(j - now.query_at)
    return f"{apart} place{'s' * (apart != 1)} apart: cos({apart}·{now.step}°) = {number(now.scores[0, j])}"


def _nearest_place(now, x, y):
    """The place at which the key points nearest to the pointer; of equal ones, the one nearest to where it stands."""
    gap = np.cos(np.radians(now.step * np.arange(NUM_PLACES)) - math.atan2(y, x)).round(9)
    best = np.flatnonzero(gap == gap.max())
    return {"key_at": int(best[np.argmin(np.abs(best - now.key_at))])}


def _tell_score(now):
    apart = now.key_at - now.query_at
    where = "at the same place" if apart == 0 else f"{abs(apart)} place{'s' * (abs(apart) > 1)} apart"
    turned = abs(apart) * now.step
    angle = f"{turned}° between them" if turned <= 180 else f"one turned {turned}° further"
    return f"{where.capitalize()}, {angle}: the score is {now.scores[0, now.key_at].round(9) + 0.0:.3f}."


def _clock():
    """A clock face with the query's and the key's hand."""
    figure, axes = plots.new_figure(2.9, 2.9)
    plots.clock_hands(axes, [], [])
    axes.set(xlabel="", ylabel="", xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    colours = {name: COLOURS[name].light for name in ("query", "key")}
    hands = [plots.arrow(axes, [1, 0], color=colour) for colour in colours.values()]
    names = [axes.text(0, 0, name, color=colour, ha="center", va="center") for name, colour in colours.items()]

    def update(now):
        together = now.query @ now.key > 0.97  # the names would lie on one another
        for hand, name, tip, away in zip(hands, names, (now.query, now.key), (1.27, 0.6 if together else 1.2)):
            plots.point_arrow(hand, tip)
            name.set_position(away * tip)

    def tell(now):
        angles = [now.step * place % 360 for place in (now.query_at, now.key_at)]
        return "A clock face: the query's hand at {}°, the key's hand at {}°.".format(*angles)

    return plots.LiveFigure(figure, [*hands, *names], update, tell), axes


# --- layouts ---------------------------------------------------------------------------------------------------------


def _mix(x, angles):
    """Angles as neighbours need them, partners as halves have them."""
    twice = np.repeat(angles, 2, axis=-1)
    return x * np.cos(twice) + np.concatenate([-x[:, 2:], x[:, :2]], axis=-1) * np.sin(twice)


def _halves(x, angles):
    return turn(x, angles, layout="halves")


def _add(x, angles):
    """Lesson 05: sines and cosines are added."""
    return x + np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(x.shape)


_RECIPES = {  # what is done to queries, and to keys
    "neighbours: (0, 1) and (2, 3)": (turn, turn),
    "angles for neighbours, partners from halves": (_mix, _mix),
    "halves: (0, 2) and (1, 3)": (_halves, _halves),
    "queries in neighbours, keys in halves": (turn, _halves),
    "the query alone": (turn, lambda x, angles: x),
    "query and key opposite ways": (turn, lambda x, angles: turn(x, -angles)),
    "not turned: waves added": (_add, _add),
}
_FOUR = {"rows": range(4), "columns": range(4), "corner": "place ↓ dimension →", "decimals": 1}


def _turn_four(recipe):
    x, angles = np.tile(X, (4, 1)), np.arange(4)[:, None] * STEP
    queries, keys = (how(x, angles) for how in recipe)
    return {"queries": queries, "keys": keys, "squares": (queries**2).sum(axis=-1), "scores": queries @ keys.T}


def _spread(now):
    diagonals = [np.diag(now.scores, k) for k in range(-3, 4)]
    return max(np.ptp(diagonal) for diagonal in diagonals)


# --- far away --------------------------------------------------------------------------------------------------------


def _fall(width, base, squeeze, distance):
    x = np.tile([1.0, 0.0], (FARTHEST + 1, width // 2)) / math.sqrt(width / 2)
    scores = rotate(x, np.arange(FARTHEST + 1) / squeeze, base=base) @ x[0]
    return {"scores": scores, "score": scores[distance]}


def _first_below_half(scores):
    below = np.flatnonzero(scores < 0.5)
    return f"It first falls below ½ at distance {below[0]}." if len(below) else "It never falls below ½ here."


def _curve():
    """The score against the distance, with a line at the distance that is chosen."""
    figure, axes = plots.new_figure(6.4, 2.7)
    (line,) = plots.curves(axes, 1, x_title="distance", title="score of equal vectors")
    marker = plots.marker_line(axes, "")
    axes.set(xlim=(0, FARTHEST), xticks=range(0, FARTHEST + 1, 32))
    axes.axhline(0, color="#999999", linewidth=0.8)

    def update(now):
        line.set_data(np.arange(FARTHEST + 1), now.scores)
        marker.set_xdata([now.distance, now.distance])

    def tell(now):
        lowest = now.scores.min().round(2) + 0.0
        return f"The score of two equal vectors against their distance, 0 to {FARTHEST}: 1 at 0, and {lowest:.2f} at its lowest."

    return plots.LiveFigure(figure, [line, marker], update, tell), axes


def _turned_in_words(now, i, j):
    plain = " ".join(map(number, X))
    return f"query at {i}, dimension {j}: [{plain}] by the recipe “{now.recipe}” = {number(now.queries[i, j])}"


def _square_in_words(now, i, j):
    return f"length² at {i} = {terms(now.queries[i], now.queries[i])} = {number(now.squares[i])}"


def _product(now, i, j):
    return f"query at {i} · key at {j} = {terms(now.queries[i], now.keys[j])} = {number(now.scores[i, j])}"
