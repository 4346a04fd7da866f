"""Answers to the exercise on the router, right and wrong; tests/test_checks.py tries them all."""

import numpy as np

from helpers.attention import softmax
from helpers.since_2017.sparse import best_mask


def chosen(scores, k, other=-np.inf):
    return np.where(best_mask(scores, k), scores, other)


def by_loops(scores, k):
    shares = np.zeros(np.shape(scores))
    for row, out in zip(np.asarray(scores), shares):
        best = np.argsort(row)[-k:]
        out[best] = softmax(row[best])
    return shares


def renormed(scores, k):
    shares = softmax(scores) * best_mask(scores, k)
    return shares / shares.sum(axis=-1, keepdims=True)


def argsorted(scores, k):
    rank = (-np.asarray(scores)).argsort(axis=-1).argsort(axis=-1)
    return softmax(np.where(rank < k, scores, -np.inf))


def in_place(scores, k):
    scores[~best_mask(scores, k)] = -np.inf
    return softmax(scores)


RIGHT = {
    "route": {
        "mask": lambda scores, k: softmax(chosen(scores, k)),
        "loops": by_loops,
        "renormed": renormed,
        "ranks": argsorted,
        "threshold": lambda s, k: softmax(np.where(s >= np.sort(s, axis=-1)[:, [-k]], s, -np.inf)),
        "32 bits": lambda scores, k: by_loops(scores, k).astype(np.float32),
    }
}
WRONG = {
    "route": {
        "of all": (lambda s, k: softmax(s) * best_mask(s, k), r"sums to less than 1"),
        "everybody": (lambda s, k: softmax(s), r"All experts get a share|k"),
        "zeros": (lambda s, k: softmax(chosen(s, k, 0)), r"score 0, and e⁰ is 1"),
        "smallest": (lambda s, k: softmax(np.where(best_mask(-s, k), s, -np.inf)), r"k smallest scores"),
        "alike": (lambda s, k: best_mask(s, k) / k, r"same share"),
        "divided": (lambda s, k: chosen(s, k, 0) / chosen(s, k, 0).sum(-1, keepdims=True), r"divided by their sum"),
        "scores": (lambda s, k: chosen(s, k, 0), r"softmax is missing"),
        "who": (lambda s, k: best_mask(s, k), r"says who is chosen"),
        "one more": (lambda s, k: softmax(chosen(s, min(k + 1, s.shape[-1]))), r"too many"),
        "columns": (lambda s, k: softmax(chosen(s, k), axis=0), r"down the columns|axis"),
        "no places": (lambda s, k: softmax(-np.sort(-s, axis=-1)[:, :k]), r"column for each expert|for each token"),
        "in place": (in_place, r"scores is overwritten"),
    }
}
