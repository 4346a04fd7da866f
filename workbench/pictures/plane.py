"""A plane with points and arrows in it, whose places the hand can touch: pixels of the page, and numbers of the data."""

import copy

import numpy as np

from workbench.pictures.svg import Drawing, text_width


class Axes:
    """Where the data of a picture stand in its pixels.

    Parameters
    ----------
    width, height : of the picture in pixels; a height of None gives a step up as many pixels as a step across has, so that
        angles and lengths of arrows are true
    x, y : (lowest, highest) number across and up; a highest y of None follows from the height in the same way
    x_title, y_title : what runs across and up
    margin : pixels around the plane; (left, top, right, bottom)
    narrow : Axes of the same picture as a narrow page shows it, or None: it is made smaller there
    """

    def __init__(
        self, width=440, height=440, x=(-2.0, 3.0), y=(-2.0, 3.0), *, x_title="", y_title="", margin=(14, 22, 14, 22),
        narrow=None,
    ):  # fmt: skip
        self.size, self.x, self.y, self.titles = (width, height), tuple(x), tuple(y), (x_title, y_title)
        self.narrow = narrow
        left, top, right, bottom = margin
        self.left, self.top, self.right = left, top, width - right
        if height is None:
            self.size = width, top + self._unit() * (y[1] - y[0]) + bottom
        self.bottom = self.size[1] - bottom
        if y[1] is None:
            self.y = y[0], y[0] + (self.bottom - top) / self._unit()

    def _unit(self):
        return (self.right - self.left) / (self.x[1] - self.x[0])

    @property
    def units(self):
        """Pixels of a step across and of a step up."""
        return self._unit(), (self.bottom - self.top) / (self.y[1] - self.y[0])

    @property
    def shares(self):
        """(left, top, width, height) of the plane as shares of the picture."""
        width, height = self.size
        return self.left / width, self.top / height, (self.right - self.left) / width, (self.bottom - self.top) / height

    @property
    def limits(self):
        """((lowest, highest) across, (lowest, highest) up)."""
        return self.x, self.y

    def to_pixels(self, point):
        """(x, y) of the data as (x, y) in the picture."""
        (x0, x1), (y0, y1) = self.x, self.y
        across, up = (point[0] - x0) / (x1 - x0), (point[1] - y0) / (y1 - y0)
        return self.left + across * (self.right - self.left), self.bottom - up * (self.bottom - self.top)

    def to_data(self, pixels):
        """Pixels in the picture, (..., 2), as data, (..., 2)."""
        pixels = np.asarray(pixels, dtype=float)
        (x0, x1), (y0, y1) = self.x, self.y
        across, up = (
            (pixels[..., 0] - self.left) / (self.right - self.left),
            (self.bottom - pixels[..., 1]) / (self.bottom - self.top),
        )
        return np.stack([x0 + across * (x1 - x0), y0 + up * (y1 - y0)], axis=-1)

    def reaching(self, x, y):
        """The same pixels for other numbers across and up."""
        other = copy.copy(self)
        other.x, other.y = tuple(x), tuple(y)
        return other

    def sketch(self, room=None):
        """An empty plane to draw in."""
        return Sketch(self, room)


def together(places, names):
    """(place, names) for each place that differs: what stands in one place shares a label."""
    found = {}
    for place, name in zip(places, names, strict=True):
        found.setdefault(tuple(np.round(place, 9)), []).append(name)
    return [(np.array(place), names) for place, names in found.items()]


class Sketch(Drawing):
    """A drawing in the numbers of its axes; colours are names of roles.

    Places are data in `between`, `along`, `through`, `area`, `arrow`, `dot`, `ring`, `diamond` and `say`. What a Drawing has, `line`,
    `curve`, `box` and `words`, stays in pixels.

    Parameters
    ----------
    axes : Axes
    room : (left, top, right, bottom) in pixels, where labels may stand; None = in the whole picture
    """

    def __init__(self, axes, room=None):
        super().__init__(*axes.size)
        self.axes, self.room = axes, room or (0, 0, *axes.size)
        self._said = []  # the boxes of labels, as the room is told
        (x0, x1), (y0, y1) = axes.limits
        for k in range(int(np.ceil(x0)), int(np.floor(x1)) + 1):
            self.between((k, y0), (k, y1), "line", 1.2 if k == 0 else 0.4)
            self._tick((k, min(max(0, y0), y1)), k, (0, 18))
        for k in range(int(np.ceil(y0)), int(np.floor(y1)) + 1):
            self.between((x0, k), (x1, k), "line", 1.2 if k == 0 else 0.4)
            self._tick((min(max(0, x0), x1), k), k, (-13, 4))
        x_title, y_title = axes.titles
        low = min(axes.bottom + 17, axes.size[1] - 5)
        for title, x, y, anchor in ((x_title, axes.right, low, "end"), (y_title, axes.left, 13, "start")):
            if title:
                self.words(x, y, title, size=12, colour="muted", anchor=anchor)

    def between(self, start, end, colour="ink", width=1.5, **attributes):
        """A line from one place to another."""
        return self.line(
            self.axes.to_pixels(start), self.axes.to_pixels(end), colour, width, stroke_linecap="round", **attributes
        )

    def along(self, places, colour="ink", width=2, **attributes):
        """A line through many places, (num_places, 2)."""
        return self.curve(map(self.axes.to_pixels, places), colour, width, **attributes)

    def through(self, direction, colour="line", width=1):
        """The line through the origin in a direction, from end to end of the plane."""
        ends = [
            limit / part for part, limits in zip(direction, self.axes.limits) for limit in limits if abs(part) > 1e-9
        ]
        ends = (max(end for end in ends if end < 0), min(end for end in ends if end > 0))
        self.between(*(np.multiply(end, direction) for end in ends), colour, width)

    def area(self, corners, colour="ink", opacity=0.07):
        """A filled area, such as the triangle between three points."""
        points = " ".join("{:.1f},{:.1f}".format(*self.axes.to_pixels(corner)) for corner in corners)
        return self.add("polygon", points=points, fill=colour, fill_opacity=opacity, stroke=colour, stroke_opacity=0.35)

    def arrow(self, tip, colour, label="", start=(0.0, 0.0), width=3, dashed=False):
        """An arrow to a place, its label beyond the tip."""
        (x0, y0), (x1, y1) = self.axes.to_pixels(start), self.axes.to_pixels(tip)
        length = np.hypot(x1 - x0, y1 - y0)
        if length < 1:
            self.dot(tip, colour, label, radius=4)
            return
        across, up = (x1 - x0) / length, (y1 - y0) / length
        head = min(4.0 * width, length)
        x, y = x1 - head * across, y1 - head * up
        look = {"stroke_dasharray": "6 5"} if dashed else {"stroke_linecap": "round"}
        self.line((x0, y0), (x, y), colour, width, **look)
        side = 0.42 * head
        corners = [(x1, y1), (x - side * up, y + side * across), (x + side * up, y - side * across)]
        self.add("polygon", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in corners), fill=colour)
        self.say(
            tip,
            label,
            (16 * across + 4 * np.sign(across) * len(label) * (abs(across) > 0.5), 16 * up + 5),
            colour=colour,
            font_weight=600,
        )

    def dot(self, place, colour, label="", radius=6):
        """A point with its label above it."""
        x, y = self.axes.to_pixels(place)
        self.add("circle", cx=x, cy=y, r=radius, fill=colour, stroke="paper", stroke_width=1.5)
        self.say(place, label, (0, -radius - 6), colour=colour, font_weight=600)

    def ring(self, place, colour, label="", radius=7):
        """An open ring: a place where nothing stands."""
        x, y = self.axes.to_pixels(place)
        self.add("circle", cx=x, cy=y, r=radius, fill="none", stroke=colour, stroke_width=2)
        self.say(place, label, (0, -radius - 6), colour=colour)

    def diamond(self, place, label="", colour="ink", radius=8):
        """A square on its corner, its label below it: what comes out."""
        x, y = self.axes.to_pixels(place)
        corners = [(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)]
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
        self.add("polygon", points=points, fill=colour, stroke="paper", stroke_width=1.5)
        self.say(place, label, (0, radius + 16), colour=colour, font_weight=600)

    def say(self, place, words, shift=(0, 0), *, size=14, anchor="middle", **how):
        """Words at a place, moved by so many pixels to the right and down, or to its other side where words stand there."""
        if words:
            x, y = self.axes.to_pixels(place)
            wide = text_width(words, size) * (1.12 if "font_weight" in how else 1)
            boxes = {side: _box(x, y, wide, size, *side) for side in _sides(shift, size, anchor)}
            best = min(boxes, key=lambda side: self._hidden(boxes[side]))  # of equal ones the first
            left, top, right, bottom = boxes[best]
            (across, down), anchor = best
            aside = _aside(boxes[best], self.room) if self.room[0] <= x <= self.room[2] else 0
            across += aside
            self._said.append((left + aside, top, right + aside, bottom))
            self.words(x + across, y + down, words, halo=True, size=size, anchor=anchor, **how)

    def beyond(self, place, label, colour):
        """Whether a place lies beyond the plane; then its label stands at the edge, with the numbers of the place."""
        (x0, x1), (y0, y1) = self.axes.limits
        edge = np.clip(place, (x0, y0), (x1, y1))
        if np.allclose(edge, place):
            return False
        x, y = (f"{round(number, 2) + 0.0:g}" for number in np.asarray(place, dtype=float).tolist())
        anchor = "start" if edge[0] < (x0 + x1) / 2 else "end"
        self.say(edge, f"{label} [{x}, {y}]", (0, -8), anchor=anchor, colour=colour, font_weight=600)
        return True

    def _tick(self, place, number, shift):
        if number:
            x, y = self.axes.to_pixels(place)
            self.words(x + shift[0], y + shift[1], f"{number}", halo=True, size=10, colour="muted")

    def _hidden(self, box):
        """How much of a label, in square pixels, other labels would cover or the edge would cut off."""
        inside = _common(box, self.room)
        return sum(_common(box, other) for other in self._said) + (box[2] - box[0]) * (box[3] - box[1]) - inside


ASCENT, DESCENT = 0.75, 0.2  # of a letter, above its line and below
CLEAR = 5  # pixels beside a label


def _box(x, y, wide, size, shift, anchor):
    """(left, top, right, bottom) of words."""
    left, line = x + shift[0] - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor], y + shift[1]
    return left - CLEAR, line - ASCENT * size, left + wide + CLEAR, line + DESCENT * size


def _sides(shift, size, anchor):
    """The four places of a label around its point: as asked for, to the other side, above instead of below, and both."""
    across, down = shift
    other = {"start": "end", "end": "start", "middle": "middle"}[anchor]
    up = (ASCENT - DESCENT) * size - down
    return [((x, y), end) for y in (down, up) for x, end in ((across, anchor), (-across, other))]


def _aside(box, room):
    """How far to the right a label moves that an edge would cut."""
    if box[0] + CLEAR < room[0]:
        return room[0] - box[0]
    return min(0, room[2] - box[2]) if box[2] - CLEAR > room[2] else 0


def _common(one, other):
    """The area that two boxes share."""
    width, height = (min(one[k + 2], other[k + 2]) - max(one[k], other[k]) for k in (0, 1))
    return max(width, 0) * max(height, 0)
