"""Exercises on reading numbers that somebody else printed."""

import numpy as np

from rooms.shared import edits, examples
from workbench import Exercise

_SUSPECT = examples.get("a page with a suspect")
_ROW, _COLUMN, _RIGHT = _SUSPECT.right.astype(int).tolist()
_PAGE = _SUSPECT.given["page"]
_THERE = _PAGE[_ROW - 1, _COLUMN - 1]
_WHICH = "The two are mirror images, and one of them is off; but which? The dot product of the two tokens tells."
_MADE = {
    _WHICH: [(_COLUMN, _ROW, _THERE), (_COLUMN, _ROW, _RIGHT)],
    "That is the place. What belongs there is the dot product of the two tokens, not what stands there.": [(_ROW, _COLUMN, _THERE)],
    "Rows and columns are counted from 1 here.": [
        (_ROW - 1, _COLUMN - 1, _RIGHT), (_ROW - 1, _COLUMN - 1, _THERE), (_COLUMN - 1, _ROW - 1, _RIGHT),
    ],
    "Row, column and number are in another order: first the row, then the column, then what belongs there.": [
        (_RIGHT, _ROW, _COLUMN), (_THERE, _ROW, _COLUMN),
    ],
}  # fmt: skip

SUSPECT = Exercise(
    name="suspect",
    solve=lambda: [_ROW, _COLUMN, _RIGHT],
    cases=[()],
    mistakes={said: [lambda made=made: list(made) for made in all_made] for said, all_made in _MADE.items()},
    explain=lambda got, want: _explain_place(got),
    praise="Right. The mirror image showed that something was off, and the dot product showed which of the two it was.",
    by_hand=True,
)


def _explain_place(got):
    row, column = got[:2]
    size = len(_PAGE)
    if not (row in range(1, size + 1) and column in range(1, size + 1)):
        return f"The page has rows and columns 1 to {size}."
    if (row, column) == (_ROW, _COLUMN):
        return f"That is the place. What belongs there is token {_ROW} · token {_COLUMN}, feature by feature."
    if row == column:
        return "That one is the dot product of a token with itself, and it is right. Compare each number with its mirror image."
    if (row, column) == (_COLUMN, _ROW):
        return _WHICH
    return "That number and its mirror image agree, and they are right. Is there a pair that does not?"


def _allowed(weights, decimals):
    """How far the sum of a row of rounded shares may be from 1: half a unit of the last decimal for each of them."""
    return 0.5 * 10.0**-decimals * weights.shape[-1]


def _explain(got, want, weights, decimals):
    row = int(np.flatnonzero(got != want)[0])
    numbers = " + ".join(f"{x:g}" for x in weights[row]) if weights.shape[1] <= 6 else f"{weights.shape[1]} numbers"
    total = weights[row].sum()
    if not want[row] and abs(total - 1) < 1e-9:
        return f"Row {row + 1}, {numbers} = {total:.{decimals}f}, is distrusted without reason: its sum is 1, and no number is negative."
    if not want[row]:
        return f"Row {row + 1}, {numbers} = {total:.{decimals}f}, is distrusted without reason: each number may be off by half a unit of decimal {decimals}, so the sum by {_allowed(weights, decimals):g}."
    if weights[row].min() < 0:
        return f"Row {row + 1}, {numbers}, passes, but a share cannot be negative."
    return f"Row {row + 1}, {numbers} = {total:.{decimals}f}, passes, but rounding explains only {_allowed(weights, decimals):g}."


DISTRUSTED_ROWS = edits.exercise(
    """
def distrusted_rows(weights, decimals):
    allowed = weights.shape[-1] * 0.5 * 10.0**-decimals + 1e-9  # floats are rounded, too
    off = np.abs(weights.sum(axis=-1) - 1) > allowed
    return off | (weights < 0).any(axis=-1)
""",
    cases=[
        (np.array([[0, 1, 0], [0.7, 0.3, 0], [0.5, 0.45, 0.5]]), 2),
        (np.array([[0.401, 0.198, 0.401], [0.198, 0.401, 0.401], [0.248, 0.248, 0.503]]), 3),
        (np.array([[0.33, 0.33, 0.33], [0.34, 0.34, 0.34], [0.5, 0.5, 0.5], [0.3, 0.3, 0.3], [0.2, 0.3, 0.5]]), 2),
        (np.array([[0.6, 0.6, -0.2], [0.2, 0.3, 0.5]]), 1),
        (np.array([[0.5, 0.9], [0.5, 0.1]]), 2),
        (np.array([[0.2, 0.3, 0.4], [0.1, 0.2, 0.3]]), 1),
        (np.array([[0.1749, 0.1749, 0.4754, 0.1749], [0.1749, 0.1749, 0.4754, 0.1794]]), 4),
        (np.array([np.full(16, 0.06), np.full(16, 0.05)]), 2),
        (np.array([[0.5, 0.501, -0.001], [0.5, 0.5, 0.0]]), 3),
        (np.array([[0.3, 0.3, 0.3]]), 2),
        (np.array([[0.57, 0.29, 0.14], [0.58, 0.28, 0.14], [0.57, 0.29, 0.1]]), 2),
        (np.array([[0.334, 0.334, 0.333], [0.333, 0.333, 0.334], [0.332, 0.332, 0.332]]), 3),
        (np.array([[*np.full(8, 0.1111), 0.1108], np.full(9, 0.1110)]), 4),
        (np.array([[-0.1, 0.6, 0.5], [0.7, -0.2, 0.5]]), 1),
        (np.array([[0.5001, -0.0001, 0.5], [0.25, 0.5, 0.25]]), 4),
        (np.array([[1.0, 1, 1, 0, 0], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0]]), 0),
    ],
    sorts=(
        "the matrix of the lesson", "three decimals", "thirds", "a negative number", "columns that sum to 1",
        "one decimal", "four decimals", "wide rows", "a small negative number", "a single row", "two decimals",
        "three decimals", "wide rows", "a negative number that is not the last", "a small negative number",
        "no decimals",
    ),
    mistakes="""
np.abs(weights.sum(axis=-1) - 1) > allowed => weights.sum(axis=-1) != 1 | Rounding is no slip: .248 + .248 + .503 is .999. Half a unit of the last decimal is allowed for each number of a row.
> allowed => > 1e-9 |
=> np.abs(weights.sum(axis=-1) - 1) > 1e-9 | Rounding is no slip: half a unit of the last decimal is allowed for each number of a row; and a negative number is no share, whatever the sum.
* 0.5 => | That allows a whole unit for each number; a rounded number is off by half a unit at most.
* 0.5 => ;; => off | That allows a whole unit for each number; a rounded number is off by half a unit at most; and a negative number is no share, whatever the sum.
weights.shape[-1] => len(weights) | Half a unit is counted for each row; a row has as many numbers as there are columns.
weights.shape[-1] * 0.5 * 10.0**-decimals + 1e-9 => 0.01 | The allowance does not follow the decimals: with one decimal, half a unit is 0.05, with three 0.0005.
weights.shape[-1] * 0.5 * 10.0**-decimals + 1e-9 => 0.001 |
0.5 * 10.0**-decimals + 1e-9 => 0.0005 |
weights.shape[-1] * 0.5 * 10.0**-decimals + 1e-9 => 0.05 |
=> off | A row may sum to 1 and still hold a negative number, which no share is.
np.abs(weights.sum(axis=-1) - 1) => (weights.sum(axis=-1) - 1) | Sums below 1 pass: take the size of the difference, np.abs.
np.abs(weights.sum(axis=-1) - 1) => (weights.sum(axis=-1) - 1) ;; => off | Sums below 1 pass: take the size of the difference, np.abs; and a negative number is no share, whatever the sum.
np.abs(weights.sum(axis=-1) - 1) => (1 - weights.sum(axis=-1)) | Sums above 1 pass: take the size of the difference, np.abs.
=> ~(off | (weights < 0).any(axis=-1)) | This says True for the rows to trust; turn it round.
=> (weights < 0).any(axis=-1) | Only negative numbers are noticed; a row of shares also sums to 1.
=> np.flatnonzero(off | (weights < 0).any(axis=-1)) | These are the numbers of the rows; True or False for each row is asked for, the comparison itself.
=> np.flatnonzero(off | (weights < 0).any(axis=-1)) + 1 |
weights.shape[-1] => weights.shape[-1] ** 0.5 | Half a unit is allowed for each of the n numbers of a row: n times half a unit, not √n.
axis=-1 => axis=0 ;; weights.shape[-1] => len(weights) ;; => off | This adds up the columns; a query's shares stand in a row: axis=-1.
axis=-1 => axis=0 |
axis=-1 => axis=0 ;; weights.shape[-1] => len(weights) ;; + 1e-9 => ;; => off |
weights < 0 => weights <= 0 | A weight of exactly 0 is allowed.
(weights < 0).any(axis=-1) => (weights < 0).any() | One negative number has every row distrusted: look at each row by itself, axis=-1.
1) > allowed => 1) < allowed | The comparison is turned round: a row is distrusted where its sum is further off than rounding allows.
10.0**-decimals => 1 / (10 * decimals or np.nan) | 10 * decimals is no power: with two decimals a unit is 10 ** -2.
""",
    praise="Right: negative shares are caught, and rounding is forgiven, as much as it can explain and no more.",
    explain=_explain,
)  # fmt: skip
