"""Attention in plain loops, apart from the helpers, for the tests of pages and explorers."""

import math
import operator


def dot(first, second):
    assert len(first) == len(second)
    return sum(map(operator.mul, first, second))


def powers_over_sum(scores, base=math.e):
    top = max(scores)
    powers = [base ** (score - top) for score in scores]
    return [power / sum(powers) for power in powers]


def mix(weights, rows):
    return [sum(weight * row[k] for weight, row in zip(weights, rows, strict=True)) for k in range(len(rows[0]))]


def waves(num_positions, d_model, base=10_000.0):
    functions = [(math.sin, math.cos)[j % 2] for j in range(d_model)]
    lengths = [base ** (2 * (j // 2) / d_model) for j in range(d_model)]
    return [[f(p / length) for f, length in zip(functions, lengths, strict=True)] for p in range(num_positions)]
