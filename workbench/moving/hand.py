"""What answers the hand in an explorer: clicks and strokes on cells, and what is pressed, dragged or rested on in figures."""

import ipywidgets as widgets
import numpy as np

from workbench import matrices
from workbench.moving.touch import Pace, Paint, Surface, Swap, Touch, listen, place_of, sources_of

_FACTORS = ("factor", "second factor")
POINTED = "mousedown mousemove mouseup touchstart touchmove touchend dragstart mouseleave".split()


class Hand:
    """What an Explorer does with the events of its page."""

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
        return bool(values) and all(np.array_equal(now.control_values[name], value) for name, value in values.items())

    def marks(self, now):
        if not self._follow:
            return {}
        name, *index = now.control_values[self._follow]
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


def _shape(array):
    """Of an array as its table shows it: a vector stands in a column."""
    return (*np.shape(array), 1)[:2]


def on_grid(control, value):
    """The value nearest to `value` that a control can hold; other controls than sliders and number fields take it as it is."""
    if not isinstance(control, (widgets.IntSlider, widgets.FloatSlider, widgets.BoundedFloatText)):
        return value
    steps = round((value - control.min) / control.step)
    snapped = min(max(control.min + steps * control.step, control.min), control.max)
    return type(control.value)(round(snapped, 9))
