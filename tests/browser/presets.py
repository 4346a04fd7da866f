"""Press every preset once: the page must show what Python shows, and its sliders must stand where Python has them.

A slider on the page rounds to its own steps, and Python does not hear of it before somebody moves it.

For each explorer a twin is made in the kernel, by the same expression, that no page ever shows; its buttons are clicked
there in the same order.
"""

import ast
import json
import math

from .controls import explorers
from .lab import FRAMES, WITH_DEADLINE

# Printed in the kernel: JSON, list of (text of the button, HTML of the view after it, values of the sliders).
TWIN = """
def _press_every_button():
    import json
    import ipywidgets
    twin = {expression}
    seen, found = [], [twin]
    for widget in found:
        found += getattr(widget, "children", ())
    buttons = [widget for widget in found if type(widget) is ipywidgets.Button]
    for button in sorted(buttons, key=lambda button: button.description != "Reset"):
        button.click()
        sliders = [widget.value for widget in found if isinstance(widget, (ipywidgets.IntSlider, ipywidgets.FloatSlider))]
        seen.append((button.description, twin._view.value, sliders))
    for widget in found:
        widget.close()
    print(json.dumps(seen))
_press_every_button()
"""

SOURCE = """box => { const node = box.closest('.jp-Cell');
  return window.jupyterapp.shell.currentWidget.content.widgets.find(cell => cell.node === node).model.sharedModel.source; }"""

ASK = """async () => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel, said = [];
  const future = kernel.requestExecute({code: CODE, store_history: false});
  future.onIOPub = ({content}) => said.push(content.text ?? (content.ename ? `${content.ename}: ${content.evalue}` : ''));
  await future.done;
  return said.join('');
}"""

SAME = """([box, html]) => { const twin = document.createElement('div'); twin.innerHTML = html;
  return twin.innerHTML === box.querySelector('.explorer-view .widget-html-content').innerHTML; }"""
IDLE = "() => window.__watch.waiting.size === 0"


def differing_presets(notebook):
    """Presets after which the page shows something else than Python."""
    return [f"{box.name}: {text}" for box in explorers(notebook) for text in _differing(box)]


def _differing(box):
    buttons = {control.label: control for control in box.controls() if control.kind == "button"}
    if not set(buttons) - {"Reset"}:
        return []
    expression = ast.unparse(ast.parse(box.page.evaluate(SOURCE, box.element)).body[-1])
    asked = json.dumps(TWIN.replace("{expression}", expression))
    said = box.page.evaluate(WITH_DEADLINE, [ASK.replace("CODE", asked), 60])
    try:
        seen = json.loads(said)
    except ValueError:
        return [f"no twin of {expression} could be made: {said}"]
    return [f"{text!r} {trouble}" for text, *want in seen for trouble in _press(box, buttons[text], *want)]


def _press(box, button, html, values):
    """What the page shows after a button, where it is something else than in Python."""
    box.mark()
    box.press(button, "Space")
    box.changed()
    box.page.evaluate(FRAMES)
    box.page.wait_for_function(IDLE)
    if not box.page.evaluate(SAME, [box.element, html]):
        yield "shows something else than in Python"
    told = [number(control.value) for control in box.controls() if control.kind == "slider"]
    for value in values:
        if not any(abs(value - each) < 1e-9 for each in told):
            yield f"leaves no slider on the page at {value}: is it between two steps?"


def number(text):
    """What a slider says of itself; NaN where it has words."""
    try:
        return float(text)
    except ValueError:
        return math.nan
