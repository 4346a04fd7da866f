"""A picture whose kernel was restarted says that it sleeps and how to wake it."""

import pytest

ASLEEP = "() => getComputedStyle(document.querySelector('.explorer'), '::after').content"
BY_MENU = "() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()"


@pytest.mark.everything
@pytest.mark.parametrize("by", ["menu", "another client"])
def test_picture_says_that_it_sleeps_until_its_cells_run_again(by, notebook_tab):
    path = notebook_tab.lab.write_notebook(
        "planted/asleep.ipynb", "from helpers import explorers\nexplorers.explore_three_tokens()"
    )
    page = notebook_tab.open(path).run_all().page
    assert "Asleep" not in page.evaluate(ASLEEP)
    if by == "menu":
        page.evaluate(BY_MENU)
    else:
        for kernel in notebook_tab.lab.ask("api/kernels"):
            notebook_tab.lab.ask(f"api/kernels/{kernel['id']}/restart", "POST")
    page.wait_for_function(f"() => ({ASLEEP})().includes('Asleep')")
    notebook_tab.run_all()
    assert "Asleep" not in page.evaluate(ASLEEP)
