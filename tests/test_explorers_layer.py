"""Known answers of the explorers of the layer, and what answers the hand.

Gradients come from complex steps: a forward pass at x + i h carries the derivative in its imaginary part, exactly.
"""

import functools
import math
import re

import numpy as np
import pytest

from helpers import explorers
from helpers.layers import random_layer
from helpers.learning import depth as helpers_depth
from helpers.support import data_files
from tests import driving

# --- a layer in a few lines, for real and complex numbers ------------------------------------------------------------


def norm(x, gain=1.0, bias=0.0):
    centred = x - x.sum(-1, keepdims=True) / x.shape[-1]
    return centred / ((centred**2).sum(-1, keepdims=True) / x.shape[-1] + 1e-5) ** 0.5 * gain + bias


def attend(x, part, context=None, mask=None, num_heads=2):
    """Output, and the weights of every head."""
    context, width = x if context is None else context, part["W_query"].shape[1] // num_heads
    q, k, v = (
        tokens @ part[f"W_{role}"] + part[f"b_{role}"]
        for tokens, role in ((x, "query"), (context, "key"), (context, "value"))
    )
    heads, maps = [], []
    for h in range(num_heads):
        columns = slice(h * width, (h + 1) * width)
        scores = q[..., columns] @ np.moveaxis(k[..., columns], -1, -2) / math.sqrt(width)
        powers = np.exp(scores - scores.real.max(-1, keepdims=True)) * (1.0 if mask is None else mask)
        maps.append(powers / powers.sum(-1, keepdims=True))
        heads.append(maps[-1] @ v[..., columns])
    return np.concatenate(heads, -1) @ part["W_output"] + part["b_output"], maps


def think(x, part):
    hidden = x @ part["W_in"] + part["b_in"]
    return np.where(hidden.real > 0, hidden, 0) @ part["W_out"] + part["b_out"]


# --- depth -----------------------------------------------------------------------------------------------------------

TINY = 1e-30


def pass_through(x, layer, residual, norms, feed_forward):
    for name in ["self_attention", "feed_forward"][: 1 + feed_forward]:
        asks = norm(x) if norms == "pre" else x
        change = think(asks, layer[name]) if name == "feed_forward" else attend(asks, layer[name])[0]
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


def test_wide_stacks_keep_most_of_the_gradient_after_their_norms():
    """Lesson 08: the fading belongs to narrow stacks, that tokens grow alike does not."""
    wide = np.load(data_files.path("depth_of_stacks.npz"))["wide"].astype(float)
    for k in (0, 1):
        computed = helpers_depth.passes(*helpers_depth.random_stack(k, 64), (True, "post", True))[:, -1]
        np.testing.assert_allclose(computed[:2], wide[k, :2], rtol=1e-4)
    signal, gradient, _ = np.median(wide, axis=0)
    assert len(wide) == 20 and f"{signal:.0f} {gradient:.1f}" == "1 0.7" and wide[:, 2].max() < 1e-6


def test_depth_refuses_a_design_that_is_none():
    with pytest.raises(ValueError, match="norm must be one of"):
        helpers_depth.quartiles(True, "first", True)


# --- known answers ---------------------------------------------------------------------------------------------------


def test_layer_norm_starts_with_the_numbers_of_the_notes_and_a_dot_is_dragged():
    explorer = explorers.explore_layer_norm()
    np.testing.assert_allclose(explorer.shown["output"], [-1.2247, 0, 1.2247], atol=5e-5)
    driving.point(explorer, "features", 2.9, 0.5, kind="mousedown")
    np.testing.assert_allclose(explorer.shown["x"], [1, 2, 2.9])
    driving.point(explorer, "features", 4.97, 0.5, kind="mousemove")
    np.testing.assert_allclose(explorer.shown["x"], [1, 2, 5])


@driving.unpainted()
def test_bare_attention_makes_all_tokens_the_same_and_pre_norm_with_residual_does_not():
    explorer = explorers.explore_depth()
    explorer.set(residual=False, norm="none", feed_forward=False, depth=4)
    assert explorer.shown["top"][2] < 1e-9 and "✗ tokens stay different" in explorer.html
    explorer.set(residual=True, norm="pre", feed_forward=True, depth=48)
    assert explorer.shown["top"][2] > 0.1 and "✗" not in explorer.html


@driving.unpainted()
def test_without_residual_the_gradient_dies_and_without_norm_it_explodes():
    explorer = explorers.explore_depth()
    explorer.set(residual=False, norm="none", feed_forward=True, depth=48)
    assert explorer.shown["top"][1] < 1e-10 and explorer.shown["top"][0] < 1e-10
    explorer.set(residual=True)
    assert explorer.shown["top"][1] > 1e6 and explorer.shown["top"][0] > 1e6
    assert "✗ the gradient stays between 0.01 and 100: at the bottom 4e10" in explorer.html


@driving.unpainted()
def test_post_norm_lets_the_gradient_fade_and_pre_norm_does_not():
    explorer = explorers.explore_depth()
    explorer.set(norm="post", depth=48)
    assert explorer.shown["top"][1] < 0.05
    explorer.set(norm="pre")
    assert 5 < explorer.shown["top"][1] < 30
    sizes = explorer.shown["signal"][1]  # about as the root of the depth
    assert 0.7 < (sizes[48] / sizes[12]) / 2 < 1.3


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
    found = helpers_depth.passes(x, layers, (True, norm, True))
    np.testing.assert_allclose(found[1, 5], math.sqrt((jacobian**2).sum() / 32), rtol=1e-6)


@driving.unpainted()
def test_the_layer_in_boxes_is_changed_by_clicks():
    explorer = explorers.explore_depth()
    driving.click(explorer, "around", 0)
    assert explorer.controls["residual"].value is False and "✂" in explorer.html
    driving.click(explorer, "box", 0)
    assert explorer.controls["feed_forward"].value is False
    for norm in ("pre", "none", "post"):
        driving.click(explorer, "box", 1)
        assert explorer.controls["norm"].value == norm


@pytest.mark.parametrize("panel", range(3))
def test_depth_is_dragged_in_every_panel(panel):
    explorer = explorers.explore_depth()
    driving.point(explorer, f"depth {panel}", 37.2, 0.5, kind="mousemove")
    assert explorer.controls["depth"].value == 37


def test_the_line_of_tokens_is_turned_by_hand():
    explorer = explorers.explore_span()
    driving.point(explorer, "line", 1.0, 1.0)
    assert explorer.controls["direction"].value == 45
    driving.point(explorer, "line", 1.0, -1.0)
    assert explorer.controls["direction"].value == 135


def test_attention_with_nothing_learned_keeps_rank_1_in_every_direction_and_feed_forward_does_not():
    explorer = explorers.explore_span()
    for direction in range(0, 181, 15):
        explorer.set(direction=direction, feed_forward=False)
        assert explorer.shown["rank"] == 1
    for direction in (1, 30, 75, 89, 91, 120, 179):
        for rounds in range(1, 4):
            explorer.set(direction=direction, feed_forward=True, rounds=rounds)
            assert explorer.shown["rank"] == 2, (direction, rounds)


def test_what_leaves_the_line_leaves_it_by_the_bend_alone(monkeypatch):
    explorer = explorers.explore_span()
    explorer.set(feed_forward=True)
    assert explorer.shown["rank"] == 2

    def unbent(x, W_in, b_in, W_out, b_out):
        return (x @ W_in + b_in) @ W_out + b_out

    monkeypatch.setattr(explorers.layer, "feed_forward", unbent)
    for direction in range(0, 181, 15):
        explorer.set(direction=direction)
        assert explorer.shown["rank"] <= 1


@driving.unpainted()
def test_outputs_of_explore_span_stay_within_the_axes():
    explorer = explorers.explore_span()
    for direction in range(0, 181, 15):
        for rounds in range(1, 4):
            for feed_forward in (False, True):
                explorer.set(direction=direction, rounds=rounds, feed_forward=feed_forward)
                assert -2.3 < explorer.shown["output"].min() and explorer.shown["output"].max() < 2.8


@pytest.mark.parametrize("design", helpers_depth.designs())
def test_curves_and_bands_of_every_design_lie_within_their_panels(design):
    residual, norm, feed_forward = design
    explorer = explorers.explore_depth()
    explorer.set(residual=residual, norm=norm, feed_forward=feed_forward)
    for shape in re.findall(r'<poly(?:gon|line) points="([^"]*)"', explorer.html):
        y = [float(point.split(",")[1]) for point in shape.split()]
        assert 40 <= min(y) and max(y) <= 330


def test_mean_after_gain_and_bias_is_no_minus_0():
    explorer = explorers.explore_layer_norm()
    explorer.set(x=[[0.5, 0.02, 0.03]])
    assert "At the end the mean is 0.000 and the spread 1.000." in explorer.text


@pytest.mark.parametrize("x", [[-0.1, -0.2, 0.3], [-0.001, 0.0, 0.0]])
def test_mean_of_x_is_no_minus_0(x):
    explorer = explorers.explore_layer_norm()
    explorer.set(x=[x])
    assert explorer.shown["mean"] < 0 and explorer.text.startswith("The mean is 0.000 and")
    assert "-0.000" not in explorer.text


def test_lights_of_one_token_speak_of_no_other():
    explorer = explorers.explore_layer_norm()
    driving.buttons(explorer)["all the same"].click()
    assert (False, "÷ spread has variance 1: it is 0.000") in driving.lights(explorer.html)


def test_tokens_that_are_the_same_differ_by_nothing():
    explorer = explorers.explore_depth()
    explorer.set(residual=False, norm="none", feed_forward=False, depth=48)
    assert (False, "tokens stay different: they differ by 0.00") in driving.lights(explorer.html)
