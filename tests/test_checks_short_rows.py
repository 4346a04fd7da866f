"""Answers to the exercise on a sink, right and wrong; tests/test_checks.py tries them all."""

import math

import numpy as np

from helpers.attention import softmax


def by_the_largest(scores, sink):
    top = np.maximum(scores.max(axis=-1, keepdims=True), sink)
    powers = np.exp(scores - top)
    return powers / (powers.sum(axis=-1, keepdims=True) + np.exp(sink - top))


def one_more_column(scores, sink):
    return softmax(np.column_stack([scores, np.full(len(scores), float(sink))]))[:, :-1]


def by_loops(scores, sink):
    rows = []
    for row in scores:
        top = max(*row, sink)
        powers = [math.exp(score - top) for score in row]
        rows.append([power / (sum(powers) + math.exp(sink - top)) for power in powers])
    return rows


def by_logs(scores, sink):
    return np.exp(scores - np.logaddexp(np.logaddexp.reduce(scores, axis=-1, keepdims=True), sink))


def by_ratios(scores, sink):
    ratios = np.exp(np.minimum(scores[:, None, :] - np.where(np.isneginf(scores), 0, scores)[:, :, None], 700))
    rest = np.exp(np.minimum(sink - np.where(np.isneginf(scores), 0, scores), 700))
    return np.where(np.isneginf(scores), 0, 1 / (ratios.sum(axis=-1) + rest))


def beside(scores, sink):
    return np.column_stack([scores, np.full(len(scores), float(sink))])


def powers(scores):
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


def sums(x):
    return x.sum(axis=-1, keepdims=True)


def one_top(scores, sink):
    top = max(scores.max(), sink)
    return np.exp(scores - top) / (sums(np.exp(scores - top)) + np.exp(sink - top))


def refuses_blocked(scores, sink):
    if np.isneginf(scores).all(axis=-1).any():
        raise ValueError("nothing to see")
    return by_the_largest(scores, sink)


def in_place(scores, sink):
    scores[...] = by_the_largest(scores, sink)
    return scores


def divided_again(scores, sink):
    weights = by_the_largest(scores, sink)
    return weights / sums(weights)


RIGHT = {
    "softmax_with_sink": {
        "the largest of row and sink": by_the_largest,
        "one more column": one_more_column,
        "loops, lists": by_loops,
        "logarithms": by_logs,
        "ratios": by_ratios,
        "float32": lambda s, z: by_the_largest(s.astype(np.float32), z),
    }
}
WRONG = {
    "softmax_with_sink": {
        "no sink": (lambda s, z: powers(s) / sums(powers(s)), r"softmax without the sink"),
        "the sink's score": (lambda s, z: np.exp(s) / (sums(np.exp(s)) + z), r"its power belongs there"),
        "sink not shifted": (lambda s, z: powers(s) / (sums(powers(s)) + np.exp(z)), r"the sink had not"),
        "plus 1, shifted": (lambda s, z: powers(s) / (sums(powers(s)) + 1), r"the sink had not"),
        "overflow": (lambda s, z: np.exp(s) / (sums(np.exp(s)) + np.exp(z)), r"Scores of 1000 overflow"),
        "overflow of the sink": (
            lambda s, z: powers(s) / (sums(powers(s)) + np.exp(z - s.max(axis=-1, keepdims=True))),
            r"A large sink overflows, and a row of −∞ gives NaN",
        ),
        "one number taken off": (one_top, r"largest of each row"),
        "the sink's column is still there": (lambda s, z: softmax(beside(s, z)), r"column of its own"),
        "the wrong column": (lambda s, z: softmax(beside(s, z))[:, 1:], r"first column was left out"),
        "divided again": (divided_again, r"the last part, / `sums\(weights\)`, is too much"),
        "added to the scores": (
            lambda s, z: powers(s + z) / sums(powers(s + z)),
            r"Added to the scores it does nothing",
        ),
        "down the columns": (
            lambda s, z: np.exp(s) / (np.exp(s).sum(axis=0, keepdims=True) + np.exp(z)),
            r"runs down the columns",
        ),
        "a sink for each key": (
            lambda s, z: np.exp(s) / (sums(np.exp(s)) + s.shape[-1] * np.exp(z)),
            r"one score more, not as many",
        ),
        "what the sink gets": (lambda s, z: softmax(beside(s, z))[:, -1:], r"what the sink gets"),
        "rows of 1": (lambda s, z: np.ones(s.shape) / s.shape[-1], r"sums to 1; with a sink"),
        "refuses a blocked row": (refuses_blocked, r"is one step too many"),
        "np.append": (lambda s, z: softmax(np.append(s, z, axis=-1)), r"wants a column"),
        "overwrites its input": (in_place, r"is overwritten"),
    }
}
