"""The exercise on attending to few: only the keys with the best marks."""

import numpy as np

from helpers.attention import softmax
from helpers.checks.exercise import Exercise


def _best(marks, k):
    return np.argsort(-marks, kind="stable")[:k]


def _solve(marks, scores, values, k):
    best = _best(marks, k)
    return softmax(scores[best]) @ values[best]


def _weights_of_all(marks, scores, values, k):
    best = _best(marks, k)
    return softmax(scores)[best] @ values[best]


def _others_at_0(marks, scores, values, k):
    asked = np.isin(np.arange(len(marks)), _best(marks, k))
    return softmax(np.where(asked, scores, 0.0)) @ values


def _case(seed, num_keys, d_v, k):
    rng = np.random.default_rng(seed)
    return (*rng.normal(scale=2, size=(2, num_keys)).round(1), rng.normal(size=(num_keys, d_v)).round(1), k)


ATTEND_TO_BEST = Exercise(
    name="attend_to_best",
    stages={
        "scores of the keys that are asked": lambda marks, scores, values, k: scores[_best(marks, k)],
        "weights": lambda marks, scores, values, k: softmax(scores[_best(marks, k)]),
    },
    solve=_solve,
    cases=[
        (np.array([3.0, 0.0, 2.0, 1.0]), np.log([9.0, 1.0, 3.0, 1.0]), np.array([[4.0], [0.0], [8.0], [0.0]]), 2),
        _case(1, 6, 2, 3),
        _case(2, 9, 3, 4),
        _case(3, 7, 2, 1),
        _case(4, 5, 4, 5),
        _case(5, 8, 2, 2),
    ],
    sorts=("two of four keys", "half of the keys", "four of nine keys", "one key", "all keys", "two of eight keys"),
    mistakes={
        "The keys were chosen by their scores. The marks choose, and the scores weigh.": lambda marks, scores, values, k: (
            _solve(scores, scores, values, k)
        ),
        "The marks were put into softmax. They only choose; the weights come from the scores.": (
            lambda marks, scores, values, k: _solve(marks, marks, values, k)
        ),
        "Softmax came before the choice, so these weights do not sum to 1. First choose, then share out.": _weights_of_all,
        "The scores of the other keys are 0, and e⁰ is 1, so they still get a weight. Leave them out, or set them to -np.inf.": (
            _others_at_0
        ),
        "These are the worst k keys: np.argsort begins with the smallest.": lambda marks, scores, values, k: _solve(
            -marks, scores, values, k
        ),
        "All keys were asked. Only the k with the best marks take part.": lambda marks, scores, values, k: (
            softmax(scores) @ values
        ),
        "The newest k keys were asked, which is a window. Ask those with the best marks.": (
            lambda marks, scores, values, k: softmax(scores[-k:]) @ values[-k:]
        ),
        "The weights belong to the best keys, and the values to the first ones.": (
            lambda marks, scores, values, k: softmax(scores[_best(marks, k)]) @ values[:k]
        ),
        "The weights are in the order of the marks, and the values in that of the text.": (
            lambda marks, scores, values, k: softmax(scores[_best(marks, k)]) @ values[np.sort(_best(marks, k))]
        ),
        "Softmax is missing: the scores themselves mixed the values.": lambda marks, scores, values, k: (
            scores[_best(marks, k)] @ values[_best(marks, k)]
        ),
        "Each of the k keys has the same weight here. Weigh them by softmax of their scores.": (
            lambda marks, scores, values, k: values[_best(marks, k)].mean(axis=0)
        ),
        "One key too many is asked.": lambda marks, scores, values, k: _solve(marks, scores, values, k + 1),
        "These are the weights of the k keys. Mix their values by them.": lambda marks, scores, values, k: softmax(
            scores[_best(marks, k)]
        ),
    },
    praise="Right: a cheap mark for every key, and attention for only k of them.",
)
