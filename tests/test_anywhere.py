"""The lessons run from any folder, by pytest in all its ways, by nbconvert and by papermill."""

import os
import shutil
import subprocess
import sys

import nbformat
import pytest

from tests.notebooks import FOLDER, ROOT, lessons

LESSON = lessons()[1]
CELLS = sum(cell.cell_type == "code" for cell in nbformat.read(LESSON, as_version=4).cells)


def call(*arguments, cwd, **environment):
    """What a module of Python prints, when it is run in a folder."""
    told = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)], cwd=cwd, env=told | environment,
        capture_output=True, text=True, encoding="utf-8", errors="replace",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def run(*arguments, cwd, **environment):
    return call("pytest", "-q", "-p", "no:cacheprovider", *arguments, cwd=cwd, **environment)


@pytest.mark.everything
def test_a_lesson_is_tested_from_its_own_folder():
    assert "1 passed" in run(f"{LESSON.name}::Cell 0", cwd=FOLDER)


@pytest.mark.everything
@pytest.mark.parametrize(
    "options",
    [[], ["-p", "no:xdist"], ["-n", "2"], ["--rootdir", ROOT]],
    ids=["alone", "without xdist", "two processes", "as VS Code does"],
)
def test_a_lesson_is_tested_by_its_path_from_another_folder(options, tmp_path):
    assert f"{CELLS} passed" in run(*options, LESSON, cwd=tmp_path)


@pytest.mark.everything
def test_cells_that_an_editor_finds_can_be_run_one_by_one():
    """VS Code collects with its own root, and then names the cells by whole paths."""
    found = run("--rootdir", ROOT, "--collect-only", LESSON, cwd=ROOT).splitlines()
    cells = [line for line in found if "::Cell" in line]
    assert len(cells) == CELLS
    assert "2 passed" in run("--rootdir", ROOT, *(ROOT / cell for cell in cells[:2]), cwd=ROOT)


@pytest.mark.everything
def test_coverage_of_a_lesson_is_measured_and_its_warnings_are_no_errors(tmp_path):
    told = run(
        "-n", "0", f"--cov={ROOT / 'workbench'}", LESSON, cwd=FOLDER, COVERAGE_FILE=str(tmp_path / "coverage")
    )  # fmt: skip
    assert f"{CELLS} passed" in told
    (line,) = [
        line.split() for line in told.splitlines() if line.split()[:1] and line.split()[0].endswith("colours.py")
    ]
    assert line[-1] == "100%"  # every lesson draws in these


@pytest.mark.everything
def test_the_course_lies_in_a_folder_with_spaces_and_umlauts(tmp_path):
    course = tmp_path / "Mein Kürs #1 %20"
    for path in [ROOT / "conftest.py", ROOT / "pyproject.toml", LESSON, *(ROOT / "tests").glob("[nc_]*.*")]:
        place = course / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    for folder in ("helpers", "workbench", "rooms", "data"):
        shutil.copytree(ROOT / folder, course / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(LESSON, course / "notebooks" / LESSON.name.replace(".", "-Copy1."))  # a learner's own
    (course / "notebooks" / "where.ipynb").write_text(where(course / "helpers"), encoding="utf-8")
    told = run("-n", "0", "notebooks", cwd=course, PYTHONPATH=str(course))
    assert f"{CELLS + 1} passed" in told
    assert f"{CELLS + 1} passed" in run("-n", "0", course / "notebooks", cwd=tmp_path, PYTHONPATH=str(course))


def where(folder):
    """A notebook that stops unless the helpers are those of a folder."""
    code = f"import helpers\nassert helpers.__path__[0] == {str(folder)!r}, helpers.__path__"
    return nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)]))


@pytest.mark.everything
@pytest.mark.parametrize("place", ["course", "elsewhere"])
@pytest.mark.parametrize("tool", ["nbconvert", "papermill"])
def test_a_lesson_is_executed_from_two_folders(tool, place, tmp_path):
    out = tmp_path / "run.ipynb"
    options = {"nbconvert": ["--to", "notebook", "--execute", LESSON, "--output", out], "papermill": [LESSON, out]}
    call(tool, *options[tool], cwd=ROOT if place == "course" else tmp_path)
    cells = [cell for cell in nbformat.read(out, as_version=4).cells if cell.cell_type == "code"]
    assert len(cells) == CELLS and all(cell.execution_count for cell in cells)
    assert not [output for cell in cells for output in cell.outputs if output.output_type == "error"]
