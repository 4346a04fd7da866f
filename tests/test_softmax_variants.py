"""Sinks, differences, caps and unit lengths by pencil, by their own formula, and with bad input."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.attention import softmax
from helpers.since_2017.softmax_variants import soft_cap, softmax_with_sink, unit_length

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)


def test_sink_of_score_1_makes_ninths():
    weights = softmax_with_sink([0, 0, 1, 0], 1, base=3)
    np.testing.assert_allclose(weights, np.array([1, 1, 3, 1]) / 9)
    assert weights.sum() == pytest.approx(2 / 3)


@quick
@given(st.floats(-30, 30), st.integers(1, 7), st.integers(0, 2**32))
def test_sink_is_a_key_whose_value_is_0(sink, num_keys, seed):
    rng = np.random.default_rng(seed)
    scores, value = rng.normal(size=(3, num_keys)), rng.normal(size=(num_keys, 5))
    weights = softmax_with_sink(scores, sink)
    powers = np.exp(scores)
    np.testing.assert_allclose(weights, powers / (powers.sum(axis=-1, keepdims=True) + math.exp(sink)), rtol=1e-12)
    more = np.concatenate([scores, np.full((3, 1), sink)], axis=-1)
    np.testing.assert_allclose(weights @ value, softmax(more) @ np.vstack([value, np.zeros(5)]), atol=1e-12)
    assert (weights.sum(axis=-1) < 1).all()


def test_sinks_differ_from_head_to_head_and_a_blocked_row_has_weights_0():
    scores = np.random.default_rng(8).normal(size=(2, 3, 5))
    scores[1, 2] = -np.inf
    weights = softmax_with_sink(scores, [[[0.0]], [[2.0]]])
    np.testing.assert_allclose(weights[0], softmax_with_sink(scores[0], 0))
    np.testing.assert_allclose(weights[1, :2], softmax_with_sink(scores[1, :2], 2))
    assert weights[1, 2].tolist() == [0] * 5 and np.isneginf(scores[1, 2]).all()
    assert softmax_with_sink([800.0, 0.0]).tolist() == [1, 0]


def test_soft_cap_is_c_tanh():
    scores = [-1e308, -100.0, -1.0, 0.0, 1.0, 3.0, 1e308]
    np.testing.assert_allclose(soft_cap(scores, 5), [5 * math.tanh(s / 5) for s in scores], rtol=1e-15)
    assert np.abs(soft_cap(scores, 5)).max() <= 5 and soft_cap([1.0], 1e-300)[0] == 1e-300
    np.testing.assert_allclose(soft_cap([0.001], 50), 0.001, rtol=1e-9)


def test_unit_length_makes_cosines_of_dot_products():
    q, k = [3.0, 4.0], [4.0, 3.0]
    assert np.dot(q, k) == 24
    for factor in (1, 10, 1e200, 1e-200):
        assert unit_length(np.multiply(factor, q)) @ unit_length(k) == pytest.approx(0.96, rel=1e-14)
    x = np.random.default_rng(9).normal(size=(2, 3, 5))
    np.testing.assert_allclose(unit_length(x), x / np.sqrt((x**2).sum(axis=-1, keepdims=True)), rtol=1e-14)


@pytest.mark.parametrize(("x", "named"), [([[1.0, 2.0], [0.0, 0.0]], "x[1]"), ([0.0, 0.0], "x")])
def test_unit_length_names_what_has_no_direction(x, named):
    with pytest.raises(ValueError) as caught:
        unit_length(x)
    assert str(caught.value) == f"x must hold vectors that are longer than 0, but {named} is 0: it has no direction."


@pytest.mark.parametrize("shape", [(70_000, 1), (3000, 2)])
def test_unit_length_in_16_bits_counts_every_number_however_it_lies_in_memory(shape):
    units = unit_length(np.ones(shape, np.float16).T)
    assert units.dtype == np.float16
    np.testing.assert_allclose(units, shape[0] ** -0.5, rtol=1e-3)
