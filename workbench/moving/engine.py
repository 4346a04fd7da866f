"""The one mechanism behind every explorer: controls, a pure computation, what is drawn from its result, and what answers
the hand."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import ipywidgets as widgets
import numpy as np

from helpers.support import inputs
from workbench import matrices
from workbench.moving import validate
from workbench.moving.controls import NumberGrid, choose
from workbench.moving.hand import Hand
from workbench.moving.living import replace_last
from workbench.moving.look import style
from workbench.moving.page import fold, lay_out, light_words, notice, paragraph, row, row_of_lights, set_to, with_static
from workbench.moving.touch import Paint, Plane, Sum, Swap, Touch, lighting
from workbench.pictures.html import without_places


class Light(NamedTuple):
    """One thing that must hold, tried.

    rule : str, in words
    holds : bool
    detail : str, the fact that breaks it, a sentence of its own
    """

    rule: str
    holds: bool
    detail: str = ""


class Rule(NamedTuple):
    """One thing that must hold, to be tried at every move.

    words : str, or function(now) -> str
    gap : function(now) -> by how much it is broken, a number that must be 0 but for rounding; or whether it holds, with the fact
        that is told where it does not; or a Light; or None where the rule says nothing
    told : the fact that a gap is, without the rule: "an output lies {:.3f} outside the triangle"
    most : a gap as large as this breaks it
    of : function(now) -> what the gap is measured by, for "within 10 %": then a share is told, and `most` is one; None = the gap itself
    """

    words: str | Callable
    gap: Callable
    told: str = ""
    most: float = 1e-9
    of: Callable | None = None

    def light(self, now):
        gap = self.gap(now)
        if gap is None or isinstance(gap, Light):
            return gap
        if not isinstance(gap, tuple):
            gap = gap / self.of(now) if self.of else gap
            gap = gap < self.most, self.told.format(gap)  # NaN is no small gap
        holds, detail = gap
        return Light(self.words(now) if callable(self.words) else self.words, bool(holds), detail)


def rows_sum_to_one(weights):
    """The light for weights, (..., num_rows, num_columns) or (num_columns,): every row must be a set of shares."""
    weights = np.asarray(inputs.floats("weights", weights, min_axes=1))
    one = weights.ndim == 1
    rule, whole = ("the weights sum to 1", "the weights sum") if one else ("every row sums to 1", "a row sums")
    if not weights.size:
        raise ValueError(f"weights must have rows, got shape {weights.shape}.")
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.ravel(weights.sum(axis=-1))
        worst = sums[np.abs(sums - 1).argmax()]  # of NaN and numbers, NaN
    if np.isnan(worst):
        return Light(rule, False, "a weight is NaN, not a number" if one else "a row holds NaN, not a number")
    if weights.min() < 0:
        return Light(rule, False, f"a weight is negative: {weights.min():.3f}")
    gap = abs(worst - 1)
    large = f"{worst:.1e}" if worst >= 1e4 else f"{worst:.3f}"  # powers without a sum have hundreds of digits
    size = "∞" if np.isinf(worst) else f"{worst:.7f}" if gap < 5e-4 else large
    return Light(rule, bool(gap < 1e-6), f"{whole} to {size}")


SHARES = Rule("every row sums to 1", lambda now: rows_sum_to_one(now.weights))


def between(output, value, words, told="an output lies {:.3f} outside"):
    """The rule that outputs lie between the smallest and the largest value, feature by feature.

    Parameters
    ----------
    output, value : function(now) -> (num_outputs, num_features) and (num_values, num_features), or vectors
    words, told : as in `Rule`
    """

    def gap(now):
        mixed, given = np.asarray(output(now)), np.asarray(value(now))
        return max((mixed - given.max(axis=0)).max(), (given.min(axis=0) - mixed).max())

    return Rule(words, gap, told)


def equals(output, right):
    """What a `Rule` says of an output that must be the right one, arrays both."""
    if output.shape != right.shape:
        return False, "the output has another shape"
    gap = np.abs(output - right).max()
    return gap < 1e-9, f"a number of the output is off by {gap:.3f}"


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
        how = {**matrices.ROLES.get(name, {}), "marks": self.marks.get(name), "places": self.places(name), **how}
        return matrices.matrix(values, caption or name, **how)

    def places(self, name, *part):
        """The names of the parts of a picture, for `places=` in workbench.matrices; None if nothing is said of them. `part` stands
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


class Explorer(Hand, widgets.VBox):
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
    follow : name of the control that holds (name, i, j), the followed number of `sums`; a click on any number sets it
    folded : names of controls that a touch makes superfluous to the eye; they open below the others
    controls : by name, an ipywidget with a value, or NumberGrid; the names are the arguments of `compute`

    Attributes
    ----------
    controls : dict name -> ipywidget, those in play now; what another control has hidden is left out
    shown : dict name -> array that the view displays now
    values : dict name -> the values behind it
    text : the sentence under the view
    """

    # What a page without Python is to know of an explorer; whoever makes one sets it, where these do not do.
    worth_seeing = ()  # list of dict control -> positions, or None for all: states that it must have, products, the first first
    share = 1  # how many times as heavy as others of its page it may be
    kilobytes = 0  # of its recording, where its share is less
    needs_more = ""  # what moves there no longer, and why
    computed_by = None  # the model by which the page computes every state: MODELS in web/played.py

    def worth_typing(self):
        """dict name of a text field -> the texts that are worth typing in the state that is shown."""
        return {}

    def __init__(
        self, compute, show, say, rules=(), *, presets=None, touch=None, planes=None, sums=None, follow=None, folded=(),
        **controls,
    ):  # fmt: skip
        validate.arguments(
            controls, {"compute": compute, "show": show, "say": say}, (rules, Rule),
            {
                "touch": (touch, (Touch, Paint, Swap), "Touch, Paint or Swap"), "planes": (planes, Plane, "Plane"),
                "sums": (sums, (Sum, Callable), "Sum or functions"),
            },
            presets, follow, folded,
        )  # fmt: skip
        # what a widget without anything of ours has, and `forget` leaves it
        self._of_widgets = {"_of_widgets", *vars(self)}
        self._fields, self._compute, self._show, self._say, self._rules = controls, compute, show, say, rules
        self._sums = {name: each if isinstance(each, Sum) else Sum([], each) for name, each in (sums or {}).items()}
        self._follow, self._planes, self._moving_many = follow, planes or {}, False
        self._peeked, self._left = {}, float("-inf")  # what the pointer rests on, and when it last left the figure
        followed = {name: Touch(self._follower(name)) for name in self._sums} if follow else {}
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
        super().__init__([self._style, row(*self._above(folded), self._stage()), *self._foot(folded)])
        self.add_class("explorer")
        replace_last(self)

    # --- what is seen ------------------------------------------------------------------------------------------------

    def _light_up(self):
        """What lights under the pointer, as large as the matrices are now."""
        shapes = {name: np.atleast_2d(array).shape for name, array in self._computed.items() if np.ndim(array) < 3}
        self._style.value = f"<style>{style()}{lighting(self._sums, shapes)}</style>"

    def _above(self, folded):
        """The controls and the presets: few of them on lines above the picture, which leave it the width; many beside it."""
        open_ones = [field for name, field in self._fields.items() if name not in folded]
        presets = [self._button(text, state) for text, state in self._states.items() if text != "Reset"]
        buttons = [*self._own_buttons(), *presets]
        children = [*open_ones, *([row(*buttons)] if buttons else [])]
        if not children:
            return []
        narrow = all(isinstance(field, widgets.ToggleButtons | widgets.Checkbox) for field in open_ones)
        few = len(open_ones) <= (6 if narrow else 4) and not any(isinstance(field, NumberGrid) for field in open_ones)
        box = row(*children) if few else widgets.VBox(children)
        box.add_class("explorer-line" if few else "explorer-controls")
        return [box]

    def _own_buttons(self):
        """Buttons that do more than lead to a state."""
        return []

    def _foot(self, folded):
        """What is small: the way back, and the controls that a touch makes superfluous to the eye."""
        inside = [field for name, field in self._fields.items() if name in folded]
        opener, *box = fold(inside) if inside else [None]
        line = row(self._button("Reset", self._start), *([opener] if inside else []))
        line.add_class("explorer-foot")
        return [line, *box]

    def forget(self):
        """Let go of figures and arrays once it is closed: Jupyter keeps in `Out` what a cell ever returned."""
        self.children = ()
        for name in vars(self).keys() - self._of_widgets:
            delattr(self, name)

    @property
    def controls(self):
        return {name: control for name, control in self._controls.items() if control.layout.display != "none"}

    def set(self, **values):
        """Move several controls at once; the view is drawn once. A number beyond the range of a slider or a field moves it to its end."""
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
            shown = validate.arrays(self._compute(**values))
        except (ValueError, TypeError) as error:
            if not hasattr(self, "_now"):
                raise
            self._view.value = self.html + notice(str(error))
            return
        self._computed, self._shown = shown, None
        self._light_up()
        self.values = values
        self._now = now = Moment(**{**values, **shown}, control_values=values, explorer=self, peeked=bool(self._peeked))
        self.text = " ".join([inputs.text("what say returns", self._say(now)), *self._limits()])
        lights = [light for rule in self._rules if (light := rule.light(now))]
        picture = lay_out(validate.picture(self._show(now)))
        self._picture_text = "\n".join([picture.text, *(light_words(light) for light in lights)])
        self._note = f"Run this cell to move: {', '.join(set_to(*field) for field in self._fields.items())}."
        self.html = f"{picture.html}{row_of_lights(lights)}{paragraph(self.text)}"
        self._view.value = self.html

    def save(self, path):
        """Write it to a file.

        Parameters
        ----------
        path : str or Path; "….html" is a page that moves without Python, "….svg" the picture that is shown now, in light colours

        Returns
        -------
        str, one sentence: what was written, and what of it moves

        Raises
        ------
        ValueError
            If the ending is another one, the folder is missing, the picture is no drawing, or the page would be too large.
        """
        from workbench.recording.save import save  # few need it, and it loads all that records

        return save(self, path)

    @property
    def shown(self):
        """Arrays on display, copied when they are asked for: the learner may write into them."""
        if self._shown is None:
            self._shown = {name: np.array(array) for name, array in self._computed.items()}
        return self._shown

    def _limits(self):
        """What number fields say of a number that was too large or too small."""
        return [limit for control in self._controls.values() if (limit := getattr(control, "limit", ""))]

    def _repr_mimebundle_(self, **kwargs):
        """Where no kernel runs, the default picture and its sentence stand in for the controls."""
        static = {
            "text/html": without_places(self.html) + paragraph(self._note),
            "text/plain": f"{self._picture_text}\n{self.text}\n{self._note}",
        }
        return with_static(super()._repr_mimebundle_(**kwargs), static)


explorer = Explorer  # where one is made


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
