"""TODO the exercise, in one line."""

import numpy as np

from helpers.checks.exercise import Exercise


def _over_sum(power):
    def weigh(scores):
        powers = power(scores)
        return powers / powers.sum()

    return weigh


EXERCISE_ = Exercise(
    name="EXERCISE",
    solve=_over_sum(lambda scores: 3**scores),
    cases=[  # the simplest first, at least three
        (np.array([0.0, 0.0, 1.0]),),
        (np.array([2.0, 1.0, 0.0, 1.0]),),
        (np.array([-1.0, 1.0, 3.0, 0.0, 2.0]),),
    ],
    mistakes={  # TODO the likeliest first: what is told, and a function that goes wrong in this way
        "These are powers of e; here each point of score triples a weight.": _over_sum(np.exp),
        "These are powers of 2; here each point of score triples a weight.": _over_sum(lambda scores: 2.0**scores),
        "These are the powers; divide them by their sum.": lambda scores: 3**scores,
        "The powers were divided by the largest; divide them by their sum.": lambda scores: (
            3 ** (scores - scores.max())
        ),
        "The powers were divided by their number; divide them by their sum.": lambda scores: 3**scores / len(scores),
        "The scores themselves were shared out; take powers first.": _over_sum(lambda scores: scores),
        "Every key got the same; the scores are not used.": _over_sum(np.ones_like),
        "Base and exponent changed places: 3**scores, not scores**3.": _over_sum(lambda scores: scores**3),
        "The smallest score got the most; a larger score must get more.": _over_sum(lambda scores: 3**-scores),
    },
    praise="Right: one more point of score, three times the weight.",
)
