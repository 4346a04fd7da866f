"""Run what a learner wrote under a watch: its lines are counted, its output is cut, its calls are seen."""

import contextlib
import ctypes
import dis
import gc
import io
import math
import os
import sys
import threading
import time

import numpy as np

LINES = 200_000  # that one answer may run, all cases together
SECONDS = 1.5  # of computing, all cases together
PATIENCE = 0.1  # seconds between two looks at an answer whose lines are not counted, as in `while True: pass`
WAITING = 10  # seconds in which nothing is computed, as in time.sleep
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

    def look(self):
        """Stop what runs if it is late; whether it was. What catches everything must be stopped again, and soon."""
        with self.turn:
            watch = self.watch
            late = watch is not None and (watch.is_late(PATIENCE) or watch.waits())
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
    sum(itertools.count()), hears neither of them: only a restart of the kernel ends it.
    """
    over, guard = threading.Event(), _HERE.guard

    def look():
        late = False
        while not over.wait(GLANCE if late else PATIENCE):
            late = guard.look()

    try:
        with contextlib.suppress(RuntimeError):  # where no thread can be started, lines are counted all the same
            threading.Thread(target=look, daemon=True).start()
        yield
    finally:
        over.set()


class Watch:
    """Runs functions of the learner, and remembers what they did.

    forbidden : functions of the course that are not to be called, those that the exercise asks for
    show : where the beginning of the output goes, or None
    """

    def __init__(self, forbidden=(), show=None, lines=LINES, seconds=None):
        seconds = SECONDS if seconds is None else seconds
        self.forbidden = {function.__code__: function for function in forbidden}
        self.output, self.called = _Output(show), None
        self.left, self.lines = lines, lines
        self.rest, self.end = seconds, math.inf  # seconds of computing that are left; until when, while something runs
        self.waited, self.begun, self.why = 0.0, 0.0, f"running after {seconds:g} seconds. {ENDS}"
        self.next_look, self.guard = 0.0, _HERE.guard

    def run(self, function, arguments):
        """Call the function. A debugger that is at work keeps its place, and nothing is counted then.

        Only what runs here counts, and not what Python does between two calls, such as looking for garbage.
        """
        before = sys.gettrace()
        self.begun, self.end = _idle(), time.process_time() + self.rest
        with contextlib.redirect_stdout(self.output), contextlib.redirect_stderr(self.output), _nothing_collected():
            if before is None:
                sys.settrace(self._enter)
            self.guard.watch = self
            try:
                return function(*arguments)
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
                self.waited += _idle() - self.begun
                self.rest = self.end - time.process_time()

    def _enter(self, frame, event, argument):
        if frame.f_code in self.forbidden:
            self.called = self.forbidden[frame.f_code]
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
        return time.process_time() > self.end + patience

    def waits(self):
        """Whether what was run has waited too long in all for something, such as a lock or a clock."""
        if self.waited + _idle() - self.begun < WAITING:
            return False
        self.why = f"waiting after {WAITING:g} seconds: leave out what it waits for, such as time.sleep."
        return True


def _idle():
    """Seconds on the clock in which nothing was computed, from some time on."""
    return time.perf_counter() - time.process_time()


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
