"""What the text of this lesson says in numbers, computed on its own."""

import math

import numpy as np
import pytest

from helpers import attention, explorers
from helpers.sources import examples
from tests.notebooks import function_of


def test_lesson_writes_the_masked_attention_of_the_helpers():
    rng = np.random.default_rng(10)
    query, key, value = (rng.normal(size=size) for size in ((2, 5, 3), (2, 7, 3), (2, 7, 11)))
    pads = attention.padding_mask([7, 4], 7)
    output, weights = function_of("mask_and_cross", "masked_attention")(query, key, value, pads)
    for batch, length in enumerate([7, 4]):
        for i in range(5):
            powers = [math.exp(query[batch, i] @ key[batch, j] / math.sqrt(3)) for j in range(length)]
            shares = np.array(powers) / sum(powers)
            np.testing.assert_allclose(weights[batch, i], [*shares, *[0] * (7 - length)])
            np.testing.assert_allclose(output[batch, i], shares @ value[batch, :length])


def test_a_hidden_score_leaves_nothing_to_divide():
    def rest(score):
        powers = np.exp(np.array([1.0, score, 1.0]) - score)
        return (powers / powers.sum())[[0, 2]]

    assert rest(1000).tolist() == [0, 0] and (rest(700) > 0).all()


def test_weights_of_dogs_where_love_is_hidden():
    parts = 3.0 ** np.array([1, 1, 2])  # I, love, dogs
    assert parts[2] / parts.sum() == 3 / 5 and parts[2] / parts[[0, 2]].sum() == 3 / 4


def test_scores_of_minus_a_billion_become_equal_shares():
    assert attention.softmax(np.where(np.zeros(3, bool), [0.0, 1.0, 2.0], -1e9)).tolist() == [1 / 3] * 3


# --- 07, across --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_queries", "num_keys"), [(2, 4), (4, 2), (3, 7), (5, 5)])
def test_lesson_asks_with_one_query_after_the_other(num_queries, num_keys):
    rng = np.random.default_rng(11)
    query, key, value = (rng.normal(size=size) for size in ((num_queries, 6), (num_keys, 6), (num_keys, 3)))
    function = function_of("mask_and_cross", "attend_across")
    function.__globals__["attend_with_one_query"] = function_of("mask_and_cross", "attend_with_one_query")
    np.testing.assert_allclose(
        function(query, key, value), attention.scaled_dot_product_attention(query, key, value).output
    )


def test_answers_are_those_of_lesson_01():
    soft = examples.get("select: soft")
    asked = soft.given["queries"].tolist()
    answers = [float(np.ravel(soft.right[asked.index(query)])[0]) for query in ([0, 1], [1, 0])]
    np.testing.assert_allclose(explorers.explore_cross().shown["output"].ravel(), answers)
