"""Similar tokens look at each other, and every output is a mixture that stays between the tokens."""

import itertools

import numpy as np
from matplotlib.patheffects import withStroke

from helpers import matrices, plots, words
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers.controls import NumberGrid, choose, number_field, switch
from helpers.explorers.engine import Rule, explorer, wrong_turns
from helpers.explorers.sums import bracketed, listed, number, terms
from helpers.explorers.temperature import HEAT, temperature_stops, weights_at
from helpers.explorers.touch import ROUND, Plane, Sum, Touch, leads_on

SHE = words.she_sentences()
CANDIDATES = ["Sarah", "Alex", "cat"]
PLACES = {"Sarah": (1.6, 1.5), "cat": (1.5, -1.0), "park": (-1.2, -1.5), "watch": (-1.6, 0.8)}  # made by hand
NAMES = [*PLACES, "She"]
START = (1.0, 0.6)  # where She stands at first
NEAR = 0.25  # a press as near as this to a token means the token


def explore_similar_words():
    """Click any word of two sentences to let it look at all words by similarity, and edit the features that make them similar.

    Shown: X (20, 5) with one row for each token, query (5,) of the token that asks, scores and weights (20,), output (5,),
    the mixture of all tokens, and "dot products" (9, 1), the scores of the words that have features
    """
    labels = list(zip(SHE.tokens, range(len(SHE.tokens)), strict=True))
    grid = {"step": 0.5, "minimum": -3, "maximum": 3, "compact": True}
    table = np.array(list(SHE.table.values()))
    return explorer(
        _look,
        _sentences,
        _describe_look,
        [Rule("all 20 weights, both sentences together, sum to 1", lambda now: abs(now.weights.sum() - 1))],
        touch={
            "weights": Touch(
                lambda now, k, *row: {"asks": k}, lambda now, k: f"click: {_tokens(now.swapped)[k]} looks"
            ),
            "features": leads_on("features", numbers=ROUND[:3]),
        },
        sums={
            "weights": Sum([("features", "j:")], _shared),
            "dot products": Sum([("features", "i:")], _dot_product),
            "before and after": Sum([("features", ":i")], _mixed),
        },
        folded=["asks", "features"],
        asks=choose("who looks? (the query)", labels, SHE.tokens.index("She")),
        swapped=switch("swap the names Sarah and Alex"),
        features=NumberGrid("features", table, **grid, rows=list(SHE.table), columns=SHE.features),
    )


def explore_hull():
    """Drag a token in the plane and turn the temperature from 0 to infinity: the output stays inside the convex hull.

    Shown: X (5, 2), query (2,), scores (5,) before the temperature, weights (5,), output (2,), and path (41, 2), the outputs
    at all temperatures from 0 to infinity
    """
    plane, axes = _plane(way=True)
    return explorer(
        _move,
        lambda now: [plane.draw(now), _shares_strip(now)],
        _describe_move,
        MIXTURE,
        touch=LOOKS,
        planes={"plane": Plane(axes, _drag_she, "drag She; click another point, and it looks", press=_press_token)},
        folded=["asks", "x", "y"],
        asks=choose("who looks? (the query)", NAMES, "She"),
        x=number_field("She, across", START[0], -2.0, 2.0),
        y=number_field("She, up", START[1], -2.0, 2.0),
        heat=temperature_stops(),
    )


def explore_wrong_mixture():
    """Break one of the two rules of a mixture, and see the output leave the convex hull.

    Shown: X (5, 2), query (2,), scores (5,), weights (5,), output (2,)
    """
    plane, axes = _plane(reach=1.3)
    return wrong_turns(
        "how weights are made",
        _RECIPES,
        _mix_wrongly,
        lambda now: [plane.draw(now), _shares_strip(now)],
        lambda now: (
            f"The weights sum to {now.weights.sum():.2f}, the smallest is {now.weights.min():.2f}, "
            f"and the output is [{now.output[0]:.2f}, {now.output[1]:.2f}]."
        ),
        MIXTURE,
        touch=LOOKS,
        planes={"plane": Plane(axes, _nearest_looks, "click a point, and it looks", drag=False)},
        folded=["asks"],
        asks=choose("who looks? (the query)", NAMES, "She"),
    )


# --- words -----------------------------------------------------------------------------------------------------------


def _tokens(swapped):
    names = {"Sarah": "Alex", "Alex": "Sarah"} if swapped else {}
    return [names.get(token, token) for token in SHE.tokens]


def _look(asks, swapped, features):
    X = words.rows(_tokens(swapped), dict(zip(SHE.table, features, strict=True)), len(SHE.features))
    answer = scaled_dot_product_attention(X[asks][None, :], X, X, scale=1)
    return {
        "X": X,
        "query": X[asks],
        "scores": answer.scores[0],
        "weights": answer.weights[0],
        "output": answer.output[0],
        "dot products": (features @ X[asks])[:, None],
    }


def _sentences(now):
    tokens, rows = _tokens(now.swapped), list(SHE.table)
    asks, decimals = tokens[now.asks], matrices.fewest_decimals(now.features)
    places = now.places("weights")._replace(more=lambda k: (rows.index(tokens[k]),) if tokens[k] in rows else ())
    chosen = rows.index(asks) if asks in rows else None
    looks = {"kind": "scores", "chosen_row": chosen}
    mixed = np.stack([now.query, now.output], axis=1)
    return [
        matrices.running(tokens, now.weights, f"where “{asks}” looks", chosen=now.asks, places=places),
        [
            now.table(
                "features", rows=rows, columns=SHE.features, decimals=decimals, limit=2.0,
                shaded=now.features * now.query, **looks,
            ),
            now.table("dot products", "score", rows=[""] * len(rows), columns=[f"· {asks}"], decimals=decimals, limit=3.0, **looks),
            matrices.matrix(
                mixed, "before and after", rows=SHE.features, columns=[asks, "mixture"], places=now.places("before and after")
            ),
        ],
    ]  # fmt: skip


def _shared(now, k):
    tokens = _tokens(now.swapped)
    both = [name for name, a, b in zip(SHE.features, now.X[k], now.query, strict=True) if a * b]
    return (
        f"{tokens[k]} and {tokens[now.asks]} share {', '.join(both) or 'nothing'}: score {number(now.scores[k])}, "
        f"weight e^{bracketed(number(now.scores[k]))} / {np.exp(now.scores).sum():.3f} = {now.weights[k]:.3f}"
    )


def _dot_product(now, i, j):
    products = terms(now.features[i], now.query)
    return f"{list(SHE.table)[i]} · {_tokens(now.swapped)[now.asks]} = {products} = {number(now['dot products'][i, j])}"


def _mixed(now, i, j):
    """Tokens whose feature is 0 add nothing."""
    if j == 0:
        return f"{SHE.features[i]} of {_tokens(now.swapped)[now.asks]} as it is = {now.query[i]:.3f}"
    some = now.X[:, i] != 0
    return f"{SHE.features[i]}, mixed = {terms(now.weights[some], now.X[some, i]) or '0'} = {now.output[i]:.3f}"


def _describe_look(now):
    tokens, weights = _tokens(now.swapped), now.weights
    if np.ptp(now.scores) == 0:
        return f"To “{tokens[now.asks]}” all tokens are equally similar: each gets {weights[0]:.1%}."
    best = [token for token, weight in zip(tokens, weights, strict=True) if weight > weights.max() - 1e-9]
    shares = ", ".join(f"{name} {weights[tokens.index(name)]:.1%}" for name in CANDIDATES)
    return (
        f"“{tokens[now.asks]}” gives most, {weights.max():.1%}{' each' * (len(best) > 1)}, to {listed(best)}. "
        f"The three of the question get: {shares}."
    )


# --- the plane -------------------------------------------------------------------------------------------------------


def _points(x, y):
    return np.array([*PLACES.values(), (x, y)])


def _move(asks, x, y, heat):
    X = _points(x, y)
    query = X[NAMES.index(asks)]
    scores = X @ query
    weights = weights_at(scores, heat)
    return {
        "X": X,
        "query": query,
        "scores": scores,
        "weights": weights,
        "output": weights @ X,
        "path": np.stack([weights_at(scores, each) @ X for each in HEAT]),
    }


def _press_token(now, x, y):
    """A press on a token lets it look; She is dragged."""
    distances = np.linalg.norm(now.X[:-1] - (x, y), axis=1)
    return {"asks": NAMES[int(distances.argmin())]} if distances.min() < NEAR else None


def _drag_she(now, x, y):
    return {"asks": "She", "x": x, "y": y}


def _nearest_looks(now, x, y):
    return {"asks": NAMES[int(np.linalg.norm(now.X - (x, y), axis=1).argmin())]}


def _describe_move(now):
    output = "[{:.2f}, {:.2f}]".format(*(now.output + 0.0))
    largest = now.weights.max()
    best = [
        "itself" if name == now.asks else name
        for name, weight in zip(NAMES, now.weights, strict=True)
        if weight > largest - 1e-9
    ]
    if len(best) == len(NAMES):
        return f"All tokens have the same weight: the output {output} is their plain average."
    all_of_it = "all the weight" if largest > 1 - 1e-9 else f"{largest:.1%} of the weight"
    return f"{now.asks} gives {all_of_it}{' each' if len(best) > 1 else ''} to {listed(best)}; the output is {output}."


def _shares_strip(now):
    stages = [
        matrices.Row("score = x · query", now.scores, "scores"),
        matrices.Row("weight", now.weights, "weights", now.weights.sum()),
    ]
    return matrices.strip(NAMES, stages, f"{now.asks} looks", limit=6.0, places=now.places("tokens"))


LOOKS = {"tokens": Touch(lambda now, k: {"asks": NAMES[k]}, lambda now, k: f"click: {NAMES[k]} looks")}
MIXTURE = [
    Rule("no weight is negative", lambda now: max(0.0, -now.weights.min()), "one is -{:.2f}"),
    Rule("the weights sum to 1", lambda now: abs(now.weights.sum() - 1), "they are off by {:.2f}"),
    Rule(
        "the output lies in the convex hull of the tokens",
        lambda now: _outside(now.output, now.X),
        "it is {:.2f} outside",
    ),
]


def _hull(points):
    """Corners of the convex hull of points in the plane, against the clock; points on an edge are no corners."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return np.array(ordered)
    half = []
    for line in (ordered, ordered[::-1]):  # along the bottom, and back along the top
        chain = []
        for point in line:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 1e-12:
                chain.pop()
            chain.append(point)
        half += chain[:-1]
    return np.array(half)


def _turn(a, b, c):
    """Positive where the way from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _outside(point, points):
    """How far a point is from the convex hull of others; 0 inside."""
    corners = _hull(points)
    edges = list(itertools.pairwise([*corners, corners[0]]))
    if len(corners) > 2 and all(_turn(a, b, point) >= -1e-9 for a, b in edges):
        return 0.0
    return min(_distance(point, a, b) for a, b in edges)


def _distance(point, a, b):
    """From a point to the segment between a and b."""
    along = np.clip((point - a) @ (b - a) / max((b - a) @ (b - a), 1e-12), 0, 1)
    return float(np.linalg.norm(point - a - along * (b - a)))


def _plane(reach=2.45, way=False):
    """The tokens as points, their hull as a shape, the output as a dot, and the way it takes."""
    figure, axes = plots.new_figure(3.5, 3.1)
    axes.set(aspect="equal", xlabel="feature 1", ylabel="feature 2")
    hull = axes.fill([0], [0], facecolor="#dbeafe", edgecolor="#1d4ed8", linewidth=1.2)[0]
    (path,) = axes.plot([], [], color="#c2410c", linewidth=1.2, linestyle=":")
    (tokens,) = axes.plot([], [], "o", color="#1d4ed8", markersize=7)
    (asker,) = axes.plot([], [], "o", markersize=14, fillstyle="none", color="#111111")
    (diamond,) = axes.plot([], [], "D", color="#c2410c", markersize=8)
    look = {"va": "center", "fontsize": 9, "path_effects": [withStroke(linewidth=3, foreground="white")]}
    names = [axes.text(0, 0, name, ha="center", **look) for name in NAMES]
    label = axes.text(0, 0, "output", color="#c2410c", **look)  # white around it: edges run behind words

    def update(now):
        X, output = now.X, now.output
        size = max(reach, 1.15 * np.abs(output).max())
        axes.set(xlim=(-size, size), ylim=(-0.94 * size, 0.94 * size))
        hull.set_xy(_hull(X))
        tokens.set_data(*X.T)
        asker.set_data(*X[[NAMES.index(now.asks)]].T)
        diamond.set_data(*output[:, None])
        if way:
            path.set_data(*now.path.T)
        outward = X - X.mean(axis=0)
        others = np.vstack([X[:-1], output])
        nearest = others[np.linalg.norm(others - X[-1], axis=1).argmin()]
        outward[-1] = X[-1] - nearest if (X[-1] != nearest).any() else (0, -1)  # She may stand anywhere
        outward /= np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), 1e-9)
        places = X + size * outward * (0.2, 0.11)
        for name, place in zip(names, places, strict=True):
            name.set_position(place)
        side = -1 if output[0] > 0.7 * size else 1  # the word stays in the picture
        word = (output[0] + side * 0.2 * size, output[1])  # its middle, about
        close = places[np.abs(places - word) @ (1, 1.5) < 0.32 * size]
        away = 0 if len(close) == 0 else 0.13 * size * (-1 if close[:, 1].mean() > output[1] else 1)
        label.set(position=(output[0] + side * 0.06 * size, output[1] + away), ha="left" if side > 0 else "right")

    def tell(now):
        gap = _outside(now.output, now.X)
        where = f"{gap:.2f} outside the hull" if gap > 1e-9 else "inside the hull"
        start = "[{:.2f}, {:.2f}]".format(*(now.path[0] + 0.0)) if way else ""
        goes = f"; over all temperatures it goes from {start} to the plain average" if way else ""
        return f"Five tokens as points with their convex hull. {now.asks} looks, and the output, a diamond, lies {where}{goes}."

    moving = [hull, path, tokens, asker, diamond, *names, label]
    return plots.LiveFigure(figure, moving, update, tell), axes


_RECIPES = {
    "softmax": softmax,
    "powers of e, not divided by their sum": np.exp,
    "scores, divided by their sum": lambda scores: scores / scores.sum(),
}


def _mix_wrongly(recipe, asks):
    X = 0.5 * _points(*START)  # near each other, so that what leaves them stays in the picture
    query = X[NAMES.index(asks)]
    scores = X @ query
    weights = recipe(scores)
    return {"X": X, "query": query, "scores": scores, "weights": weights, "output": weights @ X}
