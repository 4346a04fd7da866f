"""The folder that a new lesson is copied from: what its notebook calls is there, and works."""

import shutil
from pathlib import Path

from tests import refresh_notebooks
from tests.lesson_template import EXERCISES, EXPLORERS
from tests.lesson_template import exercises as tasks
from tests.lesson_template import explorers as pictures
from workbench import Exercise, check

(NOTEBOOK,) = Path(__file__).with_name("lesson_template").glob("*.ipynb")
OFFERED = f"""
from helpers import checks, explorers

explorers.MODULE_OF |= dict.fromkeys({EXPLORERS}, "tests.lesson_template.explorers")
checks.MODULE_OF |= dict.fromkeys({EXERCISES}, "tests.lesson_template.exercises")
"""  # what `rooms` does once the folder lies among them


def test_its_notebook_runs_and_shows_what_is_committed(tmp_path, monkeypatch):
    (tmp_path / "offered.py").write_text(OFFERED, encoding="utf-8")
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "offered.py"))
    (tmp_path / "notebooks").mkdir()  # where a lesson lies
    copied = shutil.copy(NOTEBOOK, tmp_path / "notebooks")
    assert refresh_notebooks.treat(Path(copied), check=True) == []


def test_its_explorers_and_its_exercise_work():
    assert getattr(pictures, EXPLORERS[0])().shown["weights"].round(9).tolist() == [[0.2, 0.2, 0.6]]
    assert getattr(pictures, EXPLORERS[1])().shown["weights"].sum() == 13
    (task,) = [each for each in vars(tasks).values() if isinstance(each, Exercise)]
    assert [task.name] == EXERCISES and check(task, lambda scores: task.solve(scores) * 2).status == "wrong"
    assert check(task, lambda scores: 3**scores / (3**scores).sum()).status == "right"
