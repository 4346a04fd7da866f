"""What the explorers of the scale must show, computed another way; tests/test_explorers.py holds them beside it."""

import functools
import math
import re

import numpy as np
import pytest

from helpers import explorers
from tests import driving
from tests.references import off_one

WIDTHS = [1, 2, 4, 8, 16, 32, 64, 128, 256]


@functools.cache
def draw(entries, sample):
    rng = np.random.default_rng(sample)
    sizes = [(100, 1, 256), (100, 16, 256)]
    if entries == "+1 or -1":
        return [np.where(rng.integers(2, size=size) == 1, 1.0, -1.0) for size in sizes]
    return [rng.normal(size=size) for size in sizes]


def dot_products(d_k, num_keys, entries, sample):
    query, key = draw(entries, sample)
    return np.einsum("qd,qkd->qk", query[:, 0, :d_k], key[:, :num_keys, :d_k])


def three(dots, d_k):
    return [dots, dots / d_k**0.5, dots / d_k]


def shares(scores):
    return 1 / np.exp(scores[:, None, :] - scores[:, :, None]).sum(axis=2)  # one over the sum of e^(other - own)


def measures(scores):
    """Spread, peak weight, entropy in bits and p (1 - p) at its largest."""
    with np.errstate(over="ignore"):
        weights = shares(scores)
    logarithms = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    entropy = -(weights * logarithms).sum(axis=1).mean() / math.log(2)
    return np.std(scores), weights.max(axis=1).mean(), entropy, (weights * (1 - weights)).max(axis=1).mean()


@functools.cache
def by_width(num_keys, entries, sample, booster):
    table = [
        [measures(s) for s in three(booster * dot_products(width, num_keys, entries, sample), width)]
        for width in WIDTHS
    ]
    return np.array(table).transpose(2, 1, 0)[1:]


def share_of_each_bin(scores):
    bins = np.floor((np.clip(scores, -33, 32) + 33) / 2).astype(int)
    return np.bincount(bins.ravel(), minlength=33) / bins.size


def scale(d_k, num_keys, booster, entries, sample):
    dots = booster * dot_products(d_k, num_keys, entries, sample)
    scores = three(dots, d_k)
    with np.errstate(over="ignore"):
        weights = [shares(s) for s in scores]
    spread, peak, entropy, gradient = np.array([measures(s) for s in scores]).T
    peaks, entropies, gradients = by_width(num_keys, entries, sample, booster)
    return {
        "dot_products": dots,
        "scores": scores,
        "weights": weights,
        "spread": spread,
        "peak": peak,
        "entropy": entropy,
        "gradient": gradient,
        "histogram": [share_of_each_bin(np.round(s, 9)) for s in scores],
        "widths": WIDTHS,
        "peak_by_width": peaks,
        "entropy_by_width": entropies,
        "gradient_by_width": gradients,
    }


@functools.cache
def wrong_scale(divisor):
    rows = []
    for width in (4, 16, 64, 256):
        by = {"√d_k": width**0.5, "1": 1, "d_k": width, "√(number of keys)": 4}[divisor]
        rows.append([float(x) for x in measures(dot_products(width, 16, "+1 or -1", 1) / by)])
    return {"widths": [4, 16, 64, 256], "measures": rows}


REFERENCES = {"explore_scale": scale, "explore_wrong_scale": wrong_scale}
TABLES = {
    "explore_scale": lambda shown, values: {
        "averages over 100 queries": np.stack(
            [shown[name] for name in ("spread", "peak", "entropy", "gradient")], axis=1
        ).tolist()
    },
    "explore_wrong_scale": lambda shown, values: {f"scores divided by {values['divisor']}": shown["measures"]},
}
SENTENCES = {
    "explore_scale": lambda shown, values: [
        values["d_k"],
        shown["spread"][0],
        values["num_keys"],
        shown["peak"][0],
        shown["spread"][1],
        *shown["peak"][1:],
        1 / values["num_keys"],
    ],
    "explore_wrong_scale": lambda shown, values: [
        *(4, 256, shown["measures"][0][0], shown["measures"][-1][0]),
        *(shown["measures"][0][3], shown["measures"][-1][3]),
    ],
}


def wrong_scale_lights(shown, values):
    gap = max(abs(row[0] - 1) for row in shown["measures"])
    share = shown["measures"][-1][3] / shown["measures"][0][3]
    return [
        ("scores spread by about 1 at every width", gap if gap > 0.1 else 0),
        ("the gradient is the same at every width, give or take a tenth", share if abs(share - 1) > 0.1 else 0),
    ]


LIGHTS = {
    "explore_scale": lambda shown, values: [off_one(np.concatenate(shown["weights"]).tolist())],
    "explore_wrong_scale": wrong_scale_lights,
}

# --- known answers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entries", ["+1 or -1", "normal, spread 1"])
@pytest.mark.parametrize("d_k", [4, 64, 256])
def test_scores_spread_by_the_root_of_the_width_and_by_1_when_divided_by_it(entries, d_k):
    explorer = explorers.explore_scale()
    explorer.set(d_k=d_k, entries=entries)
    root = math.sqrt(d_k)
    np.testing.assert_allclose(explorer.shown["spread"], [root, 1, 1 / root], rtol=0.1)


def test_gradient_is_largest_when_divided_by_the_root_of_a_large_width():
    shown = explorers.explore_scale().shown
    plain, root, flat = shown["gradient_by_width"][:, -1]
    assert root > 2 * plain and root > 2 * flat
    level = shown["gradient_by_width"][1, 3:]
    assert level.max() < 1.2 * level.min()


def test_text_of_the_picture_says_what_the_curves_do():
    explorer, rng = explorers.explore_scale(), np.random.default_rng(25)
    for _ in range(10):
        driving.move_all(explorer, rng)
        values = driving.state(explorer)
        number = {name: values[name] for name in ("num_keys", "entries", "sample", "booster")}
        ends = by_width(**number)[..., [0, -1]]  # peak, entropy and gradient of three scalings, at d_k = 1 and 256
        alt = re.search(r'alt="([^"]*)"', explorer.html)[1]
        words, said = driving.numbers(alt), [values["d_k"], 1, 256, *ends[0].ravel(), *ends[2].ravel()]
        assert len(words) == len(said) and all(map(driving.says, words, said)), alt


def test_two_keys_have_the_slope_of_the_larger_weight():
    explorer = explorers.explore_scale()
    driving.buttons(explorer)["two keys"].click()
    p = explorer.shown["weights"].max(axis=-1)
    np.testing.assert_allclose(explorer.shown["gradient"], (p * (1 - p)).mean(axis=-1))


def test_histogram_holds_every_score():
    explorer, rng = explorers.explore_scale(), np.random.default_rng(6)
    for _ in range(10):
        driving.move_all(explorer, rng)
        np.testing.assert_allclose(explorer.shown["histogram"].sum(axis=1), 1)
