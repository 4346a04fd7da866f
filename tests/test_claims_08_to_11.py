"""What the text of lessons 08 to 11 says in numbers, computed on its own."""

import math

import numpy as np
import pytest

from helpers import attention
from tests.test_claims_04_to_07 import function_of

# --- 10 --------------------------------------------------------------------------------------------------------------


def test_lesson_10_writes_the_masked_attention_of_the_helpers():
    rng = np.random.default_rng(10)
    query, key, value = (rng.normal(size=size) for size in ((2, 5, 3), (2, 7, 3), (2, 7, 11)))
    pads = function_of(10, "padding_mask")([7, 4], 7)
    np.testing.assert_array_equal(pads, attention.padding_mask([7, 4], 7))
    output, weights = function_of(10, "masked_attention")(query, key, value, pads)
    for batch, length in enumerate([7, 4]):
        for i in range(5):
            powers = [math.exp(query[batch, i] @ key[batch, j] / math.sqrt(3)) for j in range(length)]
            shares = np.array(powers) / sum(powers)
            np.testing.assert_allclose(weights[batch, i], [*shares, *[0] * (7 - length)])
            np.testing.assert_allclose(output[batch, i], shares @ value[batch, :length])


@pytest.mark.parametrize(("kind", "enough"), [(np.float32, 110), (np.float64, 1000)])
def test_lesson_10_a_hidden_score_leaves_nothing_to_divide(kind, enough):
    def rest(score):
        scores = np.array([1, score, 1], kind)
        powers = np.exp(scores - scores.max())
        return (powers / powers.sum())[[0, 2]]

    assert rest(enough).tolist() == [0, 0] and (rest(0.7 * enough) > 0).all()
