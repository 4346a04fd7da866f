"""Figures of matplotlib in the page: in the colours of its theme, as large as asked, with a text alternative, shown once."""

import base64
import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pytest

from workbench.pictures import plots
from workbench.pictures.html import alive

SVG = "{http://www.w3.org/2000/svg}"
NASTY = 'R&D <script>alert("it\'s")</script>'


@pytest.fixture
def figure():
    """A figure as a learner makes one: a line with points, 3 × 2 inches."""
    with plt.style.context("workbench.pictures.course"):
        figure, ax = plt.subplots(figsize=(3, 2))
        ax.plot([0, 1], [0, 1], "o-", label="a")
        ax.set_title(NASTY)
        ax.legend()
        yield figure
    plt.close("all")


def test_picture_escapes_its_text(figure):
    shown = plots.picture(figure, NASTY)
    drawing = ElementTree.fromstring(shown.html)
    assert "<script" not in shown.html and shown.text == NASTY == drawing.get("aria-label")
    assert NASTY in ["".join(text.itertext()) for text in drawing.iter(f"{SVG}text")]


def test_picture_is_as_large_as_asked_and_has_an_image_for_pages_that_strip_drawings(figure):
    shown = plots.picture(figure, "text")
    drawing = ElementTree.fromstring(shown.html)
    assert (drawing.get("width"), drawing.get("height")) == ("300", "200")
    still = shown._repr_mimebundle_()["text/html"]
    assert still.startswith('<img alt="text" width="300"') and 'aria-label="text"' in alive(still)


def test_every_colour_of_a_figure_follows_the_theme(figure):
    painted = plots.picture(figure, "text").html
    assert "--paper" in painted and "--muted" in painted and "--first" in painted
    assert not set(re.findall("(?<!,)#[0-9a-f]{6}", painted)), "a colour without a name is the same on a dark page"


def test_a_figure_in_a_page_keeps_what_its_parts_refer_to(figure):
    still = re.search('base64,([^"]*)', plots.picture(figure, "text")._repr_mimebundle_()["text/html"])[1]
    image = base64.b64decode(still).decode()
    asked = set(re.findall(r"url\(#(\w+)\)", image)) | set(re.findall(r'href="#(\w+)"', image))
    assert asked and asked <= set(re.findall(r' id="(\w+)"', image))


def test_a_figure_is_shown_once(figure):
    plots.picture(figure, "text")
    assert not plt.fignum_exists(figure.number)
