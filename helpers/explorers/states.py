"""A state instead of a cache."""

import functools

import numpy as np

from helpers import matrices, plots, recall
from helpers.explorers.controls import NumberGrid, choose, slider, stops
from helpers.explorers.engine import Rule, explorer
from helpers.explorers.sums import bracketed, mixture, number, terms
from helpers.explorers.touch import Plane, Sum, Touch
from helpers.variants import linear_attention, state_after

TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
BOTH = "both ways give the same rows"
NAMES, WIDTHS, NUM_BOOKS = (2, 4, 8, 16, 32, 64), (8, 16, 32, 64), 20
_LINES = ("softmax", "sum", "delta rule", "best state")


def explore_state():
    """Let three tokens pass, and watch the state that each writes into and reads from.

    Shown: X (3, 2), products (3, 3), masked and faded, by_mask and by_state (3, 2), the outputs in both orders; before,
    added and state (2, 2) at the token that passes now
    """
    return explorer(
        _pass,
        _both_ways,
        lambda now: (
            f"Token {now.passing} asks with [{number(now.X[now.passing - 1, 0])} {number(now.X[now.passing - 1, 1])}] and reads "
            f"[{now.by_state[now.passing - 1, 0] + 0.0:.3f} {now.by_state[now.passing - 1, 1] + 0.0:.3f}] from the state."
        ),
        [Rule(BOTH, lambda now: np.abs(now.by_mask - now.by_state).max())],
        presets={
            "decay ½": {"decay": 0.5, "passing": 3, "X": TOKENS.tolist()},
            "token 3 like token 1": {"decay": 1.0, "passing": 3, "X": [[1, 0], [0, 1], [1, 0]]},
        },
        touch={"X": Touch(lambda now, i, j: {"passing": i + 1}, lambda now, i, j: f"let token {i + 1} pass")},
        sums={
            "products": Sum([("X", "i:"), ("X", "j:")], lambda now, i, j: _tell_product(now, now.X, now.decay, i, j)),
            "by_mask": mixture("by_mask", "products", "X", number),
            "before": _tell_before,
            "added": _tell_added,
            "state": Sum([("before", "ij"), ("added", "ij")], _tell_cell),
            "by_state": _tell_reading,
        },
        passing=slider("token that passes now", 3, 1, 3, 1),
        decay=slider("decay", 1.0, 0.0, 1.0, 0.05),
        X=NumberGrid("X", TOKENS, step=1.0, minimum=-5.0, maximum=5.0, compact=True),
    )


def explore_recall():
    """Read a phone book once, then ask for every digit: how much does each rule remember?

    Shown: right (4, 1), the share of names with the right digit for softmax, sum, delta rule and best state, mean of 20
    books; curves (4, 6), the same for 2 to 64 names
    """
    figure, axes = _recall()
    return explorer(
        _ask_everybody,
        lambda now: (
            figure.draw(now),
            now.table("right", "right", rows=_LINES, columns=[f"{now.names} names"], kind="weights"),
        ),
        lambda now: (
            f"{now.names} names in {now.width} dimensions: one state is right for {now.right[1, 0]:.0%} by the sum and for "
            f"{now.right[2, 0]:.0%} by the delta rule with β = {number(now.strength)}; the best state there is, {now.right[3, 0]:.0%}."
        ),
        presets={
            "β = 1": {"strength": 1.0},
            "β = 0.3": {"strength": 0.3},
            "half of them rewritten": {"changed": 0.5},
        },
        planes={"names": Plane(axes, _nearest_count, "drag the number of names")},
        sums={"right": _share_in_words},
        names=stops("names", [(str(n), n) for n in NAMES], 16),
        width=stops("width of a name's vector", [(str(n), n) for n in WIDTHS], 16),
        strength=slider("β of the delta rule", 0.3, 0.0, 1.0, 0.05),
        changed=choose("written a second time", {"none": 0.0, "half of them": 0.5}, 0.0),
    )


# --- three tokens ----------------------------------------------------------------------------------------------------


def _fade(num_tokens, decay):
    """decay to the power of how long ago, for the past and the token itself; 0 for the future."""
    ago = np.subtract.outer(np.arange(num_tokens), np.arange(num_tokens))
    return np.where(ago >= 0, float(decay) ** np.maximum(ago, 0), 0.0)


def _pass(passing, decay, X):
    products = X @ X.T * _fade(3, decay)
    seen = X[:passing]
    before = state_after(seen[:-1], seen[:-1], decay=decay) if passing > 1 else np.zeros((2, 2))
    return {
        "X": X,
        "products": products,
        "by_mask": products @ X,
        "before": before,
        "added": np.outer(seen[-1], seen[-1]),
        "state": state_after(seen, seen, decay=decay),
        "by_state": linear_attention(X, X, X, decay=decay),
    }


def _both_ways(now):
    row, how = now.passing - 1, {"decimals": 2}
    return [
        [
            now.table(
                "X", "X = Q = K = V", chosen_row=row, decimals=matrices.fewest_decimals(now.X, 2), corner="token"
            ),
            now.table("products", "masked and faded", kind="scores", chosen_row=row, corner="query ↓ key →", **how),
            now.table("by_mask", "output, by the mask", chosen_row=row, **how),
        ],
        [
            now.table("before", "state before", corner="key ↓ value →", **how),
            now.table("added", "added: keyᵀ value", corner="key ↓ value →", **how),
            now.table("state", f"state after token {now.passing}", corner="key ↓ value →", **how),
            now.table("by_state", "output, by the state", chosen_row=row, **how),
        ],
    ]


def _tell_cell(now, i, j):
    before, added = number(now.before[i, j]), number(now.added[i, j])
    return f"state [{i + 1}, {j + 1}] = {number(now.decay)}·{bracketed(before)} + {bracketed(added)} = {now.state[i, j]:.3f}"


def _tell_product(now, X, decay, i, j):
    if j > i:
        return f"query {i + 1} · key {j + 1} is masked, as token {j + 1} comes later: 0"
    made = f"({terms(X[i], X[j])})·{number(decay)}^{i - j}"
    return f"query {i + 1} · key {j + 1}, faded by {number(decay)}^{i - j} = {made} = {number(now.products[i, j])}"


def _tell_before(now, i, j):
    if now.passing == 1:
        return f"before [{i + 1}, {j + 1}] = 0: nothing has been written"
    seen = now.X[: now.passing - 1]
    faded = [
        f"{number(now.decay)}^{k}·{bracketed(number(x[i]))}·{bracketed(number(x[j]))}" for k, x in enumerate(seen[::-1])
    ]
    return f"before [{i + 1}, {j + 1}], the newest token first = {' + '.join(faded)} = {number(now.before[i, j])}"


def _tell_added(now, i, j):
    x = now.X[now.passing - 1]
    return f"added [{i + 1}, {j + 1}] = {terms(x[[i]], x[[j]])} = {number(now.added[i, j])}"


def _tell_reading(now, i, j):
    read = f"query {i + 1} · column {j + 1} of the state after token {i + 1}"
    made = f" = {terms(now.X[i], now.state[:, j])}" if i == now.passing - 1 else ""
    return f"{read}{made} = {number(now.by_state[i, j])}"


# --- the phone book --------------------------------------------------------------------------------------------------


@functools.cache
def _books(names, width, changed):
    books = [recall.phone_book(np.random.default_rng(k), names, width, int(changed * names)) for k in range(NUM_BOOKS)]
    return recall.PhoneBook(*map(np.stack, zip(*books)))


@functools.cache
def _share(rule, names, width, changed, **how):
    return recall.share_right(_books(names, width, changed), rule, **how)


def _ask_everybody(names, width, strength, changed):
    how = {"delta rule": {"strength": strength}}
    curves = np.array(
        [[_share(rule, count, width, changed, **how.get(rule, {})) for count in NAMES] for rule in _LINES]
    )
    return {"right": curves[:, [NAMES.index(names)]], "curves": curves}


def _share_in_words(now, i, j):
    return f"share of right digits by the rule “{_LINES[i]}”, mean of {NUM_BOOKS} books of {now.names} names"


def _nearest_count(now, x, y):
    return {"names": min(NAMES, key=lambda count: abs(np.log2(count) - x))}


def _recall():
    """The share of right digits against the number of names, one line for each rule."""
    figure, axes = plots.new_figure(5.6, 3.0)
    lines = plots.curves(axes, 4, x_title="names", title="share of right digits", labels=_LINES, y_limits=(-0.02, 1.04))
    axes.set(xlim=(0.8, 6.2), xticks=range(1, 7), xticklabels=NAMES)
    axes.legend(loc="lower left")
    marker = plots.marker_line(axes, "")

    def update(now):
        for line, shares in zip(lines, now.curves):
            line.set_data(np.arange(1, 7), shares)
        marker.set_xdata([np.log2(now.names)] * 2)

    def tell(now):
        return (
            f"The share of right digits for 2 to 64 names in {now.width} dimensions, mean of {NUM_BOOKS} phone books: one line "
            "for softmax, the sum, the delta rule and the best state."
        )

    return plots.LiveFigure(figure, [*lines, marker], update, tell), axes
