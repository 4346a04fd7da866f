"""A lesson that was run and saved stands there the day after, with a new kernel: its pictures, and how to wake them."""

import json

import pytest

from .lab import FRAMES

SAVE = "() => window.jupyterapp.commands.execute('docmanager:save').then(() => null)"
CELLS = [
    "from helpers import explorers\nexplorers.explore_ask_for_b()",
    "explorers.predict('largest weight of token 3')",
]
SHOWN = "() => [...document.querySelectorAll('.jp-NotebookPanel :is(.explorer, .predict)')].map(box => box.innerText.trim())"
HINT = "box => getComputedStyle(box, '::after').content"


@pytest.fixture(scope="module")
def day_after(notebook_tab):
    """Tab with a notebook of an explorer and a question that was run, saved, closed and opened again; and what was shown before."""
    path = notebook_tab.lab.write_notebook("planted/day_after.ipynb", *CELLS)
    notebook_tab.open(path).run_all()
    shown = notebook_tab.page.evaluate(SHOWN)
    notebook_tab.wait_for(SAVE, 60, "a saved notebook")
    notebook_tab.open(path).page.locator(".jp-NotebookPanel .predict").wait_for(timeout=60_000)
    notebook_tab.page.evaluate(FRAMES)
    return notebook_tab, shown


@pytest.mark.everything
def test_saved_pictures_and_questions_stand_there_and_say_how_to_wake_them(day_after):
    notebook, shown = day_after
    assert notebook.page.get_by_text("model not found").count() == 0
    assert notebook.page.evaluate(SHOWN) == shown and len(shown) == len(CELLS)
    for kind in ("explorer", "predict"):
        said = notebook.page.locator(f".{kind}").evaluate(HINT)
        assert "Asleep" in said and "Run All Cells wakes it" in said
    notebook.run_all()
    assert notebook.cell_trouble == notebook.problems == []
    assert notebook.page.locator(".explorer").evaluate(HINT) == "none"


@pytest.mark.everything
def test_what_was_saved_for_it_does_not_go_into_git(day_after):
    from tests.refresh_notebooks import cleaned, read

    path = day_after[0].lab.work / "planted" / "day_after.ipynb"
    assert "widgets" in json.loads(path.read_text(encoding="utf-8"))["metadata"]
    assert "widgets" not in cleaned(read(path)).metadata
