"""A picture whose kernel was restarted says that it sleeps and how to wake it."""

ASLEEP = "() => getComputedStyle(document.querySelector('.explorer'), '::after').content"
RESTART = "() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()"


def test_picture_says_that_it_sleeps_until_its_cells_run_again(notebook_tab):
    path = notebook_tab.lab.write_notebook(
        "planted/asleep.ipynb", "from helpers import explorers\nexplorers.explore_three_tokens()"
    )
    page = notebook_tab.open(path).run_all().page
    assert "Asleep" not in page.evaluate(ASLEEP)
    page.evaluate(RESTART)
    page.wait_for_function(f"() => ({ASLEEP})().includes('Asleep')")
    notebook_tab.run_all()
    assert "Asleep" not in page.evaluate(ASLEEP)
