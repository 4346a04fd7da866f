"""How far an answer is right on its way: which stages of the exercise its own steps give."""

import ast

import numpy as np

from helpers.checks import steps
from helpers.checks.cases import copied
from helpers.checks.reading import same
from helpers.checks.source import source_of
from helpers.checks.watch import StillRunning, Watch

BESIDES = "values"  # a stage that no other one needs
SHOWN = 4  # cases in which an answer is followed step by step


class Progress:
    """The way of one answer through the stages of an exercise."""

    missed = ""  # the first stage that no step of the answer gives

    def __init__(self, exercise, answer):
        self.exercise, self.answer = exercise, answer

    def message(self, failing):
        """Up to which stage the answer is right in the cases where its result is wrong, by what its parts give there."""
        source = source_of(self.answer)
        if not self.exercise.stages or source is None:
            return ""
        try:
            tracing = steps.Steps(source)
        except Exception:
            return ""  # a source that cannot be followed, such as one with match and case
        traces = self.followed(tracing, failing[:SHOWN])
        name, self.missed = self.last_and_next(traces)
        if not name or not self.holds_elsewhere(tracing, name, failing):
            return ""
        where, how = self.where(tracing, source, _steady(traces, name))
        return f"{where} the right {name}{how}; {self.rest(traces)}."

    def followed(self, tracing, places):
        """list of (what the stages are, which steps hold them, the values of all steps, the arguments), one for each case."""
        traces = []
        for k in places:
            wants, found = computed(self.exercise, tracing, k)
            traces.append((wants, found, [list(step.values) for step in tracing.steps], self.exercise.cases[k]))
        return traces

    def last_and_next(self, traces):
        """The last stage that is reached in all cases, and the one after it that is not; "" where there is none."""
        names = self.exercise.stages
        reached = {name: all(_steady(traces, name)) for name in names}
        chain = [name for name in names if name != BESIDES]  # each stage needs the one before
        last = max((place for place, name in enumerate(chain) if reached[name]), default=-1)
        besides = BESIDES if BESIDES in names and not reached[BESIDES] else ""
        missed = chain[last + 1] if last + 1 < len(chain) else besides
        return (chain[last] if last >= 0 else BESIDES if reached.get(BESIDES) else ""), missed

    def rest(self, traces):
        """In words, what comes after the last stage that is reached."""
        if not self.missed:
            return "what is made of them is not right"
        begun = all(_begins(values, wants[self.missed], self.exercise.tolerance) for wants, _, values, _ in traces)
        words = f"none of your steps gives the right {self.missed}{' each time' if begun else ''}"
        return f"in some cases {words}" if any(places[self.missed] for _, places, *_ in traces) else words

    def holds_elsewhere(self, tracing, name, failing):
        """Whether a stage is right where the result is, too, and not in these cases alone by their numbers."""
        others = [k for k in range(len(self.exercise.cases)) if k not in failing]
        for k in others[:SHOWN]:
            try:
                _, found = computed(self.exercise, tracing, k, [name])
            except (Exception, StillRunning):
                continue  # one that it is right to refuse, or one that takes too long to be followed
            if not found[name]:
                return False
        return True

    def where(self, tracing, source, found_in):
        """The step that holds a stage in all of the cases, else those that hold it in one or another, in words."""
        common = {
            k: max((each[k] for each in found_in), key=len) for k in found_in[0] if all(k in each for each in found_in)
        }

        def best(found):
            rated = [(tracing.steps[k], how) for k, how in found.items()]
            return min(
                rated, key=lambda e: (e[0].name == "", isinstance(e[0].node, ast.Name), len(e[1]), -e[0].node.lineno)
            )

        found = [best(common)] if common else [best(each) for each in found_in]
        lines = sorted({step.node.lineno for step, _ in found})
        if len(lines) > 1:
            return f"Lines {' and '.join(map(str, lines))} give", ""
        step, how = found[0]
        return f"Line {lines[0]}: {f'`{step.name}`' if step.name else source.own(step.node)} gives", how


def computed(exercise, tracing, k, names=None, watch=None):
    """What stages (all, or these) are in case k, and which parts of the answer compute them: dict name -> dict place -> how."""
    arguments, watch = exercise.cases[k], watch or Watch()

    def call(function):
        given = copied(arguments)
        result = watch.run(function, given)
        return watch.run(exercise.use, (result, *given)) if exercise.use else result

    tracing.run(call)
    stages = {name: exercise.stages[name] for name in (exercise.stages if names is None else names)}
    wants = {name: np.asarray(compute(*copied(arguments))) for name, compute in stages.items()}
    return wants, {name: tracing.computing(want, exercise.tolerance, is_first(name)) for name, want in wants.items()}


def is_first(name):
    """Whether of a step that is made several times the first turn is to give a stage, such as the "first product"."""
    return "first" in name


def _steady(traces, name):
    """Of the steps that hold a stage in one case those that give nothing else in another: list of dicts, one for each case."""
    cases = [(places[name], values) for _, places, values, _ in traces]

    def steady(k):
        return all(k in found or not values[k] for found, values in cases)

    return [{k: how for k, how in found.items() if steady(k)} for found, _ in cases]


def _begins(values, want, tolerance):
    """Whether a step that is made several times gives the first row of what was wanted at its first turn."""
    several = [each[0] for each in values if len(each) > 1]
    return want.ndim > 1 and len(want) > 1 and any(same(first, want[0], tolerance) for first in several)
