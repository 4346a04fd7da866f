"""Every link of a lesson to another file leads somewhere when JupyterLab is started as README says."""

import json
import posixpath
import re
from urllib.error import HTTPError
from urllib.parse import unquote

import pytest

from .lab import REPOSITORY, notebooks

TO_A_FILE = re.compile(r"\]\((?!https?:|data:|#)([^)\s]+)\)|href=\\?\"(?!https?:|data:|#)([^\"\\]+)")


def links(path):
    """The files that a lesson links to in its prose and its outputs, from the course's folder."""
    cells = json.loads((REPOSITORY / path).read_text(encoding="utf-8"))["cells"]
    text = "\n".join(
        "".join(cell["source"]) if cell["cell_type"] == "markdown" else json.dumps(cell["outputs"]) for cell in cells
    )
    targets = {unquote("".join(found)).partition("#")[0] for found in TO_A_FILE.findall(text)}
    return {posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) for target in targets}


def is_served(lab, path):
    try:
        return bool(lab.ask(f"api/contents/{path}?content=0"))
    except HTTPError:
        return False


def test_every_link_to_a_file_is_served(lab):
    asked = {path: links(path) for path in notebooks()}
    assert len(set().union(*asked.values())) > 20
    assert [
        f"{path}: {link}" for path, found in asked.items() for link in sorted(found) if not is_served(lab, link)
    ] == []


@pytest.mark.everything
def test_the_notes_are_one_click_away(notebook_tab):
    path = next(path for path in notebooks() if "data/README.md" in links(path))
    page = notebook_tab.open(path).page
    link = page.locator(".jp-RenderedMarkdown a[href*='README.md']").first
    link.wait_for(state="attached")
    link.evaluate("link => { const fold = link.closest('details'); if (fold) fold.open = true; }")
    link.click()
    page.locator(".lm-TabBar-tabLabel", has_text="README.md").wait_for()
    assert notebook_tab.problems == []


@pytest.mark.everything
def test_a_box_of_the_learners_model_opens_its_lesson(notebook_tab):
    page = notebook_tab.open(next(path for path in notebooks() if "00_who" in path)).page
    notebook_tab.run_all()
    box = page.locator(".parts-map a", has_text="split_heads")
    page.locator(".parts-map summary").click()
    box.focus()
    page.keyboard.press("Enter")
    page.locator(".lm-TabBar-tabLabel", has_text="06_split_into_heads.ipynb").wait_for()
    assert notebook_tab.problems == []
