"""A notebook that somebody sent runs nothing when it is opened: neither its outputs, nor its prose, nor stored widgets."""

import json

import nbformat.v4 as v4
import pytest

from tests.refresh_notebooks import METADATA

VIEW, STATE = "application/vnd.jupyter.widget-view+json", "application/vnd.jupyter.widget-state+json"


def says(what):
    """JavaScript that tells the page that it ran."""
    return f"(window.__ran ??= []).push({what!r})"


def html(what):
    """Ways for HTML to run a script."""
    script, event, link = (says(f"{kind} in {what}") for kind in ("script", "event", "link"))
    return (
        f'<script>{script}</script><img src="x" onerror="{event}"><svg onload="{event}"></svg>'
        f'<iframe srcdoc="<script>parent.eval({event!r})</script>"></iframe><a href="javascript:{link}">link</a>'
    )


def widget(name, module="@jupyter-widgets/controls", version="2.0.0", **state):
    """Stored state of one widget, as saving with "Save Widget State Automatically" writes it."""
    names = {"_model_name": f"{name}Model", "_model_module": module, "_model_module_version": version}
    names |= {"_view_name": f"{name}View", "_view_module": module, "_view_module_version": version}
    return {
        "model_name": f"{name}Model",
        "model_module": module,
        "model_module_version": version,
        "state": names | state,
    }


STORED = {
    "html": widget("HTML", value=html("an HTML widget")),
    "label": widget("HTMLMath", value=html("an HTMLMath widget")),
    "button": widget("Button", description=html("a button"), tooltip=html("a tooltip")),
    "output": widget("Output", "@jupyter-widgets/output", "1.0.0", outputs=[
        {"output_type": "display_data", "metadata": {}, "data": {"text/html": html("an Output widget")}},
        {"output_type": "display_data", "metadata": {}, "data": {"application/javascript": says("an Output's script")}},
    ]),
    "any": widget("Any", "anywidget", "*", _esm=f"{says('an anywidget')}; export default {{}}", _css=""),
    "box": widget("VBox", children=["IPY_MODEL_html", "IPY_MODEL_output", "IPY_MODEL_button", "IPY_MODEL_any"]),
    "events": widget("Event", "ipyevents", "2.0.0", source="IPY_MODEL_html", watched_events=["click", "mouseenter"]),
}  # fmt: skip


def hostile():
    """A notebook full of things that must not run."""
    data = [{VIEW: {"model_id": name, "version_major": 2, "version_minor": 0}} for name in STORED]
    data += [{kind: html(kind)} for kind in ("text/html", "text/markdown", "image/svg+xml")]
    data += [
        {"application/javascript": says("application/javascript")},
        {"text/latex": f"$\\href{{javascript:{says('latex')}}}{{x}}$"},
    ]
    outputs = [v4.new_output("display_data", each) for each in data]
    cells = [v4.new_markdown_cell(html("prose")), v4.new_code_cell("1 + 1", execution_count=1, outputs=outputs)]
    state = {STATE: {"version_major": 2, "version_minor": 0, "state": STORED}}
    return v4.new_notebook(cells=cells, metadata={**METADATA, "widgets": state})


RAN = "() => window.__ran ?? []"
TRUSTED = "() => window.jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.trusted)"


@pytest.fixture
def received(notebook_tab):
    """The hostile notebook, as a file that came from somewhere else, opened."""
    target = notebook_tab.lab.work / "planted" / "received.ipynb"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(hostile()), encoding="utf-8")
    notebook_tab.page.evaluate("() => { window.__ran = []; }") if notebook_tab.path else None
    return notebook_tab.open("planted/received.ipynb")


@pytest.mark.everything
def test_opening_a_notebook_that_is_not_trusted_runs_nothing(received):
    page = received.page
    assert page.evaluate(TRUSTED)[1] is False
    page.wait_for_timeout(1500)  # time for stored widgets to wake, if they would
    assert page.evaluate(RAN) == []
    assert not [problem for problem in received.problems if "leaves this machine" in problem]


@pytest.mark.everything
def test_what_runs_is_noticed(received):
    """The same notebook once its reader has trusted it: the page tells what ran."""
    received.page.evaluate(
        "() => { for (const cell of window.jupyterapp.shell.currentWidget.content.widgets) cell.model.trusted = true; }"
    )
    received.page.wait_for_timeout(500)
    assert "application/javascript" in received.page.evaluate(RAN)
