"""What happens around a lesson: cells out of order, names and files of a learner's own, an update; and where that is told."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.notebooks import FOLDER, lessons

ROOT = FOLDER.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
START, LESSON = lessons()[0], next(path for path in lessons() if path.name.startswith("04_"))


def sources(path, kind):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


HOW_TO_WORK = next(text for text in sources(START, "markdown") if "<summary>How to work here" in text)


def test_a_cell_run_before_the_first_one_stops_with_the_error_that_lesson_00_explains():
    first, second, *_ = (source for source in sources(LESSON, "code") if source.strip())
    with pytest.raises(NameError, match="is not defined"):
        exec(second, {})
    space = {}
    exec(first, space)
    exec(second, space)
    assert "`NameError`" in HOW_TO_WORK and "Run All Cells" in HOW_TO_WORK


def test_a_name_of_ones_own_over_a_helper_is_healed_by_the_first_cell():
    first = sources(LESSON, "code")[0]
    space = {}
    exec(first, space)
    space["attention"] = 3
    with pytest.raises(AttributeError, match="'int' object has no attribute 'softmax'"):
        exec("attention.softmax([1.0, 2.0])", space)
    exec(first, space)
    exec("attention.softmax([1.0, 2.0])", space)
    assert "has no attribute" in HOW_TO_WORK


@pytest.mark.parametrize(("name", "works"), [("attention.py", True), ("softmax.py", True), ("helpers.py", False)])
def test_a_file_of_ones_own_beside_the_lessons_is_harmless_or_its_error_is_explained(tmp_path, name, works):
    (tmp_path / name).write_text("attend = 3\n", encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    code = sources(LESSON, "code")[0]
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode == 0) is works, done.stderr
    if not works:
        assert "cannot import name 'attention' from 'helpers'" in done.stderr
        assert "cannot import name" in README and "`helpers.py`" in README


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_an_update_after_a_lesson_was_run_goes_as_readme_says(tmp_path):
    def git(folder, *words, fails=False):
        name = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "init.defaultBranch=main"]
        done = subprocess.run(["git", *name, *words], cwd=folder, capture_output=True, text=True)
        assert (done.returncode != 0) is fails, done.stderr
        return done.stderr

    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    (ours / "notebooks").mkdir(parents=True)
    shutil.copy(ROOT / ".gitignore", ours)
    shutil.copy(LESSON, ours / "notebooks")
    git(ours, "init", "-q")
    git(ours, "add", ".")
    git(ours, "commit", "-qm", "one")
    git(tmp_path, "clone", "-q", str(ours), str(theirs))
    lesson, theirs_lesson = ours / "notebooks" / LESSON.name, theirs / "notebooks" / LESSON.name
    lesson.write_text(lesson.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    git(ours, "commit", "-qam", "two")
    theirs_lesson.write_text(theirs_lesson.read_text(encoding="utf-8").replace("null", "1", 1) + " ", encoding="utf-8")
    copy = theirs_lesson.with_name(f"{LESSON.stem}-Copy1.ipynb")
    shutil.copy(theirs_lesson, copy)
    assert "would be overwritten" in git(theirs, "pull", "-q", fails=True)
    assert "`git checkout notebooks/`" in README
    git(theirs, "checkout", "-q", "notebooks/")
    git(theirs, "pull", "-q")
    assert theirs_lesson.read_bytes() == lesson.read_bytes() and copy.exists()
