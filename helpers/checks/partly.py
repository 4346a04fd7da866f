"""One edit after which more is right than before, where none makes all of it right."""

import ast
import functools
import itertools
import time

import numpy as np

from helpers.checks import stages, steps, trees
from helpers.checks.edit import in_place
from helpers.checks.exercise import EVIDENCE
from helpers.checks.watch import StillRunning, Watch

SECONDS = (
    0.5  # of computing, for each of: edits that bring a stage in one case, in all cases, right numbers in most cases
)
GUIDES = 12  # edits that are likeliest to be the first of two
FOLLOWED = 8  # cases in which a stage is looked for


class Partly:
    """What the edits of one answer mend of it.

    search : repair.Search, which has tried them one at a time
    """

    def __init__(self, search):
        self.search, self.edited, self.source = search, search.edited, search.source
        self.stops = len(self.edited.given) < len(self.edited.exercise.cases)  # the answer, in some case

    def left_over(self, results):
        """The sentence of a known mistake that gives all these results, if they are numbers enough, or ""."""
        numbers = [results[k] for k in range(len(self.edited.cases))]
        enough = sum(each.size for each in numbers if each.dtype != bool) > EVIDENCE
        return self.edited.known(numbers) if enough else ""

    @functools.cached_property
    def bringing(self):
        """Edits after which the first stage that was missing is right in all cases, and none is lost: list of (edit, what is new)."""
        names = list(self.edited.exercise.stages)
        places = [place for place, _ in self.edited.cases[:FOLLOWED]] if self.staged else []
        before = [self.reached(place, names) for place in places]
        missing, found = [name for name in names if any(name not in each for each in before)], []
        for edit in self.in_time(edit for edit in self.staged if self.may_bring(edit)):
            after = list(self.after(edit, {place: {*was, missing[0]} for place, was in zip(places, before)}))
            if len(after) == len(places) and self.is_needed(edit):
                found.append((edit, [name for name in missing if all(name in each for each in after)]))
        return found

    def after(self, edit, wanted):
        """The stages that the answer gives after an edit, case by case, as long as they hold those that are wanted there."""
        for place, want in wanted.items():
            now = self.reached(place, list(self.edited.exercise.stages), edit)
            if not want <= now:
                return
            yield now

    def in_time(self, edits):
        """These edits, as long as there is time to try them."""
        end = time.process_time() + SECONDS
        return itertools.takewhile(lambda edit: time.process_time() < end, edits)

    @functools.cached_property
    def before(self):
        """The stages that the answer gives as it is, in the first case in which it is wrong."""
        return self.reached(self.edited.cases[0][0], self.edited.exercise.stages)

    def loses(self, *made):
        """Whether the answer gives some of these no more after edits: two slips that cancel each other are no repair."""
        return bool(self.before) and not self.before <= self.reached(self.edited.cases[0][0], self.before, *made)

    @functools.cached_property
    def staged(self):
        """Edits after which the answer gives a stage more than as it is, in the first case in which it is wrong."""
        place, before, found = self.edited.cases[0][0], self.before, []
        as_it_is = self.edited.given.get(place)
        missing = [name for name in self.edited.exercise.stages if name not in before]
        for edit in self.in_time(self.search.edits if missing else ()):
            if len(found) == GUIDES:
                break
            _, now = self.search.gives.get(edit, (0, None))
            stops_or_idles = now is None or (as_it_is is not None and np.array_equal(now, as_it_is))
            if (
                not stops_or_idles
                and self.reached(place, missing, edit)
                and self.reached(place, before, edit) == before
            ):
                found.append(edit)
        return found

    def reached(self, place, names, *made):
        """Which of these stages the answer gives in a case, after edits; none where it stops, or cannot be followed."""
        try:
            with in_place(made):
                tracing = steps.Steps(self.source)
            watch = Watch(lines=self.edited.lines, seconds=0.3)
            _, held = stages.held(self.edited.exercise, tracing, place, names, watch)
        except (Exception, StillRunning):
            return set()
        new = {k for k, step in enumerate(tracing.steps) if step.was not in self.search.dumps}
        named = {k for k in new if tracing.steps[k].name}
        if any(
            edit.kind and edit.kind[0] == "name" for edit in made
        ):  # another name, or a part of it, computes nothing
            plain = {k for k in new if isinstance(tracing.steps[k].node, (ast.Name, ast.Subscript))}
            held = {name: holders.keys() - plain for name, holders in held.items()}
        elif any("bracket" in edit.words for edit in made) and named:  # then what is assigned must be mended
            held = {name: holders.keys() - (new - named) for name, holders in held.items()}
        return {name for name, holders in held.items() if holders}

    def is_needed(self, edit):
        """Whether an edit does more than to take the say from a part of the answer, such as a question."""
        asked = trees.asked(self.source.tree)
        try:
            old = [trees.get(container, key) for container, key, _ in edit.changes]
            return not any(node is part for node in old for part in asked) and not self.search.idle([edit])
        except (Exception, StillRunning):
            return False

    def may_bring(self, edit):
        """Whether it says something of an edit that it brings numbers: not where the answer stops, as then much does."""
        small = (edit.kind and edit.kind[0] == "keyword") or all(map(_leaves_a_number_out, edit.changes))
        left_out = edit.less and not small  # which may be the mistake that follows
        return not (self.stops or left_out or self.search.forgets([edit]))


def _leaves_a_number_out(change):
    """Whether a change makes x of x + 1, 2 * x and the like."""
    old = trees.get(*change[:2])
    gone = [side for side in (old.left, old.right) if side is not change[2]] if isinstance(old, ast.BinOp) else []
    return len(gone) == 1 and isinstance(gone[0], ast.Constant)


def is_small_number(edit):
    """Whether an edit puts another number in the place of a small one."""
    return bool(edit.kind) and edit.kind[0] == "number" and abs(edit.kind[1]) < 10
