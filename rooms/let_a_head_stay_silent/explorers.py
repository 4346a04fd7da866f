"""Where weight goes that has nowhere to go: a sink beside the keys, and the first token of a real model."""

import numpy as np

from helpers.attention import softmax
from helpers.since_2017.softmax_variants import softmax_with_sink
from rooms.shared import attention_maps, ribbons
from workbench import Drawing, Touch, choose, exact, explorer, in_two_widths, number, slider, stops, text_width

LETTERS = list("AABA")
VALUES = np.array([10.0, 10.0, 20.0, 10.0])


def explore_resting():
    """Where the heads of a real model rest: the share that each gives to [CLS].

    Shown: rest (6, 12), mean weight on the chosen token, by layer and head; row (22,), how much each token of the text gives
    to it in the chosen head; length (6,) of its value in each layer, and others (6,), the mean length of the other values
    """
    return explorer(
        _rest,
        lambda now: [_in_lines(now), _squares(now)],
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
        _letters_and_output,
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

CELL, PHONE, GAP = 30, 23, 3


def _rest(on, head):
    she = attention_maps.load("She")
    to_one = she.weights[..., she.tokens.index(on)]  # (layers, heads, queries)
    lengths, here = attention_maps.value_lengths(), she.tokens.index(on)
    others = np.delete(lengths, here, axis=1).mean(axis=1)
    return {"rest": to_one.mean(axis=-1), "row": to_one[head], "length": lengths[:, here], "others": others}


@in_two_widths((CELL,), (PHONE,))
def _squares(now, cell):
    """One square a head, as strong as the share that it gives away; beside them how long the token's value is."""
    wide, places = cell == CELL, now.places("rest")
    left, unit, lower = (
        (452, 24, 0) if wide else (64, 32, 34 + 6 * cell)
    )  # of the lengths: beside the squares, or below
    picture = Drawing(660 if wide else 340, 22 + 6 * cell + lower)
    picture.words(left, lower + 13, "length of its value", size=12, colour="value", anchor="start")
    picture.words(left + 118, lower + 13, "the others", size=12, colour="muted", anchor="start")
    for i in range(6):
        picture.words(56, 20 + cell * 2 / 3 + i * cell, f"layer {i}", size=12, colour="muted", anchor="end")
    for j in range(12):
        picture.words(64 + (cell - 2) / 2 + j * cell, 13, f"{j}", size=11, colour="muted")
    for (i, j), share in np.ndenumerate(now.rest):
        chosen = (i, j) == tuple(now.head)
        box = {"x": 64 + j * cell, "y": 20 + i * cell, "width": cell - GAP, "height": cell - GAP, "rx": 3}
        look = {"stroke": "chosen" if chosen else "line", "stroke_width": 2.5 if chosen else 0.5}
        picture.add("rect", fill="ink", fill_opacity=share, place=(places, i, j), **box, **look)
    for i, (length, others) in enumerate(zip(now.length, now.others, strict=True)):
        y = lower + 20 + i * cell
        if not wide:
            picture.words(56, y + cell * 2 / 3, f"layer {i}", size=12, colour="muted", anchor="end")
        picture.box(left, y + 5, unit * length, cell - GAP - 10, fill="value")
        right = left + unit * max(length, others) + 6
        picture.words(right, y + cell / 2 + 3, f"{length:.2f}", size=12, anchor="start")
        picture.line((left + unit * others, y), (left + unit * others, y + cell - GAP), "muted", 2)
    layers, length, others = (
        ", ".join(f"{x:.2f}" for x in xs) for xs in (now.rest.mean(axis=-1), now.length, now.others)
    )
    return picture.html(
        f"Weight on {now.on}, mean of the 12 heads of layers 0 to 5: {layers}. "
        f"The lengths of its value there: {length}; those of the others: {others}."
    )


@in_two_widths((560, 128), (340, 220))
def _in_lines(now, width, height):
    """The text, each word as strong as the share that it gives away."""
    tokens, x, y = attention_maps.load("She").tokens, 8.0, 54
    picture = Drawing(width, height)
    picture.words(5, 15, f"what each token gives to {now.on}", size=13, anchor="start", font_weight=600)
    for token, share in zip(tokens, now.row, strict=True):
        wide = max(text_width(token, 16), 24)
        if x + wide > width - 10:
            x, y = 8.0, y + 46
        opacity = 0 if token == now.on else ribbons.shade(share)
        picture.box(x - 3, y - 18, wide + 6, 25, rx=4, fill="ink", fill_opacity=opacity)
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
        "scores": scores, "plain": softmax(scores, base=3), "with_sink": weights,
        "output": np.array([weights @ VALUES]), "sum": np.array(weights.sum()),
    }  # fmt: skip


@in_two_widths((620, 390), (340, 60, 160))
def _letters_and_output(now, width, left, lower=0):
    """Left a bar for each letter and one for the sink, right the output on the line of the values.

    The line of the values begins at `left`, `lower` pixels further down.
    """
    picture, places, floor, high = Drawing(width, 215 + lower * 2 // 3), now.places("with_sink"), 148, 124
    for k, letter in enumerate([*LETTERS, "sink"]):
        x, sink = 24 + 62 * k + 20 * (k == 4), k == 4
        weight = 1 - now.sum if sink else now.with_sink[k]
        look = {"fill": "none", "stroke": "muted", "stroke_width": 1.5, "stroke_dasharray": "4 3"}
        look = look if sink else {"fill": "ink"}
        picture.box(x, floor - high * weight, 40, high * weight, rx=2, **look)
        level = floor - high * (weight if sink else now.plain[k])  # never below the bar
        if not sink:
            picture.line((x - 6, level), (x + 46, level), "muted", 1.5, stroke_dasharray="4 3")
        picture.words(x + 20, level - 6, exact(weight), size=13)
        picture.words(x + 20, floor + 20, letter, size=15, font_weight=600, colour="muted" if sink else "ink")
        score, value, colour = (now.sink, "no value", "muted") if sink else (now.scores[k], f"{VALUES[k]:g}", "value")
        picture.words(x + 20, floor + 38, f"score {number(score)}", size=11, colour="muted")
        picture.words(x + 20, floor + 54, value, size=12, colour=colour)
        if not sink:  # over the words: they do not stop a finger
            picture.box(x - 6, floor - high, 52, high + 60, fill="transparent", place=(places, k))
    picture.line((20, floor), (334, floor), "line")
    step, line = 10.5, 100 + lower  # the line from 0 to 20

    def at(value):
        return left + step * value

    picture.line((at(0), line), (at(20), line), "line", 2)
    for value in (0, 10, 20):
        picture.words(at(value), line + 28, f"{value}", size=12, colour="value" if value else "muted")
        picture.add("circle", cx=at(value), cy=line, r=5 if value else 3, fill="value" if value else "muted")
    plain, output = now.plain @ VALUES, now.output[0]
    picture.add("circle", cx=at(plain), cy=line, r=8, fill="none", stroke="muted", stroke_width=2)
    picture.words(at(plain), line + 50, "without a sink", size=11, colour="muted")
    x = at(output)
    points = f"{x:.1f},{line - 10} {x + 9:.1f},{line} {x:.1f},{line + 10} {x - 9:.1f},{line}"
    picture.add("polygon", points=points, fill="output")
    picture.words(x, line - 20, f"output {number(round(output, 2))}", size=13, colour="output", font_weight=600)
    weights = ", ".join(exact(weight) for weight in now.with_sink)
    told = f"Weights of A A B A: {weights}; of the sink: {exact(1 - now.sum)}. The output is {output:.2f}."
    return picture.html(told)
