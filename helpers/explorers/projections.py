"""Queries, keys and values: three views of a token, made by three matrices."""

import math

import numpy as np

from helpers import matrices, plots
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.explorers import sums
from helpers.explorers.controls import NumberGrid, choose, slider, switch
from helpers.explorers.engine import SHARES, Rule, between, equals, explorer, wrong_turns
from helpers.explorers.touch import Touch, leads_on
from helpers.tokens import one_hot

MOST_TOKENS = 4
D_K, D_V = 4, 3  # the widest that the fields hold
TOKENS = {"A A B A": one_hot("AABA", "AB"), "lesson 04's three": np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])}
LETTERS, THREE = TOKENS
COMPANION = {
    "W_query": np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]),
    "W_key": np.array([[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 0.0, 0.0]]),
    "W_value": np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]),
}
BIASES = {"b_query": [[2.0, 0.0, 0.0, 0.0]], "b_key": [[4.0, 0.0, 0.0, 0.0]], "b_value": [[0.0, 1.0, 0.0]]}
IDENTITY = dict.fromkeys(COMPANION, np.eye(2))
EXAMPLES = {"companion": COMPANION, "identity": IDENTITY}  # for mistakes


VIEWS = {"query": "Q", "key": "K", "value": "V"}
CONTROLS = {f"{letter}_{view[0].upper()}": f"{letter}_{view}" for view in VIEWS for letter in "Wb"}  # W_Q: W_query
SWAPPED = {"W_Q": "W_K", "W_K": "W_Q", "b_Q": "b_K", "b_K": "b_Q"}
SUMS = {
    **{view: sums.product(view, "X", f"W_{letter}", bias=f"b_{letter}") for view, letter in VIEWS.items()},
    "scores": sums.dot_product("scores", "query", "key", scale=lambda now: f"√{now.d_k}" if now.scaled else None),
    "weights": sums.share("weights", "scores", lambda now: "3" if now.thirds else "e", sums.exact),
    "output": sums.mixture("output", "weights", "value", sums.exact),
}


def explore_projections():
    """Click the entries of the matrices that make queries, keys and values, and any row to follow its token.

    Shown: X (n, 2), W_Q and W_K (2, d_k), W_V (2, d_v), b_Q, b_K and b_V (1, d_k or d_v) as they are in use, query and key
    (n, d_k), dot_products, scores and weights (n, n), value and output (n, d_v), one_matrix (2, 2), W_Q W_K^T, and chosen (),
    the index of the token that is followed
    """
    booster = {"W_query": np.array([[0.0, 1.0], [0.0, 1.0]]), "W_key": 10 * np.eye(2), "W_value": np.eye(2)}
    controls = {
        "tokens": choose("tokens", list(TOKENS), LETTERS),
        "d_k": slider("d_k, width of queries and keys", 2, 1, D_K, 1),
        "W_query": _grid("W_Q", _padded(booster["W_query"], D_K)),
        "W_key": _grid("W_K", _padded(booster["W_key"], D_K)),
        "d_v": slider("d_v, width of values", 2, 1, D_V, 1),
        "W_value": _grid("W_V", _padded(booster["W_value"], D_V)),
        "biases": switch("add biases"),
        "b_query": _grid("b_Q", BIASES["b_query"]),
        "b_key": _grid("b_K", BIASES["b_key"]),
        "b_value": _grid("b_V", BIASES["b_value"]),
        "swap": switch("swap Q and K"),
        "scaled": switch("divide the scores by √d_k"),
        "thirds": switch("base 3 instead of e"),
        "chosen": slider("follow token", 1, 1, 4, 1),
    }
    _show_what_is_in_play(controls)
    same = {"biases": False, **BIASES, "swap": False, "chosen": 1}
    companion = {**same, **_state(THREE, COMPANION), "scaled": True, "thirds": True}
    arrows = _Arrows()
    row = Touch(lambda now, i, j: {"chosen": i + 1}, lambda now, i, j: f"follow token {i + 1}")
    return explorer(
        _attend,
        lambda now: _draw(arrows, now),
        _describe,
        [
            SHARES,
            between(
                lambda now: now.output,
                lambda now: now.value,
                "every output lies between the values",
            ),
            Rule("one matrix W_Q W_Kᵀ gives the same dot products", _gap_to_one_matrix),
        ],
        presets={
            "A/B booster": {**same, **_state(LETTERS, booster), "scaled": False, "thirds": False},
            "identity": {**same, **_state(THREE, IDENTITY), "scaled": True, "thirds": False},
            "companion": companion,
            "companion, biases": {**companion, "biases": True},
        },
        touch={
            **dict.fromkeys(["X", *VIEWS, "scores", "weights", "output"], row),
            **{name: leads_on(name, _grid_behind(name)) for name in CONTROLS},
        },
        sums=SUMS,
        folded=["W_query", "W_key", "W_value", "b_query", "b_key", "b_value", "chosen"],
        **controls,
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
        picks={"weights": (3, 3), "output": (3, 4), "right_output": (3, 3)},
        example=choose("matrices", list(EXAMPLES), "companion"),
    )


def _grid(name, values):
    return NumberGrid(name, values, compact=True)


def _padded(matrix, width):
    return np.pad(matrix, [(0, 0), (0, width - matrix.shape[1])])


def _state(tokens, W):
    """The values of the controls that stand for an example."""
    return {
        "tokens": tokens,
        "d_k": W["W_query"].shape[1],
        "W_query": _padded(W["W_query"], D_K),
        "W_key": _padded(W["W_key"], D_K),
        "d_v": W["W_value"].shape[1],
        "W_value": _padded(W["W_value"], D_V),
    }


def _show_what_is_in_play(controls):
    """Hide the columns beyond d_k and d_v, and the biases while they are off; end the tokens with the string."""
    widths = {"W_query": "d_k", "W_key": "d_k", "W_value": "d_v", "b_query": "d_k", "b_key": "d_k", "b_value": "d_v"}

    def follow(_change=None):
        for name, width in widths.items():
            off = name.startswith("b_") and not controls["biases"].value
            controls[name].show_columns(0 if off else controls[width].value)
        controls["chosen"].max = len(TOKENS[controls["tokens"].value])

    for name in ("tokens", "d_k", "d_v", "biases"):
        controls[name].observe(follow, "value")
    follow()


def _attend(
    tokens, d_k, W_query, W_key, d_v, W_value, biases, b_query, b_key, b_value, swap, scaled, thirds, chosen
):  # fmt: skip
    X = TOKENS[tokens]
    W_Q, W_K, W_V = W_query[:, :d_k], W_key[:, :d_k], W_value[:, :d_v]
    b_Q, b_K, b_V = biases * b_query[:, :d_k], biases * b_key[:, :d_k], biases * b_value[:, :d_v]
    if swap:
        W_Q, W_K, b_Q, b_K = W_K, W_Q, b_K, b_Q
    query, key, value = X @ W_Q + b_Q, X @ W_K + b_K, X @ W_V + b_V
    answer = scaled_dot_product_attention(
        query, key, value, scale=1 / math.sqrt(d_k) if scaled else 1, base=3 if thirds else math.e
    )
    return {
        **{"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "b_Q": b_Q, "b_K": b_K, "b_V": b_V},
        **{"query": query, "key": key, "dot_products": query @ key.T, "value": value},
        **answer._asdict(),
        "one_matrix": W_Q @ W_K.T,
        "chosen": np.array(min(chosen, len(X)) - 1),
    }


def _grid_behind(name):
    """The control that holds a matrix: another one while Q and K are swapped."""
    return lambda now: CONTROLS[SWAPPED.get(name, name) if now.swap else name]


def _draw(arrows, now):
    """X with the three matrices above what they make of it; below, what comes of that, and where two numbers make an arrow,
    queries and keys as arrows. Row labels stand once in a line."""
    names, chosen = _names(now.tokens), int(now.chosen)
    first, other = {"rows": names, "chosen_row": chosen}, {"rows": [""] * len(names), "chosen_row": chosen}
    mixed = {"fractions": now.thirds, **other}

    def view(name, letter):
        shift = [_few(now, f"b_{letter}", rows=[""])] if now.biases else []
        caption = letter if now.biases else f"{letter} = X W_{letter}"
        return matrices.under(_few(now, f"W_{letter}", rows=["", ""]), *shift, _few(now, name, caption, **other))

    return [
        matrices.beside(matrices.under(_few(now, "X", **first)), *(view(*each) for each in VIEWS.items()), bottom=True),
        [
            _few(now, "scores", "Q Kᵀ / √d_k" if now.scaled else "Q Kᵀ", corner="", columns=names, **first),
            now.table("weights", row_sums=False, corner="", columns=names, **mixed),
            now.table("output", decimals=4, **mixed),
        ],
        *([arrows.draw(now, names)] if now.d_k == 2 else []),
    ]


class _Arrows:
    """Queries and keys of two numbers as arrows, each kind to a scale of its own; the one that is followed in its colour."""

    def __init__(self):
        figure, axes = plots.new_figure(4.4, 0.7, "ab")
        self._arrows, self._titles, self._names = [], [], []
        for ax in axes:
            ax.set(xlim=(-3.6, 2.3), ylim=(-1.15, 1.15), xticks=[], yticks=[], aspect="equal")
            ax.spines[:].set_visible(False)
            ax.plot([-1, 1], [0, 0], color="#bbbbbb", linewidth=0.8, zorder=0)
            ax.plot([0, 0], [-1, 1], color="#bbbbbb", linewidth=0.8, zorder=0)
            none = np.zeros(MOST_TOKENS)
            self._arrows.append(
                ax.quiver(none, none, none, none, angles="xy", scale_units="xy", scale=1, width=0.018, minlength=0)
            )
            self._titles.append(ax.text(-3.6, 0, "", ha="left", va="center", fontsize=9))
            self._names.append([ax.text(0, 0, "", va="center", fontsize=9) for _ in range(MOST_TOKENS)])
        moving = [*self._arrows, *self._titles, *self._names[0], *self._names[1]]
        self._live = plots.LiveFigure(figure, moving, self._update)

    def draw(self, now, names):
        told = [" ".join(_vector(row, 1) for row in rows) for rows in (now.query, now.key)]
        return self._live.draw(
            {"queries": now.query, "keys": now.key, "names": names, "chosen": int(now.chosen)},
            f"Queries as arrows, {told[0]}, and keys as arrows, {told[1]}, each kind to its own scale: a score is large where "
            "a query and a key are long and point the same way.",
        )

    def _update(self, now):
        for kind, arrows, title, labels in zip(
            ("queries", "keys"), self._arrows, self._titles, self._names, strict=True
        ):
            rows = now[kind]
            longest = np.linalg.norm(rows, axis=1).max()
            tips = np.full((MOST_TOKENS, 2), np.nan)
            tips[: len(rows)] = rows / (longest or 1)
            followed = np.arange(MOST_TOKENS) == now["chosen"]
            order = np.argsort(followed, kind="stable")  # the one that is followed lies on top
            arrows.set_UVC(*tips[order].T)
            arrows.set_color(["#c2410c" if kind == "queries" and followed[k] else "#1d4ed8" for k in order])
            title.set_text(f"{kind}:\nlongest {longest:.3g}")
            self._label(labels, rows, tips, now["names"])

    def _label(self, labels, rows, tips, names):
        """Tokens of one arrow share one label."""
        for k, label in enumerate(labels):
            same = [j for j in range(len(rows)) if k < len(rows) and np.allclose(rows[j], rows[k])]
            first = bool(same) and same[0] == k
            label.set_text(" ".join(names[j] for j in same) if first else "")
            if first:
                right = tips[k, 0] >= -1e-9
                label.set(position=tips[k] + [0.15 if right else -0.15, 0], ha="left" if right else "right")


def _few(now, name, caption=None, **how):
    return now.table(name, caption, decimals=matrices.fewest_decimals(now[name], 2), **how)


def _names(tokens):
    return list("AABA") if tokens == LETTERS else ["1", "2", "3"]


def _describe(now):
    i = int(now.chosen)
    weights, names = now.weights[i], _names(now.tokens)
    letter = f" ({names[i]})" if now.tokens == LETTERS else ""
    best = [str(j + 1) for j in np.flatnonzero(weights > weights.max() - 1e-9)]
    return (
        f"Token {i + 1}{letter} asks {_vector(now.query[i], 2)}, gives its largest weight, "
        f"{100 * weights.max():.3f}%{' each' * (len(best) > 1)}, to token{'s' * (len(best) > 1)} {sums.listed(best)}, "
        f"and receives {_vector(now.output[i], 4)}."
    )


def _vector(row, decimals):
    return "[" + ", ".join(f"{round(x, decimals) + 0.0:.{decimals}f}" for x in row.tolist()) + "]"


def _gap_to_one_matrix(now):
    """None with biases: they need more than one matrix."""
    return None if now.biases else np.abs(now.X @ now.one_matrix @ now.X.T - now.dot_products).max()


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
