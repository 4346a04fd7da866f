"""Feedback on what a learner wrote: it is run, judged on small cases, and its mistake is named."""

import sys

from workbench.judging import engine, seen


def check(exercise, answer):
    """Print whether `answer` is right, not attempted yet, or wrong, and which mistake it makes; in a notebook the smallest case in
    which it is wrong is folded below. Never raises, whatever the answer does; only an interruption (■) goes on.

    Parameters
    ----------
    exercise : Exercise
    answer : the learner's function (or, where the exercise says so, numbers)

    Returns
    -------
    Verdict
    """
    said = engine.print_feedback(
        {exercise.name: lambda given, show=None: engine.verdict(exercise, given, show)}, exercise.name, answer
    )
    shown = display() and said.status == "wrong" and seen.seen(said, exercise.name, exercise)
    if shown:
        display()(shown)
    return said


def display():
    """The function that shows something below a cell, or None where there is no notebook."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return sys.modules["IPython"].display.display if hasattr(shell, "kernel") else None
