"""Answers to the exercises on looking up, right and wrong; tests/test_checks.py tries them all."""

import math
from fractions import Fraction

import numpy as np

from helpers import checks
from helpers.attention import scaled_dot_product_attention, softmax
from helpers.checks import EXERCISES

# --- soft_select -----------------------------------------------------------------------------------------------------


def weights_of(query, keys, base=3.0):
    parts = base ** (keys @ query)
    return parts / parts.sum()


def by_loops(query, keys, values, temperature):
    parts = []
    for key in keys:
        score = 0.0
        for k in range(len(query)):
            score += key[k] * query[k]
        parts.append(3 ** (score / temperature))
    output = 0.0
    for part, value in zip(parts, values, strict=True):
        output += part / sum(parts) * value
    return output


def in_place(query, keys, values, temperature):
    keys *= query / temperature
    scores = keys.sum(axis=1)
    scores -= scores.max()
    np.power(3.0, scores, out=scores)
    scores /= scores.sum()
    values *= scores
    return values.sum()


def by_attention(query, keys, values, temperature):
    return scaled_dot_product_attention(query[None], keys, values[:, None], scale=1 / temperature, base=3).output[0, 0]


def with_one_key_at_a_time(query, keys, values, temperature):  # the running sums of streamed attention
    above = below = 0.0
    for key, value in zip(keys, values, strict=True):
        part = math.exp(math.log(3) * float(np.dot(key, query)) / temperature)
        above, below = above + part * value, below + part
    return above / below


def as_fraction(query, keys, values, temperature):
    weights = [Fraction(float(weight)) for weight in weights_of(query / temperature, keys)]
    return sum(weight * Fraction(float(value)) for weight, value in zip(weights, values, strict=True))


def right_for_whole_numbers_only(query, keys, values, temperature):
    return weights_of(query / temperature, keys.astype(int)) @ values


RIGHT = {
    "soft_select": {
        "vectorised": lambda q, k, v, t: weights_of(q / t, k) @ v,
        "loops": by_loops,
        "the helper for attention": by_attention,
        "the helper for softmax": lambda q, k, v, t: softmax(k @ q / t, base=3) @ v,
        "one key at a time": with_one_key_at_a_time,
        "float32": lambda q, k, v, t: weights_of(q.astype(np.float32) / t, k.astype(np.float32)) @ v.astype(np.float32),
        "a fraction": as_fraction,
        "an array without axes": lambda q, k, v, t: np.array(weights_of(q / t, k) @ v),
        "a sum of products": lambda q, k, v, t: (weights_of(q / t, k) * v).sum(),
        "einsum": lambda q, k, v, t: np.einsum("j,j->", weights_of(q / t, k), v),
        "divided at the end": lambda q, k, v, t: (3.0 ** (k @ q / t) @ v) / (3.0 ** (k @ q / t)).sum(),
        "dot products by Python": lambda q, k, v, t: (
            weights_of(np.array([1.0]), np.array([[np.dot(a, q) / t] for a in k])) @ v
        ),
        "np.average": lambda q, k, v, t: np.average(v, weights=3.0 ** (k @ q / t)),
    }
}

WRONG = {
    "soft_select": {
        "in place": (in_place, r"The numbers are right, but keys is overwritten"),
        "hard select": (lambda q, k, v, t: v[np.argmax(k @ q / t)], r"hard select: the value of the best key alone"),
        "hard select by max": (lambda q, k, v, t: max(zip(k @ q / t, v, strict=True))[1], r"hard select"),
        "hard select by sorting": (lambda q, k, v, t: v[np.argsort(k @ q / t)[-1]], r"hard select"),
        "no temperature": (lambda q, k, v, t: weights_of(q, k) @ v, r"temperature has no say"),
        "temperature of the powers": (
            lambda q, k, v, t: (3.0 ** (k @ q) / t) / (3.0 ** (k @ q) / t).sum() @ v,
            r"temperature has no say",
        ),
        "times the temperature": (
            lambda q, k, v, t: weights_of(q * t, k) @ v,
            r"\* it must be /|must be /, not \*|multiplied by the temp",
        ),
        "plain average": (lambda q, k, v, t: np.mean(v), r"plain average.*query has no say"),
        "powers of e": (lambda q, k, v, t: softmax(k @ q / t) @ v, r"powers of e; here .* triples .*3\.0 \*\* score"),
        "powers of e, by hand": (
            lambda q, k, v, t: (np.exp(k @ q / t) / np.exp(k @ q / t).sum()) @ v,
            r"powers of e; here .* triples",
        ),
        "weights only": (lambda q, k, v, t: weights_of(q / t, k), r"These are the weights; mix the values"),
        "weights only, base e": (lambda q, k, v, t: softmax(k @ q / t), r"These are the weights; mix the values"),
        "not divided": (lambda q, k, v, t: 3.0 ** (k @ q / t) @ v, r"not divided by their sum"),
        "not divided, base e": (lambda q, k, v, t: np.exp(k @ q / t) @ v, r"not divided by their sum"),
        "divided by the number": (
            lambda q, k, v, t: 3.0 ** (k @ q / t) / len(k) @ v,
            r"number of keys; divide by their sum",
        ),
        "divided by the largest": (
            lambda q, k, v, t: 3.0 ** (k @ q / t) / (3.0 ** (k @ q / t)).max() @ v,
            r"largest one; divide by their sum",
        ),
        "scores as weights": (lambda q, k, v, t: k @ q / t @ v, r"scores were taken as weights"),
        "scores divided by their sum": (
            lambda q, k, v, t: (k @ q / t) / sum(k @ q / t) @ v,
            r"The scores, or 3 times the scores, were divided by their sum: raise 3 ",
        ),
        "to the power 3": (
            lambda q, k, v, t: (k @ q / t) ** 3 / ((k @ q / t) ** 3).sum() @ v,
            r"3 that is raised to the score",
        ),
        "keys mixed": (lambda q, k, v, t: weights_of(q / t, k) @ k, r"keys were mixed"),
        "keys mixed, base e": (lambda q, k, v, t: softmax(k @ q / t) @ k, r"keys were mixed"),
        "sign": (lambda q, k, v, t: softmax(-(k @ q / t), base=3) @ v, r"sign is turned"),
        "one over": (
            lambda q, k, v, t: (1 / 3.0 ** (k @ q / t)) / (1 / 3.0 ** (k @ q / t)).sum() @ v,
            r"sign is turned",
        ),
        "scaled": (
            lambda q, k, v, t: softmax(k @ q / t / math.sqrt(len(q)), base=3) @ v,
            r"divided by √d_k.*lesson 02",
        ),
        "the helper with its scale": (
            lambda q, k, v, t: scaled_dot_product_attention(q[None] / t, k, v[:, None]).output[0, 0],
            r"divided by √d_k",
        ),
        "base 2": (lambda q, k, v, t: softmax(k @ q / t, base=2) @ v, r"powers of 2"),
        "base 10": (lambda q, k, v, t: softmax(k @ q / t, base=10) @ v, r"powers of 10"),
        "not added": (lambda q, k, v, t: weights_of(q / t, k) * v, r"now add them up"),
        "averaged": (lambda q, k, v, t: np.mean(weights_of(q / t, k) * v), r"were averaged; add them up"),
        "best score": (lambda q, k, v, t: (k @ q / t).max(), r"best score; the values have not been used"),
        "place": (lambda q, k, v, t: np.argmax(k @ q / t), r"place of the best key"),
        "scores": (lambda q, k, v, t: k @ q / t, r"These are the scores"),
        "wrapped": (lambda q, k, v, t: np.array([weights_of(q / t, k) @ v]), r"stands in a list or an array"),
        "wrapped by the helper": (
            lambda q, k, v, t: scaled_dot_product_attention(q[None], k, v[:, None], scale=1 / t).output[0],
            r"stands in a list or an array",
        ),
        "rounded": (lambda q, k, v, t: np.round(weights_of(q / t, k), 4) @ v, r"is one step too many"),
        "values in the scores": (lambda q, k, v, t: softmax(v) @ v, r"scores divided by the temperature should be"),
        "percent": (lambda q, k, v, t: 100 * weights_of(q / t, k) @ v, r"the first part,.*\*, is too much"),
        "transposed": (
            lambda q, k, v, t: softmax(q @ k / t, base=3) @ v,
            r"must be transposed here",
        ),
        "cut off": (right_for_whole_numbers_only, r"cannot|is right"),
        "half e, half 3": (
            lambda q, k, v, t: weights_of(q / t, k, 3.0 if len(q) == 2 else math.e) @ v,
            r"the second case is too much",
        ),
        "prints": (lambda q, k, v, t: print(weights_of(q / t, k) @ v), r"is one step too many"),
        "words": (lambda q, k, v, t: "15", r"real numbers, got str"),
    }
}


def test_soft_select_that_stops_half_way_is_not_right():
    calls = []

    def once(query, keys, values, temperature):
        calls.append(1)
        return weights_of(query / temperature, keys) @ values if len(calls) < 3 else 1 / 0

    feedback = EXERCISES["soft_select"](once)
    assert feedback.status == "wrong" and "stopped with ZeroDivisionError" in feedback.message


def three(base=3.0, powers=lambda scores: scores, share=lambda parts: parts / parts.sum()):
    return lambda query, keys, values: share(base ** powers(keys @ query)) @ values


def test_soft_select_without_a_temperature_is_judged_at_temperature_1():
    told = EXERCISES["soft_select"](three())
    assert told.status == "right" and "as fourth argument" in told.message
    assert "powers of e" in EXERCISES["soft_select"](three(base=np.e)).message
    assert "best key got the smallest weight" in EXERCISES["soft_select"](three(powers=np.negative)).message
    assert EXERCISES["soft_select"](three(share=lambda parts: parts)).status == "wrong"
    assert checks.judge("soft_select", checks.collect("soft_select", three())) == told
    assert "takes query, keys" in EXERCISES["soft_select"](lambda query, keys: query).message
