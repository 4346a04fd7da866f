"""Three tokens with every number within reach, and words that look at each other by what they share."""

import math

import numpy as np

from helpers.attention import scaled_dot_product_attention, softmax
from rooms.shared import columns, ribbons, words
from rooms.shared.arcs import Under, arcs
from rooms.shared.softmax_sums import share
from workbench import NumberGrid, Plane, Touch, fewest_decimals, in_two_widths, leads_on, matrices, stops, switch
from workbench.moving.engine import SHARES, Rule, explorer, wrong_turns
from workbench.moving.sums import bracketed, cells, decimals, dot_product, listed, mixture, number, quotient
from workbench.pictures.plane import Axes, together

TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
STAGES = {"dot products": (3, 3), "scaled scores": (3, 3), "weights": (3, 3), "outputs": (3, 2)}
ORDER = list(STAGES)
# Down the columns: each step comes to another row, and so the picture to another output.
CELLS = sorted(cells(STAGES), key=lambda cell: (ORDER.index(cell[1][0]), cell[1][2], cell[1][1]))
COLUMNS = {"columns": ["1", "2"], "corner": ""}
PLANE = {"x": (-0.4, 1.6), "y": (-0.22, 1.3), "x_title": "feature 1 →", "y_title": "↑ feature 2"}
AXES = Axes(812, None, **PLANE, margin=(14, 22, 368, 22), narrow=Axes(332, None, **PLANE, margin=(14, 22, 14, 190)))
LOW = np.array([-0.4, -0.22])  # its lower left corner
MARGIN, LARGEST = 0.35, 1.95  # how it grows when a token comes near its end
# Where the bar of shares begins, -y from the foot, and how wide it is.
BAR, PHONE_BAR = (490, 112, 300), (14, -128, 304)
NEAR = 0.16  # a press as near as this to an output means the output
SUMS = {
    "dot products": dot_product("dot products", "X", "X", ("token", "token")),
    "scaled scores": quotient("scaled scores", "dot products", lambda now: "√2"),
    "weights": share("weights", "scaled scores", lambda now: "e"),
    "outputs": mixture("outputs", "weights", "X"),
}
WITHIN, OUTSIDE = "every output lies in the triangle of the tokens", "an output lies {:.3f} outside the triangle"


def explore_three_tokens():
    """Drag three tokens in the plane and click an output to see what it is made of; with every number shown, click any for its sum.

    Shown: X (3, 2), "dot products", "scaled scores" and weights (3, 3), outputs (3, 2), and cell: row, column and value of
    the chosen cell
    """
    return explorer(
        _attend,
        lambda now: [_in_the_plane(now), *([_stages(now)] if now.numbers else [])],
        _say_how_it_is_made,
        [SHARES, Rule(WITHIN, lambda now: outside(now.outputs, now.X).max(), OUTSIDE)],
        presets={"twins": {"X": [[1, 0], [1, 0], [1, 1]]}},
        planes={
            "plane": Plane(AXES, _move, "drag a token; click a diamond to follow it", press=_follow, grab=_nearest)
        },
        touch={"X": leads_on("X")},
        sums=SUMS,
        follow="cell",
        folded=["X", "cell"],
        X=NumberGrid("X", TOKENS, compact=True),
        numbers=switch("show every number"),
        cell=stops("cell", CELLS, ("outputs", 0, 0)),
    )


def explore_wrong_turns():
    """Take one wrong turn on the way from scores to outputs, and see which rule breaks.

    Shown: weights (3, 3), outputs (3, 2)
    """
    return wrong_turns(
        "after the scaled scores",
        _TURNS,
        _turn,
        lambda now: [
            _in_the_turned_plane(now),
            matrices.beside(now.table("weights"), now.table("outputs", columns=COLUMNS["columns"])),
        ],
        _left,
        [SHARES, Rule(WITHIN, lambda now: outside(now.outputs, LONGER).max(), OUTSIDE)],
        sums=_TURNED_SUMS,
    )


def outside(points, corners):
    """How far each point lies outside a triangle, 0 if it is in it.

    Parameters
    ----------
    points, corners : (num_points, 2) and (3, 2); corners may lie on one line, or on each other

    Returns
    -------
    (num_points,)
    """
    sides = np.roll(corners, -1, axis=0) - corners  # from each corner to the next one
    along = points[:, None] - corners  # from each corner to each point
    turned = sides[:, 0] * along[..., 1] - sides[:, 1] * along[..., 0]  # on which side of each side it lies
    area = sides[0, 0] * sides[1, 1] - sides[0, 1] * sides[1, 0]
    inside = (turned * np.sign(area) >= 0).all(axis=1) & (abs(area) > 1e-12)
    reached = np.clip((along * sides).sum(axis=2) / np.maximum((sides**2).sum(axis=1), 1e-300), 0, 1)
    distances = np.linalg.norm(along - reached[..., None] * sides, axis=2).min(axis=1)
    return np.where(inside, 0.0, distances)


def _say_how_it_is_made(now):
    """The sum of the chosen number; while no numbers are shown, of what the chosen output is made."""
    stage, row, column = now.control_values["cell"]
    if now.numbers:
        return SUMS[stage].words(now, row, column)
    return f"y{row + 1} is made of {listed([f'{weight:.0%} of token {k + 1}' for k, weight in enumerate(now.weights[row])])}."


def _attend(X, numbers, cell):
    stage, i, j = cell
    answer = scaled_dot_product_attention(X, X, X)
    shown = {"X": X, "dot products": X @ X.T, "scaled scores": answer.scores}
    shown |= {"weights": answer.weights, "outputs": answer.output}
    return {**shown, "cell": np.array([i, j, shown[stage][i, j]])}


# --- the plane -------------------------------------------------------------------------------------------------------


def _grown(X):
    """How many times as far the plane reaches, from its lower left corner on, for the tokens to lie in it."""
    reach = (X.max(axis=0) + MARGIN - LOW) / np.array([AXES.x[1] - LOW[0], AXES.y[1] - LOW[1]])
    return float(np.clip(reach.max(), 1, LARGEST))


def _at(now, x, y):
    """A place of the plane at its first size, in the plane as it has grown."""
    return LOW + _grown(now.X) * ((x, y) - LOW)


def _nearest(now, x, y):
    """Which token a press takes."""
    return int(np.linalg.norm(now.X - _at(now, x, y), axis=1).argmin())


def _move(now, x, y, token):
    X = now.X.copy()
    X[token] = np.round(_at(now, x, y), 1) + 0.0
    return {"X": X}


def _follow(now, x, y):
    """The output that is pressed, unless a token is nearer."""
    at = _at(now, x, y)
    outputs = np.linalg.norm(now.outputs - at, axis=1)
    if outputs.min() > NEAR or np.linalg.norm(now.X - at, axis=1).min() < outputs.min():
        return None
    return {"cell": ("outputs", int(outputs.argmin()), 0)}


@in_two_widths((AXES,), (AXES.narrow,))
def _in_the_plane(now, axes):
    """Tokens as points, their triangle, outputs as diamonds; from the chosen one a line to each token, as wide as its weight."""
    row, wide = now.control_values["cell"][1], axes is AXES
    across, up = (tuple(low + _grown(now.X) * (np.array(ends) - low)) for low, ends in zip(LOW, axes.limits))
    sketch = axes.reaching(across, up).sketch((0, 0, axes.right + 14, axes.size[1]))
    sketch.area(now.X)
    for token, weight in zip(now.X, now.weights[row]):
        sketch.between(now.outputs[row], token, **ribbons.line(weight))
    for token, names in together(now.X, "123"):
        label = f"token {', '.join(names)}"
        if not sketch.beyond(token, label, "key"):
            sketch.dot(token, "key", radius=8)
            right = 1 if token[0] >= now.outputs[row, 0] else -1  # away from the ribbon
            beside = (14 * right, 5), "start" if right == 1 else "end"
            shift, anchor = ((0, -14), "middle") if token[1] >= now.outputs[row, 1] else beside
            sketch.say(token, label, shift, anchor=anchor, colour="key", font_weight=600)
    outputs = together(now.outputs, "123")
    for output, names in sorted(outputs, key=lambda each: f"{row + 1}" in each[1]):  # the chosen one last
        label, role = ", ".join(f"y{name}" for name in names), "output" if f"{row + 1}" in names else "muted"
        if not sketch.beyond(output, label, role):
            sketch.diamond(output, colour=role)
            shift, anchor, room = _beside(output, now.outputs[row], [place for place, _ in outputs], now.X, sketch.axes)
            if room and wide and names == [f"{row + 1}"]:
                label += f": what token {row + 1} gets"
            sketch.say(output, label, shift, anchor=anchor, colour=role, font_weight=600)
    _bar(sketch, now, row, *(BAR if wide else PHONE_BAR))
    weights = ", ".join(f"{weight:.3f}" for weight in now.weights[row])
    place = "[{:.3f}, {:.3f}]".format(*now.outputs[row])
    return sketch.html(
        f"Three tokens as points, their triangle, and the outputs as diamonds inside it. Output {row + 1} is at {place}; its lines "
        f"to tokens 1, 2 and 3 are as thick as its weights {weights}, of dot products {', '.join(_products(now, row))}."
    )


def _beside(output, chosen, outputs, X, axes):
    """Where an output's name stands, clear of other marks: shift, anchor, and whether a whole sentence has room there."""
    close = 20 / axes.units[1]
    crowded = any(place[0] > chosen[0] + 1e-9 and abs(place[1] - chosen[1]) < close for place in outputs)
    itself = np.allclose(output, chosen)
    if len(outputs) < 3 or itself != crowded:
        return (12, 5), "start", itself
    if itself:
        return (-8, 22), "end", False
    above = output[1] > chosen[1]
    side = [at for at in outputs if (at[1] > chosen[1]) == above and not np.allclose(at, chosen)]
    down = -12 if above else 24
    hides = np.linalg.norm(X - output - (0, (5 - down) / axes.units[1]), axis=1).min() < close  # a token's dot
    if hides or (len(side) > 1 and output[0] <= min(place[0] for place in side)):
        return (-10, -3), "end", False
    return (0, down), "middle", False


def _bar(sketch, now, chosen, left, y, whole):
    """The weights of the chosen output as parts of one whole; what the plane is too small for ends before it."""
    y, x = y if y > 0 else sketch.height + y, left
    if left > sketch.axes.right:
        sketch.box(left - 16, 0, sketch.width - left + 16, sketch.height, fill="paper")
    sketch.words(left, y - 10, f"y{chosen + 1}", anchor="start", bold=True, colour="output")
    made = f"is made of what token {chosen + 1} looks at"
    sketch.words(left + 24, y - 10, made, size=13, colour="muted", anchor="start")
    for k, weight in enumerate(now.weights[chosen]):
        look = {"fill": "ink", "fill_opacity": ribbons.OPACITY, "stroke": "paper", "rx": 2}
        sketch.box(x, y, whole * weight, 18, **look)
        if weight > 0.08:
            sketch.words(x + whole * weight / 2, y + 32, f"{k + 1}", size=13, colour="key", bold=True)
        x += whole * weight
    middle, right = left + 0.6 * whole, left + whole
    sketch.words(middle, y + 60, "dot product", size=12, colour="muted", anchor="end")
    sketch.words(right, y + 60, "share", size=12, colour="muted", anchor="end")
    for k, (product, weight) in enumerate(zip(_products(now, chosen), now.weights[chosen])):
        foot = y + 82 + 20 * k
        sketch.words(left, foot, f"token {k + 1}", size=14, colour="key", anchor="start", bold=True)
        sketch.words(middle, foot, product, size=14, anchor="end")
        sketch.words(right, foot, f"{weight:.0%}", size=14, anchor="end")


def _products(now, row):
    return [number(round(product, 2)) for product in now["dot products"][row]]


def _stages(now):
    row = now.control_values["cell"][1]
    limit = max(np.abs(now["dot products"]).max(), np.abs(now["scaled scores"]).max()) or 1.0
    scores = {"kind": "scores", "corner": "", "chosen_row": row, "limit": limit}
    return matrices.chain(
        now.table("X", "X", decimals=fewest_decimals(now.X, 2), **COLUMNS),
        now.table("dot products", "dot products", decimals=fewest_decimals(now["dot products"], 2), **scores),
        now.table("scaled scores", "scaled scores, ÷ √2", decimals=2, **scores),
        now.table("weights", decimals=2, chosen_row=row, corner="", row_sums=False),
        now.table("outputs", decimals=2, chosen_row=row, **COLUMNS),
    )


# --- wrong turns -----------------------------------------------------------------------------------------------------

LONGER = np.array([[1.0, 0.0], [0.0, 1.0], [1.5, 1.5]])
BESIDE = (((12, -8), "start"), ((0, -14), "middle"), ((-12, -6), "end"))  # where each token's name is written
TURNED_PLANE = {**PLANE, "x": (-0.4, 3.6), "y": (-0.22, 2.2)}
TURNED_AXES = Axes(560, None, **TURNED_PLANE, narrow=Axes(332, None, **TURNED_PLANE))
_TURNS = {
    "softmax along each row": lambda scores: softmax(scores, axis=-1),
    "softmax down each column": lambda scores: softmax(scores, axis=0),
    "powers, not divided by their sum": np.exp,
    "no softmax at all": lambda scores: scores,
}


def _turn(turn):
    weights = turn(LONGER @ LONGER.T / math.sqrt(2))
    return {"weights": weights, "outputs": weights @ LONGER}


@in_two_widths((TURNED_AXES,), (TURNED_AXES.narrow,))
def _in_the_turned_plane(now, axes):
    """Outputs beside the triangle of the tokens; one that the plane is too small for is written at its edge."""
    sketch = axes.sketch()
    sketch.area(LONGER)
    for k, (token, (shift, anchor)) in enumerate(zip(LONGER, BESIDE)):
        sketch.dot(token, "key", radius=8)
        sketch.say(token, f"token {k + 1}", shift, colour="key", anchor=anchor, font_weight=600)
    (_, right), (_, high) = axes.limits
    for k, (place, gap) in enumerate(zip(now.outputs, outside(now.outputs, LONGER))):
        role, mark = ("wrong", f"y{k + 1} ✗") if gap > 1e-9 else ("output", f"y{k + 1} ✓")
        if place[0] < right - 0.1 and place[1] < high - 0.1:
            shift, anchor = (((0, 24), "middle"), ((-12, 5), "end"), ((12, 5), "start"))[k]
            sketch.diamond(place, colour=role)
            sketch.say(place, mark, shift, colour=role, anchor=anchor, font_weight=600)
        else:
            x, y = axes.size[0] - 16, axes.top + (0.52 + 0.1 * k) * (axes.bottom - axes.top)
            told = "[{:.1f}, {:.1f}]".format(*place)
            sketch.words(x, y, f"{mark} {told} ↗", size=14, colour=role, anchor="end", halo=True, bold=True)
    gone = _gone(now)
    told = f"outside it: {listed(gone)}" if gone else "none is outside"
    return sketch.html(f"Three tokens as points, their triangle, and the outputs as diamonds; {told}.")


def _gone(now):
    return [f"y{k + 1}" for k in np.flatnonzero(outside(now.outputs, LONGER) > 1e-9)]


def _left(now):
    gone, largest = _gone(now), f"The largest feature of an output is {now.outputs.max():.3f}."
    return f"Outside the triangle: {listed(gone)}. {largest}" if gone else f"All outputs lie in the triangle. {largest}"


def _made(now, i, j):
    """The weight, from the scaled scores of its row or its column."""
    scores, name = LONGER @ LONGER.T / math.sqrt(2), f"weights [{i + 1}, {j + 1}]"
    if "no softmax" in now.recipe:
        return f"{name} = the scaled score, {decimals(scores[i, j])}"
    power, made = f"e^{bracketed(decimals(scores[i, j]))}", decimals(now.weights[i, j])
    if "not divided" in now.recipe:
        return f"{name} = {power} = {made}"
    along = scores[:, j] if "column" in now.recipe else scores[i]
    return f"{name} = {power} / ({' + '.join(f'e^{bracketed(decimals(score))}' for score in along)}) = {made}"


_TURNED_SUMS = {"weights": _made, "outputs": mixture("outputs", "weights", lambda now: LONGER)}


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
        touch={"words": Touch(lambda now, k: {"asks": k}, _say_what_is_shared)},
        folded=["asks"],
        asks=stops("word that looks", words.numbered(SHE.tokens), SHE.tokens.index("She")),
        swapped=switch("swap Sarah and Alex"),
    )


def _look(asks, swapped):
    _, X = TEXTS[swapped]
    answer = scaled_dot_product_attention(X[asks][None], X, X)
    return {"X": X, "query": X[asks], **{name: part[0] for name, part in answer._asdict().items()}}


def _shared(now):
    """How many features each word has in common with the word that looks: its dot product."""
    return now.X @ now.query


def _say_what_is_shared(now, k):
    return f"shares {_shared(now)[k]:.0f}, gets {now.weights[k]:.1%} of the weight; click: “{_tokens(now)[k]}” looks"


def _tokens(now):
    return TEXTS[now.swapped][0]


def _picture(now):
    under = Under(158 + 9 * STEP, 9 * STEP + 88, lambda *at: (_narrow if at[-1] else _wide)(*at[:-1], now))
    how = {"name": "Two sentences", "places": now.places("words"), "highest": 84, "under": under}
    return arcs(_tokens(now), now.weights, now.asks, **how)


def _wide(drawing, middles, top, now):
    columns.under_words(drawing, middles, top - 6, now.X, 0.5 * now.query)
    for middle, shared, row in zip(middles, _shared(now), now.X):
        if row.any():
            colour = "query" if shared else "muted"
            drawing.words(middle, top + 90, f"{shared:.0f}", size=13, colour=colour, bold=shared > 0)
    _mixture(drawing, 102, top + 122, now, apart=76, shown=SHOWN, end=f"{_tokens(now)[now.asks]}, after")
    drawing.words(516, top + 146, "Who wears the watch?", size=15, anchor="start")
    drawing.words(516, top + 170, _told(now), size=15, anchor="start", colour="output", bold=True)


def _narrow(drawing, middles, top, now):
    _mixture(drawing, 94, top + 40, now, apart=48, shown=3, end="after")
    drawing.words(8, top + 10, _told(now), size=14, anchor="start", colour="output", bold=True)


def _told(now):
    """Who the word has become: by likeness alone no word is half somebody."""
    return f"{_tokens(now)[now.asks]} is a bit of everybody"


def _mixture(drawing, x, top, now, *, apart, shown, end):
    """The columns of the words with most of the weight, how much of each is taken, and what that makes together."""
    order, foot = np.argsort(-now.weights, kind="stable")[:shown], top + 9 * STEP + 13
    drawing.words(x - 14, foot, "shared", size=13, colour="query", anchor="end")
    drawing.words(x - 14, foot + 17, "weight", size=13, colour="muted", anchor="end")
    columns.labels(drawing, x - 8, top, [*FEATURES, *words.IS], height=CELL, gap=GAP)
    for k, word in enumerate(order):
        left = x + k * apart
        drawing.words(left + CELL / 2, top - 8, _tokens(now)[word], size=13, bold=True)
        both = ["query" if has and asked else "ink" for has, asked in zip(now.X[word], now.query)]
        columns.cells(drawing, left, top, now.X[word], width=CELL, height=CELL, gap=GAP, role=both)
        shared = _shared(now)[word]
        drawing.words(left + CELL / 2, foot, f"{shared:.0f}", size=13, colour="query" if shared else "muted", bold=True)
        drawing.words(left + CELL / 2, foot + 17, f"{now.weights[word]:.0%}", size=13, colour="muted")
        drawing.words(left + CELL / 2 + apart / 2, top + 4.5 * STEP, "+", size=16, colour="muted")
    after = x + shown * apart + 40
    drawing.words(after - 40, top + 4.5 * STEP, "… =", size=16, colour="muted", anchor="start")
    drawing.words(after + 10, top - 8, end, size=13, bold=True, colour="output")
    columns.cells(drawing, after, top, now.output, width=CELL, height=CELL, gap=GAP, role="output")
    shares = [f"{share:.0%}" for share in now.output]
    columns.labels(drawing, after + CELL + 6, top, shares, height=CELL, gap=GAP, anchor="start", colours=["output"] * 9)


def _describe(now):
    largest, asks = now.weights.max(), _tokens(now)[now.asks]
    best = [_tokens(now)[k] for k in np.flatnonzero(now.weights > largest - 1e-9)]
    if len(best) == len(_tokens(now)):
        return f"“{asks}” shares nothing with any word, so each gets the same {largest:.1%}."
    each = " each" if len(best) > 1 else ""
    return f"“{asks}” gives {largest:.0%} of the weight{each} to {listed([f'“{word}”' for word in best])}."
