"""The one mechanism behind every explorer: controls, a pure computation, what is drawn from its result, and what answers
the hand."""

import atexit
import html
from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import ipywidgets as widgets
import numpy as np

from helpers import matrices
from helpers.explorers import validate
from helpers.explorers.controls import NumberGrid, choose, stops
from helpers.explorers.look import STYLE
from helpers.explorers.sums import cells
from helpers.explorers.touch import (
    Pace,
    Paint,
    Plane,
    Sum,
    Surface,
    Swap,
    Touch,
    lighting,
    listen,
    place_of,
    sources_of,
)
from helpers.pictures.html import without_places
from helpers.support import inputs

ROLES = {  # how an array of this name is shown, unless the explorer says otherwise
    "weights": {"kind": "weights", "corner": "query ↓ key →", "row_sums": True},
    "scores": {"kind": "scores", "corner": "query ↓ key →"},
}


class Light(NamedTuple):
    """One thing that must hold, tried.

    rule : str, in words
    holds : bool
    detail : str, by how much it fails
    """

    rule: str
    holds: bool
    detail: str = ""


class Rule(NamedTuple):
    """One thing that must hold, to be tried at every move.

    words : str, or function(now) -> str
    gap : function(now) -> by how much it is broken, a number that must be 0 but for rounding; or whether it holds, with what is
        told where it does not; or a Light; or None where the rule says nothing
    told : how a gap is told
    most : a gap as large as this breaks it
    """

    words: str | Callable
    gap: Callable
    told: str = "one is off by {:.3f}"
    most: float = 1e-9

    def light(self, now):
        gap = self.gap(now)
        if gap is None or isinstance(gap, Light):
            return gap
        if not isinstance(gap, tuple):
            gap = gap < self.most, self.told.format(gap)  # NaN is no small gap
        holds, detail = gap
        return Light(self.words(now) if callable(self.words) else self.words, bool(holds), detail)


def rows_sum_to_one(weights):
    """The light for weights, (..., num_queries, num_keys): every row must be a set of shares."""
    weights = np.asarray(inputs.floats("weights", weights, min_axes=1))
    if not weights.size:
        raise ValueError(f"weights must have rows, got shape {weights.shape}.")
    with np.errstate(over="ignore", invalid="ignore"):
        gap = np.abs(weights.sum(axis=-1) - 1).max()
    if np.isnan(gap):
        return Light("every row sums to 1", False, "a row holds NaN, not a number")
    if weights.min() < 0:
        return Light("every row sums to 1", False, f"a weight is negative: {weights.min():.3f}")
    size = (
        "∞" if np.isinf(gap) else f"{gap:.3f}" if gap < 1e4 else f"{gap:.1e}"
    )  # powers without a sum have hundreds of digits
    return Light("every row sums to 1", bool(gap < 1e-6), f"a row is off by {size}")


SHARES = Rule("every row sums to 1", lambda now: rows_sum_to_one(now.weights))


def between(output, value, words, told="one is outside by {:.3f}"):
    """The rule that outputs lie between the smallest and the largest value, feature by feature.

    Parameters
    ----------
    output, value : function(now) -> (num_queries, d_v) and (num_keys, d_v), or vectors
    words, told : as in `Rule`
    """

    def gap(now):
        mixed, given = np.asarray(output(now)), np.asarray(value(now))
        return max((mixed - given.max(axis=0)).max(), (given.min(axis=0) - mixed).max())

    return Rule(words, gap, told)


def equals(output, right):
    """What a `Rule` says of an output that must be the right one, arrays both."""
    if output.shape != right.shape:
        return False, "it has another shape"
    gap = np.abs(output - right).max()
    return gap < 1e-9, f"one is off by {gap:.3f}"


class Moment(SimpleNamespace):
    """What is on display: the values of the controls, and over them the computed arrays, each by its name.

    `now.weights` is an array or a value, `now["dot products"]` one whose name has a space; `now.control_values` holds the controls'
    values alone. `now.table("weights")` shows an array as its name suggests. `now.peeked` says whether the pointer only rests on
    what is shown, and nothing of it is set.
    """

    def __getitem__(self, name):
        return vars(self)[name]

    def table(self, name, caption=None, **how):
        """Show an array by its name: `how` as in `matrices.matrix`; its cells answer what the explorer says of them."""
        values = np.asarray(self[name])
        if "column" in how:  # one column with this head, from a vector
            values, how = values[:, None], {**how, "columns": [how["column"]]}
            del how["column"]
        how = {**ROLES.get(name, {}), "marks": self.marks.get(name), "places": self.places(name), **how}
        return matrices.matrix(values, caption or name, **how)

    def places(self, name, *part):
        """The names of the parts of a picture, for `places=` in helpers.matrices; None if nothing is said of them. `part` stands
        before the cell's own index where an array is shown in parts, head by head for instance."""
        places = self.explorer.places(self, name)
        if places is None or not part:
            return places
        number = " ".join(str(k + 1) for k in part)
        return places._replace(name=f"{name} {number}", title=lambda *index: places.title(*part, *index))

    @property
    def marks(self):
        """dict name -> dict cell -> mark: the followed number and what goes into it."""
        return self.explorer.marks(self)


class Explorer(widgets.VBox):
    """Controls beside a live view that answers the hand.

    Parameters
    ----------
    compute : function(**values) -> dict name -> array. Pure: the same values give the same arrays. A ValueError or
        TypeError that it raises is told to the learner, and the last good picture stays.
    show : function(now) -> what is drawn: an Html, a tuple of Html side by side, or a list of lines, each one of both or a list
    say : function(now) -> one sentence with rounded numbers that says what is seen
    rules : list of Rule, what must hold
    presets : dict button text -> dict control -> value
    touch : dict name -> Touch, Paint or Swap, what the cells of `now.table(name)` or the parts with `now.places(name)` do
    planes : dict name -> Plane, what the hand does in a figure; all in one figure, the first thing in the picture
    sums : dict name -> Sum, how the numbers of `now.table(name)` are made: told and lit where the pointer rests; or the
        words of one that lights nothing, function(now, i, j)
    follow : name of the control that holds (name, i, j), the followed number of `sums`; a click on any number sets it. Without
        it, and with `picks`, the explorer has such a control of its own, and ends its sentence with the sum of that number
    picks : dict name -> shape, the matrices and strips of `sums` whose numbers can be clicked for their sum
    folded : names of controls that a touch makes superfluous to the eye; they open below the others
    controls : by name, an ipywidget with a value, or NumberGrid; the names are the arguments of `compute`

    Attributes
    ----------
    controls : dict name -> ipywidget, those in play now; what another control has hidden is left out
    shown : dict name -> array that the view displays now
    values : dict name -> the values behind it
    text : the sentence under the view
    """

    def __init__(
        self, compute, show, say, rules=(), *, presets=None, touch=None, planes=None, sums=None, follow=None, picks=None, folded=(),
        **controls,
    ):  # fmt: skip
        validate.arguments(
            controls, {"compute": compute, "show": show, "say": say}, (rules, Rule),
            {
                "touch": (touch, (Touch, Paint, Swap), "Touch, Paint or Swap"), "planes": (planes, Plane, "Plane"),
                "sums": (sums, (Sum, Callable), "Sum or functions"), "picks": (picks, tuple, "shapes"),
            },
            presets, follow, folded,
        )  # fmt: skip
        self._bare = {"_bare", *vars(self)}
        self._picks = picks or {}
        if picks:
            controls, follow, folded = {**controls, PICKED: _picker(picks)}, PICKED, [*folded, PICKED]
        self._fields, self._compute, self._show, self._say, self._rules = controls, compute, show, say, rules
        self._sums = {name: each if isinstance(each, Sum) else Sum([], each) for name, each in (sums or {}).items()}
        self._follow, self._planes, self._moving_many = follow, planes or {}, False
        self._peeked, self._left = {}, float("-inf")  # what the pointer rests on, and when it last left the figure
        followed = {name: Touch(self._follower(name)) for name in self._picks or self._sums} if follow else {}
        self._touch = {**followed, **(touch or {})}
        self._names = {matrices.slug(name): name for name in self._touch}
        self._start = {name: field.value for name, field in controls.items()}
        self._controls = {}
        for name, field in controls.items():
            self._controls |= field.controls if isinstance(field, NumberGrid) else {name: field}
        for control in self._controls.values():
            control.observe(self._refresh, ["value", "limit"])
        self._view, self._style = widgets.HTML(), widgets.HTML(layout=widgets.Layout(display="none"))
        self._view.add_class("explorer-view")
        self._refresh()
        self._states = {**(presets or {}), "Reset": self._start}  # that a button leads to
        super().__init__([self._style, _row(*self._above(folded), self._stage()), *self._foot(folded)])
        self.add_class("explorer")
        replace_last(self)

    # --- what is seen ------------------------------------------------------------------------------------------------

    def _light_up(self):
        """What lights under the pointer, as large as the matrices are now."""
        shapes = {name: np.atleast_2d(array).shape for name, array in self._computed.items() if np.ndim(array) < 3}
        shapes |= {name: shape for name, shape in self._picks.items() if len(shape) == 2}
        self._style.value = f"<style>{STYLE}{lighting(self._sums, shapes)}</style>"

    def _above(self, folded):
        """The controls and the presets: few of them on lines above the picture, which leave it the width; many beside it."""
        open_ones = [field for name, field in self._fields.items() if name not in folded]
        presets = [self._button(text, state) for text, state in self._states.items() if text != "Reset"]
        buttons = [*self._own_buttons(), *presets]
        children = [*open_ones, *([_row(*buttons)] if buttons else [])]
        if not children:
            return []
        few = len(open_ones) <= 4 and not any(isinstance(field, NumberGrid) for field in open_ones)
        box = _row(*children) if few else widgets.VBox(children)
        box.add_class("explorer-line" if few else "explorer-controls")
        return [box]

    def _own_buttons(self):
        """Buttons that do more than lead to a state."""
        return []

    def _foot(self, folded):
        """What is small: the way back, and the controls that a touch makes superfluous to the eye."""
        inside = [field for name, field in self._fields.items() if name in folded]
        opener, *box = _fold(inside) if inside else [None]
        line = _row(self._button("Reset", self._start), *([opener] if inside else []))
        line.add_class("explorer-foot")
        return [line, *box]

    def _stage(self):
        """The view, with the sheet over its figure, and everything that listens."""
        self._pace, self._pressed, self._dragging, self._taken, self._held = Pace(), None, True, None, None
        self._left_out = False  # whether the last step of a drag came too late to be drawn
        self._listeners, children = [], [self._view]
        if self._touch:
            strokes = any(isinstance(each, (Paint, Swap)) for each in self._touch.values())
            events = ["mousedown", "mousemove", "mouseup", "dragstart"] if strokes else ["click"]
            self._listeners.append(listen(self._view, events, self._touched))
        if self._planes:
            self._surface = Surface(self._planes)
            sheet = widgets.HTML(self._surface.html)
            sheet.add_class("explorer-surface")
            self._listeners.append(listen(sheet, POINTED, self._pointed))
            children.append(sheet)
        stage = widgets.Box(children)
        stage.add_class("explorer-stage")
        return stage

    def forget(self):
        """Let go of figures and arrays once it is closed: Jupyter keeps in `Out` what a cell ever returned."""
        self.children = ()
        for name in vars(self).keys() - self._bare:
            delattr(self, name)

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
        if not self._moving_many:
            self._peeked = {}
            self._render()

    def _render(self):
        values = {name: field.value for name, field in self._fields.items()} | self._peeked
        try:
            kept = {name: value for name, value in values.items() if name != PICKED}
            shown = validate.arrays(self._compute(**kept))
        except (ValueError, TypeError) as error:
            if not hasattr(self, "_now"):
                raise
            self._view.value = self.html + _notice(str(error))
            return
        self._computed, self._shown = shown, None
        self._light_up()
        self.values = values
        self._now = now = Moment(**{**values, **shown}, control_values=values, explorer=self, peeked=bool(self._peeked))
        self.text = " ".join(
            [inputs.text("what say returns", self._say(now)), *self._sum_of_the_pick(now), *self._limits()]
        )
        lights = [light for rule in self._rules if (light := rule.light(now))]
        picture = lay_out(validate.picture(self._show(now)))
        self._picture_text = "\n".join([picture.text, *(_light_words(light) for light in lights)])
        moved = [_state(*field) for field in self._fields.items() if field[0] != PICKED or field[1].value]
        self._note = f"Run this cell to move: {', '.join(moved)}."
        self.html = f"{picture.html}{_row_of_lights(lights)}{paragraph(self.text)}"
        self._view.value = self.html

    @property
    def shown(self):
        """Arrays on display, copied when they are asked for: the learner may write into them."""
        if self._shown is None:
            self._shown = {name: np.array(array) for name, array in self._computed.items()}
        return self._shown

    def _limits(self):
        """What number fields say of a number that was too large or too small."""
        return [limit for control in self._controls.values() if (limit := getattr(control, "limit", ""))]

    def _sum_of_the_pick(self, now):
        followed = self._followed(now) if self._follow == PICKED else None
        return [f"{self._sums[followed[0]].words(now, *followed[1:])}."] if followed else []

    def _followed(self, now):
        """The followed number, (name, i, j); None if there is none, or none there: a matrix may have grown smaller."""
        chosen = now.control_values[self._follow]
        if not chosen:
            return None
        name, *index = chosen
        return chosen if all(k < size for k, size in zip(index, _shape(now[name]))) else None

    def _repr_mimebundle_(self, **kwargs):
        """Where no kernel runs, the default picture and its sentence stand in for the controls."""
        static = {
            "text/html": without_places(self.html) + paragraph(self._note),
            "text/plain": f"{self._picture_text}\n{self.text}\n{self._note}",
        }
        return with_static(super()._repr_mimebundle_(**kwargs), static)

    # --- what answers the hand ---------------------------------------------------------------------------------------

    def _follower(self, name):
        return lambda now, *index: {self._follow: (name, *index)}

    def places(self, now, name):
        """Names for the parts of the picture `name`: what a click does, and how each number is made."""
        touch, made = self._touch.get(name), self._sums.get(name)
        if touch is None and made is None:
            return None
        answers = "" if touch is None else "touch" if isinstance(touch, Touch) else "touch drag"

        def title(*index):
            words = [made.words(now, *index)] if made else []
            if touch is not None and touch.title:
                words.append(touch.title(now, *index))
            if touch is not None and not isinstance(touch, Paint) and self._is_chosen(now, touch.set(now, *index)):
                words.append("chosen")
            return ", ".join(word for word in words if word)

        return matrices.Places(name, answers, title)

    def _is_chosen(self, now, values):
        return all(np.array_equal(now.control_values[name], value) for name, value in values.items())

    def marks(self, now):
        followed = self._followed(now) if self._follow else None
        if not followed or len(followed) < 3:  # a word or a column of a strip has no outline of its own
            return {}
        name, *index = followed
        shapes = {each: _shape(now[each]) for each, _ in self._sums[name].sources}
        found = {name: {tuple(index): "result"}}
        for kind, (source, parts) in reversed(list(zip(_FACTORS, sources_of(self._sums, name, index, shapes)))):
            found[source] = found.get(source, {}) | dict.fromkeys(parts, kind)
        return found

    def _touched(self, event):
        """A click, or a stroke from one part to others, in a table or a text."""
        place, index = place_of(event.get("target", {}))
        name, kind = self._names.get(place), event.get("type")
        if kind == "mousemove" and not event.get("buttons", 0) & 1:
            return
        pressed, self._pressed = self._pressed, None if kind in ("click", "mouseup") else self._pressed
        if name is None:
            return
        touch = self._touch[name]
        if kind in ("click", "mousedown"):
            self._pressed = (name, index, self._press(touch, index))
        elif pressed and pressed[0] == name:
            self._stroke(touch, kind, pressed, index)

    def _press(self, touch, index):
        """A click on a part; for a grid that is painted, the value of the whole stroke."""
        if isinstance(touch, Paint):
            ink = not self._fields[touch.grid].value[index]
            self._paint(touch, index, ink)
            return ink
        if isinstance(touch, Touch):
            self.set(**touch.set(self._now, *index))
        return None

    def _stroke(self, touch, kind, pressed, index):
        if isinstance(touch, Paint) and kind == "mousemove":
            self._paint(touch, index, pressed[2])
        elif isinstance(touch, Swap) and kind == "mouseup":
            same = index == pressed[1]
            self.set(**(touch.set(self._now, *index) if same else touch.drop(self._now, pressed[1], index)))

    def _paint(self, touch, index, ink):
        grid = self._fields[touch.grid].value
        if grid[index] != ink:
            grid[index] = ink
            self.set(**{touch.grid: grid})

    def _pointed(self, event):
        """A press or a step of a drag in a figure."""
        moving = event.get("type") in ("mousemove", "touchmove")
        if event.get("type") == "mouseleave" or (event.get("type") == "mousemove" and not event.get("buttons", 0) & 1):
            return self._rest(event)
        found = self._surface.data(event)
        if found is None:
            return
        name, *place = found
        plane, values = self._surface.plane(name), None
        if plane.grab and event["type"] in ("mousedown", "touchstart"):
            self._held = plane.grab(self._now, *place)
        if plane.drop:
            values = self._carried(plane, event["type"], place)
        elif event["type"] in ("mouseup", "touchend"):
            if not self._left_out:
                return
        elif not moving:
            values = plane.press(self._now, *place) if plane.press else None
            self._dragging = plane.drag and values is None
        elif not self._dragging:
            return
        elif self._pace.too_late(event):
            self._left_out = True
            return
        self._left_out = False
        if values is None and not plane.drop:
            held = (self._held,) if plane.grab else ()
            values = {plane.set: place[0]} if isinstance(plane.set, str) else plane.set(self._now, *place, *held)
        if values:
            self.set(**{key: on_grid(self._fields[key], value) for key, value in values.items()})

    def _rest(self, event):
        """The pointer rests in a figure, or leaves it: what it rests on is shown for as long."""
        if event["type"] == "mouseleave":
            self._left = event.get("timeStamp", 0.0)
        elif event.get("timeStamp", 0.0) <= self._left or not any(plane.peek for plane in self._planes.values()):
            return  # a step that comes after the pointer has left is an old one
        found = None if event["type"] == "mouseleave" else self._surface.data(event)
        peek = self._surface.plane(found[0]).peek if found else None
        values = peek(self._now, *found[1:]) if peek else {}
        if all(np.array_equal(self._fields[name].value, value) for name, value in values.items()):
            values = {}  # it is chosen already
        if values != self._peeked:
            self._peeked = values
            self._render()

    def _carried(self, plane, kind, place):
        """What is set when a thing is let go: where it was taken up, or elsewhere."""
        if kind in ("mousedown", "touchstart"):
            self._taken = place
        elif kind in ("mouseup", "touchend") and self._taken:
            start, self._taken = self._taken, None
            values = plane.drop(self._now, start, place)
            return plane.set(self._now, *place) if values is None else values
        return {}


_FACTORS = ("factor", "second factor")
POINTED = "mousedown mousemove mouseup touchstart touchmove touchend dragstart mouseleave".split()
PICKED = "picked"  # the control of an explorer whose numbers are clicked for their sum


def _picker(picks):
    return stops("number to explain", [("none", ()), *cells(picks)], ())


def _shape(array):
    """Of an array as its table shows it: a vector stands in a column."""
    return (*np.shape(array), 1)[:2]


explorer = Explorer  # where one is made, as the lessons write it


def wrong_turns(label, recipes, compute, show, say, rules, **options):
    """Make an Explorer that does one thing rightly or wrongly and opens with a wrong one: the control is `recipe`.

    Parameters
    ----------
    label : what is chosen, in words
    recipes : dict words -> anything, the right one first
    compute : function(recipe of the dict) -> dict name -> array
    show, say, rules : as in `Explorer`; `now.recipe` is the chosen words
    options : other options and controls of `explorer`; the controls' values are handed to `compute` by name
    """

    if len(inputs.mapping("recipes", recipes)) < 2:
        raise ValueError("recipes must hold the right one and a wrong one, got none.")
    inputs.text("label", label)
    inputs.function("compute", compute)

    def chosen(recipe, **values):
        return compute(recipes[recipe], **values)

    return explorer(chosen, show, say, rules, recipe=choose(label, list(recipes), list(recipes)[1]), **options)


def lay_out(picture):
    """An Html from lines: each line an Html, or a list of Html side by side; a tuple is one such line."""
    if isinstance(picture, matrices.Html):
        return picture
    lines = [picture] if isinstance(picture, tuple) else picture
    lines = [line if isinstance(line, matrices.Html) else matrices.beside(*line) for line in lines]
    return lines[0] if len(lines) == 1 else matrices.under(*lines)


def on_grid(control, value):
    """The value nearest to `value` that a control can hold; other controls than sliders and number fields take it as it is."""
    if not isinstance(control, (widgets.IntSlider, widgets.FloatSlider, widgets.BoundedFloatText)):
        return value
    steps = round((value - control.min) / control.step)
    snapped = min(max(control.min + steps * control.step, control.min), control.max)
    return type(control.value)(round(snapped, 9))


# --- one explorer for each cell --------------------------------------------------------------------------------------

_LIVING = {}  # cell -> (the run of it, its explorers)


def replace_last(widget):
    """Close what an earlier run of the same cell made: run again, a cell leaves nothing behind."""
    cell, run = _cell_and_run()
    if cell is None:
        return
    last, made = _LIVING.get(cell, (None, []))
    if last != run:
        for old in made:
            close(old)
        made = []
    _LIVING[cell] = (run, [*made, widget])


@atexit.register
def fall_asleep():
    """The last word of a kernel: JupyterLab does not tell a page of a restart that somebody else asked for."""
    for _, made in _LIVING.values():
        for widget in made:
            widget.add_class("asleep")


def _cell_and_run():
    """Names of the cell that runs, its text where the page sends no name, and of this run of it; None outside of Jupyter."""
    try:
        asked = get_ipython().get_parent()
        return asked["metadata"].get("cellId") or asked["content"]["code"], asked["header"]["msg_id"]
    except (NameError, AttributeError, KeyError, TypeError):
        return None, None


def close(widget):
    """Close a widget with everything inside, and what listens to it."""
    for listener in getattr(widget, "_listeners", ()):
        if listener is not None:
            listener.close()
    for child in getattr(widget, "children", ()):
        close(child)
    for part in ("layout", "style"):  # widgets of their own
        if hasattr(widget, part):
            getattr(widget, part).close()
    widget.close()
    if isinstance(widget, Explorer):
        widget.forget()


# --- pieces of the page ----------------------------------------------------------------------------------------------


def _fold(fields):
    """A switch that opens the controls which a touch makes superfluous to the eye; keyboards reach them there."""
    opener = widgets.ToggleButton(False, description="Choose by keyboard", layout=widgets.Layout(width="auto"))
    opener.add_class("explorer-fold")
    box = widgets.VBox(fields, layout=widgets.Layout(display="none"))
    box.add_class("explorer-folded")

    def turn(change):
        box.layout.display = "" if change["new"] else "none"

    opener.observe(turn, "value")
    return opener, box


def _row(*children):
    row = widgets.Box(children)
    row.add_class("explorer-row")
    return row


def paragraph(text):
    return f'<p style="margin:6px 0;line-height:1.4;">{html.escape(text)}</p>'


def _notice(text):
    return (
        '<p style="background-color:#fff4ce;color:#000;padding:6px 10px;line-height:1.4;">'
        f"{html.escape(text)} The last good picture stays.</p>"
    )


def _light_words(light):
    return f"{'✓' if light.holds else '✗'} {light.rule}{'' if light.holds or not light.detail else ': ' + light.detail}"


def _row_of_lights(lights):
    return f"<div style='margin-top:4px;'>{''.join(map(_light, lights))}</div>" if lights else ""


def _light(light):
    colour = matrices.MUTED if light.holds else matrices.shade("wrong", 0.4)
    style = f"{colour}padding:1px 8px 1px {0 if light.holds else 8}px;margin:0 8px 4px 0;display:inline-block;font-size:13px;"
    return f'<span style="{style}">{html.escape(_light_words(light))}</span>'


def _state(name, field):
    if isinstance(field, NumberGrid):
        return name
    shown = getattr(field, "label", None) or field.value
    return f"{field.description or name} = {shown}"


def with_static(bundle, static):
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    return {**data, **static}
