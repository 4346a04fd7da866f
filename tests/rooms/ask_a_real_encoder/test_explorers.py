"""Known answers of the explorers of the real model, what answers the hand, and texts of one's own."""

import functools
import importlib
import json
import re

import numpy as np
import pytest

from helpers import explorers
from helpers.models import bert, fetched
from rooms.ask_a_real_encoder import coins, pronouns
from rooms.ask_a_real_encoder import explorers as room
from rooms.shared.attention_maps import PATH
from tests import bert_oracle, driving
from workbench.pictures.svg import text_width

with np.load(PATH, allow_pickle=False) as file:
    DATA = {name: file[name] for name in file.files}
TEXTS = DATA["texts"].tolist()


@functools.cache
def stored(number):
    """tokens and maps, each row by a sum of its own."""
    maps = DATA[f"weights_{number}"].astype(float)
    return DATA[f"tokens_{number}"].tolist(), maps / maps.sum(axis=3, keepdims=True)


def test_two_heads_of_one_model_disagree_about_she_and_both_say_so():
    explorer = explorers.explore_two_answers()
    assert explorer.text == (
        "The two heads disagree: “she” gives 45% to “sarah” in head 3.1, and 67% to “cat” in head 5.11."
    )
    assert "Head 3.1 says sarah" in explorer.html and "Head 5.11 says cat" in explorer.html
    explorer.set(names="names swapped")
    assert "Head 3.1 says alex" in explorer.html
    driving.click(explorer, "words", 0)
    assert explorer.shown["weights"].shape == (2, 22) and "“[CLS]” gives" in explorer.text


def test_tokens_to_click_are_those_of_the_text():
    explorer = explorers.explore_real_heads()
    for text in [*explorer.controls["text"].options.values(), TEXTS[0]]:
        explorer.controls["text"].value = text
        tokens, asks = stored(TEXTS.index(text))[0], explorer.controls["asks"]
        assert [label for label, _ in asks.options] == tokens
        assert tokens[asks.value] in {"she", "train", "cat", "it", "old"}


def test_own_text_without_weights_says_in_one_line_how_to_get_them(monkeypatch):
    monkeypatch.setattr(bert, "find_weights", lambda: None)
    explorer = explorers.explore_own_text()
    picture, shown = explorer.html, explorer.shown
    explorer.controls["text"].value = "A sentence that nobody stored."
    notice = explorer._view.value.removeprefix(picture)
    assert "README.md" in notice and "not installed" in notice and "last good picture" in notice
    assert notice.count("<p") == 1 and explorer.shown is shown
    driving.click(explorer, "tokens", 0)  # what is seen is clicked
    assert "not installed" not in explorer._view.value and "“[CLS]” looks most" in explorer.text
    explorer.controls["text"].value = TEXTS[3]
    assert "not installed" not in explorer._view.value and len(explorer.controls["asks"].options) == 6


@pytest.mark.parametrize(
    ("words", "before", "asks"),
    [
        ("[CLS] the doctor called the nurse because she was late . [SEP]", "[SEP]!", "she"),
        ("[CLS] a cat sat . [SEP]", None, "sat"),
        ("[CLS] the cat sat . [SEP]", "cat", "cat"),
        ("[CLS] … [SEP]", None, "[CLS]"),
    ],
)
def test_in_a_text_of_ones_own_the_word_that_asked_goes_on_or_a_pronoun_asks(words, before, asks):
    tokens = words.split()
    assert tokens[room._first("not stored", tokens, before)] == asks


def test_own_text_is_read_by_a_model_that_is_there(monkeypatch):
    tensors, words = bert_oracle.random_tensors(5), ["[CLS]", "a", "<b>", "[SEP]"]
    model = bert._build(bert_oracle.CONFIG, None, tensors)
    monkeypatch.setattr(bert, "find_weights", lambda: "here")
    monkeypatch.setattr(bert, "installed_model", lambda: model)
    monkeypatch.setattr(bert, "read", lambda model, text: bert.Reading(words, *bert.forward(model, [2, 4, 5, 3])))
    tokens, weights = room._reading("Whatever stands here.")
    room._reading.cache_clear()
    assert tokens == words
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-12)
    np.testing.assert_allclose(weights, bert_oracle.read(tensors, bert_oracle.CONFIG, [2, 4, 5, 3])[1], atol=1e-4)


def test_own_text_is_read_by_the_real_model_as_by_the_oracle():
    folder = bert.find_weights()
    if folder is None:
        pytest.skip("THE REAL MODEL WAS NOT TESTED: README says how to get its weights, of the extra model")
    numbers = importlib.import_module("safetensors.numpy").load_file(str(folder / "model.safetensors"))
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    explorer = explorers.explore_own_text()
    explorer.controls["text"].value = "A cat & <i>she</i>."
    tokens = ["[CLS]", "a", "cat", "&", "<", "i", ">", "she", "<", "/", "i", ">", ".", "[SEP]"]
    assert [label for label, _ in explorer.controls["asks"].options] == tokens
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    _, maps = bert_oracle.read(numbers, config, [vocabulary.index(token) for token in tokens])
    np.testing.assert_allclose(explorer.shown["maps"], maps, atol=1e-5)
    assert "<i>" not in explorer._view.value and "&lt;" in explorer._view.value


def test_own_text_that_is_too_long_for_the_page_is_told(monkeypatch):
    long = bert.Reading(["a"] * 49, None, np.ones((6, 12, 49, 49)) / 49)
    monkeypatch.setattr(bert, "find_weights", lambda: "here")
    monkeypatch.setattr(bert, "installed_model", lambda: None)
    monkeypatch.setattr(bert, "read", lambda model, text: long)
    explorer = explorers.explore_own_text()
    explorer.controls["text"].value = "Forty-seven words."
    assert "at most 48 tokens to be shown here, got 49" in explorer._view.value


def test_half_an_emoji_is_read_as_an_unknown_letter_and_told(monkeypatch):
    words, maps = ["[CLS]", "猫", "[UNK]", "[SEP]"], np.full((6, 12, 4, 4), 0.25)
    monkeypatch.setattr(bert, "find_weights", lambda: "here")
    monkeypatch.setattr(bert, "installed_model", lambda: None)
    monkeypatch.setattr(bert, "read", lambda model, text: bert.Reading(words, None, maps))
    explorer = explorers.explore_own_text()
    explorer.controls["text"].value = "猫 \ud83d"
    assert explorer.text.endswith(" Half a letter was read as �.") and "猫" in explorer._view.value
    room._reading.cache_clear()


# --- many sentences --------------------------------------------------------------------------------------------------


def test_the_best_head_is_right_whoever_is_named_first():
    explorer = explorers.explore_many_sentences()
    driving.buttons(explorer)["the best one"].click()
    assert "is right in 16 sentences that name the one meant first, and in 14 of" in explorer._picture_text


def test_a_dot_shows_its_sentence_and_a_shorter_set_its_last_one():
    explorer = explorers.explore_many_sentences()
    explorer.set(layer=3, head=1)
    driving.click(explorer, "differences", 5)
    text = pronouns.load()[5]
    np.testing.assert_array_equal(explorer.shown["row"], text.weights[3, 1])
    assert "david ✓" in explorer.html and driving.titles(explorer)["differences", (5,)].startswith(text.text)
    explorer.set(sentence=31, sentences="one gender")
    np.testing.assert_array_equal(explorer.shown["row"], pronouns.load("one gender")[15].weights[3, 1])


def test_names_stand_where_their_weights_are():
    explorer = explorers.explore_names()
    assert explorer.text == (
        "“she” gives names of women 0.53 on average and names of men 0.12; most to Alice, 0.78, least to Mark, 0.04."
    )
    explorer.set(pronoun="he", head=(2, 4))
    names = pronouns.names()
    np.testing.assert_array_equal(explorer.shown["given"], names.weights["he"][:, 2, 4])
    assert "what “he” gives to the only name in its sentence, head 2.4" in explorer.html


def test_coins_and_dots_are_drawn_where_they_belong():
    assert coins.coin_range(32) == (11, 21) and coins.coin_range(16) == (4, 12)
    shown = coins.coin_bars(np.array([[4, 0], [2, 1]]), 4, "mine", (0, 1), "which", None)
    assert shown.html.count("head 0.1: 0 of 4") == 2  # with room, and on a phone
    assert coins._stacked([0, 3, 30, 31]) == [0, 1, 0, 1]
    dots = explorers.explore_many_sentences().html.split("● she", 1)[1].partition("transparent")[0]
    assert dots.rindex('stroke-width="2.5"') > dots.rindex('stroke-width="1.5"')  # the ring covers its neighbours


def test_on_a_phone_long_words_take_two_lines_and_none_ends_beyond_the_picture():
    for explorer in (explorers.explore_many_sentences(), explorers.explore_names()):
        phone = explorer.html.split('class="only-narrow"', 1)[1].partition("</svg>")[0]
        bold = re.findall(r'<text[^>]*font-weight="700"[^>]*>([^<]+)<', phone)[:2]
        assert len(bold) == 2 and all(1.15 * text_width(line, 13) < 340 for line in bold)
        assert " ".join(bold) in explorer.html
    (arrows,) = (each for each in explorers.explore_many_sentences().html.split("<svg") if "(● she, ○ he)<" in each)
    left, right = re.findall(r">([^<]*more to[^<]*)<", arrows)
    assert text_width(left, 12) + text_width(right, 12) < 340


# --- a model that comes while the page is open -----------------------------------------------------------------------


def test_what_was_typed_before_the_model_came_is_read_when_it_is_there(monkeypatch):
    came, words = [], ["[CLS]", "owls", "snore", "[SEP]"]
    monkeypatch.setattr(room.fetching, "button", lambda package, then: came.append((package, then)) or [])
    monkeypatch.setattr(bert, "find_weights", lambda: None)
    explorer = explorers.explore_own_text()
    explorer.controls["text"].value = "Owls snore."
    assert "says in two lines how to get it (84 MB, once)" in explorer._view.value
    monkeypatch.setattr(bert, "find_weights", lambda: "here")
    monkeypatch.setattr(bert, "installed_model", lambda: None)
    monkeypatch.setattr(bert, "read", lambda *_: bert.Reading(words, None, np.full((6, 12, 4, 4), 0.25)))
    ((package, then),) = came
    then()
    assert package is fetched.ALL_MINILM and [label for label, _ in explorer.controls["asks"].options] == words
    assert "“snore”" in explorer.text
    room._reading.cache_clear()


def test_a_model_that_does_not_fit_the_memory_is_told(monkeypatch):
    def too_large():
        raise MemoryError

    monkeypatch.setattr(bert, "find_weights", lambda: "here")
    monkeypatch.setattr(bert, "installed_model", too_large)
    explorer = explorers.explore_own_text()
    explorer.controls["text"].value = "Owls snore at night."
    assert "not enough memory left for the model. The stored texts move all the same." in explorer._view.value
