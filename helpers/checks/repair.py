"""Look for the edit that makes a wrong answer right, in the learner's own source.

Every edit that learners need (edits.py) is made in turn, the likely ones first; the edited answer runs on the cases of
the exercise. An edit is named only if all of them, and further random ones, come out right: what is said is true by
construction. (Singh, Gulwani and Solar-Lezama, "Automated feedback generation for introductory programming
assignments", PLDI 2013.)
"""

import ast
import functools
import re
import time

from helpers.checks import edits, steps, trees
from helpers.checks.edit import in_place
from helpers.checks.pairs import Pairs
from helpers.checks.watch import StillRunning, Watch

RUNS = 4_000  # of edited answers, for all edits of one answer together
SECONDS = 1.3  # of computing for the same, where the machine is slow or the answer takes long
PATIENCE = 10.0  # seconds of the clock for the same, as an answer may wait
LARGEST = 2_000  # numbers of a result that is kept
WHOLE = "Then it is right, except for arrays of whole numbers (dtype int)."
OVERWRITES = "Then the numbers are right, but {0} is overwritten: work on {0}.copy()."


class Search:
    """Tries edits of one answer.

    source : source.Source of the answer; edited : edited.Edited, which judges what an edit makes of it
    """

    def __init__(self, source, edited):
        self.source, self.edited, self.nearly = source, edited, ""
        self.dumps = {ast.dump(node) for node in ast.walk(source.tree)}
        self.end, self.close = time.process_time() + SECONDS, time.perf_counter() + PATIENCE
        found = list(edits.single(source.tree, source.lines, source.space))
        self.edits = sorted(found + edits.everywhere(found), key=lambda edit: edit.rank)
        self.tried, self.runs, self.pairs = 0, 0, Pairs(self)  # edits tried alone, of how many runs, and two at a time
        self.doubted = ""  # the sentence of an edit that makes the answer right, and a part of it wrong that was right
        self.gives = {}  # edit -> (how many cases it came to, what it gives in the first one)

    def mend(self, likely=False):
        """The sentence of the first edit that makes the answer right, else ""; with `likely` of the first ranks alone."""
        for edit in self.edits[self.tried :]:
            if (likely and edit.rank > 0) or self.late():
                break
            self.tried += 1
            if self.by_luck(edit):
                continue
            results = self.run(edit)
            if results is True:
                told = self.told(self.simpler(self.fewest(edit)))
                if not self.pairs.partly.loses(edit):
                    return told
                self.doubted = self.doubted or told
            if isinstance(results, str):
                self.nearly = self.nearly or f"{self.simpler(edit, results).words}. {results}"
        return "" if likely else self.doubted or self.nearly or self.pairs.mend()

    def by_luck(self, edit):
        """Whether an edit is of a kind that hits the few numbers of this exercise too easily."""
        exchanges = re.search("are exchanged|change places|the square root", edit.words)
        if self.edited.counts and exchanges and isinstance(edit.changes[0][2], ast.Call):
            return True  # of two matrix products the one may count as the other
        if self.edited.exercise.accepts:
            old = trees.get(*edit.changes[0][:2])
            if isinstance(old, ast.BinOp) and isinstance(old.op, ast.Sub):
                return not exchanges  # a sum, or one side alone, often ranks as the right difference does
            if edit.words.endswith(("must be !=", "is upside down")) and self.asks_for_parts(edit):
                return True  # what is the same is what is asked for
        return bool(self.edited.coarse) and bool(exchanges or (edit.kind and edit.kind[0] in self.edited.coarse))

    def asks_for_parts(self, edit):
        """Whether an edit is of a question on what the answer was given, such as word == other, and not on places, such as i == j."""
        loops, given = _loops(self.source.tree), {argument.arg for argument in self.source.tree.body[-1].args.args}
        over = [loop for loop in loops if trees.names(loop.iter) & given and trees.called(loop.iter) != "range"]
        parts = {[n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)][-1] for loop in over}
        asked = list(ast.walk(edit.changes[0][2]))
        return any(isinstance(n, ast.Subscript) or (isinstance(n, ast.Name) and n.id in parts) for n in asked)

    def simpler(self, edit, does=True):
        """An edit of the same line that only leaves a part out, if that does the same: other brackets make it idle."""
        line = edit.words.partition(":")[0]
        others = [each for each in self.edits if each.less and each.words.startswith(f"{line}:")]
        idle = edit.rank == 1 or "bracket" in edit.words
        return next((each for each in others if idle and not edit.less and self.run(each) == does), edit)

    def fewest(self, edit):
        """An edit of several places at those alone where it is needed."""
        for part in edit.parts:
            less = [each for each in edit.parts if each is not part]
            if len(less) == 1 and self.run(less[0]) is True:
                return less[0]
            if len(less) > 1 and self.run(one := edits.together(less)) is True:
                return self.fewest(one)
        return edit

    def late(self):
        return self.runs > RUNS or time.process_time() > self.end or time.perf_counter() > self.close

    def told(self, edit):
        own = self.edited.exercise.numbers(*edit.kind[1:]) if edit.kind and edit.kind[0] == "number" else None
        return f"{edit.words.partition(':')[0]}: {own}" if own else edit.words + edits.END

    def run(self, *made, to_the_end=False):
        """True if the edited answer is right in all cases, else its results by place, or None where it stops.

        If it only cuts whole numbers, or overwrites its input, as it did before, or is right in another form, a sentence on that.
        """
        self.runs, self.edited.overwrote = self.runs + 1, False
        try:
            with in_place(made):
                function = self.source.compiled(made)
        except Exception:
            return None
        watch, results, wrong = Watch(lines=self.edited.lines, seconds=0.3), {}, set()
        try:
            for k, arguments in self.edited.cases:
                results[k] = self.edited.call(watch, function, arguments)
                if self.edited.overwrote and to_the_end:
                    return None
                alone = len(made) == 1 and not to_the_end and not self.edited.overwrote
                if alone and (first := next(iter(results.values()))).size <= LARGEST:
                    self.gives[made[0]] = len(results), first
                wrong |= set() if self.edited.right(k, results[k]) else {k}
                if wrong - self.edited.whole and not to_the_end:
                    return None
            if wrong - self.edited.whole:
                return results
            overwrote = self.edited.overwrote
            twins = [[each.doubtful if each is one else each for each in made] for one in made if one.doubtful]
            if any(self.mends(twin) for twin in twins):
                return None
            if wrong:
                return WHOLE
            watch = Watch(lines=10 * self.edited.lines, seconds=0.5)
            holds = self.edited.holds(watch, function) and not self.idle(made)
            if holds and overwrote:
                return OVERWRITES.format(self.edited.overwrites)
            flaw = self.edited.exercise.flaw([results[k] for k in sorted(results)])
            return f"And then: {flaw}" if holds and flaw else holds
        except (Exception, StillRunning):
            return None

    def mends(self, made):
        """Whether the numbers are right after edits, be they cut or written over the input."""
        results = self.run(*made)
        return results is True or isinstance(results, str)

    def idle(self, made):
        """Whether edits only take the say from a part: a question that they ask has the same answer always, or needs none, or
        what they cut out is always empty."""
        fresh = [node for edit in made for *_, value in edit.changes for node in _walk(value)]
        if any(_is_settled(node) for node in fresh if ast.dump(node) not in self.dumps):
            return True
        if self.forgets(made):
            return True
        with in_place(made):
            whole = ast.walk(self.source.tree)
            if any(trees.changes_nothing(node) for node in whole if ast.dump(node) not in self.dumps):
                return True
            tracing = steps.Steps(self.source)
        watch = Watch(lines=10 * self.edited.lines, seconds=1)
        for _, arguments in self.edited.cases:
            self.edited.call(watch, tracing.function, arguments)
        new = [step for step in tracing.steps if step.was not in self.dumps and not isinstance(step.node, ast.ListComp)]
        if any(_is_misused(step.node, tracing.taken(step)) for step in new) or self.leaves_one(tracing):
            return True
        asked = [step.values for step in new if _is_truths(step.values)]
        return any(len({bool(truth) for value in values for truth in value.flat}) == 1 for values in asked) or any(
            isinstance(step.node, ast.Subscript)
            and len(step.values) > 1
            and all(value.size == 0 for value in step.values)
            for step in new
        )

    def leaves_one(self, tracing):
        """Whether a mean, a sum or the like is left with a single number, of which it had several before the edits."""
        taken = {step.was: tracing.taken(step) for step in tracing.steps if trees.called(step.node) in trees.REDUCING}
        if not any(_are_single(values) for values in taken.values()):
            return False
        return any(_are_single(values) and was in self.several for was, values in taken.items())

    @functools.cached_property
    def several(self):
        """The steps of the answer as it is that take several numbers, in words; none where it stops."""
        before, watch = steps.Steps(self.source), Watch(lines=10 * self.edited.lines, seconds=1)
        try:
            for _, arguments in self.edited.cases[:1]:
                self.edited.call(watch, before.function, arguments)
        except (Exception, StillRunning):
            return set()
        taken = [(step.was, before.taken(step)) for step in before.steps]
        return {was for was, values in taken if values and not _are_single(values)}

    def forgets(self, made):
        """Whether edits leave a loop's counter, or one of the answer's own arguments, without any use."""
        tree = self.source.tree
        with in_place(made):
            own = _counters(tree) | {each.arg for each in tree.body[-1].args.args}
        return bool(self.unread(made) & own)

    def unread(self, made):
        """The names that are asked for, and after edits no more."""
        before = _read(self.source.tree)
        with in_place(made):
            return before - _read(self.source.tree)


def _is_misused(node, values):
    """Whether a step asks numbers as if they were truths, or divides by truths or takes their root."""
    truths = [value.dtype == bool for value in values]
    if trees.called(node) == "where" and len(node.args) == 3:
        return not all(truths)
    return any(truths) and (isinstance(getattr(node, "op", None), ast.Div) or trees.called(node) == "sqrt")


def _walk(value):
    return [
        node
        for part in (value if isinstance(value, list) else [value])
        if isinstance(part, ast.AST)
        for node in ast.walk(part)
    ]


def _is_settled(node):
    """Whether an expression asks nothing: `"a" or "b"`, 1 // 2, x * 1."""
    whole = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.FloorDiv, ast.Mod))
    alone = not any(isinstance(part, ast.Name) for part in ast.walk(node))
    return trees.changes_nothing(node) or ((whole or isinstance(node, ast.BoolOp)) and alone)


def _read(tree):
    """The names whose values are asked for."""
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _counters(tree):
    return {n.id for loop in _loops(tree) for n in ast.walk(loop.target) if isinstance(n, ast.Name)}


def _loops(tree):
    return [node for node in ast.walk(tree) if isinstance(node, (ast.For, ast.comprehension))]


def _are_single(values):
    return bool(values) and all(value.ndim == 0 for value in values)


def _is_truths(values):
    return len(values) > 1 and all(value.dtype == bool for value in values)
