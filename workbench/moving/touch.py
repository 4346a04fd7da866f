"""How a picture answers the hand: named places, events from the page, and pixels turned into data.

The listener is ipyevents, on the element of an ordinary widget; where its front end cannot be loaded, every control still
works and nothing is said.
"""

import html
import re
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from workbench.pictures.colours import css
from workbench.pictures.html import slug

try:
    from ipyevents import Event
except ImportError:  # the controls do the same
    Event = None

WAIT = 16  # milliseconds between two events of a drag: the pace of the screen
LATE = 120  # milliseconds: a step of a drag that is older than the quickest one by so much is left out
_PLACE = re.compile(r"\bat-(\w+)((?:[ .][rc]\d+)*)")


class Touch(NamedTuple):
    """What a click on one part of a table or of a text does.

    set : function(now, *index) -> dict control -> value; `index` counts from 0
    title : function(now, *index) -> what it does, in a few words; None = that the part is chosen by a click
    """

    set: Callable
    title: Callable | None = None


NEXT = {0.0: 1.0, 1.0: 2.0, 2.0: -1.0}  # any other number leads to 0


def leads_on(name):
    """The Touch of a matrix, and of the NumberGrid that holds it, whose numbers are changed by clicks: 0, 1, 2, -1 and 0 again."""

    def following(now, i, j):
        return NEXT.get(float(now[name][i, j]), 0.0)

    def set_next(now, i, j):
        values = now.control_values[name].copy()
        values[i, j] = following(now, i, j)
        return {name: values}

    return Touch(set_next, lambda now, i, j: f"{name} [{i + 1}, {j + 1}], a click makes it {following(now, i, j):g}")


def turn_letter(control):
    """The Touch of a string of A's and B's, all its letters on display: a click turns one.

    Parameters
    ----------
    control : function(now) -> name of the control that holds it
    """

    def typed(now):
        return now[control(now)].strip().upper()

    def other(now, k):
        return "B" if typed(now)[k] == "A" else "A"

    def turn(now, k):
        letters = typed(now)
        return {control(now): letters[:k] + other(now, k) + letters[k + 1 :]}

    return Touch(turn, lambda now, k: f"click: make it {other(now, k)}")


class Paint(NamedTuple):
    """A grid that is painted: the first cell is turned, and those that the pointer is drawn over become like it.

    grid : name of the control, a SwitchGrid of the size of the table
    title : function(now, *index) -> what a click does
    """

    grid: str
    title: Callable


class Swap(NamedTuple):
    """A part that is dragged onto another one, or clicked.

    drop : function(now, start, end) -> dict control -> value; start and end are tuples of numbers
    set : function(now, *index) -> dict control -> value, for a click
    title : function(now, *index) -> what it does
    """

    drop: Callable
    set: Callable
    title: Callable


class Plane(NamedTuple):
    """A part of a figure in which the pointer's place is read off the axes.

    axes : Axes of workbench.pictures.plane; the picture must stand first
    set : function(now, x, y) -> dict control -> value, in data coordinates, for a press and for every step of a drag; or the name
        of the control that x sets. Where a drag leaves the range of a slider, that waits at its end
    title : what it does, in a few words
    drag : whether it can be dragged, too
    press : function(now, x, y) -> what a press does there instead, nothing being dragged then; or None, as everywhere else
    drop : function(now, start, end) -> dict control -> value, for a thing that is carried from one place (x, y) to another;
        then `set` is for a press that is let go where it began, and None sets nothing
    peek : function(now, x, y) -> dict control -> value, shown as long as the pointer rests there, and not set; or None
    grab : function(now, x, y) -> which of several things a press there takes; then it is `set(now, x, y, taken)`
    """

    axes: object
    set: Callable | str
    title: str
    drag: bool = True
    press: Callable | None = None
    drop: Callable | None = None
    peek: Callable | None = None
    grab: Callable | None = None

    def leads(self, now, x, y):
        """What a press that takes something there does with it."""
        return self.set(now, x, y, self.grab(now, x, y))


class Sum(NamedTuple):
    """How each number of a matrix is made: from what, and in which words.

    sources : list of (name, places), the matrices that go in; places are "i:" (row i), "j:" (row j), ":j" (column j),
        ":i" (column i) or "ij" (the same cell), where i, j is the number's own place
    words : function(now, i, j) -> the sum in numbers, one line
    """

    sources: list
    words: Callable


def place_of(target):
    """The name and the indices of what was touched: the class "touch at-weights r1 c2" gives ("weights", (1, 2)). Events in SVG
    tell no class: there the id says the same, "at-weights.r1.c2"."""
    classes = target.get("className")
    found = _PLACE.search(classes if isinstance(classes, str) and classes else target.get("id") or "")
    return (found[1], tuple(int(k) for k in re.findall(r"[rc](\d+)", found[2]))) if found else (None, ())


def sources_of(sums, name, index, shapes):
    """Which cells go into one: list of (matrix, cells), in the order of its sources.

    Parameters
    ----------
    sums : dict name -> Sum
    name, index : of the cell
    shapes : dict name -> (num_rows, num_columns)
    """
    i, j = index
    return [(source, _cells(pattern, i, j, shapes[source])) for source, pattern in sums[name].sources]


def _cells(pattern, i, j, shape):
    rows, columns = shape
    return {
        "i:": [(i, k) for k in range(columns)],
        "j:": [(j, k) for k in range(columns)],
        ":j": [(k, j) for k in range(rows)],
        ":i": [(k, i) for k in range(rows)],
        "ij": [(i, j)],
    }[pattern]


_LIT = f"outline:2px solid {css('muted')};outline-offset:-2px;"


def lighting(sums, shapes):
    """Rules of style that light up what goes into the number under the pointer, without a word to Python.

    Parameters
    ----------
    sums : dict name -> Sum
    shapes : dict name -> (num_rows, num_columns), of the matrices that are shown
    """
    rules = []
    for name, made in sums.items():
        for source, pattern in made.sources if name in shapes else ():
            here, there = f".at-{slug(name)}", f".at-{slug(source)}"
            rows, columns = shapes[name]
            if pattern == "ij":
                pairs = [(f"r{i}.c{j}", f"r{i}.c{j}") for i in range(rows) for j in range(columns)]
            else:
                own, other = ("r", rows) if "i" in pattern else ("c", columns), "r" if pattern.endswith(":") else "c"
                pairs = [(f"{own[0]}{k}", f"{other}{k}") for k in range(own[1])]
            rules += [f".explorer:has({here}.{at}:hover) {there}.{lit}" for at, lit in pairs]
    return f"{','.join(rules)}{{{_LIT}}}" if rules else ""


class Surface:
    """The transparent sheet over a figure that the hand moves on. It stays while the picture below is drawn again, so that
    a finger keeps what it holds.

    Parameters
    ----------
    planes : dict name -> Plane, all of one figure, which has been drawn once

    Attributes
    ----------
    html : the sheet
    width, height : of the figure, in its own pixels; a narrow page shows it smaller
    """

    def __init__(self, planes):
        self._planes = {slug(name): plane for name, plane in planes.items()}
        axes = {name: plane.axes for name, plane in planes.items()}
        self.width, self.height = next(iter(axes.values())).size
        self.html = self._sheet(axes)
        if any(each.narrow for each in axes.values()):
            narrow = self._sheet({name: each.narrow for name, each in axes.items()}, "narrow ")
            self.html = f'<div class="only-wide">{self.html}</div><div class="only-narrow">{narrow}</div>'

    def _sheet(self, axes, kind=""):
        """One sheet; axes is a dict name -> Axes."""
        parts = []
        for name, each in axes.items():
            plane, (left, top, width, height) = self._planes[slug(name)], each.shares
            place = f"left:{left:.2%};top:{top:.2%};width:{width:.2%};height:{height:.2%};"
            answers, title = "touch drag" if plane.drag else "touch", html.escape(plane.title, quote=True)
            parts.append(f'<div class="{kind}{answers} at-{slug(name)}" title="{title}" style="{place}"></div>')
            size = f"width:{each.size[0]}px;aspect-ratio:{each.size[0]}/{each.size[1]};"
        return f'<div class="explorer-sheet" style="{size}">{"".join(parts)}</div>'

    def data(self, event):
        """The plane under an event and the place in its data: (name, x, y), or None."""
        name, _ = place_of(event.get("target", {}))
        if name not in self._planes:
            return None
        touches = event.get("touches") or event.get("changedTouches") or [event]
        at = touches[0]
        axes = self._planes[name].axes
        if "narrow" in event["target"]["className"].split():
            axes = axes.narrow
        scale = axes.size[0] / min(axes.size[0], at["boundingRectWidth"])  # narrow pages shrink the figure
        place = axes.to_data([at["relativeX"] * scale, at["relativeY"] * scale])
        x, y = (float(np.clip(each, *sorted(limits))) for each, limits in zip(place, axes.limits))
        return name, x, y

    def plane(self, name):
        """The Plane of this name, as it stands in a class."""
        return self._planes[name]


class Pace:
    """Which steps of a drag are still worth drawing: those that wait behind others are left out."""

    def __init__(self):
        self._quickest = float("inf")

    def too_late(self, event):
        """Whether this event has waited for too long; its clock is the page's, so only differences count."""
        delay = 1000 * time.monotonic() - event.get("timeStamp", 0)
        self._quickest = min(self._quickest, delay)
        return delay - self._quickest > LATE


def listen(source, events, handler):
    """Call `handler` with every event on a widget's element, at the pace of the screen; None where nobody can listen."""
    if Event is None:
        return None
    listener = Event(source=source, watched_events=events, wait=WAIT, prevent_default_action=True)
    listener.on_dom_event(handler)
    return listener
