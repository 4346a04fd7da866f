"""Known answers of the explorers of this lesson; tests/test_explorers.py holds them against recorded states."""

import itertools
import math
import re

import numpy as np
import pytest
from matplotlib import font_manager
from PIL import ImageFont

from helpers import explorers
from rooms.ask_with_queries_keys_values import explorers as lesson
from tests import driving

TOKENS = "Sarah was walking in the park with her cat , Alex . She was wearing a beautiful gold watch .".split()
SHE = TOKENS.index("She")


@pytest.mark.parametrize("strength", [0, 3.5, 4, 8])
def test_sarah_gets_what_the_pencil_says(strength):
    explorer = explorers.explore_question()
    explorer.set(strength=strength)
    e = math.exp(strength)
    share = e / (e + 3 * math.sqrt(e) + 16)  # her, Alex and She have half the score, 16 words have none
    assert explorer.shown["weights"][0] == pytest.approx(share)
    np.testing.assert_allclose(explorer.shown["after"][5], share)  # is Sarah
    assert ("✓ She is Sarah" in explorer.html) == (strength >= 4)


@pytest.mark.parametrize(("strength", "nothing"), [(0, "80%"), (8, "4%")])
def test_what_she_gets_from_words_that_do_not_say_who_anybody_is_makes_the_shares_a_whole(strength, nothing):
    explorer = explorers.explore_question()
    explorer.set(strength=strength)
    assert explorer.html.count(f">nothing {nothing}<") == 2  # on both pages
    told = re.findall(r">(?:Sarah|Alex|cat|watch|nothing) (\d+)%<", explorer.html)
    assert sum(map(int, told)) == 2 * 100


def answering(explorer):
    """The words whose keys are shown, on a card."""
    return re.findall(
        r">([^<>]+?)(?: answers)?</text>(?=<rect[^>]*/><text[^>]*>person<)", explorer.html.split("only-narrow")[0]
    )[1:]


def test_first_picture_is_two_out_of_two_against_one_out_of_two():
    explorer = explorers.explore_question()
    weights = explorer.shown["weights"]
    assert explorer.text == "“She” gives 94% of the weight to “Sarah”." and "✓ She is Sarah: 94%" in explorer.html
    assert answering(explorer) == ["Sarah", "her", "Alex"]
    assert [f"{weights[TOKENS.index(word)]:.0%}" for word in ("Sarah", "her", "Alex")] == ["94%", "2%", "2%"]
    assert (
        explorer.html.count('stroke-dasharray="4 3"') == 2 * 2
    )  # her has no name and Alex is not female, on both pages
    assert "W_Q" not in explorer.html and "√" not in explorer.html


def test_scores_and_the_matrix_are_told_on_demand():
    explorer = explorers.explore_question()
    before = explorer.shown
    explorer.set(matrix=True)
    assert all(np.array_equal(before[name], explorer.shown[name]) for name in before)
    for told in ("(8 + 8) / √4 = 8 → 94%", "8 / √4 = 4 → 2%", "✓ female", "female 8"):
        assert told in explorer.html
    assert "score 4, 1.7% of the weight; click: “her” asks" in explorer.html
    driving.click(explorer, "words", TOKENS.index("Alex"))
    assert "every word answers alike, 5% each" in explorer.html and "✓ female" not in explorer.html
    assert "nobody knows" in explorer.html and "Alex is" not in explorer.html
    np.testing.assert_allclose(explorer.shown["output"][5:], 0.05)  # and yet Alex is given a twentieth of everybody


def test_the_swap_moves_the_arc_and_not_the_answer_which_is_now_wrong():
    explorer = explorers.explore_question()
    explorer.set(strength=8, swapped=True)
    assert explorer.shown["weights"].argmax() == TOKENS.index("Alex")
    assert "✗ She is Sarah" in explorer.html and "but Sarah is the cat now" in explorer.html
    explorer.set(strength=2)
    assert "She is nobody yet" in explorer.html and "the cat now" not in explorer.html
    explorer.set(strength=8, swapped=False)
    assert "✓ She is Sarah" in explorer.html and "the cat now" not in explorer.html


def test_whoever_is_known_is_sarah_and_a_mark_is_for_she_alone():
    explorer, rng = explorers.explore_question(), np.random.default_rng(4)
    for trial in range(60):
        asks, swapped = int(rng.integers(len(TOKENS))), bool(trial % 2)
        explorer.set(strength=10, asks=asks, swapped=swapped, asking=rng.integers(0, 2, size=(5, 4)))
        given = explorer.shown["output"][5:]
        assert given.max() <= 0.5 or given.argmax() == 0  # Sarah
        marked = "✓" in explorer.html or "✗" in explorer.html.replace("✗ a row", "")
        assert marked == (given.max() > 0.5 and asks == SHE)


def test_words_fit_their_rooms_whatever_the_word():
    wide = [font_manager.findfont(f"DejaVu Sans{bold}") for bold in ("", ":bold")]  # of the usual fonts
    fonts = [ImageFont.truetype(each, 100) for each in wide]
    explorer = explorers.explore_question()
    for swapped, strength, asks in itertools.product((False, True), (0, 2.5, 9.5), range(len(TOKENS))):
        explorer.set(strength=strength, asks=asks, swapped=swapped, matrix=True, asking=np.ones((5, 4)))
        for page in explorer.html.split("only-narrow"):
            width = float(re.search(r'viewBox="0 0 ([\d.]+)', page)[1])
            for look, words in re.findall(r"<text([^>]*)>([^<]+)<", page[page.index("asks for") - 400 :]):
                x, size = (float(re.search(f' {key}="([^"]+)"', look)[1]) for key in ("x", "font-size"))
                length = fonts["font-weight" in look].getlength(words) * size / 100
                anchor = re.search('text-anchor="([^"]+)"', look)[1]
                assert size >= 11, words
                assert anchor != "end" or x - length >= 0, words
                assert anchor != "start" or x + length <= width + 12, words


@pytest.mark.parametrize("plane", ["LEFT", "RIGHT"])
def test_words_and_their_queries_and_keys_lie_in_planes_of_one_unit(plane):
    axes = getattr(lesson, plane)
    for each in (axes, axes.narrow):
        across, up = each.units
        assert across == pytest.approx(up) and each.y[1] > (1.1 if plane == "LEFT" else 3)


def test_a_key_far_away_stays_out_of_the_words():
    explorer = explorers.explore_projections()
    explorer.set(W_key=[[4, 3.25], [-1.25, 3.25]], chosen=1)
    assert explorer.html.count(">Sarah’s key [2.75, 6.5]<") == 2


def test_the_one_who_asks_and_the_one_who_answers_alone_are_named_among_queries_and_keys():
    explorer = explorers.explore_projections()
    for word, name in enumerate(("Sarah", "Alex", "watch", "She")):
        explorer.set(chosen=word)
        best = ("Sarah", "Alex", "watch", "She")[explorer.shown["scores"][word].argmax()]
        named = re.findall(r">(\w+)’s (query|key)<", explorer.html)
        assert named == 2 * [(best, "key"), (name, "query")]


def test_what_the_diamond_is_stands_above_all_words():
    wide, phone = explorers.explore_projections().html.split("only-narrow")
    for page in (wide, phone):
        heights = {
            told: float(re.search(rf'y="([\d.]+)"[^>]*>{told}<', page)[1])
            for told in ("◆ what She gets", "Alex", "Sarah")
        }
        assert heights["◆ what She gets"] + 20 < min(heights["Alex"], heights["Sarah"])


def test_a_word_that_is_not_female_asks_for_nothing():
    explorer = explorers.explore_question()
    driving.click(explorer, "words", TOKENS.index("Alex"))
    assert (
        not explorer.shown["query"].any()
        and explorer.text == "“Alex” asks for nothing, so every word gets the same 5.0%."
    )


def test_swapping_transposes_the_scores_and_the_same_matrix_twice_hides_it():
    explorer = explorers.explore_projections()
    driving.buttons(explorer)["the same matrix twice"].click()
    before = explorer.shown["scores"]
    explorer.set(swap=True)
    np.testing.assert_array_equal(explorer.shown["scores"], before)
    explorer.set(W_query=[[2, 2], [0, 1]], swap=False)
    turned = explorer.shown["scores"]
    explorer.set(swap=True)
    np.testing.assert_array_equal(explorer.shown["scores"], turned.T)
    assert not np.array_equal(turned, turned.T)


def test_towards_1_1_sarah_gets_more_than_half():
    explorer = explorers.explore_projections()
    driving.point(explorer, "rows of W", 1.0, 0.0, kind="mousedown")
    driving.point(explorer, "rows of W", 1.0, 1.0, kind="mousemove")
    assert explorer.shown["weights"][3, 0] > 0.5


def test_planes_come_first_and_every_number_is_shown_when_asked():
    explorer = explorers.explore_projections()
    assert "<table" not in explorer.html
    driving.buttons(explorer)["the same matrix twice"].click()
    explorer.set(numbers=True)
    before = explorer.html.count("<table"), explorer.shown["weights"]
    explorer.set(swap=True)
    assert before[0] == 3
    np.testing.assert_array_equal(explorer.shown["weights"], before[1])  # "Which number changes?" "None."
