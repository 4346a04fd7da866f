"""What README says of two learners in one folder: whoever saves second is asked, and nothing is overwritten in silence."""

import pytest

from .lab import tab

pytestmark = pytest.mark.everything


@pytest.fixture
def two(chromium, lab, notebook_tab):
    """The same notebook in two browsers, and its file."""
    path = lab.write_notebook("planted/shared.ipynb", "answer = ...")
    with tab(chromium, lab) as second:
        yield notebook_tab.open(path).page, second.open(path).page, lab.work / path


def write(page, text):
    page.locator(".jp-Cell .cm-content").first.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(text)
    page.keyboard.press("ControlOrMeta+s")


def test_whoever_saves_second_is_asked_before_the_first_answer_goes(two):
    first, second, file = two
    write(first, "answer = 'ada'")
    first.wait_for_function("() => !document.querySelector('.jp-mod-dirty')")
    assert "ada" in file.read_text(encoding="utf-8")
    write(second, "answer = 'ben'")
    asked = second.locator(".jp-Dialog")
    asked.get_by_text("has changed on disk").wait_for()
    assert "ada" in file.read_text(encoding="utf-8")
    asked.get_by_role("button", name="Cancel").click()
    assert "ben" in second.locator(".jp-Cell .cm-content").first.inner_text()
    second.get_by_role("menuitem", name="File", exact=True).click()
    second.get_by_text("Save Notebook As…").click()
    second.locator(".jp-Dialog input").fill("planted/of-ben.ipynb")
    second.locator(".jp-Dialog .jp-mod-accept").click()
    second.locator(".jp-Dialog").get_by_role("button", name="Discard").click()
    second.wait_for_function("() => !document.querySelector('.jp-mod-dirty')")
    assert "ben" in (file.parent / "of-ben.ipynb").read_text(encoding="utf-8")
    assert "ada" in file.read_text(encoding="utf-8")
