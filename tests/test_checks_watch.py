"""Answers that never end, fill the memory, call for help or leave early: each is told so, in time."""

import builtins
import contextlib
import cProfile
import functools
import gc
import io
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from IPython.core.autocall import ExitAutocall
from IPython.core.error import StdinNotImplementedError

from helpers import attention
from helpers.checks import EXERCISES, check
from tests.answers import printed
from tests.submissions import function
from workbench.judging import run

SOFTMAX = """    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
"""


def written(name, lines, arguments="scores"):
    return function(name, f"def {name}({arguments}):\n{lines}\n")


def judged(name, lines, arguments="scores"):
    return EXERCISES[name](written(name, lines, arguments))


def in_time(name, lines, arguments="scores"):
    start = time.process_time()
    feedback = judged(name, lines, arguments)
    assert time.process_time() - start < 2.5
    assert feedback.status == "wrong"
    return feedback.message


def test_an_answer_that_calls_itself_within_try_is_answered_in_time():
    lines = (
        "    for i in range(3):\n        try:\n            return softmax(scores)\n        except {}:\n            pass"
    )
    assert "returns nothing" in in_time("softmax", lines.format("Exception"))
    assert "returns nothing" in in_time("softmax", lines.format("BaseException"))


def loops_in_one_line(*arguments):
    while True: pass  # fmt: skip  # noqa: E701


def loops_in_one_line_and_catches_all(*arguments):
    while True:
        try:
            while True: pass  # fmt: skip  # noqa: E701
        except:  # noqa: E722
            continue


def counts_for_ever(*arguments):
    return sum(k for k in itertools.count())


def prints_for_ever(*arguments):
    while True:
        print("round and round")


@pytest.mark.parametrize(
    "answer", [loops_in_one_line, loops_in_one_line_and_catches_all, counts_for_ever, prints_for_ever]
)
def test_endless_loop_ends_with_a_sentence(answer):
    start = time.process_time()
    told = printed("softmax", answer)
    assert time.process_time() - start < 2.5
    assert "still running after" in told and "\n✗ " in "\n" + told


def test_slow_answer_is_stopped_though_it_has_few_lines():
    def slow(scores):
        for _ in range(100):
            end = time.process_time() + 0.2
            while time.process_time() < end:
                np.sort(np.random.default_rng(0).normal(size=300_000))
        return scores

    start = time.process_time()
    assert "still running" in EXERCISES["softmax"](slow).message
    assert time.process_time() - start < 2.5


def test_answer_that_is_stopped_later_is_told_so_and_no_mistake_that_one_case_suggests():
    def later(scores):
        while scores.ndim > 1:
            pass
        return scores  # [0, 0, 1, 0], which are shares of 1

    assert "still running" in EXERCISES["softmax"](later).message


class NeedsRoom:
    """In a circle, so that only the garbage collector throws it away; says what then went wrong."""

    failed: ClassVar[list] = []

    def __init__(self):
        self.me = self

    def __del__(self):
        try:
            self.down(50)
        except RecursionError:
            self.failed.append("no room on the stack")

    def down(self, steps):
        return steps and self.down(steps - 1)


def calls_itself(scores):
    NeedsRoom()
    return calls_itself(scores)


def test_nothing_is_thrown_away_while_an_answer_calls_itself():
    before = gc.get_threshold()
    gc.set_threshold(20, 1, 1)
    try:
        assert "calls itself without end" in EXERCISES["softmax"](calls_itself).message
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert gc.isenabled() and NeedsRoom.failed == []


SIZES = []


def allocate(size):
    SIZES.append(size)
    raise MemoryError(f"Unable to allocate {size} numbers")


def fills_the_memory(scores):
    return allocate(74 * 10**9)


def test_answer_that_fills_the_memory_is_not_run_again():
    SIZES.clear()
    assert "stopped with MemoryError: Unable to allocate 74000000000" in EXERCISES["softmax"](fills_the_memory).message
    assert SIZES == [74 * 10**9]


def test_an_answer_that_stops_is_told_its_own_line(tmp_path):
    cell = tmp_path / "cell.py"
    cell.write_text(
        "import numpy as np\n\n\ndef of_rows(x):\n    return np.mean(x, axis=7)\n\n\ndef softmax(x):\n    return of_rows(x)\n"
    )
    space = {}
    exec(compile(cell.read_text(), str(cell), "exec"), space)
    message = EXERCISES["softmax"](space["softmax"]).message
    assert "stopped with AxisError" in message and message.endswith("That was in line 5.")
    assert "in line" not in EXERCISES["softmax"](functools.partial(np.mean, axis=7)).message


def test_interruption_gets_a_sentence_and_goes_on_to_stop_the_cells_that_wait():
    def interrupted(scores):
        raise KeyboardInterrupt

    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(KeyboardInterrupt):
        check("softmax", interrupted)
    assert out.getvalue().startswith("✗ softmax was interrupted while it ran") and out.getvalue().count("\n") == 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that sends a signal")
def test_interruption_stops_an_answer_whose_lines_are_not_counted(monkeypatch):
    monkeypatch.setattr(run, "SECONDS", 60)

    def answer(scores):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        loops_in_one_line()

    before = signal.signal(signal.SIGALRM, signal.default_int_handler)  # what ■ sends comes as the same error
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), pytest.raises(KeyboardInterrupt):
            check("softmax", answer)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert out.getvalue().startswith("✗ softmax was interrupted while it ran")


def test_answer_is_stopped_in_the_thread_in_which_it_runs():
    said = []
    thread = threading.Thread(target=lambda: said.append(EXERCISES["softmax"](loops_in_one_line)))
    thread.start()
    while thread.is_alive():
        thread.join(0.05)  # nothing may be raised here
    assert "still running after" in said[0].message


def test_check_leaves_a_debugger_in_its_place():
    seen = []

    def tracer(frame, event, argument):
        seen.append(frame.f_code.co_name)

    def answer(scores):
        return scores

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        EXERCISES["softmax"](answer)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    assert "answer" in seen
    EXERCISES["softmax"](answer)
    assert sys.gettrace() is before


@pytest.mark.parametrize(
    "lines",
    ["[0.0] * 10**7", "np.ones(2 * 10**7)", "np.broadcast_to(1.0, 2 * 10**8)", "range(2 * 10**8)", "[scores] * 10**6"],
)
def test_huge_result_is_refused_by_its_size_before_anything_else(lines):
    told = in_time("softmax", f"    return {lines}")
    assert told.startswith("softmax([0., 0., 1., 0.]) must have shape (4,), got (")


def test_huge_list_of_lists_is_no_endless_loop():
    assert "must have shape (3, 3), got (2000, 2000)" in in_time(
        "causal_mask", "    return [[True] * 2000] * 2000", "num_tokens"
    )
    doubled = "    rows = [0.0]\n    for _ in range(60):\n        rows = [rows, rows]\n    return rows"
    assert "must have shape (4,), got (2, 2, " in in_time("softmax", doubled)


SWALLOWS = """    while True:
        try:
            np.exp(scores)
        except {}:
            pass
"""


@pytest.mark.parametrize(
    "lines",
    [
        SWALLOWS.format("BaseException"),
        "    try:\n        return softmax(scores)\n    except RecursionError:\n        return softmax(scores)",
        "    return [0 for _ in iter(int, 1)]",
    ],
)
def test_what_was_stopped_is_told_how_long_it_ran(lines):
    assert " was stopped: it was still running after " in in_time("softmax", lines)
    assert "after ." not in judged("softmax", lines).message


def test_answer_that_waits_is_stopped_by_the_clock(monkeypatch):
    monkeypatch.setattr(run, "BY_THE_CLOCK", 0.4)  # times 1.5 seconds
    told = EXERCISES["softmax"](written("softmax", "    import time\n    while True:\n        time.sleep(0.01)"))
    assert "still at work or waiting after 0.6 seconds by the clock" in told.message


def pinned(core):
    os.sched_setaffinity(0, {core})


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs processes that can be kept on one core")
def test_words_are_the_same_on_a_core_shared_with_busy_processes(monkeypatch):
    monkeypatch.setattr(run, "SECONDS", 0.1)
    monkeypatch.setattr(run, "PATIENCE", 0.02)
    answers = [
        written("softmax", "    while True: pass"),
        written("softmax", "    powers = np.exp(scores)\n    return powers / len(powers)"),
        written("softmax", SOFTMAX),
    ]
    cores = os.sched_getaffinity(0)
    quiet = [EXERCISES["softmax"](answer) for answer in answers]
    keep = functools.partial(pinned, min(cores))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=keep) for _ in range(6)]
    try:
        keep()
        assert [EXERCISES["softmax"](answer) for answer in answers] == quiet
    finally:
        os.sched_setaffinity(0, cores)
        for process in busy:
            process.kill()
            process.wait()
    assert "still running after 0.1 seconds" in quiet[0].message and quiet[2].status == "right"


HARM = {
    "np.exp = np.tanh": "np.exp was replaced for all cells, and put back",
    "setattr(attention, 'softmax', len)": "attention.softmax was replaced for all cells, and put back",
    "import builtins; builtins.len = id": "len was replaced",
    "import builtins; del builtins.isinstance": "isinstance was replaced",
    "import os; os.fork()": "os.fork would make a second kernel",
    "import os; os._exit(0)": "SystemExit. Leave out exit()",
    "exit()": "SystemExit. Leave out exit()",
    "input()": "Leave out input()",
}


@pytest.mark.parametrize("line", HARM)
def test_harm_to_all_cells_is_undone_and_told(line, monkeypatch):
    def never(*_):
        raise AssertionError("the kernel ends")

    def unasked(prompt=""):
        raise StdinNotImplementedError("this frontend does not support input requests")

    shell = SimpleNamespace(ask_exit=never)
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    monkeypatch.setattr("builtins.input", unasked)
    before = [(vars(module), dict(vars(module))) for module in (np, builtins, attention)]
    answer = written("softmax", f"    {line}\n{SOFTMAX}")
    answer.__globals__["exit"] = ExitAutocall(shell)
    told = EXERCISES["softmax"](answer)
    assert told.status == "wrong" and HARM[line] in told.message
    assert all(now[name] is was for now, then in before for name, was in then.items()) and shell.ask_exit is never


def test_array_that_never_comes_is_stopped():
    text = "class Numbers:\n    def __array__(self, *_, **__):\n        while True: pass\ndef softmax(scores):\n    return Numbers()"
    assert "still running after" in EXERCISES["softmax"](function("softmax", text)).message
    assert "still running after 1.5 seconds" in in_time("softmax", "    return np.asarray(np.r_)")  # item after item


def test_import_within_an_answer_costs_none_of_its_lines():
    for name in [name for name in sys.modules if name.partition(".")[0] == "statistics"]:
        del sys.modules[name]
    lines = "    import statistics\n" + SOFTMAX
    watch = run.Watch(lines=20)
    watch.run(written("softmax", lines), (np.array([1.0, 2.0]),))
    assert watch.left > 10


def test_what_an_answer_writes_to_stderr_is_cut_too(monkeypatch):
    heard = io.StringIO()
    monkeypatch.setattr(sys, "stderr", heard)
    judged("softmax", "    import sys\n    for i in range(10**4):\n        sys.stderr.write('err\\n')\n" + SOFTMAX)
    assert len(heard.getvalue()) == 0


def test_output_without_ends_of_lines_is_counted_in_letters(capsys):
    lines = "    for i in range(900):\n        print(i, end=' ')\n" + SOFTMAX
    EXERCISES["softmax"](written("softmax", lines), sys.stdout)
    said = capsys.readouterr().out
    assert "0 lines" not in said and "letters, of which the beginning is shown" in said


def test_kernel_is_left_as_it_was():
    before = sys.getrecursionlimit(), np.get_printoptions(), np.random.default_rng(0).random()
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    lines = (
        "    import sys\n    sys.setrecursionlimit(5000)\n    np.random.seed(3)\n    np.set_printoptions(precision=1)\n"
    )
    assert judged("softmax", lines + SOFTMAX).status == "right"
    assert before == (sys.getrecursionlimit(), np.get_printoptions(), np.random.default_rng(0).random())
    assert np.array_equal(state, np.random.get_state()[1])  # noqa: NPY002


def test_an_answer_that_waits_is_not_asked_over_and_over():
    calls = []
    lines = "    import time\n    calls.append(time.sleep(0.05))\n    return np.exp(scores) / np.exp(scores).sum()"
    answer = written("softmax", lines)
    answer.__globals__["calls"] = calls
    assert EXERCISES["softmax"](answer).status == "wrong" and len(calls) < 160


def test_profiler_goes_on():
    profile = cProfile.Profile()
    answer = written("softmax", SOFTMAX)
    profile.enable()
    try:
        assert EXERCISES["softmax"](answer).status == "right"
    finally:
        profile.disable()


def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_only_what_runs_under_a_watch_counts_and_adds_up():
    under = run.Watch(lines=10**9, seconds=0.3)
    under.run(busy, (0.1,))
    busy(0.4)  # as Python's search for garbage may take between two calls
    under.run(busy, (0.1,))
    with pytest.raises(run.StillRunning):
        under.run(busy, (0.2,))
