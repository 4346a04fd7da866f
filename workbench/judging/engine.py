"""How an answer is judged: by its results on small cases, beside the right ones and those of known mistakes."""

import contextlib
import difflib
import inspect
import re
import sys
import traceback

import numpy as np

from workbench.judging import place, run, slips, wrong
from workbench.judging.cases import Whole, changed, copied, is_no_cut, parameters, takes_any
from workbench.judging.exercise import REFUSED, Case, Feedback, Verdict, same
from workbench.judging.run import LONGEST, Stop

SIGNS = {"blank": "○", "right": "✓", "wrong": "✗"}


def verdict(exercise, answer, show=None):
    """Run an answer on the cases, and say what it does. Never raises, but for an interruption (■).

    Parameters
    ----------
    exercise : Exercise
    answer : the learner's function, or numbers
    show : where the beginning of what it prints goes, or None

    Returns
    -------
    Verdict : (status, message, case)
    """
    exercise = exercise.taken(0 if takes_any(answer) else len(parameters(answer)))
    trial = _Trial(exercise, answer, show)
    try:
        with run.guarded():
            judged = trial.verdict()
    except Stop as stop:
        judged = Verdict(stop.args[1], stop.args[0], case=trial.case())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever an answer does, the page goes on
        judged = Verdict("wrong", f"{exercise.name} could not be checked: {run.name_error(error)}.")
    return judged._replace(message=one_line(judged.message))


def judge(exercise, answer, show=None):
    """What `verdict` says, as a Feedback."""
    return Feedback(*verdict(exercise, answer, show)[:2])


def print_feedback(exercises, name, answer):
    """Print one line of feedback, after what the answer prints, and return it. Raises nothing but KeyboardInterrupt."""
    feedback = None
    try:
        judged = exercises[name]
    except Exception:
        near = difflib.get_close_matches(run.text_of(name), exercises)
        named = ", ".join(near or [*list(exercises)[:8], f"and {len(exercises) - 8} more"])
        line = f"{SIGNS['wrong']} There is no exercise of that name; there are {named}."
    else:
        try:
            feedback = judged(answer, sys.stdout)
        except KeyboardInterrupt:
            hint = "If you did not expect it to take long: a loop may not end."
            say(f"{SIGNS['wrong']} {name} was interrupted while it ran. {hint}")
            raise
        line = f"{SIGNS[feedback.status]} {feedback.message}"
    say(line)
    return feedback


def say(line):
    try:
        print(line)
    except UnicodeEncodeError:  # a terminal that knows no ✓
        print(line.encode("ascii", "replace").decode("ascii"))


def one_line(text):
    """A message in one line; one that is too long loses whole sentences."""
    text = " ".join(re.sub(r" at 0x[0-9a-fA-F]+", "", text).split())
    if len(text) > LONGEST:
        ends = [end.start() for end in re.finditer(r"(?<=[.?!]) (?=[A-Z])", text)] or [len(text)]
        text = text[: max((end for end in ends if end <= LONGEST), default=ends[0])]
    if len(text) > 2 * LONGEST:  # no sentence of ours: an answer's own words have no end
        text = f"{text[: 2 * LONGEST].rpartition(' ')[0] or text[: 2 * LONGEST]} …"
    return text


def _fitting(told, *more):
    """A sentence, and of more sentences those for which there is room."""
    for sentence in more:
        whole = " ".join(f"{told} {sentence}".split())
        told = whole if len(whole) < LONGEST else told
    return told


class _Trial:
    """One answer on its way through the cases."""

    def __init__(self, exercise, answer, show):
        self.exercise, self.answer, self.show, self.results = exercise, answer, show, []
        self.watch = run.Watch((exercise.solve, *exercise.remakes), modules=run.shared())
        self.stop, self.changed = None, ""  # what stopped it; the input that it changed
        self.returned = []  # what it returned, where something is made of that
        self.cut_short = False

    def verdict(self):
        self.fill()
        exercise, results, stop = self.exercise, self.results, self.stop
        failing = exercise.wrong(results)
        if not stop and (praise := exercise.praised(results)):
            flaw = self.flaw()
            return Verdict("wrong", flaw) if flaw else Verdict("right", praise)
        alone = self.cut_short or exercise.accepts or not failing or exercise.is_of_truths()
        if stop and stop.args[1] == "blank":
            raise stop
        before = exercise.accepts(results) if stop and exercise.accepts and not self.cut_short else None
        if before:
            return Verdict("wrong", _fitting(before, f"And {stop.args[0]}"))
        if stop and alone:  # of the cases before it nothing is told
            raise Stop(_fitting(stop.args[0], "" if self.cut_short else slips.slip(self.answer)))
        if not stop and self.changed and failing and all(isinstance(exercise.cases[k], Whole) for k in failing):
            return Verdict("wrong", self.flaw(), case=self.case())  # numbers were written over whole ones
        known = next((sentence for sentence, _ in exercise.mistakes_made(results)), "") if failing else ""
        if failing and not stop:
            known = known or wrong.in_another_order(exercise, results) or exercise.two_mistakes(results)
        if known:
            return Verdict("wrong", known if stop else self.and_more(known), case=self.case())
        slip = slips.slip(self.answer)
        more = f"And {stop.args[0]}" if stop else "" if slip else self.place(failing)
        told = _fitting(slip, self.shows(failing, LONGEST - len(slip) - len(more)), more)
        if self.changed:
            told = _fitting(f"{exercise.name} overwrites {self.changed}; work on a copy, {self.changed}.copy().", told)
        return Verdict("wrong", told, case=self.case())

    def and_more(self, known):
        """A known mistake, and what is wrong besides: no error where one is wanted, or numbers where truths are."""
        exercise, more = self.exercise, ""
        pairs = [(got, exercise.right(k)) for k, got in enumerate(self.results)]
        blind = [k for k, (got, want) in enumerate(pairs) if want is REFUSED and got is not REFUSED]
        if blind and "ValueError" not in known:
            more = exercise.hint(ValueError(), *exercise.cases[blind[0]])
        elif all(want.dtype == bool != got.dtype and np.isin(got, (0, 1)).all() for got, want in pairs):
            more = exercise.flaw([want.astype(got.dtype) for got, want in pairs], self.returned)
        return f"{known} And then: {more}" if more and "Boolean" not in known else known

    def shows(self, failing, room):
        """What shows in the numbers; where many answers are right, only all of them together tell."""
        if not self.exercise.accepts:
            return wrong.differs(self.exercise, self.results, failing, room)
        return self.exercise.accepts(self.results)

    def place(self, failing):
        """In which line a value is wrong, where that is a fact, or ""."""
        line = None if self.exercise.accepts else place.place(self.exercise, self.answer, failing)
        return f"With another value in line {line}, the rest of your answer comes out right." if line else ""

    def case(self):
        """The first Case in which the answer is wrong of those that can be read, as the simplest come first; or None."""
        exercise, results = self.exercise, self.results
        failing = [] if exercise.accepts or exercise.by_hand else exercise.wrong(results)
        failing += [len(results)] if self.stop and self.stop.args[1] != "blank" and not exercise.accepts else []
        if not failing:
            return None
        k = min(failing, key=lambda k: (max(wrong.size(exercise.cases[k]), wrong.READABLE), k))
        names = parameters(self.answer)
        names = names if len(names) >= len(exercise.cases[k]) else parameters(exercise.solve)
        given, got, wanted = copied(exercise.cases[k]), results[k] if k < len(results) else None, exercise.right(k)
        if exercise.use:  # what was made of the answer's own result is no table for a reader
            try:
                wanted = exercise.shown(exercise.solve.returned(*copied(exercise.cases[k])))
                got = None if got is None else exercise.shown(self.returned[k])
            except Exception:  # nothing to be shown, or not of what the answer returned
                return None
        return Case(dict(zip(names, given)), *(None if part is REFUSED else part for part in (got, wanted)))

    # --- the answer runs ---------------------------------------------------------------------------------------------

    def fill(self):
        """Fill `results` up to the first case that has none, which leaves `stop`."""
        exercise, answer = self.exercise, self.answer
        if exercise.by_hand:
            if callable(answer):
                raise Stop(f"{exercise.name} must be numbers, got {type(answer).__name__}.")
            self.results.append(self.numbers(answer, exercise.name))
            return
        if answer is None or answer is ...:
            raise Stop(run.BLANK, "blank")
        if not callable(answer):
            raise Stop(f"{exercise.name} must be a function, got {type(answer).__name__}. Hand over its name only.")
        _check_parameters(exercise, answer)
        try:
            for k, arguments in enumerate(exercise.cases):
                exercise.right(k)
                self.results.append(self.call(arguments))
        except Stop as stop:
            self.stop = stop
        finally:
            if self.show is not None:
                self.watch.output.show(self.show)

    def call(self, arguments):
        exercise, answer, given = self.exercise, self.answer, copied(arguments)
        where = run.Call(exercise.name, arguments)
        try:
            result = self.watch.run(answer, given)
            self.changed = self.changed or changed(given, arguments, answer)
            self.returned.append(result)
            blanks = [...] if result is not None and run.begun(answer) else [..., None]
            if exercise.use and not any(run.holds(result, blank) for blank in blanks):
                result = self.watch.run(exercise.use, (result, *given))
        except (Stop, KeyboardInterrupt):
            raise
        except run.StillRunning:
            self.cut_short = True
            raise Stop(f"{where} was stopped: it was still {self.watch.why}") from None
        except BaseException as error:
            return self.stopped(error, where, arguments)
        if result is None and run.begun(answer):
            raise Stop(self.returns_nothing(where, arguments))
        return self.numbers(result, where)

    def stopped(self, error, where, arguments):
        """What an error counts for, or Stop with what is said of it."""
        exercise = self.exercise
        if type(error) is NotImplementedError and run.is_own(error):
            raise Stop(run.NOT_IMPLEMENTED if run.begun(self.answer) else run.BLANK, "blank") from None
        if isinstance(error, ValueError) and exercise.refuses(*arguments):
            if run.is_own(error):
                return REFUSED
            hint = exercise.hint(error, *arguments) or "Raise ValueError(...) yourself, first of all."
            raise Stop(f"{where} is refused by Python or by a helper, not by you. {hint}") from None
        if is_no_cut(error, arguments):
            return exercise.right(len(self.results))
        name = run.name_error(error)
        if "'ellipsis'" in name or run.held_blank(error):  # a ... is still there, and what was done with it went wrong
            raise Stop(run.BEGUN, "blank") from None
        hint = run.error_hint(name) or exercise.hint(error, *arguments) or ""
        file = getattr(getattr(self.answer, "__code__", None), "co_filename", None)
        lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
        place = f"That was in line {lines[-1]}." if lines else ""
        for start in (where, where._replace(most=50), exercise.name):  # numbers give way to the error's own text
            told = f"{start} stopped with {run.name_error(error)}. {hint}"
            if len(f"{told} {place}") < LONGEST:
                break
        room = max(60, LONGEST - len(f"{exercise.name} stopped with . {hint} "))
        told = told if len(told) < LONGEST else f"{exercise.name} stopped with {run.name_error(error, room)}. {hint}"
        raise Stop(_fitting(told, place)) from None

    def numbers(self, result, where):
        want = self.exercise.right(len(self.results))
        if isinstance(result, tuple) and len(result) != len(np.atleast_1d(want)):
            for part, place in zip(result, ("first", "second", "third")):
                if np.shape(part) == want.shape and same(np.asarray(part), want, self.exercise.tolerance):
                    raise Stop(f"{self.exercise.name} returns {len(result)} things; return the {place} one alone.")
        try:
            return run.numbers(result, where, run.begun(self.answer))
        except run.TooLarge as large:
            self.cut_short = True
            wanted = (
                "raise ValueError(...), got numbers of shape" if want is REFUSED else f"have shape {want.shape}, got"
            )
            raise Stop(f"{where} must {wanted} {large.args[0]}.") from None

    def returns_nothing(self, where, arguments):
        name, does = self.exercise.name, "prints something but " if self.watch.output.letters else ""
        if arguments is not self.exercise.cases[0] and not does:
            return f"{where} returned nothing: every path through it must end with return."
        return f"{name} {'changes its input but ' if self.changed else does}returns nothing: end it with return."

    def flaw(self):
        """A sentence on right numbers that came about in a wrong way, or None."""
        if helper := self.watch.called:
            home = "" if hasattr(helper, "text") else f"{helper.__module__.rpartition('.')[2]}."  # a text has none
            name = f"{home}{helper.__name__}"
            return f"The numbers are right, but your answer calls {name}, or lets another helper call it: that is what you are to write yourself."
        if self.changed:
            return f"What comes out is right, but {self.changed} is overwritten: whoever handed it over finds it changed. Make a new one, or work on {self.changed}.copy()."
        return self.exercise.flaw(self.results, self.returned) or self.exercise.unearned(self.watch.names)


def _check_parameters(exercise, answer):
    with contextlib.suppress(ValueError):  # some functions written in C do not tell
        signature, given = inspect.signature(answer), exercise.cases[0]
        try:
            signature.bind(*given)
        except TypeError:
            names, s = ", ".join(signature.parameters) or "nothing", "s" * (len(given) > 1)
            raise Stop(f"{exercise.name} is called with {len(given)} argument{s}, but yours takes {names}.") from None
