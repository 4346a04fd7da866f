"""The one change of a wrong answer's own lines after which it is right, or the two.

Every change (changes.py) is made in turn, the likeliest first, and the changed answer runs on the cases of the exercise and on
further random ones. A change is told only if all come out right and it matters, so what is told is true by construction
(Singh, Gulwani and Solar-Lezama, "Automated feedback generation for introductory programming assignments", PLDI 2013).
"""

import ast
import contextlib
import functools
import itertools
import time

import numpy as np

from helpers.checks import stages, steps
from helpers.checks.cases import arrays
from helpers.checks.changes import Change, everywhere, single
from helpers.checks.exercise import EVIDENCE, Symptom, mistakes_made
from helpers.checks.reading import MENDED, same
from helpers.checks.rules import idles
from helpers.checks.watch import StillRunning, Watch

RUNS, STEPS = 1_800, 600_000  # of changed answers, and lines of theirs, for one answer; twice as many for two changes
SECONDS = 20  # of computing for the same: the last guard
HALVES, LIKELY, MENDING = (
    10,
    1.5,
    2,
)  # changes that may be the first of two; what the second may cost; what one beside a known mistake may
SHOWN = 60  # letters of an expression
WHOLE = " Fix that, and it is right except for arrays of whole numbers (dtype int)."
OVERWRITES = " Fix that, and the numbers are right, but {0} is overwritten: work on {0}.copy()."


class Search:
    """Tries changes of one answer. source : source.Source; edited : edited.Edited, which judges what a change makes of it."""

    def __init__(self, source, edited):
        self.source, self.edited, self.runs, self.steps = source, edited, 0, 0
        self.end = time.process_time() + SECONDS
        found = list(single(source.tree))
        found = [change for change in found + everywhere(found) if not self.is_luck(change)]
        self.changes = sorted(found, key=lambda change: change.cost)
        self.dumps = {ast.dump(node) for node in ast.walk(source.tree)}
        self.nearer, self.nearly, self.unread = {}, "", _unread(source.tree)

    def is_luck(self, change):
        """Whether a change is of a kind that hits the few numbers of this exercise too easily."""
        if len(change.parts) > 1:
            return any(map(self.is_luck, change.parts))
        if change.kind and change.kind[0] in self.edited.coarse:
            return True
        differs = isinstance(change.node, ast.BinOp) and isinstance(change.node.op, (ast.Add, ast.Sub)) and change.new
        turned = (
            differs and isinstance(change.new, ast.BinOp) and ast.dump(change.new.right) == ast.dump(change.node.left)
        )
        sign = isinstance(change.new, (ast.UnaryOp, ast.BinOp)) and any(isinstance(n, ast.BinOp) for n in change.around)
        # a sum often ranks as the difference does
        return bool(self.edited.exercise.accepts and (sign or (differs and not turned)))

    def mend(self):
        """The sentence of the first change that makes the answer right, or of two; or ""."""
        unlikely = []  # that mend, but something is put around a part, and not all stages come out right then
        for change in self.changes:
            if self.late():
                break
            ends = self.run(change)
            if (
                ends == MENDED
                and change.cost >= MENDING
                and not self.stages_after(change) >= {*self.edited.exercise.stages}
            ):
                unlikely.append(change)
            elif ends == MENDED:
                return self.message(self.fewest(change)) + ends
            elif isinstance(ends, str):
                self.nearly = self.nearly or self.message([change]) + ends
        return self.message(self.fewest(unlikely[0])) + MENDED if unlikely else self.nearly or self.two()

    def fewest(self, change):
        """The parts of a change of several places that are needed."""
        parts = change.parts
        for part in parts if len(parts) > 1 else ():
            less = [each for each in parts if each is not part]
            if less and self.run(*less) == MENDED:
                parts = less
        return parts

    def two(self):
        """The sentence of a change and the known mistake that is left then, or of two changes; or ""."""
        if self.edited.coarse:
            return ""
        halves = sorted(self.nearer, key=self.nearer.get, reverse=True)[:HALVES]
        others = [change for change in self.changes if change.cost <= LIKELY and change not in halves]
        for change in [each for each in halves + others if each.cost <= MENDING]:
            if self.late():
                break
            if change.new is not None and not _compares_with_another(change) and (known := self.left(change)):
                return f"{self.message([change])} And then: {known}"
        if self.edited.overwrites:
            halves += [change for change in self.changes if change.words.endswith(".copy()")]
        for one, other in itertools.product(halves, [change for change in self.changes if change.cost <= LIKELY]):
            if self.late(2):
                return ""
            if one.line != other.line and self.run(one, other) == MENDED and not self.cancels(one, other):
                return self.message(sorted((one, other), key=lambda change: change.line)) + MENDED
        return ""

    def left(self, change):
        """The known mistake that an answer makes after a change, in its cases and in fresh ones, or ""."""
        results = self.run(change, whole=True)
        if not isinstance(results, dict) or not _is_rich(results) or self.are_given(results):
            return ""
        exercise, edited = self.edited.exercise, self.edited
        before = {k: edited.given[k] for k in results if k in edited.given}
        if any(edited.near(k, results[k]) < edited.near(k, was) for k, was in before.items()):
            return ""
        if len(before) == len(results) and _agree(before, results):
            return ""
        for sentence, wrong in mistakes_made(exercise, [results[k] for k in sorted(results)]):
            if isinstance(sentence, Symptom):
                continue
            with change:
                idle = _unread(self.source.tree) - self.unread
                function = self.source.compiled()
            if idle or not edited.does_as(Watch(lines=20 * edited.lines, seconds=1), function, wrong):
                continue
            if self.matters([change]) and not self.does_as_well(change, [change], results):
                return sentence
        return ""

    def are_given(self, results):
        """Whether results are what the answer was given, as where a loop makes no round any more."""
        cases = dict(self.edited.cases)
        return all(any(same(result, part, 1e-9) for part in arrays(cases[k])) for k, result in results.items())

    def late(self, times=1):
        return self.runs > times * RUNS or self.steps > times * STEPS or time.process_time() > self.end

    def run(self, *made, whole=False):
        """How a sentence on these changes ends, if the answer is right after them; else what it gives, where `whole` asks for
        that; else None."""
        self.runs, edited, results = self.runs + 1, self.edited, {}
        edited.overwrote = False
        watch = Watch(lines=edited.lines, seconds=0.3)
        with contextlib.ExitStack() as stack:
            for change in made:
                stack.enter_context(change)
            try:
                function = self.source.compiled()
                wrong = set()
                for k, arguments in edited.cases:
                    results[k] = edited.call(watch, function, arguments)
                    if edited.overwrote and whole:
                        return None
                    if not edited.right(k, results[k]):
                        wrong.add(k)
                        if wrong - edited.whole and not whole:
                            return self.note(made, k, results)
                if wrong - edited.whole:
                    return results
                overwrote = edited.overwrote
                if wrong:
                    return WHOLE
                if not edited.holds(Watch(lines=20 * edited.lines, seconds=1), function):
                    return None
            except (RecursionError, StillRunning):  # a few of these are as dear as all others together
                self.steps += STEPS // 4
                return None
            except Exception:
                return None
            finally:
                self.steps += watch.lines - max(watch.left, 0)
        if not self.matters(made) or any(self.does_as_well(change, made) for change in made):
            return None
        flaw = edited.exercise.flaw([results[k] for k in sorted(results)])
        return f" And then: {flaw}" if flaw else OVERWRITES.format(edited.overwrites) if overwrote else MENDED

    def note(self, made, k, results):
        """Keep a change that brings the answer nearer."""
        if len(made) == 1:
            given = self.edited.given.get(k)
            now, before = self.edited.near(k, results[k]), 1 if given is None else self.edited.near(k, given)
            if len(results) > 1 or now > before:
                self.nearer[made[0]] = len(results), now

    # --- whether it is no accident ------------------------------------------------------------------------------------

    def matters(self, made):
        """Whether changes leave no argument or counter without use, make no part that does nothing, and lose no right stage."""
        before = _read(self.source.tree)
        with contextlib.ExitStack() as stack:
            for change in made:
                stack.enter_context(change)
            tree = self.source.tree
            if (before - _read(tree)) & _to_be_read(tree):
                return False
            if any(idles(node) for node in ast.walk(tree) if ast.dump(node) not in self.dumps):
                return False
            try:
                tracing = steps.Steps(self.source)
                values = self.values(tracing)
            except (Exception, StillRunning):
                return True  # it cannot be followed
            new = [k for k, step in enumerate(tracing.steps) if step.was not in self.dumps]
            if any(_is_idle(tracing.steps[k], values[k]) for k in new):
                return False
            return not self.right_stages or self.right_stages <= self.stages(tracing)

    def cancels(self, *made):
        """Whether one of two changes loses a stage that the other one brings, as two slips that cancel each other do."""
        both = self.stages_after(*made)
        return any(self.stages_after(change) - both for change in made)

    def stages_after(self, *made):
        with contextlib.ExitStack() as stack:
            for change in made:
                stack.enter_context(change)
            try:
                return self.stages(steps.Steps(self.source))
            except Exception:
                return set()

    def does_as_well(self, change, made, results=None):
        """Whether a part of what a change puts in would do alone, as where softmax does not feel what is subtracted.

        What it does is to make the answer right, or to give these results.
        """
        new, (owner, field, k, _) = change.new, change.places[0]
        if len(change.places) > 1 or new is None or ast.dump(new) in self.dumps:
            return False
        inner = [new.left, new.right] if isinstance(new, ast.BinOp) else []
        inner += [new.operand] if isinstance(new, ast.UnaryOp) else []
        inner += new.args[:1] if isinstance(new, ast.Call) else []
        others = [each for each in made if each is not change]
        for part in inner:
            if not isinstance(part, ast.Constant):
                gives = self.run(*others, Change(0, [(owner, field, k, part)], change.node), whole=results is not None)
                if gives is not None and (results is None or (isinstance(gives, dict) and _agree(gives, results))):
                    return True
        return False

    def values(self, tracing):
        """All values of each step, in all cases."""
        found, watch = [[] for _ in tracing.steps], Watch(lines=20 * self.edited.lines)
        for _, case in self.edited.cases:
            tracing.run(lambda function, case=case: self.edited.call(watch, function, case))
            for kept, step in zip(found, tracing.steps):
                kept += step.values
        return found

    @functools.cached_property
    def right_stages(self):
        """The stages that the answer gives as it is, in the first case in which it is wrong."""
        return self.stages_after()

    def stages(self, tracing):
        watch = Watch(lines=20 * self.edited.lines)
        try:
            _, found = stages.computed(self.edited.exercise, tracing, self.edited.cases[0][0], watch=watch)
        except (Exception, StillRunning):
            return set()
        return {name for name, places in found.items() if places}

    # --- what is told -------------------------------------------------------------------------------------------------

    def message(self, parts):
        """ "Line 3: `old` should be `new`." for each of these changes; several of one expression are one."""
        parts = sorted((part for each in parts for part in each.parts), key=lambda part: part.line)
        shown = []
        for line, found in itertools.groupby(parts, key=lambda part: part.line):
            shown += [f"ine {line}: {words}" for words in dict.fromkeys(self.words(list(found)))]
        return f"L{' And l'.join(f'{each}.' for each in shown)}"

    def words(self, parts):
        """What is told of changes in one line."""
        expressions = [part for part in parts if not part.words]
        yield from (part.words for part in parts if part.words)
        around = (
            [outer for outer in expressions[0].around if all(outer in each.around for each in expressions[1:])]
            if expressions
            else []
        )
        if len(expressions) > 1 and around and len(self.source.text(around[0])) < 2 * SHOWN:
            yield self.replaced(expressions, around)
        else:
            yield from (self.replaced([each], [each.node, *each.around]) for each in expressions)

    def replaced(self, changes, outers):
        """What is there and what should be, with as much around them as tells them apart."""
        line, shown = self.source.lines[changes[0].line - 1], None
        for outer in outers:
            old, new = self.source.text(outer), self.after(changes, outer)
            if shown and max(len(old), len(new)) > SHOWN:
                break
            shown = old, new
            if len(old) > 5 and not old.isidentifier() and line.count(old) == 1:
                break
        return "`{}` should be `{}`".format(
            *(text if len(text) < 2 * SHOWN else f"{text[: 2 * SHOWN - 1]}…" for text in shown)
        )

    def after(self, changes, outer):
        """What an expression is after changes within it."""
        with contextlib.ExitStack() as stack:
            for change in changes:
                stack.enter_context(change)
            text = ast.unparse(changes[0].new if outer is changes[0].node else outer)
        if outer is changes[0].node and isinstance(changes[0].new, ast.BinOp) and not isinstance(outer, ast.BinOp):
            inside = changes[0].around and isinstance(changes[0].around[0], (ast.BinOp, ast.UnaryOp))
            text = f"({text})" if inside else text
        return text.replace("\n", " ")


def _compares_with_another(change):
    """Whether a change puts another number into a comparison, which says yes or no to all: a known mistake is left by luck."""
    compared = change.around and isinstance(change.around[0], ast.Compare)
    return compared and isinstance(change.node, ast.Constant) and isinstance(change.new, ast.Constant)


def _agree(some, others):
    return all(same(some[k], others[k], 1e-6) for k in others)


def _is_rich(results):
    """Whether results are numbers enough, and not the same everywhere: of these, much is a mistake."""
    flat = np.concatenate([result.ravel().astype(float) for result in results.values()])
    single = all(result.size == 1 for result in results.values())
    return len(set(flat)) > 3 if single else len(flat) > EVIDENCE and np.ptp(flat) > 0


def _read(tree):
    """The names whose values are asked for."""
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _unread(tree):
    """The names that are given a value which nothing asks for: to be filled, as in rows.append(row), is no question."""
    filled = [n.value.func.value for n in ast.walk(tree) if isinstance(n, ast.Expr) and _is_method(n.value)]
    filled += [n.value for n in ast.walk(tree) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    names = [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
    asked = {n.id for n in names if isinstance(n.ctx, ast.Load) and n not in filled}
    return {n.id for n in names if isinstance(n.ctx, ast.Store)} - asked


def _is_method(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


def _to_be_read(tree):
    """Arguments of the answer, and counters of loops."""
    loops = [node for node in ast.walk(tree) if isinstance(node, (ast.For, ast.comprehension))]
    counters = {n.id for loop in loops for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
    return counters | {each.arg for each in tree.body[-1].args.args}


def _is_idle(step, values):
    """Whether a step is always the same truth, always empty, or takes truths for numbers."""
    truths = len(values) > 1 and all(value.dtype == bool for value in values)
    if truths and not isinstance(step.node, ast.Name):
        return len({bool(truth) for value in values for truth in value.flat}) == 1
    if (
        isinstance(step.node, ast.BinOp)
        and len(values) > 2
        and np.ptp([value.flat[0] for value in values if value.size]) == 0
    ):
        return all(np.ptp(value) == 0 for value in values if value.size)  # always the same number
    empty = len(values) > 1 and all(value.size == 0 for value in values)
    return isinstance(step.node, ast.Subscript) and empty
