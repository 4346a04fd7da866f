"""A string of A's and B's that is asked for a B: scores, weights and their mixture in one picture."""

import math

import numpy as np

from helpers import attention
from helpers.tokens import one_hot
from rooms.shared import ribbons
from rooms.shared.strings import read_letters
from workbench.matrices import fraction
from workbench.moving.controls import choose, stops, text_field
from workbench.moving.engine import SHARES, Rule, explorer
from workbench.moving.touch import turn_letter
from workbench.pictures.html import by_width
from workbench.pictures.svg import Drawing

STRING, BOOSTER = "AABA", math.exp(10)
KNOB = {
    "×1, the plain average": 1.0, "×1.5": 1.5, "×2": 2.0, "×e": math.e, "×3": 3.0, "×10": 10.0, "×e¹⁰, the booster": BOOSTER,
    "×∞, SELECT": math.inf,
}  # fmt: skip
LEFT, WIDTH, PHONE, TALLEST = 74, 760, 340, 56  # pixels
RECIPES = {
    "powers of e, over their sum": attention.softmax,
    "squares of the scores, over their sum": lambda s: s**2 / (s**2).sum(),
    "the scores, over their sum": lambda s: s / s.sum(),
    "ln(1 + eˢ), over their sum": lambda s: np.log1p(np.exp(s)) / np.log1p(np.exp(s)).sum(),
    "1 / (1 + e⁻ˢ)": lambda s: 1 / (1 + np.exp(-s)),
    "powers of e, not divided": np.exp,
}


def explore_ask_for_b():
    """Ask a string of letters for a B, or an A, and set how much one point of score counts, from a plain average to SELECT.

    Shown: scores, weights (num_letters,), output (2,), the share of A and of B
    """
    return explorer(
        _ask,
        lambda now: _draw(now, read_letters(now.string), now.asked, places=now.places("letters")),
        _describe,
        [SHARES],
        touch={"letters": turn_letter(lambda now: "string")},
        folded=["string"],
        asked=choose("ask for", ["A", "B"], "B"),
        counts=stops("one point of score counts", list(KNOB.items()), 3.0),
        string=text_field("letters", STRING),
    )


def explore_wrong_weights():
    """Turn scores into weights by six recipes, the first of which keeps all rules whatever the score; it opens with another.

    Shown: scores, weights (4,), output (2,)
    """
    return explorer(
        _ask_wrongly,
        lambda now: _draw(now, STRING, "B", together=True),
        lambda now: (
            f"The B has the score {now.score:g} and the weight {now.weights[2]:.2f}. Each A has the score 0 and the weight "
            f"{now.weights[0]:.2f}. All weights together make {now.weights.sum():.2f}."
        ),
        [
            SHARES,
            Rule("a higher score gets a larger weight", _in_order),
            Rule(
                "adding 1 to every score changes no weight",
                _moved_by_one,
                "adding 1 to every score moves a weight by {:.3f}",
            ),
        ],
        recipe=choose("weights are", list(RECIPES), list(RECIPES)[1]),
        score=stops(
            "score of the B", [(f"{score:g}", score) for score in (-2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0)], -2.0
        ),
    )


def _answer(letters, scores, weights):
    return {"scores": scores, "weights": weights, "output": weights @ one_hot(letters, "AB")}


def _ask(asked, counts, string):
    letters = read_letters(string)
    scores = one_hot(letters, "AB") @ one_hot(asked, "AB")[0]
    parts = (1 / counts) ** (scores.max() - scores)  # 0 to the power 0 is 1: where it is ∞, only the best are left
    return _answer(letters, scores, parts / parts.sum())


def _ask_wrongly(recipe, score):
    scores = np.array([0.0, 0.0, score, 0.0])
    weights = RECIPES[recipe](scores) + 0.0  # no -0, which a negative sum makes of 0
    return _answer(STRING, scores, weights)


def _moved_by_one(now):
    return np.abs(RECIPES[now.recipe](now.scores + 1) - now.weights).max()


def _in_order(now):
    higher = now.scores[:, None] > now.scores
    holds = (now.weights[:, None] > now.weights)[higher].all()
    return bool(
        holds
    ), "the lowest score has not the lowest weight" if now.score < 0 else "the highest score has not the largest weight"


def _describe(now):
    letters = read_letters(now.string)
    found = {"A": now.output[0], "B": now.output[1]}[now.asked]
    if now.asked not in letters:
        return f"There is no {now.asked}, so every letter gets the same weight, {now.weights[0]:.3f}."
    if now.counts == math.inf:
        return f"SELECT: only the {now.asked}'s count, and the answer is {now.asked} alone."
    heat = "" if now.counts == 1 else f" (temperature {1 / math.log(now.counts):.2f})"
    times = f"{now.counts:,.0f}" if now.counts > 1000 else f"{now.counts:.4g}"
    return f"The answer is {_percent(found)} {now.asked}. A point of score multiplies a weight by {times}{heat}."


def _percent(share):
    """With a decimal, or as many as show that it is not the whole."""
    rounded = (f"{share:.{decimals}%}" for decimals in range(1, 7))
    return next((word for word in rounded if not word.startswith("100") or share == 1), "100%").replace(".0%", "%")


def _short(x):
    """A fraction where it is a small one, else two decimals."""
    near = fraction(x)
    return str(near) if len(str(near)) < 6 and abs(float(near) - x) < 1e-9 else f"{x:.2f}"


def _draw(now, letters, asked, places=None, together=False):
    """Where weights may be wrong, `together` lays them end to end beside a mark at 100%."""
    return by_width(*(_asked(now, letters, asked, places, together, *room) for room in ((WIDTH, LEFT), (PHONE, 52))))


def _asked(now, letters, asked, places, together, width, left):
    drawing = Drawing(width, 400 if together else 338)
    step = min((width - left) / len(letters), 170)
    side, size = min(42, step - 3), min(14, max(10, 0.36 * step))  # of a box, and of the numbers below it
    middles = left + step * (np.arange(len(letters)) + 0.5)
    top = middles.mean()
    largest = max(np.abs(now.weights).max(), 1e-9)
    ribbons.fan(drawing, (top, 32 + ribbons.FOOT), [(x, 93) for x in middles], now.weights)
    ribbons.foot(drawing, top, 32, upwards=False)
    drawing.words(top, 24, f"q: is there {'a B' if asked == 'B' else 'an A'}?", size=17, colour="query", bold=True)
    for y, name in ((120, "key"), (160, "score"), (226, "weight"), (308, "output")):
        drawing.words(0, y, name, size=13, colour="muted", anchor="start")
    scale = TALLEST / max(largest, 1)
    for k, (letter, x) in enumerate(zip(letters, middles, strict=True)):
        box = {"x": x - side / 2, "y": 94, "width": side, "height": 40, "rx": 7}
        drawing.add("rect", fill="paper", stroke="key", stroke_width=1.6, **box)
        drawing.words(x, 122, letter, size=22 if side > 24 else 17, colour="key", bold=True)
        drawing.words(x, 160, f"{now.scores[k]:g}", size=size)
        height = scale * abs(now.weights[k])
        drawing.box(x - side / 3, 232 - height, side / 1.5, height, rx=2, fill="ink", fill_opacity=0.75)
        weight = _short(now.weights[k])
        drawing.words(x, 252, weight if step > 28 else weight.replace("0.", "."), size=size)
        drawing.add("rect", fill="transparent", place=(places, k), **box)
    _draw_output(drawing, now.output, middles, step)
    if together:
        drawing.words(0, 360, "sum", size=13, colour="muted", anchor="start")
        ribbons.whole_bar(drawing, left, 348, letters, now.weights)
    scores, weights = (
        " ".join(word(x) for x in row) for word, row in (("{:g}".format, now.scores), (_short, now.weights))
    )
    return drawing.html(
        f"The letters {letters} are asked for {asked}: scores {scores}, weights {weights}, output A {_short(now.output[0])}, "
        f"B {_short(now.output[1])}."
    )


def _draw_output(drawing, output, middles, step):
    """What was found, as one bar that is shared by A and B."""
    start, width = middles[0] - step / 2 + 10, step * len(middles) - 20
    total = max(np.abs(output).sum(), 1e-9)
    for letter, share, opacity in zip("AB", output, (0.2, 0.42), strict=True):
        wide = width * abs(share) / total
        drawing.box(start, 288, wide, 30, fill="output", fill_opacity=opacity, rx=3)
        if wide > 50:
            drawing.words(start + wide / 2, 308, f"{letter} {_short(share)}", size=14, font_weight=600)
        start += wide
