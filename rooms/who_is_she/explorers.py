"""A sentence whose words look at each other, and one query against three keys: the first things that move."""

import math

import numpy as np

from helpers.attention import scaled_dot_product_attention
from rooms.shared import attention_maps
from rooms.shared.arcs import arcs
from workbench.moving.controls import choose, number_field, slider, stops
from workbench.moving.engine import SHARES, Rule, explorer
from workbench.moving.sums import terms
from workbench.moving.touch import Plane, Touch
from workbench.pictures.html import by_width
from workbench.pictures.plane import Axes
from workbench.pictures.svg import Drawing

# --- a sentence, and what a trained head looks at from each of its words ----------------------------------------------

PARTS = {"one part": (3, 1), "another part": (1, 3)}  # layer and head, counted from 0
TEXTS = {"Sarah walks, Alex is the cat": "She", "Alex walks, Sarah is the cat": "names swapped"}


def explore_she():
    """Click a word of two sentences and see what a head of a trained model looks at from there; swap the names, take another head.

    Shown: weights (num_tokens,), the row of the clicked word
    """
    tokens = attention_maps.load("She").tokens
    return explorer(
        _look,
        lambda now: arcs(
            _as_written(now.names), now.weights, now.word, name="One head", places=now.places("words"),
            marks=[k for k, token in enumerate(tokens) if token in attention_maps.MARKS],
        ),
        _describe_sentence,
        touch={"words": Touch(lambda now, k: {"word": k}, lambda now, k: f"{now.weights[k]:.1%} of the attention; click: ask from here")},
        folded=["word"],
        names=choose("names", TEXTS, "She"),
        part=choose("of the model", PARTS, PARTS["one part"]),
        word=stops("word that asks", [(f"{k + 1} {token}", k) for k, token in enumerate(tokens)], tokens.index("she")),
    )  # fmt: skip


def _look(names, part, word):
    return {"weights": attention_maps.load(names).weights[part][word]}


def _as_written(name):
    """The tokens with the capitals of the text."""
    found = attention_maps.load(name)
    words, rest = [], found.text
    for token in found.tokens:
        at = rest.lower().find(token)
        words.append(token if at < 0 or token in attention_maps.MARKS else rest[at : at + len(token)])
        rest = rest if at < 0 else rest[at + len(token) :]
    return words


def _describe_sentence(now):
    words = _as_written(now.names)
    order = np.argsort(-now.weights, kind="stable")
    first, second = order[:2]
    return (
        f"“{words[now.word]}” gives {now.weights[first]:.0%} of its attention to “{words[first]}”, "
        f"and {now.weights[second]:.0%} to “{words[second]}”."
    )


# --- one query against three keys -------------------------------------------------------------------------------------

WORDS = ["cat", "horse", "car"]
KEYS = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])  # how furry it is, how much it carries you
LONGEST = 3.0  # of the query
PLANE = {"x": (-2.2, 3.3), "y": (-2.2, 3.3), "x_title": "furry →", "y_title": "↑ carries you"}
AXES = Axes(390, None, **PLANE, narrow=Axes(332, None, **PLANE))
WIDE, PHONE = 370, 310  # pixels of the scores and weights beside it, and below it
WHEELS = np.array([[0.0], [0.0], [4.0]])


def explore_lookup():
    """Drag a query between "furry" and "carries you" and see which of three words answers.

    Shown: query (2,), scores (3,), weights (3,), output (1,), the mixture of the numbers of wheels
    """
    return explorer(
        _look_up,
        lambda now: (_draw(now), by_width(_shares(now, WIDE), _shares(now, PHONE))),
        _describe,
        [SHARES, Rule("the car has 90% of the weight", _goal)],
        planes={"query": Plane(AXES, _to_tip, "drag the tip of the query")},
        folded=["angle", "length"],
        angle=slider("direction of the query, in degrees", 10, -45, 135, 1),
        length=number_field("length of the query", 2.5, 0.0, LONGEST, 0.1),
    )


def _goal(now):
    """Holds once the car has what the lesson asks for, and says nothing before."""
    return (True, "") if now.weights[WORDS.index("car")] >= 0.9 else None


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


def _shares(now, width):
    """Score and weight of each word as bars, and the mixture on a line of wheels."""
    drawing, longest = Drawing(width, 390), width - 190
    for x, head in ((76, "score"), (138, "weight")):
        drawing.words(x, 24, head, size=13, colour="muted", anchor="start")
    for k, word in enumerate(WORDS):
        y = 62 + 58 * k
        drawing.words(0, y, word, size=17, colour="key", anchor="start", font_weight=600)
        drawing.words(76, y, f"{round(now.scores[k], 2) + 0.0:.2f}", size=15, anchor="start")
        drawing.box(138, y - 17, longest * now.weights[k], 24, rx=3, fill="ink", fill_opacity=0.8)
        drawing.words(144 + longest * now.weights[k], y, f"{now.weights[k]:.0%}", size=15, anchor="start")
    start, step, y = 26, (width - 58) / 4, 318
    drawing.words(0, 254, "values and output: wheels", size=13, colour="muted", anchor="start")
    drawing.line((start, y), (start + 4 * step, y), "line", 2)
    for wheels in range(5):
        drawing.words(start + wheels * step, y + 26, f"{wheels}", size=12, colour="muted")
    for wheels, names in ((0, "cat, horse"), (4, "car")):
        drawing.add("circle", cx=start + wheels * step, cy=y, r=6, fill="value")
        drawing.words(start + wheels * step + (-26 if wheels == 0 else 12), y + 48, names, size=14, colour="value",
                      anchor="start" if wheels == 0 else "end", font_weight=600)  # fmt: skip
    x = start + step * now.output[0]
    drawing.add("polygon", points=f"{x:.1f},{y - 9} {x + 9:.1f},{y} {x:.1f},{y + 9} {x - 9:.1f},{y}", fill="output",
                stroke="paper", stroke_width=1.5)  # fmt: skip
    drawing.words(min(max(x, 34), width - 34), y - 22, f"{now.output[0]:.2f}", size=17, colour="output", bold=True)
    told = "; ".join(f"{word}: {terms(key, now.query)} = {score:.2f}, weight {weight:.2f}"
                     for word, key, score, weight in zip(WORDS, KEYS, now.scores, now.weights, strict=True))  # fmt: skip
    return drawing.html(f"Scores and weights, {told}. Output: {now.output[0]:.2f} wheels.")


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
    angle: where it meets the line, so far along is the score, as keys have length 1. It is written there."""
    return by_width(_in_the_plane(now, AXES), _in_the_plane(now, AXES.narrow))


def _in_the_plane(now, axes):
    sketch = axes.sketch()
    for key in KEYS:
        sketch.through(key)
    for key, word, score in zip(KEYS, WORDS, now.scores, strict=True):
        sketch.between(now.query, score * key, "muted", 1, stroke_dasharray="4 4")
        sketch.dot(score * key, "muted", radius=4)
        sketch.arrow(key, "key", word)
    sketch.arrow(now.query, "query", "q")
    for key, score in zip(KEYS, now.scores, strict=True):
        if abs(score) > 0.25:  # nearer to the origin the three would cover each other
            side = np.array([key[1], -key[0]])  # at a right angle to the key
            away = side if side @ now.query < 0 or (side @ now.query == 0 and side[1] < 0) else -side
            anchor = ("middle", "start", "end")[round(away[0])]
            shift = (16 * away[0], 5 - 22 * away[1])  # clear of the numbers of the axes
            sketch.say(score * key, f"{score:.2f}", shift, anchor=anchor, font_weight=600)
    tip, length = "[{:.2f}, {:.2f}]".format(*now.query), np.linalg.norm(now.query)
    return sketch.html(
        "Three keys as arrows of length 1, cat to the right, car up, horse between them. The query is an arrow to "
        f"{tip}, {length:.1f} long, to the same scale; from its tip a dashed line drops onto the line of each key."
    )
