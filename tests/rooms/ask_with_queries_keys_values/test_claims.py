"""What the text of this lesson says in numbers, computed on its own."""

import numpy as np
import pytest

from helpers import attention
from tests.notebooks import function_of


@pytest.mark.parametrize(("num_tokens", "d_model", "d_k", "d_v"), [(4, 2, 2, 1), (5, 7, 3, 2)])
def test_loops_do_what_the_matrices_do(num_tokens, d_model, d_k, d_v):
    rng = np.random.default_rng(d_model)
    X, *W = (rng.normal(size=size) for size in ((num_tokens, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)))
    answer = attention.scaled_dot_product_attention(*(X @ each for each in W))
    np.testing.assert_allclose(
        function_of("ask_with_queries_keys_values", "self_attention_by_loops")(X, *W), answer.output
    )


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


def test_pencil():
    powers = np.exp([8.0] + 3 * [4.0] + 16 * [0.0])
    assert [f"{powers[0]:.0f}", f"{powers.sum():.0f}", f"{powers[0] / powers.sum():.3f}"] == ["2981", "3161", "0.943"]


def test_one_matrix_for_both_jobs_scores_each_pair_alike_both_ways():
    X, W = np.random.default_rng(10).normal(size=(2, 5, 5))
    scores = (X @ W) @ (X @ W).T
    np.testing.assert_allclose(scores, scores.T)


def test_every_letter_of_the_notes_example_gets_the_b():
    E = np.array([[1, 0], [1, 0], [0, 1], [1, 0]])
    scores = E @ [[0, 1], [0, 1]] @ (10 * E).T
    assert (scores == [0, 0, 10, 0]).all()
    output = attention.softmax(scores) @ E
    assert output.shape == E.shape and np.all(output[:, 1].round(4) == 0.9999)
