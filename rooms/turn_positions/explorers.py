"""Queries and keys that are turned by their positions."""

import math

import numpy as np

from helpers.positions import rotate, turn
from workbench import Axes, Chart, Drawing, Plane, Rule, Touch, explorer, in_two_widths, number, slider, stops

NUM_PLACES = 8
CLOCK = Axes(324, 252, (-1.8, 1.8), (-1.4, 1.4), margin=(0, 0, 0, 0))
FARTHEST = 255
CURVE = Chart(
    (0, FARTHEST), (-1, 1), ticks=range(0, FARTHEST + 1, 50), up_ticks=(-1, -0.5, 0, 0.5, 1), title="score of equal vectors",
    x_title="distance", size=(760, 300),
)  # fmt: skip


def explore_rotation():
    """Move a query and a key along a text, and turn both by so many degrees a step.

    Shown: query (2,) and key (2,), turned; scores (8,), with a key at each place; tokens (2, 8), who stands where
    """
    return explorer(
        _turn_both,
        lambda now: (_clock(now), _row_of_places(now)),
        _tell_score,
        [
            Rule("a turn keeps lengths", _off_one, "a turn changed a length by {:.3f}"),
            Rule(
                "only the difference of the positions is left", _moved, "the position itself moves the score by {:.3f}"
            ),
        ],
        presets={"15° a step": {"step": 15}, "side by side": {"query_at": 0, "key_at": 1}},
        touch={
            "tokens": Touch(
                lambda now, i, j: {("query_at", "key_at")[i]: j},
                lambda now, i, j: f"put the {('query', 'key')[i]} at position {j}",
            )
        },
        planes={"clock": Plane(CLOCK, _nearest_place, "drag the key round the clock")},
        step=slider("degrees a step", 60, 0, 180, 1),
        query_at=slider("position of the query", 0, 0, NUM_PLACES - 1, 1),
        key_at=slider("position of the key", 2, 0, NUM_PLACES - 1, 1),
    )


def explore_reach():
    """See how the score of equal vectors falls with the distance, and reach further.

    Shown: scores (256,), at distances 0 to 255, and score, that at the marked distance
    """
    return explorer(
        _fall,
        _falling,
        lambda now: (
            f"{now.width // 2} pair{'s' * (now.width > 2)}: at distance {now.distance} the score is "
            f"{now.score.round(2) + 0.0:.2f}; at distance 0 it is 1. {_first_below_half(now.scores)}"
        ),
        planes={"curve": Plane(CURVE.axes, "distance", "drag the distance")},
        width=stops("width of the vectors", [(str(n), n) for n in (2, 8, 32, 128)], 8),
        base=stops("base", [(f"{n:,}", n) for n in (10, 100, 10_000, 500_000)], 10_000),
        squeeze=stops("positions squeezed by", [(str(n), n) for n in (1, 2, 4, 8)], 1),
        distance=slider("distance", 20, 0, FARTHEST, 1),
    )


# --- two arrows ------------------------------------------------------------------------------------------------------


def _turn_both(step, query_at, key_at):
    places = np.arange(NUM_PLACES)
    arrows = turn(np.tile([1.0, 0.0], (NUM_PLACES, 1)), np.radians(step * places)[:, None])
    query, key, tokens = arrows[query_at], arrows[key_at], np.array([places == query_at, places == key_at], dtype=float)
    return {"query": query, "key": key, "scores": query @ arrows.T, "tokens": tokens}


def _off_one(now):
    return max(abs(np.linalg.norm(arrow) - 1) for arrow in (now.query, now.key))


def _moved(now):
    return abs(now.scores[now.key_at] - math.cos(math.radians(now.step * (now.key_at - now.query_at))))


def _clock(now):
    """A clock face with the query's and the key's hand, and the angle between them."""
    face = Drawing(*CLOCK.size)
    centre, edge = CLOCK.to_pixels((0, 0)), CLOCK.to_pixels((1, 0))
    face.add("circle", cx=centre[0], cy=centre[1], r=edge[0] - centre[0], fill="none", stroke="line", stroke_width=1.5)
    between = (now.step * (now.key_at - now.query_at) + 180) % 360 - 180
    if abs(between) >= 20:
        swept = np.radians(now.step * now.query_at + np.linspace(0, between, 25))
        rim = [CLOCK.to_pixels((0.42 * np.cos(angle), 0.42 * np.sin(angle))) for angle in swept]
        face.curve([centre, *rim, centre], "line", 1, fill="muted", fill_opacity=0.18)
        x, y = CLOCK.to_pixels((0.62 * math.cos(swept[12]), 0.62 * math.sin(swept[12])))
        face.words(x, y + 5, f"{abs(between)}°", size=13, colour="muted", halo=True)
    together = now.query @ now.key > 0.97  # the letters would lie on one another
    for tip, colour, away in ((now.query, "query", 1.25), (now.key, "key", 0.6 if together else 1.25)):
        face.line(centre, CLOCK.to_pixels(tip), colour, 4, stroke_linecap="round")
        face.add("circle", cx=CLOCK.to_pixels(tip)[0], cy=CLOCK.to_pixels(tip)[1], r=6, fill=colour)
        x, y = CLOCK.to_pixels(away * tip) + np.array([14 * tip[0] * (away > 1), 0])
        face.words(x, y + 5, colour, size=14, colour=colour, font_weight=600, halo=True)
    angles = [now.step * place % 360 for place in (now.query_at, now.key_at)]
    return face.html("A clock face: the query's hand at {}°, the key's hand at {}°.".format(*angles))


@in_two_widths((46, 60), (34, 58))
def _row_of_places(now, step, left):
    """The text as a row of places, who stands where, and the score that a key would get at each."""
    middle = 150
    picture, tokens = Drawing(left + NUM_PLACES * step + 6, 236), now.places("tokens")
    for i, (who, at) in enumerate((("query", now.query_at), ("key", now.key_at))):
        picture.words(left - 10, 46 + 34 * i, who, size=13, colour=who, anchor="end")
        for place in range(NUM_PLACES):
            box = {"x": left + place * step + 4, "y": 28 + 34 * i, "width": step - 10, "height": 28, "rx": 5}
            picture.add("rect", fill=who if place == at else "none", stroke=who if place == at else "line", **box)
            picture.add("rect", fill="transparent", place=(tokens, i, place), **box)
    picture.words(left - 10, middle + 5, "score", size=13, colour="muted", anchor="end")
    picture.line((left, middle), (left + NUM_PLACES * step, middle), "line")
    for place, score in enumerate(now.scores):
        x, height = left + place * step + step // 2 - 12, 38 * score
        look = "high" if score > 0 else "low"
        picture.box(x, middle - max(height, 0), 24, max(abs(height), 0.5), fill=look, rx=2)
        there = place == now.key_at
        picture.words(x + 12, 212, number(round(score, 2)), size=12, colour="key" if there else "ink", bold=there)
        picture.words(x + 12, 18, f"{place}", size=12, colour="muted")
    scores = ", ".join(number(round(score, 2)) for score in now.scores)
    told = f"The query at position {now.query_at}, the key at {now.key_at}; scores with a key at positions 0 to 7: {scores}."
    return picture.html(told)


def _nearest_place(now, x, y):
    """The place at which the key points nearest to the pointer; of equal ones, the one nearest to where it stands."""
    gap = np.cos(np.radians(now.step * np.arange(NUM_PLACES)) - math.atan2(y, x)).round(9)
    best = np.flatnonzero(gap == gap.max())
    return {"key_at": int(best[np.argmin(np.abs(best - now.key_at))])}


def _tell_score(now):
    apart = now.key_at - now.query_at
    where = "at the same position" if apart == 0 else f"{abs(apart)} position{'s' * (abs(apart) > 1)} apart"
    turned = abs(apart) * now.step
    angle = f"{turned}° between them" if turned <= 180 else f"one turned {turned}° further"
    return f"{where.capitalize()}, {angle}: the score is {now.scores[now.key_at].round(9) + 0.0:.3f}."


# --- far away --------------------------------------------------------------------------------------------------------


def _fall(width, base, squeeze, distance):
    x = np.tile([1.0, 0.0], (FARTHEST + 1, width // 2)) / math.sqrt(width / 2)
    scores = rotate(x, np.arange(FARTHEST + 1) / squeeze, base=base) @ x[0]
    return {"scores": scores, "score": scores[distance]}


def _first_below_half(scores):
    below = np.flatnonzero(scores < 0.5)
    return f"It first falls below ½ at distance {below[0]}." if len(below) else "It never falls below ½ here."


def _falling(now):
    """The score against the distance, with a line at the distance that is chosen."""
    text = f"It is 1 at distance 0 and {now.scores.min():.2f} at its lowest."
    return CURVE.draw(range(FARTHEST + 1), now.scores, chosen=now.distance, text=text)
