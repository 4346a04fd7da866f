"""Known answers of the explorers of this lesson; tests/test_explorers.py holds them against recorded states."""

import json
import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from helpers import explorers
from rooms.shared import attention_maps, questions
from rooms.who_is_she import explorers as room
from tests import driving
from tests.notebooks import prose


def test_explore_lookup_draws_query_and_keys_to_one_scale():
    explorer = explorers.explore_lookup()
    for angle, length in ((0, 0.5), (20, 1.0), (90, 2.0), (45, explorer.controls["length"].max)):
        explorer.set(angle=angle, length=length)
        drawing = ElementTree.fromstring(re.search(r"<svg.*?</svg>", explorer.html)[0])
        want = length * np.array([math.cos(math.radians(angle)), math.sin(math.radians(angle))])
        assert "[{:.2f}, {:.2f}]".format(*want) in drawing.get("aria-label") and f"{length:.1f} long" in drawing.get(
            "aria-label"
        )
        dashed = [line for line in drawing.iter() if line.get("stroke-dasharray")]
        for line, key in zip(dashed, room.KEYS, strict=True):  # from the tip, at a right angle, to the score
            ends = [room.AXES.to_data([float(line.get(f"x{k}")), float(line.get(f"y{k}"))]) for k in (1, 2)]
            np.testing.assert_allclose(ends, [want, key * (key @ want)], atol=1e-3)
        scores, weights = room.KEYS @ want, explorer.shown["weights"]
        for score, weight in zip(scores, weights, strict=True):  # in words, and as a bar
            assert f"= {score:.2f}, weight {weight:.2f}" in explorer.html and all(
                f'width="{3 * axes.units[0] * weight:.2f}'.rstrip("0") in explorer.html
                for axes in (room.AXES, room.AXES.narrow)
            )
    (low, high), up = room.AXES.limits
    assert (low, high) == up and high >= explorer.controls["length"].max and room.AXES.units[0] == room.AXES.units[1]


@pytest.mark.parametrize(
    ("x", "y", "angle", "length"),
    [(0, 2, 90, 2), (-1.5, 2, 127, 2.5), (3.1, 3.1, 45, 3), (2, -2.2, -45, 3), (0, 0, 45, 0)],
)
def test_the_query_of_explore_lookup_is_dragged_by_its_tip(x, y, angle, length):
    explorer = explorers.explore_lookup()
    driving.point(explorer, "query", 1, 1)
    driving.point(explorer, "query", x, y, kind="mousemove")
    assert explorer.controls["angle"].value == angle and explorer.controls["length"].value == pytest.approx(length)


def test_a_score_is_written_where_its_line_lands():
    explorer = explorers.explore_lookup()
    for angle, length in ((10, 2.5), (126, 3.0), (0, 2.0), (-30, 1.0), (45, 0.0)):
        explorer.set(angle=angle, length=length)
        drawing = ElementTree.fromstring(re.search(r"<svg.*?</svg>", explorer.html)[0])
        query = length * np.array([math.cos(math.radians(angle)), math.sin(math.radians(angle))])
        written = [each for each in drawing.iter() if re.fullmatch(r"-?\d\.\d\d", each.text or "")]
        landed = [key * (key @ query) for key in room.KEYS if abs(key @ query) > 0.25]
        for each, place in zip(written, landed, strict=True):
            assert float(each.text) == pytest.approx(np.sign(float(each.text)) * np.linalg.norm(place), abs=0.005)
            gap = np.subtract([float(each.get("x")), float(each.get("y"))], room.AXES.to_pixels(place))
            assert np.linalg.norm(gap) < 30


def test_the_arrow_waits_at_the_nearer_end_of_its_range():
    explorer = explorers.explore_lookup()
    for place, angle in (((-2, 0.2), 135), ((-2, -0.2), 135), ((0.2, -2), -45), ((2, 2), 45), ((-0.2, -2), -45)):
        driving.point(explorer, "query", *place)
        assert explorer.controls["angle"].value == angle


def test_explore_she_finds_sarah_and_follows_when_the_names_are_swapped():
    explorer = explorers.explore_she()
    assert "“She” gives 45% of the attention to “Sarah”" in explorer.text
    explorer.set(names="names swapped")
    assert "57% of the attention to “Alex”" in explorer.text
    driving.click(explorer, "words", 9)
    assert explorer.controls["word"].value == 9 and "“cat” gives" in explorer.text


def test_a_score_is_as_long_in_the_plane_as_beside_it():
    explorer = explorers.explore_lookup()
    for angle, length in ((10, 2.5), (126, 3.0), (-30, 1.0)):
        explorer.set(angle=angle, length=length)
        ends = [[float(each.get(side)) for side in ("x1", "y1", "x2", "y2")]
                for each in ElementTree.fromstring(f"<p>{''.join(re.findall(r'<svg.*?</svg>', explorer.html))}</p>").iter()
                if each.get("stroke-width") == str(room.PIECE["stroke_width"])]  # fmt: skip
        lengths = [math.hypot(x2 - x1, y2 - y1) for x1, y1, x2, y2 in ends]
        wide, beside, phone, below = (lengths[k : k + 3] for k in (0, 6, 3, 9))  # two planes, then two lists of bars
        np.testing.assert_allclose(beside, wide, atol=0.02)
        np.testing.assert_allclose(below, phone, atol=0.02)
        np.testing.assert_allclose(wide, room.AXES.units[0] * np.abs(explorer.shown["scores"]), atol=0.02)


def test_the_numbers_of_the_head_give_the_ribbons_of_the_first_picture():
    """Sarah's score is the highest, and from the scores come the very weights that are stored."""
    explorer, first = explorers.explore_real_head(), explorers.explore_she()
    shown, tokens = explorer.shown, attention_maps.load("She").tokens
    np.testing.assert_allclose(shown["weights"], first.shown["weights"], atol=2e-4)
    assert len(shown["query"]) == 32 and tokens[shown["scores"].argmax()] == "sarah"
    rival = np.sort(shown["scores"])[-2]
    assert shown["scores"].max() - rival > 6 and "score of 25.7" in explorer.text  # "the highest by far"
    driving.click(explorer, "words", 5)
    assert "“the” answers her query with a score of −13.7, which earns it 0.0%" in explorer.text
    np.testing.assert_allclose(explorer.shown["products"].sum(), explorer.shown["scores"][5], rtol=1e-5)
    assert attention_maps.one_head()[:2] == (3, 1)  # "written 3.1"


def test_size_decides_a_score_and_not_how_often_key_and_query_agree():
    explorer, against = explorers.explore_real_head(), {}
    for word in ("[CLS]", "sarah", "cat"):
        explorer.set(word=attention_maps.load("She").tokens.index(word))
        products = explorer.shown["products"]
        assert np.count_nonzero(products > 0) == 20 and round(products[products > 0].sum()) in (
            29,
            30,
            31,
        )  # "about 30"
        against[word] = f"{-products[products < 0].sum():.1f}"
        assert f"disagree −{against[word]}, together " in explorer.html
        if word == "sarah":
            assert explorer.html.count("agree +30.5, disagree −4.8, together 25.7") == 2  # on both pages
    assert against == {"[CLS]": "9.5", "sarah": "4.8", "cat": "14.5"}
    assert "take away less than 5" in prose("who_is_she") and "and for *cat* more than 14" in prose("who_is_she")


def test_what_she_gets_is_the_mixture_of_all_values_most_like_sarahs():
    explorer, head = explorers.explore_real_head(), attention_maps.one_head()
    output, tokens = explorer.shown["output"], attention_maps.load("She").tokens
    np.testing.assert_allclose(
        output, sum(weight * value for weight, value in zip(explorer.shown["weights"], head.value)), rtol=1e-4
    )
    np.testing.assert_array_equal(explorer.shown["value"], head.value[tokens.index("sarah")])
    alike = head.value @ output / np.linalg.norm(head.value, axis=1)
    assert tokens[alike.argmax()] == "sarah"
    lengths = np.linalg.norm(head.value, axis=1)
    assert lengths.argmin() == 0 and 10 * lengths[0] < np.delete(lengths, 0).min()  # [CLS] gives almost nothing
    assert explorer.html.count(">value of Sarah<") == explorer.html.count(">She gets<") == 2


def test_another_head_says_sarah_both_times():
    explorer = explorers.explore_she()
    explorer.set(head=(1, 3))
    assert "“She” gives 25% of the attention to “Sarah”" in explorer.text
    explorer.set(names="names swapped")
    assert "“She” gives 27% of the attention to “Sarah”" in explorer.text


def test_one_word_is_not_a_habit():
    """The head that finds Sarah for "She" finds Alex for "her", the cat or not."""
    explorer = explorers.explore_she()
    her = attention_maps.load("She").tokens.index("her")
    for names, share in (("She", "29%"), ("names swapped", "34%")):
        explorer.set(names=names, word=her)
        assert f"“her” gives {share} of the attention to “Alex”" in explorer.text


def test_in_nine_heads_she_looks_at_sarah_first():
    found = attention_maps.load("She")
    first = found.weights[..., found.tokens.index("she"), :].argmax(axis=-1)  # of 6 layers of 12 heads
    assert np.count_nonzero(first == found.tokens.index("sarah")) == 9 and np.count_nonzero(first == 0) == 46
    assert "*She* looks at *Sarah* first in 9 of the 72 heads, and at [CLS] in 46" in prose("who_is_she")


def test_the_answer_to_the_guess_is_what_the_swap_shows():
    question = json.loads(questions.PATH.read_text(encoding="utf-8"))["names trade places"]
    explorer = explorers.explore_she()
    explorer.set(names="names swapped")
    assert "57% of the attention to “Alex”" in explorer.text
    assert question["right"] == "Alex" and all("57%" in reply for reply in question["replies"].values())


@pytest.mark.parametrize("names", ["She", "names swapped"])
def test_words_stand_as_they_are_written(names):
    explorer = explorers.explore_she()
    explorer.set(names=names)
    for word in ("Sarah", "Alex", "She", "[CLS]"):
        assert f">{word}</text>" in explorer.html


def test_many_heads_give_most_of_their_attention_to_the_mark():
    explorer = explorers.explore_she()
    shares = np.sort(explorer.shown["weights"])
    assert 2.9 < shares[-1] / shares[-2] < 3  # "almost three times as much as to anything else"
    driving.click(explorer, "words", 19)
    assert explorer.text.startswith("“watch” gives 92% of the attention to “[CLS]”")
    for name in ("She", "names swapped"):
        on_the_mark = attention_maps.load(name).weights[..., 0].mean(axis=-1)  # of 6 layers of 12 heads
        assert on_the_mark.shape == (6, 12) and np.count_nonzero(on_the_mark > 0.5) == 30


def test_the_car_gets_90_percent_only_where_the_query_turns_away_from_fur():
    explorer, reached = explorers.explore_lookup(), {}
    for angle in range(-45, 136):
        explorer.set(angle=angle, length=3.0)
        reached[angle] = explorer.shown["weights"][2] >= 0.9
    assert [angle for angle in reached if reached[angle]] == list(range(125, 136))
