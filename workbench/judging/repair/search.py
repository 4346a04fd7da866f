"""The one change of a wrong answer's own lines after which it is right, or the two, or one and the known mistake that is left.

Every change is made in turn, the likeliest first, and the changed answer runs on the cases of the exercise and on further random
ones. A change is told only if all come out right, so what is told is true by construction (Singh, Gulwani and Solar-Lezama,
"Automated feedback generation for introductory programming assignments", PLDI 2013).
"""

import ast
import contextlib
import itertools
import time
from typing import NamedTuple

import numpy as np

from workbench.judging.cases import Whole, arrays, changed, copied, is_no_cut
from workbench.judging.exercise import REFUSED, Symptom, result_of, same
from workbench.judging.repair import words
from workbench.judging.repair.changes import all_changes, names
from workbench.judging.repair.rules import idles
from workbench.judging.run import StillRunning, Watch, is_own, numbers

RUNS = 1_800  # of changed answers; twice as many for two changes
STEPS = 1_100_000  # of all of these: their lines, calls and parts, about a second
SECONDS = 20  # of computing, on a machine that is very slow
LINES, MOST = 20_000, 60_000  # of one changed answer, beside those that it ran as it was; and both together
HALVES, LIKELY = 10, 1.5  # changes that may be the first of two; what the second may cost
MENDED = " Fix that, and your answer is right."
CUTS = " Fix that, and it is right except for arrays of whole numbers (dtype int)."
OVERWRITES = " Fix that, and what comes out is right, but {0} is overwritten: work on {0}.copy()."


class Repair(NamedTuple):
    """why : what is said of the lines as they are; fix : what they should be; left : the known mistake that is left then, or "" """

    why: str
    fix: str
    left: str = ""

    def is_vague(self):
        """Whether it says where, and not why."""
        return self.why.endswith(words.VAGUE)


class Search:
    """Tries changes of one answer.

    exercise, source : what was asked, and source.Source of the answer
    results : what it gives as it is, case by case; ran : how many lines it ran for that
    overwrites : the argument that it overwrites as it is, or "": this it may go on to do, and is told so
    """

    def __init__(self, exercise, source, results, overwrites="", ran=0):
        self.exercise, self.source, self.overwrites, self.overwrote = exercise, source, overwrites, False
        self.given, self.lines, self.runs, self.steps = dict(enumerate(results)), min(LINES + ran, MOST), 0, 0
        self.nearer, self.end = {}, time.process_time() + SECONDS
        self.refuses = any(isinstance(node, ast.Raise) for node in source.nodes) or any(r is REFUSED for r in results)
        self.dumps, self.unread = {ast.dump(node) for node in source.nodes}, _unread(source.nodes)
        places, cases = range(len(exercise.cases)), exercise.cases
        if exercise.accepts:  # one that gave numbers, and those from where it stopped on
            places = [k for k in places if k == 0 or k not in self.given][: exercise.telling]
        wrong = [k for k in places if k not in self.given or not self.is_right(k, self.given[k])] or [0]
        self.places = sorted(places, key=lambda k: k != wrong[0])
        whole = {k for k in places if isinstance(cases[k], Whole)}
        self.spared = whole if set(wrong) - whole else set()  # a changed answer may go on to cut numbers there
        first = exercise.right(0)  # single numbers, and masks, are hit easily
        self.single = first.size == 1 or any(part.dtype == bool for part in arrays(cases[0]))
        coarse = {"number"} if first.dtype == bool and first.size == 1 else set()
        coarse |= {"number", "name", "size", "kin"} if exercise.accepts else set()
        self.changes = [change for change in all_changes(source.tree) if not coarse & change.kinds()]
        if exercise.accepts:  # which much is: of several places changed at once nothing is told
            self.changes = [change for change in self.changes if len(change.parts) == 1]
        self.alone = bool(coarse)

    def find(self):
        """The Repair of the likeliest change that makes the answer right, or of two; or None."""
        nearly = None
        for change in self.changes:
            if self.late():
                break
            ends = self.run(change)
            if ends == MENDED:
                return self.repair(self.fewest(change), ends)
            nearly = nearly or (self.repair([change], ends) if ends else None)
        return nearly or (None if self.alone else self.one_and_a_mistake() or self.two())

    def repair(self, parts, ends="", left=""):
        line = words.line(self.source, parts)
        fix = f"That apart, l{line[1:]}" if left else line + ends
        return Repair(words.reason(self.source, parts, self.exercise), fix, left)

    def fewest(self, change):
        """The parts of a change of several places that are needed."""
        parts = change.parts
        for part in parts if len(parts) > 1 else ():
            less = [each for each in parts if each is not part]
            parts = less if less and self.run(*less) == MENDED else parts
        return parts

    def halves(self):
        """The changes that bring the answer nearest."""
        return sorted(self.nearer, key=lambda change: (self.nearer[change], -len(change.parts)), reverse=True)[:HALVES]

    def two(self):
        """The Repair of two changes on two lines, one of which brings the answer nearer."""
        for one, other in itertools.product(self.halves(), [each for each in self.changes if each.cost <= LIKELY]):
            if self.late(2):
                break
            if one.line != other.line and self.run(one, other) == MENDED:
                return self.repair([one, other], MENDED)
        return None

    def one_and_a_mistake(self):
        """The Repair of one change, and the known mistake that is left then."""
        halves = self.halves()
        for change in halves + [each for each in self.changes if each.cost <= LIKELY and each not in halves]:
            if self.late():
                break
            compares = any(isinstance(each, ast.Compare) for each in change.around)  # which says yes or no to all
            if change.new and not compares and not change.is_rough() and (left := self.left(change)):
                return self.repair([change], left=left)
        return None

    def left(self, change):
        """The known mistake that an answer makes after a change, in its cases and in fresh ones, or ""."""
        results, given, cases = self.run(change, whole=True), self.given, self.exercise.cases
        if not isinstance(results, dict) or not _is_rich(results):
            return ""
        before = {k: self.near(k, given[k]) if k in given else 0 for k in results}
        if any(self.near(k, result) < before[k] for k, result in results.items()):
            return ""
        if all(k in given and same(given[k], result, 1e-6) for k, result in results.items()):
            return ""
        yes = self.exercise.right(0).dtype == bool
        if yes and all(self.near(k, result) == before[k] for k, result in results.items()):
            return ""  # of a mask some comes right: else the mistake may be the change's own
        if "brackets" in change.kind and isinstance(getattr(change.node, "left", None), ast.Constant):
            return ""  # a factor that is raised to a power, too, gives many mistakes
        if all(any(same(result, part, 1e-9) for part in arrays(cases[k])) for k, result in results.items()):
            return ""  # what it was given, as where a loop makes no round any more
        with change:
            function, idle = self.source.compiled([change]), _unread(ast.walk(self.source.tree)) - self.unread
        for sentence, wrong in self.exercise.mistakes_made([results[k] for k in sorted(results)]):
            says_why = not idle and not isinstance(sentence, Symptom) and "And then: " not in sentence
            if says_why and self.matters([change]) and self.does_as(function, wrong):
                return sentence
        return ""

    def late(self, times=1):
        return self.runs > times * RUNS or self.steps > STEPS or time.process_time() > self.end

    # --- what a changed answer does ----------------------------------------------------------------------------------

    def run(self, *made, whole=False):
        """How a sentence on these changes ends if the answer is right after them, else None; with `whole` what it gives then."""
        watch, results, wrong, self.overwrote = Watch(lines=self.lines, seconds=0.3), {}, set(), False
        self.runs += 1
        with _all(made):
            try:
                function = self.source.compiled(made)
                for k in self.places:
                    results[k] = self.call(watch, function, self.exercise.cases[k])
                    wrong |= set() if self.is_right(k, results[k]) else {k}
                    if wrong - self.spared and not whole:
                        return self.note(made, k, results)
                if whole or not (wrong or self.holds(function)):
                    return results if whole and wrong and not self.overwrote else None
            except (RecursionError, StillRunning):  # one that is stopped by the time counts for its 0.3 seconds
                self.steps += STEPS // (8 if watch.rest < 0 else 40)
                return None
            except Exception:
                return None
            finally:
                self.steps += watch.lines - max(watch.left, 0) + watch.calls + 2 * len(self.source.nodes)
        if not self.matters(made):
            return None
        if wrong or self.overwrote:
            return CUTS if wrong else OVERWRITES.format(self.overwrites)
        flaw = self.exercise.flaw([results[k] for k in sorted(results)])
        return f" And then: {flaw}" if flaw else MENDED

    def call(self, watch, function, arguments):
        """What a changed answer gives, as an array. It must stop where it is to stop, and change nothing more than before."""
        exercise, given = self.exercise, copied(arguments)
        try:
            result = watch.run(function, given)
            now = changed(given, arguments, function)
            if now and now != self.overwrites:
                raise ValueError("What it was given is overwritten.")
            self.overwrote = self.overwrote or bool(now)
            return numbers(watch.run(exercise.use, (result, *given)) if exercise.use else result, "")
        except Exception as error:
            if isinstance(error, ValueError) and exercise.refuses(*arguments) and self.refuses and is_own(error):
                return REFUSED
            if is_no_cut(error, arguments):
                return exercise.outcome(exercise.solve, arguments)
            raise

    def is_right(self, k, result):
        """Whether a result is right in case k; where many are, only all of them together tell."""
        exercise = self.exercise
        rights = [exercise.right(k), *(result_of(exercise, solve, k) for solve, _ in exercise.also)]
        return bool(exercise.accepts) or any(exercise.agrees(k, result, right) for right in rights)

    def near(self, k, result):
        """How many numbers of a result are right in case k, and one more if its shape is."""
        right = self.exercise.right(k)
        return 1 + np.isclose(result, right, self.exercise.tolerance).sum() if result.shape == right.shape else 0

    def note(self, made, k, results):
        """Keep a change that brings the answer nearer."""
        now, before = self.near(k, results[k]), self.near(k, self.given[k]) if k in self.given else 1
        if len(made) == 1 and (len(results) > 1 or now > before):
            self.nearer[made[0]] = len(results), now

    def holds(self, function):
        """Whether a changed answer is right in further cases."""
        if not self.exercise.accepts:
            return self.does_as(function, self.exercise.solve)
        watch, telling = Watch(lines=20 * self.lines, seconds=1), self.exercise.cases[: self.exercise.telling]
        return self.exercise.accepts([self.call(watch, function, case) for case in telling]) is None

    def does_as(self, function, ours):
        """Whether a changed answer gives in further random cases what a function of ours does."""
        exercise, rng, watch = self.exercise, np.random.default_rng(0), Watch(lines=20 * self.lines, seconds=1)
        for other in (case for each in exercise.cases[:8] for case in further(rng, each, 6 if self.single else 1)):
            try:
                asked = [exercise.outcome(each, other) for each in (exercise.solve, ours)]
                known = all(each is not None and each is not REFUSED and np.isfinite(each).all() for each in asked)
            except Exception:
                continue  # no case at all
            try:
                if known and not same(self.call(watch, function, other), asked[1], exercise.tolerance):
                    return False
            except (Exception, StillRunning):
                return False
        return True

    def matters(self, made):
        """Whether changes leave no argument and no counter without use, and make no part that does nothing."""
        with _all(made):
            nodes = list(ast.walk(self.source.tree))
            loops = [node.target for node in nodes if isinstance(node, (ast.For, ast.comprehension))]
            needed = names((n for target in loops for n in ast.walk(target)), ast.Store)
            needed |= {each.arg for each in self.source.tree.body[-1].args.args}
            lost = (names(self.source.nodes) - names(nodes)) & needed
            return not lost and not any(idles(node) for node in nodes if ast.dump(node) not in self.dumps)


@contextlib.contextmanager
def _all(changes):
    with contextlib.ExitStack() as stack:
        for change in changes:
            stack.enter_context(change)
        yield


def _is_rich(results):
    """Whether results are numbers enough, and not the same everywhere: of these, much is a mistake."""
    flat = np.concatenate([result.ravel().astype(float) for result in results.values()])
    single = all(result.size == 1 for result in results.values())
    return len(set(flat)) > 3 if single else len(flat) > 8 and np.ptp(flat) > 0


def _unread(nodes):
    """The names that are given a value which nothing asks for: to be filled, as in rows.append(row), is no question."""
    nodes = list(nodes)
    calls = [n.value.func for n in nodes if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)]
    filled = [func.value for func in calls if isinstance(func, ast.Attribute)]
    filled += [n.value for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    return names(nodes, ast.Store) - names(n for n in nodes if n not in filled)


def further(rng, case, times):
    """The same case with other numbers, so many times, and with each size one larger, and twice as large."""

    def varied(part, change):
        if isinstance(part, dict):
            return {name: varied(inner, change) for name, inner in part.items()}
        if isinstance(part, list):
            return [varied(inner, change) for inner in part]
        if not isinstance(part, np.ndarray):
            return part
        new = np.resize(part, [change(size) for size in part.shape])
        if part.dtype.kind in "ib":
            return rng.permuted(new.ravel()).reshape(new.shape)
        new = new + rng.normal(size=new.shape) / 4
        return np.abs(new) if (part >= 0).all() else new  # a mean of squares stays one

    if any(isinstance(part, (np.ndarray, dict, list)) for part in case):
        for change in [lambda size: size] * times + [lambda size: size + 1, lambda size: 2 * size]:
            yield type(case)(varied(part, change) for part in case)
    else:
        yield from (tuple(part + int(rng.integers(1, 4)) for part in case) for _ in range(times))
