"""Colours by role, and pictures as SVG: what they say, where their parts are, what is left of them on a page that runs nothing."""

import base64
import io
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import workbench
from rooms.shared import arcs
from tests.contrast import contrast
from workbench import matrices
from workbench.matrices import Places
from workbench.pictures import colours, html, maps, plane
from workbench.pictures.svg import Drawing, text_width

SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).parents[1]


def shapes(picture, tag):
    return ElementTree.fromstring(picture.html).findall(f"{SVG}{tag}")


LETTERS = {"q": "query", "k": "key", "v": "value", "y": "output", "x": None}  # x: of which it is made, W says


def test_a_letter_of_a_formula_wears_the_colour_of_its_role():
    found = [
        each
        for path in (Path(__file__).parents[1] / "notebooks").glob("[0-9]*.ipynb")
        for each in re.findall(r"\\\\textcolor\{([^}]*)\}\{([^}]*)\}", path.read_text(encoding="utf-8"))
    ]
    assert len(found) > 20
    for colour, letters in found:
        letter = re.search("W_([QKV])|(.)", letters)
        role = LETTERS[(letter[1] or letter[2]).lower()] or LETTERS[re.search("W_(.)", letters)[1].lower()]
        assert colour == colours.COLOURS[role].light, f"{letters} is a {role}"
        assert f'[mathcolor="{colour}"]' in colours.variables(), "it follows no theme"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_of_words_has_contrast_on_its_page(theme):
    found = {name: getattr(colour, theme) for name, colour in colours.COLOURS.items()}
    for name in set(found) - {"paper", "line"}:
        assert contrast(found[name], found["paper"]) >= 4.5, (name, theme)


def test_colours_of_roles_stand_in_two_modules_only():
    values = {value.lower() for name in (*colours.WORN, "low", "high") for value in colours.COLOURS[name]}
    declared = [ROOT / "workbench/pictures/colours.py", ROOT / "rooms/__init__.py"]
    for folder in ("helpers", "workbench", "rooms", "web"):
        for path in (ROOT / folder).rglob("*.*"):
            if path.suffix in (".py", ".css", ".js") and path not in declared and "_build" not in path.parts:
                assert not values & set(re.findall(r"#[0-9a-f]{6}", path.read_text(encoding="utf-8").lower())), path


def test_a_long_sentence_breaks_into_lines_that_a_finger_can_touch():
    words, places = (
        "one head of a trained model reads two sentences and finds who she is in them .".split(),
        Places("w", "touch"),
    )
    shown = arcs.arcs(words, np.arange(len(words)) / 136, 3, places=places)
    wide, narrow = (ElementTree.fromstring(f"<svg{part}</svg>") for part in re.findall("<svg(.*?)</svg>", shown.html))
    assert float(wide.get("width")) > 500 and narrow.get("width") == "340"
    assert [text.text for text in narrow.iter(f"{SVG}text") if "%" not in text.text] == words
    touched = [box for box in narrow.iter(f"{SVG}rect") if "touch" in box.get("class", "")]
    assert len(touched) == len(words) and min(float(box.get("width")) for box in touched) >= 24
    assert max(float(box.get("x")) + float(box.get("width")) for box in touched) <= 345
    assert html.still(shown.html).count("<img") == 1, "a page that runs nothing shows one of both"


def test_numbers_under_a_sentence_do_not_run_into_each_other():
    picture = arcs.arcs(["she", "a", ",", "b", "sees"], [0.2, 0.2, 0.25, 0.2, 0.15], chosen=0)
    told = [text for text in shapes(picture, "text") if "%" in text.text and text.text != "100%"]
    places = sorted(float(text.get("x")) for text in told)
    assert "25%" in [text.text for text in told] and min(np.diff(places)) >= 32


def test_ribbons_over_a_sentence_are_as_wide_as_the_weights():
    picture = arcs.arcs(["a", "b", "c", "d"], [0.0, 0.2, 0.7, 0.1], chosen=0)
    widths = [float(path.get("stroke-width")) for path in shapes(picture, "path")]
    assert widths == [2.4, 16.8, 4.8]  # 24 × the weights, the farthest first
    shades = [float(box.get("fill-opacity")) for box in shapes(picture, "rect") if box.get("fill-opacity")]
    np.testing.assert_allclose(shades, 0.34 * np.array([0, 0.2, 0.7, 0.1]), atol=0.006)
    assert picture.text == "sentence: a attends to c 0.700, b 0.200, d 0.100."
    with pytest.raises(ValueError, match="one number for each of 2 words"):
        arcs.arcs(["a", "b"], [1.0], 0)


def test_parts_of_a_drawing_are_named_for_the_pointer():
    drawing = Drawing(10, 10)
    drawing.add("rect", place=(Places("big words", "touch", lambda k: f"word {k} & more"), 3), width=1, fill="query")
    (box,) = shapes(drawing.html("a box"), "rect")
    assert (box.get("class"), box.get("id"), box[0].text) == (
        "touch at-big_words r3",
        "at-big_words.r3",
        "word 3 & more",
    )
    assert box.get("fill") == f"var(--query,{colours.COLOURS['query'].light})"


def test_a_function_that_draws_in_two_widths_keeps_its_name_and_says_what_it_draws():
    @workbench.in_two_widths((40,), (20,))
    def square(text, side):
        """A square with a text."""
        return Drawing(side, side).html(text)

    assert (square.__name__, square.__doc__) == ("square", "A square with a text.")
    assert square("four corners").text == "four corners"
    assert re.findall(r'<svg[^>]* width="(\d+)"', square("four corners").html) == ["40", "20"]


def test_where_nothing_runs_a_drawing_is_an_image_with_its_text():
    picture = matrices.beside(maps.numbers_map([[0, 1]], 'two "numbers"'), matrices.matrix([1], "m"))
    still = picture._repr_mimebundle_()["text/html"]
    assert "<svg" not in still and "<table" in still and still.count("<img") == 1
    assert 'alt="two &quot;numbers&quot;"' in still
    inside = base64.b64decode(re.search(r"svg\+xml;base64,([^\"]*)", still)[1]).decode()
    assert inside.count("<image") == 1 and "class=" not in inside
    assert html.alive(still).count(inside) == 1 and "<img" not in html.alive(still)


def test_axes_turn_pixels_into_data_and_back():
    axes = plane.Axes(300, 200, (-1, 2), (0, 4), margin=(10, 20, 30, 40))
    assert axes.to_pixels((-1, 0)) == (10, 160) and axes.to_pixels((2, 4)) == (270, 20)
    np.testing.assert_allclose(axes.to_data(axes.to_pixels((0.3, 1.7))), [0.3, 1.7])


def test_weights_are_lines_of_width_12_times_the_weight():
    sketch = plane.Axes(100, 100).sketch()
    before = len(shapes(sketch.html(""), "line"))
    sketch.between((0, 0), (1, 1), width=12 * 0.25)
    assert [line.get("stroke-width") for line in shapes(sketch.html(""), "line")][before:] == ["3"]


def test_labels_of_neighbours_keep_clear_of_each_other():
    sketch = plane.Axes(210, 170, (-1, 2), (-1, 2)).sketch()
    places = [(0, 0), (0.4, 0), (0.4, 0.1), (0, 1)]
    for place, name in zip(places, ["q Alex", "q Sarah", "k She", "free"], strict=True):
        sketch.say(place, name, (-10, -10), anchor="end")
    shown = [each for each in shapes(sketch.html(""), "text") if each.get("font-size") == "14"]
    boxes = []
    for each in shown:
        x, line, wide = float(each.get("x")), float(each.get("y")), text_width(each.text, 14)
        left = x - wide if each.get("text-anchor") == "end" else x
        assert left >= 0 and left + wide <= 210 and 14 <= line <= 170, f"{each.text} is cut"
        for start, end, other in boxes:
            assert end <= left or left + wide <= start or abs(other - line) >= 13, f"{each.text} touches another label"
        boxes.append((left, left + wide, line))
    x, y = sketch.axes.to_pixels((0, 1))
    assert [float(shown[-1].get(key)) for key in "xy"] == pytest.approx([x - 10, y - 10], abs=0.01)  # it had room


def test_a_label_that_an_edge_would_cut_moves_inside():
    sketch = plane.Axes(210, 170, (-1, 2), (-1, 2)).sketch()
    for place in ((-1, 0), (2, 0), (0.5, 1)):
        sketch.dot(place, "key", "token 1")
    left, right, free = (float(each.get("x")) for each in shapes(sketch.html(""), "text")[-3:])
    half = text_width("token 1", 14) / 2
    assert left - half > 0 and right + half < 210 and free == pytest.approx(sketch.axes.to_pixels((0.5, 1))[0])


def test_what_lies_beyond_the_plane_is_written_at_its_edge():
    sketch = plane.Axes(400, 170, (-1, 2), (-1, 2)).sketch()
    assert sketch.beyond((3, 0.123), "token 1", "key") and not sketch.beyond((2, -1), "corner", "key")
    told = shapes(sketch.html(""), "text")[-1]
    assert (told.text, told.get("text-anchor")) == ("token 1 [3, 0.12]", "end")
    assert float(told.get("x")) == pytest.approx(sketch.axes.to_pixels((2, 0))[0])


def test_what_stands_in_one_place_shares_a_label():
    found = plane.together(np.array([[1, 0], [0, 1], [1, 0]]), ["a", "b", "c"])
    assert [(place.tolist(), names) for place, names in found] == [([1, 0], ["a", "c"]), ([0, 1], ["b"])]


def test_a_map_has_one_pixel_for_each_number():
    shown = maps.numbers_map(np.arange(6).reshape(2, 3), "six numbers", cell=7)
    for theme, image in zip(("light", "dark"), shapes(shown, "image"), strict=True):
        assert (image.get("width"), image.get("height"), image.get("class")) == ("21", "14", f"only-{theme}")
        file = io.BytesIO(base64.b64decode(image.get("href").partition(",")[2]))
        pixels = np.array(Image.open(file).convert("RGB"))
        np.testing.assert_array_equal(pixels, maps.shades(np.arange(6).reshape(2, 3) / 5, "weights", theme))
    named = maps.numbers_map(np.arange(6).reshape(2, 3), "six numbers", cell=7, ticks={0: "one", 1: "two"})
    assert [(text.text, text.get("x"), text.get("y")) for text in shapes(named, "text")] == [
        ("one", "27.5", "18"), ("one", "19", "31.5"), ("two", "34.5", "18"), ("two", "19", "38.5"),
    ]  # fmt: skip
    full = maps.shades(np.array([[-1.0, 0.0, 1.0]]), "scores", "light")[0]
    want = [colours.COLOURS[name].light for name in ("low", "paper", "high")]
    assert [f"#{bytes(pixel).hex()}" for pixel in full] == want


def test_the_chosen_word_of_a_sentence_is_drawn_closer_where_its_bold_letters_would_touch_a_neighbour():
    words = ["a", "beautiful", "gold", "cat", "."]
    widths = [
        re.search(r"<text[^>]*font-weight=.700.[^>]*>", arcs.arcs(words, np.ones(5) / 5, k).html)[0] for k in range(5)
    ]
    assert ["textLength" in each for each in widths] == [False, True, False, True, False]
    room = float(re.search(r'textLength="([\d.]+)"', widths[1])[1])
    assert text_width("beautiful", 17) < room < text_width("beautiful", 17) + 7


def test_a_plane_takes_one_unit_and_derives_its_height_or_its_range():
    high = plane.Axes(300, None, (-1, 3), (0, 2), margin=(10, 20, 30, 40))
    assert high.size == (300, 190) and high.units == (65, 65)
    reaches = plane.Axes(300, 190, (-1, 3), (0, None), margin=(10, 20, 30, 40))
    assert reaches.y == (0, 2) and reaches.units == (65, 65)
