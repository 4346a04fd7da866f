"""The whole way of a learner: every part is typed into its lesson in JupyterLab, my_model.py grows, and at the end it says Paris."""

import os
import re
import subprocess
import sys

import pytest

from helpers import language_model, parts
from tests.test_own_model import solved_in_lessons

from .lab import Lab, tab

pytestmark = pytest.mark.everything

PLACE = """name => window.jupyterapp.shell.currentWidget.content.widgets.findIndex(
  cell => (cell.model.getMetadata('tags') ?? []).includes(`exercise-${name}`))"""
FIRST = "() => window.jupyterapp.shell.currentWidget.content.widgets.findIndex(cell => cell.model.type === 'code')"
RAN = """place => {
  const cell = window.jupyterapp.shell.currentWidget.content.widgets[place];
  return cell.model.executionCount !== null && cell.node.querySelector('.jp-InputPrompt').textContent !== '[*]:';
}"""
PRINTED = """place => window.jupyterapp.shell.currentWidget.content.widgets[place].model.sharedModel.getOutputs()
  .filter(out => out.output_type === 'stream').map(out => [out.text].flat().join('')).join('')"""


@pytest.fixture(scope="module")
def learner(chromium):
    """A tab in a JupyterLab in which answers are kept, as in a clone of the course."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MY_MODEL", raising=False)
        with Lab() as lab:
            (lab.work / "pyproject.toml").write_text("")  # by which a clone is known
            with tab(chromium, lab) as notebook:
                yield notebook


def run(notebook, place, source=None):
    """Type into a cell, where a source is given, and run it as one does, by Shift and Enter."""
    cell = notebook.page.locator(".jp-NotebookPanel .jp-Notebook .jp-Cell").nth(place)
    if source is None:
        cell.locator(".jp-InputPrompt").click()
    else:
        cell.locator(".cm-content").click()
        notebook.page.keyboard.press("ControlOrMeta+A")
        notebook.page.keyboard.insert_text(source)
    notebook.page.keyboard.press("Shift+Enter")
    notebook.page.wait_for_function(RAN, arg=place, timeout=60_000)
    return notebook.page.evaluate(PRINTED, place)


def test_every_part_is_typed_and_the_file_that_grows_says_paris(learner):
    file, open_lesson, count = learner.lab.work / "my_model.py", None, 0
    for name, source in solved_in_lessons():
        if parts.LESSONS[name] != open_lesson:
            open_lesson = parts.LESSONS[name]
            learner.open(f"notebooks/{open_lesson}.ipynb")
            run(learner, learner.page.evaluate(FIRST))
        place = learner.page.evaluate(PLACE, name)
        run(learner, place, source.rstrip("\n"))
        said = run(learner, place + 1)
        count += 1
        assert said.startswith("✓ ") and f"Kept in my_model.py: {count} of the 17 parts" in said, (name, said)
        assert re.search(rf"^def {name}\(", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert count == len(parts.LESSONS)
    said = written(learner.lab.work, "The capital of France is", "--tokens", "2")
    assert said.endswith("17 of the 17 parts of your model are yours.\n")
    assert said.startswith("The capital of France is Paris.\n") or language_model.find() is None


def written(folder, *arguments):
    environment = {name: value for name, value in os.environ.items() if name != "MY_MODEL"}
    done = subprocess.run(
        [sys.executable, "my_model.py", *arguments],
        cwd=folder, env=environment | {"PYTHONPATH": str(folder)}, capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
