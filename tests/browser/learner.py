"""What a learner does with a lesson: type an answer into its cell, run it, and have it checked, in JupyterLab and in a live page alike."""

import re

from helpers import parts
from tests.test_own_model import solved_in_lessons

PLACE = """name => window.jupyterapp.shell.currentWidget.content.widgets.findIndex(
  cell => (cell.model.getMetadata('tags') ?? []).includes(`exercise-${name}`))"""
FIRST = "() => window.jupyterapp.shell.currentWidget.content.widgets.findIndex(cell => cell.model.type === 'code')"
RAN = """place => {
  const cell = window.jupyterapp.shell.currentWidget.content.widgets[place];
  return cell.model.executionCount !== null && cell.node.querySelector('.jp-InputPrompt').textContent !== '[*]:';
}"""
PRINTED = """place => window.jupyterapp.shell.currentWidget.content.widgets[place].model.sharedModel.getOutputs()
  .filter(out => out.output_type === 'stream').map(out => [out.text].flat().join('')).join('')"""


def run(notebook, place, source=None, seconds=60):
    """Type into a cell, where a source is given, and run it as one does, by Shift and Enter. Returns what it prints."""
    cell = notebook.page.locator(".jp-NotebookPanel .jp-Notebook .jp-Cell").nth(place)
    if source is None:
        cell.locator(".jp-InputPrompt").click()
    else:
        cell.locator(".cm-content").click()
        notebook.page.keyboard.press("ControlOrMeta+A")
        notebook.page.keyboard.insert_text(source)
    notebook.page.keyboard.press("Shift+Enter")
    notebook.page.wait_for_function(RAN, arg=place, timeout=1000 * seconds)
    return notebook.page.evaluate(PRINTED, place)


def run_imports(notebook):
    """Run the first cell that holds code."""
    return run(notebook, notebook.page.evaluate(FIRST))


def type_every_part(notebook, open_lesson, kept):
    """Type the solution of each part into its lesson, where it must be called right and be kept.

    Parameters
    ----------
    notebook : NotebookPage
    open_lesson : function that is called with the name of each lesson and opens it
    kept : function that gives the text of my_model.py
    """
    lesson = None
    for count, (name, source) in enumerate(solved_in_lessons(), 1):
        if parts.LESSONS[name] != lesson:
            lesson = parts.LESSONS[name]
            open_lesson(lesson)
            run_imports(notebook)
        place = notebook.page.evaluate(PLACE, name)
        run(notebook, place, source.rstrip("\n"))
        said = run(notebook, place + 1)
        assert said.startswith("✓ ") and f"Kept in my_model.py: {count} of the 17 parts" in said, (name, said)
        assert re.search(rf"^def {name}\(", kept(), re.MULTILINE)
    assert count == len(parts.LESSONS)
