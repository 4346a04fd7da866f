"""Run what a learner wrote within a budget of lines and of time, its output cut short, and read what it gives as numbers."""

import builtins
import contextlib
import ctypes
import dis
import functools
import gc
import inspect
import io
import math
import operator
import os
import re
import sys
import threading
import time
import warnings
from typing import NamedTuple

import numpy as np

LINES, SECONDS = 200_000, 1.5  # that one answer may run and compute, all cases together
BY_THE_CLOCK = 100  # times as many seconds, however busy the machine is: for what waits and computes nothing
LONGEST = 250  # letters in a message
OURS = {"workbench"}  # packages whose functions are no lines of an answer; a course adds its own
LARGEST = 100_000  # numbers in a result; one with more has a wrong shape, and is not looked into
SHOWN, LETTERS = 10, 2_000  # of output that reach the page: lines, and letters in all
PATIENCE, GLANCE = 0.1, 0.001  # seconds between two looks at the time: from outside, and between two lines
LIBRARIES = ("<frozen ", os.path.dirname(os.__file__), os.path.dirname(os.path.dirname(np.__file__)))
ENDS = "Does every loop in it come to an end?"
BLANK = "Not attempted yet: replace the ... with your own lines."
BEGUN = "Not finished yet: there is still a ... (or a None) among the numbers."
NOT_IMPLEMENTED = "Not finished yet: there is still a raise NotImplementedError."


class StillRunning(BaseException):
    """The budget is used up; no `except Exception` of the answer stops it."""


class Stop(Exception):
    """Carries a message and a status out of the middle of a judgement."""

    def __init__(self, message, status="wrong"):
        super().__init__(message, status)


class Output(io.StringIO):
    """What an answer prints: the beginning is kept, the rest is counted."""

    lines = letters = 0

    def write(self, text):
        super().write(text[: max(0, LETTERS - self.letters)])
        self.lines, self.letters = self.lines + text.count("\n"), self.letters + len(text)
        return len(text)

    def close(self):
        """Stay open: an answer that closes its output must not close that of the page."""

    def show(self, file):
        """Hand on the beginning, and say what was cut off."""
        kept = "".join(self.getvalue().splitlines(keepends=True)[:SHOWN])
        file.write(kept if kept.endswith("\n") or not kept else f"{kept}\n")
        if self.lines > SHOWN or self.letters > LETTERS:
            length = f"{self.lines} lines" if self.lines > SHOWN else f"{self.letters} letters"
            file.write(f"… (your output goes on: {length}, of which the beginning is shown)\n")


class _Guard(threading.local):
    """What runs under a watch in this thread, for another thread to look at."""

    def __init__(self):
        self.watch, self.turn = None, threading.Lock()


_GUARD = _Guard()


@contextlib.contextmanager
def guarded():
    """Also stop a loop whose lines Python does not count: another thread looks at the time, and raises StillRunning here.

    A single call of C, such as sum(itertools.count()) or time.sleep(60), hears of it only when it is over. The ways out of
    the process are shut meanwhile, no warning is shown, and NumPy's random numbers and way of printing stay as they were.
    """
    drawn, printed = np.random.get_state(), np.get_printoptions()  # noqa: NPY002
    over, own, thread = threading.Event(), vars(_GUARD), ctypes.c_ulong(threading.get_ident())

    def look():
        late = False
        while not over.wait(GLANCE if late else PATIENCE):  # what catches everything must be stopped again, and soon
            with own["turn"]:
                late = own["watch"] is not None and own["watch"].is_late(PATIENCE)
                if late:
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(StillRunning))

    with contextlib.suppress(RuntimeError):  # where no thread can be started, lines are counted all the same
        threading.Thread(target=look, daemon=True).start()
    try:
        with _shut(), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            yield
    finally:
        over.set()
        np.random.set_state(drawn)  # noqa: NPY002
        np.set_printoptions(**printed)


@contextlib.contextmanager
def _shut():
    """Let exit() as IPython takes it, os._exit, os.abort and os.fork be errors of the answer, and not the end of the kernel."""

    def refuse(name, *_):
        raise RuntimeError("os.fork would make a second kernel") if name == "fork" else SystemExit

    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    with contextlib.ExitStack() as stack:
        for owner, name in ((os, "_exit"), (os, "abort"), (os, "fork"), (shell, "ask_exit")):
            if hasattr(owner, name):
                stack.callback(setattr, owner, name, getattr(owner, name))
                setattr(owner, name, functools.partial(refuse, name))
        yield


def shared():
    """The modules that all cells go on with, and their functions as they are now."""
    ours = [module for name, module in sys.modules.items() if name.partition(".")[0] in OURS and name.count(".") == 1]
    modules = (builtins, math, np, np.linalg, *ours)
    return [(each, {name: own for name, own in vars(each).items() if callable(own)}) for each in modules]


def _put_back(modules):
    """The names that were replaced in shared modules, which are put back."""
    replaced = []
    for module, were in modules:
        now = vars(module)
        if all(map(operator.is_, map(now.get, were), were.values())):  # as after nearly every call
            continue
        names = [name for name, was in were.items() if now.get(name) is not was]
        now.update({name: were[name] for name in names})
        owner = {"builtins": "", "numpy": "np."}.get(module.__name__, f"{module.__name__.rpartition('.')[2]}.")
        replaced += [owner + name for name in names]
    return replaced


_OURS = {}  # file: whether its functions belong to the course or to a library


class Watch:
    """Calls functions of the learner, all within one budget.

    forbidden : functions of the course that are not to be called; `called` is the last one that was
    left, calls : how many lines may still run; how many functions in Python were called, those of the course and of NumPy, too
    names : dict of the names of the function that returned last
    modules : what shared() gives, to be put back where a function replaces some of it
    """

    def __init__(self, forbidden=(), lines=LINES, seconds=None, modules=()):
        self.forbidden, self.called = {id(inspect.unwrap(each).__code__): each for each in forbidden}, None
        self.output, self.lines, self.left, self.calls, self.names = Output(), lines, lines, 0, {}
        self.seconds = SECONDS if seconds is None else seconds
        self.rest, self.end, self.next_look, self.why = self.seconds, 0.0, 0.0, ""
        self.clock, self.close, self.modules = BY_THE_CLOCK * self.seconds, 0.0, modules

    def run(self, function, arguments):
        """Call the function. A debugger that is at work keeps its place, and no lines are counted then."""
        tracing, depth, collects = sys.gettrace(), sys.getrecursionlimit(), gc.isenabled()
        self.end, self.close = time.process_time() + self.rest, time.perf_counter() + self.clock
        gc.disable()  # where an answer calls itself, the stack has no room for what Python throws away
        try:
            with contextlib.redirect_stdout(self.output), contextlib.redirect_stderr(self.output):
                if tracing is None:
                    sys.settrace(self._enter)
                _GUARD.watch = self
                try:
                    result = function(*arguments)
                    own = hasattr(type(result), "__array__") and not isinstance(result, (np.ndarray, np.generic))
                    return result.__array__() if own else result
                finally:
                    _GUARD.watch = None  # from here on nothing more is sent; one may be on its way, and one be sent now
                    for _ in range(2):
                        try:
                            sys.settrace(tracing)
                            with _GUARD.turn:
                                pass
                            for _ in range(10):
                                pass
                        except StillRunning:
                            pass
        finally:
            self.rest, self.clock = self.end - time.process_time(), self.close - time.perf_counter()
            sys.setrecursionlimit(depth)
            if collects:
                gc.enable()
            if replaced := _put_back(self.modules):
                told = f"{replaced[0]} was replaced for all cells, and put back: use another name"
                raise RuntimeError(told) from None

    def _enter(self, frame, event, argument):
        self.calls += 1
        self.called = self.forbidden.get(id(frame.f_code), self.called)
        file = frame.f_code.co_filename
        if file not in _OURS:
            _OURS[file] = is_ours(frame)
        if not _OURS[file]:
            return self._line
        return None if self.calls % 32 else self._look()  # what NumPy may never stop asking, as np.asarray(np.r_) does

    def _line(self, frame, event, argument):
        if event == "return":
            self.names = dict(frame.f_locals)
            return self._line
        self.left -= 1
        if self.left < 0:
            self.why = f"running after {self.lines:,} lines. {ENDS}"
            raise StillRunning
        self._look()
        return self._line

    def _look(self):
        if (now := time.perf_counter()) > self.next_look:
            self.next_look = now + GLANCE
            if self.is_late():
                raise StillRunning

    def is_late(self, patience=0):
        """Whether the time is used up: of computing, or else by the clock."""
        if time.process_time() > self.end + patience:
            self.why = f"running after {self.seconds:g} seconds. {ENDS}"
        elif time.perf_counter() > self.close:
            clock = f"{BY_THE_CLOCK * self.seconds:g} seconds by the clock"
            self.why = f"at work or waiting after {clock}: leave out what it may wait for, such as time.sleep."
        else:
            return False
        return True


def line_of_the_answer():
    """The line of the learner's that is being run under a watch in this thread, or None."""
    frame = sys._getframe(1) if _GUARD.watch else None
    while frame and is_ours(frame):
        frame = frame.f_back
    return frame and frame.f_lineno


def is_ours(frame):
    """Whether a frame belongs to the course or to a library, and not to the answer."""
    of_the_course = frame.f_globals.get("__name__", "").partition(".")[0] in OURS
    return frame.f_code.co_filename.startswith(LIBRARIES) or of_the_course


def is_own(error):
    """Whether an error was raised by the answer itself, and not by a function that it called."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_code[trace.tb_lasti] == dis.opmap["RAISE_VARARGS"] and not is_ours(trace.tb_frame)


# --- what came of it -------------------------------------------------------------------------------------------------


def begun(answer):
    """Whether there is more in a function than a ..., a None or a NotImplementedError in the place of its lines."""
    code = getattr(inspect.unwrap(answer) if callable(answer) else answer, "__code__", None)
    if code is None:
        return callable(answer)  # an object, or a part of a function: somebody made it
    uses = ("LOAD_FAST", "STORE_FAST", "LOAD_DEREF", "STORE_DEREF")
    named = {*code.co_names} - {"NotImplementedError", "NotImplemented"}
    return bool(named) or any(step.opname.startswith(uses) for step in dis.get_instructions(code))


def held_blank(error):
    """Whether an answer stopped with a ... among its names."""
    trace, names = error.__traceback__, []
    while trace:
        names += [] if is_ours(trace.tb_frame) else trace.tb_frame.f_locals.values()
        trace = trace.tb_next
    return any(holds(name, ...) for name in names)


def holds(result, blank):
    """Whether a result is a blank, or has one among its parts."""
    return result is blank or any(part is not result and holds(part, blank) for part in _parts(result))


def _is_blank(result):
    """Whether a result is nothing but blanks, however deep."""
    return all(map(_is_blank, result)) if isinstance(result, (list, tuple)) else result is ... or result is None


def _parts(result):
    if isinstance(result, np.ndarray) and result.dtype.kind == "O":
        return list(result.flat)
    return result if isinstance(result, (list, tuple)) else ()


class TooLarge(Stop):
    """A result has more numbers than any right one."""


def numbers(result, where, attempted=True):
    """A result as an array, or Stop; `attempted` : whether somebody computed with names for it."""
    shape, part = (), result
    while isinstance(part, (list, tuple)) and part and len(shape) < 20:
        shape, part = (*shape, len(part)), part[0]
    shape += np.shape(part) if isinstance(part, np.ndarray) else (len(part),) if isinstance(part, range) else ()
    if math.prod(shape) > LARGEST:
        raise TooLarge(shape[:12])
    name = type(result).__name__
    if isinstance(result, BaseException):
        raise Stop(f"{where} returns a {name} as if it were a result: raise {name}(...) stops, return hands it over.")
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        *most, last = result._fields
        raise Stop(f"{where} is {', '.join(most)} and {last} in one; the answer is its .{most[0]}.")
    if holds(result, ...) or (holds(result, None) and not attempted):
        raise Stop(BLANK if _is_blank(result) and not attempted else BEGUN, "blank")
    if holds(result, None):
        raise Stop(f"{where} holds None where a number is needed: list.append, for instance, gives back nothing.")
    if hasattr(result, "__next__"):
        raise Stop(f"{where} is a generator or a map; numbers in a list or an array are needed.")
    try:
        array = np.array(result)  # a copy: an answer may write its next result into the same array
        if array.dtype.kind == "O":
            array = array.astype(float) if not any(isinstance(each, str) for each in array.flat) else array.astype(str)
    except Exception:
        raise Stop(f"{where} must be numbers in a rectangular array, got {name}.") from None
    if array.dtype.kind not in "fiub":
        kind = {"U": "str", "S": "bytes"}.get(array.dtype.kind, array.dtype.name)
        raise Stop(f"{where} must be real numbers, got {kind}.")
    return array


# --- in words --------------------------------------------------------------------------------------------------------

PYTORCH = """unsqueeze x[..., None]; masked_fill np.where(mask, …, …); view x.reshape(…); permute np.swapaxes(x, -2, -3); \
matmul x @ y; cat np.concatenate; pow **; exp np.exp(x); sqrt np.sqrt(x)""".split("; ")
NO_METHOD = "'numpy.ndarray' object has no attribute '{}'"
HINTS = {  # pattern in an error -> what to do about it
    **{
        NO_METHOD.format(theirs): f"That is PyTorch's; in NumPy it is {ours}."
        for theirs, _, ours in (each.partition(" ") for each in PYTORCH)
    },
    "No module named 'torch'": "PyTorch is not installed here: python -m pip install torch, or write it with NumPy.",
    "same dtype|expected scalar type": "One side has 64-bit floats, as NumPy's are, the other 32, as torch makes them: .double() behind what torch made.",
    "Tuple must have size 2": "view with a shape is PyTorch's; in NumPy it is x.reshape(…).",
    "name 'torch'|name 'F'": "This course computes with NumPy: write np.… in the place of PyTorch's functions.",
    "AxisError": "axis=-1 is the last axis, however many there are.",
    "bitwise_xor|for \\^": "To the power of is **, not ^.",
    "(0-dimensional|size-1|length-1) arrays can be converted": "math.exp and its like take one number; np.exp takes an array.",
    "RecursionError": "It calls itself without end.",
    "SystemExit": "Leave out exit(): it would end the whole notebook.",
    "StdinNotImplementedError|EOFError": "Leave out input(): what an answer needs comes as its arguments.",
}


def error_hint(text):
    """What to do about an error that has nothing to do with the exercise, or ""."""
    return next((words for pattern, words in HINTS.items() if re.search(pattern, text)), "")


def text_of(thing):
    try:
        return str(thing)
    except BaseException:  # something that cannot even say what it is
        return ""


def name_error(error, room=120):
    """An error and its text, in at most so many letters."""
    text = text_of(error).rstrip(" .")
    name = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return name if len(name) <= room else f"{name[: room - 1]}…"


def short(value):
    """A value in a few letters."""
    if callable(value):
        return getattr(value, "__name__", "a function").strip("_")
    if isinstance(value, dict):
        return "{…}"
    if not isinstance(value, np.ndarray):
        return str(value)
    if value.size > 12:
        return f"array {value.shape}"
    return np.array2string(value, precision=3, separator=", ", suppress_small=True)


def words(arguments, most=90):
    """The arguments of a call; many numbers give way to their shapes, so that there is room for the mistake."""
    told = [short(argument) for argument in arguments]
    if sum(map(len, told)) > most:
        told = [_by_shape(argument) for argument in arguments]
    return f"({', '.join(told)})"


class Call(NamedTuple):
    """A function and what it was given, which become words only where something is said of them."""

    name: str
    arguments: tuple
    most: int = 90

    def __str__(self):
        return f"{self.name}{words(self.arguments, self.most)}"


def _by_shape(argument):
    """An argument in few letters: an array by its shape, a list of arrays or of pairs by how many there are."""
    if isinstance(argument, np.ndarray):
        return f"array {argument.shape}"
    if isinstance(argument, (list, tuple)) and len(short(argument)) > 40:
        return f"{len(argument)} arrays" if isinstance(argument[0], np.ndarray) else f"list of {len(argument)}"
    return short(argument)
