"""Exercises on the size of scores."""

import math

import numpy as np

from helpers.attention import softmax
from helpers.checks.engine import Exercise


def _spread(queries, keys):
    return np.std(queries @ keys.T)


def _of_scores(measure):
    return lambda queries, keys: measure(queries @ keys.T)


def _scaled(power):
    return lambda queries, keys: np.std(queries @ keys.T) / queries.shape[-1] ** power


def _pairs(queries, keys):
    return (queries * keys).sum(axis=-1)  # only where there are as many keys as queries


def _root_mean_square(scores):
    return math.sqrt((scores**2).mean())


def _explain(got, want, queries, keys):
    if got < 0:
        return f"A spread is the root of a mean of squares and cannot be negative, yours is {float(got):.3f}."
    return None


def _hint(error, *arguments):
    if isinstance(error, ValueError) and any(word in str(error) for word in ("matmul", "shape", "align", "broadcast")):
        return "Both hold one vector in each row: queries @ keys.T has every query with every key."
    return None


def _case(seed, num_queries, num_keys, d_k):
    rng = np.random.default_rng(seed)
    return rng.integers(-3, 4, size=(num_queries, d_k)) / 2.0, rng.integers(-2, 5, size=(num_keys, d_k)) / 2.0


SPREAD = Exercise(
    name="spread_of_scores",
    solve=_spread,
    cases=[
        (np.array([[1.0, -1.0], [1.0, 1.0]]), np.array([[1.0, 2.0], [3.0, 0.0]])),
        _case(11, 4, 4, 3),
        _case(2, 5, 3, 4),
        _case(3, 2, 7, 16),
        _case(4, 6, 6, 9),
        _case(5, 1, 5, 8),
    ],
    mistakes={
"The scores were divided by √d_k first; measure them as they are.": _scaled(1 / 2),
"The scores were divided by d_k first; measure them as they are.": _scaled(1),
"This is the variance; the standard deviation is its square root.": _of_scores(np.var),
"The sum was divided by one less than the number of scores; here the scores are all there are: np.std as it is.": _of_scores(lambda s: np.std(s, ddof=1)),
"Only query 1 met key 1, query 2 key 2, and so on; let every query meet every key: queries @ keys.T.": lambda q, k: np.std(_pairs(q, k)),
"The entries were multiplied but not added up: a dot product is their sum. Use queries @ keys.T.": lambda q, k: np.std(q * k),
"The root of the mean square measures from 0; the standard deviation measures from the mean: np.std.": _of_scores(_root_mean_square),
"This is the mean square; take the distance from the mean, and a square root: np.std.": _of_scores(lambda s: (s**2).mean()),
"This is the mean distance without squares; the standard deviation is the root of the mean square: np.std.": _of_scores(lambda s: np.abs(s - s.mean()).mean()),
"This is the mean size of the scores; the spread is np.std.": _of_scores(lambda s: np.abs(s).mean()),
"The signs were dropped before the spread was measured.": _of_scores(lambda s: np.std(np.abs(s))),
"This is the mean of the scores; the spread is np.std.": _of_scores(np.mean),
"This is the largest score; the spread is np.std.": _of_scores(np.max),
"This is the largest size of a score; the spread is np.std.": _of_scores(lambda s: np.abs(s).max()),
"This is the distance from the smallest to the largest; the spread is np.std.": _of_scores(np.ptp),
"This is the norm, which adds up instead of averaging; the spread is np.std.": _of_scores(np.linalg.norm),
"Each query's spread was measured by itself, then averaged; measure all scores together.": _of_scores(lambda s: s.std(axis=1).mean()),
"Each key's spread was measured by itself, then averaged; measure all scores together.": _of_scores(lambda s: s.std(axis=0).mean()),
"This is a list, one spread for each query; all scores together have one: np.std without axis.": _of_scores(lambda s: s.std(axis=1)),
"This is a list, one spread for each key; all scores together have one: np.std without axis.": _of_scores(lambda s: s.std(axis=0)),
"These are the scores; how far do they spread? np.std.": lambda q, k: q @ k.T,
"√d_k is what to expect of entries that spread by 1; measure what these queries and keys give.": lambda q, k: math.sqrt(q.shape[-1]),
"This is what one expects from the entries' spreads; measure the dot products themselves.": lambda q, k: np.std(q) * np.std(k) * math.sqrt(q.shape[-1]),
"This multiplies the spreads of queries and keys; the dot products add up d_k products.": lambda q, k: np.std(q) * np.std(k),
"These are the queries with themselves; the keys are missing.": lambda q, k: np.std(q @ q.T),
"These are the keys with themselves; the queries are missing.": lambda q, k: np.std(k @ k.T),
"The keys were not transposed; their rows are vectors, too: queries @ keys.T.": lambda q, k: np.std(q @ k),
"Features met features, queries.T @ keys; let tokens meet tokens: queries @ keys.T.": lambda q, k: np.std(q.T @ k),
"This is the spread of the weights; measure the scores before softmax.": _of_scores(lambda s: np.std(softmax(s))),
},
    praise="Right: one number for all dot products, and √d_k if the entries spread by 1.",
    explain=_explain,
    hint=_hint,
)  # fmt: skip

EXERCISES = [SPREAD]
