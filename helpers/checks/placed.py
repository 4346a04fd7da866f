"""What is said of the steps of an answer in whose place the right numbers make the rest right."""

import ast
import re

import numpy as np

from helpers.checks import patterns
from helpers.checks.cases import parameters
from helpers.checks.reading import LONGEST, same

CLOSE = 1e-3  # a sum that is so near to 1 is one


class Placed:
    """The places that were found, in words.

    places : places.Places; puts : dict step -> name of the stage that it must give; traces : what all steps give with these
    in their places, case by case; right : whether the answer is right then
    """

    def __init__(self, places, puts, traces, right):
        self.places, self.traces, self.steps = places, traces, places.tracing.steps
        self.narrow = {k: name for k, name in puts.items() if not places.is_result(name) or self.is_narrow(k, name)}
        self.whole = right and bool(puts) and len(self.narrow) == len(puts)

    def sentence(self):
        """What the steps must give, and how far that brings the answer; "" where nothing says more than the result."""
        if not self.narrow:
            return ""
        told = [self.must(k, self.narrow[k]) for k in sorted(self.narrow)]
        for k in reversed(range(len(told))):  # what there is no room for is left out, the last first
            if len(self.joined(told)) > LONGEST:
                told[k] = re.split("; |, but (?:does|is) not", told[k])[0]
        where = {1: "there", 2: "in both"}.get(len(told), "in all of them")
        whole = self.joined(told, f" With the right numbers {where}, {self.then()}." * (not self.ends()))
        return whole if len(whole) < LONGEST else self.joined(told)

    def ends(self):
        """Whether one of them is the last step, so that there is no rest of the answer."""
        last = [k for k, name in self.narrow.items() if self.places.is_result(name) and self.turns(k, name) == 1]
        return self.whole and not self.places.parts and bool(last)

    def joined(self, told, then=""):
        """What is to be done before, and these sentences, as one."""
        first, *rest = [edit.words for edit in self.places.made] + told
        return ". And l".join([first, *(each[1:] for each in rest)]) + f".{then}"

    def then(self):
        """How far the answer goes with the right numbers in their places, in words."""
        reached = [name for name in self.places.stages if self.places.is_reached(self.traces, name)]
        if self.whole:
            return "your answer is right"
        if reached and not self.places.parts:
            return f"you come to the right {reached[-1]}; what follows is not right"
        return "something else is not right yet"

    def is_narrow(self, k, name):
        """Whether a step that must give the result, or a part of it, is where that is made, of what is right."""
        if isinstance(self.steps[k].node, ast.Name):
            return False
        if self.turns(k, name) > 1:
            return True
        stages = self.places.stages
        if name not in stages or len(stages) < 2:
            return False
        return all(self.places.is_reached(self.traces, each) for each in stages[: stages.index(name)])

    def must(self, k, name):
        """What a step must give, and what it gives instead."""
        step = self.steps[k]
        should, does = ("should be", "is") if isinstance(step.node, ast.Name) else ("should give", "does")
        how = ", one after the other" * (self.turns(k, name) > 1)
        where = f"Line {step.node.lineno}: {self.places.source.own(step.node)} {should} the right {name}{how}"
        off = self.off(k, name)
        found = self.related(off) or (_sums(*off[0][1:]) if off and "weights" in name else "")
        return f"{where}; {found}" if found else f"{where}, but {does} not"

    def off(self, k, name):
        """What a step gives where that is not the stage: list of (arguments, what it gives, what is right)."""
        given = [np.reshape(trace[k], want[name].shape) for trace, want in zip(self.places.before, self.places.wants)]
        pairs = zip((case for _, case in self.places.cases), given, (want[name] for want in self.places.wants))
        return [pair for pair in pairs if not same(*pair[1:], self.places.exercise.tolerance)]

    def related(self, off):
        """In words, what such numbers are to the right ones in all cases, or ""."""
        names, cases = parameters(self.places.edited.answer), [case for case, *_ in off]
        sentence = patterns.everywhere([pair[1:] for pair in off], cases, names)
        if not sentence or sentence.startswith(patterns.LOOSE):
            return ""
        where = "where it is wrong" if len(off) < len(self.places.wants) else "compared with that"
        return f"{where}, {sentence[0].lower()}{sentence[1:].rstrip('.')}"

    def turns(self, k, name):
        """How often a step is made, at the most."""
        return max(turns_of(trace[k], want[name]) for trace, want in zip(self.places.before, self.places.wants))


def turns_of(values, want):
    """How often a step must be made to give all of this: once, for each row, for each number; None if it is not made so often."""
    if not values or any(value.shape != values[0].shape for value in values):
        return None
    turns = {(): want.size, want.shape[1:]: len(want) if want.ndim else 1, want.shape: 1}
    return len(values) if turns.get(values[0].shape) == len(values) else None


def axes_of_shares(want):
    """The axes along which numbers are shares of 1: none, if they are no shares."""
    axes = range(-1, -1 - min(want.ndim, 2), -1)
    return [axis for axis in axes if (want >= 0).all() and np.allclose(want.sum(axis=axis), 1)]


def _sums(got, want):
    """In words, that shares must sum to 1 and do not, or ""."""
    for axis in axes_of_shares(want):
        sums = got.sum(axis=axis).ravel()
        furthest = sums[np.abs(sums - 1).argmax()]
        if abs(furthest - 1) > CLOSE:
            return f"the right ones sum to 1, yours to {furthest:.3f}"
    return ""
