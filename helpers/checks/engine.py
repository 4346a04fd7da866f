"""How an answer is judged: by its results on small cases, beside the right ones and those of known mistakes."""

import ast
import copy
import difflib
import inspect
import re
import sys
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from helpers.checks import patterns, repair, steps
from helpers.checks.cases import KINDS, Whole, arrays, is_no_cut
from helpers.checks.reading import (
    BEGUN,
    BLANK,
    LONGEST,
    Stop,
    begun,
    error_hint,
    held_blank,
    holds_blank,
    name_error,
    numbers,
    one_line,
    same,
    short,
    text_of,
    words,
)
from helpers.checks.watch import StillRunning, Watch, is_ours

SIGNS = {"blank": "○", "right": "✓", "wrong": "✗"}
EVIDENCE = 8  # numbers, before a mistake in some of the cases is named
CLOSE = 6e-3  # a smaller gap looks like rounding
REFUSED = np.empty((0,) * 5)  # stands for a ValueError, where one is wanted; no answer has that shape
SMALL = 12  # numbers that are shown of a stage
READABLE = 60  # numbers in a case that still fits on one line
BESIDES = "values"  # a stage that no other one needs
TRIED = 16  # cases of an edited answer, where many answers are right
SHOWN = 4  # cases in which an answer is followed step by step


class Feedback(NamedTuple):
    """status : "blank", "right" or "wrong"; message : one line, which names the mistake."""

    status: str
    message: str


class Symptom(str):
    """A sentence on what shows, and not on why: whatever edit mends the answer is the better word."""


class Exercise(NamedTuple):
    """One exercise.

    name : the function that the learner writes
    solve : a right answer
    cases : list of tuples of arguments, the simplest first
    mistakes : dict sentence -> function that goes wrong in this way, or a list of them; the likeliest first
    praise : what a right answer is told, or function(results) that says it
    explain : function(got, want, *arguments) -> a sentence or None, for wrong answers that are no known mistake
    hint : function(error, *arguments) -> a sentence or None, for answers that stop with an error
    by_hand : True where the answer is numbers worked out on paper, and no function
    tolerance : how far a number may be off, 32-bit floats included
    also : other right answers, tuples (solve, praise): an answer is right if all its results agree with one of them
    refuses : function(*arguments) -> whether a right answer stops with a ValueError there
    remakes : functions of the course that the answer is to do without, as it makes them anew
    stages : dict name -> function(*arguments) that gives what must be there on the way, in order
    parts : names of the parts, where a result is several things, one above the other
    sorts : what each case is an example of, in words, for "right for …, not for …"
    numbers : function(old, new) -> a sentence or None, for an answer that is mended by another number
    editable : False where edits of the answer are not to be tried
    use : function(result, *arguments) -> what is judged, where the answer returns something that is to be used
    accepts : function(results) -> None if they are right, else a sentence, where many different answers are right; those
        of the first 16 cases tell
    flaw : function(results) -> a sentence or None, for right numbers in a form that was not asked for
    avoids : function(*arguments) -> the shape of an array that a right answer does without
    """

    name: str
    solve: Callable
    cases: list
    mistakes: dict
    praise: str | Callable = "That is right."
    explain: Callable = lambda got, want, *arguments: None
    hint: Callable = lambda error, *arguments: None
    by_hand: bool = False
    tolerance: float = 2e-5
    also: tuple = ()
    refuses: Callable = lambda *arguments: False
    remakes: tuple = ()
    stages: dict = {}  # noqa: RUF012 – never changed
    parts: tuple = ()
    sorts: tuple = ()
    numbers: Callable = lambda old, new: None
    editable: bool = True
    use: Callable | None = None
    accepts: Callable | None = None
    flaw: Callable = lambda results: None
    avoids: Callable | None = None


def judge_by(exercise):
    """Make the judge of an exercise: function(answer) -> Feedback. Only a KeyboardInterrupt gets through."""
    return lambda answer, show=None: judge(exercise, collect(exercise, answer, show))


def collect(exercise, answer, show=None):
    """Run an answer on the cases, and find words for what it did. All that runs the learner's code is done here.

    Returns
    -------
    record : dict of arrays, which np.savez writes as they are: "status", "message", and "result 0", "result 1", …
    """
    results = []
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            status, message = _Trial(exercise, answer, results, show).verdict()
    except Stop as stop:
        status, message = stop.args
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever an answer does, the lesson goes on
        status, message = "wrong", f"{exercise.name} could not be checked: {name_error(error)}."
    words = {"status": np.array(status), "message": np.array(one_line(message))}
    return words | {f"result {k}": result for k, result in enumerate(results)}


def judge(exercise, record):
    """Judge by what was collected, in this process or in another one: nothing of the learner's runs here.

    A record says "right" of itself in vain: its results are compared with the right ones once more.
    """
    status, message = str(record["status"]), str(record["message"])
    if status == "right":
        results = [record[f"result {k}"] for k in range(len(record) - 2)]
        praise, flaw = _praise(exercise, results), exercise.flaw(results)
        status, message = (
            ("right", praise) if praise and not flaw else ("wrong", flaw or "These numbers are not right.")
        )
    return Feedback(status, one_line(message))


def print_feedback(exercises, name, answer):
    """Print one line of feedback, after what the answer prints. Raises nothing but KeyboardInterrupt."""
    try:
        judge = exercises[name]
    except Exception:
        near = difflib.get_close_matches(text_of(name), exercises)
        line = f"{SIGNS['wrong']} {one_line('There is no exercise of that name; there are ' + ', '.join(near or exercises))}"
    else:
        try:
            feedback = judge(answer, sys.stdout)
        except KeyboardInterrupt:
            _print(
                f"{SIGNS['wrong']} {name} was interrupted while it ran. If you did not expect it to take long: a loop may not end."
            )
            raise
        line = f"{SIGNS[feedback.status]} {feedback.message}"
    _print(line)


def _print(line):
    try:
        print(line)
    except UnicodeEncodeError:  # a terminal that knows no ✓
        print(line.encode("ascii", "replace").decode("ascii"))


def _praise(exercise, results):
    """What is said if the results are right, or None if they are not."""
    if len(results) < (1 if exercise.by_hand else len(exercise.cases)):
        return None
    if exercise.accepts:
        return None if exercise.accepts(results) else exercise.praise(results)
    for solve, praise in [(exercise.solve, exercise.praise), *exercise.also]:
        if not _failing(exercise, results, _rights(exercise, solve, len(results))):
            return praise(results) if callable(praise) else praise
    return None


def _rights(exercise, solve, count):
    """What a function of ours gives in the first `count` cases."""
    return [gives(exercise, solve, k) for k in range(count)]


def _failing(exercise, results, rights):
    """In which cases the results are not the right ones."""
    return [k for k, right in enumerate(rights) if not same(results[k], right, exercise.tolerance)]


_GIVEN = {}  # what functions of ours gave before: the cases never change


def gives(exercise, function, k):
    """What a function of ours gives in case k, or REFUSED. A mistake that cannot be made there gives None."""
    key = id(exercise.cases), k, function
    if key not in _GIVEN:
        _GIVEN[key] = exercise.cases, _outcome(exercise, function, exercise.cases[k])
    return _GIVEN[key][1]


def _outcome(exercise, function, arguments):
    try:
        return np.asarray(function(*copy.deepcopy(arguments)))
    except ValueError:
        if exercise.refuses(*arguments):
            return REFUSED
        if function is exercise.solve:
            raise
    except Exception:
        if function is exercise.solve:
            raise
    return None


class _Trial:
    """One answer on its way through the cases."""

    def __init__(self, exercise, answer, results, show):
        self.exercise, self.answer, self.results = exercise, answer, results
        self.watch = Watch(exercise.remakes, show)
        self.stop, self.changed = None, ""  # what stopped it; the input that it changed

    def verdict(self):
        """(status, message)"""
        self.run()
        exercise, results = self.exercise, self.results
        self.rights = _rights(exercise, exercise.solve, len(results))
        failing = _failing(exercise, results, self.rights)
        if self.stop:
            if self.stop.args[0] == "blank" or not self.mendable:
                raise self.stop
            if found := self.found(known_mistake(exercise, results) if failing else None):
                return "wrong", found
            if not failing:
                raise self.stop
        elif praise := _praise(exercise, results):
            return self.flaw() or ("right", praise)
        elif failing and self.changed and all(isinstance(exercise.cases[k], Whole) for k in failing):
            return self.flaw()  # numbers were written over whole ones
        found = self.found(known_mistake(exercise, results))
        found = found or partly_known(exercise, results, failing) or self.differs(failing)
        return "wrong", f"{found} {self.question(failing)}".strip()

    def found(self, known):
        """The likeliest edit that mends, else the known mistake, else any edit that mends, else ""."""
        search = self.search()
        if search is None:
            return known
        if isinstance(known, Symptom) or self.changed:  # what is written over its input shows in the numbers alone
            return search.mend() or known
        return search.mend(likely=True) or known or search.mend()

    def run(self):
        """Fill `results` up to the first case that has none, which leaves `stop`."""
        exercise, answer = self.exercise, self.answer
        if exercise.by_hand:
            if callable(answer):
                raise Stop("wrong", f"{exercise.name} must be numbers, got {type(answer).__name__}.")
            self.results.append(numbers(answer, exercise.name))
            return
        if answer is None or answer is ...:
            raise Stop("blank", BLANK)
        if not callable(answer):
            raise Stop(
                "wrong", f"{exercise.name} must be a function, got {type(answer).__name__}. Hand over its name only."
            )
        _check_parameters(exercise, answer)
        try:
            with self.watch.guarded():
                for arguments in exercise.cases:
                    self.results.append(self.call(arguments))
        except Stop as stop:
            self.stop = stop
        finally:
            self.watch.output.finish()

    mendable = True  # whether an edit could help where the answer stopped
    missed = ""  # the first stage that no step of the answer gives
    too_large = False  # an edit of what filled the memory may fill it, too

    def call(self, arguments):
        exercise, given = self.exercise, copy.deepcopy(arguments)
        where = f"{exercise.name}{words(arguments)}"
        try:
            result = self.watch.run(self.answer, given)
            self.changed = self.changed or _changed(given, arguments, self.answer)
            if exercise.use and result is not None and result is not ... and not holds_blank(result):
                result = self.watch.run(exercise.use, (result, *given))
        except Stop:
            raise
        except KeyboardInterrupt:
            raise
        except NotImplementedError:
            raise Stop("blank", BEGUN if begun(self.answer) else BLANK) from None
        except StillRunning as still:
            self.mendable = False
            raise Stop(
                "wrong",
                f"{where} was stopped: it was still running after {still or f'{self.watch.seconds:g} seconds'}. Does every loop in it come to an end?",
            ) from None
        except BaseException as error:
            if isinstance(error, ValueError) and exercise.refuses(*arguments):
                return self.refused(error, where)
            if is_no_cut(error, arguments):
                return gives(exercise, exercise.solve, len(self.results))
            self.too_large = isinstance(error, MemoryError)
            if held_blank(error):  # a ... is still there, and what was done with it went wrong
                raise Stop("blank", BEGUN) from None
            raise Stop("wrong", _told_error(exercise, error, where, arguments)) from None
        if result is None and begun(self.answer):
            raise Stop("wrong", self.returns_nothing(where, arguments))
        return numbers(result, where, gives(exercise, exercise.solve, len(self.results)), begun(self.answer))

    def refused(self, error, where):
        """A ValueError, where one is wanted, must be the answer's own."""
        if not is_own(error):
            raise Stop(
                "wrong", f"{where} is refused by a helper, not by you: raise ValueError(...) yourself, before softmax."
            )
        return REFUSED

    def returns_nothing(self, where, arguments):
        name = self.exercise.name
        if self.changed:
            return f"{name} changes its input but returns nothing: end it with return."
        if self.watch.output.letters:
            return f"{name} prints something but returns nothing: end it with return."
        if arguments is not self.exercise.cases[0]:
            return f"{where} returned nothing: every path through it must end with return."
        return f"{name} returns nothing: end it with return."

    def flaw(self):
        """(status, message) for right numbers that came about in a wrong way, or None."""
        if self.watch.called is not None:
            helper = self.watch.called
            owner = helper.__module__.rpartition(".")[2]
            return (
                "wrong",
                f"The numbers are right, but {owner}.{helper.__name__} made them, which is what you are to write yourself.",
            )
        if self.changed:
            return "wrong", (
                f"The numbers are right, but {self.changed} is overwritten: whoever handed it over finds other numbers in it. "
                f"Make a new array, or work on {self.changed}.copy()."
            )
        flaw = self.exercise.flaw(self.results) or self.makes_what_it_should_not()
        return ("wrong", flaw) if flaw else None

    def makes_what_it_should_not(self):
        """A sentence on a line that makes an array of a shape that is not wanted, by the last case, or None."""
        exercise, source = self.exercise, repair.source_of(self.answer)
        if exercise.avoids is None or source is None:
            return None
        tracing, shape = _traced(source, exercise.cases[-1]), exercise.avoids(*exercise.cases[-1])
        found = [step for step in tracing.steps if any(value.shape == shape for value in step.values)]
        if not found:
            return None
        node = min((step.node for step in found), key=lambda node: (node.lineno, -node.end_col_offset))
        return f"The numbers are right, but line {node.lineno}, {source.own(node)}, makes a matrix of shape {shape}, which is to be done without."

    def search(self):
        """The search for the edit of the answer's own source that makes it right, or None."""
        exercise, source = self.exercise, repair.source_of(self.answer)
        if source is None or not exercise.editable or self.too_large:
            return None

        def call(watch, function, arguments):
            try:
                given = copy.deepcopy(arguments)
                result = watch.run(function, given)
                if _changed(given, arguments, function):
                    raise ValueError("What it was given is overwritten.")
                return numbers(exercise.use(result, *given) if exercise.use else result, "", attempted=True)
            except Exception as error:
                if isinstance(error, ValueError) and exercise.refuses(*arguments) and is_own(error):
                    return REFUSED
                if is_no_cut(error, arguments):
                    return _outcome(exercise, exercise.solve, arguments)
                raise

        first = gives(exercise, exercise.solve, 0)

        def right(k, result):
            if exercise.accepts:  # only all of them together
                return True
            return same(result, gives(exercise, exercise.solve, k), exercise.tolerance)

        def holds(watch, function):
            if exercise.accepts:
                return exercise.accepts([call(watch, function, case) for case in exercise.cases[:TRIED]]) is None
            single = first.size == 1 or any(part.dtype == bool for part in arrays(exercise.cases[0]))
            rng, rounds = np.random.default_rng(0), 6 if single else 1  # single numbers, and masks, are hit more easily
            for other in [repair.shaken(rng, arguments) for arguments in exercise.cases[:8] * rounds]:
                try:
                    want = _outcome(exercise, exercise.solve, other)
                except Exception:
                    continue  # not a case at all
                if not same(call(watch, function, other), want, exercise.tolerance):
                    return False
            return True

        def near(results):
            rights = [(result, gives(exercise, exercise.solve, k)) for k, result in results.items()]
            fitting = [(result, right) for result, right in rights if result.shape == right.shape]
            return sum(1 + np.isclose(result, right, exercise.tolerance).sum() for result, right in fitting)

        places = range(len(exercise.cases))
        wrong = (
            [0] if exercise.accepts else [k for k in places if k >= len(self.results) or not right(k, self.results[k])]
        )
        order = sorted(places, key=lambda k: k != wrong[0]) if not exercise.accepts else [0]
        coarse = exercise.accepts is not None or (first.dtype == bool and first.size == 1)
        cases = [(k, exercise.cases[k]) for k in order]
        cut = {k for k in places if isinstance(exercise.cases[k], Whole)}
        return repair.Search(
            source,
            cases,
            call,
            right,
            holds,
            lambda results: known_mistake(exercise, results) or self.related_to_all(results),
            exercise.numbers,
            coarse,
            cut if set(wrong) - cut else set(),
            near,
            dict(enumerate(self.results)),
        )

    def differs(self, failing):
        """What is wrong with the numbers, in the first case that can be read, as the simplest come first."""
        exercise = self.exercise
        if exercise.accepts:
            return exercise.accepts(self.results)
        order = sorted(failing, key=lambda k: _size(exercise.cases[k]) + self.rights[k].size > READABLE)
        told = [(k, *_differs(exercise, self.results[k], self.rights[k], exercise.cases[k])) for k in order]
        everywhere, place = self.pattern(failing)
        fits = self.results[order[0]].shape == self.rights[order[0]].shape
        found = everywhere or (self.stage(order) if fits else "")
        explained = self.explained(told)
        said, more = (found, explained) if found else (place, explained or self.on_the_way(*told[0][:2]))
        first = self.sort(failing) + said
        return f"{first} {more}".strip() if len(first) + len(more) < LONGEST else first if found else more

    def on_the_way(self, k, sentence):
        """The numbers of case k, and what the first stage that the answer does not reach must give there, if there is room."""
        compute = self.exercise.stages.get(self.missed)
        right = np.asarray(compute(*copy.deepcopy(self.exercise.cases[k]))) if compute else None
        if right is None or right.size > SMALL:
            return sentence
        there = f"The right {self.missed} on the way: {short(right)}."
        whole = f"{sentence} {there}"
        brief = f"{self.exercise.name}{words(self.exercise.cases[k])} is not right. {there}"
        return next((text for text in (whole, brief) if len(" ".join(text.split())) < LONGEST), sentence)

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

    def question(self, failing):
        """Which question of the answer's own made it say False where True is right, or where it ends too early, or ""."""
        false = [k for k in failing if self.rights[k].dtype == bool and self.rights[k].shape == () and self.rights[k]]
        source = repair.source_of(self.answer)
        if source is None or self.exercise.editable:
            return ""
        if early := repair.early_returns(source):
            return early
        if not false:
            return ""
        tracing = _traced(source, self.exercise.cases[false[0]])
        if tracing.asked is None or (isinstance(tracing.asked[0], ast.Call) and tracing.asked[1]):
            return ""
        node, truth = tracing.asked
        return f"Line {node.lineno}: there {source.own(node)} is {truth}."

    def pattern(self, failing):
        """What all wrong results have in common, and in which part of them they are wrong."""
        exercise, wrong = (
            self.exercise,
            [k for k in failing if REFUSED.shape not in (self.results[k].shape, self.rights[k].shape)],
        )
        if exercise.by_hand or not wrong:
            return "", ""
        try:
            names = list(inspect.signature(self.answer).parameters)
        except (TypeError, ValueError):
            names = []
        pairs, arguments = [(self.results[k], self.rights[k]) for k in wrong], [exercise.cases[k] for k in wrong]
        sentence = patterns.everywhere(pairs, arguments, names, exercise.parts)
        if sentence and not exercise.parts and len(failing) < len(self.results):
            whole = [
                (result, right) for result, right in zip(self.results, self.rights) if right.shape != REFUSED.shape
            ]
            if patterns.everywhere(whole, exercise.cases, names) != sentence and not self.sort(failing):
                sentence = f"Where it is wrong: {sentence[0].lower()}{sentence[1:]}"
        return sentence, patterns.place(pairs, exercise.parts)

    def related_to_all(self, results):
        """What all wrong ones of these results have in common, if that says how to go on, or ""."""
        rights = _rights(self.exercise, self.exercise.solve, len(results))
        wrong = [k for k in _failing(self.exercise, results, rights) if rights[k].shape != REFUSED.shape]
        pairs, arguments = [(results[k], rights[k]) for k in wrong], [self.exercise.cases[k] for k in wrong]
        sentence = (
            patterns.everywhere(pairs, arguments, list(inspect.signature(self.answer).parameters)) if pairs else ""
        )
        return "" if sentence.startswith(patterns.LOOSE) else sentence

    def stage(self, failing):
        """Up to which stage the answer is right in the cases where its result is wrong, by what its parts give there."""
        exercise, source = self.exercise, repair.source_of(self.answer)
        if not exercise.stages or source is None:
            return ""
        tracing, traces = steps.Steps(source), []
        for k in failing[:SHOWN]:
            wants, held = self.held(tracing, k)
            traces.append((wants, held, [list(step.values) for step in tracing.steps], exercise.cases[k]))
        reached = {name: all(held[name] for _, held, *_ in traces) for name in exercise.stages}
        chain = [name for name in exercise.stages if name != BESIDES]  # each stage needs the one before
        last = max((place for place, name in enumerate(chain) if reached[name]), default=-1)
        name = chain[last] if last >= 0 else BESIDES
        missed = chain[last + 1] if last + 1 < len(chain) else BESIDES if not reached.get(BESIDES, True) else ""
        self.missed = missed
        related = self.related(tracing, source, traces, missed) if missed else ""
        rest = f"none of your steps gives the right {missed}" if missed else "what is made of them is not right"
        if related or not reached.get(name):
            return related
        where, how = self.holding(tracing, source, [held[name] for _, held, *_ in traces])
        return f"{where} the right {name.rstrip(',')}{how}; {rest}."

    def holding(self, tracing, source, held):
        """The step that holds a stage in all of the cases, else those that hold it in one or another, in words."""
        common = {k: max((each[k] for each in held), key=len) for k in held[0] if all(k in each for each in held)}

        def best(found):
            rated = [(tracing.steps[k], how) for k, how in found.items()]
            return min(
                rated, key=lambda e: (e[0].name == "", isinstance(e[0].node, ast.Name), len(e[1]), -e[0].node.lineno)
            )

        found = [best(common)] if common else [best(each) for each in held]
        lines = sorted({step.node.lineno for step, _ in found})
        if len(lines) > 1:
            return f"Lines {' and '.join(map(str, lines))} give", ""
        step, how = found[0]
        return f"Line {lines[0]}: {f'`{step.name}`' if step.name else source.own(step.node)} gives", how

    def related(self, tracing, source, traces, missed):
        """A step that is in all cases related to a stage that no step gives, such as its transposed or its double; in words."""
        names, found = list(inspect.signature(self.answer).parameters), []
        for k, step in enumerate(tracing.steps):
            outer = tracing.steps[k + 1 :]  # what a step is a part of comes after it
            if any(
                _is_part(step, each) and [v.shape for v in each.values] == [v.shape for v in step.values]
                for each in outer
            ):
                continue
            pairs = [(values[k][0], wants[missed]) for wants, _, values, _ in traces if len(values[k]) == 1]
            if len(pairs) == len(traces) and all(got.shape == want.shape for got, want in pairs):
                sentence = patterns.everywhere(pairs, [case for *_, case in traces], names)
                if sentence.startswith(patterns.PLAIN):  # others are what the next step may bring
                    own = f"`{step.name}`" if step.name else source.own(step.node)
                    found.append((step.node.lineno, own, sentence, isinstance(step.node, ast.Name)))
        if not found:
            return ""
        line, own, sentence = max(found, key=lambda each: (not each[3], each[0]))[
            :3
        ]  # rather where it is made than named
        return (
            f"Line {line}: compared with the right {missed.rstrip(',')}, in {own} {sentence[0].lower()}{sentence[1:]}"
        )

    def held(self, tracing, k):
        """What the stages are in case k, and which parts of the answer hold them: dict name -> dict place -> how."""
        exercise, arguments = self.exercise, self.exercise.cases[k]

        def call(function):
            given = copy.deepcopy(arguments)
            result = watch.run(function, given)
            return watch.run(exercise.use, (result, *given)) if exercise.use else result

        watch = Watch()
        tracing.run(call)
        wants = {name: np.asarray(compute(*copy.deepcopy(arguments))) for name, compute in exercise.stages.items()}
        return wants, {name: tracing.holders(want, exercise.tolerance, "first" in name) for name, want in wants.items()}

    def sort(self, failing):
        """On what sort of cases the answer is right, and on what it is not, if that tells them apart."""
        for kind, belongs in KINDS.items():
            places = [k for k in range(len(self.results)) if belongs(self.exercise.cases[k])]
            if set(failing) <= set(places) and len(places) < len(self.results):
                return f"Right but for {'some ' * (len(failing) < len(places))}arrays {kind}. "
            if len(places) > 1 and set(failing) == set(range(len(self.results))) - set(places):
                return f"In the cases tried, right for arrays {kind} and not for others. "
        sorts = self.exercise.sorts
        wrong = [sorts[k] for k in failing] if sorts else []
        right = [sorts[k] for k in range(len(self.results)) if k not in failing] if sorts else []
        if not right or set(right) & set(wrong) or max(len(set(right)), len(set(wrong))) > 3:  # a list says little
            return ""
        return f"Right for {' and '.join(dict.fromkeys(right))}, not for {' and '.join(dict.fromkeys(wrong))}. "


def _is_part(step, other):
    return step.node.lineno == other.node.lineno and step.was in other.was


def _traced(source, case):
    """The steps of an answer in one case."""
    tracing = steps.Steps(source)
    tracing.run(lambda function: Watch().run(function, copy.deepcopy(case)))
    return tracing


def is_own(error):
    """Whether an error was raised by the answer itself, and not by a function that it called."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    return not is_ours(trace.tb_frame)


def _size(thing):
    """How many numbers."""
    parts = thing.values() if isinstance(thing, dict) else thing
    return sum(map(_size, parts)) if isinstance(thing, (dict, tuple, list)) else np.size(thing)


def _check_parameters(exercise, answer):
    try:
        signature = inspect.signature(answer)
    except (TypeError, ValueError):
        return  # some functions written in C do not tell
    count = len(exercise.cases[0])
    try:
        signature.bind(*exercise.cases[0])
    except TypeError:
        names = ", ".join(signature.parameters) or "nothing"
        words = f"{count} argument{'s' if count > 1 else ''}"
        raise Stop("wrong", f"{exercise.name} is called with {words}, but yours takes {names}.") from None


def _told_error(exercise, error, where, arguments):
    name = name_error(error)
    hint = error_hint(name) or exercise.hint(error, *arguments) or ""
    room = max(40, LONGEST - len(f"{where} stopped with . {hint}"))  # the hint must not be cut off
    name = name if len(name) <= room else name[: room - 1] + "…"
    return f"{where} stopped with {name}. {hint}"


def known_mistake(exercise, results):
    """The sentence of the first mistake that gives all of the answer's results, or None."""
    told = [(k, result) for k, result in enumerate(results) if not isinstance(exercise.cases[k], Whole)]
    for sentence in exercise.mistakes:
        for wrong in _wrongs(exercise, sentence):
            if all(same(result, gives(exercise, wrong, k), exercise.tolerance) for k, result in told):
                return sentence
    return None


def partly_known(exercise, results, failing):
    """The sentence of the mistake that gives all wrong results that are finite, of an answer that is right elsewhere; or ""."""
    finite = [k for k in failing if np.isfinite(results[k].astype(float)).all()]
    if len(finite) < 2 or sum(results[k].size for k in finite if results[k].dtype != bool) < EVIDENCE:
        return ""
    for sentence in exercise.mistakes:
        for wrong in _wrongs(exercise, sentence):
            if all(same(results[k], gives(exercise, wrong, k), exercise.tolerance) for k in finite):
                return f"Where it is wrong{' and finite' * (finite != failing)}: {sentence}"
    return ""


def _wrongs(exercise, sentence):
    wrongs = exercise.mistakes[sentence]
    return wrongs if isinstance(wrongs, list) else [wrongs]


def _differs(exercise, got, want, arguments):
    """(sentence, whether it explains) for a result that is wrong."""
    where = exercise.name if exercise.by_hand else f"{exercise.name}{words(arguments)}"
    where = f"What {where} gives for {len(want)} queries" if exercise.use and want.ndim else where
    if want is REFUSED:
        return f"{where} must stop with a ValueError, yours gives {short(got)}.", True
    if got is REFUSED:
        return f"{where} must give {short(want)}, and yours stops with a ValueError.", True
    if got.shape != want.shape:
        one = "; one number, or one True or False, is asked for" if want.shape == () else ""
        one += ": .all() makes one of many" if one and got.dtype == bool else ""
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


def _changed(given, before, answer):
    """The name of the first argument that is not as it was before, or ""."""
    try:
        names = list(inspect.signature(answer).parameters)
    except (TypeError, ValueError):
        names = []
    for place, (now, old) in enumerate(zip(given, before)):
        if not _unchanged(now, old):
            return names[place] if place < len(names) else "an argument"
    return ""


def _unchanged(now, old):
    if isinstance(old, dict):
        return now.keys() == old.keys() and all(_unchanged(now[name], old[name]) for name in old)
    if isinstance(old, (list, tuple)):
        return len(now) == len(old) and all(map(_unchanged, now, old))
    if not isinstance(old, np.ndarray):
        return True
    return now.shape == old.shape and np.allclose(now, old, rtol=1e-9, atol=1e-9, equal_nan=True)
