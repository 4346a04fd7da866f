"""Two edits that make an answer right together, or one after which a known mistake is left."""

import itertools
import time

import numpy as np

from helpers.checks import stages, steps
from helpers.checks.cases import arrays
from helpers.checks.watch import StillRunning

SECONDS = 0.5  # of computing, for the stages that edits bring
GUIDES = 12  # edits that are likeliest to be the first of two
LIKELY, MOST = 1, 2.5  # ranks of the second one


class Pairs:
    """The edits of one answer, two at a time.

    search : repair.Search, which has tried them one at a time
    """

    def __init__(self, search):
        self.search, self.edited, self.source, self.edits = search, search.edited, search.source, search.edits

    def mend(self):
        """An edit after which one known mistake is left, or a second edit that then makes all right."""
        if self.edited.coarse:
            return ""  # two edits hit a few Booleans too easily
        halves = self.halves()
        known = self.left_over(halves)
        for edit, sentence in known:
            if edit.rank == 0 and len({one.line for one, said in known if said == sentence}) == 1:
                return f"{edit.words}. And then: {sentence}"
        guides = [*self.nearer(), *[edit for edit, _ in known]]
        return (
            self.pair(guides)
            or self.pair(self.staged())
            or self.pair(self.likely(), LIKELY)
            or self.pair(self.likely())
        )

    def nearer(self):
        """Edits after which more is right than before, in the first case in which the answer is wrong or in several; the best first."""
        place = self.edited.cases[0][0]

        def near(results):
            return (len(results), self.edited.near({place: results[place]})) if place in results else (0, 0)

        before = near({place: self.edited.given[place]} if place in self.edited.given else {})
        rated = [(near(edit.gives), edit) for edit in self.edits]
        return [
            edit for _, edit in sorted(((r, e) for r, e in rated if r > before), key=lambda each: each[0], reverse=True)
        ][:GUIDES]

    def staged(self):
        """Edits after which the answer gives a stage more than as it is, in the first case in which it is wrong."""
        (place, _), names, end = self.edited.cases[0], self.edited.exercise.stages, time.process_time() + SECONDS
        as_it_is, before, found = self.edited.given.get(place), self.reached(place, names), []
        missing = [name for name in names if name not in before]
        for edit in self.edits if missing else ():
            if time.process_time() > end or len(found) == GUIDES:
                break
            now = edit.gives.get(place)  # an edit that stops, or changes nothing there, brings no stage
            if now is not None and (as_it_is is None or not np.array_equal(now, as_it_is)):
                if self.reached(place, missing, edit) and self.reached(place, before, edit) == before:
                    found.append(edit)
        return found

    def reached(self, place, names, *made):
        """Which of these stages the answer gives in a case, after edits; none where it stops."""
        for edit in made:
            edit.make()
        try:
            tracing = steps.Steps(self.source)
        finally:
            for edit in reversed(made):
                edit.undo()
        try:
            _, held = stages.held(self.edited.exercise, tracing, place, names)
        except (Exception, StillRunning):
            return set()
        return {name for name, holders in held.items() if holders}

    def halves(self):
        """Edits that may be the first of two, with what the answer then gives: list of (edit, results by place)."""
        first = [edit for edit in self.edits if edit.joins or edit.less]
        found = [(edit, self.search.run(edit, to_the_end=True)) for edit in first if not self.search.late()]
        return [(edit, results) for edit, results in found if isinstance(results, dict) and not self.is_given(results)]

    def likely(self):
        """Edits that nothing speaks for but that they are often needed."""
        return [edit for edit in self.edits if edit.closing or edit.rank <= LIKELY]

    def pair(self, first, rank=MOST):
        """The sentence of the first two edits that together make the answer right, one of the first and one of this rank; or ""."""
        plain = [edit for edit in self.edits if not (edit.kind and edit.kind[0] == "number" and abs(edit.kind[1]) < 10)]
        second = [edit for edit in plain if edit.rank <= rank]
        for one, other in itertools.product([edit for edit in dict.fromkeys(first) if edit in set(plain)], second):
            if self.search.late():
                return ""
            if self.fit(one, other) and self.search.run(one, other) is True:
                first, last = sorted((one, other), key=lambda edit: (edit.closes, edit.number))
                return f"{first.words}. And {self.search.told(last)[0].lower()}{self.search.told(last)[1:]}"
        return ""

    def fit(self, one, other):
        """Whether two edits may be the two halves of a repair, and are not right together by luck."""
        if one.turns and other.turns and "@" not in self.line(one) + self.line(other):
            return False  # what is turned twice is soon right by luck
        single = len(self.source.tree.body[-1].body) == 1  # an answer that is one line has its mistakes there
        apart = one.line != other.line or one.closing or other.closing or (one.less and other.less)
        return (apart or single) and not one.touches(other)  # two changes of one line are soon another line

    def line(self, edit):
        """The first line that an edit changes."""
        return self.source.lines[edit.number - 1] if edit.number else ""

    def left_over(self, halves):
        """Edits after which a known mistake is left: list of (edit, sentence), the likeliest first."""
        found = []
        for edit, results in halves:
            numbers = [results[k] for k in range(len(self.edited.cases))]
            if sum(each.size for each in numbers if each.dtype != bool) > 8 and (
                sentence := self.edited.known(numbers)
            ):
                found.append((edit, sentence))
        return found

    def is_given(self, results):
        """Whether results are the same number everywhere, or what the answer was given: of this, much is a mistake."""
        given = {k: arrays(case) for k, case in self.edited.cases}
        plain = [
            each.size < 2 or np.ptp(each.astype(float)) == 0 or any(np.array_equal(each, part) for part in given[k])
            for k, each in results.items()
        ]
        return all(plain)
