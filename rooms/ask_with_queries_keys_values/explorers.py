"""One word asks, another one answers, and what it gives flows into the column of the word that asked; then both matrices as arrows."""

import numpy as np

from helpers.attention import scaled_dot_product_attention
from rooms.shared import columns, ribbons, words
from rooms.shared.arcs import Under, arcs
from workbench import matrices
from workbench.matrices import fewest_decimals
from workbench.moving import sums
from workbench.moving.controls import NumberGrid, SwitchGrid, slider, stops, switch
from workbench.moving.engine import SHARES, between, explorer
from workbench.moving.sums import listed
from workbench.moving.touch import Plane, Touch
from workbench.pictures.html import by_width
from workbench.pictures.plane import Axes, together
from workbench.pictures.svg import BOLD, text_width

SHE = words.she_sentences()
FEATURES, WHO = SHE.features, SHE.who
TEXTS = {swapped: words.she_words(swapped) for swapped in (False, True)}  # tokens and X
ASKED = FEATURES[1:]  # what a question can ask for, and what a key tells of a word
START = np.array([[feature == "female" and asked in ("female", "name") for asked in ASKED] for feature in FEATURES])
CELL, GAP = 19, 2
STEP = CELL + GAP


def explore_question():
    """Ask as strongly as you like, turn the cells of W_Q, and see whose value flows into the column of the word that asks.

    Shown: X (20, 9), W_query (9, 4), W_key (9, 4), W_value (9, 9), query (4,), scores and weights (20,), output (9,) and
    after (9,), the word's row with the output added
    """
    return explorer(
        _ask,
        _picture,
        _describe,
        touch={
            "words": Touch(lambda now, k: {"asks": k}, lambda now, k: f"score {now.scores[k]:g}, {now.weights[k]:.1%} of the weight; click: “{_tokens(now)[k]}” asks"),
            "W_Q": Touch(_flipped, lambda now, i, j: f"what is {FEATURES[i]} asks for {ASKED[j]}: {'yes' if now.asking[i, j] else 'no'}; click to turn"),
        },
        folded=["asks", "asking"],
        strength=slider("strength of the question", 2.0, 0.0, 10.0, 0.5),
        swapped=switch("swap Sarah and Alex"),
        asks=stops("word that asks", words.numbered(SHE.tokens), SHE.tokens.index("She")),
        asking=SwitchGrid("W_Q", START, rows=FEATURES, columns=ASKED),
    )  # fmt: skip


def _flipped(now, i, j):
    turned = np.array(now.asking, dtype=bool)
    turned[i, j] = not turned[i, j]
    return {"asking": turned}


def _ask(strength, swapped, asks, asking):
    _, X = TEXTS[swapped]
    num_features, d_model = len(FEATURES), X.shape[1]
    W_query, W_key, W_value = (
        np.zeros((d_model, len(ASKED))),
        np.zeros((d_model, len(ASKED))),
        np.zeros((d_model, d_model)),
    )
    W_query[:num_features] = strength * asking
    W_key[1:num_features] = np.eye(len(ASKED))
    W_value[num_features:, num_features:] = np.eye(len(WHO))
    query = X[asks] @ W_query
    output, weights, scores = (part[0] for part in scaled_dot_product_attention(query[None], X @ W_key, X @ W_value))
    return {
        **{"X": X, "W_query": W_query, "W_key": W_key, "W_value": W_value, "query": query},
        **{"scores": scores, "weights": weights, "output": output, "after": X[asks] + output},
    }


# --- the picture -----------------------------------------------------------------------------------------------------


def _tokens(now):
    return TEXTS[now.swapped][0]


def _picture(now):
    tokens = _tokens(now)
    under = Under(
        130 + 9 * STEP,
        18 * STEP + 90,
        lambda drawing, middles, top, narrow: (_narrow if narrow else _wide)(drawing, middles, top, now),
    )
    return arcs(
        tokens, now.weights, now.asks, name="Two sentences", places=now.places("words"), highest=96, under=under
    )


def _wide(drawing, middles, top, now):
    top -= 6
    asked = np.concatenate([[0], now.query / max(now.query.max(), 1e-9), np.zeros(len(WHO))]) * min(1, now.strength / 8)
    columns.under_words(drawing, middles, top, now.X, asked=asked)
    foot = top + 128
    _before(drawing, 102, foot, now)
    _flow(drawing, 448, 672, foot, now)


def _narrow(drawing, middles, top, now):
    _before(drawing, 94, top + 30, now, width=48, apart=12, title="W_Q", beside=False)
    _flow(drawing, 8, 228, top + 9 * STEP + 74, now, size=14)


def _before(drawing, x, top, now, width=45, apart=22, title="W_Q: what each feature asks for", beside=True):
    """The word's column, and to the right of it W_Q: each feature that the word has asks its row. Below them the query and the
    key of the word that is found, under the same heads, and the score that they make."""
    asks, found = _tokens(now)[now.asks], int(now.weights.argmax())
    row, first = now.X[now.asks], len(FEATURES)
    left = x + CELL + apart
    middle = min(x + CELL / 2, left - 4 - BOLD * text_width(asks, 14) / 2)  # a long word keeps clear of W_Q's heads
    drawing.words(middle, top - 8, asks, size=14, bold=True, colour="ink")
    columns.cells(drawing, x, top, row, width=CELL, height=CELL, gap=GAP)
    columns.labels(drawing, x - 8, top, [*FEATURES, *words.IS], height=CELL, gap=GAP)
    right = left + 4 * (width + GAP)
    drawing.words((left + right) / 2, top - 24, title, size=13, colour="query")
    for k, asked in enumerate(ASKED):
        colour = "query" if now.query[k] else "muted"
        drawing.words(left + k * (width + GAP) + width / 2, top - 7, asked, size=12, colour=colour)
    cells = {"width": width, "height": CELL, "gap": GAP}
    columns.matrix(
        drawing, left, top, now.W_query[:first], full=8, lit=row[:first] > 0, places=now.places("W_Q"), **cells
    )
    y, key = top + first * STEP, (now.X @ now.W_key)[found]
    for name, values, role, full in (
        (f"{asks} asks", now.query, "query", 8),
        (f"{_tokens(now)[found]}’s key", key, "key", 1),
    ):
        y += 8 if beside else 20
        columns.cells(drawing, left, y, values, role=role, full=full, across=True, numbers=True, **cells)
        at = (right + 6, y + 14, "start") if beside else ((left + right) / 2, y - 4, "middle")
        drawing.words(*at[:2], name, size=13, colour=role, anchor=at[2], bold=True)
        y += STEP
    drawing.words(left if beside else 8, y + 16, _score(now, key, found), size=13, anchor="start")


def _score(now, key, found):
    """How the score of the found word is made."""
    parts = [f"{asked:g}·{has:g}" for asked, has in zip(now.query, key) if asked and has]
    made = f"({' + '.join(parts)}) / √{len(key)} = " if parts else ""
    return f"{made}score {now.scores[found]:g}"


def _flow(drawing, start, x, top, now, size=15):
    word, first = _tokens(now)[now.asks], len(FEATURES)
    drawing.words(x + CELL / 2, top - 8, f"{word}, after", size=14, bold=True, colour="output")
    given = now.output[first:]
    columns.cells(drawing, x, top, now.after[:first], width=CELL, height=CELL, gap=GAP)
    columns.cells(drawing, x, top + first * STEP, given, width=CELL, height=CELL, gap=GAP, role="output")
    said = [f"{who} gives {share:.0%}" for who, share in zip(WHO, given)]
    drawing.words(start, top + first * STEP - 10, "W_V: who a word is", size=13, anchor="start", colour="value")
    columns.flows(drawing, start, x - 4, top + first * STEP, given, said, height=CELL, gap=GAP)
    columns.labels(
        drawing, x + CELL + 8, top, [*FEATURES, *words.IS], height=CELL, gap=GAP, anchor="start",
        colours=["output" if k >= first and share >= 0.5 else "muted" for k, share in enumerate(now.after)],
    )  # fmt: skip
    best = int(given.argmax())
    known = given[best] > 0.5
    wrong = known and word == "She" and now.swapped  # whoever is known is Sarah, and there she is the cat
    mark = "" if word != "She" else "✗ " if wrong else "✓ "
    told = f"{mark}{word} is {WHO[best]}: {given[best]:.0%}" if known else f"{word} is a bit of everybody"
    drawing.words(start, top + 20, "Who wears the watch?", size=15, anchor="start", colour="ink")
    fits = (x - 8 - start) / text_width(told, BOLD)
    drawing.words(start, top + 44, told, size=min(size, max(10, fits)), anchor="start", colour="output", bold=True)
    if wrong:
        drawing.words(start, top + 66, "but Sarah is the cat now", size=size - 2, anchor="start", colour="wrong")


def _describe(now):
    tokens, largest = _tokens(now), now.weights.max()
    asks = tokens[now.asks]
    if np.ptp(now.weights) < 1e-9:
        return f"“{asks}” asks for nothing, so every word gets the same {largest:.1%}."
    best = [tokens[k] for k in np.flatnonzero(now.weights > largest - 1e-9)]
    each = " each" if len(best) > 1 else ""
    return f"“{asks}” gives {largest:.0%} of its weight{each} to {listed([f'“{word}”' for word in best])}."


NAMES = ["Sarah", "Alex", "watch", "She"]
X = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0]])  # female, a name
WIDE, HIGH = 780, 340
WORDS_PLANE = {"x": (-0.5, 1.6), "y": (-0.35, None), "x_title": "words: female →, a name ↑"}
ASKED_PLANE = {"x": (-1.3, 4.2), "y": (-0.7, None), "x_title": "queries and keys"}
PHONE, LOWER = (332, 548), 282  # pixels: of both planes on a phone, one above the other; where the second begins
LEFT = Axes(
    WIDE, HIGH, **WORDS_PLANE, margin=(14, 22, WIDE - 370, 22),
    narrow=Axes(*PHONE, **WORDS_PLANE, margin=(14, 8, 14, PHONE[1] - LOWER + 20)),
)  # fmt: skip
RIGHT = Axes(
    WIDE, HIGH, **ASKED_PLANE, margin=(WIDE - 370, 22, 14, 22),
    narrow=Axes(*PHONE, **ASKED_PLANE, margin=(14, LOWER + 8, 14, 22)),
)  # fmt: skip
SUMS = {
    "query": sums.product("query", "X", "W_Q"),
    "key": sums.product("key", "X", "W_K"),
    "scores": sums.dot_product("scores", "query", "key", scale=lambda now: "√2"),
    "weights": sums.share("weights", "scores", lambda now: "e"),
    "output": sums.mixture("output", "weights", "X"),
}


def explore_projections():
    """Drag the rows of W_Q and W_K, the places to which [1, 0] and [0, 1] are sent, and see queries and keys go along.

    Shown: X (4, 2), W_Q and W_K (2, 2) as they are in use, query and key (4, 2), scores and weights (4, 4), output (4, 2), and
    chosen (), the index of the word that is followed
    """
    row = Touch(lambda now, i, j: {"chosen": i + 1}, lambda now, i, j: f"click: follow {NAMES[i]}")
    return explorer(
        _attend,
        lambda now: [_planes(now), _stages(now)],
        _describe_planes,
        [SHARES, between(lambda now: now.output, lambda now: now.X, "every output lies between the words")],
        presets={"the same matrix twice": {"W_query": np.eye(2), "W_key": np.eye(2)}},
        planes={
            "rows of W": Plane(RIGHT, _drag, "drag the tip of a row of W_Q or W_K", grab=_take),
            "words": Plane(LEFT, _follow, "click a word to follow it", drag=False),
        },
        touch=dict.fromkeys(["X", "query", "key", "scores", "weights", "output"], row),
        sums=SUMS,
        folded=["W_query", "W_key", "chosen"],
        swap=switch("swap Q and K"),
        W_query=NumberGrid("W_Q", np.eye(2), compact=True),
        W_key=NumberGrid("W_K", 2 * np.eye(2), compact=True),
        chosen=slider("follow word", 4, 1, 4, 1),
    )


def _attend(swap, W_query, W_key, chosen):
    W_Q, W_K = (W_key, W_query) if swap else (W_query, W_key)
    query, key = X @ W_Q, X @ W_K
    answer = scaled_dot_product_attention(query, key, X)
    return {
        **{"X": X, "W_Q": W_Q, "W_K": W_K, "query": query, "key": key},
        **answer._asdict(),
        "chosen": np.array(chosen - 1),
    }


# --- two planes ------------------------------------------------------------------------------------------------------


def _tips(now):
    """((control, row), tip) of the four rows that can be dragged; while Q and K are swapped, so are the controls."""
    controls = ("W_key", "W_query") if now.swap else ("W_query", "W_key")
    return [((control, row), now[name][row]) for control, name in zip(controls, ("W_Q", "W_K")) for row in (0, 1)]


def _take(now, x, y):
    """The row whose tip is nearest. Where two lie on each other, that of the queries."""
    return min(_tips(now), key=lambda tip: np.linalg.norm(tip[1] - (x, y)))[0]


def _drag(now, x, y, taken):
    control, row = taken
    W = now.control_values[control].copy()
    W[row] = np.round(np.array([x, y]) * 4) / 4 + 0.0
    return {control: W}


def _follow(now, x, y):
    return {"chosen": int(np.linalg.norm(now.X - (x, y), axis=1).argmin()) + 1}


def _planes(now):
    return by_width(_two_planes(now, LEFT, RIGHT), _two_planes(now, LEFT.narrow, RIGHT.narrow))


def _two_planes(now, left, right):
    chosen = int(now.chosen)
    room = max(0, right.left - 20), right.top - 10, *right.size
    sketch, words_plane = right.sketch(room), left.sketch()
    for key, weight in zip(now.key, now.weights[chosen]):
        sketch.between(now.query[chosen], key, **ribbons.line(weight, opacity=0.4))
    for letter, role, dashes in (("W_K", "key", "2 4"), ("W_Q", "query", "6 4")):
        for tip in now[letter]:
            sketch.between((0, 0), tip, role, 2, stroke_dasharray=dashes)
            sketch.ring(tip, role, radius=9)
    for rows, role in ((now.key, "key"), (now.query, "query")):
        for place, names in together(rows, NAMES):
            label = f"{role[0]} {' '.join(names)}"
            if not sketch.beyond(place, label, role):
                sketch.dot(place, role, radius=6)
                shift, anchor = ((-10, -10), "end") if role == "query" else ((10, 20), "start")
                sketch.say(place, label, shift, colour=role, anchor=anchor, font_weight=600)
    for size in ((room[0], sketch.height), (sketch.width, room[1])):  # what lies beyond ends before the words
        sketch.box(0, 0, *size, fill="paper")
    words_plane.area(now.X)
    for token, weight in zip(now.X, now.weights[chosen]):
        words_plane.between(now.output[chosen], token, **ribbons.line(weight))
    for token, name in zip(now.X, NAMES):
        words_plane.dot(token, "key", name, radius=8)
    words_plane.diamond(now.output[chosen], f"output of {NAMES[chosen]}")
    sketch.root.extend(list(words_plane.root))
    told = ", ".join(f"{weight:.2f}" for weight in now.weights[chosen])
    return sketch.html(
        f"Left, the words as points; the output of {NAMES[chosen]} is a diamond, with a line to each token as thick as its "
        f"weight, {told}. Right, queries and keys as points, made by the rows of W_Q, {_rows(now.W_Q)}, and of W_K, {_rows(now.W_K)}."
    )


def _stages(now):
    chosen = int(now.chosen)
    how = {"rows": NAMES, "chosen_row": chosen, "corner": ""}
    return matrices.chain(
        now.table("scores", "Q Kᵀ / √2", columns=NAMES, decimals=fewest_decimals(now.scores, 2), **how),
        now.table("weights", columns=NAMES, decimals=2, row_sums=False, **how),
        now.table("output", columns=["female", "a name"], decimals=2, **how),
    )


def _rows(W):
    return " and ".join(_vector(row, 2) for row in W)


def _describe_planes(now):
    i = int(now.chosen)
    weights = now.weights[i]
    best = [NAMES[j] for j in np.flatnonzero(weights > weights.max() - 1e-9)]
    each = " each" * (len(best) > 1)
    return f"{NAMES[i]} asks {_vector(now.query[i], 2)} and gives {weights.max():.0%} of its weight{each} to {sums.listed(best)}."


def _vector(row, decimals):
    return "[" + ", ".join(f"{round(x, decimals) + 0.0:.{decimals}f}" for x in row.tolist()) + "]"
