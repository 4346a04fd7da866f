"""The strip: fifteen stations from words to the next word, and where a lesson stands among them."""

import re
from xml.etree import ElementTree

import pytest

from helpers import explorers, parts, your_program, yours
from helpers.yours import Part
from rooms.shared import strip
from tests.notebooks import FOLDER
from workbench.pictures.colours import css
from workbench.pictures.svg import text_width

SVG = "{http://www.w3.org/2000/svg}"
FILLED = {css("chosen"): "lit", css("ink"): "before", css("paper"): "later"}


def drawings(number):
    """The drawing for a card and that for a phone."""
    html = explorers.your_model(number).html
    return [ElementTree.fromstring(each) for each in re.findall(r"<svg\b.*?</svg>", html, re.DOTALL)]


def states(drawing):
    return [FILLED[each.get("fill")] for each in drawing.iter(f"{SVG}circle")][: len(strip.STATIONS)]


def words(drawing):
    return [each.text for each in drawing.iter(f"{SVG}text")]


def test_lessons_stand_in_the_order_of_the_notebooks():
    names = [path.stem.partition("_") for path in sorted(FOLDER.glob("[0-9]*.ipynb"))]
    order = [name for _, _, name in names if name in strip.LESSONS]
    assert order == [name for name in strip.LESSONS if name in order]
    if len(order) == len(strip.LESSONS):
        assert [int(number) for number, _, name in names if name in order] == list(range(len(order)))
    assert {lesson for _, lesson, _ in strip.STATIONS} | strip.BACK.keys() == set(strip.LESSONS)
    assert {part for _, _, own in strip.STATIONS for part in own} <= parts.LESSONS.keys()


def test_lit_is_this_lesson_filled_are_those_before_it_and_hollow_is_what_comes_later():
    for drawing in drawings("04"):
        assert dict(zip(strip.NAMES, states(drawing))) == {
            "words": "before", "positions": "later", "q k v": "before", "scores": "before", "÷ √d": "lit", "mask": "later",
            "softmax": "before", "mix": "before", "heads": "later", "+ norm": "later", "network": "later", "layers": "later",
            "memory": "later", "logits": "later", "next": "later",
        }  # fmt: skip


@pytest.mark.parametrize("number", [f"{k:02}" for k in range(15)])
def test_every_lesson_has_its_place_on_a_card_and_on_a_phone(number):
    wide, phone = drawings(number)
    lesson = strip.named(number)
    lit = [name for name, where, _ in strip.STATIONS if where == lesson]
    if lesson in strip.BACK:
        assert any("from the end back" in each for each in words(wide)) and "lit" not in states(wide)
    else:
        assert len(lit) >= 1 and " · ".join(lit) in words(phone)
        assert [name for name, state in zip(strip.NAMES, states(phone)) if state == "lit"] == lit
    assert set(strip.NAMES) <= set(words(wide))
    for drawing in (wide, phone):
        assert set(strip.STATES) <= set(words(drawing)), "a key for the states"
        boxes = []
        for each in drawing.iter(f"{SVG}text"):
            size, x, y = (float(each.get(key)) for key in ("font-size", "x", "y"))
            wide_ = text_width(each.text, size) * (1.1 if each.get("font-weight") else 1)
            left = x - wide_ * {"start": 0, "middle": 0.5, "end": 1}[each.get("text-anchor")]
            assert size >= 11 and left >= -1 and left + wide_ <= float(drawing.get("width")) + 1, each.text
            assert all(
                abs(y - line) > 9 or left >= end - 1 or left + wide_ <= start + 1 for start, end, line in boxes
            ), each.text
            boxes.append((left, left + wide_, y))


def test_what_is_yours_has_a_tick(monkeypatch):
    own = {"softmax", "split_heads"}
    monkeypatch.setattr(
        yours,
        "parts",
        lambda: [Part(name, where, "you" if name in own else "the course") for name, where in parts.LESSONS.items()],
    )
    shown = explorers.your_model("07")
    assert ">2 of 17 parts are yours</summary>" in shown.html and "This lesson: mask. Yours: softmax." in repr(shown)
    assert words(drawings("07")[0]).count("✓") == 2, "one station and the key: half of the heads is not yet theirs"


def test_after_the_last_station_the_strip_is_left_out():
    assert "<svg" not in explorers.your_model("20").html and repr(explorers.your_model("20")) == repr(
        explorers.your_model()
    )


def test_where_a_model_writes_each_dot_is_a_function_and_says_whose_it_is_and_what_is_broken():
    assert "Now: softmax." in strip.writing(["softmax"], now=["softmax"]).text
    shown = strip.writing(["softmax", "split_heads"], ["causal_mask"])
    assert "Yours: split_heads, softmax. Broken: causal_mask." in shown.text
    for each in re.findall(r"<svg\b.*?</svg>", shown.html, re.DOTALL):
        drawing = ElementTree.fromstring(each)
        assert words(drawing).count("✓") == 3 and words(drawing).count("✗") == 2, "the functions and the key"
        assert all(float(text.get("font-size")) >= 11 for text in drawing.iter(f"{SVG}text"))
    wide = words(ElementTree.fromstring(re.findall(r"<svg\b.*?</svg>", shown.html, re.DOTALL)[0]))
    assert set(strip.RUNS) <= set(wide) and sorted(strip.RUNS) == sorted(your_program.RUNS)
    key = words(
        ElementTree.fromstring(re.findall(r"<svg\b.*?</svg>", strip.writing([], ["softmax"]).html, re.DOTALL)[0])
    )
    assert {"the course's", "broken"} <= {*key} and "yours" not in key, "the key names what is there"
    assert strip.named("26") == strip.WRITES and "All are the course's." in repr(explorers.your_model("26"))
