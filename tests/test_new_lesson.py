"""A lesson that was just laid out passes every test but two: what is still to say, and the sum of all minutes."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests import new_lesson

pytestmark = pytest.mark.everything

LESSON = {"number": "98", "name": "turn_a_dial", "topic": "dial", "exercise": "turn_dial"}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the repository: run(module, arguments) runs there."""
    folder = tmp_path_factory.mktemp("copy") / "lessons"
    unwanted = [".git", ".venv", ".*_cache", ".hypothesis", ".ipynb_checkpoints", "*-Copy*", "screenshots", "_build"]
    shutil.copytree(new_lesson.ROOT, folder, ignore=shutil.ignore_patterns(*unwanted))

    def run(*arguments):
        environment = os.environ | {"PYTHONPATH": str(folder)}
        return subprocess.run(
            [sys.executable, "-m", *arguments], cwd=folder, env=environment, capture_output=True, text=True
        )

    run.folder = folder
    return run


def test_new_lesson_lacks_nothing_but_words(copy):
    made = copy("tests.new_lesson", "98", "turn_a_dial", "--topic", "dial", "--exercise", "turn_dial")
    assert made.returncode == 0, made.stderr
    chosen = "98_turn or dial or readme or map or recorded_or or each_have or left_to_say or every_exercise"
    tested = ("lessons", "exercises", "architecture", "explorers", "checks_mistakes", "checks_submissions")
    files = [*(f"tests/test_{name}.py" for name in tested), "tests/rooms/turn_a_dial/test_explorers.py"]
    alone = ["-q", "-rfEp", "-p", "no:xdist", "-p", "no:cacheprovider"]  # the processes are busy with other tests
    done = copy("pytest", *alone, "--everything", "-k", chosen, "notebooks/98_turn_a_dial.ipynb", *files)
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.M)
    left = [
        "nothing_is_left_to_say",
        "readme_tells_the_minutes_of_each_route_and_of_all",
    ]  # the sum of all lessons
    assert failed == [f"tests/test_lessons.py::test_{name}" for name in left], done.stdout
    passed = re.findall(r"^PASSED ([^:]+)", done.stdout, re.M)
    assert set(passed) == {"notebooks/98_turn_a_dial.ipynb", *files}, done.stdout
    assert "notebooks/98_turn_a_dial.ipynb:10" in done.stdout and "README.md:" in done.stdout
    lint = copy("ruff", "check", "--quiet", ".")
    form = copy("ruff", "format", "--check", "--quiet", "helpers", "tests", "data")
    assert (lint.returncode, form.returncode) == (0, 0), lint.stdout + form.stdout


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"number": "7"}, "two digits, got 7"),
        ({"number": "04"}, "notebooks/04_keep_scores_in_scale.ipynb is there already"),
        ({"name": "Turn a dial"}, "lower case with _ between them, got Turn a dial"),
        ({"topic": "class"}, "got class"),
        ({"name": "build_a_layer"}, "rooms/build_a_layer is there already"),
        ({"topic": "mask"}, "explore_mask is there already, in rooms/mask_the_future/explorers.py"),
        ({"exercise": "softmax"}, "softmax is there already, in rooms/ask_for_a_b/exercises.py"),
    ],
)
def test_lesson_that_cannot_be_is_refused(change, told):
    assert told in new_lesson.refusal(LESSON | change)
    assert new_lesson.refusal(LESSON) == ""


def test_every_command_that_is_shown_lays_out_a_lesson_here():
    shown = (new_lesson.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8") + new_lesson.__doc__
    commands = re.findall(r"python -m tests\.new_lesson (\d\d) (\w+)(?: --topic (\w+) --exercise (\w+))?$", shown, re.M)
    assert len(commands) == 3
    for number, name, topic, exercise in commands:
        words = {"number": number, "name": name, "topic": topic or name, "exercise": exercise or topic or name}
        assert new_lesson.refusal(words) == "", words
