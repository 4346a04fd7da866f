"""What a learner's file can do at the end: with nothing of the course's mathematics it goes on with a text, as the model does."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from helpers import language_model, parts, your_program, yours
from tests import submissions
from tests.cells import Notebook

ROOT = Path(__file__).parents[1]
pytestmark = [
    pytest.mark.everything,
    pytest.mark.skipif(language_model.find() is None, reason="the real model is not installed: the extra model"),
]

RUN = """
import importlib, runpy, sys
from helpers import language_model, parts, your_program
from tests.test_architecture import MATHEMATICS
from tests.notebooks import dotted

class Refused(BaseException):
    pass

course = {importlib.import_module(dotted(name)).__file__ for name in MATHEMATICS - {"bytes_pairs"}}  # it cuts the text
assert parts.__file__ in course and len(course) > 20

def refuse(frame, event, argument):
    code = frame.f_code
    in_the_model = code.co_filename == language_model.__file__ and code.co_name != "find"
    if event == "call" and (code.co_filename in course or in_the_model):
        raise Refused(f"{code.co_filename}: {code.co_name}")

sys.argv = sys.argv[1:]
sys.setprofile(refuse)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def goes_on(file, text, count):
    """What `python my_model.py` prints, in a process where nothing of the course's mathematics may run."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, file, text, "--tokens", str(count)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def solved_in_lessons():
    """(part, the solution that its lesson folds away), in the order of the lessons."""
    for name, lesson in parts.LESSONS.items():
        for cell in nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", as_version=4).cells:
            if f"solution-{name}" in cell.metadata.get("tags", []):
                yield name, re.search(r"^```python\n(.*?)^```$", cell.source, re.S | re.M)[1]


def test_the_solutions_of_the_lessons_are_a_language_model(file):
    notebook = Notebook()
    for name, source in solved_in_lessons():
        assert notebook.run(source).check(name)[-1].startswith("Kept"), name
    assert {part.by for part in yours.parts()} == {"you"}
    said = goes_on(file, "The capital of France is", 2)
    assert (
        said.startswith("The capital of France is Paris.\n")
        and "13 functions of yours, 79 lines, wrote this at" in said
    )
    story = "Sarah was walking in the park with her cat, Alex. The woman's name is"
    assert goes_on(file, story, 1).startswith(f"{story} Sarah\n")


def test_your_own_layer_says_how_fast_it_writes(file, capsys):
    slow = inspect.getsource(parts.model_layer).replace("    past =", "    calls.append(1)\n    past =")
    yours.keep("model_layer", f"calls = []\n\n\n{slow}")
    your_program.layer_speed(num_tokens=2)
    words, speeds = capsys.readouterr().out.splitlines()
    assert words.startswith("The capital of France is Paris.") and len(yours.model().space["calls"]) == 2 * 30
    mine, course = map(
        float,
        re.fullmatch(r"Written with your layer: (\d+\.\d) tokens .* course's: (\d+\.\d) tokens .*", speeds).groups(),
    )
    assert mine > 0 and course > 0


def test_an_awkward_learner_s_answers_are_one_too(file):
    notebook = Notebook()
    odd = {each.exercise: each.text for each in submissions.read_together("odd_parts.txt")}  # the last one of each
    for name in parts.LESSONS:
        if name in your_program.RUNS and name != "merge_pairs":
            assert notebook.run(odd[name]).check(name)[-1].startswith("Kept"), name
    said = goes_on(file, "The capital of France is", 12)
    assert (
        said.startswith("The capital of France is Paris.")
        and "12 functions of yours, 86 lines, and 1 of the course's wrote this at" in said
    )
    assert "stopped with" not in said


def test_the_solution_of_a_lesson_is_the_course_s_part():
    for name, source in solved_in_lessons():
        course = inspect.getsource(getattr(parts, name)).strip()
        assert re.sub(r"\b(?:yours|attention)\.(?!multi)", "", source.strip()) == course
