"""What a lesson is and how its file is laid out; a learner's own notebooks are left alone by all tools."""

import json
import re
from pathlib import Path

import pytest

from tests import refresh_notebooks
from tests.lessons import FOLDER, lessons

LONGEST_LINE = 106  # letters: 107 fit the editor of JupyterLab in a window of 1280 pixels, beside the file browser


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_lesson_is_laid_out_as_refreshing_lays_it_out(path):
    """No timestamps, no widget state, sorted keys: what a commit changes is what its author changed."""
    refreshed = refresh_notebooks.as_text(refresh_notebooks.cleaned(refresh_notebooks.read(path)))
    assert refreshed == path.read_text(encoding="utf-8"), f"Run python -m tests.refresh_notebooks notebooks/{path.name}"


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_first_explorer_stands_within_the_first_third_of_the_cells(path):
    cells = refresh_notebooks.read(path).cells
    sources = [cell.source if cell.cell_type == "code" else "" for cell in cells]
    first = next(
        place for place, source in enumerate(sources) if re.search(r"\bexplorers\.(explore_|Explorer)", source)
    )
    assert first <= len(cells) / 3, f"It stands in cell {first} of {len(cells)}, counted from 0."


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_lines_of_code_end_before_the_edge_of_their_cell(path):
    """Cells and solutions; `ruff format` knows no other length for notebooks than that of the project's files."""
    cells = refresh_notebooks.read(path).cells
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    code += [part for cell in cells if cell.cell_type == "markdown" for part in cell.source.split("```")[1::2]]
    assert [line for part in code for line in part.splitlines() if len(line) > LONGEST_LINE] == []


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_what_is_printed_are_numbers_and_words_and_no_verdict_of_a_test(path):
    outputs = [
        output for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] for output in cell.get("outputs", [])
    ]
    printed = "".join("".join(output["text"]) for output in outputs if output["output_type"] == "stream")
    assert re.findall(r"^.*\b(?:True|False)\b.*$", printed, re.M) == []


def test_nothing_is_left_to_say():
    root = FOLDER.parent
    places = [root / "README.md", root / "data" / "questions.json", *lessons(), *root.glob("helpers/**/*.py")]
    places += set(root.glob("tests/test_*_*.py")) - {root / "tests" / "test_new_lesson.py"}
    left = [
        f"{path.relative_to(root).as_posix()}:{number}: {line.strip()[:80]}"
        for path in places
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(r"\bTO" + r"DO\b", line)
    ]
    assert not left, "\n" + "\n".join(left)


def test_readme_tells_the_minutes_of_each_route():
    minutes = {}
    for path in lessons():
        text = "\n".join("".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"])
        minutes[path.name[:2]] = int(re.search(r"(?:\*\*Time\*\*|<summary>) ?(\d+) minutes", text)[1])
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    pattern = re.compile(r"^\| [^|]+ \| (\d\d(?: · \d\d)+|00 to \d\d, in order) \| (\d+) \|$", re.M)
    routes = pattern.findall(readme)
    assert len(routes) == 4
    for route, told in routes:
        named = list(minutes) if "to" in route else route.split(" · ")
        assert sum(minutes[number] for number in named) == int(told), route
    assert min(minutes.values()) == 15 and str(len(minutes)) in readme
