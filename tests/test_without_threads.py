"""Every lesson runs where no thread and no process can be started."""

import json
import os
import subprocess
import sys

import pytest

from tests.lessons import FOLDER, lessons

NAMES = [path.stem for path in lessons()]


@pytest.fixture(scope="module")
def faults():
    """dict lesson -> list of faults; one process runs them all."""
    places = filter(None, [str(FOLDER.parent), os.environ.get("PYTHONPATH")])
    done = subprocess.run(
        [sys.executable, "-m", "tests.without_threads"], cwd=FOLDER.parent, capture_output=True, text=True,
        encoding="utf-8", env=os.environ | {"PYTHONPATH": os.pathsep.join(places), "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("lesson", NAMES)
def test_lesson_needs_no_thread_and_no_process(lesson, faults):
    assert faults[lesson] == []


def test_threads_and_processes_are_refused_indeed():
    code = """
from tests import without_threads
without_threads.refuse_both()
import os, subprocess, sys, threading
from concurrent.futures import ThreadPoolExecutor
refused = 0
for attempt in (
    lambda: threading.Thread(target=print).start(),
    lambda: ThreadPoolExecutor(1).submit(print),
    lambda: subprocess.run([sys.executable, "-c", ""]),
    lambda: os.system("echo"),
):
    try:
        attempt()
    except (RuntimeError, OSError):
        refused += 1
print(refused, os.cpu_count())
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=FOLDER.parent, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["4", "1"]
