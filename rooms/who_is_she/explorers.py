"""A sentence whose words look at each other, one query against three keys, and the same with the numbers of a trained head."""

import math

import numpy as np

from helpers.attention import scaled_dot_product_attention, softmax
from rooms.shared import attention_maps
from rooms.shared.arcs import Under, arcs
from rooms.shared.words import numbered
from workbench import (
    SHARES,
    Axes,
    Drawing,
    Plane,
    Rule,
    Touch,
    choose,
    explorer,
    number_field,
    slider,
    stops,
    terms,
    with_minus,
)
from workbench.pictures.html import by_width, in_two_widths

# --- a sentence, and what a trained head looks at from each of its words ----------------------------------------------

HEADS = {"one head": (3, 1), "another head": (1, 3)}  # layer and head, counted from 0
TEXTS = {"Sarah walks, Alex is the cat": "She", "Alex walks, Sarah is the cat": "names swapped"}


def explore_she():
    """Click a word of two sentences and see what a head of a trained model looks at from there; swap the names, take another head.

    Shown: weights (num_tokens,), the row of the clicked word
    """
    tokens = attention_maps.load("She").tokens
    return explorer(
        _look,
        lambda now: arcs(_as_written(now.names), now.weights, now.word, name="One head", places=now.places("words")),
        _describe_sentence,
        touch={"words": Touch(lambda now, k: {"word": k}, lambda now, k: f"{now.weights[k]:.1%} of the attention; click: ask from here")},
        folded=["word"],
        names=choose("names", TEXTS, "She"),
        head=choose("of the model", HEADS, HEADS["one head"]),
        word=stops("word that asks", numbered(tokens), tokens.index("she")),
    )  # fmt: skip


def _look(names, head, word):
    return {"weights": attention_maps.load(names).weights[head][word]}


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
        f"“{words[now.word]}” gives {now.weights[first]:.0%} of the attention to “{words[first]}”, "
        f"and {now.weights[second]:.0%} to “{words[second]}”."
    )


# --- one query against three keys -------------------------------------------------------------------------------------

WORDS = ["cat", "horse", "car"]
KEYS = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])  # how furry it is, how much it carries you
LONGEST = 3.0  # of the query
PLANE = {"x": (-2.2, 3.3), "y": (-2.2, 3.3), "x_title": "furry →", "y_title": "↑ carries you"}
AXES = Axes(390, None, **PLANE, narrow=Axes(332, None, **PLANE))
WIDE, PHONE = 370, 332  # pixels of the scores and weights beside it, and below it
BACKWARDS = 2.13  # how far below 0 a score can fall
PIECE = {"stroke": "key", "stroke_width": 12, "stroke_opacity": 0.4}  # a score, in the plane and as a bar
WHEELS = np.array([[0.0], [0.0], [4.0]])


def explore_lookup():
    """Drag a query between "furry" and "carries you" and see which of three words answers.

    Shown: query (2,), scores (3,), weights (3,), output (1,), the mixture of the numbers of wheels
    """
    return explorer(
        _look_up,
        lambda now: (_in_the_plane(now), by_width(_shares(now, AXES, WIDE), _shares(now, AXES.narrow, PHONE))),
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
        "query": query, "scores": answer.scores[0], "weights": weights, "weighted_values": weights * WHEELS[:, 0],
        "output": answer.output[0],
    }  # fmt: skip


def _shares(now, axes, width):
    """Each word's piece of its line once more, as a bar of the same length; its weight; and the mixture on a line of wheels."""
    unit = axes.units[0]
    drawing, zero = Drawing(width, 396), BACKWARDS * unit
    for y, head in (
        (16, "score: the same pieces, side by side"),
        (142, "weight: shares of 100%"),
        (268, "values and output: wheels"),
    ):
        drawing.words(0, y, head, size=13, colour="muted", anchor="start")
    for k, (word, score, weight) in enumerate(zip(WORDS, now.scores, now.weights, strict=True)):
        y, name = 40 + 30 * k, {"size": 16, "colour": "key", "font_weight": 600}
        forward, number = score >= 0, f"{round(score, 2) + 0.0:.2f}"
        drawing.add("line", x1=zero, y1=y, x2=zero + unit * score, y2=y, **PIECE)
        drawing.words(zero - 8 if forward else zero + 8, y + 5, word, anchor="end" if forward else "start", **name)
        drawing.words(
            min(zero + (unit * score + 7 if forward else 66), width - 34), y + 5, number, size=15, anchor="start"
        )
        y += 126
        drawing.words(zero - 8, y + 5, word, anchor="end", **name)
        drawing.box(zero, y - 9, 3 * unit * weight, 18, rx=2, fill="ink", fill_opacity=0.8)
        drawing.words(zero + 7 + 3 * unit * weight, y + 5, f"{weight:.0%}", size=15, anchor="start")
    drawing.line((zero, 26), (zero, 114), "line", 1.5)
    start, step, y = 26, (width - 58) / 4, 332
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


@in_two_widths((AXES,), (AXES.narrow,))
def _in_the_plane(now, axes):
    """Three keys and the query, all to one scale. A dashed line drops from the query's tip onto the line of each key, at a right
    angle: the thick piece as far as there is the score, as keys have length 1. It is written there."""
    sketch = axes.sketch()
    for key in KEYS:
        sketch.through(key)
    for key, score in zip(KEYS, now.scores, strict=True):
        (x, y), (over, up) = axes.to_pixels((0, 0)), axes.to_pixels(score * key)
        sketch.add("line", x1=x, y1=y, x2=over, y2=up, **PIECE)
        sketch.between(now.query, score * key, "muted", 1, stroke_dasharray="4 4")
    sketch.arrow(now.query, "query", "q")
    for key, word in zip(KEYS, WORDS, strict=True):  # above the query, which would cover one that it points along
        sketch.arrow(key, "key", word)
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
        f"{tip}, {length:.1f} long, to the same scale; from its tip a dashed line drops onto the line of each key, and a thick piece of "
        "the line reaches as far as there."
    )


# --- the same with the 32 numbers of a trained head ------------------------------------------------------------------

HIGHEST, SCORES, STRIP = 19, 100, 52  # pixels: of the largest number of a strip; of the room for scores; of a strip


def explore_real_head():
    """Click a word and see how its key answers the query of She in a trained head, number by number, and what it gives.

    Shown: query (d_head,), key (d_head,), products (d_head,), scores (num_tokens,), weights (num_tokens,), value (d_head,) of the
    word, output (d_head,), the mixture of all values
    """
    found = attention_maps.load("She")
    she = found.tokens.index("she")
    return explorer(
        _answer,
        lambda now: arcs(
            _as_written("She"), now.weights, she, name="The head, in numbers", places=now.places("words"), highest=70,
            under=Under(SCORES + 5 * STRIP + 42, 5 * STRIP + 120, lambda *room: _numbers(now, *room)),
        ),
        lambda now: f"The key of “{_as_written('She')[now.word]}” answers her query with a score of {with_minus(now.scores[now.word], '.1f')}, "
        f"which earns it {now.weights[now.word]:.1%} of her attention.",
        touch={"words": Touch(lambda now, k: {"word": k}, lambda now, k: f"score {now.scores[k]:.1f}, weight {now.weights[k]:.1%}; click: see its key")},
        folded=["word"],
        word=stops("word that answers", numbered(found.tokens), found.tokens.index("sarah")),
    )  # fmt: skip


def _answer(word):
    head = attention_maps.one_head()
    query = (head.X @ head.W_query + head.b_query)[attention_maps.load("She").tokens.index("she")]
    keys = head.X @ head.W_key + head.b_key
    scores = keys @ query
    weights = softmax(scores / math.sqrt(len(query)))
    found = {"query": query, "key": keys[word], "products": query * keys[word], "scores": scores, "weights": weights}
    return {**found, "value": head.value[word], "output": weights @ head.value}


def _numbers(now, drawing, middles, top, narrow):
    """Below the words their scores, where there is room; then the query, one key, and their products as small bars; then what the
    word gives and what She gets."""
    word, score = _as_written("She")[now.word], now.scores[now.word]
    if not narrow:
        drawing.words(drawing.width - 4, top + 8, "scores", size=13, colour="muted", anchor="end")
        unit, zero = 52 / now.scores.max(), top + 66
        drawing.line((0, zero), (drawing.width, zero), "line", 1)
        for k, (x, each) in enumerate(zip(middles, now.scores, strict=True)):
            look = {"fill": "key", "fill_opacity": 0.9 if k == now.word else 0.4}
            drawing.box(x - 6, zero - max(unit * each, 0), 12, abs(unit * each), **look)
            if k == now.word:
                y = zero - unit * each - 5 if each > 0 else zero - 6
                drawing.words(x, y, with_minus(each, ".1f"), size=14, colour="key", bold=True, halo=True)
        top += SCORES
    left, label = (4, 16) if narrow else (128, 0)
    step = (drawing.width - left - 4) / len(now.query)
    height = STRIP + (0.6 * label)

    def strip(y, name, numbers, role, largest):
        """One line of bars; where it ends."""
        y += HIGHEST + label
        unit = HIGHEST / max(largest, 1e-9)
        at = (4, y - HIGHEST - 6) if narrow else (4, y + 5)
        drawing.words(*at, name, size=13, colour=role, anchor="start", font_weight=600)
        drawing.line((left, y), (drawing.width - 4, y), "line", 1)
        for j, number in enumerate(numbers):
            x, bar = left + step * (j + 0.15), unit * number
            drawing.box(x, y - max(bar, 0), 0.7 * step, abs(bar), fill=role, fill_opacity=0.85)
        return y + HIGHEST

    query, key = ("query of She", now.query, "query"), (f"key of {word}", now.key, "key")
    for k, (name, numbers, role) in enumerate((query, key, ("their products", now.products, "ink"))):
        foot = strip(top + 10 + height * k, name, numbers, role, np.abs(numbers).max())  # each to its own scale
    agree, disagree = (np.abs(now.products[side]).sum() for side in (now.products > 0, now.products < 0))
    told = f"agree +{agree:.1f}, disagree −{disagree:.1f}, together {with_minus(score, '.1f')}"
    told += "" if narrow else f", the score of {word}"
    drawing.words(left, foot + 12, told, size=12 if narrow else 14, anchor="start", bold=True)
    y, largest = foot + 24, 0.72 * np.abs(attention_maps.one_head().value).max()  # both to one scale
    strip(y, f"value of {word}", now.value, "value", largest)
    foot = strip(y + height, "She gets", now.output, "output", largest)
    told = f"{now.weights[now.word]:.0%} of this value, and all others in their shares"
    drawing.words(left, foot + 14, told, size=12 if narrow else 14, anchor="start")
