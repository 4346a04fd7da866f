"""Answers to the exercise on the spread of scores, right and wrong; tests/test_checks.py tries them all."""

import math
import statistics
from fractions import Fraction

import numpy as np


def by_loops(queries, keys):
    scores = [sum(q * k for q, k in zip(query, key, strict=True)) for query in queries for key in keys]
    mean = sum(scores) / len(scores)
    return math.sqrt(sum((score - mean) ** 2 for score in scores) / len(scores))


def in_place(queries, keys):
    scores = queries @ keys.T
    scores -= scores.mean()
    scores *= scores
    return scores.mean() ** 0.5


def by_list(queries, keys):
    return statistics.pstdev(float(np.dot(query, key)) for query in queries for key in keys)


def as_fraction(queries, keys):
    return Fraction(float(np.std(queries @ keys.T)))


def pairs(queries, keys):
    return np.array([query @ key for query, key in zip(queries, keys, strict=False)])


RIGHT = {
    "spread_of_scores": {
        "np.std": lambda q, k: np.std(q @ k.T),
        "method": lambda q, k: (q @ k.T).std(),
        "loops": by_loops,
        "in place": in_place,
        "statistics": by_list,
        "root of the variance": lambda q, k: np.sqrt(np.var(np.matmul(q, k.T))),
        "mean of squares minus square of the mean": lambda q, k: math.sqrt(
            ((q @ k.T) ** 2).mean() - (q @ k.T).mean() ** 2
        ),
        "keys ask": lambda q, k: np.std(k @ q.T),
        "einsum": lambda q, k: np.std(np.einsum("qd,kd->qk", q, k)),
        "float32": lambda q, k: np.std(q.astype(np.float32) @ k.astype(np.float32).T),
        "an array without axes": lambda q, k: np.array(np.std(q @ k.T)),
        "a fraction": as_fraction,
    }
}

WRONG = {
    "spread_of_scores": {
        "scaled": (lambda q, k: np.std(q @ k.T / math.sqrt(q.shape[1])), r"divided by √d_k first"),
        "divided by d_k": (lambda q, k: np.std(q @ k.T / q.shape[1]), r"divided by d_k first"),
        "variance": (lambda q, k: np.var(q @ k.T), r"variance.*square root"),
        "one less": (lambda q, k: np.std(q @ k.T, ddof=1), r"one less than the number"),
        "statistics.stdev": (lambda q, k: statistics.stdev((q @ k.T).ravel().tolist()), r"one less than the number"),
        "root mean square": (lambda q, k: np.sqrt(np.mean((q @ k.T) ** 2)), r"from the mean"),
        "mean square": (lambda q, k: np.mean((q @ k.T) ** 2), r"mean square"),
        "mean distance": (lambda q, k: np.abs(q @ k.T - np.mean(q @ k.T)).mean(), r"mean distance without squares"),
        "mean size": (lambda q, k: np.abs(q @ k.T).mean(), r"mean size"),
        "sizes": (lambda q, k: np.std(np.abs(q @ k.T)), r"signs were dropped"),
        "mean": (lambda q, k: np.mean(q @ k.T), r"mean of the scores"),
        "largest": (lambda q, k: np.max(q @ k.T), r"largest score"),
        "largest size": (lambda q, k: np.abs(q @ k.T).max(), r"largest size"),
        "range": (lambda q, k: np.ptp(q @ k.T), r"smallest to the largest"),
        "norm": (lambda q, k: np.linalg.norm(q @ k.T), r"norm"),
        "by query, averaged": (lambda q, k: np.std(q @ k.T, axis=-1).mean(), r"Each query's spread"),
        "by key, averaged": (lambda q, k: np.std(q @ k.T, axis=0).mean(), r"Each key's spread"),
        "by query": (lambda q, k: np.std(q @ k.T, axis=1), r"one spread for each query"),
        "by key": (lambda q, k: np.std(q @ k.T, axis=0), r"one spread for each key"),
        "scores": (lambda q, k: q @ k.T, r"These are the scores"),
        "theory": (lambda q, k: math.sqrt(q.shape[1]), r"measure what these"),
        "theory with spreads": (lambda q, k: np.std(q) * np.std(k) * q.shape[1] ** 0.5, r"entries' spreads"),
        "product of spreads": (lambda q, k: np.std(q) * np.std(k), r"multiplies the spreads"),
        "queries alone": (lambda q, k: np.std(q @ q.T), r"keys are missing"),
        "keys alone": (lambda q, k: np.std(k @ k.T), r"queries are missing"),
        "entry by entry": (
            lambda q, k: np.std(q * k),
            r"entries were multiplied but not added up|every query with every",
        ),
        "pairs": (lambda q, k: np.std((q * k).sum(axis=1)), r"query 1 met key 1|every query with every key"),
        "not transposed": (lambda q, k: np.std(q @ k), r"keys were not transposed"),
        "features": (lambda q, k: np.std(q.T @ k), r"Features met features|every query with every key"),
        "after softmax": (
            lambda q, k: np.std(np.exp(q @ k.T) / np.exp(q @ k.T).sum(axis=1, keepdims=True)),
            r"before softmax",
        ),
        "negative": (lambda q, k: -np.std(q @ k.T), r"cannot be negative"),
        "rounded": (lambda q, k: round(float(np.std(q @ k.T)), 2), r"close, but off"),
        "first pairs only": (lambda q, k: np.std(pairs(q, k)), r"gives .*, where .* is right|query 1 met key 1"),
        "words": (lambda q, k: str(np.std(q @ k.T)), r"real numbers, got str"),
    }
}
