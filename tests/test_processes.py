"""A run of many files is shared out among processes; one that needs the terminal, or one file, is not."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import conftest

HERE = Path(__file__).parent


def processes(*args, **options):
    option = SimpleNamespace(numprocesses=None, dist="no", capture="fd")
    vars(option).update(options)
    conftest.pytest_cmdline_main(SimpleNamespace(option=option, args=args))
    return option.numprocesses, option.dist


@pytest.mark.parametrize("args", [["tests"], ["tests/test_words.py", "tests/test_terms.py"], ["tests", "helpers"]])
def test_many_files_take_one_process_more_than_there_are_cores(args, monkeypatch):
    monkeypatch.chdir(HERE.parent)
    assert processes(*args) == (os.cpu_count() + 1, "loadfile")


@pytest.mark.parametrize("args", [["tests/test_words.py"], ["tests/test_words.py::a", "tests/test_words.py::b"]])
def test_one_file_takes_none(args, monkeypatch):
    monkeypatch.chdir(HERE.parent)
    assert processes(*args) == (None, "no")


@pytest.mark.parametrize("options", [{"capture": "no"}, {"usepdb": True}, {"collectonly": True}, {"numprocesses": 0}])
def test_whoever_needs_the_terminal_or_says_a_number_gets_it(options):
    assert processes("tests", "helpers", **options) == (options.get("numprocesses"), "no")


def test_a_process_of_a_run_starts_no_others():
    option = SimpleNamespace(numprocesses=None, dist="no", capture="fd")
    conftest.pytest_cmdline_main(SimpleNamespace(option=option, args=["tests", "helpers"], workerinput={}))
    assert option.numprocesses is None


@pytest.mark.parametrize(
    "nodeid, unit",
    [
        ("tests/test_words.py::test_a[x-y]", "tests/test_words.py"),
        ("notebooks/02_a.ipynb::Cell 3", "notebooks/02_a.ipynb"),
        ("tests/browser/test_lessons.py::test_opens[02_a]", "tests/browser/test_lessons.py 02_a"),
        ("tests/browser/test_lessons.py::test_reads[02_a-dark]", "tests/browser/test_lessons.py 02_a"),
        ("tests/browser/test_web_pages.py::test_page[phone-a/b.html]", "tests/browser/test_web_pages.py phone"),
        ("tests/test_checks_submissions.py::test_told[softmax]", "tests/test_checks_submissions.py softmax"),
        ("tests/browser/test_player.py::test_plays", "tests/browser/test_player.py"),
    ],
)
def test_what_shares_an_opened_page_stays_together(nodeid, unit):
    assert conftest.stays_together(nodeid) == unit


@pytest.mark.parametrize(
    ("options", "run"),
    [({}, ["quick"]), ({"everything": True}, ["quick", "long"]), ({"rest": True}, ["long"])],
)
def test_a_run_is_of_the_first_tier_of_all_or_of_the_rest(options, run, request):
    marks = {"quick": None, "long": "everything"}
    items = [SimpleNamespace(name=name, get_closest_marker=lambda _, mark=mark: mark) for name, mark in marks.items()]
    option = SimpleNamespace(**{"everything": False, "rest": False} | options)
    hook = SimpleNamespace(pytest_deselected=lambda items: None)
    tiers = request.config.pluginmanager.get_plugin(str(HERE.parent / "conftest.py"))
    tiers.pytest_collection_modifyitems(SimpleNamespace(option=option, hook=hook), items)
    assert [item.name for item in items] == run


def test_first_process_says_in_capitals_that_no_browser_was_there(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/none")
    said = []
    reporter = SimpleNamespace(
        stats={"skipped": [SimpleNamespace(longrepr=f"{conftest.NO_BROWSER}: so")]},
        section=lambda words, **how: said.append(words),
        line=lambda words, **how: said.append(words),
    )
    conftest.pytest_terminal_summary(reporter)
    assert said[0] == "THE BROWSER TESTS DID NOT RUN" and "CHROMIUM=/none is no program" in said[1]
    reporter.stats, said[:] = {}, []
    conftest.pytest_terminal_summary(reporter)
    assert said == []
