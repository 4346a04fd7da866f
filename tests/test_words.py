"""The two sentences and their hand-made features: what the file says, and what is said of a damaged one."""

import json

import numpy as np
import pytest

from helpers.sources import examples, words

TEXT = words.PATH.read_text(encoding="utf-8")


def test_sentences_are_those_of_the_slides_word_by_word():
    given = examples.get("two sentences: tokens").given["sentences"]
    for sentence, printed in zip(words.she_sentences().sentences, given, strict=True):
        assert "".join(sentence) == printed.replace(" ", "")
    assert [len(sentence) for sentence in words.she_sentences().sentences] == examples.compute(
        "two sentences: tokens"
    ).tolist()


def test_rows_stand_in_the_order_of_the_tokens():
    found = words.she_sentences()
    assert found.tokens == [*found.sentences[0], *found.sentences[1]] and found.X.shape == (20, 5)
    for token, row in zip(found.tokens, found.X, strict=True):
        assert row.tolist() == found.table.get(token, np.zeros(5)).tolist()


def test_dot_products_count_shared_features():
    found = words.she_sentences()
    she = found.table["She"]
    assert {name: she @ row for name, row in found.table.items() if she @ row} == {
        "Sarah": 3, "her": 3, "She": 3, "Alex": 2, "cat": 1, "walking": 1, "wearing": 1,
    }  # fmt: skip


def test_features_are_yes_or_no_and_the_file_says_that_they_are_made_by_hand():
    assert set(words.she_sentences().X.ravel()) == {0, 1}
    assert "made by hand" in json.loads(TEXT)["about"]


def test_every_reader_gets_words_of_its_own():
    spoiled = words.she_sentences()
    spoiled.X[:], spoiled.table["She"][:], spoiled.tokens[0], spoiled.sentences[0][0] = 7, 7, "x", "y"
    fresh = words.she_sentences()
    assert fresh.tokens[0] == fresh.sentences[0][0] == "Sarah" and fresh.X.max() == fresh.table["She"].max() == 1


def test_rows_gives_zeros_to_a_word_without_features():
    assert words.rows(["a", "b", "a"], {"a": [1, 2, 3]}, 3).tolist() == [[1, 2, 3], [0, 0, 0], [1, 2, 3]]


def read_instead(monkeypatch, folder, text):
    path = folder / "data" / "she_sentences.json"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(words, "PATH", path)


def test_missing_file_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(words, "PATH", tmp_path / "data" / "she_sentences.json")
    with pytest.raises(FileNotFoundError, match=r"^data/she_sentences\.json must be there, but it is missing"):
        words.she_sentences()


@pytest.mark.parametrize("text", [TEXT[:300], "", "\x00"])
def test_file_that_is_no_json_is_named(monkeypatch, tmp_path, text):
    read_instead(monkeypatch, tmp_path, text)
    with pytest.raises(ValueError, match=r"^data/she_sentences\.json must hold JSON, but it is damaged: "):
        words.she_sentences()


DAMAGE = {  # what the message must say: the damage
    "must hold a list 'sentences'": lambda data: data.pop("sentences"),
    "must hold a str 'about'": lambda data: data.pop("about"),
    "must hold a list 'features'": lambda data: data.update(features="living"),
    "must hold a dict 'table'": lambda data: data.update(table=[]),
    "must have lists of words as sentences, got None": lambda data: data["sentences"].append(None),
    "must have one number for each feature of 'She', got 1": lambda data: data["table"].update(She=1),
    "must have features for words of its sentences only, got 'dog'": lambda data: data["table"].update(dog=[1] * 5),
    r"must have one number for each feature of 'She', got \[1\]": lambda data: data["table"].update(She=[1]),
    r"must have one number for each feature of 'her', got \[1, 1, 1, 0, None\]": lambda data: data["table"].update(
        her=[1, 1, 1, 0, None]
    ),
}


@pytest.mark.parametrize("message", DAMAGE)
def test_damaged_file_is_told(monkeypatch, tmp_path, message):
    data = json.loads(TEXT)
    DAMAGE[message](data)
    read_instead(monkeypatch, tmp_path, json.dumps(data))
    with pytest.raises(ValueError, match=r"^data/she_sentences\.json " + message):
        words.she_sentences()


@pytest.mark.parametrize("text", ["[]", "7"])
def test_file_that_holds_something_else_is_told(monkeypatch, tmp_path, text):
    read_instead(monkeypatch, tmp_path, text)
    with pytest.raises(ValueError, match="must hold a str 'about', but it holds none"):
        words.she_sentences()
