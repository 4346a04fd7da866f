"""One-hot rows: known answers, and what is said of tokens that have no row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.tokens import one_hot
from tests.refusals import says

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)


def test_one_hot_writes_the_string_of_the_notes():
    rows = one_hot("AABA", "AB")
    assert rows.dtype == np.float64 and rows.tolist() == [[1, 0], [1, 0], [0, 1], [1, 0]]


def test_one_hot_follows_the_order_of_the_vocabulary():
    assert one_hot("AB", "BA").tolist() == [[0, 1], [1, 0]]


def test_one_hot_takes_words():
    sentence, vocabulary = ["I", "love", "dogs", "."], ["dogs", "I", ".", "love", "cats"]
    expected = [[float(word == known) for known in vocabulary] for word in sentence]
    assert one_hot(sentence, vocabulary).tolist() == expected
    assert one_hot(np.array(sentence), tuple(vocabulary)).tolist() == expected


@quick
@given(st.lists(st.sampled_from("ABCDE"), min_size=1, max_size=7), st.permutations("ABCDE"))
def test_one_hot_rows_have_a_single_1_that_leads_back_to_the_token(tokens, vocabulary):
    rows = one_hot(tokens, vocabulary)
    assert rows.shape == (len(tokens), 5) and sorted(set(rows.ravel())) == [0, 1]
    assert (rows.sum(axis=1) == 1).all()
    assert [vocabulary[i] for i in rows.argmax(axis=1)] == tokens


@pytest.mark.parametrize(
    ("tokens", "named"), [("ABCA", "'C' at place 3"), ("a", "'a' at place 1"), ("A B", "' ' at place 2")]
)
def test_one_hot_names_the_unknown_token_and_its_place(tokens, named):
    says(lambda: one_hot(tokens, "AB"), ValueError, f"tokens must come from A, B, got {named}.")


@pytest.mark.parametrize("empty", ["", [], ()])
def test_one_hot_needs_a_token_and_a_vocabulary(empty):
    says(lambda: one_hot(empty, "AB"), ValueError, "tokens must hold at least one token, got none.")
    says(lambda: one_hot("AB", empty), ValueError, "vocabulary must hold at least one token, got none.")


def test_one_hot_refuses_a_vocabulary_with_the_same_token_twice():
    says(lambda: one_hot("AB", "ABA"), ValueError, "vocabulary must hold every token once, got 'A' 2 times.")


@pytest.mark.parametrize("wrong", [None, 5, 2.5, {"A"}])
def test_one_hot_refuses_what_has_no_order(wrong):
    rule = f"must be a string of letters or a list of words, got {wrong!r}."
    says(lambda: one_hot(wrong, "AB"), TypeError, f"tokens {rule}")
    says(lambda: one_hot("AB", wrong), TypeError, f"vocabulary {rule}")
