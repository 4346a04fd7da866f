"""Browser tests in processes of their own: the same reports, the same closing line, and no process left behind."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from tests import beside

HERE = Path(__file__).parent
PLAIN = """
import os, time
from pathlib import Path
import pytest

def test_passes(): pass
def test_fails(): assert {"a": 1} == {"a": 2}
def test_is_skipped(): pytest.skip("not today")
@pytest.mark.xfail(strict=True, reason="known")
def test_is_known_to_fail(): assert False
@pytest.fixture
def broken(): raise ValueError("in the set-up")
def test_has_no_fixture(broken): pass
@pytest.mark.parametrize("word", ["a b", "é", "[x]"])
def test_has_a_word(word): print("seen", word)
def test_process(): Path(f"process-{os.getpid()}").touch()
"""
BREAKS_OFF = "def test_before(): pass\ndef test_ends_everything():\n    import os; print('last words'); os._exit(7)\n"
LESSONS = """
import os
from pathlib import Path
import pytest

@pytest.fixture(scope="module", params=["one", "two", "three"])
def lesson(request):
    Path(f"process-{os.getpid()}-{request.param}").touch()

def test_opens(lesson): pass
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_reads(lesson, theme): pass
"""
SLEEPS = """
import time
from pathlib import Path
import pytest

@pytest.fixture
def lab():
    Path("started").touch()
    yield
    time.sleep(0.2)
    Path("stopped").touch()

def test_sleeps(lab): time.sleep(300)
"""


@pytest.fixture
def project(tmp_path):
    """A small project with the plugin, tests here and tests in the browser's folder: write(here, there)."""

    def write(here, there):
        (tmp_path / "tests" / "browser").mkdir(parents=True)
        for folder in ("tests", "tests/browser"):
            (tmp_path / folder / "__init__.py").touch()
        shutil.copy(HERE / "beside.py", tmp_path / "tests")
        conftest = "from tests.beside import Beside\ndef pytest_configure(config):\n"
        conftest += "    config.pluginmanager.register(Beside(config))\n"
        (tmp_path / "tests" / "conftest.py").write_text(conftest)
        (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = tests\n")
        (tmp_path / "tests" / "test_here.py").write_text(here, encoding="utf-8")
        (tmp_path / "tests" / "browser" / "test_there.py").write_text(there, encoding="utf-8")
        return tmp_path

    return write


def start(folder, *arguments):
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTEST_ADDOPTS", "PYTHONPATH")}
    environment |= {"TMPDIR": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # a killed process cannot tidy up
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    return subprocess.Popen(
        [*command, *arguments], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def run(folder, *arguments):
    """What pytest printed, its closing line without the seconds, and its exit code."""
    process = start(folder, *arguments)
    text = process.communicate(timeout=120)[0]
    return text, re.sub(r" in [\d.]+s.*", "", text.strip().splitlines()[-1]).strip("= "), process.returncode


def processes(folder):
    found = [path.name for path in folder.glob("process-*")]
    for name in found:
        (folder / name).unlink()
    return len(found)


COUNTS = "2 failed, 10 passed, 2 skipped, 2 xfailed, 2 errors"


@pytest.mark.parametrize("arguments", [(), ("-v", "-rA", "tests/browser", "tests/test_here.py"), ("-s",)])
def test_both_processes_are_counted_in_one_closing_line(project, arguments):
    folder = project(PLAIN, PLAIN)
    text, closing, code = run(folder, *arguments)
    assert (closing, code) == (COUNTS, 1)
    assert processes(folder) == (1 if "-s" in arguments else 2)
    assert text.count("in the set-up") >= 2 and text.count("{'a': 1} == {'a': 2}") >= 2
    assert ("-rA" in arguments) == ("seen é" in text and "tests/browser/test_there.py::test_passes PASSED" in text)


@pytest.mark.parametrize(
    ("arguments", "want", "there"),
    [
        (("-k", "process"), "2 passed, 16 deselected", 2),
        (("tests/test_here.py", "-k", "process"), "1 passed, 8 deselected", 1),
        (("tests/browser/test_there.py::test_process",), "1 passed", 1),
    ],
)
def test_a_part_of_the_tests_can_be_chosen_as_ever(project, arguments, want, there):
    folder = project(PLAIN, PLAIN)
    assert run(folder, *arguments)[1:] == (want, 0)
    assert processes(folder) == there


def test_first_failure_over_there_ends_the_run_if_asked(project):
    folder = project("import time\ndef test_waits(): time.sleep(3)\n", PLAIN)
    text, closing, code = run(folder, "-x")
    assert "stopping after 1 failures" in text and "1 failed" in closing and code == 1


def test_a_process_that_breaks_off_fails_the_tests_that_it_owes(project):
    text, closing, code = run(project(PLAIN.replace("test_fails", "fails"), BREAKS_OFF), "-q", "-k", "not fixture")
    assert "1 failed" in closing and code == 1
    assert "ended with 7 before this test did" in text and "FAILED tests/browser/test_there.py::test_ends" in text


def test_lessons_are_shared_out_and_each_is_opened_once(project):
    folder = project("def test_here(): pass\n", LESSONS)
    _, closing, code = run(folder)
    assert (closing, code) == ("10 passed", 0)
    opened = [path.name.split("-")[1:] for path in folder.glob("process-*")]
    assert sorted(name for _, name in opened) == ["one", "three", "two"]
    assert len({process for process, _ in opened}) == 2


def test_processes_get_about_as_many_lessons():
    class Item(NamedTuple):
        path: str
        callspec: object = None

    items = [Item("player"), *(Item("lessons", SimpleNamespace(params={"lesson": k // 3})) for k in range(24))]
    parts = beside.shared_out(items, 2)
    assert [len(part) for part in parts] == [13, 12]
    assert sorted(map(id, items)) == sorted(id(item) for part in parts for item in part)
    for part in parts:
        names = [item.callspec.params["lesson"] for item in part if item.callspec]
        assert all(names.count(name) == 3 for name in names)


@pytest.mark.skipif(os.name == "nt", reason="no Ctrl-C can be sent to another process here")
@pytest.mark.parametrize(
    ("stop", "heard"),
    [(signal.SIGINT, signal.default_int_handler), (signal.SIGKILL, signal.default_int_handler), (signal.SIGKILL, signal.SIG_IGN)],
    ids=["Ctrl-C", "killed", "killed in the background"],
)  # fmt: skip
def test_nothing_goes_on_when_the_first_process_stops(project, stop, heard):
    """What a shell starts in the background ignores Ctrl-C, and so does what that starts in its turn."""
    folder = project("import time\ndef test_waits(): time.sleep(300)\n", SLEEPS)
    before = signal.signal(signal.SIGINT, heard)
    try:
        process = start(folder)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        try:
            wait_for(folder / "started")
            process.send_signal(stop)
            wait_for(folder / "stopped")
            assert process.wait(60) == (2 if stop == signal.SIGINT else -signal.SIGKILL)
        finally:
            process.kill()


def wait_for(path):
    deadline = time.monotonic() + 120
    while not path.exists():
        assert time.monotonic() < deadline, f"{path.name} never came"
        time.sleep(0.02)
