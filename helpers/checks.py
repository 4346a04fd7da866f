"""Feedback on what a learner wrote: is it right, and if not, which mistake is it?

`check(name, answer)` prints one line. `EXERCISES` maps the name of each exercise to the function that judges an answer.
A judge calls the answer on small cases. Where it is wrong, it looks for the known mistake that gives the very same
numbers, then for what shows in them. It names, and never edits.
"""

import difflib
import importlib
from collections.abc import Mapping

import rooms
from rooms.shared import words_of_attention  # noqa: F401  (what this course adds to the engine)
from rooms.your_own import keeping
from workbench.judging import engine, seen
from workbench.judging.drawn import Drawn, drawn
from workbench.judging.exercise import Case, Exercise, Feedback, Verdict

__all__ = ["EXERCISES", "Case", "Feedback", "Verdict", "check", "require", "verdict"]

MODULE_OF = rooms.offered("exercises")  # a module is imported when an answer is first checked by it


class _Judges(Mapping):
    """Name of an exercise -> function that judges an answer to it."""

    def __init__(self, judge):
        self._judge = judge

    def __getitem__(self, name):
        exercise = _exercise(name)
        return lambda answer, show=None: self._judge(exercise, answer, show)

    def __iter__(self):
        return iter(MODULE_OF)

    def __len__(self):
        return len(MODULE_OF)


def _example(name):
    """The lesson's example that is drawn with an answer, or None."""
    held = vars(importlib.import_module(MODULE_OF[name])).values()
    return next((each for each in held if isinstance(each, Drawn) and each.name == name), None)


def _exercise(name):
    if not isinstance(name, str) or name not in MODULE_OF:
        near = difflib.get_close_matches(str(name)[:60], MODULE_OF) or MODULE_OF
        raise KeyError(f"name must be that of an exercise, got {name!r:.60}; there are {', '.join(near)}.")
    module = importlib.import_module(MODULE_OF[name])
    (found,) = [each for each in vars(module).values() if isinstance(each, Exercise) and each.name == name]
    return found


EXERCISES = _Judges(engine.judge)


def check(name, answer):
    """Print whether `answer` is right, not attempted yet, or wrong, and which mistake it makes.

    In a notebook the smallest case in which it is wrong is folded below; a right part of your model is kept.
    Some exercises then draw an example of their lesson with the answer, right or wrong.

    Never raises, whatever the answer does; only an interruption (■) goes on to stop the cells that wait.

    Parameters
    ----------
    name : str, the name of the function that the exercise asks for
    answer : the learner's function (or, where the exercise says so, numbers)
    """
    notebook = keeping.display_of_a_notebook()
    said = engine.print_feedback(_Judges(engine.verdict) if notebook else EXERCISES, name, answer)
    if said and said.status == "right" and (kept := keeping.keep(name, answer, EXERCISES[name])):
        engine.say(kept)
        if notebook:
            notebook(keeping.picture(name))
    elif said and said.status == "wrong" and (fault := keeping.at_fault(name, answer, EXERCISES[name])):
        engine.say(fault)
    elif said and said.status == "wrong" and notebook and (shown := seen.seen(said, name, _exercise(name))):
        notebook(shown)
    if notebook and said and said.status != "blank" and (example := _example(name)):
        notebook(drawn(example, _exercise(name).solve, answer))


def verdict(name, answer):
    """What `check` says, and the smallest case in which the answer is wrong.

    Returns
    -------
    Verdict : (status, message, case)

    Raises
    ------
    KeyError
        If there is no exercise of that name.
    """
    return engine.verdict(_exercise(name), answer)


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
