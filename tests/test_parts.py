"""The parts of a model: each is a right answer to its exercise, which the lessons ask for in their order."""

import ast
import inspect
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from helpers import parts, positions, your_program
from helpers.checks import EXERCISES
from tests import submissions
from tests.notebooks import prose

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


@pytest.mark.parametrize(("part", "lesson"), parts.LESSONS.items())
def test_each_part_is_asked_for_in_its_lesson(part, lesson):
    cells = nbformat.read(NOTEBOOKS / f"{lesson}.ipynb", as_version=4).cells
    assert f"exercise-{part}" in [tag for cell in cells for tag in cell.metadata.get("tags", [])]


@pytest.mark.parametrize("lesson", sorted({*parts.LESSONS.values()}))
def test_each_lesson_shows_what_it_adds_to_the_learners_model(lesson):
    adds = [part for part in parts.LESSONS if parts.LESSONS[part] == lesson]
    cells = nbformat.read(NOTEBOOKS / f"{lesson}.ipynb", as_version=4).cells
    (call,) = [cell.source for cell in cells if cell.source.startswith("explorers.your_model(")]
    said = ast.literal_eval(call.removeprefix("explorers.your_model").replace("here=", ""))
    assert said in (adds, adds[0], lesson[:2])  # the number of the lesson says as much as its parts


def test_parts_stand_in_the_order_of_the_lessons():
    assert list(parts.LESSONS.values()) == sorted(parts.LESSONS.values())


def test_readme_counts_the_parts_and_the_lessons_those_that_write():
    readme = (NOTEBOOKS.parent / "README.md").read_text(encoding="utf-8")
    assert len(parts.LESSONS) == 17 and "Seventeen exercises ask for a part of a language model" in readme
    calls = {}
    for lesson in {*parts.LESSONS.values()}:
        for cell in nbformat.read(NOTEBOOKS / f"{lesson}.ipynb", as_version=4).cells:
            for tag in cell.metadata.get("tags", []):
                calls[tag.removeprefix("solution-")] = set(re.findall(r"\byours\.(\w+)\(", cell.source))
    needed = {"write"}
    while more := {call for part in needed for call in calls[part]} - needed:
        needed |= more
    assert len(needed) == 12 and "from a file and twelve functions, each yours" in prose("read_a_model")
    assert {*your_program.RUNS} == needed | {"merge_pairs"}  # which cuts the text before
    assert len(your_program.RUNS) == 13 and "from a file and thirteen functions" in prose("write_with_your_own")


@pytest.mark.parametrize("name", parts.LESSONS)
def test_each_part_is_a_right_answer_to_its_exercise(name):
    answer = submissions.function(name, inspect.getsource(getattr(parts, name)))
    assert EXERCISES[name](answer).status == "right"


def test_rotate_turns_as_the_helper_whatever_the_base():
    x, places = np.random.default_rng(11).normal(size=(2, 5, 6)), np.array([3, 0, 7, 11, 2])
    np.testing.assert_allclose(parts.rotate(x, places, 100.0), positions.rotate(x, places, base=100.0), rtol=1e-12)
    np.testing.assert_allclose(parts.rotate(x, places), positions.rotate(x, places), rtol=1e-12)
