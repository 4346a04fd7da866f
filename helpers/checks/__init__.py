"""Feedback on what a learner wrote: is it right, and if not, which mistake is it?

`check(name, answer)` prints one line. `EXERCISES` maps the name of each exercise to the function that judges an answer.
A judge calls the answer on small cases. Where it is wrong, it looks for the known mistake that gives the very same
numbers, then for the edit of the learner's own source that makes it right, then for the step at which it goes wrong.
"""

from helpers.checks import (
    arrange,
    attend,
    cache,
    costs,
    cross,
    engine,
    heads,
    hunt,
    layer,
    learn,
    lookup,
    masks,
    notation,
    notes,
    patches,
    project,
    real_model,
    rotary,
    scale,
    short_rows,
    similar,
    states,
)
from helpers.checks.engine import Feedback

__all__ = ["EXERCISES", "Feedback", "check", "collect", "judge", "require"]

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
    notes,
    rotary,
    cache,
    short_rows,
    states,
]
_ALL = {exercise.name: exercise for topic in TOPICS for exercise in topic.EXERCISES}
EXERCISES = {name: engine.judge_by(exercise) for name, exercise in _ALL.items()}


def check(name, answer):
    """Print whether `answer` is right, not attempted yet, or wrong, and which mistake it makes.

    Never raises, whatever the answer does; only an interruption (■) goes on to stop the cells that wait.

    Parameters
    ----------
    name : str, the name of the function that the exercise asks for
    answer : the learner's function (or, where the exercise says so, numbers)
    """
    engine.print_feedback(EXERCISES, name, answer)


def require(name, answer):
    """Raise unless `answer` is right: for those who grade.

    Raises
    ------
    AssertionError
        With the message of `check`.
    KeyError
        If there is no exercise of that name.
    """
    feedback = EXERCISES[name](answer)
    if feedback.status != "right":
        raise AssertionError(feedback.message)


def collect(name, answer):
    """Run an answer, and return what came of it as a dict of arrays, which np.savez and np.load carry elsewhere."""
    return engine.collect(_ALL[name], answer)


def judge(name, record):
    """Judge what `collect` returned, perhaps in another process. Nothing that the learner wrote runs here.

    Returns
    -------
    Feedback : (status, message)
    """
    return engine.judge(_ALL[name], record)
