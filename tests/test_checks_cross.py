"""Answers to the exercise on two sequences, right and wrong; tests/test_checks.py tries them all."""

import math

import numpy as np

from helpers.attention import scaled_dot_product_attention


def softmax(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def attend(query, key, value, divisor=None):
    divisor = math.sqrt(query.shape[-1]) if divisor is None else divisor
    return softmax(query @ key.T / divisor) @ value


def cross(Y, X, Q, K, V):
    return attend(Y @ Q, X @ K, X @ V)


def by_loops(Y, X, Q, K, V):
    rows = []
    for y in Y:
        query = [sum(a * b for a, b in zip(y, column)) for column in Q.T]
        scores = []
        for x in X:
            key = [sum(a * b for a, b in zip(x, column)) for column in K.T]
            scores.append(sum(a * b for a, b in zip(query, key)) / math.sqrt(len(query)))
        parts = [math.exp(score - max(scores)) for score in scores]
        values = [[sum(a * b for a, b in zip(x, column)) for column in V.T] for x in X]
        rows.append([sum(p * v[j] for p, v in zip(parts, values)) / sum(parts) for j in range(V.shape[1])])
    return rows


def one_query_at_a_time(Y, X, Q, K, V):
    return np.array([softmax((X @ K) @ (y @ Q) / Q.shape[1] ** 0.5) @ X @ V for y in Y])


def in_place(Y, X, Q, K, V):
    scores = (Y @ Q) @ (X @ K).T
    scores /= math.sqrt(K.shape[1])
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores @ (X @ V)


RIGHT = {
    "cross_attention": {
        "three products": cross,
        "loops": by_loops,
        "one query at a time": one_query_at_a_time,
        "in place": in_place,
        "the helper": lambda Y, X, Q, K, V: scaled_dot_product_attention(Y @ Q, X @ K, X @ V).output,
        "float32": lambda Y, X, Q, K, V: cross(*(a.astype(np.float32) for a in (Y, X, Q, K, V))),
        "einsum": lambda Y, X, Q, K, V: np.einsum(
            "mn,nv->mv", softmax(np.einsum("mk,nk->mn", Y @ Q, X @ K) / math.sqrt(Q.shape[1])), X @ V
        ),
        "one bilinear matrix": lambda Y, X, Q, K, V: softmax(Y @ (Q @ K.T / math.sqrt(Q.shape[1])) @ X.T) @ X @ V,
        "nested lists": lambda Y, X, Q, K, V: cross(Y, X, Q, K, V).tolist(),
    }
}

WRONG = {
    "cross_attention": {
        "roles exchanged": (lambda Y, X, Q, K, V: cross(X, Y, Q, K, V), r"roles are exchanged"),
        "self-attention of Y": (lambda Y, X, Q, K, V: cross(Y, Y, Q, K, V), r"Y does not belong here; X does"),
        "self-attention of X": (lambda Y, X, Q, K, V: cross(X, X, Q, K, V), r"X does not belong here; Y does"),
        "values of Y": (lambda Y, X, Q, K, V: attend(Y @ Q, X @ K, Y @ V), r"Y does not belong here; X does"),
        "keys of Y": (lambda Y, X, Q, K, V: attend(Y @ Q, Y @ K, X @ V), r"Y does not belong here; X does"),
        "scores transposed": (
            lambda Y, X, Q, K, V: softmax((X @ K) @ (Y @ Q).T / math.sqrt(Q.shape[1])) @ (Y @ V),
            r"queries are made of X by W_key, the keys of Y by W_query",
        ),
        "W_query for the keys": (lambda Y, X, Q, K, V: attend(Y @ K, X @ Q, X @ V), r"K and Q are exchanged in `.*`"),
        "W_key for the values": (lambda Y, X, Q, K, V: attend(Y @ Q, X @ V, X @ K), r"W_key and W_value are exchanged"),
        "not scaled": (lambda Y, X, Q, K, V: attend(Y @ Q, X @ K, X @ V, 1), r"not scaled: divide"),
        "divided by d_k": (
            lambda Y, X, Q, K, V: attend(Y @ Q, X @ K, X @ V, Q.shape[1]),
            r"the second case is too much",
        ),
        "multiplied": (lambda Y, X, Q, K, V: attend(Y @ Q, X @ K, X @ V, Q.shape[1] ** -0.5), r"multiplied by √d_k"),
        "width of Y": (lambda Y, X, Q, K, V: attend(Y @ Q, X @ K, X @ V, Y.shape[1] ** 0.5), r"width of Y"),
        "width of X": (lambda Y, X, Q, K, V: attend(Y @ Q, X @ K, X @ V, X.shape[1] ** 0.5), r"width of X"),
        "width of V": (lambda Y, X, Q, K, V: attend(Y @ Q, X @ K, X @ V, V.shape[1] ** 0.5), r"√d_v"),
        "number of keys": (lambda Y, X, Q, K, V: attend(Y @ Q, X @ K, X @ V, len(X) ** 0.5), r"number of keys"),
        "number of queries": (lambda Y, X, Q, K, V: attend(Y @ Q, X @ K, X @ V, len(Y) ** 0.5), r"number of queries"),
        "columns": (
            lambda Y, X, Q, K, V: softmax(Y @ Q @ (X @ K).T / math.sqrt(Q.shape[1]), axis=0) @ (X @ V),
            r"runs along the wrong axis: it must be axis=-1",
        ),
        "no softmax": (
            lambda Y, X, Q, K, V: Y @ Q @ (X @ K).T / math.sqrt(Q.shape[1]) @ (X @ V),
            r"Softmax is missing",
        ),
        "not divided": (
            lambda Y, X, Q, K, V: np.exp(Y @ Q @ (X @ K).T / math.sqrt(Q.shape[1])) @ (X @ V),
            r"not divided by their sum",
        ),
        "values are X": (lambda Y, X, Q, K, V: attend(Y @ Q, X @ K, X), r"values are X itself"),
        "queries are Y": (lambda Y, X, Q, K, V: attend(Y, X @ K, X @ V), r"queries are Y itself"),
        "keys are X": (lambda Y, X, Q, K, V: attend(Y @ Q, X, X @ V), r"keys are X itself"),
        "keys for values": (lambda Y, X, Q, K, V: attend(Y @ Q, X @ K, X @ K), r"K does not belong here; V does"),
        "no matrices": (lambda Y, X, Q, K, V: attend(Y, X, X), r"No matrix was used"),
        "transposed matrices": (lambda Y, X, Q, K, V: cross(Y, X, Q.T, K.T, V.T), r"matrices were transposed"),
        "weights": (
            lambda Y, X, Q, K, V: softmax(Y @ Q @ (X @ K).T / math.sqrt(Q.shape[1])),
            r"Those are the weights",
        ),
        "scores": (lambda Y, X, Q, K, V: Y @ Q @ (X @ K).T / math.sqrt(Q.shape[1]), r"Those are the scores"),
        "a causal mask": (
            lambda Y, X, Q, K, V: (
                softmax(
                    np.where(np.tri(len(Y), len(X), dtype=bool), Y @ Q @ (X @ K).T / math.sqrt(Q.shape[1]), -math.inf)
                )
                @ (X @ V)
            ),
            r"causal mask was used",
        ),
        "transposed": (lambda Y, X, Q, K, V: cross(Y, X, Q, K, V).T, r"must not be transposed here"),
        "base 3": (
            lambda Y, X, Q, K, V: attend(Y @ Q * math.log(3), X @ K, X @ V),
            r"Base 3 kept the fractions",
        ),
        "a bit added": (
            lambda Y, X, Q, K, V: cross(Y, X, Q, K, V) + 0.1,
            r"is too much\. With that mended",
        ),
        "an average": (
            lambda Y, X, Q, K, V: np.repeat((X @ V).mean(axis=0, keepdims=True), len(Y), axis=0),
            r"row 1 of the output is .* is right",
        ),
        "key not transposed": (
            lambda Y, X, Q, K, V: softmax(Y @ Q @ (X @ K) / math.sqrt(Q.shape[1])) @ (X @ V),
            r"must be transposed here",
        ),
    }
}


def test_right_answers_agree_where_no_case_of_the_checker_stands():
    rng = np.random.default_rng(8)
    arguments = [rng.normal(size=shape) for shape in [(7, 3), (2, 5), (3, 11), (5, 11), (5, 13)]]
    want = by_loops(*arguments)
    for answer in RIGHT["cross_attention"].values():
        np.testing.assert_allclose(answer(*[each.copy() for each in arguments]), want, rtol=1e-4, atol=1e-5)
