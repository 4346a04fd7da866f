"""Where weight goes that has nowhere to go: a sink beside the keys, and the first token of a real model."""

import numpy as np

from helpers.attention import softmax
from helpers.explorers.controls import choose, slider, stops
from helpers.explorers.engine import explorer
from helpers.explorers.sums import exact, number
from helpers.explorers.touch import Touch
from helpers.models import attention_maps
from helpers.pictures.svg import Drawing, text_width
from helpers.since_2017.softmax_variants import softmax_with_sink

LETTERS = list("AABA")
VALUES = np.array([10.0, 10.0, 20.0, 10.0])


def explore_resting():
    """Where the heads of a real model rest: the share that each gives to [CLS].

    Shown: rest (6, 12), mean weight on the chosen token, by layer and head; row (22,), how much each token of the text gives
    to it in the chosen head; length (6,) of its value in each layer, and others (6,), the mean length of the other values
    """
    return explorer(
        _rest,
        lambda now: [_heads(now), _sentence(now)],
        lambda now: (
            f"Layer {now.head[0]}, head {now.head[1]} gives {now.on} {now.rest[now.head]:.0%} of its weight. "
            f"The mean of all 72 heads is {now.rest.mean():.0%}; at equal shares it would be {1 / len(now.row):.0%}."
        ),
        touch={"rest": Touch(lambda now, i, j: {"head": (i, j)})},
        sums={"rest": lambda now, i, j: f"layer {i}, head {j} gives {now.on} {now.rest[i, j]:.0%}"},
        folded=["head"],
        on=choose("weight on", ["[CLS]", "[SEP]", "sarah"], "[CLS]"),
        head=stops("head", [(f"layer {i}, head {j}", (i, j)) for i in range(6) for j in range(12)], (4, 5)),
    )


def explore_sink():
    """Put a sink beside the scores of AABA, and lower all scores together.

    Shown: scores (4,), plain (4,) without and with_sink (4,) beside the sink, output (1,), and sum (), what the letters keep
    """
    return explorer(
        _sink,
        _bars,
        lambda now: (
            f"The letters keep {now.sum:.3f} of the weight, the sink takes {1 - now.sum:.3f}: the output is "
            f"{now.output[0]:.2f} instead of {now.plain @ VALUES:.2f}."
        ),
        presets={"all scores low": {"shift": -5.0}},
        touch={"with_sink": Touch(lambda now, i: {"letter": i}, lambda now, i: f"raise the score of letter {i + 1}")},
        folded=["letter"],
        sink=slider("score of the sink", 1.0, -5.0, 5.0, 0.5),
        shift=slider("added to all scores", 0.0, -6.0, 3.0, 0.5),
        letter=stops("letter whose score is 1 higher", [(f"{c}, letter {k + 1}", k) for k, c in enumerate(LETTERS)], 2),
    )


# --- a real model ----------------------------------------------------------------------------------------------------

CELL, GAP = 30, 3


def _rest(on, head):
    she = attention_maps.load("She")
    to_one = she.weights[..., she.tokens.index(on)]  # (layers, heads, queries)
    lengths, here = attention_maps.value_lengths(), she.tokens.index(on)
    others = np.delete(lengths, here, axis=1).mean(axis=1)
    return {"rest": to_one.mean(axis=-1), "row": to_one[head], "length": lengths[:, here], "others": others}


def _heads(now):
    """One square a head, as strong as the share that it gives away; beside them how long the token's value is."""
    picture, places = Drawing(660, 22 + 6 * CELL), now.places("rest")
    left, unit = 452, 24
    picture.words(left, 13, "length of its value", size=12, colour="value", anchor="start")
    picture.words(left + 118, 13, "the others", size=12, colour="muted", anchor="start")
    for i in range(6):
        picture.words(56, 40 + i * CELL, f"layer {i}", size=12, colour="muted", anchor="end")
    for j in range(12):
        picture.words(78 + j * CELL, 13, f"{j}", size=11, colour="muted")
    for (i, j), share in np.ndenumerate(now.rest):
        chosen = (i, j) == tuple(now.head)
        box = {"x": 64 + j * CELL, "y": 20 + i * CELL, "width": CELL - GAP, "height": CELL - GAP, "rx": 3}
        look = {"stroke": "chosen" if chosen else "line", "stroke_width": 2.5 if chosen else 0.5}
        picture.add("rect", fill="ink", fill_opacity=share, place=(places, i, j), **box, **look)
    for i, (length, others) in enumerate(zip(now.length, now.others, strict=True)):
        y = 20 + i * CELL
        picture.box(left, y + 5, unit * length, CELL - GAP - 10, fill="value")
        picture.words(left + unit * length + 6, y + 18, f"{length:.2f}", size=12, anchor="start", halo=True)
        picture.line((left + unit * others, y), (left + unit * others, y + CELL - GAP), "muted", 2)
    layers, length, others = (
        ", ".join(f"{x:.2f}" for x in xs) for xs in (now.rest.mean(axis=-1), now.length, now.others)
    )
    return picture.html(
        f"Weight on {now.on}, mean of the 12 heads of layers 1 to 6: {layers}. "
        f"Its value is so long there: {length}; those of the others: {others}."
    )


def _sentence(now):
    """The text, each word as strong as the share that it gives away."""
    tokens, x, y = attention_maps.load("She").tokens, 8.0, 30
    picture = Drawing(560, 104)
    for token, share in zip(tokens, now.row, strict=True):
        wide = max(text_width(token, 16), 24)
        if x + wide > 550:
            x, y = 8.0, y + 46
        picture.box(x - 3, y - 18, wide + 6, 25, rx=4, fill="ink", fill_opacity=0.34 * min(1, share))
        here = token == now.on
        picture.words(x + wide / 2, y, token, size=16, colour="chosen" if here else "ink", bold=here)
        picture.words(x + wide / 2, y + 20, f"{share:.0%}", size=11, colour="muted")
        x += wide + 12
    said = ", ".join(f"{token} {share:.2f}" for token, share in zip(tokens, now.row, strict=True))
    return picture.html(f"Layer {now.head[0]}, head {now.head[1]}, weight on {now.on}: {said}.")


# --- a sink ----------------------------------------------------------------------------------------------------------


def _sink(sink, shift, letter):
    scores = np.eye(4)[letter] + shift
    weights = softmax_with_sink(scores, sink, base=3)
    return {
        "scores": scores,
        "plain": softmax(scores, base=3),
        "with_sink": weights,
        "output": np.array([weights @ VALUES]),
        "sum": np.array(weights.sum()),
    }


def _bars(now):
    """Left a bar for each letter and one for the sink, right the output on the line of the values."""
    picture, places, floor, high = Drawing(620, 215), now.places("with_sink"), 148, 124
    for k, letter in enumerate([*LETTERS, "sink"]):
        x, sink = 24 + 62 * k + 20 * (k == 4), k == 4
        weight = 1 - now.sum if sink else now.with_sink[k]
        look = (
            {"fill": "none", "stroke": "muted", "stroke_width": 1.5, "stroke_dasharray": "4 3"}
            if sink
            else {"fill": "ink"}
        )
        picture.box(x, floor - high * weight, 40, high * weight, rx=2, **look)
        if not sink:
            level = floor - high * now.plain[k]
            for side in (x - 9, x + 41):  # beside the bar, where no number stands
                picture.line((side, level), (side + 8, level), "muted", 2)
        picture.words(x + 20, floor - high * weight - 6, exact(weight), size=13, halo=True)
        picture.words(x + 20, floor + 20, letter, size=15, font_weight=600, colour="muted" if sink else "ink")
        picture.words(
            x + 20, floor + 38, f"score {number(now.sink if sink else now.scores[k])}", size=11, colour="muted"
        )
        picture.words(
            x + 20, floor + 54, "no value" if sink else f"{VALUES[k]:g}", size=12, colour="muted" if sink else "value"
        )
        if not sink:  # over the words: they do not stop a finger
            picture.box(x - 6, floor - high, 52, high + 60, fill="transparent", place=(places, k))
    picture.line((20, floor), (334, floor), "line")
    left, step = 390, 10.5  # the line from 0 to 20

    def at(value):
        return left + step * value

    picture.line((at(0), 100), (at(20), 100), "line", 2)
    for value in (0, 10, 20):
        picture.words(at(value), 128, f"{value}", size=12, colour="value" if value else "muted")
        picture.add("circle", cx=at(value), cy=100, r=5 if value else 3, fill="value" if value else "muted")
    plain, output = now.plain @ VALUES, now.output[0]
    picture.add("circle", cx=at(plain), cy=100, r=8, fill="none", stroke="muted", stroke_width=2)
    picture.words(at(plain), 150, "without a sink", size=11, colour="muted")
    x = at(output)
    picture.add("polygon", points=f"{x:.1f},90 {x + 9:.1f},100 {x:.1f},110 {x - 9:.1f},100", fill="output")
    picture.words(x, 80, f"output {number(round(output, 2))}", size=13, colour="output", font_weight=600)
    weights = ", ".join(exact(weight) for weight in now.with_sink)
    return picture.html(
        f"Weights of A A B A: {weights}; of the sink: {exact(1 - now.sum)}. The output is {output:.2f}."
    )
