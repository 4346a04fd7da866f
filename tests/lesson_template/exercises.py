"""TODO the exercise, in one line."""

import numpy as np

from rooms.shared import edits
from workbench import Exercise

_SOLVE = edits.solution(
    """
def weigh(scores):
    powers = 3.0**scores
    return powers / powers.sum()
"""
)

WEIGH = Exercise(
    name="weigh",
    solve=_SOLVE,
    cases=[  # the simplest first, at least three
        (np.array([0.0, 0.0, 1.0]),),
        (np.array([2.0, 1.0, 0.0, 1.0]),),
        (np.array([-1.0, 1.0, 3.0, 0.0, 2.0]),),
    ],
    mistakes=edits.mistakes(  # TODO the likeliest first: the edit that makes it, and what is told
        _SOLVE,
        """
3.0**scores => np.exp(scores) | These are powers of e; here each point of score triples a weight.
3.0**scores => 2.0**scores | These are powers of 2; here each point of score triples a weight.
=> powers | These are the powers; divide them by their sum.
=> powers / powers.max() | The powers were divided by the largest; divide them by their sum.
=> powers / powers.size | The powers were divided by their number; divide them by their sum.
3.0**scores => scores | The scores themselves were shared out; take powers first.
3.0**scores => np.ones_like(scores) | Every key got the same; the scores are not used.
3.0**scores => scores**3.0 | Base and exponent changed places: 3**scores, not scores**3.
3.0**scores => 3.0**-scores | The smallest score got the most; a larger score must get more.
""",
    ),
    praise="Right: one more point of score, three times the weight.",
)
