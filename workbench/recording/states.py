"""Which states of an explorer are recorded, and where a touch or a drag leads from each of them."""

import functools
import heapq
import itertools
import math

import ipywidgets as widgets
import numpy as np

from workbench.matrices import slug
from workbench.moving.controls import NumberGrid
from workbench.moving.engine import Moment
from workbench.moving.hand import on_grid
from workbench.moving.touch import Swap, Touch

MOST_STOPS, MANY = 1024, 12  # stops of a slider; options of a choice, all of which are recorded
OF_A_GRID = 9  # stops of one entry of a matrix
ON = 0.3  # of a move: what a button costs that leads on from each state to another one
CHOICE = 0.7  # and what a switch or a choice does
FINER = 1.5  # of a move: what each halving of a slider's steps costs besides
POINTS, LINE = 24, 96  # places of a figure that are tried, each way or along the one way that counts
ROUND = 9  # decimals


class Reach:
    """The controls of an explorer by their places in one tuple, a state.

    Parameters
    ----------
    explorer : Explorer
    """

    def __init__(self, explorer):
        self.explorer, self.names = explorer, list(explorer._controls)
        self.controls = list(explorer._controls.values())
        self.index = {name: k for k, name in enumerate(self.names)}
        entries = [f.controls for f in explorer._fields.values() if isinstance(f, NumberGrid)]
        self._tables = {}
        self.in_grid = {self.index[name] for grid in entries for name in grid}

    # --- one state ---------------------------------------------------------------------------------------------------

    def state(self):
        return tuple(_position(control) for control in self.controls)

    def place(self, state):
        """Put every control where a state has it; returns where they are then, or None if that is refused."""
        self._put_all(state)
        self.explorer._refresh()
        return self.state() if self.is_shown() else None

    def _put_all(self, state):
        for control, position in zip(self.controls, state, strict=True):
            self._put(control, position)

    def _put(self, control, position):
        """Move a control as a hand would, but for the picture, which is not drawn."""
        self.explorer._moving_many = True
        try:
            if _is_choice(control):
                control.index = min(position, len(control.options) - 1)
            else:
                control.value = position
        finally:
            self.explorer._moving_many = False

    def is_shown(self):
        """Whether the view shows this state: what a computation refuses leaves the last picture."""
        return self.explorer._view.value == self.explorer.html

    def span(self, k, most):
        """The positions of control k, at most so many of a number; [now] of a text."""
        control = self.controls[k]
        if _is_choice(control):
            slides = isinstance(control, widgets.SelectionSlider)
            return _thinned(len(control.options), most if slides else max(most, MANY))
        if isinstance(control, widgets.Checkbox):
            return [False, True]
        if isinstance(control, widgets.Text):
            return [control.value]
        steps = round((control.max - control.min) / control.step)
        return [_position_of(control, control.min + i * control.step) for i in _thinned(steps + 1, most)]

    # --- where it leads ----------------------------------------------------------------------------------------------

    def assignment(self, values, every=False):
        """What `Explorer.set` of these values does: tuple of (control, position); the entries of a matrix that stay are
        left out, unless `every`."""
        found = []
        for name, value in values.items():
            field = self.explorer._fields[name]
            if not isinstance(field, NumberGrid):
                found.append((self.index[name], _position_of(field, value)))
                continue
            for (entry, control), new in zip(field.controls.items(), np.ravel(value), strict=True):
                position = _position_of(control, new)
                if every or position != _position(control):
                    found.append((self.index[entry], position))
        return tuple(pair for pair in found if pair[1] is not None)

    def led(self, state, pairs):
        """The state that an assignment leads to, with all that follows what it sets."""
        self._put_all(state)
        for k, position in pairs:
            self._put(self.controls[k], position)
        return self.state()

    def buttons(self):
        """dict text -> assignment."""
        return {text: self.assignment(values, every=True) for text, values in self.explorer._states.items()}

    def ahead(self):
        """The states that buttons lead to from here."""
        here = self.state()
        found = [self.led(here, pairs) for pairs in (*self.buttons().values(), *self.pressed().values())]
        self.place(here)
        return found

    def typed(self):
        """Assignments of the texts that are worth typing here."""
        found = self.explorer.worth_typing()
        return [((self.index[name], text),) for name, texts in found.items() for text in texts]

    def pressed(self):
        """dict text -> assignment of the buttons that do not always lead to the same state. The explorer is moved."""
        own = {text: button for text, button in _buttons(self.explorer).items() if text not in self.explorer._states}
        state, found = self.state(), {}
        for text, button in own.items():
            button.click()
            found[text] = tuple((k, then) for k, (now, then) in enumerate(zip(state, self.state())) if now != then)
            self.place(state)
        return found

    def touched(self, name, index):
        """The assignment of a click on a part, by the name in its class."""
        touch, now = self.explorer._touch[self.explorer._names[name]], self.explorer._now
        if isinstance(touch, Touch | Swap):
            return self.assignment(touch.set(now, *index))
        grid = self.explorer._fields[touch.grid].value
        grid[index] = not grid[index]
        return self.assignment({touch.grid: grid})

    def dropped(self, name, start, end):
        """The assignment of dragging one part onto another."""
        touch = self.explorer._touch[self.explorer._names[name]]
        return self.assignment(touch.drop(self.explorer._now, start, end))

    def planes(self):
        """dict name in a class -> (drag, press, peek): where each place leads, (columns, assignments), or None."""
        return {
            slug(name): (
                self._table(plane, plane.leads if plane.grab else plane.set),
                self._table(plane, plane.press) if plane.press else None,
                self._table(plane, plane.peek) if plane.peek else None,
            )
            for name, plane in self.explorer._planes.items()
        }

    def _table(self, plane, act):
        """Made once for all states between which nothing differs that is looked at on the way."""
        axes = (plane.axes.limits, plane.axes.shares)
        for seen, table in self._tables.setdefault(act, []):
            if seen["axes"] == axes and all(_equal(self.explorer._now, name, value) for name, value in seen["now"]):
                return table
        looked_at = set()
        now = _Watched(looked_at, **vars(self.explorer._now))
        of_x = isinstance(act, str)
        table = self._fresh_table(plane, (lambda x, y: {act: x}) if of_x else functools.partial(act, now))
        if "__dict__" not in looked_at:  # else all of it was
            given = [(name, getattr(self.explorer._now, name)) for name in looked_at]
            self._tables[act] = [*self._tables[act][-50:], ({"axes": axes, "now": given}, table)]
        return table

    def _fresh_table(self, plane, act):
        where = plane.axes
        limits, (left, top, wide, high), size = np.sort(where.limits), where.shares, where.size

        def along(across, down):  # shares of the axes, from the left and from the top
            pixels = np.column_stack([left + across * wide, top + down * high]) * size
            places = np.clip(where.to_data(pixels), *limits.T)
            return tuple(self._led(act, *place) for place in places.tolist())

        columns, rows, line = *map(_places, limits.tolist()), _middles(LINE)
        cells = along(np.tile(_middles(columns), rows), np.repeat(_middles(rows), columns))
        lines = [cells[i : i + columns] for i in range(0, len(cells), columns)]
        if all(each == lines[0] for each in lines):
            return LINE, along(line, np.full(LINE, 0.5))
        if all(len(set(each)) == 1 for each in lines):
            return 1, along(np.full(LINE, 0.5), line)
        return columns, cells

    def _led(self, act, x, y):
        values, fields = act(x, y), self.explorer._fields
        return self.assignment({name: on_grid(fields[name], value) for name, value in (values or {}).items()})

    def side_effects(self, spans):
        """What moving a control does to others: dict (control, position) -> assignment that holds wherever one starts."""
        listens = [k for k, control in enumerate(self.controls) if self._is_watched(control)]
        start, found = self.state(), {}
        other = tuple(span[-1] if span[-1] != now else span[0] for span, now in zip(spans, start))
        for k in listens:
            for position in spans[k]:
                landed = []
                for base in (start, other):
                    self._put_all(_with(base, k, start[k]))
                    before = self.state()
                    self._put(self.controls[k], position)
                    landed.append((before, self.state()))
                (first, after), (second, then) = landed
                same = [j for j in range(len(start)) if j != k and first[j] != second[j] and after[j] == then[j]]
                found[k, position] = tuple((j, after[j]) for j in same)
        self.place(start)
        return {key: pairs for key, pairs in found.items() if pairs}

    def _is_watched(self, control):
        """Whether anyone but the control itself and the explorer's drawing is told of a new value."""
        told = control._trait_notifiers["value"]["change"]  # all observers: traitlets tells them nowhere else
        return any(
            getattr(each, "__self__", None) is not self.explorer and callable(each) and not _own(each, control)
            for each in told
        )


class _Watched(Moment):
    """A moment that writes down which of its names are looked at, in a set."""

    def __init__(self, looked_at, **values):
        super().__init__(**values, _looked_at=looked_at)

    def __getitem__(self, name):
        return getattr(self, name)

    def __getattribute__(self, name):
        find = super().__getattribute__  # a plain self.… here would call this function again, without end
        if not name.startswith("__") or name == "__dict__":
            find("_looked_at").add(name)
        return find(name)


def _equal(now, name, value):
    try:
        return bool(np.array_equal(getattr(now, name), value))
    except (AttributeError, ValueError):
        return False


class Plan:
    """Visits states, those first that a hand reaches by the fewest and coarsest moves.

    Parameters
    ----------
    reach : Reach, at its start
    visit : function() that records the state that is shown now, and returns lists of assignments: of buttons that lead on from
        it, of texts that are worth typing, of touches
    most : how many states
    asked : states, tuples of positions, that come right after those of the buttons
    """

    def __init__(self, reach, visit, most, asked=()):
        self.reach, self._visit, self._most, self._asked = reach, visit, most, asked
        self.start, self.buttons = reach.state(), reach.buttons()
        self.whole = False  # whether all that a hand reaches is there
        self._moves = {}  # state that was visited -> (cost, assignment) of what leads on from it
        self._stops = [self._costs(k) for k in range(len(self.start))]
        self._drags = [each for taken in sorted(self._taken_along()) for each in self._dragged(taken)]

    def run(self, only_worth=False):
        """Visit all, or what is worth seeing; back at the start then."""
        self._go(self.start)
        for state in self.reach.ahead():
            self.reach.place(self.start)  # its picture stays where a button leads to what is refused
            self._go(state, even_refused=True)
        for state in (*self._asked, *self._chosen()):
            self._go(state)
        worth = self.reach.explorer.worth_seeing
        for state in itertools.chain.from_iterable(self._product(self.start, settings) for settings in worth):
            if len(self._moves) == self._most:
                break
            self._go(state)
        order, met, waiting = itertools.count(), set(), [(0.0, -1, self.start)]
        while waiting and not only_worth and len(self._moves) < self._most:
            cost, _, state = heapq.heappop(waiting)
            if state not in met:
                met.add(state)
                self._go(state)
                for more, other in self._near(state):
                    heapq.heappush(waiting, (cost + more, next(order), other))
        self.whole = all(state in met for *_, state in waiting)
        self.reach.place(self.start)

    def _chosen(self):
        """Each option of each choice, each switch the other way, but for those that are worth seeing as a whole."""
        worth = {
            name for settings in self.reach.explorer.worth_seeing for name, all_of in settings.items() if all_of is None
        }
        for k, stops in enumerate(self._stops):
            if self.reach.names[k] in worth:
                continue
            yield from (self.reach.led(self.start, [(k, stop)]) for stop, cost in stops.items() if cost == CHOICE)

    def _go(self, state, even_refused=False):
        """Visit a state, unless it is known or there is no room."""
        if state not in self._moves and len(self._moves) < self._most:
            landed = self.reach.place(state) or (state if even_refused else None)
            if landed is not None and landed not in self._moves:
                on, texts, touches = self._visit()
                self._moves[landed] = [(ON, pairs) for pairs in on] + [(1.0, pairs) for pairs in (*texts, *touches)]

    def _near(self, state):
        """(cost, state) of each move from a state that was visited; any other is one that the explorer refuses."""
        if state not in self._moves:
            return
        buttons = [(1.0, pairs) for pairs in self.buttons.values()]
        for cost, pairs in [*buttons, *self._moves[state], *self._drags]:
            yield cost, _changed(state, pairs)
        for k, stops in enumerate(self._stops):
            yield from ((cost, _with(state, k, position)) for position, cost in stops.items() if position != state[k])

    def _costs(self, k):
        """dict position of a control -> what it costs to go there, the more the finer it is. Even steps, and where the start and the
        buttons have it."""
        own = [self.start[k], *(position for pairs in self.buttons.values() for j, position in pairs if j == k)]
        stops = sorted({*self.reach.span(k, OF_A_GRID if k in self.reach.in_grid else MOST_STOPS), *own})
        kind = self.reach.controls[k]
        if k not in self.reach.in_grid and isinstance(
            kind, widgets.Checkbox | widgets.ToggleButtons | widgets.Dropdown
        ):
            return dict.fromkeys(stops, CHOICE)
        return {position: 1 + FINER * _fineness(i, len(stops) - 1) for i, position in enumerate(stops)}

    def _taken_along(self):
        """The controls that one drag in a figure moves together, as tuples; each of them where it takes several."""
        tables = [table for plane in self.reach.planes().values() for table in plane[:2] if table]
        found = {tuple(k for k, _ in pairs) for _, cells in tables for pairs in cells}
        return {taken for taken in found if len(taken) > 1}

    def _dragged(self, taken):
        """(cost, assignment) of every place of a drag that is as coarse in one direction as in the others, the coarsest first."""
        for cost in sorted({cost for k in taken for cost in self._stops[k].values()}):
            net = [[position for position, each in self._stops[k].items() if each <= cost] for k in taken]
            if math.prod(map(len, net)) > self._most:
                return
            found = ([*zip(taken, places)] for places in itertools.product(*net))
            yield from ((cost, pairs) for pairs in found if max(self._stops[k][place] for k, place in pairs) == cost)

    def _product(self, state, settings):
        """Every combination of some controls, from a state on: settings is a dict name -> positions, or None for all that the control
        has there."""
        if not settings:
            yield state
            return
        (name, wanted), *others = settings.items()
        k = self.reach.index[name]
        if wanted is None:
            self.reach.place(state)
            wanted = self.reach.span(k, MOST_STOPS)
        for position in wanted:
            if not others:
                yield _with(state, k, position)
                continue
            self.reach.place(_with(state, k, position))
            yield from self._product(self.reach.state(), dict(others))


def _fineness(stop, last):
    """How often a span must be halved until it has this stop: 0 at its ends."""
    low, high, depth = 0, last, 0
    while stop not in (low, high):
        middle, depth = (low + high) // 2, depth + 1
        low, high = (low, middle) if stop <= middle else (middle, high)
    return depth


def _buttons(widget):
    found = {widget.description: widget} if isinstance(widget, widgets.Button) else {}
    for child in getattr(widget, "children", ()):
        found |= _buttons(child)
    return found


def _thinned(count, most):
    """Which of so many stops are kept: all, or at most so many, both ends among them."""
    if count <= most:
        return list(range(count))
    return sorted({round(i * (count - 1) / (most - 1)) for i in range(most)})


def _places(limits):
    """How many places of a figure are tried along one axis: one for each whole number between limits such as -0.5 and 29.5."""
    low, high = limits
    return round(high - low) if all(round(2 * each, 6) % 2 == 1 for each in limits) else POINTS


def _middles(count):
    return (np.arange(count) + 0.5) / count


def _own(handler, control):
    return type(handler).__name__ == "ObserveHandler" or getattr(handler, "__self__", None) is control


def _is_choice(control):
    return hasattr(control, "_options_full")


def _position(control):
    if _is_choice(control):
        return control.index
    return round(control.value, ROUND) if isinstance(control.value, float) else control.value


def _position_of(control, value):
    """Where a control stands that has this value; None if it cannot have it."""
    if _is_choice(control):
        values = [each for _, each in control._options_full]
        return next((i for i, each in enumerate(values) if np.array_equal(each, value)), None)
    if isinstance(control, widgets.Checkbox | widgets.Text):
        return type(control.value)(value)
    inside = type(control.value)(min(max(value, control.min), control.max))
    return round(inside, ROUND) if isinstance(inside, float) else inside


def _with(state, k, position):
    return (*state[:k], position, *state[k + 1 :])


def _changed(state, pairs):
    changed = list(state)
    for k, position in pairs:
        changed[k] = position
    return tuple(changed)
