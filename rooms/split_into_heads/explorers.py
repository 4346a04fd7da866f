"""Several heads: who was which, what each asks for, and the wrong way to cut them."""

import numpy as np

from helpers.attention import merge_heads, scaled_dot_product_attention, split_heads
from rooms.shared import columns, ribbons
from workbench import Axes, Drawing, NumberGrid, Plane, Rule, choose, explorer, listed, matrices, slider, wrong_turns
from workbench.pictures.html import in_two_widths

SENTENCES = {"Mia gave Tom": "Mia gave Tom a book".split(), "Tom gave Mia": "Tom gave Mia a book".split()}
NAMES, VERB = ["Mia", "Tom"], 1
SIDES = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])  # a name before the verb, or after it
HEADS = ["high", "second"]  # the colour of each, neither of them that of a key
ROLES = ["head 0: who gave", "head 1: who got"]
STRENGTH = 5.5  # of the questions


def explore_binding():
    """Let "gave" look at both names of two sentences, with one head or with two, and see what its output still says.

    Shown: weights (2, num_heads, 5) and output (2, num_heads, 2), of each sentence and head
    """
    told = "the two sentences give different outputs"
    return explorer(
        _bind,
        _two_sentences,
        _describe_binding,
        [Rule(told, lambda now: (_differ(now) > 1e-9, "both sentences give the same output"))],
        num_heads=choose("heads", [("one head", 1), ("two heads", 2)], 1),
    )


def _bind(num_heads):
    query = split_heads(np.full((1, 2), STRENGTH), num_heads)
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


@in_two_widths((800, 400), (340, 0))
def _two_sentences(now, width, apart):
    """The sentences side by side, on a phone below each other; head 0 has its ribbons above the words, and head 1 below."""
    tall = 270 if apart else 226
    drawing = Drawing(width, tall if apart else 2 * tall + 28)
    for k, (words, weights, output) in enumerate(zip(SENTENCES.values(), now.weights, now.output)):
        left, top = (apart * k, 0) if apart else (0, (tall + 18) * k - 26)
        step = 340 / (len(words) + 0.4)
        middles = [left + step * (j + 0.7) for j in range(len(words))]
        for head, row in enumerate(weights):
            colour = HEADS[head] if len(weights) > 1 else "ink"
            _arcs_of_a_head(drawing, middles, row, top + (84, 128)[head], head, colour)
        for j, word in enumerate(words):
            drawing.words(middles[j], top + 113, word, size=20, colour="query" if j == VERB else "ink", bold=j == VERB)
        _cells_of_the_output(drawing, left + 60, top + 186, output)
    same = _differ(now) < 1e-9
    x, y = (400 - 28, 220) if apart else (28, tall + 2)  # between the two rows that begin with "gave:"
    drawing.words(x, y, "=" if same else "≠", size=44, colour="wrong" if same else "output", bold=True)
    told = [
        f"{name}: gave takes " + " and ".join(f"{row[0]:.2f} Mia, {row[1]:.2f} Tom" for row in output)
        for name, output in zip(SENTENCES, now.output)
    ]
    return drawing.html(f"Two sentences. {'. '.join(told)}. The outputs are {'the same' if same else 'different'}.")


def _arcs_of_a_head(drawing, middles, weights, base, head, colour):
    """The ribbon of a head, from the verb: of head 0 above the words, and of head 1 below them."""
    side = (-1, 1)[head]
    look = {"side": side, "colour": colour}
    ribbons.over(drawing, middles, weights, VERB, base, lambda apart: min(18 + 0.14 * apart, 42), **look)
    for j, weight in enumerate(weights):
        if j != VERB and weight > 0.02:
            x = min(middles[j] + ribbons.width(weight) / 2 + 4, drawing.width - 28)  # at the foot of its ribbon
            drawing.words(x, base + side * 6 + 4, f"{weight:.0%}", size=12, colour="muted", anchor="start")


def _cells_of_the_output(drawing, left, top, output):
    """What gave has got from each head, as cells of its colour."""
    drawing.words(left - 8, top + 22, "gave:", size=15, colour="query", anchor="end", bold=True)
    for h, row in enumerate(output):
        colour, role = (HEADS[h], ROLES[h]) if len(output) > 1 else ("ink", "both names, mixed")
        for k, (share, name) in enumerate(zip(row, NAMES)):
            x = left + 130 * h + 58 * k
            look = {"fill": colour, "fill_opacity": columns.NUMBERED * share, "stroke": colour, "stroke_opacity": 0.5}
            drawing.box(x, top, 54, 32, rx=4, **look)
            drawing.words(x + 27, top + 21, name, size=14)
            drawing.words(x + 27, top + 50, f"{share:.2f}", size=12, colour="muted")
        named = colour if len(output) > 1 else "muted"
        drawing.words(left + 130 * h + 56, top + 70, role, size=12, colour=named, bold=len(output) > 1)


def _describe_binding(now):
    first, second = (" ".join(f"{x:.2f}" for x in output.ravel()) for output in now.output)
    told = "nothing that reads it can tell who gave" if _differ(now) < 1e-9 else "they say who gave, and who got"
    return f"Mia gave Tom: [{first}]. Tom gave Mia: [{second}]. {'The same, so' if _differ(now) < 1e-9 else 'Different:'} {told}."


# --- heads that are steered -------------------------------------------------------------------------------------------

WORDS = SENTENCES["Mia gave Tom"]
KEYS = np.array([[-1.0, 1.0], [0.0, 0.0], [1.0, 1.0], [0.5, 0.0], [1.0, -1.0]])  # after the verb; a person, or a thing
REACH = (-3.4, 3.4), (-3.0, 3.0)
PLANE = Axes(800, None, *REACH, margin=(10, 16, 420, 16), narrow=Axes(332, None, *REACH, margin=(2, 6, 2, 280)))
START = np.array([[-0.25, 1.5], [0.25, 1.5]])  # at first both ask for a person, and get both names
ASIDE = {"gave": (-24, 20), "a": (0, 20)}  # pixels by which a name keeps off an arrow and off other names


def explore_steer():
    """Drag what each of two heads asks for, until one finds who gave and the other who got.

    Shown: key (5, 2), query (2, 2), weights (2, 5), a row for each head
    """
    return explorer(
        _steered,
        _asked_in_the_plane,
        _say_what_is_found,
        [_found_rule("head 0 finds who gave", 0, 0), _found_rule("head 1 finds who got", 1, 2)],
        planes={"question": Plane(PLANE, _drag_question, "drag the tip of a question", grab=_nearest_head)},
        folded=["query"],
        query=NumberGrid("query", START, compact=True, minimum=-3, maximum=3, rows=["head 0", "head 1"]),
    )


def _found_rule(said, head, word):
    def found(now):
        share = now.weights[head, word]
        return round(share, 2) >= 0.9, f"head {head} gives only {share:.0%} to “{WORDS[word]}”"

    return Rule(said, found)


def _steered(query):
    answer = scaled_dot_product_attention(query, KEYS, KEYS)
    return {"key": KEYS, "query": query, "weights": answer.weights}


def _nearest_head(now, x, y):
    return int(np.linalg.norm(now.query - (x, y), axis=1).argmin())


def _drag_question(now, x, y, head):
    query = now.query.copy()
    query[head] = np.round(np.array([x, y]) * 4) / 4 + 0.0
    return {"query": query}


@in_two_widths((PLANE, 430, 0), (PLANE.narrow, 1, 302))
def _asked_in_the_plane(now, axes, left, lower):
    """The sentence begins at `left`, `lower` pixels further down."""
    sketch = axes.sketch()
    named = (3.1, 0.35, "after the verb"), (-3.1, 0.35, "before"), (0.1, 2.7, "a person"), (0.1, -2.9, "a thing")
    for x, y, label in named:
        sketch.say((x, y), label, colour="muted", size=12, anchor="end" if x > 1 else "start")
    for word, key in zip(WORDS, KEYS):
        aside = ASIDE.get(word)
        sketch.dot(key, "key", "" if aside else word, radius=6)
        if aside:
            sketch.say(key, word, aside, colour="key", font_weight=600)
    for head, query in enumerate(now.query):
        near = np.abs(query - now.query[1 - head]).max() < 0.9  # names of two arrows side by side
        sketch.arrow(query, HEADS[head], "" if near else f"head {head}", width=3 if head == 0 else 2)
        if near:
            left_one = (query[0], head) < (now.query[1 - head][0], 1 - head)
            sketch.say(query, f"head {head}", (-34 if left_one else 34, -8), colour=HEADS[head], font_weight=600)
    middles = [left + 66 * (k + 0.5) for k in range(len(WORDS))]
    for head, row in enumerate(now.weights):
        _arcs_of_a_head(sketch, middles, row, lower + (128, 172)[head], head, HEADS[head])
        best, share = _got(row)
        at = {"size": 14, "colour": HEADS[head], "anchor": "start", "bold": round(row.max(), 2) >= 0.9}
        gets = listed(best) if len(best) < len(WORDS) else "all five"
        sketch.words(left, lower + (44 if head == 0 else 268), f"head {head} gets: {gets}, {share}", **at)
    for k, word in enumerate(WORDS):
        sketch.words(middles[k], lower + 157, word, size=19, colour="query" if k == VERB else "ink", bold=k == VERB)
    looks = (", ".join(f"{word} {x:.2f}" for word, x in zip(WORDS, row)) for row in now.weights)
    told = "; ".join(f"head {h} looks at {each}" for h, each in enumerate(looks))
    return sketch.html(f"Left, the words as keys in a plane and the questions of two heads as arrows. Right, {told}.")


def _say_what_is_found(now):
    told = []
    for h, row in enumerate(now.weights):
        best, share = _got(row)
        told.append(f"head {h} gives {share} to {listed(f'“{word}”' for word in best)}")
    return f"“gave” asks twice: {told[0]}, {told[1]}."


def _got(row):
    """The words with the largest weight, several where they tie, and how much they have."""
    best = [word for word, weight in zip(WORDS, row) if np.isclose(weight, row.max())]
    return best, f"{row.max():.0%}" + (" each" if len(best) > 1 else "")


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
                "{} numbers are elsewhere after the way back",
            ),
            Rule(
                "row i of every head comes from token i",
                lambda now: _strays(now.owner).sum(),
                "{} numbers are in the row of another token",
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
    return {"x": x, "heads": heads, "again": put_together(heads), "owner": (heads - 1) // x.shape[1]}


def _show_cut(now):
    tokens = np.linspace(0.2, 1, now.num_tokens)  # one shade for each
    how = {"kind": "scores", "limit": 1.0, "decimals": 0, "rows": range(now.num_tokens)}
    shaded = np.broadcast_to(tokens[:, None], now.x.shape)
    x = matrices.matrix(
        now.x, "x, a shade for each token", shaded=shaded, corner="token", columns=range(now.x.shape[1]), **how
    )
    heads = [
        matrices.matrix(
            head, f"head {h}", shaded=tokens[owner], corner="row", columns=range(now.d_head), **how,
            places=matrices.Places(f"head {h}", title=lambda i, j, owner=owner: f"from token {owner[i, j]}"),
        )
        for h, (head, owner) in enumerate(zip(now.heads, now.owner.astype(int), strict=True))
    ]  # fmt: skip
    return [[x, *heads]]


def _describe_cut(now):
    strangers = int((_strays(now.owner)).sum())
    head = ", ".join(f"{each:.0f}" for each in now.heads[0].ravel())
    return f"Head 0 holds {head}; {strangers} of {now.owner.size} numbers are in another token's row."


def _strays(owner):
    return owner != np.arange(owner.shape[1])[:, None]


def _has_shape(now):
    shape = (now.num_heads, now.num_tokens, now.d_head)
    return now.heads.shape == shape, f"the shape is {now.heads.shape}"
