"""Answers to the exercises on cost, right and wrong; tests/test_checks.py tries them all."""

from fractions import Fraction

import numpy as np

from helpers.checks import EXERCISES


def right(n, d):
    return 4 * n * d * d + 2 * n * n * d, 4 * n * d * (d - 1) + n * n * (d - 1) + n * d * (n - 1)


def by_loops(n, d):
    products = [(n, d, d)] * 4 + [(n, d, n), (n, n, d)]
    multiplications = additions = 0
    for rows, width, columns in products:
        for _ in range(rows * columns):
            multiplications += width
            additions += width - 1
    return [multiplications, additions]


def products(*shapes):
    return sum(a * b * c for a, b, c in shapes), sum(a * (b - 1) * c for a, b, c in shapes)


def three_projections(n, d):
    return products(*[(n, d, d)] * 3, (n, d, n), (n, n, d))


def weights_of(query, keys):
    powers = np.exp(keys @ query / np.sqrt(len(query)) - (keys @ query).max() / np.sqrt(len(query)))
    return powers / powers.sum()


def by_halves(query, keys, values):
    """Two passes would do; a pass over each half, joined, is one."""

    def sums(keys, values):
        m, l, u = -np.inf, 0.0, 0.0  # noqa: E741
        for key, value in zip(keys, values):
            score = query @ key / np.sqrt(len(query))
            m_new = max(m, score)
            shrink, power = np.exp(m - m_new), np.exp(score - m_new)
            m, l, u = m_new, l * shrink + power, u * shrink + power * value  # noqa: E741
        return m, l, u

    (m, l, u), (n, k, v) = sums(keys[::2], values[::2]), sums(keys[1::2], values[1::2])  # noqa: E741
    both = max(m, n)
    return (u * np.exp(m - both) + v * np.exp(n - both)) / (l * np.exp(m - both) + k * np.exp(n - both))


RIGHT = {
    "streamed_row": {
        "by halves": by_halves,
        "float32": lambda query, keys, values: by_halves(query, keys, values).astype(np.float32),
        "list": lambda query, keys, values: [*by_halves(query, keys, values)],
    },
    "count_operations": {
        "closed form": right,
        "loops, list": by_loops,
        "array": lambda n, d: np.array(right(n, d)),
        "float32": lambda n, d: np.array(right(n, d), np.float32),
        "floats": lambda n, d: tuple(map(float, right(n, d))),
        "fractions": lambda n, d: tuple(map(Fraction, right(n, d))),
        "products": lambda n, d: products(*[(n, d, d)] * 4, (n, d, n), (n, n, d)),
        "factored": lambda n, d: (2 * n * d * (2 * d + n), right(n, d)[0] - 4 * n * d - n * n - n * d),
    },
}
WRONG = {
    "streamed_row": {
        "scores, not powers": (lambda query, keys, values: (keys @ query) @ values, r"streamed_row\("),
        "the whole row": (lambda query, keys, values: weights_of(query, keys) @ values, r"makes a row of shape \(7,\)"),
        "no root": (lambda query, keys, values: weights_of(query * np.sqrt(len(query)), keys) @ values, r"not divided"),
        "by d_k": (
            lambda query, keys, values: weights_of(query / np.sqrt(len(query)), keys) @ values,
            r"divided by d_k",
        ),
        "mean": (lambda query, keys, values: values.mean(axis=0), r"mean of the values"),
        "largest": (lambda query, keys, values: values[(keys @ query).argmax()], r"largest score"),
        "last": (lambda query, keys, values: values[-1], r"Only the last key"),
        "weights": (lambda query, keys, values: weights_of(query, keys), r"shape"),
    },
    "count_operations": {
        "without W_O": (three_projections, r"left out W_O"),
        "without W_O, additions as many": (lambda n, d: (three_projections(n, d)[0],) * 2, r"left out W_O.*as many"),
        "no projections": (lambda n, d: products((n, d, n), (n, n, d)), r"projections are missing"),
        "one projection": (lambda n, d: products((n, d, d), (n, d, n), (n, n, d)), r"Only one projection"),
        "no scores": (lambda n, d: products(*[(n, d, d)] * 4, (n, n, d)), r"scores are missing"),
        "no mixing": (lambda n, d: products(*[(n, d, d)] * 4, (n, d, n)), r"mixing is missing"),
        "projections only": (lambda n, d: products(*[(n, d, d)] * 4), r"projections alone"),
        "Q, K, V only": (lambda n, d: products(*[(n, d, d)] * 3), r"W_O as well"),
        "as many additions": (lambda n, d: (right(n, d)[0],) * 2, r"k products are joined by k − 1 additions"),
        "mixing D − 1": (
            lambda n, d: (right(n, d)[0], 4 * n * d * (d - 1) + 2 * n * n * (d - 1)),
            r"N − 1 additions, not D − 1",
        ),
        "scores N − 1": (
            lambda n, d: (right(n, d)[0], 4 * n * d * (d - 1) + 2 * n * d * (n - 1)),
            r"D − 1 additions, not N − 1",
        ),
        "swapped": (lambda n, d: right(n, d)[::-1], r"swapped"),
        "scores N D D, as printed": (
            lambda n, d: products(*[(n, d, d)] * 5, (n, n, d)),
            r"scores were counted as N D²",
        ),
        "mixing N D, as printed": (
            lambda n, d: products(*[(n, d, d)] * 4, (n, d, n), (1, n, d)),
            r"one token only",
        ),
        "big O": (lambda n, d: (n * d * d + n * n * d,) * 2, r"constants are missing"),
        "scaling": (lambda n, d: (right(n, d)[0] + n * n, right(n, d)[1]), r"the last part, \+.*, is too much"),
        "softmax": (lambda n, d: (right(n, d)[0], right(n, d)[1] + n * (n - 1)), r"inside softmax"),
        "biases": (lambda n, d: (right(n, d)[0], right(n, d)[1] + 4 * n * d), r"D − 1 additions, one fewer"),
        "one number": (lambda n, d: right(n, d)[0], r"two are asked for"),
        "sum": (lambda n, d: sum(right(n, d)), r"sum of both"),
        "one token": (lambda n, d: tuple(x // n for x in right(n, d)), r"one token, and there are N"),
        "one too many": (
            lambda n, d: (right(n, d)[0], right(n, d)[1] + 1),
            r"is too much\. With that mended",
        ),
        "doubled": (lambda n, d: (2 * right(n, d)[0], 2 * right(n, d)[1]), r"the first part, `2` \*, is too much"),
    },
}


def test_count_operations_says_that_w_o_belongs_to_the_count():
    message = EXERCISES["count_operations"](three_projections).message
    assert "four projections" in message and "W_O" in message
