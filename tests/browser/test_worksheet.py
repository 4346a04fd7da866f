"""A sheet is printed on one page, of either paper, and nothing of it is cut off."""

import re

import pytest

from rooms.commands import worksheet

pytestmark = pytest.mark.everything


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("lesson", worksheet.TASKS)
def test_each_sheet_fills_one_page(lesson, paper, chromium, tmp_path):
    page = chromium.new_page()
    written = worksheet.files(lesson, 1, 6, False)
    for (name, text), pages in zip(written.items(), [6, 2], strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
        page.goto((tmp_path / name).as_uri())
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        printed = len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(format=paper)))
        assert printed == pages or (name.endswith("key.html") and printed < pages)
    page.close()


def test_sums_of_the_key_open_on_the_screen(chromium, tmp_path):
    page = chromium.new_page(viewport={"width": 390, "height": 800})
    (path := tmp_path / "key.html").write_text(
        worksheet.files("attend_by_hand", 1, 2, False)["attend_by_hand_1_to_2_key.html"]
    )
    page.goto(path.as_uri())
    sums = page.get_by_text("dot products [1, 1] = token 1").first
    assert not sums.is_visible()
    page.locator("summary").first.click()
    assert sums.is_visible()
    page.close()
