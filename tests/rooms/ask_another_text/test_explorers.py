"""Known answers of the explorer of this lesson; tests/test_explorers.py holds it against recorded states."""

import numpy as np
import pytest

from helpers import explorers
from rooms.shared import french
from tests import driving, sentences


@pytest.mark.parametrize(("noun", "size"), [("car", ""), ("car", "little"), ("cat", ""), ("flower", "little")])
def test_rouge_follows_red_wherever_they_stand(noun, size):
    explorer = explorers.explore_translation()
    explorer.set(noun=noun, size=size, word=4 if size else 3)
    english, written, pairs = french.sentence(noun, size, "red", "falls")
    place = written.index("rouge")
    assert explorer.shown["chosen"] == place and pairs[place] == [english.index("red")]
    assert english.index("red") != place == explorer.shown["weights"].shape[0] - 2
    assert explorer.shown["weights"][place].argmax() == english.index("red") and "look" in explorer.text


def test_two_heads_look_for_the_article_and_for_its_gender():
    explorer = explorers.explore_translation()
    explorer.set(word=1)
    assert "To write la, head 0 looks most at the," in explorer.text
    explorer.set(head=1)
    assert "To write la, head 1 looks most at car," in explorer.text
    driving.buttons(explorer)["another gender"].click()
    assert "To write le, head 1 looks most at cat," in explorer.text
    np.testing.assert_allclose(explorer.shown["heads"].sum(axis=-1), 1)


def test_the_article_of_a_green_car_looks_at_its_colour():
    explorer = explorers.explore_translation()
    explorer.set(colour="green", word=1, head=1)
    assert explorer.text.startswith("To write la, head 1 looks most at green,")


def test_ne_looks_at_not_and_pas_elsewhere():
    explorer = explorers.explore_translation()
    driving.buttons(explorer)["two words for not"].click()
    told = []
    for word in range(1, 7):
        explorer.set(word=word)
        told.append(explorer.text.split(", with")[0])
    assert "To write ne, head 1 looks most at not" in told and "To write pas, head 1 looks most at the" in told


def test_only_what_was_never_read_is_said_to_be():
    explorer = explorers.explore_translation()
    assert "never read red car" in explorer.text
    explorer.set(colour="green")
    assert "never" not in explorer.text
    explorer.set(colour="", noun="cat")
    assert "never" not in explorer.text


@pytest.mark.everything
def test_every_sentence_is_translated_right_and_every_word_and_head_told_right():
    assert sentences.complaints_in_all_states("explore_translation", word=range(1, 8)) == []


def test_the_mean_of_both_heads_may_look_where_one_of_them_does_not():
    explorer = explorers.explore_translation()
    explorer.set(head=2, word=1)
    mean, heads = explorer.shown["weights"][0].argmax(), explorer.shown["heads"][:, 0].argmax(axis=-1)
    assert set(heads) != {mean} and "both heads, averaged, look" in explorer.text
