"""Where the built site lies, for the tests that look at it; they never build it: `python -m web.build` does."""

import functools
import importlib.util
import os
from pathlib import Path

import pytest

from web import build

WITHOUT = "THE SITE WAS NOT TESTED: the extra web"  # stands in the reason of every test that is skipped without it
WITHOUT_LIVE = "THE LIVE LESSONS WERE NOT TESTED: no Pyodide"  # likewise; CONTRIBUTING.md says how to get one


@functools.cache
def live():
    """The folder of pages, with the live lessons in it; where they were left out, likewise, with REQUIRE_LIVE=1."""
    if not (site() / "live").is_dir():
        refuse = pytest.fail if os.environ.get("REQUIRE_LIVE") == "1" else pytest.skip
        refuse(f"{WITHOUT_LIVE}: the site was built without --live")
    return site()


@functools.cache
def site():
    """The folder of pages, built from what lies here now; without it a test is skipped, or fails if REQUIRE_WEB=1."""
    reason = ""
    if importlib.util.find_spec("myst_nb") is None:
        reason = "is not installed"
    elif not build.STAMP.exists():
        reason = "is installed, and `python -m web.build` was not run, or stopped"
    elif build.STAMP.read_text(encoding="utf-8") != build.digest(still=False):
        reason = "is installed, and `python -m web.build` was run before something changed"
    if reason:
        (pytest.fail if os.environ.get("REQUIRE_WEB") == "1" else pytest.skip)(f"{WITHOUT} {reason}")
    return Path(build.HTML)


def lesson_pages():
    """Addresses of the lessons, from the site's root."""
    return [f"notebooks/{path.stem}.html" for path in build.lessons()]


def other_pages():
    return [
        "index.html",
        "run_it_yourself.html",
        "data/README.html",
        "hub/README.html",
        "CONTRIBUTING.html",
        "search.html",
    ]
