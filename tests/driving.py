"""Hands for the tests of explorers: move every control, read what is displayed."""

import html
import html.parser
import re
from fractions import Fraction
from typing import NamedTuple

import ipywidgets as widgets

from rooms.shared import attention_maps, model_readings
from workbench import matrices

GOOD_LETTERS = ["A", "B", "AABA", "abab", "  BBA ", "ABABABABABAB", "B" * 12, "aB"]
STORED = [attention_maps.load(name).text for name in attention_maps.names()]
READ = [model_readings.load(name).text for name in ("Mary", "Mary gives", "Blixa", "random, twice")]
OTHER_TEXTS = {  # label of a text field that takes more than letters -> what to type
    "your own text: type, then press Enter": [*12 * STORED, f"  {STORED[3]} ", "", " ", "a " * 60],
    "text: type, then press Enter": READ,
    "heads that are off (layer.head)": ["none", "", "23.3", "1.5", " 16.0 ", "30.1", "x"],
    "read as": [
        "the cat sat on the mat",
        "mat the on sat cat the",
        "  on the the  cat mat sat ",
        "",
        "the cat sat on the hat",
    ],
    "beginning": ["attention is ", "Who is she?", "", "Ä N² ö", "q" * 130],
    "text": ["low lower lowest", "aaa", "", "a" * 61, "  B  A B ", "Ä N² ö 猫"],
    "your name": ["Sarah", "Jürgen", "Наташа", "", "a" * 50, "<b>A</b>"],
    "string of A, B, C, D": ["ABCA", " abab ", "DDDD", "AB", "A", "ABE", ""],
}
GOOD_DATES = ["21 Nov 2026", " 1 May 1999 ", "7/8/69", "Sat 21 Nov 2026", "31 feb 2026", "november 3, 1987", "2026-11-21", "1.2.2003",
              "garbage 12", "Wednesday, September 30, 2026", "29 Feb 2028", "000000", "05/03/2011"]  # fmt: skip
BAD_LETTERS = ["", "   ", "ABC", "A" * 13, "<b>A</b>", "A&B", "A B", "0", "Ä", '"><img src=x onerror=alert(1)>', "A\nB"]


def move(control, rng):
    """Put one control to a random place; the ends of its range come often."""
    if isinstance(control, (widgets.IntSlider, widgets.FloatSlider, widgets.BoundedFloatText, widgets.BoundedIntText)):
        steps = round((control.max - control.min) / control.step)
        inside = int(steps * rng.random() ** 2)  # small sizes more often: they are quick to check
        step = int(rng.choice([0, steps, inside], p=[0.1, 0.1, 0.8]))
        control.value = control.max if step == steps else control.min + step * control.step
    elif isinstance(control, (widgets.SelectionSlider, widgets.ToggleButtons, widgets.Dropdown, widgets.RadioButtons)):
        control.index = int(rng.integers(len(control.options)))
    elif isinstance(control, widgets.Checkbox):
        control.value = bool(rng.integers(2))
    elif isinstance(control, widgets.Text) and "date" in control.description:
        control.value = str(rng.choice([*GOOD_DATES, *GOOD_DATES, *BAD_LETTERS]))
    elif isinstance(control, widgets.Text):
        if control.description in OTHER_TEXTS:
            control.value = str(rng.choice(OTHER_TEXTS[control.description]))
            return
        random = "".join(rng.choice(["A", "B"], size=rng.integers(1, 13)))
        control.value = str(
            rng.choice([random, random, random, str(rng.choice(GOOD_LETTERS)), str(rng.choice(BAD_LETTERS))])
        )
    else:
        raise TypeError(f"tests/driving.py must learn how to move a {type(control).__name__}.")


def nudges(control):
    """Other values of a control that must change the picture: a step up and down, or every other choice."""
    if isinstance(control, (widgets.IntSlider, widgets.FloatSlider, widgets.BoundedFloatText, widgets.BoundedIntText)):
        near = [control.value - control.step, control.value + control.step]
        return [value for value in near if control.min <= value <= control.max]
    if isinstance(control, widgets.Checkbox):
        return [not control.value]
    if isinstance(control, widgets.Text):
        return [control.value[:-1], control.value + "B"]
    return [value for value in choices(control) if value != control.value]


def choices(control):
    """The values of a selection."""
    options = control.options
    pairs = options.items() if isinstance(options, dict) else options
    return [pair[1] if isinstance(pair, tuple) else pair for pair in pairs]


def scatter(explorer, rng):
    """Put every control to a random place, as `Explorer.set` does, and draw nothing yet."""
    explorer._moving_many = True
    try:
        for control in explorer.controls.values():
            move(control, rng)
    finally:
        explorer._moving_many = False


def move_all(explorer, rng):
    """Put every control to a random place, then draw once; return the arrays, or None where the values are refused."""
    scatter(explorer, rng)
    return drawn(explorer)


def computed(explorer):
    """The arrays of the computation alone, or None where it refuses the values."""
    try:
        return explorer._compute(**{name: field.value for name, field in explorer._fields.items()})
    except ValueError:
        return None


def drawn(explorer):
    """The arrays on display when all is drawn, or None where the values are refused."""
    explorer._refresh()
    return explorer.shown if explorer._view.value == explorer.html else None


def click(explorer, name, *index):
    """Touch one part of a picture as the page tells it: the classes of what was clicked, nothing else."""
    event = {"target": {"className": touchable(explorer, name, *index)}, "timeStamp": 0.0}
    strokes = any(kind in str(type(each)) for each in explorer._touch.values() for kind in ("Paint", "Swap"))
    for kind in ("mousedown", "mouseup") if strokes else ("click",):
        explorer._touched({**event, "type": kind, "buttons": 1})


def stroke(explorer, name, start, *others):
    """Press on one part, draw the pointer over others, and let go on the last of them."""
    explorer._touched({"type": "mousedown", "buttons": 1, "target": {"className": touchable(explorer, name, *start)}})
    for index in others:
        explorer._touched(
            {"type": "mousemove", "buttons": 1, "target": {"className": touchable(explorer, name, *index)}}
        )
    last = others[-1] if others else start
    explorer._touched({"type": "mouseup", "buttons": 0, "target": {"className": touchable(explorer, name, *last)}})


def touchable(explorer, name, *index):
    """The classes of a part that is on display; it must answer."""
    wanted = " ".join([f"at-{matrices.slug(name)}", *(f"{letter}{k}" for letter, k in zip("rc", index))])
    found = [classes for classes in re.findall(r'class="([^"]*)"', explorer.html) if classes.endswith(wanted)]
    assert found, f"nothing on display is called {wanted}"
    assert "touch" in found[0].split() or "drag" in found[0].split(), f"{found[0]} does not answer"
    return found[0]


def point(explorer, name, x, y, *, kind="mousedown", width=None, buttons=1, time=0.0):
    """Press in a figure at a place in its data, take a step of a drag (`kind="mousemove"`), or rest there (`buttons=0`, too);
    `width` is that of the page."""
    surface = explorer._surface
    across, down = surface.plane(matrices.slug(name)).axes.to_pixels((x, y))
    scale = min(surface.width, width or surface.width) / surface.width
    place = {"relativeX": across * scale, "relativeY": down * scale}
    size = {"boundingRectWidth": width or surface.width}
    explorer._pointed(
        {
            "type": kind,
            "buttons": buttons,
            "timeStamp": time,
            "target": {"className": f"touch at-{matrices.slug(name)}"},
            **place,
            **size,
        }
    )


def titles(explorer):
    """dict (name, index) -> title of every part on display that says something."""
    found = re.findall(
        r'class="(?:touch |drag )*at-(\w+)((?: [rc]\d+)*)"(?: id="[^"]*"><title>| title=")([^"<]*)', explorer.html
    )
    return {
        (name, tuple(int(k) for k in re.findall(r"\d+", index))): html.unescape(title) for name, index, title in found
    }


def state(explorer):
    """dict name of the control -> value, all that a reference may look at."""
    return {name: control.value for name, control in explorer.controls.items()}


def buttons(widget):
    """dict text -> button, of everything inside a widget."""
    found = {widget.description: widget} if isinstance(widget, widgets.Button) else {}
    for child in getattr(widget, "children", ()):
        found |= buttons(child)
    return found


class Table(NamedTuple):
    """caption : str, name of the matrix; rows : dict label -> list of the cells' words, the sum at the end included."""

    caption: str
    corner: str
    heads: list
    rows: dict


class _Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tables, self._in, self._words = [], None, []

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.tables.append({"caption": "", "cells": []})
        elif tag == "tr":
            self.tables[-1]["cells"].append([])
        if tag in {"caption", "th", "td"}:
            self._in, self._words = tag, []

    def handle_data(self, data):
        self._words.append(data)

    def handle_endtag(self, tag):
        if tag == "caption":
            self.tables[-1]["caption"] = "".join(self._words).strip()
        elif tag in {"th", "td"}:
            self.tables[-1]["cells"][-1].append("".join(self._words).strip())


def tables(markup):
    """Every table of a view."""
    reader = _Reader()
    reader.feed(markup)
    found = []
    for table in reader.tables:
        (corner, *heads), *lines = table["cells"]
        rows = {label.removeprefix("▸ "): cells for label, *cells in lines}
        if len(rows) < len(lines):  # a word that comes twice: number the rows
            rows = {f"{k} {label.removeprefix('▸ ')}": cells for k, (label, *cells) in enumerate(lines, start=1)}
        found.append(Table(re.sub(r" \d+×\d+$", "", table["caption"]), corner, heads, rows))
    return found


class Cell(NamedTuple):
    """One number of a table: the caption without its shape, the heads of its row and its column, and what is written and said."""

    caption: str
    row: str
    column: str
    word: str
    title: str


def number_cells(markup):
    """The numbers of the matrices and strips of a view, without the sums Σ, whose head says what they are, and without tables
    of words, left-aligned, which say it in their rows."""
    found = []
    for table in re.findall(r"<table.*?</table>", markup, re.DOTALL):
        (caption,) = re.findall(r"<caption[^>]*>(.*?)</caption>", table)
        heads = [_plain(head) for head in re.findall(r'<th scope="col"[^>]*>(.*?)</th>', table)]
        for row, line in re.findall(r'<th scope="row"[^>]*>(.*?)</th>(.*?)</tr>', table):
            for column, (attributes, word) in zip(heads, re.findall(r"<td([^>]*)>(.*?)</td>", line), strict=True):
                title = re.search(r'title="([^"]*)"', attributes)
                if NUMBER.fullmatch(_plain(word)) and not {row, column} & {"Σ"} and "text-align:left" not in attributes:
                    said = html.unescape(title[1]) if title else ""
                    found.append(
                        Cell(re.sub(r" \d+×\d+$", "", _plain(caption)), _plain(row), column, _plain(word), said)
                    )
    return found


def _plain(markup):
    return html.unescape(re.sub("<[^>]*>", "", markup)).strip().removeprefix("▸ ")


def lights(markup):
    """The lights of a view: list of (holds, words)."""
    return [(sign == "✓", words) for sign, words in re.findall(r">([✓✗]) ([^<]*)</span>", markup)]


NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?%?|NaN|-?∞|\binf\b")


def says(word, value):
    """Whether a written number is `value`, rounded to the decimals that are written."""
    if isinstance(value, str):
        return word == value
    if word in {"NaN", "nan"} or value != value:
        return word in {"NaN", "nan"} and value != value
    if word in {"∞", "inf", "-∞"}:
        return value == float(word.replace("∞", "inf"))
    if re.fullmatch(r"-?\d+/\d+", word):
        return abs(Fraction(word) - value) < 1e-9
    plain = word.rstrip("%").replace(",", "")
    value = 100 * value if word.endswith("%") else value
    mantissa, _, exponent = plain.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(float(plain) - value) <= 0.5000001 * unit + 1e-9 * abs(value)
