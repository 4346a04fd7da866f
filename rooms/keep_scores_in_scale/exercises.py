"""The exercise on the size of scores."""

import math

from helpers.attention import softmax
from rooms.shared.she import SHE, scores, she
from workbench.judging.drawn import like
from workbench.judging.exercise import Exercise

DIVISOR = Exercise(
    name="divisor",
    solve=lambda d_k, spread: spread**2 * math.sqrt(d_k),
    cases=[(4, 1.0), (9, 2.0), (16, 0.5), (2, 3.0), (64, 1.5), (1, 0.25)],
    sorts=("entries that spread by 1", *["other spreads"] * 5),
    mistakes={
        "√d_k is right for entries that spread by 1; larger entries make larger scores.": lambda d_k, s: math.sqrt(d_k),
        "Query and key both spread by σ, so each product spreads by σ², and its variance is σ⁴.": [
            lambda d_k, s: s * math.sqrt(d_k),
            lambda d_k, s: math.sqrt(d_k * s),
        ],
        "Variances add up, spreads do not: d_k products have d_k times the variance, and a spread is its root.": [
            lambda d_k, s: s**2 * d_k,
            lambda d_k, s: d_k,
            lambda d_k, s: s * d_k,
        ],
        "That is the variance of a score; the spread is its square root.": lambda d_k, s: s**4 * d_k,
        "That is 1 over the divisor: the scores are divided by it, not multiplied.": lambda d_k, s: (
            1 / (s**2 * math.sqrt(d_k))
        ),
        "d_k products are added, so the spread grows by √d_k: multiply σ² by it.": lambda d_k, s: s**2 / math.sqrt(d_k),
        "Each product spreads by σ²: multiply √d_k by it, do not divide.": lambda d_k, s: math.sqrt(d_k) / s**2,
        "One product is missing: a score adds up d_k of them, and range(1, d_k) makes one less.": lambda d_k, s: (
            s**2 * math.sqrt(d_k - 1)
        ),
        "That is the spread of one product; a score adds up d_k of them.": lambda d_k, s: s**2,
        "2σ is not σ²: the spreads of a query and a key multiply.": lambda d_k, s: 2 * s * math.sqrt(d_k),
    },
    explain=lambda got, want, d_k, spread: (
        f"For d_k = {d_k} and σ = {spread:g} this is {float(got / want):.4g} times the right divisor. If you drew numbers at random: they come close, and the exact number is asked for."
        if 0.8 < got / want < 1.25
        else f"For d_k = {d_k} and σ = {spread:g} your divisor leaves the scores with a spread of {float(want / got):.3g}."
        if got > 0
        else None
    ),
    praise="Right: σ² for each product, √d_k for their sum. With σ = 1 that is the √d_k of the formula.",
)
DIVISOR_DRAWN = she(
    "divisor",
    lambda divisor: softmax(2 * scores()[SHE] / like(divisor(4, 1.0), ())),
    "a woman's name, with d_k = 4 and σ = 1",
)
