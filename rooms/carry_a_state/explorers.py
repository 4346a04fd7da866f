"""A state instead of a cache."""

import functools

import numpy as np

from helpers.variants import linear_attention, state_after
from rooms.carry_a_state import recall
from workbench import Chart, Drawing, NumberGrid, Plane, Rule, Sum, Touch, by_width, choose, explorer, slider, stops
from workbench.moving.sums import mixture, number, terms

TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
BOTH = "both ways give the same rows"
NAMES, WIDTHS, NUM_BOOKS = (2, 4, 8, 16, 32, 64), (8, 16, 32, 64), 20
_LINES = ("softmax", "sum", "delta rule", "least squares")
RECALL = Chart(
    (0.8, 6.2), (0, 1), ticks=dict(enumerate(map(str, NAMES), start=1)), up_ticks={0: "0%", 0.5: "50%", 1: "100%"},
    title="share of right digits", x_title="names", lines=_LINES, size=(600, 300),
)  # fmt: skip


def explore_state():
    """Let three tokens pass, and watch the state that each writes into and reads from.

    Shown: X (3, 2), products (3, 3), masked and faded; by_mask and by_state (3, 2), the outputs in both orders; added and states
    (3, 2, 2), what each token writes and the state after it
    """
    return explorer(
        _pass,
        lambda now: [by_width(_from_left_to_right(now), _from_top_to_bottom(now)), _by_mask(now)],
        lambda now: (
            f"Token {now.passing} asks with [{number(now.X[now.passing - 1, 0])} {number(now.X[now.passing - 1, 1])}] and reads "
            f"[{now.by_state[now.passing - 1, 0] + 0.0:.3f} {now.by_state[now.passing - 1, 1] + 0.0:.3f}] from the state."
        ),
        [Rule(BOTH, lambda now: np.abs(now.by_mask - now.by_state).max(), "the two ways differ by {:.3f}")],
        presets={
            "decay ½": {"decay": 0.5, "passing": 3, "X": TOKENS.tolist()},
            "token 3 like token 1": {"decay": 1.0, "passing": 3, "X": [[1, 0], [0, 1], [1, 0]]},
        },
        touch={"token": Touch(lambda now, i: {"passing": i + 1}, lambda now, i: f"let token {i + 1} pass")},
        sums={
            "products": Sum([], lambda now, i, j: _tell_product(now, now.X, now.decay, i, j)),
            "by_mask": mixture("by_mask", "products", "X", number),
        },
        folded=["X"],
        passing=slider("token that passes now", 3, 1, 3, 1),
        decay=slider("decay γ", 1.0, 0.0, 1.0, 0.05),
        X=NumberGrid("X", TOKENS, step=1.0, minimum=-5.0, maximum=5.0, compact=True),
    )


def explore_recall():
    """Read a phone book once, then ask for every digit: how much does each rule remember?

    Shown: right (4, 1), the share of names with the right digit for softmax, sum, delta rule and least squares, mean of 20
    books; curves (4, 6), the same for 2 to 64 names
    """
    return explorer(
        _ask_everybody,
        lambda now: (
            _recalled(now),
            now.table("right", rows=_LINES, columns=[f"{now.names} names"], kind="weights"),
        ),
        lambda now: (
            f"{now.names} names in {now.width} dimensions: one state is right for {now.right[1, 0]:.0%} by the sum and for "
            f"{now.right[2, 0]:.0%} by the delta rule with β = {number(now.strength)}; the least-squares state, {now.right[3, 0]:.0%}."
        ),
        presets={"β = 0.3": {"strength": 0.3}, "half of them rewritten": {"strength": 0.3, "changed": 0.5}},
        planes={"names": Plane(RECALL.axes, _nearest_count, "drag the number of names")},
        sums={
            "right": lambda now, i, j: (
                f"share of right digits by the rule “{_LINES[i]}”, mean of {NUM_BOOKS} books of {now.names} names"
            )
        },
        names=stops("names", [(str(n), n) for n in NAMES], 16),
        width=stops("width of a name's vector", [(str(n), n) for n in WIDTHS], 16),
        strength=slider("β of the delta rule", 1.0, 0.0, 1.0, 0.05),
        changed=choose("written a second time", {"none": 0.0, "half of them": 0.5}, 0.0),
    )


# --- three tokens ----------------------------------------------------------------------------------------------------


def _by_mask(now):
    how = {"chosen_row": now.passing - 1, "decimals": 2}
    products = now.table("products", "the same by a mask", kind="scores", corner="query ↓ key →", **how)
    return products, now.table("by_mask", "output, by the mask", **how)


def _fade(num_tokens, decay):
    """decay to the power of how long ago, for the past and the token itself; 0 for the future."""
    ago = np.subtract.outer(np.arange(num_tokens), np.arange(num_tokens))
    return np.where(ago >= 0, float(decay) ** np.maximum(ago, 0), 0.0)


def _pass(passing, decay, X):
    products = X @ X.T * _fade(3, decay)
    return {
        "X": X, "products": products, "by_mask": products @ X, "added": X[:, :, None] * X[:, None, :],
        "states": np.stack([state_after(X[: t + 1], X[: t + 1], decay=decay) for t in range(3)]),
        "by_state": linear_attention(X, X, X, decay=decay),
    }  # fmt: skip


STEP, CELL = 232, 40


def _from_top_to_bottom(now):
    """The same on a phone: a line for each token, the states below one another."""
    picture, places, line = Drawing(340, 3 * 158), now.places("token"), 158
    for t, x in enumerate(now.X):
        top, there = t * line, t < now.passing
        ink, arrow = ("ink", "ink") if there else ("muted", "line")
        roles = {role: role if there else "muted" for role in ("query", "key", "value", "output")}
        picture.words(4, top + 14, f"token {t + 1}", size=13, bold=t == now.passing - 1, colour=ink, anchor="start")
        _cells(picture, 4, top + 54, x[:, None], roles["key"], side=34)
        _cells(picture, 44, top + 22, x[None], roles["value"], height=26, side=34)
        _cells(picture, 44, top + 54, now.added[t], ink, side=34)
        picture.words(22, top + 44, "kᵀ v", size=12, colour="muted")
        _right(picture, top + 94, 118, 158, arrow)
        picture.words(138, top + 84, "added", size=12, colour="muted")
        _cells(picture, 166, top + 54, now.states[t], ink, width=2.5, side=34)
        picture.words(200, top + 44, f"S{'₁₂₃'[t]}", size=14, colour=ink)
        if t < 2:
            ahead, way = ("ink", "ink") if t + 1 < now.passing else ("muted", "line")
            _down(picture, 200, top + 132, top + 180, way)
            picture.words(208, top + 157, f"× {number(now.decay)}", size=13, colour=ahead, anchor="start")
        _right(picture, top + 94, 240, 262, arrow)
        picture.words(302, top + 140, "read by q", size=12, colour=roles["query"])
        _cells(picture, 268, top + 76, now.by_state[t][None], roles["output"], height=34, side=34)
        picture.words(302, top + 66, f"y{'₁₂₃'[t]}", size=14, colour=roles["output"])
        picture.box(1, top + 2, 338, 145, fill="transparent", place=(places, t))
    return picture.html(_told(now))


def _right(picture, y, start, end, colour):
    picture.line((start, y), (end, y), colour, 1.5)
    picture.add("polygon", points=f"{end + 3},{y} {end - 6},{y - 5} {end - 6},{y + 5}", fill=colour)


def _from_left_to_right(now):
    """The tokens; each writes a product of key and value into the state, and its query reads from it."""
    picture, places = Drawing(3 * STEP + 24, 322), now.places("token")
    for t, x in enumerate(now.X):
        left, there = 12 + t * STEP, t < now.passing
        ink, arrow = ("ink", "ink") if there else ("muted", "line")
        roles = {role: role if there else "muted" for role in ("query", "key", "value", "output")}
        picture.words(left + 92, 18, f"token {t + 1}", size=14, bold=t == now.passing - 1, colour=ink)
        _cells(picture, left + 20, 60, x[:, None], roles["key"])
        _cells(picture, left + 64, 26, x[None], roles["value"], height=28)
        _cells(picture, left + 64, 60, now.added[t], ink)
        picture.words(left + 40, 50, "kᵀ v", size=12, colour="muted")
        _down(picture, left + 104, 144, 166, arrow)
        picture.words(left + 118, 160, "added", size=12, colour="muted", anchor="start")
        _cells(picture, left + 64, 170, now.states[t], ink, width=2.5)
        picture.words(left + 54, 184, f"S{'₁₂₃'[t]}", size=14, colour=ink, anchor="end")
        if t < 2:
            ahead, way = ("ink", "ink") if t + 1 < now.passing else ("muted", "line")
            picture.line((left + 150, 212), (left + STEP + 52, 212), way, 2)
            x = left + STEP + 60
            picture.add("polygon", points=f"{x},212 {x - 10},206 {x - 10},218", fill=way)
            picture.words(left + STEP - 24, 204, f"× {number(now.decay)}", size=13, colour=ahead)
        _down(picture, left + 104, 254, 276, arrow)
        picture.words(left + 118, 270, "read by q", size=12, colour=roles["query"], anchor="start")
        _cells(picture, left + 64, 282, now.by_state[t][None], roles["output"], height=30)
        picture.words(left + 46, 302, f"y{'₁₂₃'[t]}", size=14, colour=roles["output"], anchor="end")
        picture.box(left + 4, 2, STEP - 52, 318, fill="transparent", place=(places, t))
    return picture.html(_told(now))


def _told(now):
    states = "; ".join(f"S{t + 1} {_rows(state)}" for t, state in enumerate(now.states[: now.passing]))
    return f"States: {states}. Outputs: {_rows(now.by_state[: now.passing])}."


def _cells(picture, x, y, values, colour, width=1.2, height=None, side=CELL):
    height, frame = height or side, "line" if colour == "muted" else colour  # of what has not passed
    for (i, j), value in np.ndenumerate(values):
        box = {"x": x + j * side, "y": y + i * height, "width": side, "height": height}
        picture.add("rect", fill="none", stroke=frame, stroke_width=width, **box)
        words = number(round(value, 2))
        look = {"size": 14 if len(words) < 5 else 11, "colour": colour}
        picture.words(box["x"] + side / 2, box["y"] + height / 2 + 5, words, **look)


def _down(picture, x, start, end, colour):
    picture.line((x, start), (x, end), colour, 1.5)
    picture.add("polygon", points=f"{x},{end + 3} {x - 5},{end - 6} {x + 5},{end - 6}", fill=colour)


def _rows(values):
    return "[" + ", ".join("[" + ", ".join(number(x) for x in row) + "]" for row in values) + "]"


def _tell_product(now, X, decay, i, j):
    if j > i:
        return f"query {i + 1} · key {j + 1} is masked, as token {j + 1} comes later: 0"
    made = f"({terms(X[i], X[j])})·{number(decay)}^{i - j}"
    return f"query {i + 1} · key {j + 1}, faded by {number(decay)}^{i - j} = {made} = {number(now.products[i, j])}"


# --- the phone book --------------------------------------------------------------------------------------------------


@functools.cache
def _books(names, width, changed):
    books = [recall.phone_book(np.random.default_rng(k), names, width, int(changed * names)) for k in range(NUM_BOOKS)]
    return recall.PhoneBook(*map(np.stack, zip(*books)))


_share = functools.cache(
    lambda rule, names, width, changed, **how: recall.share_right(_books(names, width, changed), rule, **how)
)


def _ask_everybody(names, width, strength, changed):
    how = {rule: {"strength": strength} if rule == "delta rule" else {} for rule in _LINES}
    curves = np.array([[_share(rule, count, width, changed, **how[rule]) for count in NAMES] for rule in _LINES])
    return {"right": curves[:, [NAMES.index(names)]], "curves": curves}


def _nearest_count(now, x, y):
    return {"names": min(NAMES, key=lambda count: abs(np.log2(count) - x))}


def _recalled(now):
    """The share of right digits against the number of names, one line for each rule."""
    text = f"2 to 64 names in {now.width} dimensions, mean of {NUM_BOOKS} phone books."
    return RECALL.draw(np.arange(1, 7), now.curves, chosen=1 + NAMES.index(now.names), text=text)
