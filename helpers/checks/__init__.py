"""Feedback on what a learner wrote: is it right, and if not, which mistake is it?

`check(name, answer)` prints one line and never raises. `EXERCISES` maps the name of each exercise to the function that
judges an answer. A judge calls the answer on small cases; where it is wrong, it looks for the known mistake that gives
the very same numbers.
"""

from helpers.checks import (
    arrange,
    attend,
    costs,
    cross,
    heads,
    hunt,
    layer,
    learn,
    lookup,
    masks,
    notation,
    patches,
    project,
    real_model,
    scale,
    similar,
)
from helpers.checks.engine import Feedback, judge_by, print_feedback

__all__ = ["EXERCISES", "Feedback", "check"]

TOPICS = [
    lookup,
    attend,
    similar,
    arrange,
    project,
    scale,
    notation,
    heads,
    layer,
    masks,
    cross,
    costs,
    real_model,
    learn,
    patches,
    hunt,
]
EXERCISES = {exercise.name: judge_by(exercise) for topic in TOPICS for exercise in topic.EXERCISES}


def check(name, answer):
    """Print whether `answer` is right, not attempted yet, or wrong, and which mistake it makes. Never raises.

    Parameters
    ----------
    name : str, the name of the function that the exercise asks for
    answer : the learner's function (or, where the exercise says so, numbers)
    """
    print_feedback(EXERCISES, name, answer)
