"""Charts: curves stand where their numbers are, names keep apart, no word is cut on a page or a phone, the chosen values are told."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from rooms.carry_a_state import explorers as carry_a_state
from rooms.grow_a_copying_head import explorers as grow_a_copying_head
from rooms.learn_to_look import explorers as learn_to_look
from rooms.turn_positions import explorers as turn_positions
from workbench.pictures.chart import Chart
from workbench.pictures.svg import text_width

SVG = "{http://www.w3.org/2000/svg}"


def layouts(shown):
    """The two drawings of a chart, for a page with room and for a phone."""
    wide, narrow = re.fullmatch(
        r'<div class="only-wide">(<svg.*</svg>)</div><div class="only-narrow">(<svg.*</svg>)</div>', shown.html
    ).groups()
    return ElementTree.fromstring(wide), ElementTree.fromstring(narrow)


def points(curve):
    return [tuple(map(float, pair.split(","))) for pair in curve.get("points").split()]


def moved(drawing, places):
    """Where the group of the curves puts places."""
    words = drawing.find(f".//{SVG}polyline/..").get("transform")
    shift, scale = map(float, re.fullmatch(r"translate\((\S+)\) scale\((\S+) 1\)", words).groups())
    return [(shift + scale * x, y) for x, y in places]


def chart(**options):
    how = {
        "ticks": (0, 10),
        "up_ticks": {0: "none", 4: "all"},
        "title": "share",
        "x_title": "steps",
        "size": (300, 200),
    }
    return Chart((0, 10), (0, 4), **(how | {"lines": ("one", "other"), "top": 20, "bottom": 30} | options))


def test_curves_stand_where_their_numbers_are_and_at_the_edge_beyond_the_frame():
    for drawing, axes in zip(
        layouts(chart(right=56).draw([0, 5, 10], [[0, 3, 4], [9, np.nan, -1]])), chart(right=56).layouts
    ):
        assert (axes.left, axes.right) == (44, axes.size[0] - 56) and axes.size[0] in (300, 340)
        first, second = drawing.iter(f"{SVG}polyline")
        x = [44, (axes.left + axes.right) / 2, axes.right]
        assert moved(drawing, points(first)) == [
            pytest.approx(each, abs=0.1) for each in zip(x, [170, 20 + 150 / 4, 20])
        ]
        # 9 and -1 lie outside, and what is no number is left out
        assert moved(drawing, points(second)) == [pytest.approx(each, abs=0.1) for each in ((x[0], 20), (x[2], 170))]
        assert first.get("stroke-dasharray") is None and second.get("stroke-dasharray")
        assert first.get("stroke") != second.get("stroke")


def test_powers_of_ten_run_up_in_equal_steps():
    made = Chart(
        (0, 3),
        (0.01, 10),
        ticks=(0, 3),
        up_ticks=(0.01, 0.1, 1, 10),
        logarithmic=True,
        size=(300, 130),
        top=20,
        bottom=20,
    )
    drawing, _ = layouts(made.draw([0, 1, 2, 3], [0.01, 0.1, 10, 0.0]))
    (curve,) = drawing.iter(f"{SVG}polyline")
    assert [y for _, y in points(curve)] == [110, 80, 20, 110]
    words = [text.text for text in drawing.iter(f"{SVG}text")]
    assert [word for word in words if word and word.startswith("10")] == ["10⁻²", "10⁻¹", "10⁰", "10¹"]


def test_the_values_at_the_chosen_place_are_marked_and_told():
    shown = chart().draw([0, 4, 10], [[0, 2, 4], [4, 1, 1]], chosen=2, text="Two runs.")
    assert shown.text == "Two runs. Share (steps: 2): one 1, other 2.5."
    for drawing, axes in zip(layouts(shown), chart().layouts):
        assert drawing.get("aria-label") == shown.text
        across = float(drawing.find(f".//{SVG}circle/..").get("transform").removeprefix("translate(").removesuffix(")"))
        marks = [(across, float(dot.get("cy"))) for dot in drawing.iter(f"{SVG}circle")]
        assert marks == [pytest.approx(axes.to_pixels((2, y)), abs=0.1) for y in (1, 2.5)]
    assert (
        chart(ticks={0: "none", 10: "ten"}).draw([0, 10], [[1, 2], [0, 3]]).text
        == "Share (steps: ten): one 2, other 3."
    )
    assert chart(title='<b>"', lines=("&",)).draw([0, 10], [1, 2]).html.count("<b>") == 0


@pytest.mark.parametrize("ends", [[1, 1, 1, 1, 1], [0, 0, 0, 0, 0], [4, 4, 4, 3.9, 0.01], [0, 1, 2, 3, 4]])
def test_names_at_the_ends_keep_apart_in_their_order_inside_the_frame(ends):
    names = [f"curve {k}" for k in range(5)]
    shown = chart(lines=names).draw([0, 10], [[0, end] for end in ends])
    for drawing in layouts(shown):
        there = {text.text: float(text.get("y")) - 4 for text in drawing.iter(f"{SVG}text") if text.text in names}
        heights = sorted(there.values())
        assert min(np.diff(heights)) >= 14.9 and 20 <= heights[0] and heights[-1] <= 170
        assert all(there[names[i]] <= there[names[j]] for i in range(5) for j in range(5) if ends[i] > ends[j])


def names(drawing):
    """dict name at the end of curves -> its height."""
    there = [text for text in drawing.iter(f"{SVG}text") if text.get("text-anchor") == "start" and text.get("x") != "0"]
    return {text.text: float(text.get("y")) - 4 for text in there}


def test_curves_that_look_alike_and_end_together_share_a_name_and_names_stand_around_their_curves():
    made = chart(lines="abcde", colours=["first"], dashes=[None])
    for ends, expected in {
        (1, 1.1, 0.9, 2, 4): {"a–c": 1, "d": 2, "e": 4},
        (1, 1.1, 4, 1, 2.5): {"a, b, d": 1.03, "c": 4, "e": 2.5},
    }.items():
        for drawing in layouts(made.draw([0, 10], [[0, end] for end in ends])):
            assert names(drawing) == {
                name: pytest.approx(170 - 150 / 4 * end, abs=0.5) for name, end in expected.items()
            }
    for drawing in layouts(chart(lines="abc").draw([0, 10], [[0, 2]] * 3)):
        assert list(names(drawing).values()) == [80, 95, 110]  # around 95


ROOMS = (carry_a_state, grow_a_copying_head, learn_to_look, turn_positions)
CHARTS = {
    f"{room.__package__.split('.')[-1]} {name}": made
    for room in ROOMS
    for name, made in vars(room).items()
    if isinstance(made, Chart)
}


@pytest.mark.parametrize("name", CHARTS)
def test_no_word_of_a_chart_is_cut_or_small(name):
    assert len(CHARTS) == 7
    made = CHARTS[name]
    (low, high), lines = made.axes.x, len(made._looks)
    for drawing, axes in zip(layouts(made.draw([low, high], np.zeros((lines, 2)), chosen=high)), made.layouts):
        for text in drawing.iter(f"{SVG}text"):
            size, x, y = (float(text.get(key)) for key in ("font-size", "x", "y"))
            share = {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
            left = x - share * text_width(text.text or "", size)
            right = left + text_width(text.text or "", size)
            assert size >= 12 and left >= -0.5 and right <= axes.size[0] + 0.5 and size - 2 <= y <= axes.size[1] - 3, (
                text.text
            )
