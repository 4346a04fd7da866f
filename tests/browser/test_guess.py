"""What answers a question is covered until a guess is made, or until it is asked for without one."""

import pytest

SHOWN = "() => getComputedStyle([...document.querySelectorAll('.jp-Cell')].at(-1).querySelector('.jp-Cell-outputArea > *')).visibility"
CELLS = (
    "from helpers import explorers\nexplorers.explore_three_tokens()",
    'explorers.predict("what the row person asks", covers=True)',
    "print(42)",
)


@pytest.mark.everything
@pytest.mark.parametrize("button", ["4 × worn", "Show it without a guess"])
def test_the_next_output_is_covered_until_then(button, notebook_tab):
    path = notebook_tab.lab.write_notebook("planted/guess.ipynb", *CELLS)
    page = notebook_tab.open(path).run_all().page
    assert page.evaluate(SHOWN) == "hidden"
    page.get_by_role("button", name=button).click()
    page.wait_for_function(f"() => ({SHOWN})() === 'visible'")
