"""The edit after which one known mistake remains, where the two together are all that is wrong.

Of many edits some lead from one wrong answer to another one that is known, and mend nothing. So an edit counts only if no
stage is lost by it and no step loses its effect, so that what is wrong there would only be out of sight; if the numbers of
the mistake are neither the same everywhere nor what the answer was given, nor a stage; and if no other line leads there.
"""

import ast
import functools
import itertools
import time

import numpy as np

from helpers.checks import steps
from helpers.checks.cases import arrays, copied
from helpers.checks.edit import in_place
from helpers.checks.exercise import EVIDENCE, gives, known_mistake, known_mistakes, partly_known
from helpers.checks.reading import same
from helpers.checks.watch import StillRunning, Watch

SECONDS = 0.2  # of computing, for all edits together
MOVED = 1e-3  # how far numbers are moved to see whether anything depends on them, as a share
ALIKE = 1e-3  # numbers that differ by no more than this share of the right ones are the same everywhere


class Remaining:
    """The known mistakes that edits of one answer leave.

    search : repair.Search, which has tried them one at a time; partly : partly.Partly of the same
    """

    def __init__(self, search, partly):
        self.search, self.partly, self.edited, self.exercise = search, partly, search.edited, search.edited.exercise

    def told(self):
        """The sentence of an edit and of the mistake that remains then, or ""."""
        first = self.edited.first
        few = first.size < 2 or first.dtype == bool or self.edited.counts  # these are hit by luck
        if few or self.partly.stops or self.is_partly_known():
            return ""
        end = time.process_time() + SECONDS
        likely = itertools.takewhile(lambda edit: time.process_time() < end, self.likely())
        found = [(edit, known) for edit in likely if (known := self.known(edit))]
        alone = [(edit, known) for edit, known in found if len({e.line for e, other in found if other == known}) == 1]
        best = min(alone, key=lambda each: (each[0] not in self.partly.staged, each[0].rank), default=None)
        return f"{best[0].words}. And then: {best[1]}" if best else ""

    def is_partly_known(self):
        """Whether a known mistake shows wherever the answer is wrong, so that no edit is needed for it to show."""
        results = [self.edited.given[k] for k in sorted(self.edited.given)]
        return bool(partly_known(self.exercise, results, self.wrong(self.edited.given)))

    def likely(self):
        """Edits after which the first result is that of a known mistake, and no fewer of its numbers are right than before."""
        place, found = self.edited.cases[0][0], []
        firsts = [gives(self.exercise, wrong, place) for _, wrong in known_mistakes(self.exercise)]
        before = self.edited.near(place, self.edited.given[place])
        for edit, (_, now) in self.search.gives.items():
            is_known = any(first is not None and same(now, first, self.exercise.tolerance) for first in firsts)
            if is_known and edit.doubtful is None and not _is_a_guess(edit) and self.edited.near(place, now) >= before:
                found.append(edit)
        return sorted(found, key=lambda edit: edit.rank)

    def known(self, edit):
        """The sentence of the mistake that remains after an edit, if that is needed and no luck, or ""."""
        cuts = edit.less or "too many" in edit.words  # what it cuts out may be the mistake that follows
        if (cuts and edit not in self.partly.staged) or self.search.unread([edit]) or self.partly.loses(edit):
            return ""
        results = self.search.run(edit, to_the_end=True)
        if not isinstance(results, dict) or not self.edited.changes(results) or not self.is_rich(results):
            return ""
        known = known_mistake(self.exercise, [results[k] for k in range(len(self.exercise.cases))])
        return known if known and self.partly.is_needed(edit) and not self.hides(edit) else ""

    def hides(self, edit):
        """Whether a step on which the result depended is without effect after an edit: what is wrong there is only out of sight."""
        kept, telling = self.telling(edit)
        return bool(self.telling_before & (kept - telling))

    @functools.cached_property
    def telling_before(self):
        return self.telling()[1]

    def telling(self, *made):
        """The steps that the answer still has after edits, and those of them on which its result depends; in words."""
        _, case = max(self.edited.cases, key=lambda each: self.edited.given[each[0]].size)
        with in_place(made):
            tracing = steps.Steps(self.search.source)
        plain, found = self.result(tracing, case), set()
        kept = {step.was for step in tracing.steps} & self.search.dumps
        values = [list(step.values) for step in tracing.steps]
        for k, step in enumerate(tracing.steps):
            if values[k] and step.was in kept and all(each.dtype.kind in "if" for each in values[k]):
                tracing.put = {k: map(_moved, values[k])}
                now = self.result(tracing, case)
                if now is None or plain is None or now.shape != plain.shape or not np.allclose(now, plain, 1e-6, 1e-12):
                    found.add(step.was)
        return kept, found

    def result(self, tracing, case):
        watch = Watch(lines=10 * self.edited.lines, seconds=0.3)
        try:
            return tracing.run(lambda function: self.edited.call(watch, function, case))
        except (Exception, StillRunning):
            return None

    def is_rich(self, results):
        """Whether results are wrong in numbers that most mistakes would not give."""
        wrong = self.wrong(results)
        enough = sum(results[k].size for k in wrong) > EVIDENCE
        return enough and sum(self.is_plain(k, results[k]) for k in wrong) <= len(wrong) / 2

    def is_plain(self, k, result):
        """Whether what is wrong in a result is its shape, or the same everywhere, or was given, or is a stage."""
        right, case, tolerance = (
            gives(self.exercise, self.exercise.solve, k),
            self.exercise.cases[k],
            self.exercise.tolerance,
        )
        if result.shape != right.shape:
            return True
        if self.exercise.parts:
            off = [place for place in range(len(right)) if not same(result[place], right[place], tolerance)]
            result, right = result[off], right[off]
        known = arrays(case) + [np.asarray(stage(*copied(case))) for stage in self.exercise.stages.values()]
        parts = result if self.exercise.parts else [result]
        return _is_even(result, right) or any(same(part, each, tolerance) for part in parts for each in known)

    def wrong(self, results):
        return sorted(results.keys() - self.partly.right_in(results))


def _is_a_guess(edit):
    """Whether an edit puts in another number or slice, or exchanges names that are read, or two axes: much comes of these."""
    read = [isinstance(getattr(node, "ctx", None), ast.Load) for node, key, _ in edit.changes if key == "id"]
    slices = any(isinstance(part, ast.Slice) for *_, value in edit.changes for part in getattr(value, "elts", [value]))
    axes_or_numbers = "row and column" in edit.words or "number" in edit.words
    return axes_or_numbers or slices or (len(read) > 1 and all(read))


def _moved(value):
    """Numbers that are a little off, each by another share."""
    return value * (1 + MOVED * np.cos(np.arange(value.size)).reshape(value.shape))


def _is_even(result, right):
    """Whether numbers are the same everywhere, or in each row."""
    most = ALIKE * np.abs(right).max(initial=0)
    return result.size < 2 or min(np.ptp(result), np.ptp(result, axis=0).max() if len(result) > 1 else np.inf) <= most
