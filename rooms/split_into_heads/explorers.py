"""Several heads: who was which, the columns of each head, and the wrong way to cut them."""

import numpy as np

from helpers.attention import merge_heads, scaled_dot_product_attention, split_heads
from rooms.shared import columns, ribbons
from workbench import matrices
from workbench.moving.controls import NumberGrid, choose, slider
from workbench.moving.engine import Rule, explorer, wrong_turns
from workbench.moving.sums import listed, number
from workbench.moving.touch import Plane
from workbench.pictures.html import by_width
from workbench.pictures.plane import Axes
from workbench.pictures.svg import Drawing

SENTENCES = {"Mia gave Tom": "Mia gave Tom a book".split(), "Tom gave Mia": "Tom gave Mia a book".split()}
NAMES, VERB = ["Mia", "Tom"], 1
SIDES = np.array(
    [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
)  # a name before the verb, a name after it


def explore_binding():
    """Let "gave" look at both names of two sentences, with one head or with two, and see what its output still says.

    Shown: weights (2, num_heads, 5) and output (2, num_heads, 2), of each sentence and head
    """
    return explorer(
        _bind,
        _show_binding,
        _describe_binding,
        [
            Rule(
                "the two sentences give different outputs",
                lambda now: (_differ(now) > 1e-9, "both sentences give the same output"),
            )
        ],
        num_heads=choose("heads", [("one head", 1), ("two heads", 2)], 1),
        strength=slider("strength of the question", 5.5, 0.0, 10.0, 0.5),
    )


def _bind(num_heads, strength):
    query = split_heads(np.array([[strength, strength]]), num_heads)
    found = [
        scaled_dot_product_attention(query, split_heads(SIDES, num_heads), _names_in(words), scale=1.0)
        for words in SENTENCES.values()
    ]
    return {name: np.stack([getattr(each, name)[:, 0] for each in found]) for name in ("weights", "output")}


def _names_in(words):
    """What each word hands over: which of the names it is."""
    return np.array([[float(word == name) for name in NAMES] for word in words])


def _differ(now):
    return np.abs(now.output[0] - now.output[1]).max()


def _show_binding(now):
    return by_width(_two_sentences(now, 800, 400), _two_sentences(now, 340, 0))


def _two_sentences(now, width, apart):
    """The sentences side by side, on a phone below each other; head 1 has its arcs above the words, and head 2 below."""
    tall = 270 if apart else 226
    drawing = Drawing(width, tall if apart else 2 * tall + 28)
    for k, (words, weights, output) in enumerate(zip(SENTENCES.values(), now.weights, now.output)):
        left, top = (apart * k, 0) if apart else (0, (tall + 18) * k - 26)
        step = 340 / (len(words) + 0.4)
        middles = [left + step * (j + 0.7) for j in range(len(words))]
        for head, row in enumerate(weights):
            _arcs_of_a_head(drawing, middles, row, top + (84 if head == 0 else 128), -1 if head == 0 else 1)
        for j, word in enumerate(words):
            drawing.words(middles[j], top + 113, word, size=20, colour="query" if j == VERB else "ink", bold=j == VERB)
        _cells_of_the_output(drawing, left + 60, top + 186, output)
    same = _differ(now) < 1e-9
    x, y = (400 - 28, 220) if apart else (322, tall - 26)
    drawing.words(x, y, "=" if same else "≠", size=44, colour="wrong" if same else "output", bold=True)
    told = [
        f"{name}: gave takes " + " and ".join(f"{row[0]:.2f} Mia, {row[1]:.2f} Tom" for row in output)
        for name, output in zip(SENTENCES, now.output)
    ]
    return drawing.html(f"Two sentences. {'. '.join(told)}. The outputs are {'the same' if same else 'different'}.")


def _arcs_of_a_head(drawing, middles, weights, base, side):
    """The ribbon of a head, from the verb above (-1) or below (1) the words."""
    leaves = base + ribbons.FOOT * side
    ribbons.arches(drawing, middles, weights, VERB, leaves, lambda apart: min(18 + 0.14 * apart, 42), side=side)
    ribbons.foot(drawing, middles[VERB], base, upwards=side < 0)
    for j, weight in enumerate(weights):
        if j != VERB and ribbons.width(weight):
            drawing.line((middles[j], leaves), (middles[j], base), **ribbons.line(weight))
        if j != VERB and weight > 0.02:
            x = min(middles[j] + 16, drawing.width - 28)
            drawing.words(x, base + side * 6 + 4, f"{weight:.0%}", size=12, colour="muted", anchor="start")


def _cells_of_the_output(drawing, left, top, output):
    """What gave has taken from each head, as cells: who gave, and who got."""
    heads = ["both names, mixed"] if len(output) == 1 else ["who gave", "who got"]
    drawing.words(left - 8, top + 22, "gave:", size=15, colour="query", anchor="end", bold=True)
    for h, (row, head) in enumerate(zip(output, heads)):
        for k, (share, name) in enumerate(zip(row, NAMES)):
            x = left + 130 * h + 58 * k
            drawing.box(
                x,
                top,
                54,
                32,
                rx=4,
                fill="output",
                fill_opacity=columns.NUMBERED * share,
                stroke="output",
                stroke_opacity=0.5,
            )
            drawing.words(x + 27, top + 21, name, size=14)
            drawing.words(x + 27, top + 50, f"{share:.2f}", size=12, colour="muted")
        drawing.words(left + 130 * h + 56, top + 70, head, size=13, colour="muted")


def _describe_binding(now):
    first, second = (" ".join(f"{x:.2f}" for x in output.ravel()) for output in now.output)
    told = "nothing behind it can tell who gave" if _differ(now) < 1e-9 else "they say who gave, and who got"
    return f"Mia gave Tom: [{first}]. Tom gave Mia: [{second}]. {'The same, so' if _differ(now) < 1e-9 else 'Different:'} {told}."


# --- heads that are steered -------------------------------------------------------------------------------------------

WORDS = SENTENCES["Mia gave Tom"]
KEYS = np.array([[-1.0, 1.0], [0.0, 0.0], [1.0, 1.0], [0.5, 0.0], [1.0, -1.0]])  # after the verb; a person, or a thing
REACH = (-3.4, 3.4), (-3.0, 3.0)
PLANE = Axes(800, None, *REACH, margin=(10, 16, 420, 16), narrow=Axes(332, None, *REACH, margin=(2, 6, 2, 280)))
START = np.array([[1.0, 0.0], [0.0, 1.0]])  # what the two heads ask at first
ASIDE = {"gave": (-24, 20), "a": (0, 20)}  # pixels by which a name keeps off an arrow and off other names


def explore_steer():
    """Drag what each of two heads asks for, until one finds who got and the other what was given.

    Shown: key (5, 2), query (2, 2), weights (2, 5), a row for each head
    """
    return explorer(
        _steered,
        _plane_and_sentence,
        _say_what_is_found,
        [_found_rule("head 1 finds who got", 0, 2), _found_rule("head 2 finds what was given", 1, 4)],
        planes={"question": Plane(PLANE, _drag_question, "drag the tip of a question", grab=_nearest_head)},
        folded=["query"],
        query=NumberGrid("query", START, compact=True, minimum=-3, maximum=3, rows=["head 1", "head 2"]),
    )


def _found_rule(said, head, word):
    return Rule(
        said,
        lambda now: (
            now.weights[head, word] > 0.8,
            f"head {head + 1} gives only {now.weights[head, word]:.0%} to “{WORDS[word]}”",
        ),
    )


def _steered(query):
    answer = scaled_dot_product_attention(query, KEYS, KEYS)
    return {"key": KEYS, "query": query, "weights": answer.weights}


def _nearest_head(now, x, y):
    return int(np.linalg.norm(now.query - (x, y), axis=1).argmin())


def _drag_question(now, x, y, head):
    query = now.query.copy()
    query[head] = np.round(np.array([x, y]) * 4) / 4 + 0.0
    return {"query": query}


def _plane_and_sentence(now):
    return by_width(_asked_in_the_plane(now, PLANE, 430, 0), _asked_in_the_plane(now, PLANE.narrow, 1, 302))


def _asked_in_the_plane(now, axes, left, lower):
    """The sentence begins at `left`, `lower` pixels further down."""
    sketch = axes.sketch()
    for place, label in (
        ((3.1, 0.35), "after the verb"),
        ((-3.1, 0.35), "before"),
        ((0.1, 2.7), "a person"),
        ((0.1, -2.9), "a thing"),
    ):
        anchor = "end" if place[0] > 1 else "start"
        sketch.say(place, label, colour="muted", size=12, anchor=anchor)
    for word, key in zip(WORDS, KEYS):
        aside = ASIDE.get(word)
        sketch.dot(key, "key", "" if aside else word, radius=6)
        if aside:
            sketch.say(key, word, aside, colour="key", font_weight=600)
    for head, query in enumerate(now.query):
        sketch.arrow(query, "query", f"head {head + 1}", width=3 if head == 0 else 2)
    middles = [left + 66 * (k + 0.5) for k in range(len(WORDS))]
    for head, row in enumerate(now.weights):
        _arcs_of_a_head(sketch, middles, row, lower + (128 if head == 0 else 172), -1 if head == 0 else 1)
        best, share = _brought(row)
        at = {"size": 14, "colour": "output", "anchor": "start", "bold": row.max() > 0.8}
        brings = listed(best) if len(best) < len(WORDS) else "all five"
        sketch.words(left, lower + (44 if head == 0 else 268), f"head {head + 1} brings: {brings}, {share}", **at)
    for k, word in enumerate(WORDS):
        sketch.words(middles[k], lower + 157, word, size=19, colour="query" if k == VERB else "ink", bold=k == VERB)
    told = "; ".join(
        f"head {h + 1} looks at " + ", ".join(f"{w} {x:.2f}" for w, x in zip(WORDS, row))
        for h, row in enumerate(now.weights)
    )
    return sketch.html(f"Left, the words as keys in a plane and the questions of two heads as arrows. Right, {told}.")


def _say_what_is_found(now):
    told = []
    for h, row in enumerate(now.weights):
        best, share = _brought(row)
        told.append(f"head {h + 1} gives {share} to {listed(f'“{word}”' for word in best)}")
    return f"“gave” asks twice: {told[0]}, {told[1]}."


def _brought(row):
    """The words with the largest weight, several where they tie, and how much they have."""
    best = [word for word, weight in zip(WORDS, row) if np.isclose(weight, row.max())]
    return best, f"{row.max():.0%}" + (" each" if len(best) > 1 else "")


# --- a wide matrix, cut into heads ------------------------------------------------------------------------------------

FEATURES = ["Mia", "Tom", "gave", "place"]
PLACES = [-1.0, 0.0, 1.0, 0.5, 1.0]  # of each word, seen from the verb
W_QUERY = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [-8, 8, 8, 8], [0, 0, 0, 0]])  # before it a person; after it a person
W_KEY = np.array([[0, 1, 0, 1], [0, 1, 0, 1], [0, 0, 0, 0], [1, 0, 1, 0]])  # place, person; place, person
W_VALUE = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]])  # Mia, Tom; Mia, Tom
W_OUTPUT = np.array([[-1, 0], [0, -1], [1, 0], [0, 1]])  # giving costs a book, and getting brings one
ASKED = {1: ["one head: which person?"], 2: ["head 1: who stands before?", "head 2: who comes after?"]}
CELL = 30


def explore_cut():
    """Cut the same wide matrices into one head or into two, and follow "gave" through them.

    Shown: tokens and query (5, 4), weights (num_heads, 5, 5), heads (5, 4), the outputs side by side, parts (num_heads, 2),
    what each head adds for "gave", and output (5, 2)
    """
    return explorer(
        _cut_and_attend,
        lambda now: by_width(_lanes(now, 848), _lanes(now, 340)),
        _say_what_is_added,
        [
            Rule(
                "“gave” says who gave and who got",
                lambda now: (np.ptp(now.output[VERB]) > 1, "“gave” says the same of both"),
            )
        ],
        num_heads=choose("cut into", [("one head", 1), ("two heads", 2)], 2),
        sentence=choose("sentence", list(SENTENCES), "Mia gave Tom"),
    )


def _cut_and_attend(num_heads, sentence):
    tokens = np.column_stack([_names_in(SENTENCES[sentence]), np.arange(5) == VERB, PLACES])
    found = scaled_dot_product_attention(*(split_heads(tokens @ W, num_heads) for W in (W_QUERY, W_KEY, W_VALUE)))
    heads = merge_heads(found.output)
    parts = np.stack([head[VERB] @ W for head, W in zip(found.output, np.split(W_OUTPUT, num_heads))])
    made = {"query": tokens @ W_QUERY, "weights": found.weights, "heads": heads, "output": heads @ W_OUTPUT}
    return {"tokens": tokens, "parts": parts, **made}


def _lanes(now, width):
    """The row of "gave" and W_Q, cut; a lane for each head, on a phone in two lines; and the sum."""
    wide, num_heads = width > 400, now.num_heads
    d_head, square = 4 // num_heads, 18 if wide else 17
    tall = 136 if wide else 164 + CELL * d_head  # of a lane
    drawing = Drawing(width, 300 if wide else 160 + tall * num_heads + (70 if num_heads > 1 else 0))
    middle = 158 if wide else 86
    _cells(drawing, now.tokens[VERB], 4, middle - 15, "x, row “gave”", "ink", FEATURES)
    drawing.words(132, middle + 5, "·", size=18)
    _cells(drawing, W_QUERY, 140, middle - 60, "W_Q" if num_heads == 1 else "W_Q¹|W_Q²", "query", cut=d_head)
    for h, (weights, part) in enumerate(zip(now.weights, now.parts)):
        part_of = slice(h * d_head, (h + 1) * d_head)
        raised = "" if num_heads == 1 else "¹²"[h]
        x, y = (278, 158 + 140 * (h - (num_heads - 1) / 2)) if wide else (4, 240 + tall * h)
        drawing.words(x - 12, y + 5, "=", size=16) if wide else None
        x = _cells(drawing, now.query[VERB, part_of], x, y - 15, f"q{raised}", "query")
        x = _small_map(drawing, weights, now.sentence, x + 56, y - 2.5 * square, square, ASKED[num_heads][h])
        x, y = (x + 18, y) if wide else (4, y + 80 + CELL * d_head / 2)
        x = _cells(drawing, now.heads[VERB, part_of], x, y - 15, f"H{raised}", "value")
        drawing.words(x + 9, y + 5, "·", size=18)
        x = _cells(drawing, W_OUTPUT[part_of], x + 18, y - CELL * d_head / 2, f"W_O{raised}", "output")
        drawing.words(x + 8, y + 5, "=", size=15)
        x = _cells(drawing, part, x + 18, y - 15, "adds" if num_heads > 1 else "Y", "output", NAMES)
    if num_heads > 1:
        if wide:
            drawing.words(x - CELL, 163, "+", size=18)
        x, y = (x + 22, 158) if wide else (x - 2 * CELL, y + 84)
        _cells(drawing, now.output[VERB], x, y - 15, "Y, the sum", "output", NAMES)
    return drawing.html(
        f"The row of gave, {_row(now.tokens[VERB])}, times W_Q is {_row(now.query[VERB])}. Number of heads: {num_heads}. "
        f"Their outputs side by side are {_row(now.heads[VERB])}, and times W_O {_row(now.output[VERB])}."
    )


def _cells(drawing, values, x, y, title, colour, columns=(), cut=0):
    """Numbers in boxes, a line behind every `cut` columns; returns where they end."""
    values = np.atleast_2d(values)
    end = x + CELL * values.shape[1]
    titles = title.split("|")
    for k, part in enumerate(titles):
        middle = x + (end - x) * (k + 0.5) / len(titles)
        drawing.words(middle, y - (24 if len(columns) else 7), part, size=13, colour="muted")
    for j, column in enumerate(columns):
        drawing.words(x + CELL * (j + 0.5), y - 6, column, size=10.5, colour="muted")
    for (i, j), value in np.ndenumerate(values):
        left, top = x + CELL * j, y + CELL * i
        look = {"fill": colour, "fill_opacity": 0.3 * min(abs(value), 1), "stroke": "line"}
        drawing.box(left + 1, top + 1, CELL - 2, CELL - 2, rx=3, **look)
        colour_of = "ink" if abs(value) > 0.005 else "muted"
        drawing.words(left + CELL / 2, top + 20, _short(value), size=12, colour=colour_of)
    for at in range(cut, values.shape[1], cut) if cut else ():
        left, bottom = x + CELL * at, y + CELL * len(values)
        drawing.line((left, y - 20), (left, bottom + 8), "ink", 2, stroke_dasharray="5 3")
    return end


def _small_map(drawing, weights, sentence, x, y, square, title):
    drawing.words(x + 2.5 * square, y - 7, title, size=13, colour="ink", bold=True)
    for i, (word, row) in enumerate(zip(SENTENCES[sentence], weights)):
        look = {"colour": "query", "bold": True} if i == VERB else {"colour": "muted"}
        drawing.words(x - 6, y + square * (i + 0.5) + 4, word, size=12, anchor="end", **look)
        for j, weight in enumerate(row):
            look = {"fill": "ink", "fill_opacity": weight, "stroke": "line"}
            drawing.box(x + square * j, y + square * i, square - 1, square - 1, **look)
    drawing.box(x - 1, y + square * VERB - 1, 5 * square + 1, square + 1, fill="none", stroke="query", stroke_width=2)
    return x + 5 * square


def _short(value):
    return number(round(value, 2))


def _row(numbers):
    return "[" + " ".join(map(_short, numbers)) + "]"


def _say_what_is_added(now):
    brings, becomes = _row(now.heads[VERB]), _row(now.output[VERB])
    if now.num_heads == 1:
        return f"One head brings {brings}, both names alike, and W_O makes {becomes} of it."
    adds = [f"head {h + 1} adds {_row(part)}" for h, part in enumerate(now.parts)]
    return f"Two heads bring {brings}, {listed(adds)}, and together they say {becomes}."


# --- a wrong cut ------------------------------------------------------------------------------------------------------


def explore_wrong_reshape():
    """Cut tokens into heads in the right way and straight to the shape, and see which test notices.

    Shown: x (num_tokens, num_heads * d_head), heads (num_heads, num_tokens, d_head), again, the heads put together by the way
    back of the same recipe, and owner (num_heads, num_tokens, d_head), the token of each number
    """
    return wrong_turns(
        "cut by",
        _CUTS,
        _cut,
        _show_cut,
        _describe_cut,
        [
            Rule("the shape is (heads, tokens, width of a head)", _has_shape),
            Rule(
                "cut and put together again, nothing has changed",
                lambda now: (now.again != now.x).sum(),
                "{} numbers stand elsewhere after the way back",
            ),
            Rule(
                "row i of every head comes from token i",
                lambda now: _strays(now.owner).sum(),
                "{} numbers stand in the row of another token",
            ),
        ],
        num_tokens=slider("number of tokens", 3, 2, 6, 1),
        num_heads=slider("number of heads", 2, 1, 4, 1),
        d_head=slider("width of a head", 1, 1, 3, 1),
    )


_CUTS = {  # name: the way there, and its own way back
    "reshape, then swap the axes": (split_heads, merge_heads),
    "reshape straight to the shape": (
        lambda x, num_heads: x.reshape(num_heads, len(x), -1),
        lambda heads: heads.reshape(heads.shape[1], -1),
    ),
}


def _cut(recipe, num_tokens, num_heads, d_head):
    x = np.arange(1.0, num_tokens * num_heads * d_head + 1).reshape(num_tokens, -1)
    cut, put_together = recipe
    heads = cut(x, num_heads)
    return {"x": x, "heads": heads, "again": put_together(heads), "owner": (heads - 1) // x.shape[1] + 1}


def _show_cut(now):
    tokens = np.linspace(-1, 1, now.num_tokens)  # one shade for each
    x = matrices.matrix(
        now.x, "x, a shade for each token", kind="scores", shaded=np.broadcast_to(tokens[:, None], now.x.shape), limit=1.0,
        decimals=0, corner="token",
    )  # fmt: skip
    heads = [
        matrices.matrix(
            head, f"head {h + 1}", kind="scores", shaded=tokens[owner - 1], limit=1.0, decimals=0, corner="row",
            places=matrices.Places(
                f"head {h + 1}", title=lambda i, j, owner=owner: f"from token {owner[i, j]}"
            ),
        )
        for h, (head, owner) in enumerate(zip(now.heads, now.owner.astype(int), strict=True))
    ]  # fmt: skip
    return [[x, *heads]]


def _describe_cut(now):
    strangers = int((_strays(now.owner)).sum())
    head = ", ".join(f"{each:.0f}" for each in now.heads[0].ravel())
    return f"Head 1 holds {head}; {strangers} of {now.owner.size} numbers stand in another token's row."


def _strays(owner):
    return owner != np.arange(1, owner.shape[1] + 1)[:, None]


def _has_shape(now):
    shape = (now.num_heads, now.num_tokens, now.d_head)
    return now.heads.shape == shape, f"the shape is {now.heads.shape}"
