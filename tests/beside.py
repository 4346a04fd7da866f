"""Browser tests beside all others, in processes of their own: a browser mostly waits, and meanwhile the rest computes.

tests/conftest.py registers `Beside`. Where a run holds browser tests and others, it hands the browser tests over by
their names and shows their reports as if they had run here: pytest's own summary and closing line count them all.
Nobody needs to call `python -m tests.beside`: `Beside` does.
"""

import ast
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

WAITING = "tests/browser"  # the folder whose tests run in other processes
PROCESSES = 2  # of them: each waits for half of its time
OPENED = ("lesson", "screen")  # what is opened once for many tests, which then stay in one process
NEEDS_THE_TERMINAL = ("usepdb", "trace", "setupshow", "setuponly", "setupplan", "collectonly", "numprocesses")
SECONDS_TO_STOP = 30
ITS_OWN_GROUP = {  # Ctrl-C comes to it once, through us
    "nt": {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)},
    "posix": {"start_new_session": True},
}[os.name]


class Beside:
    """The plugin of the first process."""

    def __init__(self, config):
        self.config, self.others = config, []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session):
        folder, option = self.config.rootpath / WAITING, self.config.option
        handed = [item for item in session.items if item.path.is_relative_to(folder)]
        alone = option.capture == "no" or any(getattr(option, name, False) for name in NEEDS_THE_TERMINAL)
        if alone or not handed or len(handed) == len(session.items):
            return (yield)
        session.items = [item for item in session.items if not item.path.is_relative_to(folder)]
        with contextlib.ExitStack() as stack:
            self.others = [stack.enter_context(Other(self.config, items)) for items in shared_out(handed)]
            result = yield
            while any(other.is_running() for other in self.others):
                self.show_reports(session)
                time.sleep(0.1)
            self.show_reports(session)
            for other in self.others:
                other.report_missing()
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        """Between two files, show what the other processes have reported: their lines stay in one piece."""
        result = yield
        if nextitem is None or nextitem.path != item.path:
            self.show_reports(item.session)
        return result

    def show_reports(self, session):
        for other in self.others:
            other.show_reports(session)


def shared_out(items, processes=PROCESSES):
    """The tests of each process, as lists: turn about, there and back, and what shares an opened page stays together."""
    together = {}
    for item in items:
        params = item.callspec.params if getattr(item, "callspec", None) else {}
        together.setdefault((item.path, *(params.get(name) for name in OPENED)), []).append(item)
    parts = [[] for _ in range(processes)]
    there_and_back = [*range(processes), *reversed(range(processes))]
    for k, group in enumerate(together.values()):
        parts[there_and_back[k % len(there_and_back)]] += group
    return [part for part in parts if part]


class Other:
    """Another process, seen from the first: its tests, what it has reported, and its end."""

    def __init__(self, config, items):
        self.config, self.hook = config, config.hook
        self.waiting = {item.nodeid: item.location for item in items}

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="beside-", ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        self._said, names = folder / "said.txt", folder / "names.txt"
        names.write_text("\n".join(self.waiting), encoding="utf-8")
        (folder / "reports.txt").touch()
        self._reports = open(folder / "reports.txt", "rb")
        command = [sys.executable, "-m", "tests.beside", folder / "reports.txt", *passed_on(self.config), f"@{names}"]
        environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
        with open(self._said, "w", encoding="utf-8") as said:
            self._process = subprocess.Popen(
                command, cwd=self.config.rootpath, env=environment, stdin=subprocess.PIPE, stdout=said, stderr=said,
                **ITS_OWN_GROUP,
            )  # fmt: skip
        return self

    def __exit__(self, *_):
        self._process.stdin.close()  # which asks it to stop, if it has not come to its end
        try:
            self._process.wait(SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reports.close()
        self._folder.cleanup()

    def is_running(self):
        return self._process.poll() is None

    def show_reports(self, session):
        """Hand pytest every report that has come since the last time."""
        while (line := self._reports.readline()).endswith(b"\n"):
            data = ast.literal_eval(line.decode())
            report = self.hook.pytest_report_from_serializable(config=self.config, data=data)
            if report.when == "setup":
                self.hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
            self.hook.pytest_runtest_logreport(report=report)
            if report.when == "teardown":
                self.hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)
                self.waiting.pop(report.nodeid, None)
            if session.shouldfail:  # as in pytest's own loop
                raise session.Failed(session.shouldfail)
        self._reports.seek(-len(line), os.SEEK_CUR)  # of a line that is only half written

    def report_missing(self):
        """A test that was handed over and never ended has failed: the other process broke off."""
        said = self._said.read_text(encoding="utf-8", errors="replace")[-3000:]
        words = f"A process of {WAITING} ended with {self._process.returncode} before this test did. It said:\n{said}"
        for nodeid, location in self.waiting.items():
            report = pytest.TestReport(nodeid, location, {}, "failed", words, "call")
            self.hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
            self.hook.pytest_runtest_logreport(report=report)
            self.hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)


def passed_on(config):
    """The options that change what a report says; those that choose tests or show them have done their work here."""
    option = config.option
    passed = [f"--tb={option.tbstyle}", *(["-l"] if option.showlocals else []), *["-v"] * option.verbose]
    passed += ["--full-trace"] if option.fulltrace else []
    passed += ["--runxfail"] if option.runxfail else []
    passed += [f"-W{warning}" for warning in option.pythonwarnings or []]
    passed += [f"-o{setting}" for setting in option.override_ini or []]
    return ["-c", str(config.inipath), f"--rootdir={config.rootpath}", "-p", "no:cacheprovider", *passed]


class Report:
    """The plugin of another process: one line for each report."""

    def __init__(self, path):
        self.path = path

    def pytest_configure(self, config):
        self.config = config

    def pytest_runtest_logreport(self, report):
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        with open(self.path, "a", encoding="utf-8") as lines:
            lines.write(f"{data!r}\n")


def stop_with_the_first_process():
    """Wait until the first process closes our input, at its end or at Ctrl-C, and then stop as at Ctrl-C."""
    ours = os.dup(0)  # pytest puts something else in its place
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it

    def wait():
        with contextlib.suppress(OSError):
            os.read(ours, 1)
        if os.name == "nt":
            import _thread

            _thread.interrupt_main()
        else:
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=wait, daemon=True).start()


def main(path, *arguments):
    stop_with_the_first_process()
    return pytest.main(list(arguments), plugins=[Report(path)])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
