"""A test of the tests: on a page full of faults, those that look for them do not say that all is well."""

import pytest

from .access import findings
from .controls import dead_controls, explorers
from .layout import too_wide
from .touching import dead_parts

pytestmark = pytest.mark.everything

EXPLORER = """
import ipywidgets as widgets

view = widgets.HTML().add_class("explorer-view")
alive, asleep = (widgets.FloatSlider(1, min=0, max=2, step=0.5, description=name) for name in ("alive", "asleep"))

def show(_=None):
    view.value = (f'<p>{alive.value} <span class="touch at-x r0" title="dead">one</span>'
                  '<span style="background-color:#ffffff;color:#bbbbbb">pale</span></p>')

alive.observe(show, "value")
show()
controls = widgets.VBox([alive, asleep, widgets.Button(description="Nothing")]).add_class("explorer-controls")
widgets.VBox([controls, view]).add_class("explorer")
"""
WIDE = """
from IPython.display import HTML, display
display(HTML('<table><caption>c</caption><tr><th scope="row">wide</th><td style="min-width:1200px">x</td></tr></table>'))
display(HTML("<script>console.error('a script complains'); setTimeout(() => { throw Error('a script stops') });</script>"))
"""
CALLS_OUT = "import urllib.request; urllib.request.urlopen('http://203.0.113.7/', timeout=5)"


def test_faults_are_found(notebook_tab):
    cells = EXPLORER, WIDE, CALLS_OUT, "print('never reached')"
    page = notebook_tab.open(notebook_tab.lab.write_notebook("planted/faults.ipynb", *cells)).run_all()
    (box,) = explorers(page)
    found = dead_controls(box) + dead_parts(box) + too_wide(page) + findings(page, "light")
    found = "\n".join([*found, *page.problems, *page.cell_trouble])
    for fault in (
        "slider 'asleep' changes nothing",
        "button 'Nothing' changes nothing",
        "has no Reset button",
        "“dead” changes nothing",
        "1280 pixels, file browser open: ",
        "pale",
        "a script complains",
        "a script stops",
        "asked for 203.0.113.7",
        "cell 3 did not run",
    ):
        assert fault in found, found
    assert "'alive'" not in found
