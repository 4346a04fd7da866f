"""What the text of this lesson says, computed on its own."""

import numpy as np

from helpers import positions


def test_what_a_query_must_absorb_differs_from_key_to_key_once_keys_are_turned():
    rng = np.random.default_rng(18)
    q, c, U_key = rng.normal(size=6), rng.normal(size=(5, 3)), rng.normal(size=(3, 6))

    def turn(place):  # R, of row vectors
        return positions.rotate(np.eye(6), np.full(6, place))

    absorbed = [q @ turn(4) @ turn(n).T @ U_key.T for n in range(5)]
    turned = positions.rotate(c @ U_key, np.arange(5)) @ positions.rotate(q[None], [4])[0]
    np.testing.assert_allclose([each @ latent for each, latent in zip(absorbed, c)], turned)
    assert min(np.abs(absorbed[n] - absorbed[n + 1]).max() for n in range(4)) > 0.1


def test_the_cache_of_the_guess_is_three_times_as_large_as_its_model():
    assert 3 < 2 * 32 * 32 * 128 * 100_000 * 2 / 16e9 < 3.5
