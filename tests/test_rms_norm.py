"""RMS norm by pencil, by loops, beside layer norm."""

import math

import numpy as np
import pytest

from helpers.layers import layer_norm, rms_norm


def by_loops(x, gain, epsilon):
    rows = []
    for row in x.reshape(-1, x.shape[-1]):
        size = math.sqrt(math.fsum(a * a for a in row) / len(row) + epsilon)
        rows.append([a / size * g for a, g in zip(row, gain)])
    return np.reshape(rows, x.shape)


def test_rms_norm_of_1_and_7():
    np.testing.assert_allclose(rms_norm([1, 7], epsilon=0), [0.2, 1.4], rtol=1e-15)
    np.testing.assert_allclose(layer_norm([1.0, 7.0], epsilon=0), [-1, 1], rtol=1e-15)


@pytest.mark.parametrize("shape", [(5,), (3, 5), (2, 3, 7)])
def test_rms_norm_equals_loops(shape):
    rng = np.random.default_rng(0)
    x, gain = rng.normal(size=shape), rng.normal(size=shape[-1])
    np.testing.assert_allclose(rms_norm(x, gain, epsilon=0.1), by_loops(x, gain, 0.1), rtol=1e-13)
    np.testing.assert_allclose(rms_norm(x), by_loops(x, np.ones(shape[-1]), 1e-5), rtol=1e-13)


def test_rms_norm_without_epsilon_names_a_token_of_zeros():
    with pytest.raises(
        ValueError,
        match=r"^epsilon must be greater than 0 where all features of a token are 0, as in x\[1\], got 0\. There is",
    ):
        rms_norm([[1.0], [0.0]], epsilon=0)
