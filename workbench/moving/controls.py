"""What a learner moves: sliders, choices, switches, text, and small matrices to type into or to tick."""

import html

import ipywidgets as widgets
import numpy as np
import traitlets

from helpers.support import inputs

LABEL = {"description_width": "initial"}  # the default cuts labels after ten letters
WIDTH = "100%"
LARGEST = 16  # rows or columns of a grid
MOST = 1e12  # of a slider: it counts its steps
FEW, SHORT = 4, 40  # options and their letters: a row of buttons holds either


class _Limited(traitlets.HasTraits):
    """A number field that says when it was asked for too much: the page, if it knew the limits, would change the number
    without a word. `limit` is that sentence, or ""."""

    limit = traitlets.Unicode("")

    @traitlets.validate("value")
    def _validate_value(self, proposal):
        value = min(max(proposal["value"], self.min), self.max)
        end, most = ("largest", self.max) if value < proposal["value"] else ("smallest", self.min)
        self.limit = "" if value == proposal["value"] else f"The {end} number for “{self.description}” is {most:g}."
        return value


class NumberField(_Limited, widgets.BoundedFloatText):
    _model_name = traitlets.Unicode("FloatTextModel").tag(sync=True)
    min, max = traitlets.CFloat(0.0), traitlets.CFloat(100.0)


class WholeNumberField(_Limited, widgets.BoundedIntText):
    _model_name = traitlets.Unicode("IntTextModel").tag(sync=True)
    min, max = traitlets.CInt(0), traitlets.CInt(100)


class NumberGrid(widgets.VBox):
    """A small matrix to type into. Its value is the array; `.controls` holds a number field for each entry.

    Parameters
    ----------
    name : of the matrix; entry (1, 2) of X is the control "X[1, 2]", counted from 1
    values : (num_rows, num_columns)
    step, minimum, maximum : of each entry
    compact : write the name once above narrow fields, instead of before each
    rows, columns : words beside and above compact fields, also read aloud with each; None = none
    note : after the name above compact fields
    """

    def __init__(
        self, name, values, *, step=0.5, minimum=-20.0, maximum=20.0, compact=False, rows=None, columns=None, note=""
    ):
        inputs.text("name", name)
        inputs.text("note", note)
        values = np.asarray(inputs.finite("values", values), dtype=float)
        rows, columns = (
            None if labels is None else inputs.labels(what, labels)
            for what, labels in (("rows", rows), ("columns", columns))
        )
        _fits_grid("values", values, rows, columns)
        inputs.yes_or_no("compact", compact)
        _range(0, minimum, maximum, step, inside=False)
        self.shape, self.controls = values.shape, {}
        width = min(62, (235 if rows else 204) // self.shape[1]) if compact else 110 + 7 * len(name)
        width = f"{max([width, *(8 * len(str(word)) for word in columns or [])])}px"
        for (i, j), value in np.ndenumerate(values):
            entry = f"{name}[{i + 1}, {j + 1}]"
            words = [str(labels[k]) for labels, k in ((rows, i), (columns, j)) if labels]
            self.controls[entry] = NumberField(
                value=value, min=minimum, max=maximum, step=step, description=" ".join([entry, *words]),
                style=LABEL, layout=widgets.Layout(width=width),
            )  # fmt: skip
        self._fields = np.array(list(self.controls.values()), dtype=object).reshape(self.shape)
        title = [widgets.HTML(f"<b>{html.escape(name)}</b> {html.escape(note)}")] if compact else []
        heads = [_words(["", *columns] if rows else columns, width)] if columns else []
        beside = [[_words([label], "70px")] for label in rows] if rows else [[] for _ in self._fields]
        lines = [widgets.HBox([*label, *line]) for label, line in zip(beside, self._fields, strict=True)]
        super().__init__([*title, *heads, *lines])
        if compact:
            self.add_class("compact")

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
        inputs.text("name", name)
        values = inputs.booleans("values", values)
        rows, columns = inputs.labels("rows", rows), inputs.labels("columns", columns)
        _fits_grid("values", values, rows, columns)
        self.shape, self.controls = values.shape, {}
        for (i, j), value in np.ndenumerate(values):
            self.controls[f"{name}[{i + 1}, {j + 1}]"] = widgets.Checkbox(
                bool(value), indent=False, description=str(columns[j]), tooltip=f"{rows[i]} {columns[j]}",
                style=LABEL, layout=widgets.Layout(width=f"{32 + 8 * len(str(columns[j]))}px", margin="2px 0", flex="none"),
            )  # fmt: skip
        self._fields = np.array(list(self.controls.values()), dtype=object).reshape(self.shape)
        layout = {"align_items": "center", "flex_flow": "row wrap"}  # on a phone a row may need two lines
        lines = [
            widgets.HBox([_words([word], "70px"), *line], layout=layout)
            for word, line in zip(rows, self._fields, strict=True)
        ]
        widgets.VBox.__init__(self, [widgets.HTML(f"<b>{html.escape(name)}</b>"), *lines])


def _fits_grid(name, values, rows, columns):
    if values.ndim != 2 or not 1 <= min(values.shape) <= max(values.shape) <= LARGEST:
        raise ValueError(f"{name} must be a matrix of at most {LARGEST} × {LARGEST}, got shape {values.shape}.")
    for axis, (what, labels) in enumerate({"rows": rows, "columns": columns}.items()):
        if labels is not None and len(labels) != values.shape[axis]:
            raise ValueError(f"{what} must be {values.shape[axis]} labels, as many as values has, got {len(labels)}.")


def _range(value, minimum, maximum, step, inside=True):
    """Whether a slider can run there; what ipywidgets says of it names no argument."""
    for name, number in {"value": value, "minimum": minimum, "maximum": maximum, "step": step}.items():
        inputs.finite_number(name, number)
        if abs(number) > MOST:
            raise ValueError(f"{name} must be at most {MOST:g}, got {number:g}.")
    if not minimum < maximum:
        raise ValueError(f"maximum must be above minimum = {minimum}, got {maximum}.")
    if not 0 < step <= maximum - minimum:
        raise ValueError(f"step must be above 0 and fit between minimum and maximum, got {step}.")
    if inside and not minimum <= value <= maximum:
        raise ValueError(f"value must lie between minimum = {minimum} and maximum = {maximum}, got {value}.")


def _among(value, options, values):
    if not any(value is each or _same(value, each) for each in values):
        raise ValueError(f"value must be one of the options, {options!r:.60}, got {value!r:.60}.")


def _same(value, each):
    try:
        same = value == each
    except ValueError:  # arrays of different shapes
        return False
    return np.array_equal(value, each) if np.ndim(same) else bool(same)


def _words(words, width):
    """Words beside or above the fields of a grid, each as wide as a field; "" is as wide as a row's and its margins."""
    spans = "".join(
        f'<span style="display:inline-block;width:{width if word else "74px"};font-size:12px;'
        f'line-height:1.3;vertical-align:middle;">{html.escape(str(word))}</span>'
        for word in words
    )
    return widgets.HTML(f'<div style="white-space:nowrap;">{spans}</div>')


def slider(description, value, minimum, maximum, step=0.1):
    """A slider for a number that may take any value between `minimum` and `maximum`."""
    inputs.text("description", description)
    _range(value, minimum, maximum, step)
    whole = all(isinstance(x, int) for x in (value, minimum, maximum, step))
    kind = widgets.IntSlider if whole else widgets.FloatSlider
    return kind(value, min=minimum, max=maximum, step=step, **_described(description))


def number_field(description, value, minimum, maximum, step=0.1):
    """A number to type, or to change by the arrow keys; what a slider would read aloud as 0.10000000000000009 is 0.1 here."""
    inputs.text("description", description)
    _range(value, minimum, maximum, step)
    return NumberField(
        value, min=minimum, max=maximum, step=step, description=description,
        style=LABEL, layout=widgets.Layout(width="auto", max_width="100%"),
    )  # fmt: skip


def choose(description, options, value):
    """A choice: few or short options are all seen, in a row of buttons; many long ones open as a list.

    Parameters
    ----------
    description : str
    options : list, list of (label, value), or dict label -> value; what `compute` gets is the value, never the label
    value : of the option that is chosen at first
    """
    inputs.text("description", description)
    options, labels = _options(options, value)
    if len(labels) > FEW and sum(len(str(label)) for label in labels) > SHORT:
        return widgets.Dropdown(
            options=options, value=value, description=description,
            style=LABEL, layout=widgets.Layout(width="auto", max_width="100%"),
        )  # fmt: skip
    return widgets.ToggleButtons(
        options=options, value=value, description=description,
        style={**LABEL, "button_width": "auto"}, layout=widgets.Layout(width=WIDTH),
    )  # fmt: skip


def stops(description, options, value):
    """A slider that stops at each of some options, given as for `choose`."""
    inputs.text("description", description)
    options, _ = _options(options, value)
    return widgets.SelectionSlider(options=options, value=value, **_described(description))


def _options(options, value):
    """Options as ipywidgets takes them, and their labels; `value` must be one of them."""
    if isinstance(options, dict):
        labels, values = list(options), list(options.values())
    else:
        options = inputs.listed("options", options)
        pairs = options and all(isinstance(each, tuple) and len(each) == 2 for each in options)
        labels, values = zip(*options) if pairs else (options, options)
    _among(value, options, values)
    return options, labels


def switch(description, value=False):
    """Something that is on or off."""
    inputs.text("description", description)
    inputs.yes_or_no("value", value)
    return widgets.Checkbox(value, indent=False, **_described(description))


def text_field(description, value):
    """A line of text, read while it is typed."""
    inputs.text("description", description)
    inputs.text("value", value)
    return widgets.Text(value, **_described(description))


def _described(description):
    layout = widgets.Layout(width=WIDTH, height="auto", flex_flow="row wrap")
    return {"description": description, "style": LABEL, "layout": layout}
