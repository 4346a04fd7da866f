"""Two rules for the whole run: scripts are not tests, and with REQUIRE_BROWSER=1 nothing may be skipped."""

import os

import pytest


def pytest_ignore_collect(collection_path):
    """Leave the scripts in tests/ alone: --doctest-modules would import them only to look for examples."""
    name = collection_path.name
    if name.endswith(".py") and collection_path.is_relative_to(os.path.dirname(__file__)):
        return None if name.startswith(("test_", "conftest", "__init__")) else True
    return None


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Where the browser is required, a skipped test is a promise that nobody checked: the run fails."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("REQUIRE_BROWSER") == "1" and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        reporter.ensure_newline()
        reporter.section("REQUIRE_BROWSER=1: nothing may be skipped", red=True)
        reporter.line(f"{len(reporter.stats['skipped'])} skipped; the reasons stand in the summary.", red=True)
