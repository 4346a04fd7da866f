"""What README says of a projector: an explorer in a tab of its own, as large as it gets, answers the hand there."""

import pytest

pytestmark = pytest.mark.everything

FULL_HD_AT_175_PER_CENT = {"width": 1097, "height": 617}
HERE, THERE = ".jp-Notebook .explorer-view", ".jp-LinkedOutputView .explorer-view"


@pytest.fixture
def page(notebook_tab):
    """The three tokens of lesson 02, which stand in a notebook and in a view of their own beside it."""
    path = notebook_tab.lab.write_notebook(
        "planted/projected.ipynb",
        "from helpers import explorers\nmade = explorers.explore_three_tokens()\nmade.set(numbers=True)\nmade",
    )
    page = notebook_tab.open(path).run_all().page
    page.locator(".jp-OutputArea-output:has(.touch)").click(button="right", position={"x": 3, "y": 3})
    page.get_by_text("Create New View for Cell Output").click()
    notebook_tab.show_side_bar(False)
    page.set_viewport_size(FULL_HD_AT_175_PER_CENT)
    page.locator(f"{THERE} .touch").first.wait_for()
    yield page
    notebook_tab.show_side_bar(True)


def test_explorer_in_a_tab_of_its_own_answers_the_hand_and_the_page_follows(page):
    before = page.locator(THERE).inner_html()
    assert page.locator(HERE).inner_html() == before
    page.locator(f"{THERE} .touch:not([title*='chosen'])").last.click()
    page.wait_for_function(f"before => document.querySelector('{THERE}').innerHTML !== before", arg=before)
    page.wait_for_function(
        f"document.querySelector('{THERE}').innerHTML === document.querySelector('{HERE}').innerHTML"
    )
    assert page.locator(".jp-LinkedOutputView").evaluate("view => view.scrollWidth - view.clientWidth") <= 0
