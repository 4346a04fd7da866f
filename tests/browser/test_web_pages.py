"""Every page of the site in a browser, light, dark and on a phone, with nothing behind it but a file server."""

import contextlib

import numpy as np
import pytest

from helpers import decoder
from helpers.learning import small_models
from tests import website
from tests.browser.access import RUN_AXE, axe_source
from tests.browser.playing import COVERED, play_every_control, players, served

pytestmark = pytest.mark.everything

SCREENS = {
    "light": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light", "has_touch": True, "is_mobile": True},
    # a desk at 200 %
    "zoomed": {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2, "color_scheme": "light"},
}
PAGES = website.other_pages() + website.lesson_pages()
CUT = """[...document.querySelectorAll('.output.text_html, div.math')].filter(each => each.scrollWidth > each.clientWidth)
    .map(each => `${each.scrollWidth} > ${each.clientWidth}: ${each.innerText.slice(0, 40)}`)"""
UNSET = (
    "[...document.querySelectorAll('.math')].filter(each => !each.querySelector('math')).map(each => each.innerText)"
)
PLACES = """[...document.querySelectorAll('.player[data-src]')].map(box => {
  const place = box.getBoundingClientRect();
  return {top: place.top + scrollY, height: place.height, source: box.dataset.src};
})"""

SMALL = """least => {
  const found = [], shown = '.bd-article :is(.player, .output.text_html)';
  const look = (part, words, height) => words.trim() && part.checkVisibility() && height < least - 0.05
    && !part.closest('.player-said') && found.push(`${words.trim().slice(0, 30)}: ${height.toFixed(1)} px`);
  for (const part of document.querySelectorAll(`:is(${shown}) svg text`)) {
    const {a, b} = part.getScreenCTM();
    look(part, part.textContent, Math.hypot(a, b) * parseFloat(getComputedStyle(part).fontSize));
  }
  for (const part of document.querySelectorAll(`:is(${shown}) :not(svg, svg *, style, script)`)) {
    const own = [...part.childNodes].filter(each => each.nodeType === 3).map(each => each.data).join('');
    if (own.trim()) look(part, own, parseFloat(getComputedStyle(part).fontSize) * part.currentCSSZoom);
  }
  return found;
}"""
SMALLEST = 10  # pixels: the letters of a word on a phone
UNDONE = r"""() => {
  const cards = [...document.querySelectorAll('.player[data-src]')], before = (one, other) => one.compareDocumentPosition(other) & 4;
  const says = (text, words) =>
    new RegExp(`(?<![\\p{L}\\p{N}])${words.replace(/[.*+?^${}()|[\]\\\/]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'u').test(text);
  const does = (card, words) => {
    const {player} = card, {data} = player, all = selector => [...card.querySelectorAll(selector)];
    player.go(data.states[0].flatMap((place, k) => [k, place]));
    if (/^(Click|Drag|Take) /.test(words)) return all('[data-set], .explorer-sheet > div').length > 0;
    const button = all('button').find(each => says(each.textContent, words));
    if (button) {
      button.click();
      const steps = data.buttons[button.dataset.button] ?? [];
      return !button.disabled && button.ariaPressed !== 'false' && steps.every((k, i) => i % 2 || player.state[k] === steps[i + 1]);
    }
    const named = new Map(player.look[1]);
    for (const [k, column] of data.values.entries()) {
      const place = (data.controls[k] ?? column.map(option => named.get(k)?.[option])).indexOf(words);
      if (place >= 0) { player.go([k, place]); return player.state[k] === place; }
    }
    const control = all('[data-control]').find(root => says((root.querySelector('span') ?? root).textContent, words));
    if (control) return !control.querySelector('input, select')?.disabled || !!card.querySelector('.player-more a');
    return data.states.some((_, k) => {
      const picture = document.createElement('div');
      picture.innerHTML = player.html(k);
      return picture.querySelector('[data-set]') && [...picture.querySelectorAll('text, td, th, span')].some(each => says(each.textContent, words));
    });
  };
  return [...document.querySelectorAll('.bd-article ol > li strong')].filter(each => !each.closest('.player')).flatMap(each => {
    const near = [cards.findLast(card => before(card, each)), cards.find(card => before(each, card))].filter(Boolean);
    return near.some(card => does(card, each.textContent.replaceAll('’', "'"))) ? [] : [`${each.textContent}: ${each.closest('li').textContent.slice(0, 80)}`];
  });
}"""
READ = """text => {
  const model = window.letterModel;
  return model.read(text.slice(-model.context));
}"""
WRITE = """text => {
  const model = window.letterModel;
  let written = '';
  for (let k = 0; k < 40; k++) written += model.next(text + written, 0).letter;
  return written;
}"""


@pytest.fixture(scope="module")
def address():
    with served(website.site()) as address:
        yield address


@pytest.fixture(scope="module", params=SCREENS)
def screen(request, chromium, address):
    """A browser window of one kind; `.plays` says whether its explorers are moved, too."""
    context = chromium.new_context(**SCREENS[request.param])
    context.plays = request.param in ("light", "phone")  # elsewhere only colours or sizes are others
    yield context
    context.close()


@contextlib.contextmanager
def opened(screen, address, name):
    """A page, and a list of all that went wrong on it; one tab shows them all, since to open one takes longer than most pages."""
    page, trouble = screen.pages[0] if screen.pages else screen.new_page(), []
    noted = {
        "console": lambda said: trouble.append(said.text) if said.type in ("error", "warning") else None,
        "pageerror": lambda error: trouble.append(str(error)),
        "request": lambda asked: trouble.append(f"asks {asked.url}") if is_foreign(asked.url, address) else None,
        "response": lambda answer: trouble.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None,
    }
    for event, note in noted.items():
        page.on(event, note)
    try:
        page.goto(address + name)
        yield page, trouble
    finally:
        for event, note in noted.items():
            page.remove_listener(event, note)
        page.goto("about:blank")


def is_foreign(url, address):
    return not url.startswith((address, "data:", "blob:", "about:"))


def covered(page):
    """What cannot be reached of all that answers on a page."""
    players(page)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    found = page.locator(".bd-main").evaluate(COVERED)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = false")
    return found


@pytest.mark.parametrize("name", PAGES)
def test_page_fits_moves_and_is_quiet(screen, address, name):
    with opened(screen, address, name) as (page, trouble):
        assert page.evaluate(UNSET) == [], "formulas were not set"
        complaints = play_every_control(page, pixels=1) if screen.plays else covered(page)
        width, room = page.evaluate("document.documentElement.scrollWidth"), page.viewport_size["width"]
        cut = page.evaluate(CUT) if room > 1000 else []
    assert complaints + trouble == []
    assert width <= room, f"the page scrolls sideways: {width} pixels on a screen of {room}"
    assert cut == [], "an output or a formula is wider than its place"


@pytest.mark.parametrize("screen", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("name", [*PAGES, "404.html"])
def test_axe_finds_nothing_serious_on_a_page(screen, address, name):
    with opened(screen, address, name) as (page, _):
        players(page)
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        assert page.evaluate(RUN_AXE, [axe_source(), "html", []]) == []


@pytest.mark.parametrize("screen", ["light"], indirect=True)
@pytest.mark.parametrize("name", website.lesson_pages())
def test_what_a_task_names_in_bold_stands_in_the_card_beside_it_and_does_what_it_says(screen, address, name):
    with opened(screen, address, name) as (page, _):
        players(page)
        assert page.evaluate(UNDONE) == []


@pytest.mark.parametrize("screen", ["light"], indirect=True)
def test_a_task_that_cannot_be_done_is_noticed(screen, address):
    with opened(screen, address, website.lesson_pages()[2]) as (page, _):
        players(page)
        task = page.locator(".bd-article ol > li:has(strong)").first
        task.evaluate("task => { task.querySelector('strong').textContent = 'twi'; }")  # the name of a button is twins
        assert [each.partition(":")[0] for each in page.evaluate(UNDONE)] == ["twi"]


def test_search_leads_to_lessons(screen, address):
    with opened(screen, address, "search.html?q=softmax") as (page, trouble):
        page.locator("#search-results li a[href*='notebooks/']").nth(10).wait_for()  # Sphinx shows one after the other
    assert trouble == []


def test_a_request_to_another_host_is_noticed(screen, address):
    with opened(screen, address, "index.html") as (page, trouble):
        page.evaluate("fetch('http://192.0.2.1/').catch(() => 0)")
        page.wait_for_timeout(200)
    assert any("192.0.2.1" in each for each in trouble)


@pytest.mark.parametrize("screen", ["phone"], indirect=True)
@pytest.mark.parametrize("name", website.lesson_pages())
def test_a_phone_soon_has_something_to_touch_cards_within_its_screen_and_words_that_can_be_read(screen, address, name):
    with opened(screen, address, name) as (page, _):
        played = players(page)
        places, high = page.evaluate(PLACES), page.viewport_size["height"]
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        small = page.evaluate(SMALL, SMALLEST)
        width = page.evaluate("document.documentElement.scrollWidth")
    if played:
        assert places[0]["top"] < 1.5 * high, f"the first one begins {places[0]['top'] / high:.1f} screens down"
    assert [f"{each['source']}: {each['height']:.0f} px" for each in places if each["height"] > high] == []
    assert small == [], f"{len(small)} words are smaller than {SMALLEST} pixels"
    assert width <= page.viewport_size["width"]


@pytest.mark.parametrize("screen", ["phone"], indirect=True)
@pytest.mark.parametrize(
    "planted", ['<svg viewBox="0 0 100 9" width="300"><text font-size="3">here</text></svg>', "<table><td>here</table>"]
)
def test_a_word_that_is_too_small_to_read_is_noticed(screen, address, planted):
    with opened(screen, address, website.lesson_pages()[0]) as (page, _):
        place = "document.querySelector('.player .explorer-view, .output.text_html')"
        page.evaluate(f"markup => {place}.innerHTML += `<div style='font-size:9.9px'>${{markup}}</div>`", planted)
        page.evaluate(f"for (const each of {place}.querySelectorAll('td')) each.style.fontSize = '9.9px'")
        assert [each[:4] for each in page.evaluate(SMALL, SMALLEST)] == ["here"]


# --- the line on which a model writes on -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "beginning", ["attention is ", "q", "who is she? she was wearing a beautiful gold watch, was she"]
)
def test_the_model_in_the_page_is_the_model_of_the_course(screen, address, beginning):
    """More letters than it reads at once; the same logits, weights and greedy text as in Python."""
    parameters = small_models.load_model("letters")
    tokens = small_models.to_numbers(beginning[-small_models.CONTEXT :], small_models.LETTERS)
    decoded = decoder.decode(tokens, parameters, num_heads=small_models.NUM_HEADS)
    with opened(screen, address, "index.html") as (page, trouble):
        page.wait_for_function("window.letterModel")
        found = page.evaluate(READ, beginning)
        written = page.evaluate(WRITE, beginning)
    np.testing.assert_allclose(found["logits"], decoded.logits[-1], rtol=0, atol=1e-9)
    weights = np.concatenate([each.weights[:, -1] for each in decoded.attention])
    np.testing.assert_allclose(found["looked"], weights, rtol=0, atol=1e-12)
    assert written == small_models.go_on(parameters, beginning, 40, temperature=0) and trouble == []


def test_what_is_typed_is_written_on(screen, address):
    with opened(screen, address, "index.html") as (page, trouble):
        page.emulate_media(reduced_motion="reduce")
        page.locator("#writer-line:enabled").fill("Who is she?")
        page.wait_for_function("document.querySelector('.writer .player-said').textContent.startsWith('who is she?')")
        assert len(page.locator(".writer .player-said").text_content()) == len("who is she?") + 90
        assert page.locator(".writer-text").inner_text().startswith("who is she?")
        page.emulate_media(reduced_motion="no-preference")
    assert trouble == []
