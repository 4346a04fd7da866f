"""Answers to the exercise on mixing by similarity, right and wrong; tests/test_checks.py tries them all."""

import math

import numpy as np

from helpers.attention import scaled_dot_product_attention, softmax


def shares(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def scores_by_loops(X):
    n, d = X.shape
    scores = np.zeros((n, n))
    for t in range(n):
        for i in range(n):
            scores[t, i] = sum(X[t, k] * X[i, k] for k in range(d))
    return scores


def by_loops(X):
    outputs = []
    for asks in X.tolist():
        powers = [math.exp(sum(a * b for a, b in zip(asks, asked, strict=True))) for asked in X.tolist()]
        output = [0.0] * len(asks)
        for power, asked in zip(powers, X.tolist(), strict=True):
            for k, feature in enumerate(asked):
                output[k] += power / sum(powers) * feature
        outputs.append(output)
    return outputs


def in_place(X):
    scores = X @ X.T
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1)[:, None]
    X[...] = scores @ X
    return X


def one_row_at_a_time(X):
    return np.stack([shares(X @ x) @ X for x in X])


def with_columns(X):  # the slides: H = X A, then back to rows
    columns = X.T
    powers = np.exp(columns.T @ columns)
    return (columns @ (powers / powers.sum(axis=0))).T


def of_length_one(X):
    return X / np.sqrt((X**2).sum(axis=1))[:, None]


def without_itself(X):
    scores = X @ X.T
    np.fill_diagonal(scores, -np.inf)
    return shares(scores) @ X


def with_a_forgotten_row(X):
    outputs = one_row_at_a_time(X)
    outputs[-1] = 0
    return outputs


def upper_half_only(X):
    scores = np.zeros((len(X), len(X)))
    for t in range(len(X)):
        for i in range(t, len(X)):
            scores[t, i] = X[t] @ X[i]
    return shares(scores) @ X


RIGHT = {
    "mix_similar": {
        "matrices": lambda X: shares(X @ X.T) @ X,
        "the helper for softmax": lambda X: softmax(X @ X.T) @ X,
        "the helper for attention": lambda X: scaled_dot_product_attention(X, X, X, scale=1).output,
        "loops all the way": by_loops,
        "loops for the scores": lambda X: softmax(scores_by_loops(X)) @ X,
        "one row at a time": one_row_at_a_time,
        "columns": with_columns,
        "float32": lambda X: shares(X.astype(np.float32) @ X.astype(np.float32).T) @ X.astype(np.float32),
        "einsum": lambda X: np.einsum("ti,ik->tk", shares(np.einsum("tk,ik->ti", X, X)), X),
        "weights down the columns, turned": lambda X: shares((X @ X.T).T).T.T @ X,
        "lists": lambda X: (softmax(np.inner(X, X)) @ X).tolist(),
    }
}

WRONG = {
    "mix_similar": {
        "in place": (in_place, r"The numbers are right, but X is overwritten"),
        "scores": (lambda X: X @ X.T, r"These are the scores"),
        "weights": (lambda X: shares(X @ X.T), r"These are the weights.*weights @ X"),
        "down the columns": (lambda X: softmax(X @ X.T, axis=0) @ X, r"runs along the wrong axis: it must be axis=-1"),
        "weights turned": (lambda X: shares(X @ X.T).T @ X, r"must not be transposed here"),
        "over everything": (
            lambda X: np.exp(X @ X.T) / np.exp(X @ X.T).sum() @ X,
            r"takes all numbers at once: it must be axis=-1, with keepdims=True",
        ),
        "not divided": (lambda X: np.exp(X @ X.T) @ X, r"not divided by the sum of their row"),
        "no softmax": (lambda X: X @ X.T @ X, r"scores were used as weights"),
        "no powers": (
            lambda X: X @ X.T / (X @ X.T).sum(axis=1, keepdims=True) @ X,
            r"scores were divided by their sum",
        ),
        "scaled": (lambda X: scaled_dot_product_attention(X, X, X).output, r"divided by √d"),
        "base 3": (lambda X: softmax(X @ X.T, base=3) @ X, r"Base 3"),
        "features with features": (lambda X: X @ softmax(X.T @ X), r"the two sides of @ are exchanged"),
        "features mixed": (lambda X: softmax(X.T @ X) @ X.T, r"\(3, 2\), got \(2, 3\)"),
        "columns kept": (lambda X: with_columns(X).T, r"must not be transposed here"),
        "not itself": (without_itself, r"look at itself, too"),
        "tokens": (lambda X: X, r"tokens themselves"),
        "cosine": (lambda X: shares(of_length_one(X) @ of_length_one(X).T) @ X, r"length 1 first"),
        "distance": (
            lambda X: shares(-((X[:, None] - X[None]) ** 2).sum(axis=2)) @ X,
            r"compared by distance",
        ),
        "sign": (lambda X: shares(-X @ X.T) @ X, r"sign is turned"),
        "first row": (lambda X: one_row_at_a_time(X)[0], r"is right without the index"),
        "twice": (lambda X: shares(X @ X.T) @ shares(X @ X.T) @ X, r"weights were used twice"),
        "a forgotten row": (with_a_forgotten_row, r"`outputs\[-1\] = 0` is one step too many"),
        "upper half": (upper_half_only, r"must start at 0"),
        "above the tokens": (
            lambda X: shares(X @ X.T) @ X + 1,
            r"is too much\. With that mended",
        ),
        "wrong side": (lambda X: X @ shares(X @ X.T), r"the two sides of @ are exchanged"),
        "elementwise": (lambda X: shares(X * X.T) @ X, r"stopped with|is right"),
        "rounded": (lambda X: np.round(shares(X @ X.T), 3) @ X, r"is one step too many"),
        "flat": (lambda X: (shares(X @ X.T) @ X).ravel(), r": \.ravel is one step too many"),
        "prints": (lambda X: print(shares(X @ X.T) @ X), r"is one step too many"),
    }
}
