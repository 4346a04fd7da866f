"""Queries, keys and values: three views of a token, made by three matrices."""

import math

import numpy as np

from helpers import matrices
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers import sums
from helpers.explorers.controls import NumberGrid, choose, slider, switch
from helpers.explorers.engine import SHARES, Rule, between, equals, explorer, wrong_turns
from helpers.explorers.touch import Plane, Touch
from helpers.matrices import fewest_decimals
from helpers.pictures.plane import Axes
from helpers.tokens import one_hot

TOKENS = {"A A B A": one_hot("AABA", "AB"), "three tokens": np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])}
LETTERS, THREE = TOKENS
COMPANION = {
    "W_query": np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]),
    "W_key": np.array([[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 0.0, 0.0]]),
    "W_value": np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]),
}
EXAMPLES = {"companion": COMPANION, "identity": dict.fromkeys(COMPANION, np.eye(2))}  # for mistakes
WIDE, HIGH, REACH = 780, 330, 4.6
LEFT = Axes(WIDE, HIGH, (-0.7, 2.1), (-0.4, 1.6), x_title="tokens", margin=(14, 22, WIDE - 370, 22))
RIGHT = Axes(WIDE, HIGH, (-2.2, REACH + 1), (-1.0, REACH), x_title="queries and keys", margin=(WIDE - 370, 22, 14, 22))
SUMS = {
    "query": sums.product("query", "X", "W_Q"),
    "key": sums.product("key", "X", "W_K"),
    "scores": sums.dot_product("scores", "query", "key"),
    "weights": sums.share("weights", "scores", lambda now: "e"),
    "output": sums.mixture("output", "weights", "X"),
}


def explore_projections():
    """Drag the rows of W_Q and W_K, the places to which [1, 0] and [0, 1] are sent, and see queries and keys go along.

    Shown: X (n, 2), W_Q and W_K (2, 2) as they are in use, query and key (n, 2), scores and weights (n, n), output (n, 2), and
    chosen (), the index of the token that is followed
    """
    row = Touch(lambda now, i, j: {"chosen": i + 1}, lambda now, i, j: f"click: follow token {i + 1}")
    same = {"swap": False, "chosen": 1}
    start = {"W_query": np.eye(2), "W_key": 2 * np.eye(2)}
    return explorer(
        _attend,
        lambda now: [_planes(now), _stages(now)],
        _describe,
        [SHARES, between(lambda now: now.output, lambda now: now.X, "every output lies between the tokens")],
        presets={
            "booster": {**same, "tokens": LETTERS, "W_query": [[0, 1], [0, 1]], "W_key": 4 * np.eye(2)},
            "three tokens": {**same, "tokens": THREE, "W_query": np.eye(2), "W_key": np.eye(2)},
        },
        planes={
            "rows of W": Plane(RIGHT, _drag, "drag the tip of a row of W_Q or W_K", grab=_take),
            "tokens": Plane(LEFT, _follow, "click a token to follow it", drag=False),
        },
        touch=dict.fromkeys(["X", "query", "key", "scores", "weights", "output"], row),
        sums=SUMS,
        folded=["W_query", "W_key", "chosen"],
        tokens=choose("tokens", list(TOKENS), LETTERS),
        swap=switch("swap Q and K"),
        W_query=NumberGrid("W_Q", start["W_query"], compact=True),
        W_key=NumberGrid("W_K", start["W_key"], compact=True),
        chosen=slider("follow token", 1, 1, 4, 1),
    )


def explore_wrong_projections():
    """Make a mistake with queries, keys and values, where it shows and where the identity hides it.

    Shown: scores and weights (3, 3), output (3, as wide as the mistake makes it), right_output (3, d_v)
    """
    return wrong_turns(
        "how it is done",
        _MISTAKES,
        lambda recipe, example: _mistaken(recipe, EXAMPLES[example]),
        lambda now: (
            now.table("weights"),
            now.table("output", corner="token"),
            now.table("right_output", "right output", corner="token"),
        ),
        _describe_mistake,
        [
            SHARES,
            Rule("the output is as wide as W_V makes it", _as_wide),
            Rule("the output equals softmax(QKᵀ/√d_k) V", lambda now: equals(now.output, now.right_output)),
        ],
        sums={
            "weights": _shared,
            "output": sums.mixture(
                "output", "weights", lambda now: _MISTAKES[now.recipe](*_views(EXAMPLES[now.example]))[1]
            ),
            "right_output": _made_rightly,
        },
        example=choose("matrices", list(EXAMPLES), "companion"),
    )


def _attend(tokens, swap, W_query, W_key, chosen):
    X = TOKENS[tokens]
    W_Q, W_K = (W_key, W_query) if swap else (W_query, W_key)
    query, key = X @ W_Q, X @ W_K
    answer = scaled_dot_product_attention(query, key, X, scale=1)
    return {
        **{"X": X, "W_Q": W_Q, "W_K": W_K, "query": query, "key": key},
        **answer._asdict(),
        "chosen": np.array(min(chosen, len(X)) - 1),
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
    chosen, names = int(now.chosen), _names(now.tokens)
    sketch, right = LEFT.sketch(), RIGHT.sketch()
    sketch.area(now.X)
    for token, weight in zip(now.X, now.weights[chosen]):
        sketch.between(now.output[chosen], token, "ink", 12 * weight, stroke_opacity=0.75)
    for token, label in _shared_labels(now.X, names):
        sketch.dot(token, "key", label, radius=8)
    sketch.diamond(now.output[chosen], f"output of {_called(now, chosen)}")
    for key, weight in zip(now.key, now.weights[chosen]):
        right.between(now.query[chosen], key, "ink", 12 * weight, stroke_opacity=0.45)
    for letter, role, dashes in (("W_K", "key", "2 4"), ("W_Q", "query", "6 4")):
        for row, tip in enumerate(now[letter]):
            right.between((0, 0), tip, role, 2, stroke_dasharray=dashes)
            right.ring(tip, role, radius=9)
            right.say(tip, f"row {row + 1}", (14, 18 if role == "key" else -12), colour=role, size=11, anchor="start")
    for rows, role in ((now.key, "key"), (now.query, "query")):
        for place, label in _shared_labels(rows, names):
            right.dot(place, role, radius=6)
            right.say(
                place,
                f"{role[0]} {label}",
                (-10, -10 if role == "query" else 18),
                colour=role,
                anchor="end",
                font_weight=600,
            )
    sketch.root.extend(list(right.root))
    told = ", ".join(f"{weight:.2f}" for weight in now.weights[chosen])
    return sketch.html(
        f"Left, the tokens as points; the output of {_called(now, chosen)} is a diamond, with a line to each token as thick as its "
        f"weight, {told}. Right, queries and keys as points, made by the rows of W_Q, {_rows(now.W_Q)}, and of W_K, {_rows(now.W_K)}."
    )


def _shared_labels(places, names):
    """(place, label) for each place that differs; tokens in one place share a label."""
    labels = {}
    for place, name in zip(places, names, strict=True):
        labels.setdefault(tuple(np.round(place, 9)), []).append(name)
    return [(np.array(place), " ".join(dict.fromkeys(found))) for place, found in labels.items()]


def _stages(now):
    names, chosen = _names(now.tokens), int(now.chosen)
    how = {"rows": names, "chosen_row": chosen, "corner": ""}
    few = {name: fewest_decimals(now[name], 2) for name in ("query", "key", "scores")}
    return matrices.chain(
        now.table("query", "Q", decimals=few["query"], **how),
        now.table("key", "K", decimals=few["key"], **how),
        now.table("scores", "Q Kᵀ", columns=names, decimals=few["scores"], **how),
        now.table("weights", columns=names, decimals=2, row_sums=False, **how),
        now.table("output", decimals=2, **how),
    )


def _names(tokens):
    return list("AABA") if tokens == LETTERS else ["1", "2", "3"]


def _called(now, k):
    return f"letter {k + 1}, {_names(now.tokens)[k]}" if now.tokens == LETTERS else f"token {k + 1}"


def _rows(W):
    return " and ".join(_vector(row, 2) for row in W)


def _describe(now):
    i = int(now.chosen)
    weights = now.weights[i]
    best = [str(j + 1) for j in np.flatnonzero(weights > weights.max() - 1e-9)]
    many = len(best) > 1
    return (
        f"{_called(now, i)[0].upper()}{_called(now, i)[1:]} asks {_vector(now.query[i], 2)} and gives {weights.max():.0%} of its weight"
        f"{' each' * many} to {'tokens' if many else 'token'} {sums.listed(best)}."
    )


def _vector(row, decimals):
    return "[" + ", ".join(f"{round(x, decimals) + 0.0:.{decimals}f}" for x in row.tolist()) + "]"


# --- mistakes --------------------------------------------------------------------------------------------------------


def _scores(query, key, divisor=None):
    return query @ key.T / (divisor or math.sqrt(query.shape[-1]))


# each takes the tokens and their three views, and returns scores and what is mixed
_DOWN = "softmax down the columns"
_MISTAKES = {
    "as it should be": lambda X, query, key, value: (_scores(query, key), value),
    "Q and K swapped": lambda X, query, key, value: (_scores(key, query), value),
    "W_V forgotten": lambda X, query, key, value: (_scores(query, key), X),
    "W_K used for the values": lambda X, query, key, value: (_scores(query, key), key),
    "divided by √d_model": lambda X, query, key, value: (_scores(query, key, math.sqrt(X.shape[-1])), value),
    "nothing projected": lambda X, query, key, value: (_scores(X, X), X),
    _DOWN: lambda X, query, key, value: (_scores(query, key), value),
}


def _views(W):
    X = TOKENS[THREE]
    return X, X @ W["W_query"], X @ W["W_key"], X @ W["W_value"]


def _shared(now, i, j):
    scores, k = (now.scores[:, j], i) if now.recipe == _DOWN else (now.scores[i], j)
    made = sums.power_share(scores, k, written=sums.number)
    return f"{sums.cell('weights', i, j)} = {made} = {sums.number(now.weights[i, j])}"


def _made_rightly(now, i, j):
    _, query, key, value = _views(EXAMPLES[now.example])
    given = {"weights": softmax(_scores(query, key)), "value": value, "right output": now.right_output}
    return sums.mixture("right output", "weights", "value").words(given, i, j)


def _mistaken(recipe, W):
    X, query, key, value = _views(W)
    scores, mixed = recipe(X, query, key, value)
    weights = softmax(scores, axis=0 if recipe is _MISTAKES[_DOWN] else -1)
    right_output = softmax(_scores(query, key)) @ value
    return {"scores": scores, "weights": weights, "output": weights @ mixed, "right_output": right_output}


def _as_wide(now):
    (_, width), (_, right) = now.output.shape, now.right_output.shape
    return width == right, f"it has {width} columns"


def _describe_mistake(now):
    if now.output.shape != now.right_output.shape:
        return f"The output has {now.output.shape[1]} columns; {now.right_output.shape[1]} are right."
    gap = np.abs(now.output - now.right_output).max()
    hidden = ": these matrices hide the mistake" if gap < 1e-9 and now.recipe != next(iter(_MISTAKES)) else ""
    return f"The output is off by {gap:.3f} at most{hidden}."
