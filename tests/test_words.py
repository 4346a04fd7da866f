"""The two sentences and their hand-made features: what the file says, and what is said of a damaged one."""

import json

import numpy as np

from rooms.shared import examples, words

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
    found = words.she_sentences()
    assert set(found.X.ravel()) == {0, 1} and set(found.table) <= set(found.tokens)
    assert "made by hand" in json.loads(TEXT)["about"]


def test_every_reader_gets_words_of_its_own():
    spoiled = words.she_sentences()
    spoiled.X[:], spoiled.table["She"][:], spoiled.tokens[0], spoiled.sentences[0][0] = 7, 7, "x", "y"
    fresh = words.she_sentences()
    assert fresh.tokens[0] == fresh.sentences[0][0] == "Sarah" and fresh.X.max() == fresh.table["She"].max() == 1


def test_rows_gives_zeros_to_a_word_without_features():
    assert words.rows(["a", "b", "a"], {"a": [1, 2, 3]}, 3).tolist() == [[1, 2, 3], [0, 0, 0], [1, 2, 3]]
