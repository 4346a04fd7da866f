"""How an answer is judged: by its results on small cases, beside the right ones and those of known mistakes."""

import ast
import contextlib
import difflib
import inspect
import re
import sys
import traceback
import warnings

import numpy as np

from helpers.checks import mend
from helpers.checks.cases import Whole, changed, copied, is_no_cut, parameters
from helpers.checks.edited import Edited
from helpers.checks.exercise import (
    REFUSED,
    Case,
    Feedback,
    Symptom,
    Verdict,
    known_mistake,
    result_of,
    right_results,
    where_wrong,
)
from helpers.checks.reading import (
    BEGUN,
    BLANK,
    LONGEST,
    MENDED,
    NOT_IMPLEMENTED,
    Stop,
    TooLarge,
    begun,
    error_hint,
    held_blank,
    holds_blank,
    name_error,
    numbers,
    one_line,
    reads_a_name,
    same,
    text_of,
    words,
)
from helpers.checks.source import source_of
from helpers.checks.watch import StillRunning, Watch, guarded, is_own
from helpers.checks.wrong import READABLE, Wrong, size, traced

THERE = "That was in line"
SIGNS = {"blank": "○", "right": "✓", "wrong": "✗"}


def verdict(exercise, answer, show=None):
    """Run an answer on the cases, and say what it does. Never raises, but for an interruption (■).

    Returns
    -------
    Verdict : (status, message, fix, case)
    """
    return _run_and_judge(exercise, answer, show)[0]


def judge(exercise, answer, show=None):
    """What `verdict` says, as a Feedback: the reason and the line as it should be in one."""
    judged, told = _run_and_judge(exercise, answer, show)
    return Feedback(judged.status, told)


def _run_and_judge(exercise, answer, show):
    exercise, results = exercise.taken(_arguments(answer)), []
    trial = _Trial(exercise, answer, results, show)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), _kept(), guarded():
            warnings.simplefilter("ignore")
            status, told = trial.verdict()
    except Stop as stop:
        status, told = stop.args
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever an answer does, the lesson goes on
        status, told = "wrong", f"{exercise.name} could not be checked: {name_error(error)}."
    if status != "wrong":
        return Verdict(status, one_line(told)), one_line(told)
    return Verdict(status, one_line(trial.message(told)), trial.fix, trial.smallest()), one_line(told)


@contextlib.contextmanager
def _kept():
    """Keep NumPy's random numbers and way of printing, the depth of recursion and the profiler as they were."""
    drawn, depth, printed, profile = (
        np.random.get_state(),  # noqa: NPY002
        sys.getrecursionlimit(),
        np.get_printoptions(),
        sys.getprofile(),
    )
    try:
        yield
    finally:
        np.random.set_state(drawn)  # noqa: NPY002
        sys.setrecursionlimit(depth)
        np.set_printoptions(**printed)
        if sys.getprofile() is not profile:  # one in C cannot be put back, and was not touched
            sys.setprofile(profile)


def print_feedback(exercises, name, answer):
    """Print one line of feedback, after what the answer prints, and return it. Raises nothing but KeyboardInterrupt."""
    feedback = None
    try:
        judge = exercises[name]
    except Exception:
        near = difflib.get_close_matches(text_of(name), exercises)
        named = ", ".join(near or [*list(exercises)[:8], f"and {len(exercises) - 8} more"])
        line = f"{SIGNS['wrong']} There is no exercise of that name; there are {named}."
    else:
        try:
            feedback = judge(answer, sys.stdout)
        except KeyboardInterrupt:
            say(
                f"{SIGNS['wrong']} {name} was interrupted while it ran. If you did not expect it to take long: a loop may not end."
            )
            raise
        line = f"{SIGNS[feedback.status]} {feedback.message}"
    say(line)
    return feedback


def say(line):
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
        if not where_wrong(exercise, results, right_results(exercise, solve, len(results))):
            return praise(results) if callable(praise) else praise
    return None


class _Trial:
    """One answer on its way through the cases."""

    def __init__(self, exercise, answer, results, show):
        self.exercise, self.answer, self.results = exercise, answer, results
        self.watch = Watch((exercise.solve, *exercise.remakes), show)
        self.stop, self.changed = None, ""  # what stopped it; the input that it changed
        self.fix, self.why = "", ""  # the lines as they should be; the mistake that is left then

    def verdict(self):
        """(status, message)"""
        self.run()
        exercise, results = self.exercise, self.results
        self.rights = right_results(exercise, exercise.solve, len(results))
        failing = where_wrong(exercise, results, self.rights)
        if self.stop:
            if self.stop.args[0] == "blank" or not self.mendable or not exercise.editable:
                raise self.stop
            found = self.found(known_mistake(exercise, results) if failing else None)
            if not found and (exercise.accepts or not failing):
                raise self.stop
        elif praise := _praise(exercise, results):
            flaw = self.flaw()
            return ("wrong", flaw) if flaw else ("right", praise)
        elif failing and self.changed and all(isinstance(exercise.cases[k], Whole) for k in failing):
            return "wrong", self.flaw()  # numbers were written over whole ones
        else:
            known = known_mistake(exercise, results)
            found = self.found(known)
            found = self.and_more(found) if found == known else found
        wrong = Wrong(exercise, self.answer, results, self.rights)
        return "wrong", found or self.and_stops(self.and_changes(wrong.differs(failing)))

    def and_more(self, known):
        """A known mistake, and what is wrong besides: no error where one is wanted, or numbers where truths are."""
        exercise, pairs = self.exercise, list(zip(self.results, self.rights))
        blind = [k for k, (got, want) in enumerate(pairs) if want is REFUSED and got is not REFUSED]
        more = exercise.hint(ValueError(), *exercise.cases[blind[0]]) if blind and exercise.hint else None
        if all(want.dtype == bool != got.dtype and np.isin(got, (0, 1)).all() for got, want in pairs):
            more = exercise.flaw([want.astype(got.dtype) for got, want in pairs])
        said = not known or "ValueError" in known or "Boolean" in known
        return f"{known} And then: {more}" if more and not said else known

    def and_changes(self, sentence):
        """What is said of the numbers, after the input that the answer overwrites, which may be why they are wrong."""
        if not self.changed:
            return sentence
        copied = f"{self.exercise.name} overwrites {self.changed}; work on a copy, {self.changed}.copy()."
        return f"{copied} {sentence}" if len(copied) + len(sentence) < LONGEST else copied

    def and_stops(self, sentence):
        """What is said of the cases that have results, and where the answer stops after them, if there is room."""
        stopped = self.stop.args[1] if self.stop else ""
        wholes = [f"{sentence} And {end}" for end in (stopped, stopped.partition(THERE)[0].rstrip()) if stopped]
        return next((whole for whole in wholes if len(" ".join(whole.split())) < LONGEST), sentence)

    def message(self, told):
        """What is told, without the lines as they should be."""
        if not self.fix:
            return told
        places = re.findall(r"[Ll]ine (\d+)(?:: `([^`]*)` should be)?", self.fix)
        where = " and at ".join(f"line {line}: `{old}`" if old else f"line {line}" for line, old in places)
        return f"{self.why} {'Besides, look' if self.why else 'Look'} at {where}.".strip()

    def smallest(self):
        """The first Case in which the answer is wrong of those that can be read, as the simplest come first; or None."""
        exercise, results = self.exercise, self.results
        if exercise.by_hand or exercise.accepts or (self.stop and self.stop.args[0] == "blank"):
            return None
        rights = right_results(exercise, exercise.solve, len(results))
        wrong = where_wrong(exercise, results, rights) or ([len(results)] if self.stop else [])
        if not wrong or wrong[0] >= len(exercise.cases):
            return None
        k = min(wrong, key=lambda k: (max(size(exercise.cases[k]), READABLE), k))
        got, wanted = results[k] if k < len(results) else None, result_of(exercise, exercise.solve, k)
        names = parameters(self.answer)
        names = names if len(names) >= len(exercise.cases[k]) else parameters(exercise.solve)
        given = copied(exercise.cases[k])
        return Case(dict(zip(names, given)), *(None if part is REFUSED else part for part in (got, wanted)))

    def found(self, known):
        """The known mistake, else the change that mends, else ""; where a sentence says what shows alone, a whole change first."""
        if known and not isinstance(known, Symptom) and not self.changed:
            return known
        search = self.search()
        found = search.mend() if search else ""
        if known and not found.endswith(MENDED):
            return known
        self.fix, _, left = found.partition(" And then: ")
        self.why = left
        return found

    def run(self):
        """Fill `results` up to the first case that has none, which leaves `stop`."""
        exercise, answer = self.exercise, self.answer
        if exercise.by_hand:
            if callable(answer):
                raise Stop(f"{exercise.name} must be numbers, got {type(answer).__name__}.")
            self.results.append(self.numbers(answer, exercise.name))
            return
        if answer is None or answer is ...:
            raise Stop(BLANK, "blank")
        if not callable(answer):
            raise Stop(f"{exercise.name} must be a function, got {type(answer).__name__}. Hand over its name only.")
        _check_parameters(exercise, answer)
        try:
            for arguments in exercise.cases:
                self.results.append(self.call(arguments))
        except Stop as stop:
            self.stop = stop
        finally:
            self.watch.output.finish()

    mendable = True  # whether an edit could help where the answer stopped
    too_large = False  # an edit of what filled the memory may fill it, too

    def call(self, arguments):
        exercise, given = self.exercise, copied(arguments)
        where = f"{exercise.name}{words(arguments)}"
        try:
            result = self.watch.run(self.answer, given)
            self.changed = self.changed or changed(given, arguments, self.answer)
            if exercise.use and result is not None and result is not ... and not holds_blank(result):
                result = self.watch.run(exercise.use, (result, *given))
        except (Stop, KeyboardInterrupt):
            raise
        except NotImplementedError as error:
            if type(error).__name__ == "StdinNotImplementedError":  # what input() says where nobody can type
                raise Stop(_error_message(self, error, where, arguments)) from None
            ends = NOT_IMPLEMENTED if is_own(error) else BEGUN
            raise Stop(ends if begun(self.answer) else BLANK, "blank") from None
        except StillRunning:
            self.mendable = False
            raise Stop(f"{where} was stopped: it was still {self.watch.why}") from None
        except BaseException as error:
            if isinstance(error, ValueError) and exercise.refuses(*arguments):
                return self.refused(error, where)
            if is_no_cut(error, arguments):
                return result_of(exercise, exercise.solve, len(self.results))
            self.too_large = isinstance(error, MemoryError)
            if held_blank(error):  # a ... is still there, and what was done with it went wrong
                raise Stop(BEGUN, "blank") from None
            raise Stop(_error_message(self, error, where, arguments)) from None
        if result is None and begun(self.answer):
            raise Stop(self.returns_nothing(where, arguments))
        return self.numbers(result, where)

    def numbers(self, result, where):
        want = result_of(self.exercise, self.exercise.solve, len(self.results))
        if isinstance(result, tuple) and len(result) != len(np.atleast_1d(want)):
            for k, part in enumerate(result[:3]):
                if np.shape(part) == want.shape and same(np.asarray(part), want, self.exercise.tolerance):
                    place = ("first", "second", "third")[k]
                    raise Stop(f"{self.exercise.name} returns {len(result)} things; return the {place} one alone.")
        try:
            return numbers(result, where, begun(self.answer), reads_a_name(self.answer))
        except TooLarge as large:
            self.mendable = False  # an edit of what is so large takes as long
            wanted = (
                "raise ValueError(...), got numbers of shape" if want is REFUSED else f"have shape {want.shape}, got"
            )
            raise Stop(f"{where} must {wanted} {large}.") from None

    def refused(self, error, where):
        """A ValueError, where one is wanted, must be the answer's own."""
        if not is_own(error):
            raise Stop(
                f"{where} is refused by Python or by a helper, not by you: raise ValueError(...) yourself, before softmax."
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
        """A sentence on right numbers that came about in a wrong way, or None."""
        if helper := self.watch.called:
            owner = helper.__module__.rpartition(".")[2]
            return f"The numbers are right, but your answer calls {owner}.{helper.__name__}, or lets another helper call it: that is what you are to write yourself."
        if self.changed:
            return f"The numbers are right, but {self.changed} is overwritten: whoever handed it over finds other numbers in it. Make a new array, or work on {self.changed}.copy()."
        return self.exercise.flaw(self.results) or self.exercise.unearned() or self.makes_what_it_should_not()

    def makes_what_it_should_not(self):
        """A sentence on a line that makes an array of a shape that is not wanted, by the last case, or None."""
        exercise, source = self.exercise, source_of(self.answer)
        if exercise.avoids is None or source is None:
            return None
        tracing, shape = traced(source, exercise.cases[-1]), exercise.avoids(*exercise.cases[-1])
        found = [
            step
            for step in tracing.steps
            if any(tuple(n for n in value.shape if n > 1) == shape for value in step.values)
        ]
        if not found:
            return None
        node = min((step.node for step in found), key=lambda node: (node.lineno, -node.end_col_offset))
        return f"The numbers are right, but line {node.lineno}, {source.own(node)}, {'is' if isinstance(node, ast.Name) else 'makes'} {'a row' if len(shape) == 1 else 'a matrix'} of shape {shape}, which is to be done without."

    def search(self):
        """The search for the edit of the answer's own source that makes it right, or None."""
        source = source_of(self.answer)
        if source is None or not self.exercise.editable or self.too_large:
            return None
        raises = any(isinstance(node, ast.Raise) for node in ast.walk(source.tree))
        raises = raises or any(result is REFUSED for result in self.results)
        ran = self.watch.lines - max(self.watch.left, 0)
        return mend.Search(source, Edited(self.exercise, self.answer, self.results, raises, self.changed, ran))


def _arguments(answer):
    """How many arguments an answer takes; 0 where it does not tell, or takes any number."""
    try:
        kinds = [each.kind for each in inspect.signature(answer).parameters.values()]
        return 0 if inspect.Parameter.VAR_POSITIONAL in kinds else len(kinds)
    except BaseException:  # something that cannot even say what it is
        return 0


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
        raise Stop(f"{exercise.name} is called with {words}, but yours takes {names}.") from None


def _stopped_in(answer, error):
    """The line of the learner's own file or cell in which an error came about, in a sentence; "" where it is not known."""
    file = getattr(getattr(answer, "__code__", None), "co_filename", None)
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return f"{THERE} {lines[-1]}." if lines else ""


def _error_message(judged, error, where, arguments):
    name = name_error(error)
    hint = error_hint(name) or judged.exercise.hint(error, *arguments) or ""
    room = max(40, LONGEST - len(f"{where} stopped with . {hint}"))  # the hint must not be cut off
    name = name if len(name) <= room else name[: room - 1] + "…"
    told = f"{where} stopped with {name}. {hint}".strip()
    line = _stopped_in(judged.answer, error)
    return f"{told} {line}" if len(told) + len(line) < LONGEST else told
