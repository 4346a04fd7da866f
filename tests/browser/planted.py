"""Notebooks with planted faults, as cells of code: what the browser tests must catch, and a good one they must pass."""

# A small explorer: draw(values) gives the HTML of the view. The faults below are planted in what they hand to it.
EXPLORER = """
import sys, warnings
import ipywidgets as widgets

PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
CELL = '<td style="background-color:#ffffff;color:#000000">{}</td>'

def good(values):
    shown = ", ".join(f"{name} is {value}" for name, value in values.items())
    return (f'<table><caption>Values</caption><tr><th scope="row">now</th>{CELL.format(shown)}</tr></table>'
            f'<img src="{PIXEL}" alt="Here is what holds: {shown}."><p>{shown}</p>')

def explore(controls, draw=good, reset=True, presets=None):
    view = widgets.HTML().add_class("explorer-view")
    start = {name: control.value for name, control in controls.items()}
    def show(_=None):
        view.value = draw({name: control.value for name, control in controls.items()})
    def button(text, state):
        made = widgets.Button(description=text)
        made.on_click(lambda _: [setattr(controls[name], "value", value) for name, value in state.items()])
        return made
    for control in controls.values():
        control.observe(show, "value")
    show()
    states = {**(presets or {}), **({"Reset": start} if reset else {})}
    buttons = [button(*item) for item in states.items()]
    box = widgets.VBox([*controls.values(), *buttons]).add_class("explorer-controls")
    return widgets.VBox([box, view]).add_class("explorer")

def slider(name, **more):
    return widgets.FloatSlider(1, min=0, max=2, step=0.5, description=name, **more)
"""

GOOD = (
    EXPLORER,
    """
controls = {
    "slider": slider("slider"), "full": widgets.IntSlider(8, min=1, max=8, description="full"),
    "steps": widgets.SelectionSlider(options=["e", 2, 3], description="steps"),
    "list": widgets.Dropdown(options=["soft", "hard"], description="list"),
    "buttons": widgets.ToggleButtons(options=["before", "after"], description="buttons"),
    "switch": widgets.Checkbox(False, description="switch", indent=False),
    "toggle": widgets.ToggleButton(False, description="toggle"),
    "text": widgets.Text("AABA", description="text"),
    "number": widgets.BoundedFloatText(3, min=0, max=3, step=0.5, description="number"),
    "hidden": slider("hidden", layout={"display": "none"}),
}
controls["switch"].observe(lambda change: setattr(controls["hidden"].layout, "display", "" if change.new else "none"), "value")
explore(controls, presets={"Far": {"slider": 2.0, "text": "BB"}, "As it was": {"slider": 1.0}})
""",
    """
options = widgets.RadioButtons(options=["1/6", "1/2"], value=None, layout={"width": "max-content"})
reply = widgets.HTML("Choose.")
options.observe(lambda change: setattr(reply, "value", f"You say {change.new}."), "value")
widgets.VBox([widgets.HTML("<p>How much?</p>"), options, reply]).add_class("predict")
""",
)

# Each fault: what is planted, in one expression. The order is the order of the explorers on the page.
DEAD = {
    "dead slider": 'explore({"a": slider("alive"), "b": slider("asleep")}, lambda values: good({"a": values["a"]}))',
    "dead at the end": 'explore({"a": slider("alive"), "n": widgets.IntSlider(3, min=1, max=3, description="asleep")}, '
    'lambda values: good({"a": values["a"]}))',
    "dead button": 'explore({"a": slider("alive")}, presets={"Nothing": {}})',
    "dead text": 'explore({"a": slider("alive"), "t": widgets.Text("AABA", description="asleep")}, '
    'lambda values: good({"a": values["a"], "t": len(values["t"])}))',
    "stuck": 'explore({"a": slider("alive"), "n": widgets.IntSlider(1, min=1, max=1, description="stuck")})',
    "never usable": 'explore({"a": slider("alive"), "b": slider("greyed", disabled=True)})',
    "no reset": 'explore({"a": slider("one"), "b": slider("two")}, reset=False)',
    "half a reset": 'explore({"a": slider("alive"), "b": slider("other")}, reset=False, presets={"Reset": {"b": 1.0}})',
    "only the neighbour": 'first = explore({"a": slider("alive")}); '
    'second = explore({"b": slider("asleep")}, lambda values: good({}), reset=False); '
    'second.children[0].children[0].observe(lambda c: setattr(first.children[1], "value", str(c.new)), "value"); '
    "widgets.VBox([first, second])",
}

LATE = {
    "exception": """
def fails(values):
    if values["a"] != 1:
        raise ValueError("planted exception")
    return good(values)
explore({"a": slider("fails")}, fails)
""",
    "warning": """
def warns(values):
    if values["a"] != 1:
        warnings.warn("planted warning")
    return good(values)
explore({"a": slider("warns")}, warns)
""",
    "outside request": """
def calls_out(values):
    return good(values) + ('<img alt="A far picture." src="http://203.0.113.7/x.png">' if values["a"] != 1 else "")
explore({"a": slider("calls out")}, calls_out)
""",
}

UNTOLD = """explore({"a": slider("")}, lambda values: good(values) + f'''<img src="{PIXEL}"><img src="{PIXEL}" alt="weights">
  <table><tr><th>head</th><td>1</td></tr></table>
  <p style="background-color:#ffffff;color:#bbbbbb">pale</p>
  <p style="background-color:#222222;color:var(--jp-ui-font-color1)">dark on dark in the light theme</p>
  <p style="background-color:#ffffff;color:var(--jp-ui-font-color1)">light on light in the dark theme</p>''')"""

TOUCHES = """explore({"a": slider("alive")}, lambda values: good(values) + '<span class="touch at-x r0" title="dead">one</span>'
    '<span class="touch at-x r1" title="the same, chosen">two</span><span class="drag at-x r2">three</span>')"""

SILENT = """
answers = widgets.ToggleButtons(options=["one", "two", "three"], value=None)
reply = widgets.HTML("Choose.")
answers.observe(lambda change: setattr(reply, "value", "three" if change.new == "three" else "another"), "value")
widgets.VBox([answers, reply]).add_class("predict")
"""

UNREACHABLE = """explore({"a": slider("first"), "b": widgets.Checkbox(False, description="skipped", tabbable=False),
                         "c": slider("third")})"""

UNREACHABLE_FIRST = (
    """explore({"a": widgets.Checkbox(False, description="first", tabbable=False), "b": slider("then")})"""
)

STRAY = """widgets.VBox([slider("lonely"), widgets.HTML("nothing")])"""

SCRIPT = """from IPython.display import HTML, display
display(HTML("<script>console.error('planted console error'); setTimeout(() => { throw Error('planted page error') });</script>"))"""

NETWORK = "import urllib.request; urllib.request.urlopen('http://203.0.113.7/', timeout=5)"

OFF_THE_STEPS = """import numpy as np
from helpers import explorers
explorers.explorer(
    lambda x: {"y": np.array([[x]])}, lambda now: now.table("y", decimals=4), lambda now: f"y is {now.x:.4f}.",
    presets={"on its step": {"x": 0.9}, "between two steps": {"x": 0.9102}}, x=explorers.slider("x", 1.0, 0.1, 2.0))"""

WIDE = """from IPython.display import HTML, display
display(HTML('<table><caption>c</caption><tr><th scope="row">wide</th><td style="min-width:1200px">x</td></tr></table>'))
display(HTML("<p>narrow</p>"))"""

CUT = """explore({"long": widgets.SelectionSlider(options=["a value of more words than there is room for", "b"], description="long")})"""
