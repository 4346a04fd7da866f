"""Figures: the artists hold the data given, a kept figure paints what a fresh one would, nothing global changes."""

import base64
import functools
import gc
import re
import subprocess
import sys
import weakref
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from helpers.pictures import plots
from helpers.pictures.html import alive

SVG = "{http://www.w3.org/2000/svg}"
NASTY = 'R&D <script>alert("it\'s")</script>'


def drawing(shown):
    """The one <svg> that a figure is."""
    return ElementTree.fromstring(shown.html)


def shapes(shown):
    """Its parts, in no order: what moves is drawn last, and the frames of the axes over it."""
    return sorted(re.findall("<(?:path|use|image|text)[^>]+>[^<]*", shown.html))


def lines(labels):
    figure, ax = plots.new_figure(3, 2)
    drawn = plots.curves(ax, 2, x_title="position", title="waves", labels=labels)
    return figure, drawn, lambda shown: plots.move_curves(drawn, np.arange(shown.shape[1]), shown)


def random(*shapes, low=-1.15):
    rng = np.random.default_rng(0)
    return [rng.uniform(low, 1.1, size=shape) for shape in shapes]  # up to and beyond the frame


SCENES = {  # how the figure is made, and what is shown in it one after the other
    "curves": (lambda: lines(None), random((2, 5), (2, 5), (2, 23), (2, 5))),
    "curves behind a legend": (lambda: lines(["from first", "from second"]), random((2, 7), (2, 7), (2, 13))),
}


@functools.cache
def frames_and_places(scene):
    """What a kept figure shows one after the other, and where its axes are each time."""
    make, data = SCENES[scene]
    live, frames, places = plots.LiveFigure(*make()), [], []
    for shown in data:
        frames.append(shapes(live.draw(shown, "text")))
        places.append([ax.get_position().bounds for ax in live.figure.axes])
    return frames, places


def fresh_frame(make, first, shown):
    """What a new figure shows, laid out like the kept one: around what was shown first."""
    figure, _, update = make()
    update(first)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    update(shown)
    return shapes(plots.picture(figure, "text"))


@pytest.mark.parametrize("scene", SCENES)
def test_live_figure_shows_what_a_fresh_figure_would(scene):
    make, data = SCENES[scene]
    frames, _ = frames_and_places(scene)
    for shown, frame in zip(data, frames):
        assert frame == fresh_frame(make, data[0], shown)
    assert frames[0] != frames[1]


@pytest.mark.parametrize("scene", SCENES)
def test_live_figure_lets_nothing_jump(scene):
    _, places = frames_and_places(scene)
    assert all(place == places[0] for place in places)


def test_live_figure_paints_its_ground_again_only_for_another_range():
    live, draws = plots.LiveFigure(*lines(None)), []
    paint = live._paint_ground
    live._paint_ground = lambda: draws.append(1) or paint()
    for shown in random((2, 5), (2, 5), (2, 5)):
        live.draw(shown, "text")
    assert len(draws) == 1
    live.draw(*random((2, 7)), "text")
    assert len(draws) == 2


def test_picture_escapes_its_text():
    figure, ax = plots.new_figure(2, 1)
    ax.set_title(NASTY)
    shown = plots.picture(figure, NASTY)
    assert "<script" not in shown.html and shown.text == NASTY
    assert drawing(shown).get("aria-label") == NASTY
    assert NASTY in ["".join(text.itertext()) for text in drawing(shown).iter(f"{SVG}text")]


def test_picture_is_as_large_as_asked_and_has_an_image_for_pages_that_strip_drawings():
    figure, _ = plots.new_figure(3, 2)
    shown = plots.picture(figure, "text")
    assert (drawing(shown).get("width"), drawing(shown).get("height")) == ("300", "200")
    still = shown._repr_mimebundle_()["text/html"]
    assert still.startswith('<img alt="text" width="300"') and 'aria-label="text"' in alive(still)


@pytest.mark.parametrize("scene", SCENES)
def test_every_colour_of_a_figure_follows_the_theme(scene):
    make, data = SCENES[scene]
    painted = plots.LiveFigure(*make()).draw(data[0], "text").html
    assert "--paper" in painted and "--muted" in painted
    assert not set(re.findall("(?<!,)#[0-9a-f]{6}", painted)), "a colour without a name is the same on a dark page"


def test_a_figure_in_a_page_keeps_what_its_parts_refer_to():
    figure, ax = plots.new_figure(3, 2)
    ax.plot([0, 1], [0, 1], "o-")
    still = re.search('base64,([^"]*)', plots.picture(figure, "text")._repr_mimebundle_()["text/html"])[1]
    image = base64.b64decode(still).decode()
    asked = set(re.findall(r"url\(#(\w+)\)", image)) | set(re.findall(r'href="#(\w+)"', image))
    assert asked and asked <= set(re.findall(r' id="(\w+)"', image))


def test_new_figure_gives_axes_in_the_order_of_their_letters():
    figure, axes = plots.new_figure(4, 4, "ba ca", width_ratios=[1, 3])
    figure.canvas.draw()
    a, b, c = (ax.get_position() for ax in axes)
    assert a.x0 > b.x1 and b.y0 > c.y1 and a.height > b.height + c.height
    assert len(figure.axes) == 3


def test_curves_move_to_their_data_and_are_told_apart_without_colour():
    _, ax = plots.new_figure()
    drawn = plots.curves(ax, 3, x_title="position", title="waves", labels=["a", "b", "c"], y_limits=(-2, 3))
    x, ys = np.arange(2, 7), np.random.default_rng(0).normal(size=(3, 5))
    plots.move_curves(drawn, x, ys)
    for line, y in zip(drawn, ys, strict=True):
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack([x, y]))
    assert (ax.get_xlim(), ax.get_ylim()) == ((2, 6), (-2, 3))
    assert (ax.get_xlabel(), ax.get_title(loc="left") + ax.get_title()) == ("position", "waves")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "c"]
    assert [line.get_linestyle() for line in drawn] == ["-", "--", "-"]
    assert len({line.get_color() for line in drawn}) == 3


def test_drawing_leaves_the_settings_of_matplotlib_alone_and_needs_no_pyplot():
    code = """
import sys
import matplotlib

def settings():  # without the backend: to ask for it is to import pyplot
    return {name: matplotlib.rcParams[name] for name in matplotlib.rcParams if name != "backend"}

matplotlib.rcParams["lines.linewidth"] = 7
before = settings()
from helpers.pictures import plots
assert settings() == before, "the import changes rcParams"
assert "matplotlib.pyplot" not in sys.modules, "the import brings pyplot"
figure, ax = plots.new_figure()
lines = plots.curves(ax, 1, x_title="", title="", labels=["a"])
plots.marker_line(ax, "a")
plots.LiveFigure(figure, lines, lambda shown: plots.move_curves(lines, [0, 1], shown)).draw([[0, 1]], "text")
plots.picture(figure, "text")
assert settings() == before, "drawing changes rcParams"
assert lines[0].get_linewidth() != 7, "the learner's settings reach the figures of the course"
assert "matplotlib.pyplot" not in sys.modules, "drawing brings pyplot"
"""
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_picture_leaves_no_pixels_behind():
    """They would take a megabyte for each figure of a lesson, as long as its kernel runs."""
    figure, axes = plots.new_figure(3.0, 2.0, photo=True)
    axes.plot([0, 1], [0, 1])
    live = plots.LiveFigure(figure, axes.lines, lambda shown: None)
    for _ in range(2):
        figure.canvas.get_renderer()
        pixels = weakref.ref(figure.canvas.buffer_rgba().obj)
        live.draw(None, "x")
        gc.collect()
        assert pixels() is None
