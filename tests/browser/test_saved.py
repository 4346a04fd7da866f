"""A saved explorer, opened from its file: it moves, and asks for nothing."""

import contextlib

import pytest

from helpers import explorers

pytestmark = pytest.mark.everything


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_saved_page_moves_when_it_is_opened_from_its_file(chromium, tmp_path, theme):
    made = explorers.explore_lookup()
    made.save(tmp_path / "lookup.html")
    with contextlib.closing(
        chromium.new_context(viewport={"width": 1280, "height": 800}, color_scheme=theme)
    ) as context:
        page, troubles, asked = context.new_page(), [], []
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto((tmp_path / "lookup.html").as_uri())
        page.wait_for_selector(".player.ready")
        first = page.locator(".explorer-view > p").last.inner_text()
        assert first == made.text
        sheet = page.locator(".explorer-sheet > div").first.bounding_box()
        page.mouse.click(sheet["x"] + 0.9 * sheet["width"], sheet["y"] + 0.2 * sheet["height"])
        assert page.locator(".explorer-view > p").last.inner_text() != first
        page.locator('[data-button="Reset"]').click()
        assert page.locator(".explorer-view > p").last.inner_text() == first
        dark = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert (dark == "rgb(255, 255, 255)") == (theme == "light")
        wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert troubles == [] and wide <= 0 and all(url.startswith(("file:", "data:")) for url in asked)
