"""Words in the pictures of all explorers: none lies on another one, and none leaves its drawing."""

import re
import xml.etree.ElementTree as ET

import pytest

from helpers import explorers, language_model
from helpers.models import bert
from tests import driving
from workbench.pictures.svg import text_width

NAMES = sorted(name for name in dir(explorers) if name.startswith("explore_"))
SVG = "{http://www.w3.org/2000/svg}"
HEIGHT = 0.72  # of a capital letter, in sizes of its font
BOLD = 1.1  # times as wide
NEAR = 1.5  # pixels by which two words may meet, or leave their drawing: widths are estimates


@pytest.fixture(autouse=True)
def no_real_model(monkeypatch):
    monkeypatch.setattr(language_model, "find", lambda: None)
    monkeypatch.setattr(bert, "find_weights", lambda: None)


def words(drawing):
    """(left, top, right, bottom, words) of all that is written straight on."""
    for text in drawing.iter(f"{SVG}text"):
        said = "".join(text.itertext()).strip()
        if said and "transform" not in text.attrib and "writing-mode" not in text.attrib:
            size, x, y = (float(text.get(name).split()[0]) for name in ("font-size", "x", "y"))
            bold = BOLD if text.get("font-weight") in ("600", "700", "bold") else 1
            wide = float(text.get("textLength") or bold * text_width(said, size))
            left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor", "start")]
            yield left, y - HEIGHT * size, left + wide, y, said


def complaints(markup):
    found = []
    for drawing in map(ET.fromstring, re.findall(r"<svg .*?</svg>", markup, re.S)):
        width, height = map(float, drawing.get("viewBox").split()[2:])
        placed = sorted(words(drawing))
        for k, (left, top, right, bottom, said) in enumerate(placed):
            if left < -NEAR or top < -NEAR or right > width + NEAR or bottom > height + NEAR:
                found.append(f"{said!r} leaves a drawing of {width:g} × {height:g}")
            for other in placed[k + 1 :]:
                if other[0] > right - NEAR:
                    break
                if (
                    min(bottom, other[3]) - max(top, other[1]) > NEAR and len(said + other[4]) > 2
                ):  # not letters of a word
                    found.append(f"{said!r} and {other[4]!r} lie on each other")
    return found


def ends(explorer):
    """Move each control alone to its ends, or through all that may be chosen, and come back."""
    first = dict(explorer.values)
    for name, control in explorer.controls.items():
        if (
            "[" in name
        ):  # a number of a matrix: a plane with all its points at one place has names that lie on each other
            continue
        if hasattr(control, "options"):
            for index in range(len(control.options)):
                control.index = index
                yield
        elif hasattr(control, "min"):
            for value in (control.min, control.max):
                control.value = value
                yield
        explorer.set(**first)


@pytest.mark.parametrize("name", NAMES)
def test_no_word_lies_on_another_one_or_leaves_its_drawing(name):
    explorer = getattr(explorers, name)()
    assert complaints(explorer._view.value) == []
    for button in driving.buttons(explorer).values():
        button.click()
        assert complaints(explorer._view.value) == [], explorer.values


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
def test_no_word_lies_on_another_one_at_the_ends_of_a_control(name):
    explorer = getattr(explorers, name)()
    for _ in ends(explorer):
        assert complaints(explorer._view.value) == [], explorer.values


def test_words_that_lie_on_each_other_or_leave_are_noticed():
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 99 20">{}</svg>'
    word = '<text x="{}" y="{}" font-size="13">{}</text>'
    assert complaints(drawing.format(word.format(2, 15, "one") + word.format(40, 15, "two"))) == []
    assert complaints(drawing.format(word.format(2, 15, "one") + word.format(12, 17, "two"))) == [
        "'one' and 'two' lie on each other"
    ]
    assert complaints(drawing.format(word.format(80, 15, "gone"))) == ["'gone' leaves a drawing of 99 × 20"]
