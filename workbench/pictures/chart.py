"""Curves over one axis, as SVG: what is drawn, the place that is chosen, where it is dragged and what is read aloud, said once."""

import math

import numpy as np

from workbench.pictures.html import by_width
from workbench.pictures.plane import Axes
from workbench.pictures.svg import Drawing, text_width

COLOURS = ("first", "second", "high", "low", "ink")
DASHES = (None, "7 4")  # curves are told apart without colour
PHONE, LEFT = 340, 44  # pixels: a phone's width, and room for what is marked up
TITLE, WORDS, APART = 14, 12, 15  # pixels: letters above the frame and around it, and from one line of them to the next
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Chart:
    """A frame for curves that stays as it is while they move, with a narrower one for a phone.

    Parameters
    ----------
    across, up : (lowest, highest) number
    ticks, up_ticks : what is marked there: numbers, or dict number -> words
    title, x_title : what runs up and what runs across
    lines : names of the curves, which stand at their ends
    colours, dashes, widths : of the curves, each repeated as often as needed
    size : (width, height) in pixels of the page; a phone has the same height
    top, right, bottom : pixels around the frame, more of them where a picture has two charts; at the right at least as many as the
        names need
    logarithmic : whether powers of ten run up

    Attributes
    ----------
    axes : where the data stand, for what is dragged
    layouts : the axes for a page with room and for a phone
    """

    def __init__(
        self, across, up, *, ticks, up_ticks, title="", x_title="", lines=("",), colours=COLOURS, dashes=DASHES,
        widths=(2,), size=(700, 280), top=28, right=0, bottom=40, logarithmic=False,
    ):  # fmt: skip
        self._titles, self._scaled = (title, x_title), _power if logarithmic else np.asarray
        self._looks = {
            name: [each[k % len(each)] for each in (colours, dashes, widths)] for k, name in enumerate(lines)
        }
        self._ticks, self._up_ticks = (
            _named(ticks, "{:g}".format),
            _named(up_ticks, _raised if logarithmic else "{:g}".format),
        )
        right = max(right, 20, *(text_width(name, WORDS) + 14 for name in lines))
        how = {"x": across, "y": self._scaled(up), "margin": (LEFT, top, right, bottom)}
        self.axes = Axes(*size, **how, narrow=Axes(PHONE, size[1], **how))
        self.layouts = (self.axes, self.axes.narrow)

    def sheets(self):
        """Empty drawings, one for each layout."""
        return [Drawing(*axes.size) for axes in self.layouts]

    def place(self, axes, x, y):
        """Where data stand in the pixels of a layout; what lies beyond the frame stands at its edge."""
        return axes.to_pixels((x, np.clip(self._scaled(y), *axes.y)))

    def draw(self, x, values, *, chosen=None, text="", onto=None):
        """Draw the curves.

        Parameters
        ----------
        x : (n,), from left to right
        values : (num_lines, n), or (n,) for one line; NaN is left out
        chosen : the x that is marked and read aloud, or None: nothing is marked, and the end is read
        text : what is read before it
        onto : drawings from `sheets` that hold more; None = empty ones

        Returns
        -------
        Html
        """
        values, here = np.atleast_2d(values), x[-1] if chosen is None else chosen
        there = [np.interp(here, x, line) for line in values]
        told = ", ".join(f"{name} {value + 0.0:.3g}".strip() for name, value in zip(self._looks, there, strict=True))
        (title, x_title), where = self._titles, self._ticks.get(here, f"{here:g}")
        text = f"{text} {title[:1].upper()}{title[1:]} ({x_title}: {where}): {told}.".strip()
        places = (np.column_stack(self.place(self.axes, np.asarray(x, dtype=float), line)) for line in values)
        curves = [points[~np.isnan(line)] for points, line in zip(places, values)]
        drawings = onto or self.sheets()
        for drawing, axes in zip(drawings, self.layouts, strict=True):
            self._draw_frame(drawing, axes)
            self._draw_curves(drawing, axes, curves)
            self._draw_names(drawing, axes, values[:, -1])
            if chosen is not None:
                self._draw_chosen(drawing, axes, chosen, there)
        return by_width(*(drawing.html(text) for drawing in drawings))

    def _draw_frame(self, drawing, axes):
        for tick, words in self._up_ticks.items():
            y = self.place(axes, 0, tick)[1]
            drawing.line((axes.left, y), (axes.right, y), "line", 1.4 if tick == 0 else 0.7)
            drawing.words(axes.left - 6, y + 4, words, size=WORDS, colour="muted", anchor="end")
        for tick, words in self._ticks.items():
            drawing.words(axes.to_pixels((tick, 0))[0], axes.bottom + 17, words, size=WORDS, colour="muted")
        drawing.words(0, axes.top - 12, self._titles[0], size=TITLE, anchor="start")
        drawing.words(axes.right, axes.bottom + 34, self._titles[1], size=WORDS, colour="muted", anchor="end")

    def _draw_curves(self, drawing, axes, curves):
        """The same curves in both layouts, made narrower for a phone: what is recorded of them is kept once."""
        share = (axes.right - axes.left) / (self.axes.right - self.axes.left)
        inside = drawing.add("g", transform=f"translate({axes.left * (1 - share):.2f}) scale({share:.4f} 1)")
        for points, (colour, dashes, width) in zip(curves, self._looks.values()):
            look = {"stroke_dasharray": dashes, "vector_effect": "non-scaling-stroke", "within": inside}
            drawing.curve(points, colour, width, **look)

    def _draw_names(self, drawing, axes, ends):
        """The names at the ends of the curves, apart from one another; curves that look alike and end together share one."""
        y, looks, together = self.place(axes, 0, np.nan_to_num(ends))[1], list(self._looks.values()), []
        for k in np.argsort(y, kind="stable"):
            if together and looks[k] == looks[together[-1][0]] and y[k] - y[together[-1][0]] < APART:
                together[-1].append(int(k))
            else:
                together.append([int(k)])
        apart = APART * np.arange(len(together))
        places = _rising(np.array([y[group].mean() for group in together]) - apart)
        for group, place in zip(together, np.clip(places, axes.top, axes.bottom - apart[-1]) + apart):
            name = _as_one(list(self._looks), sorted(group))
            drawing.words(axes.right + 9, place + 4, name, size=WORDS, colour=looks[group[0]][0], anchor="start")

    def _draw_chosen(self, drawing, axes, chosen, values):
        inside = drawing.add("g", transform=f"translate({axes.to_pixels((chosen, 0))[0]:.1f})")
        drawing.line((0, axes.top), (0, axes.bottom), "chosen", 1.5, within=inside)
        for value in values:
            y = round(self.place(axes, chosen, value)[1], 1)
            drawing.add("circle", cy=y, r=4.5, fill="chosen", stroke="paper", within=inside)


def _rising(y):
    """The numbers that never fall and are nearest to `y`: where names in its order have room, above and below their curves."""
    n = range(len(y))
    return np.array([max(min(y[j : k + 1].mean() for k in n[i:]) for j in n[: i + 1]) for i in n])


def _as_one(names, group):
    """Some of the names, as one: three or more that follow one another are the first and the last."""
    first, last = group[0], group[-1]
    whole = len(group) > 2 and last - first == len(group) - 1
    return f"{names[first]}–{names[last]}" if whole else ", ".join(names[k] for k in group)


def _named(ticks, word):
    return ticks if isinstance(ticks, dict) else {tick: word(tick) for tick in ticks}


def _power(y):
    return np.log10(np.maximum(y, 1e-300))


def _raised(tick):
    return power_of_ten(round(math.log10(tick)))


def power_of_ten(power):
    """10 with a raised number, a whole one."""
    return f"10{str(power).translate(RAISED)}"
