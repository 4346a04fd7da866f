"""The Jacobian of softmax: known answers, nudged scores as the oracle, and what it refuses."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.attention import softmax, softmax_jacobian


def test_jacobian_of_two_even_weights():
    np.testing.assert_array_equal(softmax_jacobian([0.5, 0.5]), [[0.25, -0.25], [-0.25, 0.25]])


def test_jacobian_of_sixths_by_hand():
    want = np.array([[5, -1, -3, -1], [-1, 5, -3, -1], [-3, -3, 9, -3], [-1, -1, -3, 5]]) / 36
    np.testing.assert_allclose(softmax_jacobian(np.array([1, 1, 3, 1]) / 6), want, atol=1e-15)


@pytest.mark.parametrize(("gap", "slope"), [(1, 0.19661193), (8, 0.00033524)])
def test_jacobian_of_two_weights_a_gap_apart(gap, slope):
    np.testing.assert_allclose(np.abs(softmax_jacobian(softmax([gap, 0]))), slope, atol=5e-9)


@settings(deadline=None)
@given(batch=st.lists(st.integers(1, 3), max_size=2), num_keys=st.integers(1, 7), seed=st.integers(0, 2**16))
def test_jacobian_says_what_nudging_a_score_does(batch, num_keys, seed):
    scores = np.random.default_rng(seed).normal(size=(*batch, num_keys))
    jacobian = softmax_jacobian(softmax(scores))
    assert jacobian.shape == (*batch, num_keys, num_keys)
    for j, nudge in enumerate(1e-4 * np.eye(num_keys)):
        slopes = (softmax(scores + nudge) - softmax(scores - nudge)) / 2e-4
        np.testing.assert_allclose(jacobian[..., j], slopes, atol=1e-8)
    np.testing.assert_allclose(jacobian.sum(axis=-1), 0, atol=1e-15)
    np.testing.assert_array_equal(jacobian, np.swapaxes(jacobian, -1, -2))
    steepest = np.diagonal(jacobian, axis1=-2, axis2=-1).max()  # no weight answers to another score as to its own
    assert np.abs(jacobian).max() <= steepest + 1e-15 and steepest <= 0.25


def test_jacobian_takes_many_weights_in_16_bits_however_they_lie_in_memory():
    assert softmax_jacobian(np.full((1500, 2), 1 / 1500, np.float16).T).dtype == np.float16


@pytest.mark.parametrize(
    ("weights", "kind", "message"),
    [
        ([1, 2], ValueError, "weights must sum to 1 along the last axis, got a sum of 3. Were these the scores?"),
        ([[0.5, 0.5], [0.5, 0.2]], ValueError, "weights must sum to 1 along the last axis, got a sum of 0.7."),
        ([-0.5, 1.5], ValueError, "weights must be at least 0, got -0.5. Were these the scores?"),
    ],
)
def test_jacobian_refuses_what_are_no_weights(weights, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        softmax_jacobian(weights)
