"""One JupyterLab and one browser for all browser tests, one tab for each module; without a browser they are skipped, and loudly."""

import os

import pytest

from tests.conftest import NO_BROWSER

from .lab import Lab, browser, notebooks, tab, why_no_browser


@pytest.fixture(scope="session")
def chromium():
    """A headless browser; where there is none, its tests are skipped, or fail if REQUIRE_BROWSER=1."""
    if reason := why_no_browser():
        refuse = pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip
        refuse(f"{NO_BROWSER}: {reason}")
    with browser() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def lab(chromium):
    """A running JupyterLab with a copy of the lessons."""
    with Lab() as lab:
        yield lab


@pytest.fixture(scope="module")
def notebook_tab(chromium, lab):
    """The tab in which one notebook after the other is opened. It is closed with its module: left open, it goes on computing."""
    with tab(chromium, lab) as notebook:
        yield notebook


FIRST = ("00_", "03_")  # lessons that a browser opens in the first tier; all others wait for all that is asked of them


def opened():
    """Each lesson by its name, those of the second tier marked."""
    for path in notebooks():
        name = path.removeprefix("notebooks/").removesuffix(".ipynb")
        yield pytest.param(path, id=name, marks=() if name.startswith(FIRST) else pytest.mark.everything)


@pytest.fixture(scope="module", params=opened())
def lesson(request, notebook_tab):
    """Each lesson, opened with a fresh kernel and run from top to bottom, nothing covered; the tests of a module share it."""
    notebook = notebook_tab.open(request.param).run_all()
    waiting = notebook.page.locator(".guess-waits")
    for left in range(waiting.count() - 1, -1, -1):
        waiting.first.locator(".predict-skip").click()
        notebook.page.wait_for_function(f"() => document.querySelectorAll('.guess-waits').length === {left}")
    return notebook
