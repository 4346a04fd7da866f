"""Exercises on looking up: hard and soft select."""

import math

import numpy as np

from helpers.attention import softmax
from helpers.checks import patterns
from helpers.checks.cases import whole
from helpers.checks.exercise import Exercise


def _soft_select(
    base=3, heat=lambda t: t, power=lambda scores: scores, share=lambda parts: parts / parts.sum(), mix=lambda w, k, v: w @ v
):  # fmt: skip
    """A soft select with one of its steps changed."""
    return lambda query, keys, values, t: mix(share(float(base) ** power(keys @ query / heat(t))), keys, values)


def _both_bases(**changed):
    """The same mistake, made with powers of 3 or of e."""
    return [_soft_select(base, **changed) for base in (3, math.e)]


POWERS_OF_E = (
    "These are powers of e; here each score of 1 triples the parts: 3.0 ** score. This exercise stays with base 3."
)


def _told_apart(mistakes):
    """The same mistakes; of what is made with either base, what is made with e is told both."""
    found = {}
    for sentence, made in mistakes.items():
        with_3, *with_e = made if isinstance(made, list) else [made]
        found[sentence] = with_3
        found |= {f"{sentence} And then: {POWERS_OF_E}": each for each in with_e}
    return found


_AABA = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
_VALUES = np.array([10.0, 10, 20, 10])
_CASES = [
    (np.array([0.0, 1.0]), _AABA, _VALUES, 1.0),
    (np.array([0.0, 2.0]), _AABA, _VALUES, 1.0),
    (np.array([1.0, 0.0]), _AABA, _VALUES, 2.0),
    (
        np.array([1.0, -0.5, 2.0]),
        np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.5], [0.5, 2.0, 0.0], [0.0, -1.0, -1.0], [1.0, 1.0, 0.2]]),
        np.array([3.0, -1.0, 4.0, 7.0, -5.0]),
        0.5,
    ),
    (np.array([2.0, 1.0]), np.array([[0.0, 1.0], [1.0, 0.5], [-1.0, 0.4]]), np.array([6.0, 1.0, -8.0]), 1.5),
    whole((np.array([0.0, 1.0]), _AABA, _VALUES, 1)),
    whole((np.array([0.0, 1.0]), _AABA, _VALUES, 2)),
    (np.array([0.5]), np.array([[1.0], [0.0], [2.0]]), np.array([1.0, 5.0, 2.0]), 1.0),
]

_WITH_TEMPERATURE = dict(
    name="soft_select",
    stages={
        "scores divided by the temperature": lambda q, k, v, t: k @ q / t,
        "weights": lambda q, k, v, t: softmax(k @ q / t, base=3),
    },
    solve=_soft_select(),
    cases=_CASES,
    sorts=tuple("temperature 1" if case[-1] == 1 else "other temperatures" for case in _CASES),
    mistakes=_told_apart(
        {
            POWERS_OF_E: _soft_select(math.e),
            "The temperature has no say: divide the scores by it, before 3 is raised to them.": _both_bases(
                heat=lambda t: 1
            ),
            "The scores were multiplied by the temperature; divide by it: at a high one all keys count alike.": _both_bases(
                heat=lambda t: 1 / t
            ),
            "The temperature divides each score, not the base: 3 is raised to score / temperature.": [
                lambda q, k, v, t, base=base: _soft_select(base / t)(q, k, v, 1) for base in (3, math.e)
            ],
            "The temperature multiplies the base here; it divides each score: 3 is raised to score / temperature.": [
                lambda q, k, v, t, base=base: _soft_select(base * t)(q, k, v, 1) for base in (3, math.e)
            ],
            "This is the hard select: the value of the best key alone. The soft one gives every key a share.": lambda q, k, v, t: (
                v[np.argmax(k @ q / t)]
            ),
            "This is the plain average of the values: the query has no say. Give each key a share by its score.": lambda q, k, v, t: (
                v.mean()
            ),
            "These are the weights; mix the values by them: weights @ values.": _both_bases(mix=lambda w, k, v: w),
            "The powers were not divided by their sum: weights must add up to 1.": _both_bases(
                share=lambda parts: parts
            ),
            patterns.SO_FAR: _both_bases(share=lambda parts: parts / np.cumsum(parts)),
            "The powers were divided by the number of keys; divide by their sum.": _both_bases(
                share=lambda parts: parts / len(parts)
            ),
            "The powers were divided by the largest one; divide by their sum.": _both_bases(
                share=lambda parts: parts / parts.max()
            ),
            "The scores were taken as weights: first raise 3 to each score, then divide by the sum.": lambda q, k, v, t: (
                (k @ q / t) @ v
            ),
            "The scores, or 3 times the scores, were divided by their sum: raise 3 to the power of each score first, 3.0 ** score.": lambda q, k, v, t: (
                (k @ q / t) / (k @ q / t).sum() @ v
            ),
            "The score was raised to the power 3; it is 3 that is raised to the score: 3.0 ** scores.": lambda q, k, v, t: (
                (k @ q / t) ** 3 / ((k @ q / t) ** 3).sum() @ v
            ),
            "The keys were mixed; it is the values that are handed over: weights @ values.": _both_bases(
                mix=lambda w, k, v: w @ k
            ),
            "The sign is turned: the best key got the smallest weight.": _both_bases(power=np.negative),
            "The scores were divided by √d_k. That comes in lesson 02; here each score counts as it is.": [
                lambda q, k, v, t, base=base: _soft_select(base)(q, k, v, t * math.sqrt(len(q))) for base in (3, math.e)
            ],
            "These are powers of 2; each score of 1 triples the parts: powers of 3.": _soft_select(2),
            "np.exp(3 * score) raises e, and triples the score: take 3.0 ** score, or np.exp(np.log(3) * score).": _soft_select(
                math.e**3
            ),
            "These are powers of 10; each score of 1 triples the parts: powers of 3.": _soft_select(10),
            "Each value was weighted; now add them up, into one number.": _both_bases(mix=lambda w, k, v: w * v),
            "The weighted values were averaged; add them up, the weights share out already.": _both_bases(
                mix=lambda w, k, v: (w * v).mean()
            ),
            "This is the best score; the values have not been used.": lambda q, k, v, t: (k @ q / t).max(),
            "This is the place of the best key; a soft mixture of the values is asked for.": lambda q, k, v, t: (
                np.argmax(k @ q / t)
            ),
            "These are the scores; powers, shares and the mixture follow.": lambda q, k, v, t: k @ q / t,
            patterns.ALONE: _both_bases(mix=lambda w, k, v: [w @ v]),
        }
    ),
    hint=lambda error, *arguments: "keys @ query gives one score for each key." if "matmul" in str(error) else None,
    praise="Right: every key has its say, and the better ones say more.",
    explain=lambda got, want, query, keys, values, temperature: (
        f"A mixture of the values cannot leave their range, {values.min():g} to {values.max():g}; yours is {got:.3f}."
        if not values.min() - 1e-6 <= got <= values.max() + 1e-6
        else None
    ),
)


def _at_1(function):
    """What a function makes of query, keys and values at temperature 1."""
    return lambda query, keys, values: function(query, keys, values, 1.0)


def _without_temperature(given):
    return Exercise(
        name=given["name"],
        stages={"weights": _at_1(given["stages"]["weights"])},
        solve=_at_1(given["solve"]),
        cases=[type(case)(case[:3]) for case in given["cases"] if case[-1] == 1],
        mistakes={said: _at_1(made) for said, made in given["mistakes"].items() if "temperature" not in said},
        hint=given["hint"],
        praise="Right at temperature 1: every key has its say. The task takes a temperature, too, as fourth argument; divide the scores by it.",
        explain=lambda got, want, *arguments: given["explain"](got, want, *arguments, 1.0),
    )


SOFT_SELECT = Exercise(**_WITH_TEMPERATURE, shorter=_without_temperature(_WITH_TEMPERATURE))
