"""Every word of every picture has a contrast of at least 4.5 : 1 with what it stands on, on a light page and on a dark one."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from helpers import explorers, language_model
from helpers.models import bert
from tests.contrast import contrast
from workbench.pictures.colours import COLOURS
from workbench.pictures.svg import text_width

NAMES = sorted(name for name in dir(explorers) if name.startswith("explore_"))
LEAST = 4.5
SVG = "{http://www.w3.org/2000/svg}"


def rgb(paint, theme):
    """The colour of an attribute, or None where nothing is painted."""
    role = re.match(r"var\(--(\w+)", paint or "")
    if not role:
        return None
    colour = getattr(COLOURS[role[1]], theme)
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255


def box(shape):
    """(left, top, right, bottom) of a rectangle or a circle."""
    at = {"cx": 0.0, "cy": 0.0} | {
        key: float(value) for key, value in shape.items() if re.fullmatch(r"-?[\d.]+", value)
    }
    if shape.tag == f"{SVG}circle":
        return at["cx"] - at["r"], at["cy"] - at["r"], at["cx"] + at["r"], at["cy"] + at["r"]
    x, y = at.get("x", 0), at.get("y", 0)
    return x, y, x + at["width"], y + at["height"]


def dim(markup, theme):
    """The words of drawings that are hard to read: (contrast, words)."""
    found = []
    for drawing in re.findall(r"<svg\b.*?</svg>", markup, re.DOTALL):
        under = []
        for shape in ElementTree.fromstring(drawing).iter():
            if (
                shape.tag in (f"{SVG}rect", f"{SVG}circle")
                and "transform" not in shape.attrib
                and (fill := rgb(shape.get("fill"), theme)) is not None
            ):
                under.append((box(shape), fill, float(shape.get("fill-opacity", 1))))
            if shape.tag != f"{SVG}text" or shape.get("paint-order") or shape.get("transform") or not shape.text:
                continue
            size, x, y = (float(shape.get(key)) for key in ("font-size", "x", "y"))
            wide = text_width(shape.text, size)
            x += wide * {"start": 0.5, "middle": 0, "end": -0.5}[shape.get("text-anchor", "middle")]
            ground = rgb("var(--paper", theme)
            for (left, top, right, bottom), fill, opacity in under:
                if left <= x <= right and top <= y - 0.35 * size <= bottom and right - left > 0.7 * wide:
                    ground = opacity * fill + (1 - opacity) * ground
            if (has := contrast(rgb(shape.get("fill"), theme), ground)) < LEAST:
                found.append((round(has, 2), shape.text))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_words_are_readable_on_what_they_stand_on(name, monkeypatch):
    monkeypatch.setattr(language_model, "find", lambda: None)
    monkeypatch.setattr(bert, "find_weights", lambda: None)
    explorer = getattr(explorers, name)()
    for theme in ("light", "dark"):
        assert dim(explorer._view.value, theme) == [], theme


@pytest.mark.parametrize(("name", "values"), [
    ("explore_question", {"strength": 8.0}), ("explore_question", {"strength": 10.0, "asks": 7}), ("explore_binding", {"num_heads": 2}),
    ("explore_she", {"word": 20}), ("explore_state", {"passing": 1}),
])  # fmt: skip
def test_and_where_weights_have_gathered(name, values):
    explorer = getattr(explorers, name)()
    explorer.set(**values)
    for theme in ("light", "dark"):
        assert dim(explorer._view.value, theme) == [], theme
