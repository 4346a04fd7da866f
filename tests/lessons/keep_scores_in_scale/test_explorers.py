"""Known answers of the explorers of the scale, and what answers the hand."""

import functools
import math

import numpy as np
import pytest

from helpers import explorers
from helpers.lessons.keep_scores_in_scale import explorers as room
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
def test_response_is_what_nudging_every_entry_of_the_query_gives(divisor):
    query, key = (array[:5, ..., :64] for array in draw(3))

    def weights(query):
        return shares((query * key).sum(axis=-1) / divisor)

    nudges = 1e-5 * np.eye(64)
    slopes = np.stack([(weights(query + n) - weights(query - n)) / 2e-5 for n in nudges], axis=-1)
    got = room._responses(weights(query), key, divisor)
    np.testing.assert_allclose(got, np.sqrt((slopes**2).sum(axis=(1, 2))), rtol=1e-5, atol=1e-12)


def test_only_the_root_of_the_width_keeps_the_responses_where_they_are():
    explorer, medians = explorers.explore_response(), []
    for width in (4, 16, 64, 256):
        explorer.set(d_k=width)
        medians.append(np.median(explorer.shown["response"], axis=1))
    plain, root, flat = np.transpose(medians)
    assert root.max() < 1.25 * root.min() and plain.max() > 2.5 * plain.min()
    assert 7 < flat[0] / flat[-1] < 10  # the root of 64, give or take


def test_hill_is_pulled_to_a_width_and_queries_are_chosen_where_they_stand():
    explorer = explorers.explore_scale()
    driving.point(explorer, "hill", 16, 0.5, kind="mousedown")
    assert explorer.controls["d_k"].value == 256
    explorer.set(booster=10)
    driving.point(explorer, "hill", 20, 0.5, kind="mousedown")
    assert explorer.controls["d_k"].value == 4
    explorer = explorers.explore_response()
    driving.point(explorer, "response 0", 1, 0.5, kind="mousedown")
    assert explorer.controls["query"].value == explorer.shown["response"][0].argmax() + 1
    best, second = sorted(explorer.shown["weights"][0])[:-3:-1]
    assert best - second < 0.2  # two keys nearly tie


def test_lesson_says_what_its_pictures_show():
    explorer = explorers.explore_scale()
    explorer.set(d_k=64)
    assert [f"{peak:.0%}" for peak in explorer.shown["peak"]] == ["86%", "26%", "8%"]
    low, high = np.quantile(explorer.shown["response"][0], [0.25, 0.75])
    assert round(low, 2) == 0.02 and round(high, 1) == 2.4
    explorer.set(booster=10)
    assert f"{explorer.shown['peak'][1]:.0%}" == "89%" and math.isclose(explorer.shown["spread"][1], 10, rel_tol=0.1)
