"""The positional encoding against its formula, its geometry and the numbers of the notes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.positions import sinusoidal_positional_encoding, wavelengths

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)


def slow_encoding(num_positions, d_model, base):
    """One number at a time, as the paper writes it: sine at 2i, cosine at 2i + 1."""
    rows = []
    for position in range(num_positions):
        row = []
        for pair in range((d_model + 1) // 2):
            angle = position / base ** (2 * pair / d_model)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row[:d_model])
    return rows


@quick
@given(st.integers(1, 40), st.integers(1, 23), st.floats(1.01, 1e5))
def test_sinusoidal_positional_encoding_equals_slow_loop(num_positions, d_model, base):
    encoding = sinusoidal_positional_encoding(num_positions, d_model, base)
    assert encoding.shape == (num_positions, d_model) and encoding.dtype == np.float64
    np.testing.assert_allclose(encoding, slow_encoding(num_positions, d_model, base), atol=1e-12)


def test_wavelengths_grow_from_two_pi_pair_after_pair():
    np.testing.assert_allclose(wavelengths(4), 2 * math.pi * np.array([1, 1, 100, 100]), rtol=1e-14)
    assert wavelengths(1).tolist() == [2 * math.pi]
    np.testing.assert_allclose(wavelengths(5, base=32), 2 * math.pi * np.array([1, 1, 4, 4, 16]), rtol=1e-14)


@pytest.mark.parametrize("d_model", [2, 6])
def test_encoding_repeats_itself_after_its_wavelength(d_model):
    base = 4.0**d_model  # each pair is 16 times slower than the one before
    turns = wavelengths(d_model, base) / (2 * math.pi)
    encoding = sinusoidal_positional_encoding(711, d_model, base)
    np.testing.assert_allclose(turns, 16.0 ** (np.arange(d_model) // 2), rtol=1e-13)
    np.testing.assert_allclose(encoding[710, :2], encoding[0, :2], atol=1e-4)  # 710 = 113 wavelengths, nearly
