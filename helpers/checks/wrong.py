"""What is said of wrong numbers: what they have in common, how far they are right, and the smallest case that shows it."""

import re

import numpy as np

from helpers.checks import steps
from helpers.checks.cases import Whole, arrays, copied
from helpers.checks.exercise import CLOSE, REFUSED, known_mistake
from helpers.checks.reading import LONGEST, same, short, words
from helpers.checks.stages import Progress
from helpers.checks.watch import Watch

READABLE = 60  # numbers in a case that still fits on one line


class Wrong:
    """The results of an answer that are not right.

    exercise, answer : what was asked, and the function that answered; results, rights : what it gave and what is right
    """

    def __init__(self, exercise, answer, results, rights):
        self.exercise, self.answer, self.results, self.rights = exercise, answer, results, rights
        self.progress = Progress(exercise, answer)

    def differs(self, failing):
        """What is wrong with the numbers, in the first case that can be read, as the simplest come first."""
        exercise = self.exercise
        if exercise.accepts:
            return exercise.accepts(self.results)
        if as_one := self.as_one():
            return as_one
        order = sorted(failing, key=lambda k: size(exercise.cases[k]) + self.rights[k].size > READABLE)
        told = [(k, *_differs(exercise, self.results[k], self.rights[k], exercise.cases[k])) for k in order]
        fits = self.results[order[0]].shape == self.rights[order[0]].shape
        found = self.right_parts(failing) or (self.progress.message(order) if fits else "")
        explained = self.explained(told)
        more = explained if found else explained or told[0][1]
        first = self.sort(failing) + found
        return f"{first} {more}".strip() if len(first) + len(more) < LONGEST else first if found else more

    def as_one(self):
        """Which known mistake is left where many truths are made one, as is asked for, or ""."""
        if any(result.dtype != bool for result in self.results) or any(right.ndim for right in self.rights):
            return ""
        known = known_mistake(self.exercise, [result.all() for result in self.results])
        shape = f"One True or False is asked for, yours has shape {self.results[0].shape}: .all() joins them into one."
        return f"{shape} And then: {known}" if known else ""

    def explained(self, told):
        """The explanation that fits most of the wrong cases; where it does not fit all, with the shapes that it is about."""
        forms = [re.sub(r"-?[\d.]+", "", sentence) for _, sentence, explains in told if explains]
        if not forms:
            return ""
        if forms[0].startswith(self.exercise.name):
            return next(sentence for _, sentence, explains in told if explains)
        form = max(forms, key=lambda each: (forms.count(each) > len(told) / 2, each == forms[0]))
        k, sentence = next((k, words) for k, words, _ in told if re.sub(r"-?[\d.]+", "", words) == form)
        shapes = [str(part.shape) for part in arrays(self.exercise.cases[k])]
        if (
            forms.count(form) == len(self.results)
            or not shapes
            or sentence.startswith(("For ", "Row ", self.exercise.name))
        ):
            return sentence
        return f"Given {'an array' if len(shapes) == 1 else 'arrays'} of shape {', '.join(shapes)}: {sentence}"

    def right_parts(self, failing):
        """Which parts of a result are right wherever the answer is wrong, where some are and it has parts."""
        parts = self.exercise.parts
        pairs = [(self.results[k], self.rights[k]) for k in failing]
        if not parts or any(got.shape != want.shape for got, want in pairs):
            return ""
        good = [n for k, n in enumerate(parts) if all(same(got[k], want[k], 1e-6) for got, want in pairs)]
        bad = [name for name in parts if name not in good]
        return f"Right: {' and '.join(good)}. Wrong: {' and '.join(bad)}." if good and bad else ""

    def sort(self, failing):
        """On what sort of cases the answer is right, and on what it is not, if that tells them apart."""
        cases = self.exercise.cases[: len(self.results)]
        if all(isinstance(cases[k], Whole) for k in failing):
            return "In the cases tried, right except for arrays of whole numbers (dtype int). "
        square = {k for k, case in enumerate(cases) if any(part.shape[:1] == part.shape[1:2] for part in arrays(case))}
        if len(square) > 1 and set(failing) == set(range(len(cases))) - square:
            return "In the cases tried, right for arrays that are square and not for others. "
        sorts = self.exercise.sorts
        wrong = [sorts[k] for k in failing] if sorts else []
        right = [sorts[k] for k in range(len(self.results)) if k not in failing] if sorts else []
        if not right or set(right) & set(wrong) or max(len(set(right)), len(set(wrong))) > 3:  # a list says little
            return ""
        return f"Right for {' and '.join(dict.fromkeys(right))}, not for {' and '.join(dict.fromkeys(wrong))}. "


def _differs(exercise, got, want, arguments):
    """(sentence, whether it explains) for a result that is wrong."""
    where = exercise.name if exercise.by_hand else f"{exercise.name}{words(arguments)}"
    if want is REFUSED:
        return f"{where} must stop with a ValueError, yours gives {short(got)}.", True
    if got is REFUSED:
        return f"{where} must give {short(want)}, and yours stops with a ValueError.", True
    if got.shape != want.shape:
        one = "; one number, or one True or False, is asked for" if want.shape == () else ""
        one += ": .all() joins them into one" if one and got.dtype == bool else ""
        return f"{where} must have shape {want.shape}, got {got.shape}{one}.", True
    got, want = got.astype(float), want.astype(float)
    if not np.isfinite(got).all():
        return f"{where} holds NaN or infinity, where {short(want)} is right.", True
    gap = np.abs(got - want).max()
    if gap < CLOSE:
        return f"{where} is close, but off by up to {gap:.1g}: more than the rounding of a float.", False
    found = exercise.explain(got, want, *arguments)
    whole = found or f"{where} gives {short(got)}, where {short(want)} is right."
    if found or (want.size <= 12 and len(" ".join(whole.split())) <= LONGEST):
        return whole, bool(found)
    place = tuple(int(i) for i in np.argwhere(np.abs(got - want) >= CLOSE)[0])
    return f"{where} has {got[place]:.3f} at {list(place)}, counted from 0, where {want[place]:.3f} is right.", False


def traced(source, case):
    """The steps of an answer in one case."""
    tracing = steps.Steps(source)
    tracing.run(lambda function: Watch().run(function, copied(case)))
    return tracing


def size(thing):
    """How many numbers."""
    parts = thing.values() if isinstance(thing, dict) else thing
    return sum(map(size, parts)) if isinstance(thing, (dict, tuple, list)) else np.size(thing)
