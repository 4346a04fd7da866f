"""One JupyterLab, one browser, one tab for all browser tests; without a browser they are skipped, and loudly."""

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


@pytest.fixture(scope="session")
def notebook_tab(chromium, lab):
    """The tab in which one notebook after the other is opened."""
    with tab(chromium, lab) as notebook:
        yield notebook


@pytest.fixture(
    scope="module", params=notebooks(), ids=lambda path: path.removeprefix("notebooks/").removesuffix(".ipynb")
)
def lesson(request, notebook_tab):
    """Each lesson, opened with a fresh kernel and run from top to bottom, nothing covered; the tests of a module share it."""
    notebook = notebook_tab.open(request.param).run_all()
    waiting = notebook.page.locator(".guess-waits")
    for left in range(waiting.count() - 1, -1, -1):
        waiting.first.locator(".predict-skip").click()
        notebook.page.wait_for_function(f"() => document.querySelectorAll('.guess-waits').length === {left}")
    return notebook
