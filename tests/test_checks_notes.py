"""Answers to the exercises on reading printed numbers, right and wrong; tests/test_checks.py tries them all."""

import math
from fractions import Fraction

import numpy as np
import pytest

from helpers.checks import EXERCISES
from helpers.checks.notes import DISTRUSTED_ROWS


def off(weights):
    return np.abs(weights.sum(axis=-1) - 1)


def negative(weights):
    return (weights < 0).any(axis=-1)


def vectorised(weights, decimals):
    allowed = 0.5 * 10.0**-decimals * weights.shape[-1]
    return (np.abs(weights.sum(axis=-1) - 1) > allowed) | (weights < 0).any(axis=-1)


def by_loops(weights, decimals):
    found = []
    for row in weights:
        found.append(abs(sum(row) - 1) > len(row) * 0.5 / 10**decimals or min(row) < 0)
    return found


def by_integers(weights, decimals):
    units = np.round(weights * 10**decimals).astype(int)
    return (2 * np.abs(units.sum(axis=1) - 10**decimals) > units.shape[1]) + (units.min(axis=1) < 0)


def by_intervals(weights, decimals):
    half = 0.5 * 10.0**-decimals
    reach_one = ((weights - half).sum(1) <= 1) & ((weights + half).sum(1) >= 1)
    return ~(reach_one & (weights >= 0).all(1))


def by_fractions(weights, decimals):
    half = Fraction(1, 2 * 10**decimals)
    rows = [[Fraction(float(x)).limit_denominator(10**decimals) for x in row] for row in weights]
    return [abs(sum(row) - 1) > half * len(row) or any(x < 0 for x in row) for row in rows]


def above_one_too(weights, decimals):
    half = 0.5 * 10.0**-decimals
    return vectorised(weights, decimals) | (weights > 1 + half).any(axis=-1)


def beyond(allowed):
    return lambda weights, decimals: (off(weights) > allowed(weights, decimals)) | negative(weights)


RIGHT = {
    "suspect": {
        "list": [4, 2, 1],
        "tuple": (4, 2, 1),
        "floats": [4.0, 2.0, 1.0],
        "array": np.array([4, 2, 1]),
        "fractions": [4, 2, Fraction(1)],
    },
    "distrusted_rows": {
        "vectorised": vectorised,
        "loops": by_loops,
        "whole numbers": by_integers,
        "intervals": by_intervals,
        "fractions": by_fractions,
        "above one": above_one_too,
        "0 and 1": lambda w, d: vectorised(w, d).astype(int),
    },
}

WRONG = {
    "suspect": {
        "mirror image": ([2, 4, 1], "mirror images, and one of them is off"),
        "mirror image, other number": ([2, 4, 2], "mirror images, and one of them is off"),
        "what stands there": ([4, 2, 2], "That is the place. What belongs there is the dot product"),
        "another number there": ([4, 2, 3], "That is the place. What belongs there is token 4 · token 2"),
        "counted from 0": ([3, 1, 1], "counted from 1"),
        "mirror image, counted from 0": ([1, 3, 1], "counted from 1"),
        "number first": ([1, 4, 2], "another order"),
        "diagonal": ([3, 3, 5], "a token with itself, and it is right"),
        "a healthy pair": ([3, 1, 0], "mirror image agree, and they are right"),
        "outside": ([5, 2, 1], "rows and columns 1 to 4"),
        "two numbers": ([4, 2], "must have shape|three numbers"),
    },
    "distrusted_rows": {
        "exact": (lambda w, d: (w.sum(axis=-1) != 1) | negative(w), "Rounding is no slip"),
        "not close": (lambda w, d: ~np.isclose(w.sum(axis=-1), 1) | negative(w), "Rounding is no slip"),
        "half a unit for the row": (
            beyond(lambda w, d: 0.5 * 10.0**-d),
            "allowed for each number of a row",
        ),
        "a unit for each": (beyond(lambda w, d: 10.0**-d * w.shape[-1]), "half a unit at most"),
        "rows for columns": (beyond(lambda w, d: 0.5 * 10.0**-d * len(w)), "as many numbers as there are columns"),
        "a hundredth": (beyond(lambda w, d: 0.01), "does not follow the decimals"),
        "negatives pass": (lambda w, d: off(w) > 0.5 * 10.0**-d * w.shape[-1], "still hold a negative number"),
        "below 1 passes": (
            lambda w, d: (w.sum(axis=-1) - 1 > 0.5 * 10.0**-d * w.shape[-1]) | negative(w),
            "Sums below 1 pass",
        ),
        "above 1 passes": (
            lambda w, d: (1 - w.sum(axis=-1) > 0.5 * 10.0**-d * w.shape[-1]) | negative(w),
            "Sums above 1 pass",
        ),
        "turned round": (lambda w, d: ~vectorised(w, d), "turn it round"),
        "only negatives": (lambda w, d: negative(w), "Only negative numbers"),
        "columns": (
            lambda w, d: np.abs(w.sum(axis=0) - 1) > 0.5 * 10.0**-d * len(w),
            "adds up the columns|must have shape",
        ),
        "for all": (lambda w, d: vectorised(w, d).any(), "one answer for the whole matrix|must have shape"),
        "zeros": (lambda w, d: vectorised(w, d) | (w == 0).any(axis=-1), r"^A weight of exactly 0 is allowed\.$"),
        "ones": (lambda w, d: vectorised(w, d) | (w == 1).any(axis=-1), r"the last part, \|.*, is too much"),
    },
}
BY_HAND = {"suspect"}


@pytest.mark.parametrize(("weights", "decimals"), DISTRUSTED_ROWS.cases)
def test_no_case_stands_on_the_edge(weights, decimals):
    """What a float's last bit decides must not decide whether an answer is right."""
    allowed = 0.5 * 10.0**-decimals * weights.shape[-1]
    assert (np.abs(off(weights) - allowed) > 1e-6).all()


def test_a_row_that_is_distrusted_without_need_is_told_with_its_numbers():
    message = EXERCISES["distrusted_rows"](lambda w, d: off(w) > 1e-3 * math.sqrt(d)).message
    assert "Row 2" in message or "Row 1" in message


def test_the_pair_that_disagrees_is_never_said_to_agree():
    for number in (0, 3, 5):
        assert "one of them is off" in EXERCISES["suspect"]([2, 4, number]).message
