"""Fresh pages, on most of which one number was changed: practice in distrust."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from helpers import matrices
from helpers.attention import softmax
from helpers.explorers.controls import slider
from helpers.explorers.distrust import ASK, found, judge_pages, marks

PAGES = 99
SOUND = 0.25  # of the pages, about


class Kind(NamedTuple):
    """One kind of page.

    about : what stands there
    caption : of the table
    draw : function(rng) -> (given, right): what it starts from, or None, and the right numbers
    change : function(rng, given, right) -> (i, j, number), the changed one
    off : function(given, printed) -> Boolean of the shape of `printed`, what a rule or a computation finds
    tell : function(given, printed, i, j) -> one sentence on number (i, j)
    decimals : of the page
    """

    about: str
    caption: str
    draw: Callable
    change: Callable
    off: Callable
    tell: Callable
    decimals: int


def explore_suspects():
    """Click the number that you distrust, on one fresh page after the other.

    Shown: given (num_tokens, 2), what the page starts from, or empty; printed (num_rows, num_columns); off, True where a
    number cannot be right; found: 1 judged rightly, -1 wrongly, 0 not yet
    """
    return judge_pages(_judge, _show, _say, slider("fresh page", 1, 1, PAGES, 1), (3, 4))


# --- three kinds of pages --------------------------------------------------------------------------------------------


def _tokens(rng):
    X = rng.integers(1, 5, size=(3, 2)).astype(float)
    return X, X @ X.T


def _other_product(rng, X, right):
    i, j = rng.integers(3, size=2)
    return i, j, right[i, j] + rng.choice([-2, -1, 1, 2])


def _rows(rng):
    return None, softmax(rng.integers(-2, 3, size=(3, 4)).astype(float)).round(2)


def _larger_share(rng, given, right):
    i, j = rng.integers(3), rng.integers(4)
    return i, j, right[i, j] + rng.choice([0.1, 0.2, 0.3])


def _mixtures(rng):
    X = rng.integers(0, 5, size=(3, 2)).astype(float)
    return X, (softmax(rng.integers(-1, 2, size=(3, 3)).astype(float)) @ X).round(2)


def _outside(rng, X, right):
    i, j = rng.integers(3), rng.integers(2)
    return i, j, rng.choice([X[:, j].max() + 0.4, X[:, j].min() - 0.3])


def _rows_off(given, printed):
    """All numbers of a row whose sum is further from 1 than rounding explains: which of them it is, no rule can tell."""
    rows = np.abs(printed.sum(axis=1) - 1) > 0.005 * printed.shape[1] + 1e-9
    return np.repeat(rows[:, None], printed.shape[1], axis=1)


def _tell_product(X, printed, i, j):
    sum_of = " + ".join(f"{a:g} · {b:g}" for a, b in zip(X[i], X[j]))
    return f"Token {i + 1} · token {j + 1} = {sum_of} = {X[i] @ X[j]:g}, and the page has {printed[i, j]:g}."


def _tell_row(given, printed, i, j):
    return f"Row {i + 1} sums to {printed[i].sum():.2f}; rounding alone may put it off by 0.02."


def _tell_mixture(X, printed, i, j):
    low, high = X[:, j].min(), X[:, j].max()
    return f"Feature {j + 1} of the tokens runs from {low:g} to {high:g}, and the page has {printed[i, j]:.2f}."


KINDS = [
    Kind(
        "Dot products of three tokens, each with each.",
        "dot products",
        _tokens,
        _other_product,
        lambda X, printed: np.abs(printed - X @ X.T) > 1e-9,
        _tell_product,
        0,
    ),
    Kind("Three rows of weights, to two decimals.", "weights", _rows, _larger_share, _rows_off, _tell_row, 2),
    Kind(
        "Three mixtures of three tokens, to two decimals.",
        "outputs",
        _mixtures,
        _outside,
        lambda X, printed: (printed > X.max(axis=0) + 1e-9) | (printed < X.min(axis=0) - 1e-9),
        _tell_mixture,
        2,
    ),
]


def draw(number):
    """Draw a page: (kind, given, printed)."""
    kind, rng = KINDS[(number - 1) % len(KINDS)], np.random.default_rng([20, number])
    given, right = kind.draw(rng)
    printed = right.copy()
    if rng.random() >= SOUND:
        i, j, changed = kind.change(rng, given, right)
        printed[i, j] = changed
    return kind, given, printed


# --- a page is judged ------------------------------------------------------------------------------------------------


def _judge(page, number, sound):
    kind, given, printed = draw(page)
    off = kind.off(given, printed)
    return {
        "given": np.empty((0, 2)) if given is None else given,
        "printed": printed,
        "off": off,
        "found": found(number, sound, printed, off),
    }


def _show(now):
    kind = KINDS[(now.page - 1) % len(KINDS)]
    tables = [now.table("printed", kind.caption, decimals=kind.decimals, marks=marks(now, now.off))]
    if len(now.given):
        columns = ["feature 1", "feature 2"]
        tables.insert(0, now.table("given", "tokens", decimals=0, corner="token", columns=columns))
    return [matrices.sentence(kind.about), tables]


def _say(now):
    kind, given, printed = draw(now.page)
    if now.found == 0:
        return ASK
    if now.sound:
        return "Right, nothing is off." if now.found == 1 else "Something is off: one number at least cannot be right."
    told = kind.tell(given, printed, *now.number)
    return f"{'Found' if now.found == 1 else 'Innocent'}. {told}"
