"""Where an answer leaves the right way: the steps in whose place the right numbers make the rest right.

What a stage of the exercise must be is put in the place of a step of the answer, case by case. If the answer then goes on
to the next stage, or more of its result is right, that step is what is wrong, however that came about: no edit that mends
it needs to be known. (Such values are called angelic: Chandra, Torlak, Barman and Bodik, "Angelic debugging", ICSE 2011.)
"""

import ast
import contextlib
import itertools
import time

import numpy as np

from helpers.checks import steps, trees
from helpers.checks.cases import copied
from helpers.checks.edit import in_place
from helpers.checks.exercise import gives
from helpers.checks.placed import Placed, axes_of_shares, turns_of
from helpers.checks.reading import same
from helpers.checks.stages import is_first
from helpers.checks.watch import StillRunning, Watch

RUNS = 2_500  # of the answer, for all places together
SECONDS = 0.25  # of computing for the same, where the machine is slow or the answer takes long
RESULT = "result"
FILLED_LATER = {name + like for name in ("zeros", "ones", "empty", "full") for like in ("", "_like")}


class Places:
    """The steps of one answer that do not give what they must.

    search : repair.Search, which has its source and runs it; made : edits that are made in it before
    """

    twice = None  # the step in whose place twice the right numbers are put
    whole = False  # whether all is right with the right numbers in the places that were found, once these are told

    def __init__(self, search, made=()):
        self.edited, self.source, self.exercise, self.made = search.edited, search.source, search.edited.exercise, made
        self.own = search.dumps  # what an edit makes is not named beside it
        with in_place(made):
            self.tracing = steps.Steps(self.source)
        self.stages, self.parts = list(self.exercise.stages), len(self.exercise.parts)
        result = {} if self.parts or self.exercise.use else {RESULT: self.exercise.solve}
        wanted = self.exercise.stages | self.exercise.terms | result
        self.cases = [(k, case) for k, case in self.edited.cases if not self.exercise.refuses(*case)]
        self.wants = [{name: np.asarray(wanted[name](*copied(case))) for name in wanted} for _, case in self.cases]
        last = [name for name in self.stages[-1:] if self.is_result(name)] + list(result)
        self.names = [name for name in wanted if name not in last] + last
        self.left, self.end = RUNS, time.process_time() + SECONDS

    def told(self):
        """A sentence on the steps that are wrong, and on how far the answer goes with the right numbers there; or ""."""
        try:
            self.before, right = self.traced({})
            placed = Placed(self, *self.found(self.before, right))
            told, self.whole = placed.sentence(), placed.whole
            return told
        except (Exception, StillRunning):
            return ""

    def found(self, traces, right):
        """(dict step -> name of the stage that it must give, what all steps give then, whether the answer is right then)"""
        puts = {}
        with contextlib.suppress(StillRunning):  # what was found before the time was up is so
            while len(right) < max(self.parts, 1) and (more := self.next_places(puts, traces, right)):
                now = self.traced(puts | more)
                puts, (traces, right) = puts | more, now
        return puts, traces, len(right) == max(self.parts, 1)

    def next_places(self, puts, traces, right):
        """The first stage that is missing and has its place, or two of them: dict step -> name; or None."""
        fitting = {
            name: [k for k in range(len(self.tracing.steps)) if k not in puts and self.fits(k, name, traces)]
            for name in self.names
            if not self.is_reached(traces, name)
        }
        for name, places in fitting.items():
            good = [(k, now) for k in places if (now := self.progress({k: name}, puts, traces, right))]
            if good := [each for each in good if not self.is_shared_out_later(each[0], name, puts, traces, right)]:
                return {self.best(good, name): name}
        for one, other in itertools.combinations([name for name in fitting if not self.is_result(name)], 2):
            for k, j in itertools.product(fitting[one], fitting[other]):
                if k != j and self.progress({k: one, j: other}, puts, traces, right):
                    return {k: one, j: other}
        return None

    def best(self, good, name):
        """Of steps that may give a stage, each with what all steps give then, the one that is to be named."""
        first, now = good[0]
        last = [first, *(k for k, _ in good[1:] if self.holds(now, k, name))][-1]  # where all of it is put together
        alike = [k for k, _ in good if self.are_alike(k, last)]
        return min(alike, key=lambda k: (isinstance(self.tracing.steps[k].node, ast.Name), k))

    def fits(self, k, name, traces):
        """Whether a step gives as many numbers as a stage, at once, row by row or one by one, and no stage that is right."""
        step = self.tracing.steps[k]
        if step.was not in self.own or trees.called(step.node) in FILLED_LATER:
            return False
        if any(turns_of(trace[k], want[name]) is None for trace, want in zip(traces, self.wants)):
            return False
        return not any(self.holds(traces, k, other) for other in self.stages)

    def is_shared_out_later(self, k, name, puts, before, right):
        """Whether shares, put in the place of a step, may as well be twice as large: then they are shared out after it."""
        if not all(axes_of_shares(want[name]) for want in self.wants):
            return False
        self.twice = k
        try:
            return self.progress({k: name}, puts, before, right) is not None
        finally:
            self.twice = None

    def progress(self, more, puts, before, right):
        """What the steps give after stages were put there, if the answer then reaches the next one, or more of it is right."""
        after = [self.stages[self.stages.index(name) + 1 :][:1] for name in more.values() if name in self.stages]
        new = [name for names in after for name in names if len(more) == 1 and not self.is_reached(before, name)]
        traces, now = [], None
        for want, (trace, parts) in zip(self.wants, self.runs({**puts, **more})):
            traces.append(trace)
            now = parts if now is None else now & parts
            new = [each for each in new if self.is_in(trace, want, each, next(iter(more)))]
            if not (new or now > right):
                return None
        return traces

    def traced(self, puts):
        """(what each step gives, case by case, after these stages were put there; which parts of the results are right in all)"""
        runs = list(self.runs(puts))
        return [trace for trace, _ in runs], set.intersection(*(parts for _, parts in runs))

    def runs(self, puts):
        """Case by case (what each step gives after these stages were put there, which parts of the result are right)."""
        for number, ((place, arguments), want) in enumerate(zip(self.cases, self.wants)):
            self.left -= 1
            if self.left < 0 or time.process_time() > self.end:
                raise StillRunning
            self.tracing.put = {
                k: _turns(want[name] * (1 + (k == self.twice)), self.before[number][k][0].shape)
                for k, name in puts.items()
            }
            try:
                right = self.right_parts(place, self.tracing.run(self.calling(arguments)))
            except (Exception, StillRunning):
                right = set()
            yield [list(step.values) for step in self.tracing.steps], right

    def calling(self, arguments):
        watch = Watch(lines=self.edited.lines, seconds=0.3)
        return lambda function: self.edited.call(watch, function, arguments)

    def right_parts(self, place, result):
        """Which parts of a result are right; 0 stands for one that has no parts."""
        if len(np.atleast_1d(result)) != self.parts:
            return {0} if self.edited.right(place, result) else set()
        want = gives(self.exercise, self.exercise.solve, place)
        return {k for k in range(self.parts) if same(result[k], want[k], self.exercise.tolerance)}

    def is_reached(self, traces, name):
        """Whether in each case some step gives a stage."""
        return all(self.is_in(trace, want, name) for trace, want in zip(traces, self.wants))

    def is_in(self, trace, want, name, but=None):
        return any(k != but and self.gives(values, want, name) for k, values in enumerate(trace))

    def holds(self, traces, k, name):
        return all(self.gives(trace[k], want, name) for trace, want in zip(traces, self.wants))

    def gives(self, values, want, name):
        how = steps.how_held(values[: 1 if is_first(name) else None], want[name], self.exercise.tolerance)
        return how is not None and "only" not in how

    def are_alike(self, k, other):
        """Whether two steps give the same in all cases."""
        return all(
            len(trace[k]) == len(trace[other]) and all(map(_equal, trace[k], trace[other])) for trace in self.before
        )

    def is_result(self, name):
        """Whether a stage is what the answer returns, or a part of it."""
        wants = [
            (gives(self.exercise, self.exercise.solve, k), want[name]) for (k, _), want in zip(self.cases, self.wants)
        ]
        columns = zip(*(([right] if not self.parts else right) for right, _ in wants))
        return any(all(same(part, want, 1e-9) for part, (_, want) in zip(column, wants)) for column in columns)


def _equal(one, other):
    return np.array_equal(one, other, equal_nan=True)


def _turns(want, shape):
    """What is to be put in the place of a step that gives this shape, turn by turn."""
    if shape == want.shape:
        return iter([want])
    return iter(want) if shape == want.shape[1:] else iter(want.ravel())
