"""Answers to the exercise on the best keys, right and wrong; tests/test_checks.py tries them all."""

import math

import numpy as np

from helpers.attention import scaled_dot_product_attention, softmax
from helpers.checks.few import ATTEND_TO_BEST
from helpers.since_2017.sparse import best_mask


def by_a_mask(marks, scores, values, k):
    best = best_mask(marks[None], k)[0]
    return softmax(np.where(best, scores, -np.inf)) @ values


def by_loops(marks, scores, values, k):
    asked = sorted(range(len(marks)), key=lambda j: -marks[j])[:k]
    powers = {j: math.exp(scores[j]) for j in asked}
    total = sum(powers.values())
    return [sum(powers[j] / total * values[j][i] for j in asked) for i in range(len(values[0]))]


def by_the_helper(marks, scores, values, k):
    """A query of one feature, 1, meets the scores as keys."""
    best = np.argpartition(marks, -k)[-k:]
    return scaled_dot_product_attention([[1.0]], scores[best][:, None], values[best]).output[0]


def weighed_again(marks, scores, values, k):
    kept = np.where(marks >= np.sort(marks)[-k], softmax(scores), 0.0)
    return kept / kept.sum() @ values


RIGHT = {
    "attend_to_best": {
        "a mask": by_a_mask,
        "loops, a list": by_loops,
        "the helper, in another order": by_the_helper,
        "all weights, those kept divided by their sum": weighed_again,
    }
}
WRONG = {
    "attend_to_best": {
        "chosen by scores": (lambda m, s, v, k: softmax(np.sort(s)[-k:]) @ v[np.argsort(s)[-k:]], "marks choose"),
        "not shared out again": (
            lambda m, s, v, k: np.where(m >= np.sort(m)[-k], softmax(s), 0) @ v,
            "before the choice",
        ),
        "zeros instead of -inf": (lambda m, s, v, k: softmax(np.where(m >= np.sort(m)[-k], s, 0)) @ v, "e⁰ is 1"),
        "the last k": (lambda m, s, v, k: softmax(s[-k:]) @ v[-k:], "a window"),
        "the worst": (lambda m, s, v, k: softmax(s[m.argsort()[:k]]) @ v[m.argsort()[:k]], "the smallest|worst"),
        "all": (lambda m, s, v, k: softmax(s) @ v, "All keys were asked"),
        "their mean": (lambda m, s, v, k: v[np.argsort(-m)[:k]].mean(axis=0), "the same weight"),
        "in the text's order": (
            lambda m, s, v, k: softmax(s[np.argsort(-m)[:k]]) @ v[np.sort(np.argsort(-m)[:k])],
            "order of the marks|in that of the text",
        ),
    }
}


def test_two_keys_share_by_powers_of_three():
    """Scores of 9 and 3 parts: 3/4 of 4 and 1/4 of 8 are 5."""
    assert ATTEND_TO_BEST.solve(*ATTEND_TO_BEST.cases[0]).tolist() == [5.0]
