"""Model solutions of this course: they may name attention, layers and softmax, and the parts of a learner's model; and the
mistakes that are made of them, of which many belong to the steps they take."""

import inspect

from helpers import attention, layers, parts
from rooms.shared import steps as known
from workbench.judging import edits
from workbench.judging.edits import SPACE, Edited, edited, judged, solution  # noqa: F401
from workbench.judging.exercise import Exercise

edits.SPACE |= {"attention": attention, "layers": layers, "softmax": attention.softmax}


def part(name, **names):
    """The course's version of a part of the learner's model, as a solution."""
    others = {each: getattr(parts, each) for each in parts.LESSONS if each != name}
    return solution(inspect.getsource(getattr(parts, name)), **others | names)


def mistakes(solve, rows, taken=""):
    """dict sentence -> list of functions that make this mistake: of the rows, and of the steps that the solution takes."""
    return edits.mistakes(solve, _with_inherited(solve, rows, taken))


def _with_inherited(solve, rows, taken):
    return f"{rows.rstrip()}\n{known.inherited(solve.text, taken) if taken else ''}"


def exercise(solve, *, mistakes, steps="", names=None, use=None, shown=None, **given):
    """An Exercise of a solution.

    Parameters
    ----------
    solve : text of a right answer, or a `part`
    mistakes : rows of edits of it
    steps : that it takes, "softmax, scale": their mistakes follow
    names : dict of what the text may name
    use, shown : as in `judged`, where a row of numbers that is made of a result is judged
    given : more of an Exercise
    """
    solve = solve if callable(solve) else solution(solve, **names or {})
    made = edits.mistakes(solve, _with_inherited(solve, mistakes, steps))
    how = judged(use, solve, made, shown) if use else {"solve": solve, "mistakes": made}
    return Exercise(name=solve.__name__, **how, **given)
