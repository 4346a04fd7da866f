"""Every page of the site in a browser, light, dark and on a phone, with nothing behind it but a file server."""

import contextlib

import pytest

from tests import website
from tests.browser.playing import play_every_control, served

pytestmark = pytest.mark.everything

SCREENS = {
    "light": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light", "has_touch": True, "is_mobile": True},
}
PAGES = website.other_pages() + website.lesson_pages()
CUT = """[...document.querySelectorAll('.output.text_html, div.math')].filter(each => each.scrollWidth > each.clientWidth)
    .map(each => `${each.scrollWidth} > ${each.clientWidth}: ${each.innerText.slice(0, 40)}`)"""
UNSET = "[...document.querySelectorAll('.math')].filter(each => !each.querySelector('mjx-container')).map(each => each.innerText)"


@pytest.fixture(scope="module")
def address():
    with served(website.site()) as address:
        yield address


@pytest.fixture(scope="module", params=SCREENS)
def screen(request, chromium, address):
    """A browser window of one kind; `.plays` says whether its explorers are moved, too."""
    context = chromium.new_context(**SCREENS[request.param])
    context.plays = request.param != "dark"  # where only colours are others
    yield context
    context.close()


@contextlib.contextmanager
def opened(screen, address, name):
    """A page, and a list of all that went wrong on it."""
    page, trouble = screen.new_page(), []
    page.on("console", lambda said: trouble.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", lambda asked: trouble.append(f"asks {asked.url}") if is_foreign(asked.url, address) else None)
    page.on(
        "response", lambda answer: trouble.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None
    )
    try:
        page.goto(address + name)
        page.evaluate("window.MathJax?.startup?.promise")
        yield page, trouble
    finally:
        page.close()


def is_foreign(url, address):
    return not url.startswith((address, "data:", "blob:", "about:"))


@pytest.mark.parametrize("name", PAGES)
def test_page_fits_moves_and_is_quiet(screen, address, name):
    with opened(screen, address, name) as (page, trouble):
        assert page.evaluate(UNSET) == [], "formulas were not set"
        complaints = play_every_control(page, pixels=1) if screen.plays else []
        width, room = page.evaluate("document.documentElement.scrollWidth"), page.viewport_size["width"]
        cut = page.evaluate(CUT) if room > 1000 else []
    assert complaints + trouble == []
    assert width <= room, f"the page scrolls sideways: {width} pixels on a screen of {room}"
    assert cut == [], "an output or a formula is wider than its place"


def test_search_leads_to_lessons(screen, address):
    with opened(screen, address, "search.html?q=softmax") as (page, trouble):
        page.locator("#search-results li a[href*='notebooks/']").nth(10).wait_for()  # Sphinx shows one after the other
    assert trouble == []


def test_a_request_to_another_host_is_noticed(screen, address):
    with opened(screen, address, "index.html") as (page, trouble):
        page.evaluate("fetch('http://192.0.2.1/').catch(() => 0)")
        page.wait_for_timeout(200)
    assert any("192.0.2.1" in each for each in trouble)
