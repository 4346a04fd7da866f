"""What the text of this lesson says in numbers, computed on its own."""

import numpy as np
import pytest

from helpers import attention, explorers
from rooms.shared.words import she_sentences


def test_bias_of_the_keys_changes_nothing_and_that_of_the_values_is_added():
    X, W_query, W_key, W_value = np.random.default_rng(8).normal(size=(4, 5, 5))
    bias = np.array([3.0, -1.0, 2.0, 0.5, -4.0])

    def output(b_query=0, b_key=0, b_value=0):
        three = X @ W_query + b_query, X @ W_key + b_key, X @ W_value + b_value
        return attention.scaled_dot_product_attention(*three).output

    np.testing.assert_allclose(output(b_key=bias), output())
    np.testing.assert_allclose(output(b_value=bias), output() + bias)
    assert np.abs(output(b_query=bias) - output()).max() > 0.1


def test_two_thin_matrices_have_a_quarter_of_the_numbers_and_one_for_both_jobs_is_symmetric():
    W_query, W_key = np.random.default_rng(9).normal(size=(2, 512, 64))
    assert W_query.size + W_key.size == 512 * 512 / 4 and np.linalg.matrix_rank(W_query @ W_key.T) == 64
    np.testing.assert_allclose(W_query @ W_query.T, (W_query @ W_query.T).T)


def test_a_lead_of_four_is_a_factor_of_55_whatever_the_scores_are():
    for first in (8.0, 104.0):
        sarah, her = attention.softmax(np.array([first, first - 4]))
        assert sarah / her == pytest.approx(54.6, abs=0.01) and round(sarah / her) == 55


def test_the_lead_is_half_the_strength_and_a_lead_of_one_is_not_even_threefold():
    explorer = explorers.explore_question()
    for strength, times in ((8, 55), (2, 2.7)):
        explorer.set(strength=strength)
        scores, weights = explorer.shown["scores"], explorer.shown["weights"]
        assert scores[0] - np.delete(scores, 0).max() == strength / 2  # Sarah is the first word
        assert round(weights[0] / np.delete(weights, 0).max(), 1 if strength == 2 else 0) == times


def test_there_are_17_words_and_3_marks_and_she_has_three_of_nine():
    words = she_sentences()
    assert sum(token.isalpha() for token in words.tokens) == 17 and len(words.tokens) == 20
    she = words.tokens.index("She")
    assert [*words.X[she], *words.identities[she]] == [1, 1, 1, 0, 0, 0, 0, 0, 0]
    assert words.features == ["living", "person", "female", "name", "worn"]
    assert words.who == ["Sarah", "Alex", "cat", "watch"]


def test_pencil():
    powers = np.exp([8.0] + 3 * [4.0] + 16 * [0.0])
    assert [f"{powers[0]:.0f}", f"{powers.sum():.0f}", f"{powers[0] / powers.sum():.3f}"] == ["2981", "3161", "0.943"]


def test_one_matrix_for_both_jobs_scores_each_pair_alike_both_ways():
    X, W = np.random.default_rng(10).normal(size=(2, 5, 5))
    scores = (X @ W) @ (X @ W).T
    np.testing.assert_allclose(scores, scores.T)


def test_with_one_matrix_she_or_sarah_scores_at_least_as_high_with_herself():
    """By Cauchy and Schwarz, a · b <= max(a · a, b · b)."""
    she, sarah = np.array([1.0, 1, 1, 0, 0, 0, 0, 0, 0]), np.array([1.0, 1, 1, 1, 0, 1, 0, 0, 0])
    W = np.random.default_rng(3).normal(size=(10_000, 9, 4))
    a, b = she @ W, sarah @ W
    assert not np.sum((a * b).sum(1) > np.maximum((a * a).sum(1), (b * b).sum(1)) + 1e-9)


def test_every_letter_of_the_notes_example_gets_the_b():
    E = np.array([[1, 0], [1, 0], [0, 1], [1, 0]])
    scores = E @ [[0, 1], [0, 1]] @ (10 * E).T
    assert (scores == [0, 0, 10, 0]).all()
    output = attention.softmax(scores) @ E
    assert output.shape == E.shape and np.all(output[:, 1].round(4) == 0.9999)


def test_two_matrices_score_one_way_and_after_a_swap_the_other_and_one_matrix_both_ways():
    she, sarah = np.array([1.0, 1, 1, 0, 0, 0, 0, 0, 0]), np.array([1.0, 1, 1, 1, 0, 1, 0, 0, 0])
    W_query, W_key = np.zeros((9, 4)), np.eye(9)[:, 1:5]
    W_query[2, [1, 2]] = 8

    def scored(asks, answers, W_Q, W_K):
        return float(asks @ W_Q @ (answers @ W_K))

    pairs = ((she, sarah), (sarah, she), (she, she))
    assert [scored(*pair, W_query, W_key) for pair in pairs] == [16, 8, 8]
    shares = explorers.explore_question().shown["weights"]
    assert [f"{shares[k]:.0%}" for k in (0, she_sentences().tokens.index("She"))] == ["94%", "2%"]
    assert [scored(*pair, W_key, W_query) for pair in pairs] == [8, 16, 8]
    assert [scored(*pair, W_key, W_key) for pair in pairs] == [2, 2, 2]
