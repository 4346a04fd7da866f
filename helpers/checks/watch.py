"""Run what a learner wrote under a watch: its lines are counted, its output is cut, its calls and what it replaces are seen."""

import builtins
import contextlib
import ctypes
import dis
import functools
import gc
import io
import math
import operator
import os
import sys
import threading
import time

import numpy as np

LINES = 200_000  # that one answer may run, all cases together
SECONDS = 1.5  # of computing in its own thread, all cases together
BY_THE_CLOCK = 100  # times as many seconds, however busy the machine is: the last guard, as for time.sleep
PATIENCE = 0.1  # seconds between two looks at an answer whose lines are not counted, as in `while True: pass`
LONG = 10  # seconds by the clock until a word on how to stop it
COMPUTED = getattr(time, "thread_time", time.process_time)  # in the browser one thread is all there is
GLANCE = 0.001  # seconds between two looks at the time of computing, which costs more than a line
LIBRARIES = ("<frozen ", os.path.dirname(os.__file__), os.path.dirname(os.path.dirname(np.__file__)))  # where they lie
ENDS = "Does every loop in it come to an end?"
SHOWN = 10  # lines of output that reach the page
LETTERS = 2_000


class StillRunning(BaseException):
    """The budget is used up; no `except Exception` of the answer stops it."""


class _Output(io.TextIOBase):
    """What the answer prints: its beginning goes on to `to`, the rest is counted."""

    def __init__(self, to=None):
        self.to, self.lines, self.letters, self.ended = to, 0, 0, True

    def write(self, text):
        rest = self.lines < SHOWN and text[: max(0, LETTERS - self.letters)]
        if self.to is not None and rest:
            kept = "".join(rest.splitlines(keepends=True)[: SHOWN - self.lines])
            self.to.write(kept)
            self.ended = kept.endswith("\n")
        self.lines += text.count("\n")
        self.letters += len(text)
        return len(text)

    def close(self):
        """Stay open: an answer that closes its output must not close that of the lesson."""

    def finish(self):
        """End the last line, and say what was cut off."""
        if self.to is not None and self.letters:
            self.to.write("" if self.ended else "\n")
            if self.lines > SHOWN or self.letters > LETTERS:
                length = f"{self.lines} lines" if self.lines > SHOWN else f"{self.letters} letters"
                self.to.write(f"… (your output goes on: {length}, of which the beginning is shown)\n")


class _Guard:
    """What one thread runs under a watch, for another thread to look at."""

    def __init__(self):
        self.watch, self.turn, self.thread = None, threading.Lock(), threading.get_ident()
        self.computed, self.commons = COMPUTED, []  # seconds so far in this thread

    def look(self):
        """Stop what runs if it is late; whether it was. What catches everything must be stopped again, and soon."""
        with self.turn:
            watch = self.watch
            late = watch is not None and watch.is_late(PATIENCE)
            if watch is not None:
                watch.say_how_to_stop()
            if late:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread), ctypes.py_object(StillRunning))
            return late

    def wait(self):
        """Until the other thread has looked; what is on its way arrives in the loop."""
        with self.turn:
            pass
        for _ in range(10):
            pass


class _Here(threading.local):
    def __init__(self):
        self.guard = _Guard()


_HERE = _Here()


@contextlib.contextmanager
def guarded():
    """Also stop a loop that Python counts no lines of, in whatever a watch runs here: another thread looks at the clock.

    It raises StillRunning within the function alone, whose watch knows why. An interruption (■) is not touched. A single
    wait, as in time.sleep(60), hears of it when it is over, and ■ ends it at once; a loop within a single call of C, as in
    sum(itertools.count()), hears neither of them: only a restart of the kernel ends it. What an answer replaces in the
    modules that all share is put back; the ways out of the process are shut.
    """
    over, guard = threading.Event(), _HERE.guard
    guard.commons, guard.computed = [_Common(module) for module in _shared()], time.process_time
    with contextlib.suppress(AttributeError, OSError):  # not every Python can tell it of another thread
        guard.computed = functools.partial(time.clock_gettime, time.pthread_getcpuclockid(guard.thread))

    def look():
        late = False
        while not over.wait(GLANCE if late else PATIENCE):
            late = guard.look()

    try:
        with contextlib.suppress(RuntimeError):  # where no thread can be started, lines are counted all the same
            threading.Thread(target=look, daemon=True).start()
        with _shut():
            yield
    finally:
        over.set()
        guard.commons, guard.computed = [], COMPUTED


def _shared():
    """Modules whose functions the course, and every other cell, goes on with."""
    ours = [module for name, module in sys.modules.items() if name.startswith("helpers.") and name.count(".") == 1]
    return [builtins, math, np, np.linalg, *ours]


class _Common:
    """The functions of a module as they were."""

    def __init__(self, module):
        self.module, self.now = module, vars(module)
        self.names = [name for name, value in self.now.items() if callable(value)]
        self.fetch = operator.itemgetter(*self.names, "__name__")
        self.were = self.fetch(self.now)

    def put_back(self):
        """The names that were replaced or deleted meanwhile, as they are written."""
        with contextlib.suppress(KeyError):
            if self.fetch(self.now) == self.were:
                return []
        lost = {name: was for name, was in zip(self.names, self.were) if self.now.get(name) is not was}
        self.now |= lost
        owner = {"builtins": "", "numpy": "np."}.get(
            self.module.__name__, f"{self.module.__name__.rpartition('.')[2]}."
        )
        return [owner + name for name in lost]


@contextlib.contextmanager
def _shut():
    """Let exit() as IPython takes it, os._exit, os.abort and os.fork be errors of the answer, and not the end of the kernel."""

    def refusal(error):
        def refuse(*_):
            raise error

        return refuse

    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    doors = [(os, "_exit", SystemExit()), (os, "abort", SystemExit()), (shell, "ask_exit", SystemExit())]
    doors.append((os, "fork", RuntimeError("os.fork would make a second kernel")))
    with contextlib.ExitStack() as stack:
        for owner, name, error in doors:
            if hasattr(owner, name):
                stack.callback(setattr, owner, name, getattr(owner, name))
                setattr(owner, name, refusal(error))
        yield


class Watch:
    """Runs functions of the learner, and remembers what they did.

    forbidden : functions of the course that are not to be called, those that the exercise asks for
    show : where the beginning of the output goes, or None
    """

    def __init__(self, forbidden=(), show=None, lines=LINES, seconds=None):
        seconds = SECONDS if seconds is None else seconds
        self.forbidden = {
            id(function.__code__): function for function in forbidden
        }  # the same lines may be the learner's own
        self.output, self.called = _Output(show), None
        self.left, self.lines = lines, lines
        self.rest, self.end = seconds, math.inf  # seconds of computing that are left; until when, while something runs
        self.clock, self.close = BY_THE_CLOCK * seconds, math.inf  # the same by the clock
        self.seconds, self.said, self.why = seconds, show is None, ""
        self.next_look, self.guard = 0.0, _HERE.guard

    def run(self, function, arguments):
        """Call the function. A debugger that is at work keeps its place, and nothing is counted then.

        Only what runs here counts, and not what Python does between two calls, such as looking for garbage.
        """
        before = sys.gettrace()
        self.end, self.close = self.guard.computed() + self.rest, time.perf_counter() + self.clock
        with contextlib.redirect_stdout(self.output), contextlib.redirect_stderr(self.output), _nothing_collected():
            if before is None:
                sys.settrace(self._enter)
            self.guard.watch = self
            try:
                result = function(*arguments)
                own = hasattr(type(result), "__array__") and not isinstance(result, (np.ndarray, np.generic))
                return result.__array__() if own else result
            finally:
                self.guard.watch = None  # from here on nothing more is sent; one may be on its way, and one be sent now
                try:
                    sys.settrace(before)
                    self.guard.wait()
                except StillRunning:
                    try:
                        sys.settrace(before)
                        self.guard.wait()
                    except StillRunning:
                        pass
                self.rest, self.clock = self.end - self.guard.computed(), self.close - time.perf_counter()
                if replaced := [name for common in self.guard.commons for name in common.put_back()]:
                    raise RuntimeError(
                        f"{replaced[0]} was replaced for all cells, and put back: use another name"
                    ) from None

    def _enter(self, frame, event, argument):
        if id(frame.f_code) in self.forbidden:
            self.called = self.forbidden[id(frame.f_code)]
        if is_ours(frame):
            return self._look()  # NumPy may never stop asking, as np.asarray(np.r_) does
        return self._line

    def _line(self, frame, event, argument):
        if event == "return":
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
        if self.guard.computed() > self.end + patience:
            self.why = f"running after {self.seconds:g} seconds. {ENDS}"
        elif time.perf_counter() > self.close:
            clock = f"{BY_THE_CLOCK * self.seconds:g} seconds by the clock"
            self.why = f"at work or waiting after {clock}: leave out what it may wait for, such as time.sleep."
        else:
            return False
        return True

    def say_how_to_stop(self):
        if not self.said and self.close - time.perf_counter() < BY_THE_CLOCK * self.seconds - LONG:
            self.said = True
            self.output.to.write("… this takes long: ■ stops it, and where it does not, Kernel > Restart Kernel.\n")


@contextlib.contextmanager
def _nothing_collected():
    """Put off what Python does for things thrown away elsewhere: where an answer calls itself, the stack has no room for it."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def is_ours(frame):
    """Whether a frame belongs to the course or to a library, and not to the answer."""
    return _is_of_a_library(frame.f_code.co_filename) or _is_of_the_course(frame)


def _is_of_the_course(frame):
    name = frame.f_globals.get("__name__", "")
    return name.partition(".")[0] == "helpers" and name != __name__


def _is_of_a_library(file):
    return file.startswith(LIBRARIES)


def is_own(error):
    """Whether an error was raised by the answer itself, and not by a function that it called."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_code[trace.tb_lasti] == dis.opmap["RAISE_VARARGS"] and not is_ours(trace.tb_frame)
