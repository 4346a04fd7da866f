"""Rules for the whole run: several processes share it; scripts are not tests; with REQUIRE_BROWSER=1 nothing may be skipped
but what needs a real model's weights, PyTorch, the built site or a Pyodide; with REQUIRE_MODEL=1, REQUIRE_TORCH=1, REQUIRE_WEB=1
and REQUIRE_LIVE=1 that may not be skipped either."""

import gc
import os
import re
import sys
from pathlib import Path

import pytest

NO_BROWSER = "no browser test can run"  # stands in the reason of every test that is skipped without one
NEEDS_MODEL = "the extra model"  # stands in the reason of every test that is skipped without the weights
NEEDS_TORCH = "PyTorch, a second opinion"
NEEDS_SITE = "the extra web"
NEEDS_LIVE = "THE LIVE LESSONS WERE NOT TESTED"


ONE_PROCESS = ("usepdb", "trace", "setupshow", "setuponly", "setupplan", "collectonly")  # what needs the terminal


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Where more than one file is run, share the files out among processes, one more than there are cores: some always wait."""
    option, places = config.option, [Path(place.partition("::")[0]) for place in config.args]
    is_one_of_them = hasattr(config, "workerinput")
    alone = is_one_of_them or option.capture == "no" or any(getattr(option, name, False) for name in ONE_PROCESS)
    many = len(set(places)) > 1 or any(place.is_dir() for place in places)
    if getattr(option, "numprocesses", 0) is None and many and not alone:
        option.numprocesses, option.dist = (os.cpu_count() or 1) + 1, "loadfile"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Files go in the order in which they were found: those with browsers, which take longest, come first."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return stays_together(nodeid)

    config.option.loadscopereorder = False
    return Scheduling(config, log)


def stays_together(nodeid):
    """Name of what one process runs: a whole file; of browser tests what shares an opened page, which is a lesson; of the
    site each page on each kind of screen; of the answers of many hands those to one exercise."""
    file, _, test = nodeid.partition("::")
    parted = file.startswith("tests/browser/") or file == "tests/test_checks_submissions.py"
    first = r"\[([^\]]+)" if file == "tests/browser/test_web_pages.py" else r"\[([^\]-]+)"
    opened = re.search(first, test) if parted else None
    return f"{file} {opened[1]}" if opened else file


def pytest_collection_finish():
    """Let Python's search for garbage pass over the thousands of tests and what was imported for them: it would stop an
    answer for longer than a check gives it."""
    gc.collect()
    gc.freeze()


def pytest_ignore_collect(collection_path):
    """Leave the scripts in tests/ alone: --doctest-modules would import them only to look for examples."""
    name = collection_path.name
    if name.endswith(".py") and collection_path.is_relative_to(os.path.dirname(__file__)):
        return None if name.startswith(("test_", "conftest", "__init__")) else True
    return None


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A learner's own my_model.py that is not there yet, and of which nothing has been told."""
    from helpers import yours  # NumPy, which counts its threads, is imported after the environment is set

    monkeypatch.setenv("MY_MODEL", str(tmp_path / "my_model.py"))
    monkeypatch.setattr(yours, "_told", set())
    yours._loaded.cache_clear()
    return tmp_path / "my_model.py"


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
    needs = {
        "REQUIRE_MODEL": NEEDS_MODEL,
        "REQUIRE_TORCH": NEEDS_TORCH,
        "REQUIRE_WEB": NEEDS_SITE,
        "REQUIRE_LIVE": NEEDS_LIVE,
    }
    counts = {switch: sum(reason in str(report.longrepr) for report in skipped) for switch, reason in needs.items()}
    for switch, count in {"REQUIRE_BROWSER": len(skipped) - sum(counts.values()), **counts}.items():
        if os.environ.get(switch) == "1" and count:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            reporter.ensure_newline()
            reporter.section(f"{switch}=1: nothing may be skipped", red=True)
            reporter.line(f"{count} skipped; the reasons stand in the summary.", red=True)


def pytest_terminal_summary(terminalreporter):
    """Say loudly what was not run, where the summary is written: what a browser would have seen in capitals."""
    skipped = terminalreporter.stats.get("skipped", [])
    if any(NO_BROWSER in str(report.longrepr) for report in [*skipped, *terminalreporter.stats.get("error", [])]):
        from tests.browser.lab import HOW_TO_GET_A_BROWSER, why_no_browser

        terminalreporter.section("THE BROWSER TESTS DID NOT RUN", sep="!", red=True, bold=True)
        terminalreporter.line(f"Because {why_no_browser()}. No control was moved, no contrast was measured.", red=True)
        terminalreporter.line(f"To run them: {HOW_TO_GET_A_BROWSER}")
        terminalreporter.line("With REQUIRE_BROWSER=1 this is a failure.")
    if any(NEEDS_MODEL in str(report.longrepr) for report in skipped):
        terminalreporter.section("the real model was not tested", yellow=True)
        terminalreporter.line(
            "Its weights are not installed; README says how to get them, by the extra model.", yellow=True
        )
    if any(NEEDS_SITE in str(report.longrepr) for report in skipped):
        terminalreporter.section("the site was not tested", yellow=True)
        terminalreporter.line("To build it: python -m pip install -e .[web], then `python -m web.build`.", yellow=True)
    if any(NEEDS_LIVE in str(report.longrepr) for report in skipped):
        terminalreporter.section(NEEDS_LIVE, yellow=True)
        terminalreporter.line(
            "To get a Pyodide: `python -m tests.pyodide FOLDER`, then `python -m web.build --live FOLDER`.", yellow=True
        )
