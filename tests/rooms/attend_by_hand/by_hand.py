"""Answers to exercises that are worked out on paper."""

from fractions import Fraction

import numpy as np

FOUR = np.array([[2.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])
ROWS = np.array([[21, 4, 3, 4], [15, 12, 9, 12], [15, 18, 9, 18]]) / np.array([[13], [15], [21]])


def rows_by(powers=lambda scores: 3.0**scores, divisor=2, axis=1, tokens=FOUR):
    parts = powers(FOUR @ FOUR.T / divisor)
    return (parts / parts.sum(axis=axis, keepdims=True) @ tokens)[1:]


def but_for(place, number):
    rows = ROWS[1:].copy()
    rows[place] = number
    return rows


BY_HAND = {  # name: right answers, and pairs of a wrong one and what it must be told
    "output_rows": (
        [
            [[1, 0.8, 0.6, 0.8], [0.714, 0.857, 0.429, 0.857]],
            [[1, 4 / 5, 3 / 5, 4 / 5], [5 / 7, 6 / 7, 3 / 7, 6 / 7]],
            [[Fraction(n, 15) for n in (15, 12, 9, 12)], [Fraction(n, 7) for n in (5, 6, 3, 6)]],
            tuple(map(tuple, ROWS[1:])),
            ROWS[1:].astype(np.float32),
        ],
        [
            (rows_by(divisor=1), r"not divided by √d_k"),
            (rows_by(divisor=4), r"divided by d_k; divide by its root"),
            (rows_by(divisor=2**0.5), r"√2, as in the lesson"),
            (rows_by(divisor=3**0.5), r"3 counts tokens"),
            (rows_by(powers=np.exp), r"values in base e"),
            ((FOUR @ FOUR.T / 2 @ FOUR)[1:], r"scores were used as weights"),
            (rows_by(axis=0), r"sums of the columns"),
            (rows_by(tokens=np.eye(3)), r"Those are weights"),
            (ROWS, r"all three rows"),
            (ROWS[:2], r"tokens 1 and 2"),
            (ROWS[:0:-1], r"wrong order"),
            (ROWS[1:].T, r"Rows and columns are exchanged"),
            (but_for((1, 2), 0.5), r"right but one: feature 3 of token 3\."),
            (ROWS[1:] * [[1], [1.1]], r"Token 3: these numbers mix the tokens by weights that sum to 1\.100"),
            (ROWS[1:][:, [1, 0, 2, 3]], r"Token 2: the sum of the row is right, and 2 numbers are not; feature 1"),
            ([["1", "2", "3", "4"], ["1", "2", "3", "4"]], r"real numbers, got str"),
            ([[1, 2, 3, 4], [1, 2]], r"rectangular array"),
        ],
    ),
}
