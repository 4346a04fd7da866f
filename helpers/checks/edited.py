"""What an edited answer gives, and whether that is right: in the exercise's cases, and in further random ones."""

import numpy as np

from helpers.checks.cases import Whole, arrays, changed, copied, is_no_cut
from helpers.checks.exercise import REFUSED, agrees, outcome, result_of
from helpers.checks.reading import numbers, same
from helpers.checks.source import LINES, MOST
from helpers.checks.watch import is_own


class Edited:
    """Judges the edits of one answer.

    exercise, answer : what was asked, and the function that answered; results : what it gives as it is, case by case; ran : lines
    given : the same by place; first : the right result of the first case
    raises : whether it refuses anything as it is, or says raise: where an edit alone makes it stop, that refuses nothing
    cases : list of (place, arguments), one in which the answer is wrong first
    coarse : kinds of edits that are not to be tried, since the results are so few that these hit them too easily
    whole : places of the cases of whole numbers, where the answer is wrong in others, too: these it may go on to cut
    lines : how many an edit of it may run
    overwrites : the argument that the answer overwrites as it is, or "": this it may go on to do, and `overwrote` says so then
    """

    def __init__(self, exercise, answer, results, raises, overwrites="", ran=0):
        self.lines = min(LINES + ran, MOST)
        self.overwrites, self.overwrote = overwrites, False
        self.exercise, self.answer, self.given, self.raises = exercise, answer, dict(enumerate(results)), raises
        self.first = result_of(exercise, exercise.solve, 0)
        places = range(len(exercise.cases))
        if exercise.accepts:  # one that gave numbers, and those from where it stopped on
            places = [k for k in places if k == 0 or k not in self.given][: exercise.telling]
        wrong = [k for k in places if k not in self.given or exercise.accepts or not self.right(k, self.given[k])]
        self.cases = [(k, exercise.cases[k]) for k in sorted(places, key=lambda k: k != wrong[0])]
        whole = {k for k in places if isinstance(exercise.cases[k], Whole)}
        self.whole = whole if set(wrong) - whole else set()
        self.coarse = {"number", "index"} if self.first.dtype == bool and self.first.size == 1 else set()
        self.coarse |= {"number", "index", "name", "size", "kin"} if exercise.accepts else set()

    def call(self, watch, function, arguments):
        """What an edited answer gives there, as an array. It must stop where it is to stop, and change nothing more than before."""
        exercise = self.exercise
        try:
            given = copied(arguments)
            result = watch.run(function, given)
            if now := changed(given, arguments, function):
                if now != self.overwrites:
                    raise ValueError("What it was given is overwritten.")
                self.overwrote = True
            result = watch.run(exercise.use, (result, *given)) if exercise.use else result
            return numbers(result, "", attempted=True)
        except Exception as error:
            if isinstance(error, ValueError) and exercise.refuses(*arguments) and self.raises and is_own(error):
                return REFUSED
            if is_no_cut(error, arguments):
                return outcome(exercise, exercise.solve, arguments)
            raise

    def want(self, k):
        """The right result of case k."""
        return result_of(self.exercise, self.exercise.solve, k)

    def right(self, k, result):
        """Whether a result is right in case k; where many are, only all of them together tell."""
        return bool(self.exercise.accepts) or agrees(self.exercise, k, result, self.want(k))

    def holds(self, watch, function):
        """Whether an edited answer is right in further random cases."""
        exercise = self.exercise
        if exercise.accepts:
            telling = exercise.cases[: exercise.telling]
            return exercise.accepts([self.call(watch, function, case) for case in telling]) is None
        return self.does_as(watch, function, exercise.solve)

    def does_as(self, watch, function, ours):
        """Whether an edited answer gives in further random cases what a function of ours does."""
        exercise = self.exercise
        single = self.first.size == 1 or any(part.dtype == bool for part in arrays(exercise.cases[0]))
        rng, rounds = np.random.default_rng(0), 6 if single else 1  # single numbers, and masks, are hit more easily
        others = [shaken(rng, arguments) for arguments in exercise.cases[:8] * rounds]
        others += [twin for arguments in exercise.cases[:8] for twin in (larger(arguments), *resized(rng, arguments))]
        for other in others:
            try:
                right, want = (outcome(exercise, each, other) for each in (exercise.solve, ours))
            except Exception:
                continue  # not a case at all
            if any(
                each is None or each is REFUSED or not np.isfinite(each.astype(float)).all() for each in (right, want)
            ):
                continue
            try:
                result = self.call(watch, function, other)
            except Exception:
                return False
            if not same(result, want, exercise.tolerance):
                return False
        return True

    def near(self, k, result):
        """How many numbers of a result are right in case k, and one more if its shape is."""
        right = self.want(k)
        return 1 + np.isclose(result, right, self.exercise.tolerance).sum() if result.shape == right.shape else 0


def larger(case):
    """The same case with its large numbers three times as large."""

    def grown(part):
        large = isinstance(part, np.ndarray) and part.dtype.kind == "f" and np.abs(part).max(initial=0) >= 100
        return 3 * part if large else part

    return tuple(map(grown, case))


def resized(rng, case):
    """The same case with each size one larger, and twice as large, wherever it is the size of an axis."""
    sizes = {size for part in arrays(case) for size in part.shape}
    for change in (lambda size: size + 1, lambda size: 2 * size):

        def grown(part, change=change):
            if isinstance(part, dict):
                return {name: grown(inner) for name, inner in part.items()}
            if not isinstance(part, np.ndarray):
                return part
            new = np.resize(part, [change(size) for size in part.shape])
            return new + rng.normal(size=new.shape) / 4 if part.dtype.kind == "f" and not (part >= 0).all() else new

        if sizes and all(isinstance(part, (np.ndarray, dict, int, float, str)) for part in case):
            yield tuple(map(grown, case))


def shaken(rng, case):
    """Arguments of the same shapes with other numbers; where there are no arrays, other whole numbers."""
    if any(isinstance(part, (np.ndarray, dict)) for part in case):
        return type(case)(_shaken(rng, part) for part in case)
    return tuple(part + int(rng.integers(1, 4)) if isinstance(part, int) else part for part in case)


def _shaken(rng, part):
    if isinstance(part, dict):
        return {name: _shaken(rng, inner) for name, inner in part.items()}
    if isinstance(part, np.ndarray) and part.dtype.kind in "ib":
        return rng.permuted(part.ravel()).reshape(part.shape)
    if isinstance(part, np.ndarray) and part.dtype.kind == "f":
        moved = part + rng.normal(size=part.shape) / 4
        return np.abs(moved) if (part >= 0).all() else moved  # a mean of squares stays one
    return part
