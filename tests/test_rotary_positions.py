"""Turned queries and keys against complex numbers, against the operators' own definition, and the distance rule."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.attention import causal_mask, softmax
from helpers.positions import alibi, rotate, sinusoidal_positional_encoding, turn

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)
LAYOUTS = ["pairs", "halves"]


def places_of(pair, width, layout):
    return (2 * pair, 2 * pair + 1) if layout == "pairs" else (pair, pair + width // 2)


def by_complex_numbers(x, positions, base, layout):
    """One pair at a time: a + bi times e to the i theta."""
    turned = np.empty(x.shape)
    for index in np.ndindex(x.shape[:-1]):
        for pair in range(x.shape[-1] // 2):
            first, second = places_of(pair, x.shape[-1], layout)
            angle = positions[index[-1]] / base ** (2 * pair / x.shape[-1])
            z = complex(x[*index, first], x[*index, second]) * cmath.exp(1j * angle)
            turned[*index, first], turned[*index, second] = z.real, z.imag
    return turned


# --- numbers for a pencil --------------------------------------------------------------------------------------------


def test_at_60_degrees_a_step_only_the_distance_counts():
    turned = rotate([[1, 0]] * 7, np.arange(7) * math.pi / 3)
    scores = turned @ turned.T
    for start in range(4):
        np.testing.assert_allclose(scores[start, start : start + 4], [1, 0.5, -0.5, -1], atol=1e-12)


@pytest.mark.parametrize(("layout", "turned"), [("pairs", [-2, 1, 3, 4]), ("halves", [-3, 2, 1, 4])])
def test_quarter_turn_of_the_first_pair(layout, turned):
    by = turn([[1, 2, 3, 4]], [math.pi / 2, 0], layout=layout)
    np.testing.assert_allclose(by, [turned], atol=1e-15)
    assert (by**2).sum() == pytest.approx(30)


def test_alibi_makes_thirteenths_of_equal_scores():
    np.testing.assert_allclose(softmax(alibi(1, 3), base=3), [[1 / 13, 3 / 13, 9 / 13]])


# --- against other definitions ---------------------------------------------------------------------------------------


@quick
@given(
    st.sampled_from(LAYOUTS), st.integers(1, 7), st.integers(1, 5), st.sampled_from([(), (2,), (2, 3)]),
    st.floats(1.01, 1e6), st.integers(0, 2**32),
)  # fmt: skip
def test_rotate_equals_complex_numbers(layout, num_tokens, num_pairs, batch, base, seed):
    rng = np.random.default_rng(seed)
    x, positions = rng.normal(size=(*batch, num_tokens, 2 * num_pairs)), rng.integers(-99, 99, num_tokens)
    expected = by_complex_numbers(x, positions, base, layout)
    np.testing.assert_allclose(rotate(x, positions, base=base, layout=layout), expected, atol=1e-12)


def test_turned_unit_pairs_are_the_waves_of_2017():
    """(0, 1) turned by -theta is (sin theta, cos theta): the row of the sinusoidal encoding."""
    x = np.tile([0.0, 1.0], (11, 3))
    np.testing.assert_allclose(rotate(x, -np.arange(11)), sinusoidal_positional_encoding(11, 6), atol=1e-15)


# --- invariants ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rotate_starts_at_position_0_and_takes_fractions_and_batches(layout):
    x = np.random.default_rng(3).normal(size=(2, 5, 4))
    np.testing.assert_array_equal(rotate(x, layout=layout)[:, 0], x[:, 0])
    np.testing.assert_array_equal(rotate(x, layout=layout), rotate(x, range(5), layout=layout))
    apart = np.array([[0, 1, 2, 3, 4], [7, 7.5, 8, 8.5, 9]])
    each = [rotate(one, places, layout=layout) for one, places in zip(x, apart)]
    np.testing.assert_array_equal(rotate(x, apart, layout=layout), each)
    np.testing.assert_array_equal(rotate(x, 3, layout=layout), rotate(x, [3] * 5, layout=layout))


def test_rotate_is_precise_far_out_in_float32():
    x = np.ones((1, 2), np.float32)
    np.testing.assert_allclose(rotate(x, [1e6]), rotate(x.astype(float), [1e6]), atol=1e-6)
    assert rotate([[1, 2]]).dtype == np.float64


@pytest.mark.parametrize("num_keys", [3, 7])
def test_alibi_is_minus_slope_times_distance(num_keys):
    bias = alibi(3, num_keys, slope=[0.5, 0.25])
    assert bias.shape == (2, 3, num_keys)
    for head, slope in enumerate([0.5, 0.25]):
        for i in range(3):
            for j in range(num_keys):
                assert bias[head, i, j] == -slope * abs(i + num_keys - 3 - j)
    assert (alibi(3)[causal_mask(3)] == [0, -1, 0, -2, -1, 0]).all()
