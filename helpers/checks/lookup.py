"""Exercises on looking up: hard and soft select."""

import numpy as np

from helpers.checks import edits
from helpers.checks.cases import whole
from helpers.checks.exercise import Exercise

_SOLVE = edits.solution(
    """
def soft_select(query, keys, values, temperature):
    parts = 3.0 ** (keys @ query / temperature)
    weights = parts / parts.sum()
    return weights @ values
"""
)
_POWERS_OF_E = (
    "These are powers of e; here each score of 1 triples the parts: 3.0 ** score. This exercise stays with base 3."
)
_WITH_EITHER_BASE = """
/ temperature => | The temperature has no say: divide the scores by it, before 3 is raised to them.
/ temperature => * temperature | The scores were multiplied by the temperature; divide by it: at a high one all keys count alike.
=> weights | These are the weights; mix the values by them: weights @ values.
/ parts.sum() => | The powers were not divided by their sum: weights must add up to 1.
parts.sum() => np.cumsum(parts) | Each power was divided by the sum so far; divide once, by the whole sum, after the loop.
parts.sum() => len(parts) | The powers were divided by the number of keys; divide by their sum.
parts.sum() => parts.max() | The powers were divided by the largest one; divide by their sum.
=> weights @ keys | The keys were mixed; it is the values that are handed over: weights @ values.
(keys @ => (-keys @ | The sign is turned: the best key got the smallest weight.
/ temperature => / temperature / math.sqrt(len(query)) | The scores were divided by √d_k. That comes in lesson 02; here each score counts as it is.
=> weights * values | Each value was weighted; now add them up, into one number.
=> (weights * values).mean() | The weighted values were averaged; add them up, the weights share out already.
=> [weights @ values] | The number is right, but it stands in a list or an array: return the number alone.
"""


def _with_e(rows):
    """The same mistakes, made with powers of e."""
    return rows.replace(" |", " ;; 3.0 => np.e |").replace(".\n", f". And then: {_POWERS_OF_E}\n")


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
    stages=edits.stages(_SOLVE, scores_divided_by_the_temperature="keys @ query / temperature", weights="weights"),
    solve=_SOLVE,
    cases=_CASES,
    sorts=tuple("temperature 1" if case[-1] == 1 else "other temperatures" for case in _CASES),
    mistakes=edits.mistakes(
        _SOLVE,
        f"""
3.0 => np.e | {_POWERS_OF_E}
{_WITH_EITHER_BASE.strip()}
{_with_e(_WITH_EITHER_BASE).strip()}
3.0 ** (keys @ query / temperature) => (3.0 / temperature) ** (keys @ query) | The temperature divides each score, not the base: 3 is raised to score / temperature.
3.0 ** (keys @ query / temperature) => (3.0 * temperature) ** (keys @ query) | The temperature multiplies the base here; it divides each score: 3 is raised to score / temperature.
=> values[np.argmax(keys @ query / temperature)] | This is the hard select: the value of the best key alone. The soft one gives every key a share.
=> values.mean() | This is the plain average of the values: the query has no say. Give each key a share by its score.
=> (keys @ query / temperature) @ values | The scores were taken as weights: first raise 3 to each score, then divide by the sum.
3.0 ** => | The scores, or 3 times the scores, were divided by their sum: raise 3 to the power of each score first, 3.0 ** score.
3.0 ** (keys @ query / temperature) => (keys @ query / temperature) ** 3 | The score was raised to the power 3; it is 3 that is raised to the score: 3.0 ** scores.
3.0 ** => 2.0 ** | These are powers of 2; each score of 1 triples the parts: powers of 3.
3.0 ** => np.exp(3) ** | np.exp(3 * score) raises e, and triples the score: take 3.0 ** score, or np.exp(np.log(3) * score).
3.0 ** => 10.0 ** | These are powers of 10; each score of 1 triples the parts: powers of 3.
=> (keys @ query / temperature).max() | This is the best score; the values have not been used.
=> np.argmax(keys @ query / temperature) | This is the place of the best key; a soft mixture of the values is asked for.
=> keys @ query / temperature | These are the scores; powers, shares and the mixture follow.
""",
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
        mistakes={
            said: [_at_1(each) for each in made]
            for said, made in given["mistakes"].items()
            if "temperature" not in said
        },
        hint=given["hint"],
        praise="Right at temperature 1: every key has its say. The task takes a temperature, too, as fourth argument; divide the scores by it.",
        explain=lambda got, want, *arguments: given["explain"](got, want, *arguments, 1.0),
    )


SOFT_SELECT = Exercise(**_WITH_TEMPERATURE, shorter=_without_temperature(_WITH_TEMPERATURE))
