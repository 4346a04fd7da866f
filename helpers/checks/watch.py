"""Run what a learner wrote under a watch: its lines are counted, its output is cut, its calls are seen."""

import contextlib
import ctypes
import dis
import gc
import io
import sys
import threading
import time

LINES = 200_000  # that one answer may run, all cases together
SECONDS = 1.5  # of computing, all cases together
PATIENCE = 0.1  # seconds between two looks at an answer whose lines are not counted, as in `while True: pass`
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
                self.to.write(f"… (your output goes on: {self.lines} lines, of which the beginning is shown)\n")


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
        self.seconds, self.end = seconds, time.process_time() + seconds
        self.inside, self.turn = False, threading.Lock()

    def run(self, function, arguments):
        """Call the function. A debugger that is at work keeps its place, and nothing is counted then."""
        before = sys.gettrace()
        with contextlib.redirect_stdout(self.output), _nothing_collected():
            if before is None:
                sys.settrace(self._enter)
            self.inside = True
            try:
                return function(*arguments)
            finally:
                try:
                    sys.settrace(before)
                finally:
                    self._leave()

    @contextlib.contextmanager
    def guarded(self):
        """Also stop a loop that Python counts no lines of: another thread looks at the clock meanwhile.

        It raises StillRunning within the function alone. An interruption (■) is not touched. A loop within a single call
        of C, as in sum(itertools.count()), hears neither of them: only a restart of the kernel ends it.
        """
        over, thread = threading.Event(), threading.get_ident()

        def look():
            while not over.wait(PATIENCE):
                with self.turn:
                    if self.inside and time.process_time() > self.end + PATIENCE:
                        ctypes.pythonapi.PyThreadState_SetAsyncExc(
                            ctypes.c_ulong(thread), ctypes.py_object(StillRunning)
                        )

        with contextlib.suppress(RuntimeError):  # where no thread can be started, lines are counted all the same
            threading.Thread(target=look, daemon=True).start()
        try:
            yield
        finally:
            over.set()

    def _leave(self):
        """From here on nothing is raised any more; what is on its way arrives in the loop, and is dropped."""
        try:
            with self.turn:
                self.inside = False
            for _ in range(10):
                pass
        except StillRunning:
            self.inside = False

    def _enter(self, frame, event, argument):
        if frame.f_code in self.forbidden and not is_ours(frame.f_back):
            self.called = self.forbidden[frame.f_code]
        return None if is_ours(frame) else self._line

    def _line(self, frame, event, argument):
        if event == "return":
            return self._line
        self.left -= 1
        if self.left < 0:
            raise StillRunning(f"{self.lines:,} lines")
        if time.process_time() > self.end:
            raise StillRunning(f"{self.seconds:g} seconds")
        return self._line


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
    """Whether a frame belongs to a module that was installed or imported, and not to the answer."""
    name = frame.f_globals.get("__name__", "")
    return name.partition(".")[0] in {"helpers", "numpy"} and name != __name__


def is_own(error):
    """Whether an error was raised by the answer itself, and not by a function that it called."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_code[trace.tb_lasti] == dis.opmap["RAISE_VARARGS"] and not is_ours(trace.tb_frame)
