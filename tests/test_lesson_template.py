"""The folder that a new lesson is copied from: what its notebook calls is there, and works."""

import ast
import json
from pathlib import Path

from helpers import attention, checks, explorers
from tests.lesson_template import EXERCISES, EXPLORERS
from tests.lesson_template import exercises as tasks
from tests.lesson_template import explorers as pictures
from workbench import Exercise, check

(NOTEBOOK,) = Path(__file__).with_name("lesson_template").glob("*.ipynb")


def test_its_notebook_calls_what_is_there():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = ast.parse("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"))
    called = {
        (n.value.id, n.attr) for n in ast.walk(code) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)
    }
    here = {("explorers", name) for name in EXPLORERS}
    known = {"explorers": explorers, "checks": checks, "attention": attention}
    assert here <= called and all(hasattr(known[module], name) for module, name in called - here if module in known)


def test_its_explorers_and_its_exercise_work():
    assert getattr(pictures, EXPLORERS[0])().shown["weights"].round(9).tolist() == [[0.2, 0.2, 0.6]]
    assert getattr(pictures, EXPLORERS[1])().shown["weights"].sum() == 13
    (task,) = [each for each in vars(tasks).values() if isinstance(each, Exercise)]
    assert [task.name] == EXERCISES and check(task, lambda scores: task.solve(scores) * 2).status == "wrong"
    assert check(task, lambda scores: 3**scores / (3**scores).sum()).status == "right"
