"""What the explorers of the scale must show, computed another way; tests/test_explorers.py holds them beside it."""

import functools
import itertools
import math
import re

import numpy as np
import pytest

from helpers import explorers
from helpers.explorers import scale as scale_explorer
from tests import driving

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


def averages(scores):
    """Spread, mean peak weight and mean entropy in bits."""
    with np.errstate(over="ignore"):
        weights = shares(scores)
    logarithms = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.std(scores), weights.max(axis=1).mean(), -(weights * logarithms).sum(axis=1).mean() / math.log(2)


def quartiles(scores, key, divisor):
    """Of the size of dw/dq: row j of it is w_j (k_j - the mixture of keys) / divisor."""
    with np.errstate(over="ignore"):
        weights = shares(scores)
    away = key - np.einsum("qk,qkd->qd", weights, key)[:, None]
    return np.quantile(np.sqrt(np.einsum("qk,qkd->q", weights**2, away**2)) / divisor, [0.25, 0.5, 0.75])


def at(d_k, num_keys, booster, entries, sample):
    """The dot products, and for each of three scalings its averages and quartiles."""
    dots = booster * dot_products(d_k, num_keys, entries, sample)
    key = booster * draw(entries, sample)[1][:, :num_keys, :d_k]
    divisors = 1, d_k**0.5, d_k
    return dots, [(*averages(dots / by), quartiles(dots / by, key, by)) for by in divisors]


@functools.cache
def by_width(num_keys, booster, entries, sample):
    table = [at(width, num_keys, booster, entries, sample)[1] for width in WIDTHS]
    peaks = [[row[k][1] for row in table] for k in range(3)]
    gradients = [np.transpose([row[k][3] for row in table]) for k in range(3)]
    return np.array(peaks), np.array(gradients)


def scale(d_k, num_keys, booster, entries, sample):
    dots, rows = at(d_k, num_keys, booster, entries, sample)
    scores = three(dots, d_k)
    with np.errstate(over="ignore"):
        weights = [shares(s) for s in scores]
    spread, peak, entropy, gradient = zip(*rows, strict=True)
    peaks, gradients = by_width(num_keys, booster, entries, sample)
    edges = bins(np.std(dots), d_k, booster if entries == "+1 or -1" else None)
    inside = [((dots >= low) & (dots < high)).mean() for low, high in itertools.pairwise(edges)]
    return {
        "dot_products": dots,
        "scores": scores,
        "weights": weights,
        "spread": spread,
        "peak": peak,
        "entropy": entropy,
        "gradient": gradient,
        "edges": edges,
        "histogram": inside,
        "outside": 1 - sum(inside),
        "widths": WIDTHS,
        "peak_by_width": peaks,
        "gradient_by_width": gradients,
    }


def bins(spread, d_k, booster):
    """Alike on both sides of 0, as wide as half a spread or the nearest whole number of steps, at least 4 spreads to each side."""
    width, first = spread / 2, spread / 4
    if booster:  # dot products are 2 booster apart, whole multiples of it for even widths, halves between for odd ones
        steps = max(round(spread / 4 / booster), 1)
        steps += d_k % 2 == 0 and steps % 2 == 0
        width = 2 * booster * steps
        first = width if d_k % 2 else width / 2
    right = [first]
    while right[-1] < 4 * spread:
        right.append(right[-1] + width)
    return [*(-x for x in reversed(right)), *([0] if booster and d_k % 2 else []), *right]


@functools.cache
def wrong_scale(recipe):
    rows = []
    for width in (4, 16, 64, 256):
        by = {"√d_k": width**0.5, "1": 1, "d_k": width, "√(number of keys)": 4}[recipe]
        scores = dot_products(width, 16, "normal, spread 1", 1) / by
        key = draw("normal, spread 1", 1)[1][..., :width]
        rows.append([*map(float, averages(scores)), float(quartiles(scores, key, by)[1])])
    return {"widths": [4, 16, 64, 256], "measures": rows}


REFERENCES = {"explore_scale": scale, "explore_wrong_scale": wrong_scale}
TABLES = {
    "explore_scale": lambda shown, values: {
        "100 queries": [
            [shown["spread"][k], shown["peak"][k], shown["entropy"][k], *shown["gradient"][k]] for k in range(3)
        ]
    },
    "explore_wrong_scale": lambda shown, values: {f"scores divided by {values['recipe']}": shown["measures"]},
}
SENTENCES = {
    "explore_scale": lambda shown, values: [
        *(values["d_k"], values["num_keys"], *shown["peak"]),
        *(row[1] for row in shown["gradient"]),
    ],
    "explore_wrong_scale": lambda shown, values: [
        *(4, 256, shown["measures"][0][0], shown["measures"][-1][0]),
        *(shown["measures"][0][3], shown["measures"][-1][3]),
    ],
}


def wrong_scale_lights(shown, values):
    gap = max(abs(row[0] - 1) for row in shown["measures"])
    medians = [row[3] for row in shown["measures"]]
    share = max(medians) / min(medians)
    rule = "the median of ‖∂w/∂q‖ is the same at every width, give or take a fifth"
    return [("scores spread by about 1 at every width", gap if gap > 0.1 else 0), (rule, share if share > 1.2 else 0)]


LIGHTS = {"explore_scale": lambda shown, values: [], "explore_wrong_scale": wrong_scale_lights}

# --- known answers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entries", ["+1 or -1", "normal, spread 1"])
@pytest.mark.parametrize("d_k", [4, 64, 256])
def test_scores_spread_by_the_root_of_the_width_and_by_1_when_divided_by_it(entries, d_k):
    explorer = explorers.explore_scale()
    explorer.set(d_k=d_k, entries=entries)
    root = math.sqrt(d_k)
    np.testing.assert_allclose(explorer.shown["spread"], [root, 1, 1 / root], rtol=0.1)


@pytest.mark.parametrize("divisor", [1, 8, 64])
def test_gradient_is_what_nudging_every_entry_of_the_query_gives(divisor):
    query, key = (array[:5] for array in draw("normal, spread 1", 3))
    query, key = query[..., :64], key[..., :64]

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


def test_text_of_the_picture_says_what_the_curves_do():
    explorer, rng = explorers.explore_scale(), np.random.default_rng(25)
    for _ in range(10):
        driving.move_all(explorer, rng)
        values, shown = driving.state(explorer), explorer.shown
        peaks, gradients = by_width(**{name: values[name] for name in ("num_keys", "booster", "entries", "sample")})
        alt = re.search(r'alt="([^"]*)"', explorer.html)[1]
        words = driving.numbers(alt.replace("÷ 1", "").replace("further", ""))
        beyond = [f"{float(shown['outside']):.1%}"] if shown["outside"] > 1e-9 else []
        curves = [x for k in range(3) for x in (*peaks[k, [0, -1]], *gradients[k, 1, [0, -1]])]
        assert words[0] == "4" and words[1 : 1 + len(beyond)] == beyond
        spreads = words[1 + len(beyond) : 4 + len(beyond)]
        assert [float(x) for x in spreads] == pytest.approx(shown["spread"].tolist(), rel=6e-3)
        rest = words[4 + len(beyond) :]
        said = [1, 256, *curves]
        assert len(rest) == len(said) and all(map(driving.says, rest, said)), alt


def test_two_keys_have_slopes_of_the_larger_weight():
    explorer = explorers.explore_scale()
    driving.buttons(explorer)["two keys"].click()
    p = explorer.shown["weights"].max(axis=-1)[1]
    key = draw("normal, spread 1", 1)[1][:, :2, :64]
    away = np.linalg.norm(key[:, 0] - key[:, 1], axis=-1)
    want = np.quantile(math.sqrt(2) * p * (1 - p) * away / 8, [0.25, 0.5, 0.75])
    np.testing.assert_allclose(explorer.shown["gradient"][1], want)


@driving.unpainted()
def test_bins_are_alike_on_both_sides_and_never_end_on_a_value():
    explorer, rng = explorers.explore_scale(), np.random.default_rng(6)
    for _ in range(25):
        driving.move_all(explorer, rng)
        shown = explorer.shown
        edges = shown["edges"]
        np.testing.assert_allclose(edges, -edges[::-1], atol=1e-9)
        np.testing.assert_allclose(np.diff(edges), np.diff(edges)[0])
        assert 4 * shown["spread"][0] <= edges[-1] + 1e-9
        assert shown["histogram"].sum() + shown["outside"] == pytest.approx(1)
        assert shown["outside"] < 0.01
        values = np.unique(shown["dot_products"])
        assert np.abs(values[:, None] - edges).min() > 0


@pytest.mark.parametrize("plane", ["peak", "gradient"])
def test_line_is_dragged_to_a_width_as_the_slider_sets_it(plane):
    one, other = explorers.explore_scale(), explorers.explore_scale()
    for width in (1, 2, 5, 63, 200, 256):
        driving.point(one, plane, width, 0.5, kind="mousedown")
        other.controls["d_k"].value = width
        assert one.controls["d_k"].value == width and one.text == other.text
