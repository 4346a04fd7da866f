"""Three tokens with every number within reach, and words that look at each other by what they share."""

import math

import numpy as np

from helpers import matrices
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers.controls import NumberGrid, choose, slider, stops, switch
from helpers.explorers.engine import SHARES, between, explorer, wrong_turns
from helpers.explorers.sums import bracketed, cells, decimals, dot_product, listed, mixture, number, quotient, share
from helpers.explorers.touch import Plane, Sum, Touch, leads_on
from helpers.matrices import fewest_decimals
from helpers.pictures.arcs import arcs
from helpers.pictures.plane import Axes
from helpers.sources import words

TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
NOTES = (1.203, 0.599)  # where one of the notes puts output 1
STAGES = {"dot products": (3, 3), "scaled scores": (3, 3), "weights": (3, 3), "outputs": (3, 2)}
FEATURES = {"columns": ["1", "2"], "corner": ""}
AXES = Axes(620, 352, (-0.4, 2.35), (-0.22, 1.3), x_title="feature 1 →", y_title="↑ feature 2")
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
        lambda now: (now.table("weights"), now.table("outputs", columns=FEATURES["columns"])),
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
    row = now.control_values["cell"][1]
    sketch = AXES.sketch()
    sketch.area(now.X)
    for token, weight in zip(now.X, now.weights[row]):
        sketch.between(now.outputs[row], token, "ink", 12 * weight, stroke_opacity=0.75)
    sketch.ring(NOTES, "wrong", "the notes: 1.203")
    for k, token in enumerate(now.X):
        sketch.dot(token, "key", f"token {k + 1}", radius=8)
    for k in (*(k for k in range(3) if k != row), row):
        sketch.diamond(now.outputs[k], f"y{k + 1}", "output" if k == row else "muted")
    weights = ", ".join(f"{weight:.3f}" for weight in now.weights[row])
    place = "[{:.3f}, {:.3f}]".format(*now.outputs[row])
    return sketch.html(
        f"Three tokens as points, their triangle, and the outputs as diamonds inside it. Output {row + 1} is at {place}; its lines "
        f"to tokens 1, 2 and 3 are as thick as its weights {weights}. An open ring at [1.203, 0.599] is where the notes put output 1."
    )


def _stages(now):
    row = now.control_values["cell"][1]
    limit = max(np.abs(now["dot products"]).max(), np.abs(now["scaled scores"]).max()) or 1.0
    scores = {"kind": "scores", "corner": "", "chosen_row": row, "limit": limit}
    places = 2 if now.base == math.e else 3
    return matrices.chain(
        now.table("X", "X", decimals=fewest_decimals(now.X, 2), **FEATURES),
        now.table("dot products", "dot products", decimals=fewest_decimals(now["dot products"], 2), **scores),
        now.table("scaled scores", "÷ √2" if now.scale != 1 else "÷ 1", decimals=2, **scores),
        now.table("weights", decimals=places, chosen_row=row, corner="", row_sums=False),
        now.table("outputs", "Y", decimals=places, chosen_row=row, **FEATURES),
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


# --- words that look at each other -----------------------------------------------------------------------------------

SHE = words.she_sentences()
ROWS = list(SHE.table)
FEMALE, NAME = SHE.features.index("female"), SHE.features.index("name")
LABELS = [(f"{k + 1} {token}", k) for k, token in enumerate(SHE.tokens)]


def explore_similar_words():
    """Click a word of two sentences to let it look at all words by the features that it shares with them; swap the names.

    Shown: X (20, 5), one row for each token, query (5,), scores and weights (20,), output (5,), the mixture of all tokens
    """
    return explorer(
        lambda asks, swapped: _look(np.eye(5), asks, swapped),
        lambda now: [_sentence(now), _table(now)],
        _describe,
        touch=CLICK,
        sums=SCORE_SUMS,
        folded=["asks"],
        asks=choose("word that looks", LABELS, SHE.tokens.index("She")),
        swapped=switch("swap the names Sarah and Alex"),
    )


def explore_question():
    """Turn the question of female words into "a woman's name, please", as strongly as you like.

    Shown: X (20, 5), W_query (5, 5), query (5,), scores and weights (20,), output (5,)
    """
    return explorer(
        lambda strength, asks, swapped: _look(_asking(strength), asks, swapped),
        lambda now: [_sentence(now), _table(now)],
        _describe,
        touch=CLICK,
        sums=SCORE_SUMS,
        folded=["asks"],
        strength=slider("strength of the question", 1.0, 0.0, 6.0, 0.5),
        swapped=switch("swap the names Sarah and Alex"),
        asks=choose("word that asks", LABELS, SHE.tokens.index("She")),
    )


def _asking(strength):
    """W_query: what is female asks for what is female and a name."""
    W_query = np.zeros((5, 5))
    W_query[FEMALE, [FEMALE, NAME]] = strength
    return W_query


def _tokens(swapped):
    names = {"Sarah": "Alex", "Alex": "Sarah"} if swapped else {}
    return [names.get(token, token) for token in SHE.tokens]


def _look(W_query, asks, swapped):
    X = words.rows(_tokens(swapped), SHE.table, len(SHE.features))
    query = X[asks] @ W_query
    answer = scaled_dot_product_attention(query[None, :], X, X, scale=1)
    return {
        "X": X,
        "W_query": W_query,
        "query": query,
        **{name: array[0] for name, array in answer._asdict().items()},
        "shared": np.array([[*row, row @ query] for row in SHE.table.values()]),
    }


def _sentence(now):
    return arcs(_tokens(now.swapped), now.weights, now.asks, name="Two sentences", places=now.places("words"))


def _table(now):
    asks = _tokens(now.swapped)[now.asks]
    shaded = np.column_stack([now.shared[:, :-1] * now.query, now.shared[:, -1]])
    return now.table(
        "shared", f"what “{asks}” asks for, found in each word; all other words have zeros", rows=ROWS, kind="scores",
        columns=[*SHE.features, "score"], decimals=fewest_decimals(now.shared, 1), shaded=shaded, limit=max(3.0, shaded.max()),
        chosen_row=ROWS.index(asks) if asks in ROWS else None, corner="key",
    )  # fmt: skip


def _describe(now):
    tokens = _tokens(now.swapped)
    asks, largest = tokens[now.asks], now.weights.max()
    if np.ptp(now.weights) < 1e-9:
        return f"“{asks}” asks for nothing, so every word gets the same {largest:.1%}."
    best = [tokens[k] for k in np.flatnonzero(now.weights > largest - 1e-9)]
    each = " each" if len(best) > 1 else ""
    return f"“{asks}” gives {largest:.0%} of its weight{each} to {listed([f'“{word}”' for word in best])}."


def _made_of_features(now, i, j):
    if j < len(SHE.features):
        return f"“{ROWS[i]}”, {SHE.features[j]}: {now.shared[i, j]:g}"
    parts = " + ".join(f"{a:g}·{b:g}" for a, b in zip(now.shared[i, :-1], now.query))
    return f"score of “{ROWS[i]}” = {parts} = {now.shared[i, j]:g}"


CLICK = {
    "words": Touch(
        lambda now, k: {"asks": k},
        lambda now, k: f"{now.weights[k]:.1%} of the weight; click: “{_tokens(now.swapped)[k]}” looks",
    )
}
SCORE_SUMS = {"shared": Sum([], _made_of_features)}
