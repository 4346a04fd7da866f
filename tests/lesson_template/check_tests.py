"""Answers to the exercise on TOPIC, right and wrong; tests/test_checks.py tries them all.

At least four right answers, as different as learners write them, and eight wrong ones, each with what it must be told.
"""

import math

import numpy as np


def by_loops(scores):
    powers = [3**score for score in scores]
    return [power / sum(powers) for power in powers]


def in_place(scores):
    powers = np.power(3.0, scores)
    powers /= powers.sum()
    return powers


def over_sum(powers):
    return powers / np.sum(powers)


RIGHT = {
    "EXERCISE": {
        "NumPy": lambda scores: over_sum(3**scores),
        "loops": by_loops,
        "in place": in_place,
        "largest taken away": lambda scores: over_sum(3 ** (scores - np.max(scores))),
        "exp": lambda scores: over_sum(np.exp(scores * math.log(3))),
    }
}
WRONG = {
    "EXERCISE": {
        "base e": (lambda scores: over_sum(np.exp(scores)), "powers of e"),
        "base 2": (lambda scores: over_sum(2.0**scores), "powers of 2"),
        "no sum": (lambda scores: 3**scores, "divide them by their sum"),
        "largest is 1": (lambda scores: 3**scores / np.max(3**scores), "divided by the largest"),
        "mean": (lambda scores: 3**scores / scores.size, "divided by their number"),
        "scores over their sum": (lambda scores: scores / sum(scores), "scores themselves"),
        "all alike": (lambda scores: np.full(len(scores), 1 / len(scores)), "Every key got the same"),
        "cubes": (lambda scores: over_sum(scores**3), "changed places"),
        "upside down": (lambda scores: over_sum(3**-scores), "smallest score got the most"),
    }
}
