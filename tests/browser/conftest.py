"""One JupyterLab, one browser, one tab for all browser tests; without a browser they are skipped, and loudly."""

import os

import pytest

from .lab import HOW_TO_GET_A_BROWSER, Lab, browser, notebooks, tab, why_no_browser

NOT_RUN = "no browser test can run"


@pytest.fixture(scope="session")
def chromium():
    """A headless browser; where there is none, its tests are skipped, or fail if REQUIRE_BROWSER=1."""
    if reason := why_no_browser():
        refuse = pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip
        refuse(f"{NOT_RUN}: {reason}")
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
    """Each lesson, opened with a fresh kernel and run from top to bottom; the tests of a module share it."""
    return notebook_tab.open(request.param).run_all()


def pytest_terminal_summary(terminalreporter):
    """Say in capitals that nothing was seen in a browser."""
    reports = [*terminalreporter.stats.get("skipped", []), *terminalreporter.stats.get("error", [])]
    if any(NOT_RUN in str(report.longrepr) for report in reports):
        terminalreporter.section("THE BROWSER TESTS DID NOT RUN", sep="!", red=True, bold=True)
        terminalreporter.line(f"Because {why_no_browser()}. No control was moved, no contrast was measured.", red=True)
        terminalreporter.line(f"To run them: {HOW_TO_GET_A_BROWSER}")
        terminalreporter.line("With REQUIRE_BROWSER=1 this is a failure.")
