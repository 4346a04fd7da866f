"""Known answers of the explorers of the model that writes."""

import re

import numpy as np
import pytest

from helpers import explorers
from helpers.learning import small_models
from rooms.let_it_write import latin
from tests import driving


def test_no_two_letters_stand_in_one_place():
    html = explorers.explore_writing(temperature=0.0).html  # a space at the end of a line once lay under the next word
    for layout in html.split('class="only-narrow"')[:2]:  # on a card and on a phone
        places = re.findall(r'<rect[^>]*?x="([\d.]+)" y="([\d.]+)"[^>]*?class="touch at-text ', layout)
        assert len(places) == 72 and len(set(places)) == 72


@pytest.mark.parametrize("place", [1, 26, 72])
def test_every_strip_has_its_name_beside_it_within_the_card(place):
    explorer = explorers.explore_writing()
    explorer.set(place=place)
    for layout in explorer.html.split('class="only-narrow"')[1:]:
        strips = [float(x) for x in re.findall(r'<image [^>]*?x="([-\d.]+)"', layout.partition("<p ")[0])]
        assert all(x >= 40 for x in strips)
    assert (", last 38 letters" in explorer.html) == (place > 26)


def test_greedy_writing_repeats_itself():
    text = small_models.to_text(explorers.explore_writing(temperature=0.0).shown["tokens"], small_models.LETTERS)
    assert text.count("the same the same the same") >= 2


@pytest.mark.parametrize(
    ("name", "colour", "said"),
    [
        ("dark red", [8, 0, 0], "close to"),
        ("Jürgen", [6, 3, 6], "which it reads as “jurgen”"),
        ("Жанна", [8, 15, 1], "which it reads as “zhanna”"),
        (
            "Zoë 李",
            [7, 0, 0],
            "reads as “zoe”, it chooses a colour that is close to “blood”. It has never seen 李, and",
        ),
        ("김민수", [7, 6, 5], "“gimminsu”"),
        ("李明", [], "It has never seen 李, 明, and can't read that."),
        ("", [], "There is nothing that it can read"),
        ("Anne-Marie", [15, 10, 6], "“anne marie”"),
    ],
)
def test_any_name_has_a_colour_or_is_told_why_not(name, colour, said):
    explorer = explorers.explore_colour_of_a_name()
    explorer.set(name=name)
    assert explorer.shown["colour"].tolist() == colour and said in explorer.text


@pytest.mark.parametrize(
    ("names", "read"),
    [
        ("Jürgen Weiß Łukasz Søren Þór Æsa Œuvre Ağa Guðrún Əli İpek Thị", "jurgen weiss lukasz soren thor aesa oeuvre aga gudrun eli ipek thi"),
        ("O’Neill e\u0301va Ｓarah ﬁona", "o'neill eva sarah fiona"),
        ("Наталья Хрущёв Дмитрий Юлия Рыжов Щукин Євген Ђорђе", "natalya hrushchyov dmitrii yuliya ryzhov shchukin evgen djordje"),
        ("Γιώργος Ξανθίππη Ἀθηνᾶ Χρήστος Σοφός", "giorgos xanthippe athena chrestos sophos"),
        ("김민수 이지은 さくら がく サクラ", "gimminsu ijieun sakura gaku sakura"),
        ("محمد שרה გიორგი Արամ", "mhmd shrh giorgi aram"),
        ("आरती प्रिया አበበ ዐሊ", "aaratii priyaa ababa ali"),
        ("李明 ไทย 🐈 ½", "李明 ไทย 🐈 1⁄2"),
    ],
)  # fmt: skip
def test_letters_are_read_by_the_names_that_unicode_gives_them(names, read):
    assert latin.in_latin(names) == read


def test_again_goes_through_twenty_texts_and_a_head_that_is_clicked_shades_what_it_looked_at():
    explorer, texts = explorers.explore_writing(), set()
    for _ in range(20):
        driving.click(explorer, "again", 0)
        texts.add(explorer.shown["tokens"].tobytes())
    assert len(texts) == 20 and explorer.controls["draw"].value == 13
    shades = re.compile(r'height="(?:46|32)" fill="var\(--ink,#1f2933\)" fill-opacity="([\d.]+)"')
    assert not shades.findall(explorer.html)
    driving.click(explorer, "heads", 1, 0)
    drawn = np.array(shades.findall(explorer.html), dtype=float)
    np.testing.assert_allclose(drawn, 0.34 * np.tile(explorer.shown["weights"][1, 0], 2), atol=0.006)
