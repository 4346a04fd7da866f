"""The one mechanism behind every explorer: controls, a pure computation, and what is drawn from its result."""

import html
from typing import NamedTuple

import ipywidgets as widgets
import numpy as np

LABEL = {"description_width": "initial"}  # the default cuts labels after ten letters
LEFT = (
    "<style>.explorer .widget-label { text-align: left; } .explorer p { max-width: 46em; } "
    ".explorer .mod-active, .predict .mod-active { outline: 2px solid currentColor; outline-offset: -2px; } "
    ".explorer .compact .widget-label { position: absolute; width: 1px; height: 1px; overflow: hidden; "
    "clip-path: inset(50%); }</style>"  # compact fields keep their names for screen readers
)
ABOVE = {"description_width": "100%"}  # a label that fills its line leaves the next one to the slider
WIDTH = "320px"


class Light(NamedTuple):
    """One thing that must hold.

    rule : str, in words
    holds : bool
    detail : str, by how much it fails
    """

    rule: str
    holds: bool
    detail: str = ""


class Explorer(widgets.VBox):
    """Controls beside a live view.

    Parameters
    ----------
    controls : dict name -> ipywidget with a value, or NumberGrid; the names are the arguments of `compute`
    compute : function(**values) -> dict name -> array. Pure: the same values give the same arrays. A ValueError or
        TypeError that it raises is told to the learner, and the last good picture stays.
    draw : function(shown, values) -> matrices.Html
    describe : function(shown, values) -> one sentence with rounded numbers that says what is seen
    lights : function(shown, values) -> list of Light, what must hold; None = nothing to watch
    presets : dict button text -> dict name -> value

    Attributes
    ----------
    controls : dict name -> ipywidget, those in play now; what another control has hidden is left out
    shown : dict name -> array that the view displays now
    values : dict name -> the values behind it
    text : the sentence under the view
    """

    def __init__(self, controls, compute, draw, describe, *, lights=None, presets=None):
        self._fields, self._compute, self._draw, self._describe = controls, compute, draw, describe
        self._lights, self._moving_many = lights or (lambda shown, values: []), False
        self._start = {name: field.value for name, field in controls.items()}
        self._controls = {}
        for name, field in controls.items():
            self._controls |= field.controls if isinstance(field, NumberGrid) else {name: field}
        for control in self._controls.values():
            control.observe(self._refresh, "value")
        self._view = widgets.HTML(layout=widgets.Layout(flex="1 1 480px", min_width="0"))
        self._view.add_class("explorer-view")
        self._refresh()
        buttons = [self._button(text, state) for text, state in {**(presets or {}), "Reset": self._start}.items()]
        style = widgets.HTML(LEFT, layout=widgets.Layout(display="none"))
        super().__init__([style, _row(_column([*controls.values(), _row(*buttons)]), self._view)])
        self.add_class("explorer")

    @property
    def controls(self):
        return {name: control for name, control in self._controls.items() if control.layout.display != "none"}

    def set(self, **values):
        """Move several controls at once; the view is drawn once."""
        self._moving_many = True
        try:
            for name, value in values.items():
                self._fields[name].value = value
        finally:
            self._moving_many = False
        self._refresh()

    def _button(self, text, state):
        button = widgets.Button(description=text, layout=widgets.Layout(width="auto"))
        button.on_click(lambda _: self.set(**state))
        return button

    def _refresh(self, _change=None):
        if self._moving_many:
            return
        values = {name: field.value for name, field in self._fields.items()}
        try:
            shown = self._compute(**values)
        except (ValueError, TypeError) as error:
            if not hasattr(self, "shown"):
                raise
            self._view.value = _notice(str(error)) + self.html
            return
        self.shown = {name: np.array(array) for name, array in shown.items()}  # the learner may write into these
        self.values = values
        self.text = self._describe(shown, values)
        picture, lights = self._draw(shown, values), self._lights(shown, values)
        self._picture_text = "\n".join([picture.text, *(_light_words(light) for light in lights)])
        self._note = f"Run this cell to move: {', '.join(_state(*field) for field in self._fields.items())}."
        self.html = (
            f"{picture.html}<div style='margin-top:8px;'>{''.join(map(_light, lights))}</div>{paragraph(self.text)}"
        )
        self._view.value = self.html

    def _repr_mimebundle_(self, **kwargs):
        """Where no kernel runs, the default picture and its sentence stand in for the controls."""
        static = {
            "text/html": self.html + paragraph(self._note),
            "text/plain": f"{self._picture_text}\n{self.text}\n{self._note}",
        }
        return with_static(super()._repr_mimebundle_(**kwargs), static)


class NumberGrid(widgets.VBox):
    """A small matrix to type into. Its value is the array; `.controls` holds a number field for each entry.

    Parameters
    ----------
    name : of the matrix; entry (1, 2) of X is the control "X[1, 2]", counted from 1
    values : (num_rows, num_columns)
    step, minimum, maximum : of each entry
    compact : write the name once above narrow fields, instead of before each
    rows, columns : words beside and above compact fields, also read aloud with each; None = none
    """

    def __init__(self, name, values, *, step=0.5, minimum=-20.0, maximum=20.0, compact=False, rows=None, columns=None):
        values = np.asarray(values, dtype=float)
        self.shape, self.controls = values.shape, {}
        width = f"{min(62, 235 // self.shape[1]) if rows else 62}px" if compact else f"{110 + 7 * len(name)}px"
        for (i, j), value in np.ndenumerate(values):
            entry = f"{name}[{i + 1}, {j + 1}]"
            words = [str(labels[k]) for labels, k in ((rows, i), (columns, j)) if labels]
            self.controls[entry] = widgets.BoundedFloatText(
                value=value, min=minimum, max=maximum, step=step, description=" ".join([entry, *words]),
                style=LABEL, layout=widgets.Layout(width=width),
            )  # fmt: skip
        self._fields = np.array(list(self.controls.values()), dtype=object).reshape(self.shape)
        title = [widgets.HTML(f"<b>{html.escape(name)}</b>")] if compact else []
        heads = [_words(["", *columns] if rows else columns, width)] if columns else []
        beside = [[_words([label], "70px")] for label in rows] if rows else [[] for _ in self._fields]
        lines = [widgets.HBox([*label, *line]) for label, line in zip(beside, self._fields, strict=True)]
        super().__init__([*title, *heads, *lines])
        if compact:
            self.add_class("compact")

    def show_columns(self, count):
        """Show only the first `count` columns, nothing at all for 0. The value keeps the size of the whole grid."""
        self.layout.display = None if count else "none"
        for j, column in enumerate(self._fields.T):
            for field in column:
                field.layout.display = None if j < count else "none"

    @property
    def value(self):
        return np.array([field.value for field in self.controls.values()]).reshape(self.shape)

    @value.setter
    def value(self, values):
        for field, value in zip(self.controls.values(), np.ravel(values), strict=True):
            field.value = type(field.value)(value)  # a checkbox takes no NumPy Boolean


class SwitchGrid(NumberGrid):
    """A small Boolean matrix to tick. Its value is the array; `.controls` holds a checkbox for each entry.

    Parameters
    ----------
    name : of the matrix; entry (1, 2) of mask is the control "mask[1, 2]", counted from 1
    values : (num_rows, num_columns) Boolean
    rows : words beside each row
    columns : words at each checkbox
    """

    def __init__(self, name, values, *, rows, columns):
        values = np.asarray(values, dtype=bool)
        self.shape, self.controls = values.shape, {}
        width = f"{250 // self.shape[1]}px"
        for (i, j), value in np.ndenumerate(values):
            self.controls[f"{name}[{i + 1}, {j + 1}]"] = widgets.Checkbox(
                bool(value), indent=False, description=str(columns[j]), tooltip=f"{rows[i]} {columns[j]}",
                style=LABEL, layout=widgets.Layout(width=width, margin="2px 0"),
            )  # fmt: skip
        self._fields = np.array(list(self.controls.values()), dtype=object).reshape(self.shape)
        lines = [widgets.HBox([_words([word], "70px"), *line]) for word, line in zip(rows, self._fields, strict=True)]
        widgets.VBox.__init__(self, [widgets.HTML(f"<b>{html.escape(name)}</b>"), *lines])


def _words(words, width):
    """Words beside or above the fields of a grid, each as wide as a field and its margins; "" is as wide as a row's."""
    spans = "".join(
        f'<span style="display:inline-block;width:calc({width if word else "70px"} + 4px);font-size:12px;'
        f'white-space:nowrap;line-height:1.3;">{html.escape(str(word))}</span>'
        for word in words
    )
    return widgets.HTML(spans)


def slider(description, value, minimum, maximum, step=0.1):
    """A slider for a number that may take any value between `minimum` and `maximum`."""
    whole = all(isinstance(x, int) for x in (value, minimum, maximum, step))
    kind = widgets.IntSlider if whole else widgets.FloatSlider
    return kind(value, min=minimum, max=maximum, step=step, **_described(description))


def choose(description, options, value):
    """A choice that shows all of its options as buttons. `options`: list, or dict label -> value."""
    return widgets.ToggleButtons(
        options=options, value=value, description=description,
        style={**LABEL, "button_width": "auto"}, layout=widgets.Layout(width=WIDTH),
    )  # fmt: skip


def steps(description, options, value):
    """A slider over a list of (label, value)."""
    return widgets.SelectionSlider(options=options, value=value, **_described(description))


def switch(description, value=False):
    """Something that is on or off."""
    return widgets.Checkbox(value, indent=False, **_described(description))


def text_field(description, value):
    """A line of text, read while it is typed."""
    return widgets.Text(value, **_described(description))


def rows_sum_to_one(weights):
    """The light for weights, (..., num_queries, num_keys): every row must be a set of shares."""
    weights = np.asarray(weights)
    gap = np.abs(weights.sum(axis=-1) - 1).max()
    if np.isnan(gap):
        return Light("every row sums to 1", False, "a row holds NaN, not a number")
    if weights.min() < 0:
        return Light("every row sums to 1", False, f"a weight is negative: {weights.min():.3f}")
    size = f"{gap:.3f}" if gap < 1e4 else f"{gap:.1e}"  # powers without a sum have hundreds of digits
    return Light("every row sums to 1", bool(gap < 1e-6), f"a row is off by {size}")


def equals(rule, output, right):
    """The light for an output that must be the right one, arrays both."""
    if output.shape != right.shape:
        return Light(rule, False, "it has another shape")
    gap = np.abs(output - right).max()
    return Light(rule, bool(gap < 1e-9), f"one is off by {gap:.3f}")


def _described(description):
    layout = widgets.Layout(width=WIDTH, height="auto", flex_flow="row wrap")
    return {"description": description, "style": ABOVE, "layout": layout}


def _column(children):
    box = widgets.VBox(children, layout=widgets.Layout(flex="0 0 auto", width="340px", max_width="100%"))
    box.add_class("explorer-controls")
    return box


def _row(*children):
    return widgets.Box(children, layout=widgets.Layout(display="flex", flex_flow="row wrap"))


def paragraph(text):
    return f'<p style="margin:6px 0;line-height:1.4;">{html.escape(text)}</p>'


def _notice(text):
    return (
        '<p style="background-color:#fff4ce;color:#000;padding:6px 10px;line-height:1.4;">'
        f"{html.escape(text)} The last good picture stays.</p>"
    )


def _light_words(light):
    return f"{'✓' if light.holds else '✗'} {light.rule}{'' if light.holds or not light.detail else ': ' + light.detail}"


def _light(light):
    colour = "#e3f4e1" if light.holds else "#fddcd8"
    style = f"background-color:{colour};color:#000;padding:2px 9px;margin:0 8px 4px 0;display:inline-block;"
    return f'<span style="{style}">{html.escape(_light_words(light))}</span>'


def _state(name, field):
    if isinstance(field, NumberGrid):
        return name
    shown = getattr(field, "label", None) or field.value
    return f"{field.description or name} = {shown}"


def with_static(bundle, static):
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    return {**data, **static}
