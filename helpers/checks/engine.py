"""How an answer is judged: by its results on small cases, beside the right ones and those of known mistakes."""

import contextlib
import copy
import difflib
import inspect
import io
import re
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from helpers.attention import Attention

SIGNS = {"blank": "○", "right": "✓", "wrong": "✗"}
BLANK = "Not attempted yet: replace the ... by your own lines (a function that forgets `return` looks blank, too)."
BEGUN = "Not finished yet: there is still a ... (or a None) among the numbers."
LONGEST = 250  # letters in a message
CLOSE = 6e-3  # a smaller gap looks like rounding
REFUSED = np.empty((0,) * 5)  # stands for a ValueError, where one is wanted; no answer has that shape
EVIDENCE = 4  # numbers in each result, before a mistake that explains only a part of the results is named


class Feedback(NamedTuple):
    """status : "blank", "right" or "wrong"; message : one line, which names the mistake."""

    status: str
    message: str


class Mistake(NamedTuple):
    """What goes wrong, in one sentence, and a function that goes wrong in this way."""

    sentence: str
    wrong: Callable


class Exercise(NamedTuple):
    """One exercise.

    name : the function that the learner writes
    solve : a right answer
    cases : list of tuples of arguments, the simplest first
    mistakes : list of Mistake, the likeliest first
    praise : what a right answer is told, or function(results) that says it
    explain : function(got, want, *arguments) -> a sentence or None, for wrong answers that are no known mistake
    hint : function(error, *arguments) -> a sentence or None, for answers that stop with an error
    by_hand : True where the answer is numbers worked out on paper, and no function
    tolerance : how far a number may be off, 32-bit floats included
    also : other right answers, tuples (solve, praise): an answer is right if all its results agree with one of them
    refuses : function(*arguments) -> whether a right answer stops with a ValueError there
    """

    name: str
    solve: Callable
    cases: list
    mistakes: list
    praise: str | Callable = "That is right."
    explain: Callable = lambda got, want, *arguments: None
    hint: Callable = lambda error, *arguments: None
    by_hand: bool = False
    tolerance: float = 2e-5
    also: tuple = ()
    refuses: Callable = lambda *arguments: False


class _Stop(Exception):
    """Carries a feedback out of the middle of a judgement."""


def judge_by(exercise):
    """Make the judge of an exercise: function(answer) -> Feedback, which never raises."""

    def judge(answer):
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                status, message = _judge(exercise, answer)
        except _Stop as stop:
            status, message = stop.args
        except BaseException as error:  # whatever an answer does, the lesson goes on
            status, message = "wrong", f"{exercise.name} could not be checked: {_name_error(error)}."
        return Feedback(status, _one_line(message))

    return judge


def print_feedback(exercises, name, answer):
    """Print one line of feedback; never raise."""
    try:
        judge = exercises[name]
    except Exception:
        near = difflib.get_close_matches(_text(name), exercises)
        line = f"{SIGNS['wrong']} {_one_line('There is no exercise of that name; there are ' + ', '.join(near or exercises))}"
    else:
        feedback = judge(answer)
        line = f"{SIGNS[feedback.status]} {feedback.message}"
    try:
        print(line)
    except UnicodeEncodeError:  # a terminal that knows no ✓
        print(line.encode("ascii", "replace").decode("ascii"))


def _judge(exercise, answer):
    results, stop = _results(exercise, answer)
    for solve, praise in [(exercise.solve, exercise.praise), *exercise.also]:
        if not _failing(exercise, solve, results):
            if stop:
                raise stop
            return "right", praise(results) if callable(praise) else praise
    failing = _failing(exercise, exercise.solve, results)
    first, case = failing[0], exercise.cases[failing[0]]
    found = _known_mistake(exercise, results, failing)
    return "wrong", found or _differs(exercise, results[first], _outcome(exercise, exercise.solve, case), case)


def _failing(exercise, solve, results):
    """In which cases the results are not those of a right answer."""
    rights = [_outcome(exercise, solve, arguments) for arguments in exercise.cases[: len(results)]]
    return [k for k, right in enumerate(rights) if not _same(results[k], right, exercise.tolerance)]


def _outcome(exercise, function, arguments):
    """What a function of ours gives, or REFUSED."""
    try:
        return np.asarray(function(*_copies(arguments)))
    except ValueError:
        if exercise.refuses(*arguments):
            return REFUSED
        raise


def _results(exercise, answer):
    """The answer's results up to the first case that has none, and what stopped it there, or None."""
    if exercise.by_hand:
        if callable(answer):
            raise _Stop("wrong", f"{exercise.name} must be numbers, got {type(answer).__name__}.")
        return [_numbers(answer, exercise.name)], None
    if answer is None or answer is ...:
        raise _Stop("blank", BLANK)
    if not callable(answer):
        raise _Stop(
            "wrong", f"{exercise.name} must be a function, got {type(answer).__name__}. Hand over its name only."
        )
    _check_parameters(exercise, answer)
    results = []
    for arguments in exercise.cases:
        try:
            results.append(_call(exercise, answer, arguments))
        except _Stop as stop:
            return results, stop
    return results, None


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
        raise _Stop("wrong", f"{exercise.name} is called with {words}, but yours takes {names}.") from None


def _call(exercise, answer, arguments):
    given, where, printed = _copies(arguments), f"{exercise.name}{_words(arguments)}", io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            result = answer(*given)
    except NotImplementedError:
        raise _Stop("blank", BLANK) from None
    except BaseException as error:
        if isinstance(error, ValueError) and exercise.refuses(*arguments):
            return REFUSED
        if _held_blank(error):  # a ... is still there, and what was done with it went wrong
            raise _Stop("blank", BLANK) from None
        name = _name_error(error)
        hint = exercise.hint(error, *arguments) or _error_hint(name)
        room = max(40, LONGEST - len(f"{where} stopped with . {hint}"))  # the hint must not be cut off
        name = name if len(name) <= room else name[: room - 1] + "…"
        raise _Stop("wrong", f"{where} stopped with {name}. {hint}") from None
    if result is None:
        if any(_changed(now, before) for now, before in zip(given, arguments, strict=True)):
            raise _Stop("wrong", f"{exercise.name} changes its input but returns nothing: end it with return.")
        if not printed.closed and printed.getvalue().strip():
            raise _Stop("wrong", f"{exercise.name} prints something but returns nothing: end it with return.")
        if arguments is not exercise.cases[0]:
            raise _Stop("wrong", f"{where} returned nothing: is there a return on every path?")
    return _numbers(result, where)


def _held_blank(error):
    """Whether the answer stopped at a ... or with one among its names."""
    trace, names = error.__traceback__, []
    while trace:
        if trace.tb_frame.f_code.co_filename != __file__ and not _is_ours(trace.tb_frame):
            names += trace.tb_frame.f_locals.values()
        trace = trace.tb_next
    return "ellipsis" in _name_error(error).lower() or any(name is ... or _holds_blank(name) for name in names)


def _is_ours(frame):
    """Whether a frame belongs to a module that was installed or imported, and not to the answer."""
    return frame.f_globals.get("__name__", "").partition(".")[0] in {"helpers", "numpy"}


def _numbers(result, where):
    if isinstance(result, Attention):
        raise _Stop("wrong", f"{where} is output, weights and scores in one; the answer is its .output.")
    if result is None or result is ... or _holds_blank(result):
        raise _Stop("blank", BLANK if _is_blank(result) else BEGUN)
    if hasattr(result, "__next__"):
        raise _Stop("wrong", f"{where} is a generator or a map; numbers in a list or an array are needed.")
    refusal = f"{where} must be numbers in a rectangular array, got {type(result).__name__}."
    try:
        array = np.array(result)  # a copy: an answer may write its next result into the same array
    except Exception:
        raise _Stop("wrong", refusal) from None
    if array.dtype.kind in "fiub":
        return array
    if array.dtype.kind == "O" and any(part is ... for part in array.flat):
        raise _Stop("blank", BEGUN)
    if array.dtype.kind != "O" or any(isinstance(part, (str, bytes)) for part in array.flat):
        kind = {"U": "str", "S": "bytes", "O": "str"}.get(array.dtype.kind, array.dtype.name)
        raise _Stop("wrong", f"{where} must be real numbers, got {kind}.")
    try:
        return array.astype(float)  # fractions, for instance
    except Exception:
        raise _Stop("wrong", refusal) from None


def _is_blank(result):
    """Nothing but blanks, however deep."""
    if isinstance(result, (list, tuple)):
        return all(map(_is_blank, result))
    return result is ... or result is None


def _holds_blank(result):
    return isinstance(result, (list, tuple)) and any(
        part is ... or part is None or _holds_blank(part) for part in result
    )


def _same(got, want, tolerance):
    if got.shape != want.shape:
        return False
    if got.dtype == np.float16:
        tolerance = max(tolerance, 2e-3)
    got, want = got.astype(float), want.astype(float)
    return bool(np.allclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True))


def _known_mistake(exercise, results, failing):
    """The first mistake that gives all of the answer's results; if there is none, the one that explains most of them."""
    explained = [_explained_by(mistake, exercise, results) for mistake in exercise.mistakes]
    for mistake, places in zip(exercise.mistakes, explained, strict=True):
        if len(places) == len(results):
            return mistake.sentence
    # Two mistakes at once, or one in some cases only. One case, or a few Booleans, would accuse the innocent.
    finite = [k for k in failing if np.isfinite(results[k].astype(float)).all()]
    shares = [[k for k in finite if k in places] for places in explained]
    best = max(range(len(shares)), key=lambda m: len(shares[m]), default=None)
    if best is None or not finite or finite[0] not in shares[best] or 2 * len(shares[best]) <= len(finite):
        return None
    enough = len(shares[best]) > 1 and all(results[k].size >= EVIDENCE for k in shares[best])
    return exercise.mistakes[best].sentence if enough else None


def _explained_by(mistake, exercise, results):
    """In which cases the mistake gives the answer's own result."""
    places = []
    for k, result in enumerate(results):
        try:
            wrong = _outcome(exercise, mistake.wrong, exercise.cases[k])
        except Exception:
            continue  # this mistake cannot be made here
        if _same(result, wrong, exercise.tolerance):
            places.append(k)
    return places


def _differs(exercise, got, want, arguments):
    where = exercise.name if exercise.by_hand else f"{exercise.name}{_words(arguments)}"
    if want is REFUSED:
        return f"{where} must stop with a ValueError, yours gives {_short(got)}."
    if got.shape != want.shape:
        one = "; one number, or one True or False, is asked for: .all() makes one of many" if want.shape == () else ""
        return f"{where} must have shape {want.shape}, got {got.shape}{one}."
    got, want = got.astype(float), want.astype(float)
    if not np.isfinite(got).all():
        return f"{where} holds NaN or infinity, where {_short(want)} is right."
    gap = np.abs(got - want).max()
    if gap < CLOSE:
        return f"{where} is close, but off by up to {gap:.1g}: was something rounded, or added, on the way?"
    found = exercise.explain(got, want, *arguments)
    whole = found or f"{where} gives {_short(got)}, where {_short(want)} is right."
    if found or (want.size <= 12 and len(" ".join(whole.split())) <= LONGEST):
        return whole
    place = tuple(int(i) for i in np.argwhere(np.abs(got - want) >= CLOSE)[0])
    return f"{where} has {got[place]:.3f} at {list(place)}, counted from 0, where {want[place]:.3f} is right."


def _copies(arguments):
    return copy.deepcopy(arguments)


def _changed(now, before):
    return isinstance(before, np.ndarray) and not np.array_equal(now, before)


def _words(arguments):
    """The arguments of a call; many numbers give way to their shapes, so that the message has room for the mistake."""
    words = [_short(argument) for argument in arguments]
    if sum(map(len, words)) > LONGEST / 2:
        words = [f"array {x.shape}" if isinstance(x, np.ndarray) else _short(x) for x in arguments]
    return "(" + ", ".join(words) + ")"


def _short(value):
    if callable(value):
        return getattr(value, "__name__", "a function").strip("_")
    if isinstance(value, dict):
        return "{…}"
    if not isinstance(value, np.ndarray):
        return str(value)
    if value.size > 12:
        return f"an array of shape {value.shape}"
    return np.array2string(value, precision=3, separator=", ", suppress_small=True)


def _text(thing):
    try:
        return str(thing)
    except BaseException:  # something that cannot even say what it is
        return ""


def _name_error(error):
    text = _text(error)
    text = text.rstrip(" .") if len(text) <= 120 else text[:119] + "…"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _error_hint(text):
    if "AxisError" in text:
        return "axis=-1 is the last axis, however many there are."
    if "bitwise_xor" in text or "for ^" in text:
        return "To the power of is **, not ^."
    if "'function' and" in text or "and 'function'" in text:
        return "One of the arguments is a function: call it, as in learning_rate(step)."
    if "could not be broadcast" in text:
        return "Does a sum or a maximum need keepdims=True?"
    if "mismatch in its core dimension" in text or "not aligned" in text:
        return "Is one of the matrices to be transposed?"
    return ""


def _one_line(text):
    text = " ".join(re.sub(r" at 0x[0-9a-fA-F]+", "", text).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
