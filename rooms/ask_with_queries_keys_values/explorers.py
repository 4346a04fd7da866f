"""One word asks, another one answers, and the word that asked gets what it gives; then both matrices as maps of a plane."""

from typing import NamedTuple

import numpy as np

from helpers.attention import scaled_dot_product_attention
from rooms.shared import columns, ribbons, softmax_sums, words
from rooms.shared.arcs import Under, arcs
from workbench import SHARES, Axes, Plane, Touch, between, explorer, fewest_decimals, in_two_widths, listed, matrices
from workbench.moving import sums
from workbench.moving.controls import NumberGrid, SwitchGrid, slider, stops, switch
from workbench.pictures.svg import BOLD, text_width

SHE = words.she_sentences()
FEATURES, WHO = SHE.features, SHE.who
TEXTS = {swapped: words.she_words(swapped) for swapped in (False, True)}  # tokens and X
ASKED = FEATURES[1:]  # what a question can ask for, and what a key tells of a word
START = np.array([[feature == "female" and asked in ("female", "name") for asked in ASKED] for feature in FEATURES])
FULL = 8  # a question of this strength fills its cell
NUM_ANSWERS = 3  # words whose keys are shown: the one that answers best, and the next ones


def explore_question():
    """Ask as strongly as you like, read down who answers and what the word that asks gets, and turn the cells of W_Q.

    Shown: X (20, 9), W_query (9, 4), W_key (9, 4), W_value (9, 9), query (4,), scores and weights (20,), output (9,) and
    after (9,), the word's cells with the output added
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
        strength=slider("strength of the question", 8.0, 0.0, 10.0, 0.5),
        swapped=switch("swap Sarah and Alex"),
        matrix=switch("show W_Q"),
        asks=stops("word that asks", words.numbered(SHE.tokens), SHE.tokens.index("She")),
        asking=SwitchGrid("W_Q", START, rows=FEATURES, columns=ASKED),
    )  # fmt: skip


def _flipped(now, i, j):
    turned = np.array(now.asking, dtype=bool)
    turned[i, j] = not turned[i, j]
    return {"asking": turned}


def _ask(strength, swapped, asks, asking, matrix):
    _, X = TEXTS[swapped]
    num_features, d_model = len(FEATURES), X.shape[1]
    W_query, W_key, W_value = (np.zeros((d_model, width)) for width in (len(ASKED), len(ASKED), d_model))
    W_query[:num_features] = strength * asking
    W_key[1:num_features] = np.eye(len(ASKED))
    W_value[num_features:, num_features:] = np.eye(len(WHO))
    query = X[asks] @ W_query
    output, weights, scores = (part[0] for part in scaled_dot_product_attention(query[None], X @ W_key, X @ W_value))
    return {
        **{"X": X, "W_query": W_query, "W_key": W_key, "W_value": W_value, "query": query},
        **{"scores": scores, "weights": weights, "output": output, "after": X[asks] + output},
    }


# --- three rows, read down: asks, answers, gets ------------------------------------------------------------------------


class Room(NamedTuple):
    """Where the rows stand on a card or on a phone, in pixels: the first cell's left edge, a cell's width, the gap, the size of letters."""

    left: float
    width: float
    gap: float
    size: float
    narrow: bool

    def x(self, k):
        return self.left + k * (self.width + self.gap)


CARD, PHONE_ROOM = Room(178, 84, 6, 14, False), Room(74, 64, 3, 12, True)
TALL, LINE, APART = 28, 32, 14  # pixels: of a cell, of a line of cells, between rows
GRID, HEAD = 24, 40  # of a line of W_Q, of its title


def _tokens(now):
    return TEXTS[now.swapped][0]


def _picture(now):
    tall = 5 * LINE + 2 * APART + 40 + (HEAD + len(FEATURES) * GRID + 8) * now.matrix

    def draw(drawing, middles, top, narrow):
        _read_down(drawing, top, now, PHONE_ROOM if narrow else CARD)

    under = Under(tall, tall + LINE + 50, draw)
    name = "Two sentences"
    return arcs(_tokens(now), now.weights, now.asks, name=name, places=now.places("words"), highest=96, under=under)


def _read_down(drawing, top, now, room):
    y = _matrix(drawing, top, now, room) if now.matrix else top
    word = _tokens(now)[now.asks]
    _label(drawing, y, room, word, "asks for", "query")
    for k, (asked, strength) in enumerate(zip(ASKED, now.query)):
        told = asked
        if strength and now.matrix:  # the column's head says what it is
            told = f"{strength:g}" if room.narrow else f"{asked} {strength:g}"
        _cell(drawing, room.x(k), y, room, told, "query", strength / FULL)
    y = _answers(drawing, y + LINE + APART, now, room) + APART
    _label(drawing, y, room, word, "gets", "output")
    given = now.output[len(FEATURES) :]
    for k, (who, share) in enumerate(zip(WHO, given)):
        _cell(drawing, room.x(k), y, room, f"{who} {share:.0%}", "value", share)
    rest = room.x(len(WHO)), y  # what went to words that do not say who anybody is
    if room.narrow:
        y += LINE
        rest = room.left, y
    _cell(drawing, *rest, room._replace(width=84), f"nothing {1 - given.sum():.0%}", "muted", 0)
    _verdict(drawing, y + TALL + 24, now, room, word, given)


def _matrix(drawing, y, now, room):
    """W_Q, its columns above the cells of the question; rows of what the word is not are pale, since they ask for nothing."""
    title = "W_Q: a row for what a word is, a column for what it asks for"
    title = "W_Q: rows are, columns ask for" if room.narrow else title
    drawing.words(room.left, y + 10, title, size=13, anchor="start", colour="query")
    for k, asked in enumerate(ASKED):
        drawing.words(room.x(k) + room.width / 2, y + HEAD - 12, asked, size=12, colour="muted")
    y += HEAD - 6
    small = room._replace(size=12)
    for i, feature in enumerate(FEATURES):
        has = now.X[now.asks, i] > 0
        look = {"size": 13 if not room.narrow else 12, "anchor": "end", "colour": "ink" if has else "muted"}
        drawing.words(room.left - 10, y + 15, f"{'✓ ' if has else ''}{feature}", **look)
        for j in range(len(ASKED)):
            strength = now.W_query[i, j]
            _cell(drawing, room.x(j), y, small, f"{strength:g}", "query", strength / FULL, high=GRID - 3, dim=not has)
            place = (now.places("W_Q"), i, j)
            drawing.box(room.x(j), y, room.width, GRID - 3, fill="transparent", place=place)
        y += GRID
    return y + 14


def _answers(drawing, y, now, room):
    """The keys of the words that answer best, cell below cell of the question: asked for and there, only there, only asked for."""
    tokens, keys = _tokens(now), now.X @ now.W_key
    if np.ptp(now.scores) < 1e-9:
        told = f"every word answers alike, {now.weights[0]:.0%} each"
        drawing.words(room.left, y + LINE + 19, told, size=room.size, bold=True, anchor="start", colour="key")
        return y + NUM_ANSWERS * LINE
    for place, word in enumerate(np.argsort(-now.scores, kind="stable")[:NUM_ANSWERS]):
        share, verb = f"{now.weights[word]:.0%}", "" if place else "answers"
        _label(drawing, y, room, tokens[word], share if room.narrow else verb, "key", bold=not place)
        for k, (asked, has) in enumerate(zip(ASKED, keys[word])):
            wanted = now.query[k] > 0
            _cell(drawing, room.x(k), y, room, asked, "key", 1 if has and wanted else 0.25 * has)
            if wanted and not has:
                missing = {"fill": "none", "stroke": "query", "stroke_width": 1.5, "stroke_dasharray": "4 3", "rx": 6}
                drawing.box(room.x(k), y, room.width, TALL, **missing)
        if not room.narrow:
            told = f"{_score(now, keys[word], word)} → {share}" if now.matrix else share
            drawing.words(room.x(4) + 4, y + 19, told, size=12 if now.matrix else 14, anchor="start", colour="ink")
        y += LINE
    return y


def _score(now, key, word):
    """How the score of a word is made."""
    parts = [f"{asked:g}" for asked, has in zip(now.query, key) if asked and has]  # times 1, as every key has here
    made = " + ".join(parts) or "0"
    return f"{f'({made})' if len(parts) > 1 else made} / √{len(key)} = {now.scores[word]:g}"


def _label(drawing, y, room, word, verb, role, bold=True):
    """Who does what, at the left of a row: in two lines on a phone."""
    if room.narrow:
        drawing.words(room.left - 6, y + 12, word, size=11, bold=bold, anchor="end", colour=role)
        drawing.words(room.left - 6, y + 26, verb, size=12, anchor="end", colour="muted")
    else:
        told = f"{word} {verb}".strip()
        size = min(15, (room.left - 16) / (BOLD * text_width(told, 1)))
        drawing.words(room.left - 12, y + 19, told, size=size, bold=bold, anchor="end", colour=role)


def _cell(drawing, x, y, room, told, role, share, high=TALL, dim=False):
    """One cell with its word, filled by value."""
    share = min(1, max(0, share))
    full = share > 0 and not dim
    look = {"fill": role, "fill_opacity": columns.NUMBERED * share * (0.4 if dim else 1), "rx": 6}
    drawing.box(x, y, room.width, high, stroke=role if full else "line", stroke_width=1.5 if full else 1, **look)
    wide = text_width(told, room.size)
    size = min(room.size, room.size * (room.width - (1 if room.narrow else 10)) / wide)
    drawing.words(x + room.width / 2, y + high / 2 + 0.36 * size, told, size=size, colour="ink" if full else "muted")


def _verdict(drawing, y, now, room, word, given):
    best = int(given.argmax())
    known = given[best] > 0.5
    wrong = known and word == "She" and now.swapped  # whoever is known is Sarah, and there she is the cat
    mark = "" if word != "She" else "✗ " if wrong else "✓ "
    unknown = "She is nobody yet" if word == "She" else "nobody knows"
    told = f"{mark}{word} is {WHO[best]}: {given[best]:.0%}" if known else unknown
    question, x = "Who wears the watch?", 8 if room.narrow else room.left
    drawing.words(x, y, question, size=15, anchor="start")
    x, y = (x, y + 24) if room.narrow else (x + text_width(question, 15) + 14, y)
    drawing.words(x, y, told, size=15, anchor="start", colour="output", bold=True)
    if wrong:
        x, y = (x, y + 22) if room.narrow else (x + BOLD * text_width(told, 15) + 12, y)
        drawing.words(x, y, "but Sarah is the cat now", size=14, anchor="start", colour="wrong")


def _describe(now):
    tokens, largest = _tokens(now), now.weights.max()
    asks = tokens[now.asks]
    if np.ptp(now.weights) < 1e-9:
        return f"“{asks}” asks for nothing, so every word gets the same {largest:.1%}."
    best = [tokens[k] for k in np.flatnonzero(now.weights > largest - 1e-9)]
    each = " each" if len(best) > 1 else ""
    return f"“{asks}” gives {largest:.0%} of the weight{each} to {listed([f'“{word}”' for word in best])}."


NAMES = ["Sarah", "Alex", "watch", "She"]
X = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0]])  # female, a name
WIDE, HIGH = 780, 340
PHONE, LOWER = (332, 548), 282  # pixels: of both planes on a phone, one above the other; where the second begins
WORDS_PLANE = {"x": (-0.5, 1.6), "y": (-0.35, None), "x_title": "words: female →, a name ↑"}
ASKED_PLANE = {"x": (-1.3, 4.2), "y": (-0.7, None), "x_title": "queries and keys"}
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
    "scores": sums.dot_product("scores", "query", "key", ("query", "key"), scale=lambda now: "√2"),
    "weights": softmax_sums.share("weights", "scores", lambda now: "e"),
    "output": sums.mixture("output", "weights", "X"),
}


def explore_projections():
    """Drag the rows of W_Q and W_K, the places to which [1, 0] and [0, 1] are sent, and see queries and keys go along.

    Shown: X (4, 2), W_Q and W_K (2, 2) as they are in use, query and key (4, 2), scores and weights (4, 4), output (4, 2), and
    chosen (), the index of the word that is followed
    """
    row = Touch(lambda now, i, j: {"chosen": i}, lambda now, i, j: f"click: follow {NAMES[i]}")
    return explorer(
        _attend,
        lambda now: [_two_planes(now), *([_stages(now)] if now.numbers else [])],
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
        numbers=switch("show every number"),
        W_query=NumberGrid("W_Q", [[1.0, 0.0], [1.0, 1.0]], compact=True, note="(used as W_K while swapped)"),
        W_key=NumberGrid("W_K", 2 * np.eye(2), compact=True, note="(used as W_Q while swapped)"),
        chosen=stops("follow word", words.numbered(NAMES), NAMES.index("She")),
    )


def _attend(swap, numbers, W_query, W_key, chosen):
    W_Q, W_K = (W_key, W_query) if swap else (W_query, W_key)
    query, key = X @ W_Q, X @ W_K
    answer = scaled_dot_product_attention(query, key, X)
    shown = {"X": X, "W_Q": W_Q, "W_K": W_K, "query": query, "key": key}
    return {**shown, **answer._asdict(), "chosen": np.array(chosen)}


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
    return {"chosen": int(np.linalg.norm(now.X - (x, y), axis=1).argmin())}


@in_two_widths((LEFT, RIGHT), (LEFT.narrow, RIGHT.narrow))
def _two_planes(now, left, right):
    asks, answers = int(now.chosen), int(now.scores[now.chosen].argmax())
    room = max(0, right.left - 20), right.top - 10, *right.size
    sketch, words_plane = right.sketch(room), left.sketch()
    for role, W, points in (("key", now.W_K, now.key), ("query", now.W_Q, now.query)):
        _mesh(sketch, W, role)
        for point in points:
            sketch.dot(point, role, radius=4)
        for tip in W:
            sketch.ring(tip, role)
    for role, tip, told, shift in (
        ("key", now.key[answers], f"{NAMES[answers]}’s key", (12, -10)),
        ("query", now.query[asks], f"{NAMES[asks]}’s query", (12, -10)),
    ):
        sketch.arrow(tip, role)
        if not sketch.beyond(tip, told, role):
            sketch.say(tip, told, shift, colour=role, anchor="start", font_weight=600)
    for size in ((room[0], sketch.height), (sketch.width, room[1])):  # what lies beyond ends before the words
        sketch.box(0, 0, *size, fill="paper")
    _mesh(words_plane, np.eye(2), "ink")
    for token, weight in zip(now.X, now.weights[asks]):
        words_plane.between(now.output[asks], token, **ribbons.line(weight))
    for k, (token, name) in enumerate(zip(now.X, NAMES)):
        role = "query" if k == asks else "ink" if k == answers else "muted"
        words_plane.dot(token, role, radius=7)
        look = {"size": 13} if role == "muted" else {"font_weight": 600}
        words_plane.say(token, name, (0, -13), colour=role, **look)
    words_plane.diamond(now.output[asks], colour="output")
    told = f"◆ what {NAMES[asks]} gets"  # at the top, since ribbons run from the diamond to all sides
    words_plane.words(
        left.left + 4, left.top + 12, told, size=14, colour="output", anchor="start", halo=True, bold=True
    )
    sketch.root.extend(list(words_plane.root))
    x, y = ((left.right + right.left) / 2, HIGH / 2) if right.left > left.right else (52, LOWER - 2)
    for across, letter, role in ((-19, "W_Q", "query"), (19, "W_K", "key")):
        sketch.words(x + across, y, letter, size=13, bold=True, colour=role)
    sketch.words(x, y + 22, "→" if right.left > left.right else "↓", size=22)
    told = ", ".join(f"{weight:.2f}" for weight in now.weights[asks])
    return sketch.html(
        f"Left, the words as points in a grid; what {NAMES[asks]} gets is a diamond, with a ribbon to each word as wide as its "
        f"weight, {told}. Right, the grid as W_Q bends it, {_rows(now.W_Q)}, with all queries, and as W_K does, {_rows(now.W_K)}, with all keys."
    )


def _mesh(sketch, W, role):
    """The square in which the words lie, and the lines of its grid, where a matrix sends them."""
    sketch.area([(0, 0), W[0], W[0] + W[1], W[1]], role, 0.06)
    for step in np.arange(5) / 4:
        for along, across in (W, W[::-1]):
            sketch.between(step * across, step * across + along, role, 1, stroke_opacity=0.4)


def _stages(now):
    chosen = int(now.chosen)
    how = {"rows": NAMES, "chosen_row": chosen, "corner": ""}
    return matrices.beside(
        now.table("scores", "Q Kᵀ / √2", columns=NAMES, decimals=fewest_decimals(now.scores, 2), **how),
        now.table("weights", columns=NAMES, decimals=2, row_sums=False, **how),
        now.table("output", columns=["female", "a name"], decimals=2, **how),
    )


def _rows(W):
    return " and ".join(map(_vector, W))


def _describe_planes(now):
    i = int(now.chosen)
    weights = now.weights[i]
    best = [NAMES[j] for j in np.flatnonzero(weights > weights.max() - 1e-9)]
    each = " each" * (len(best) > 1)
    return f"{NAMES[i]} asks {_vector(now.query[i])} and gives {weights.max():.0%} of the weight{each} to {sums.listed(best)}."


def _vector(row):
    return "[" + ", ".join(f"{round(x, 2) + 0.0:.2f}" for x in row.tolist()) + "]"
