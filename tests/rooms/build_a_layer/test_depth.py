"""What depth does to stacks of layers, by complex steps: a forward pass at x + i h carries the derivative in its imaginary part."""

import functools
import math

import numpy as np
import pytest

from helpers.layers import random_layer
from helpers.support import data_files
from rooms.build_a_layer import depth

TINY = 1e-30

# --- a layer in a few lines, for real and complex numbers ------------------------------------------------------------


def norm(x):
    centred = x - x.sum(-1, keepdims=True) / x.shape[-1]
    return centred / ((centred**2).sum(-1, keepdims=True) / x.shape[-1] + 1e-5) ** 0.5


def attend(x, part, num_heads=2):
    width, heads = part["W_query"].shape[1] // num_heads, []
    q, k, v = (x @ part[f"W_{role}"] + part[f"b_{role}"] for role in ("query", "key", "value"))
    for h in range(num_heads):
        columns = slice(h * width, (h + 1) * width)
        scores = q[..., columns] @ np.moveaxis(k[..., columns], -1, -2) / math.sqrt(width)
        powers = np.exp(scores - scores.real.max(-1, keepdims=True))
        heads.append(powers / powers.sum(-1, keepdims=True) @ v[..., columns])
    return np.concatenate(heads, -1) @ part["W_output"] + part["b_output"]


def think(x, part):
    hidden = x @ part["W_in"] + part["b_in"]
    return np.where(hidden.real > 0, hidden, 0) @ part["W_out"] + part["b_out"]


def pass_through(x, layer, residual, norms, feed_forward):
    for name in ["self_attention", "feed_forward"][: 1 + feed_forward]:
        asks = norm(x) if norms == "pre" else x
        change = (think if name == "feed_forward" else attend)(asks, layer[name])
        x = x + change if residual else change
        x = norm(x) if norms == "post" else x
    return x


@functools.cache
def one_stack(k, residual, norms, feed_forward):
    """Signal, gradient and difference of one of the 20 stacks, after 0 to 48 layers."""
    rng = np.random.default_rng(k)
    layers, x = [random_layer(rng, 8, 2, 32) for _ in range(48)], rng.normal(size=(4, 8))
    product, found = np.eye(32), []
    for layer in [None, *layers]:
        if layer is not None:
            steps = TINY * 1j * np.eye(32).reshape(32, 4, 8)
            answers = pass_through(x + steps, layer, residual, norms, feed_forward)
            product = answers.imag.reshape(32, 32).T / TINY @ product
            x = pass_through(x, layer, residual, norms, feed_forward)
        signal, apart = math.sqrt((x**2).mean()), math.sqrt(((x - x.mean(0)) ** 2).mean())
        found.append([signal, math.sqrt((product**2).sum() / 32), apart / signal])
    return np.transpose(found)


@functools.cache
def stored():
    return np.load(data_files.path("depth_of_stacks.npz"))["quartiles"].astype(float)


@pytest.mark.everything
@pytest.mark.parametrize(
    ("residual", "norm", "feed_forward"),
    [(True, "post", True), (True, "pre", True), (True, "none", False), (False, "none", False), (False, "post", True)],
)
def test_stored_quartiles_are_those_of_20_stacks(residual, norm, feed_forward):
    found = np.array([one_stack(k, residual, norm, feed_forward) for k in range(20)])
    want = np.moveaxis(np.quantile(found, [0.25, 0.5, 0.75], axis=0), 0, 1)
    design = 6 * (not residual) + 2 * ["none", "post", "pre"].index(norm) + (not feed_forward)
    kept = want > 1e-9  # below, rounding decides
    np.testing.assert_allclose(stored()[design][kept], want[kept], rtol=1e-4)  # signal, gradient, difference


def test_fresh_stacks_lie_within_what_is_shown():
    """Draws that no quartile has seen: about half of them lie between the quartiles, and nearly all near them."""
    inside = []
    for k in range(100, 112):
        gradient = one_stack(k, True, "post", True)[1, 48]
        low, _, high = stored()[0 + 2][1, :, 48]
        inside.append(low <= gradient <= high)
        assert low / 1000 < gradient < high * 1000
    assert 2 <= sum(inside) <= 10


@pytest.mark.everything
def test_wide_stacks_keep_most_of_the_gradient_after_their_norms():
    """Lesson 09: the fading belongs to narrow stacks, that tokens grow alike does not."""
    wide = np.load(data_files.path("depth_of_stacks.npz"))["wide"].astype(float)
    for k in (0, 1):
        computed = depth.passes(*depth.random_stack(k, 64), (True, "post", True))[:, -1]
        np.testing.assert_allclose(computed[:2], wide[k, :2], rtol=1e-4)
    signal, gradient, _ = np.median(wide, axis=0)
    assert len(wide) == 20 and f"{signal:.0f} {gradient:.1f}" == "1 0.7" and wide[:, 2].max() < 1e-6


def test_depth_refuses_a_design_that_is_none():
    with pytest.raises(ValueError, match="norm must be one of"):
        depth.quartiles(True, "first", True)


@pytest.mark.parametrize("norm", ["none", "post", "pre"])
def test_gradient_by_depth_is_that_of_finite_differences(norm):
    rng = np.random.default_rng(3)
    layers, x = [random_layer(rng, 8, 2, 32) for _ in range(5)], rng.normal(size=(4, 8))

    def top(x):
        for layer in layers:
            x = pass_through(x, layer, True, norm, True)
        return x.ravel()

    steps = 1e-6 * np.eye(32).reshape(32, 4, 8)
    jacobian = np.array([(top(x + step) - top(x - step)) / 2e-6 for step in steps])
    found = depth.passes(x, layers, (True, norm, True))
    np.testing.assert_allclose(found[1, 5], math.sqrt((jacobian**2).sum() / 32), rtol=1e-6)
