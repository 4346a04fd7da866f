"""Answers to the exercise on notation, right and wrong; tests/test_checks.py tries them all."""

import math
from fractions import Fraction

import numpy as np

from helpers.attention import scaled_dot_product_attention, softmax

# --- attention_in_columns --------------------------------------------------------------------------------------------


def by_the_formula(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    powers = np.exp(K.T @ Q / math.sqrt(len(Q)))
    return V @ (powers / powers.sum(axis=0))


def by_the_helper(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return scaled_dot_product_attention(Q.T, K.T, V.T).output.T


def by_turning_everything_first(X, W_query, W_key, W_value):
    rows = X.T
    answer = scaled_dot_product_attention(rows @ W_query.T, rows @ W_key.T, rows @ W_value.T)
    return answer.output.T


def by_loops(X, W_query, W_key, W_value):
    tokens = [[X[i][t] for i in range(len(X))] for t in range(len(X[0]))]

    def view(W, token):
        return [sum(w * x for w, x in zip(row, token)) for row in W]

    columns = []
    for asks in tokens:
        query = view(W_query, asks)
        powers = [
            math.exp(sum(q * k for q, k in zip(query, view(W_key, asked))) / len(query) ** 0.5) for asked in tokens
        ]
        values = [view(W_value, token) for token in tokens]
        columns.append(
            [sum(p * value[i] for p, value in zip(powers, values)) / sum(powers) for i in range(len(W_value))]
        )
    return [list(row) for row in zip(*columns)]


def one_token_at_a_time(X, W_query, W_key, W_value):
    K, V, columns = W_key @ X, W_value @ X, []
    for x in X.T:
        a = softmax(K.T @ (W_query @ x) / np.sqrt(len(W_query)))
        columns.append(V @ a)
    return np.stack(columns, axis=1)


def with_one_matrix_for_both(X, W_query, W_key, W_value):
    scores = X.T @ (W_key.T @ W_query) @ X / W_query.shape[0] ** 0.5
    return W_value @ (X @ softmax(scores, axis=0))


def by_einsum(X, W_query, W_key, W_value):
    scores = np.einsum("ki,kj->ij", np.einsum("kn,ni->ki", W_key, X), np.einsum("kn,nj->kj", W_query, X))
    return np.einsum("vi,ij->vj", W_value @ X, softmax(scores / np.sqrt(len(W_key)), axis=0))


def in_place(X, W_query, W_key, W_value):
    A = (W_key @ X).T @ (W_query @ X)
    A /= math.sqrt(W_key.shape[0])
    A -= A.max(axis=0)
    np.exp(A, out=A)
    A /= A.sum(axis=0)
    return W_value @ X @ A


RIGHT_COLUMNS = {
    "the formula": by_the_formula,
    "the helper": by_the_helper,
    "everything turned first": by_turning_everything_first,
    "loops that return nested lists": by_loops,
    "one token at a time": one_token_at_a_time,
    "one matrix for queries and keys": with_one_matrix_for_both,
    "einsum": by_einsum,
    "in place": in_place,
    "float32": lambda *arguments: by_the_helper(*(x.astype(np.float32) for x in arguments)),
    "rows of weights, then turned": lambda X, Q, K, V: (
        V @ X @ softmax((Q @ X).T @ (K @ X) / math.sqrt(len(Q)), axis=1).T
    ),
    "fractions at the end": lambda *arguments: [[Fraction(float(x)) for x in row] for row in by_the_helper(*arguments)],
    "np.matrix": lambda *arguments: np.matrix(by_the_formula(*arguments)),
}


def views(X, *matrices):
    return [W @ X for W in matrices]


def step(make):
    """A wrong answer from Q, K, V and √d."""

    def answer(X, W_query, W_key, W_value):
        Q, K, V = views(X, W_query, W_key, W_value)
        return make(Q, K, V, math.sqrt(len(Q)))

    return answer


WRONG_COLUMNS = {
    "output left as rows": (lambda *arguments: by_the_helper(*arguments).T, r"outputs as rows.*transpose at the end"),
    "columns into the helper": (
        step(lambda Q, K, V, root: scaled_dot_product_attention(Q, K, V).output),
        r"compares features with features.*hand the helper Q.T",
    ),
    "read as rows": (
        lambda X, Q, K, V: scaled_dot_product_attention(X @ Q, X @ K, X @ V).output,
        r"tokens were read as rows.*transpose X and the matrices",
    ),
    "read as rows, output turned": (
        lambda X, Q, K, V: scaled_dot_product_attention(X @ Q, X @ K, X @ V).output.T,
        r"read as rows, and only the output",
    ),
    "matrices turned, X not": (
        lambda X, Q, K, V: scaled_dot_product_attention(X @ Q.T, X @ K.T, X @ V.T).output,
        r"matrices were transposed and X was not",
    ),
    "matrices turned as for rows": (
        lambda X, Q, K, V: by_the_formula(X, Q.T, K.T, V.T),
        r"W_query stands on the left of X as it is",
    ),
    "the slides' formula": (
        step(lambda Q, K, V, root: softmax(Q @ K.T / root) @ V),
        r"compares features with features",
    ),
    "the slides' scores, V in front": (
        step(lambda Q, K, V, root: V @ softmax(Q @ K.T / root)),
        r"features with features: for columns the scores are Kᵀ Q",
    ),
    "softmax along rows": (
        step(lambda Q, K, V, root: V @ softmax(K.T @ Q / root)),
        r"The shares sum to 1 along the rows.*axis=0",
    ),
    "softmax along rows, turned": (
        step(lambda Q, K, V, root: V @ softmax(K.T @ Q / root).T),
        r"shares out the queries, not the keys",
    ),
    "keys ask": (
        step(lambda Q, K, V, root: V @ softmax(Q.T @ K / root, axis=0)),
        r"shares out the queries, not the keys.*not Qᵀ K",
    ),
    "keys ask, through the helper": (
        step(lambda Q, K, V, root: scaled_dot_product_attention(K.T, Q.T, V.T).output.T),
        r"shares out the queries, not the keys",
    ),
    "weights turned": (
        step(lambda Q, K, V, root: V @ softmax(K.T @ Q / root, axis=0).T),
        r"A stands the wrong way round",
    ),
    "not scaled": (step(lambda Q, K, V, root: V @ softmax(K.T @ Q, axis=0)), r"not divided by √d"),
    "divided by d": (
        step(lambda Q, K, V, root: V @ softmax(K.T @ Q / root**2, axis=0)),
        r"divided by d_k; divide by its root",
    ),
    "root of n": (
        lambda X, Q, K, V: V @ X @ softmax((K @ X).T @ (Q @ X) / math.sqrt(len(X)), axis=0),
        r"number of features of X",
    ),
    "root of m": (
        lambda X, Q, K, V: V @ X @ softmax((K @ X).T @ (Q @ X) / math.sqrt(X.shape[1]), axis=0),
        r"number of tokens; divide by that of d_k",
    ),
    "times the root": (
        step(lambda Q, K, V, root: V @ softmax(K.T @ Q * root, axis=0)),
        r"multiplied by √d",
    ),
    "no softmax": (step(lambda Q, K, V, root: V @ (K.T @ Q / root)), r"Softmax is missing"),
    "powers": (step(lambda Q, K, V, root: V @ np.exp(K.T @ Q / root)), r"not divided by their sum"),
    "softmax of everything": (
        step(lambda Q, K, V, root: V @ (np.exp(K.T @ Q / root) / np.exp(K.T @ Q / root).sum())),
        r"over the whole matrix",
    ),
    "weights only": (step(lambda Q, K, V, root: softmax(K.T @ Q / root, axis=0)), r"These are the weights A"),
    "values only": (step(lambda Q, K, V, root: V), r"These are the values V"),
    "values are tokens": (
        lambda X, Q, K, V: X @ softmax((K @ X).T @ (Q @ X) / math.sqrt(len(Q)), axis=0),
        r"W_value was left out",
    ),
    "nothing learned": (lambda X, Q, K, V: X @ softmax(X.T @ X, axis=0), r"learned matrices were left out"),
    "A V": (step(lambda Q, K, V, root: softmax(K.T @ Q / root, axis=0) @ V), r"A V is for rows"),
    "A Vᵀ": (step(lambda Q, K, V, root: softmax(K.T @ Q / root, axis=0) @ V.T), r"A Vᵀ is no mixture"),
    "rounded": (lambda *arguments: by_the_formula(*arguments).round(3), r"close, but off"),
    "base 2": (
        step(lambda Q, K, V, root: V @ softmax(K.T @ Q / root, axis=0, base=2)),
        r"-1. , 0.308\], .* is right",
    ),
    "flat": (lambda *arguments: by_the_formula(*arguments).ravel(), r"must have shape \(2, 2\), got \(4,\)"),
}

RIGHT = {"attention_in_columns": RIGHT_COLUMNS}
WRONG = {"attention_in_columns": WRONG_COLUMNS}
