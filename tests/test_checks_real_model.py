"""Answers to the exercise on a real model, right and wrong; tests/test_checks.py tries them all."""

import numpy as np

from helpers.checks import EXERCISES
from helpers.models import attention_maps


def by_a_loop(weights):
    total = 0.0
    for t in range(1, len(weights)):
        total += weights[t][t - 1]
    return total / (len(weights) - 1)


def by_a_mask(weights):
    n = len(weights)
    before = np.arange(n)[:, None] == np.arange(n) + 1
    return weights[before].mean()


def by_indices(weights):
    t = np.arange(1, len(weights))
    return weights[t, t - 1].mean()


def by_cutting(weights):
    return np.trace(weights[1:, :-1]) / (len(weights) - 1)


def in_place(weights):
    weights *= np.eye(len(weights), k=-1)
    return weights.sum() / (len(weights) - 1)


RIGHT = {
    "previous_token_score": {
        "diagonal": lambda w: np.diag(w, -1).mean(),
        "loop": by_a_loop,
        "mask": by_a_mask,
        "indices": by_indices,
        "cut, then the trace": by_cutting,
        "float32": lambda w: np.diag(w.astype(np.float32), -1).mean(),
        "plain lists": lambda w: by_a_loop(w.tolist()),
        "array without axes": lambda w: np.array(by_a_loop(w)),
        "einsum": lambda w: np.einsum("tt->", w[1:, :-1]) / (len(w) - 1),
    }
}

WRONG = {
    "previous_token_score": {
        "in place": (in_place, r"The numbers are right, but weights is overwritten"),
        "a vector": (lambda w: np.diag(w, -1), r"one for each query; their mean is asked for"),
        "sum": (lambda w: np.diag(w, -1).sum(), r"the sum; a long text"),
        "share of everything": (lambda w: np.diag(w, -1).sum() / w.sum(), r"one fewer counts"),
        "next": (lambda w: np.diag(w, 1).mean(), r"one token ahead"),
        "next, by columns": (
            lambda w: by_a_loop(w.T),
            r"one token ahead",
        ),
        "next, summed": (lambda w: np.trace(w[:-1, 1:]), r"one token ahead, and adds up"),
        "itself": (lambda w: np.diag(w).mean(), r"the diagonal"),
        "itself, summed": (lambda w: np.diag(w).sum(), r"the trace"),
        "two back": (lambda w: np.diag(w, -2).mean(), r"two tokens back"),
        "round the corner": (lambda w: (w * np.roll(np.eye(len(w)), -1, axis=1)).sum() / len(w), r"weights\[0, -1\]"),
        "round the corner, summed": (
            lambda w: (w * np.roll(np.eye(len(w)), -1, axis=1)).sum(),
            r"weights\[0, -1\].*not the sum",
        ),
        "largest": (lambda w: max(np.diag(w, -1)), r"lucky token"),
        "smallest": (lambda w: min(np.diag(w, -1)), r"smallest"),
        "median": (lambda w: np.median(np.diag(w, -1)), r"median"),
        "all before": (lambda w: np.tril(w, k=-1).sum() / (len(w) - 1), r"however far"),
        "all before, over all tokens": (lambda w: np.tril(w, k=-1).sum() / len(w), r"however far"),
        "votes": (
            lambda w: np.mean([row.argmax() == t for t, row in enumerate(w[1:])]),
            r"look most at the one before",
        ),
        "mean of a masked map": (lambda w: (w * np.eye(len(w), k=-1)).mean(), r"number of pairs"),
        "mean of everything": (lambda w: w.mean(), r"mean of all weights"),
        "largest of everything": (lambda w: w.max(), r"wherever it stands"),
        "on [CLS]": (lambda w: w[1:, 0].mean(), r"column 0"),
        "percent": (lambda w: 100 * by_a_loop(w), r"the first part,.*\*, is too much"),
        "rounded": (lambda w: round(float(by_a_loop(w)), 2), r"close, but off by"),
        "a choice": (lambda w: w[1:].argmax(axis=1), r"must have shape \(\), got \(2,\)"),
        "words": (lambda w: "head 3", r"real numbers, got str"),
    }
}


def test_right_answer_is_told_which_head_it_finds():
    maps = attention_maps.load("one before").weights
    scores = {(i + 1, k + 1): by_a_loop(head) for i, layer in enumerate(maps) for k, head in enumerate(layer)}
    (first, best), (second, next_best) = sorted(scores.items(), key=lambda pair: -pair[1])[:2]
    told = EXERCISES["previous_token_score"](by_a_loop).message
    assert f"layer {first[0]}, head {first[1]}: {best:.3f}. Next comes layer {second[0]}, head {second[1]}" in told
    assert f"with {next_best:.3f}." in told and first == (1, 3) and best > 0.99


def test_another_function_is_not_called_needed_where_many_would_do():
    def same_word_score(weights, words):
        return max(
            weights[i, j] for i in range(len(words)) for j in range(len(words)) if words[i] == words[j] and i != j
        )

    told = EXERCISES["same_word_score"](same_word_score).message
    assert (
        "only the first repeated word looks at the same word elsewhere gets 1: the first must be higher" in told
        and "needed" not in told
    )
