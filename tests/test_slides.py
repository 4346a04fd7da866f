"""README's command makes slides of the lessons that it names: exercises stay out, pictures stand still, notes are the speaker's."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.notebooks import lessons

ROOT = Path(__file__).parents[1]
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
COMMAND, OTHERS = re.search(
    r"\*\*As slides\*\*: `\.venv/bin/python (-m jupyter [^`]+)` .*?; so do ([\d, and]+)\.", README
).groups()
TOLD = sorted([re.search(r"notebooks/(\d\d)_", COMMAND)[1], *re.findall(r"\d\d", OTHERS)])


def kinds(path):
    """What each cell is among slides."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell["metadata"].get("slideshow", {}).get("slide_type") for cell in cells]


def test_readme_names_the_lessons_that_have_slides():
    assert [path.name[:2] for path in lessons() if any(kinds(path))] == TOLD
    assert all(None not in kinds(path) for path in lessons() if path.name[:2] in TOLD)


@pytest.mark.everything
@pytest.mark.parametrize("number", TOLD)
def test_slides_leave_exercises_out_and_keep_notes(number, tmp_path):
    (path,) = [path for path in lessons() if path.name.startswith(number)]
    *options, _ = shlex.split(COMMAND)
    subprocess.run(
        [sys.executable, *options, path, "--output-dir", tmp_path], cwd=ROOT, check=True, capture_output=True
    )
    text = (tmp_path / f"{path.stem}.slides.html").read_text(encoding="utf-8")
    slides = kinds(path).count("slide")
    assert text.count("<section") == 2 * slides and 'class="notes"' in text
    assert not re.search(r"checks\.check|Run this cell to move|<summary>Solution", text)
