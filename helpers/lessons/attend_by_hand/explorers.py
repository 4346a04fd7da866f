"""Three tokens with every number within reach, and words that look at each other by what they share."""

import math

import numpy as np

from helpers import matrices
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers.controls import NumberGrid, choose, stops, switch
from helpers.explorers.engine import SHARES, between, explorer, wrong_turns
from helpers.explorers.sums import bracketed, cells, decimals, dot_product, listed, mixture, number, quotient, share
from helpers.explorers.touch import Plane, Touch, leads_on
from helpers.matrices import fewest_decimals
from helpers.pictures import columns
from helpers.pictures.arcs import Under, arcs
from helpers.pictures.html import by_width
from helpers.pictures.plane import Axes
from helpers.sources import words

TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
STAGES = {"dot products": (3, 3), "scaled scores": (3, 3), "weights": (3, 3), "outputs": (3, 2)}
COLUMNS = {"columns": ["1", "2"], "corner": ""}
PLANE = {"x": (-0.4, 2.35), "y": (-0.22, 1.3), "x_title": "feature 1 →", "y_title": "↑ feature 2"}
AXES = Axes(620, 352, **PLANE, narrow=Axes(332, 250, **PLANE))
NEAR = 0.16  # a press as near as this to an output means the output
SUMS = {
    "dot products": dot_product("dot products", "X", "X", ("token", "token")),
    "scaled scores": quotient(
        "scaled scores", "dot products", lambda now: "1" if now.scale == 1 else number(1 / now.scale)
    ),
    "weights": share("weights", "scaled scores", lambda now: "3" if now.base == 3 else "e"),
    "outputs": mixture("outputs", "weights", "X"),
}
WITHIN = "every output lies between the smallest and the largest feature"


def explore_three_tokens():
    """Drag three tokens in the plane, click an output to see what it is made of, and any number for its sum.

    Shown: X (3, 2), "dot products", "scaled scores" and weights (3, 3), outputs (3, 2), and cell: row, column and value of
    the chosen cell
    """
    return explorer(
        _attend,
        lambda now: [_triangle(now), _stages(now)],
        lambda now: SUMS[now.control_values["cell"][0]].words(now, *now.control_values["cell"][1:]),
        [SHARES, between(lambda now: now.outputs, lambda now: now.X, WITHIN)],
        presets={
            "base 3, not scaled": {"X": TOKENS, "base": 3.0, "scale": 1.0},
            "twins": {"X": [[1, 0], [1, 0], [1, 1]]},
        },
        planes={
            "plane": Plane(AXES, _move, "drag a token; click a diamond to follow it", press=_follow, grab=_nearest)
        },
        touch={"X": leads_on("X")},
        sums=SUMS,
        follow="cell",
        folded=["X", "cell"],
        X=NumberGrid("X", TOKENS, compact=True),
        scale=choose("dot products divided by", {"√2": 1 / math.sqrt(2), "1": 1.0}, 1 / math.sqrt(2)),
        base=choose("base of softmax", {"e": math.e, "3": 3.0}, math.e),
        cell=stops("cell", cells(STAGES), ("outputs", 0, 0)),
    )


def explore_wrong_turns():
    """Take one wrong turn on the way from scores to outputs, and see which rule breaks.

    Shown: weights (3, 3), outputs (3, 2)
    """
    return wrong_turns(
        "after the scaled scores",
        _TURNS,
        _turn,
        lambda now: (now.table("weights"), now.table("outputs", columns=COLUMNS["columns"])),
        lambda now: f"The largest output is {now.outputs.max():.3f}; the largest feature is 1.",
        [SHARES, between(lambda now: now.outputs, lambda now: TOKENS, WITHIN)],
        sums=_TURNED_SUMS,
    )


def _attend(X, scale, base, cell):
    stage, i, j = cell
    answer = scaled_dot_product_attention(X, X, X, scale=scale, base=base)
    shown = {
        "X": X,
        "dot products": X @ X.T,
        "scaled scores": answer.scores,
        "weights": answer.weights,
        "outputs": answer.output,
    }
    return {**shown, "cell": np.array([i, j, shown[stage][i, j]])}


# --- the plane -------------------------------------------------------------------------------------------------------


def _nearest(now, x, y):
    """Which token a press takes."""
    return int(np.linalg.norm(now.X - (x, y), axis=1).argmin())


def _move(now, x, y, token):
    X = now.X.copy()
    X[token] = np.round((x, y), 1) + 0.0
    return {"X": X}


def _follow(now, x, y):
    """The output that is pressed, unless a token is nearer."""
    outputs = np.linalg.norm(now.outputs - (x, y), axis=1)
    if outputs.min() > NEAR or np.linalg.norm(now.X - (x, y), axis=1).min() < outputs.min():
        return None
    return {"cell": ("outputs", int(outputs.argmin()), 0)}


def _triangle(now):
    """Tokens as points, their triangle, outputs as diamonds; from the chosen one a line to each token, as thick as its weight."""
    return by_width(_in_the_plane(now, AXES), _in_the_plane(now, AXES.narrow))


def _in_the_plane(now, axes):
    row = now.control_values["cell"][1]
    sketch = axes.sketch()
    sketch.area(now.X)
    for token, weight in zip(now.X, now.weights[row]):
        sketch.between(now.outputs[row], token, "ink", 12 * weight, stroke_opacity=0.75)
    for k, token in enumerate(now.X):
        sketch.dot(token, "key", f"token {k + 1}", radius=8)
    for k in (*(k for k in range(3) if k != row), row):
        sketch.diamond(now.outputs[k], f"y{k + 1}", "output" if k == row else "muted")
    weights = ", ".join(f"{weight:.3f}" for weight in now.weights[row])
    place = "[{:.3f}, {:.3f}]".format(*now.outputs[row])
    return sketch.html(
        f"Three tokens as points, their triangle, and the outputs as diamonds inside it. Output {row + 1} is at {place}; its lines "
        f"to tokens 1, 2 and 3 are as thick as its weights {weights}."
    )


def _stages(now):
    row = now.control_values["cell"][1]
    limit = max(np.abs(now["dot products"]).max(), np.abs(now["scaled scores"]).max()) or 1.0
    scores = {"kind": "scores", "corner": "", "chosen_row": row, "limit": limit}
    places = 2 if now.base == math.e else 3
    return matrices.chain(
        now.table("X", "X", decimals=fewest_decimals(now.X, 2), **COLUMNS),
        now.table("dot products", "dot products", decimals=fewest_decimals(now["dot products"], 2), **scores),
        now.table("scaled scores", "÷ √2" if now.scale != 1 else "÷ 1", decimals=2, **scores),
        now.table("weights", decimals=places, chosen_row=row, corner="", row_sums=False),
        now.table("outputs", "Y", decimals=places, chosen_row=row, **COLUMNS),
    )


# --- wrong turns -----------------------------------------------------------------------------------------------------

_TURNS = {
    "softmax along each row": lambda scores: softmax(scores, axis=-1),
    "softmax down each column": lambda scores: softmax(scores, axis=0),
    "powers, not divided by their sum": np.exp,
    "no softmax at all": lambda scores: scores,
}


def _turn(turn):
    weights = turn(TOKENS @ TOKENS.T / math.sqrt(2))
    return {"weights": weights, "outputs": weights @ TOKENS}


def _made(now, i, j):
    """The weight, from the scaled scores of its row or its column."""
    scores = TOKENS @ TOKENS.T / math.sqrt(2)
    powers = {"row": scores[i], "column": scores[:, j]}
    along = "column" if "column" in now.recipe else "row"
    if "no softmax" in now.recipe:
        return f"weights [{i + 1}, {j + 1}] = the scaled score, {decimals(scores[i, j])}"
    if "not divided" in now.recipe:
        return f"weights [{i + 1}, {j + 1}] = e^{bracketed(decimals(scores[i, j]))} = {decimals(now.weights[i, j])}"
    total = " + ".join(f"e^{bracketed(decimals(score))}" for score in powers[along])
    return f"weights [{i + 1}, {j + 1}] = e^{bracketed(decimals(scores[i, j]))} / ({total}) = {decimals(now.weights[i, j])}"


_TURNED_SUMS = {"weights": _made, "outputs": mixture("outputs", "weights", lambda now: TOKENS)}


SHE = words.she_sentences()
FEATURES, WHO = SHE.features, SHE.who
TEXTS = {swapped: words.she_words(swapped) for swapped in (False, True)}  # tokens and X
SHOWN = 4  # columns of words that are drawn beside the mixture
CELL, GAP = 19, 2
STEP = CELL + GAP


def explore_similar_words():
    """Click a word of two sentences to let it look at all words by what it shares with them; swap the names.

    Shown: X (20, 9), one row for each token, query (9,), scores and weights (20,), output (9,), the mixture of all tokens
    """
    return explorer(
        _look,
        _picture,
        _describe,
        touch={
            "words": Touch(
                lambda now, k: {"asks": k},
                lambda now, k: f"{now.weights[k]:.1%} of the weight; click: “{_tokens(now)[k]}” looks",
            )
        },
        folded=["asks"],
        asks=stops("word that looks", words.numbered(SHE.tokens), SHE.tokens.index("She")),
        swapped=switch("swap Sarah and Alex"),
    )


def _look(asks, swapped):
    _, X = TEXTS[swapped]
    answer = scaled_dot_product_attention(X[asks][None], X, X)
    return {
        "X": X,
        "query": X[asks],
        **{name: part[0] for name, part in answer._asdict().items()},
    }


def _tokens(now):
    return TEXTS[now.swapped][0]


def _picture(now):
    under = Under(
        140 + 9 * STEP,
        9 * STEP + 100,
        lambda drawing, middles, top, narrow: (_narrow if narrow else _wide)(drawing, middles, top, now),
    )
    return arcs(
        _tokens(now),
        now.weights,
        now.asks,
        name="Two sentences",
        places=now.places("words"),
        highest=96,
        under=under,
    )


def _wide(drawing, middles, top, now):
    columns.under_words(drawing, middles, top - 6, now.X, asked=0.5 * now.query)
    _mixture(drawing, 102, top + 112, now, apart=76, shown=SHOWN, end=f"{_tokens(now)[now.asks]}, after")
    drawing.words(516, top + 132, "Who wears the watch?", size=15, anchor="start")
    drawing.words(516, top + 156, told(now), size=15, anchor="start", colour="output", bold=True)


def _narrow(drawing, middles, top, now):
    _mixture(drawing, 94, top + 40, now, apart=48, shown=3, end="after")
    drawing.words(8, top + 10, told(now), size=14, anchor="start", colour="output", bold=True)


def _mixture(drawing, x, top, now, *, apart, shown, end):
    """The columns of the words with most of the weight, how much of each is taken, and what that makes together."""
    order = np.argsort(-now.weights, kind="stable")[:shown]
    columns.labels(drawing, x - 8, top, [*FEATURES, *words.IS], height=CELL, gap=GAP)
    for k, word in enumerate(order):
        left = x + k * apart
        drawing.words(left + CELL / 2, top - 8, _tokens(now)[word], size=13, bold=True)
        columns.cells(drawing, left, top, now.X[word], width=CELL, height=CELL, gap=GAP)
        drawing.words(left + CELL / 2, top + 9 * STEP + 13, f"{now.weights[word]:.0%}", size=13, colour="muted")
        drawing.words(left + CELL / 2 + apart / 2, top + 4.5 * STEP, "+", size=16, colour="muted")
    after = x + shown * apart + 40
    drawing.words(after - 40, top + 4.5 * STEP, "… =", size=16, colour="muted", anchor="start")
    drawing.words(after + 10, top - 8, end, size=13, bold=True, colour="output")
    columns.cells(drawing, after, top, now.output, width=CELL, height=CELL, gap=GAP, role="output")
    shares = [f"{share:.0%}" for share in now.output]
    columns.labels(drawing, after + CELL + 6, top, shares, height=CELL, gap=GAP, anchor="start", colours=["output"] * 9)


def told(now):
    """Who the word has become, read off its column."""
    given = now.output[len(FEATURES) :]
    best, word = int(given.argmax()), _tokens(now)[now.asks]
    return f"✓ {word} is {WHO[best]}: {given[best]:.0%}" if given[best] > 0.5 else f"{word} is a bit of everybody"


def _describe(now):
    largest, asks = now.weights.max(), _tokens(now)[now.asks]
    best = [_tokens(now)[k] for k in np.flatnonzero(now.weights > largest - 1e-9)]
    if len(best) == len(_tokens(now)):
        return f"“{asks}” shares nothing with any word, so each gets the same {largest:.1%}."
    each = " each" if len(best) > 1 else ""
    return f"“{asks}” gives {largest:.0%} of its weight{each} to {listed([f'“{word}”' for word in best])}."
