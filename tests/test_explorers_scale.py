"""Known answers of the explorer of the scale, and what answers the hand."""

import functools
import math

import numpy as np
import pytest

from helpers import explorers
from helpers.explorers import scale as scale_explorer
from tests import driving


@functools.cache
def draw(sample):
    rng = np.random.default_rng(sample)
    return rng.normal(size=(100, 1, 256)), rng.normal(size=(100, 16, 256))


def shares(scores):
    return 1 / np.exp(scores[:, None, :] - scores[:, :, None]).sum(axis=2)  # one over the sum of e^(other - own)


@pytest.mark.parametrize("d_k", [4, 64, 256])
def test_scores_spread_by_the_root_of_the_width_and_by_1_when_divided_by_it(d_k):
    explorer = explorers.explore_scale()
    explorer.set(d_k=d_k)
    np.testing.assert_allclose(explorer.shown["spread"], [d_k**0.5, 1, d_k**-0.5], rtol=0.1)


@pytest.mark.parametrize("divisor", [1, 8, 64])
def test_gradient_is_what_nudging_every_entry_of_the_query_gives(divisor):
    query, key = (array[:5, ..., :64] for array in draw(3))

    def weights(query):
        return shares((query * key).sum(axis=-1) / divisor)

    nudges = 1e-5 * np.eye(64)
    slopes = np.stack([(weights(query + n) - weights(query - n)) / 2e-5 for n in nudges], axis=-1)
    got = scale_explorer._gradients(weights(query), key, divisor)
    np.testing.assert_allclose(got, np.sqrt((slopes**2).sum(axis=(1, 2))), rtol=1e-5, atol=1e-12)


@driving.unpainted()
def test_only_the_root_of_the_width_keeps_what_reaches_the_query_the_same():
    for number in range(1, 9):
        explorer = explorers.explore_scale()
        explorer.controls["sample"].value = number
        plain, root, flat = explorer.shown["gradient_by_width"][:, 1, 2:]  # medians at d_k 4 … 256
        assert root.max() < 1.25 * root.min()
        assert plain.max() > 2.5 * plain.min()
        assert 7 < flat[0] / flat[-1] < 10  # the root of 64, give or take


def test_the_booster_undoes_what_the_division_does():
    explorer = explorers.explore_scale()
    assert explorer.shown["peak"][1] < 0.3
    explorer.set(booster=10)
    assert explorer.shown["peak"][1] > 0.85 and math.isclose(explorer.shown["spread"][1], 10, rel_tol=0.1)
