"""A string of A's and B's that is asked for a B: scores, weights, and the mixture that the weights are when laid end to end."""

import numpy as np

from helpers import attention
from helpers.tokens import one_hot
from rooms.shared import ribbons
from rooms.shared.strings import read_letters
from workbench import SHARES, Drawing, by_width, choose, explorer, listed, stops, text_field, turn_letter, with_minus

STRING, STRENGTHS, SCORES = "AABA", (0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0), (-2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0)
LEFT, WIDTH, PHONE = 74, 760, 340  # pixels
WINS, LOSES = 0.5, 0.2  # opacity of the output, of the letter with more than half of it and of the other one
RECIPES = {  # its name in a sentence: its formula, and what it makes of scores
    "powers divided by their sum": ("eˢ ÷ their sum", attention.softmax),
    "squares": ("s² ÷ their sum", lambda s: s**2 / (s**2).sum()),
    "plain scores": ("s ÷ their sum", lambda s: s / s.sum()),
    "logarithms": ("ln(1 + eˢ) ÷ their sum", lambda s: np.log1p(np.exp(s)) / np.log1p(np.exp(s)).sum()),
    "sigmoids": ("1 / (1 + e⁻ˢ)", lambda s: 1 / (1 + np.exp(-s))),
    "powers alone": ("eˢ, not divided", np.exp),
}
RULES = ("shares of 100%", "better gets more", "+1 moves nothing")
PANEL, FULL, GAP = 184, 60, 14  # pixels: how high a panel is, a bar of 100% in it, and between two panels


def explore_ask_for_b():
    """Ask a string of letters for a B, or an A, as strongly as you like, from not at all to almost SELECT.

    Shown: scores, weights (num_letters,), output (2,), the share of A and of B
    """
    return explorer(
        _ask,
        lambda now: by_width(*(_draw(now, now.places("letters"), *room) for room in ((WIDTH, LEFT), (PHONE, 52)))),
        _describe,
        [SHARES],
        touch={"letters": turn_letter(lambda now: "string")},
        folded=["string"],
        asked=choose("ask for", ["A", "B"], "B"),
        strength=stops("how strongly", [(f"{strength:g}", strength) for strength in STRENGTHS], 1.0),
        string=text_field("letters", STRING),
    )


def explore_recipes():
    """Turn the scores of A A B A into weights by six recipes at once; one of them keeps all rules at every score of the B.

    Shown: scores (4,), made (6, 4), what each recipe makes of them
    """
    return explorer(
        lambda score: {
            "scores": np.array([0.0, 0.0, score, 0.0]),
            "made": np.array([recipe(np.array([0.0, 0.0, score, 0.0])) for _, recipe in RECIPES.values()]) + 0.0,  # no -0
        },
        lambda now: by_width(_panels(now, WIDTH, 3), _panels(now, PHONE, 2)),
        _tell,
        score=stops("score of the B", [(with_minus(score), score) for score in SCORES], -2.0),
    )  # fmt: skip


def _tell(now):
    kept = [name for name in RECIPES if all(keeps(name, now.scores))]
    return f"The B has the score {with_minus(now.score)}. Only {listed(kept)} keep all three rules."


def keeps(recipe, scores):
    """Whether a recipe keeps each of RULES at these scores."""
    make = RECIPES[recipe][1]
    weights, higher = make(scores), scores[:, None] > scores
    shares = abs(weights.sum() - 1) < 1e-9 and weights.min() > -1e-9
    in_order = (weights[:, None] > weights)[higher].all()
    return shares, bool(in_order), bool(np.abs(make(scores + 1) - weights).max() < 1e-9)


def _ask(asked, strength, string):
    letters = read_letters(string)
    scores = strength * (one_hot(letters, "AB") @ one_hot(asked, "AB")[0])
    weights = attention.softmax(scores)
    return {"scores": scores, "weights": weights, "output": weights @ one_hot(letters, "AB")}


def _describe(now):
    letters, found = read_letters(now.string), dict(zip("AB", now.output, strict=True))[now.asked]
    if now.asked not in letters or now.strength == 0:
        why = "Nothing is asked" if now.strength == 0 else f"There is no {now.asked}"
        return f"{why}, so every letter gets the same weight, {now.weights[0]:.0%}."
    other = "BA"["AB".index(now.asked)]
    outvoted = f" The {other}’s together outvote it." if found < 0.5 - 1e-9 else ""
    return f"{_percent(found)} of the output is {now.asked}.{outvoted}"


def _percent(share):
    """With a decimal, or as many as show that it is not the whole."""
    rounded = (f"{share:.{decimals}%}" for decimals in range(1, 7))
    return next((word for word in rounded if not word.startswith("100") or share == 1), "100%").replace(".0%", "%")


def _draw(now, places, width, left):
    """The query's ribbon parts among the letters, and the weights, laid end to end, the A's first, are the output."""
    letters, weights = read_letters(now.string), now.weights
    drawing, whole = Drawing(width, 344), width - left - 10
    step = min((width - left) / len(letters), 170)
    side, size = min(42, step - 3), min(14, max(11, 0.36 * step))  # of a box, and of the numbers below it
    middles = left + step * (np.arange(len(letters)) + 0.5)
    top = middles.mean()
    ribbons.fan(drawing, (top, 32 + ribbons.FOOT), [(x, 93) for x in middles], weights)
    ribbons.foot(drawing, top, 32, upwards=False)
    drawing.words(top, 24, f"q: are you {'a B' if now.asked == 'B' else 'an A'}?", size=17, colour="query", bold=True)
    for y, name in ((120, "key"), (160, "score"), (190, "weight"), (280, "output")):
        drawing.words(0, y, name, size=13, colour="muted", anchor="start")
    start, parts, shares = left, {"A": [], "B": []}, dict(zip("AB", now.output, strict=True))
    for k in sorted(range(len(letters)), key=lambda k: letters[k]):  # the A's to the left, the B's to the right
        wide, x, half = whole * weights[k], middles[k], ribbons.width(weights[k]) / 2
        flow = f"{x - half:.1f},200 {x + half:.1f},200 {start + wide:.1f},258 {start:.1f},258"
        drawing.add("polygon", points=flow, fill="ink", fill_opacity=0.16)
        opacity = WINS if shares[letters[k]] > 0.5 + 1e-9 else LOSES
        drawing.box(start, 258, max(wide - 1, 0), 34, fill="output", fill_opacity=opacity)
        if wide > 18:
            drawing.words(start + wide / 2, 280, letters[k], size=15, font_weight=600)
        parts[letters[k]] += [start, start + wide]
        start += wide
    drawing.line((left + whole / 2, 252), (left + whole / 2, 297), "ink", 1.5, stroke_dasharray="3 3")
    drawing.words(left + whole / 2, 248, "50%", size=12, halo=True)
    for k, (letter, x) in enumerate(zip(letters, middles, strict=True)):
        box = {"x": x - side / 2, "y": 94, "width": side, "height": 40, "rx": 7}
        drawing.add("rect", fill="paper", stroke="key", stroke_width=1.6, **box)
        drawing.words(x, 122, letter, size=22 if side > 24 else 17, colour="key", bold=True)
        drawing.words(x, 160, f"{now.scores[k]:g}", size=size)
        drawing.words(x, 190, f"{100 * weights[k]:.1f}{'%' if step > 36 else ''}", size=size)
        drawing.add("rect", fill="transparent", place=(places, k), **box)
    for letter, share in shares.items():
        if share > 0.05:
            first, last = min(parts[letter]), max(parts[letter])
            drawing.line((first + 1, 299), (last - 2, 299), "output", 2)
            x, said = min((first + last) / 2, width - 40), f"{letter} {share:.1%}"
            drawing.words(x, 322, said, size=17, colour="output", bold=True)
    scores, told = " ".join(f"{each:g}" for each in now.scores), " ".join(f"{each:.1%}" for each in weights)
    return drawing.html(
        f"The letters {letters} are asked for {now.asked}: scores {scores}, weights {told}. Laid end to end they are the output, "
        f"A {now.output[0]:.1%}, B {now.output[1]:.1%}."
    )


def _panels(now, width, across):
    """One small panel for each recipe: its four bars beside a line at 100%, and which rules it keeps."""
    wide = (width - GAP * (across - 1)) / across
    drawing = Drawing(width, (PANEL + GAP) * (len(RECIPES) // across))
    told = []
    for k, (name, (formula, _)) in enumerate(RECIPES.items()):
        x, y, kept = (wide + GAP) * (k % across), (PANEL + GAP) * (k // across), keeps(name, now.scores)
        drawing.box(x + 1, y + 1, wide - 2, PANEL - 2, rx=8, fill="none", stroke="line")
        drawing.words(x + 10, y + 19, formula, size=12, anchor="start", bold=True)
        _bars(drawing, now.made[k], x + 10, y + 104, wide - 20)
        for j, (rule, holds) in enumerate(zip(RULES, kept, strict=True)):
            words, colour = f"{'✓' if holds else '✗'} {rule}", "muted" if holds else "wrong"
            drawing.words(x + 10, y + 142 + 16 * j, words, size=12, colour=colour, anchor="start", bold=not holds)
        told.append(f"{formula}: {' '.join(f'{each:.2f}' for each in now.made[k])}, breaks "
                    f"{listed(rule for rule, holds in zip(RULES, kept) if not holds) if not all(kept) else 'no rule'}")  # fmt: skip
    return drawing.html(f"The B has the score {with_minus(now.score)}, each A 0. {'. '.join(told)}.")


def _bars(drawing, weights, left, floor, wide):
    """Four bars on a line, as high as the weights, which stop above the mark at 100%; what is no share is red."""
    step = wide / len(weights)
    drawing.line((left, floor), (left + wide, floor), "line", 1)
    drawing.line((left, floor - FULL), (left + wide, floor - FULL), "line", 1, stroke_dasharray="3 4")
    for k, (letter, weight) in enumerate(zip(STRING, weights, strict=True)):
        x, high = left + step * (k + 0.5), FULL * min(abs(weight), 1)
        role = "ink" if 0 <= weight <= 1 + 1e-9 else "wrong"
        top, tall = (floor - high, high) if weight >= 0 else (floor, 5)
        drawing.box(x - 11, top, 22, tall, fill=role, fill_opacity=0.75)
        drawing.words(x, floor + 15, letter, size=12, colour="key", bold=True)
        drawing.words(x, floor - 4 - max(high, 0) * (weight > 0), ribbons.percent(weight), size=11, colour=role)
