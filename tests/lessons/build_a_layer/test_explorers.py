"""Known answers of the explorers of the layer, and what answers the hand."""

import re

import numpy as np
import pytest

from helpers import explorers
from helpers.learning import depth
from helpers.lessons.build_a_layer import explorers as room
from tests import driving


def test_layer_norm_starts_with_the_numbers_of_the_notes_and_a_dot_is_dragged():
    explorer = explorers.explore_layer_norm()
    np.testing.assert_allclose(explorer.shown["output"], [-1.2247, 0, 1.2247], atol=5e-5)
    driving.point(explorer, "features", 2.9, 0.5, kind="mousedown")
    np.testing.assert_allclose(explorer.shown["x"], [1, 2, 2.9])
    driving.point(explorer, "features", 4.97, 0.5, kind="mousemove")
    np.testing.assert_allclose(explorer.shown["x"], [1, 2, 5])


def test_bare_attention_makes_all_tokens_the_same_and_pre_norm_with_residual_does_not():
    explorer = explorers.explore_depth()
    explorer.set(residual=False, norm="none", feed_forward=False, depth=4)
    assert explorer.shown["top"][2] < 1e-9 and "✗ tokens stay different" in explorer.html
    explorer.set(residual=True, norm="pre", feed_forward=True, depth=48)
    assert explorer.shown["top"][2] > 0.1 and "✗" not in explorer.html


def test_without_residual_the_gradient_dies_and_without_norm_it_explodes():
    explorer = explorers.explore_depth()
    explorer.set(residual=False, norm="none", feed_forward=True, depth=48)
    assert explorer.shown["top"][1] < 1e-10 and explorer.shown["top"][0] < 1e-10
    explorer.set(residual=True)
    assert explorer.shown["top"][1] > 1e6 and explorer.shown["top"][0] > 1e6
    assert "✗ the gradient keeps its size: at the bottom it is 4·10¹⁰" in explorer.html


def test_post_norm_lets_the_gradient_fade_and_pre_norm_does_not():
    explorer = explorers.explore_depth()
    explorer.set(residual=True, norm="post", feed_forward=True, depth=48)
    assert explorer.shown["top"][1] < 0.05
    explorer.set(norm="pre")
    assert 5 < explorer.shown["top"][1] < 30
    sizes = explorer.shown["signal"][1]  # about as the root of the depth
    assert 0.7 < (sizes[48] / sizes[12]) / 2 < 1.3


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

    monkeypatch.setattr(room, "feed_forward", unbent)
    for direction in range(0, 181, 15):
        explorer.set(direction=direction)
        assert explorer.shown["rank"] <= 1


def test_outputs_of_explore_span_stay_within_the_axes():
    explorer = explorers.explore_span()
    for direction in range(0, 181, 15):
        for rounds in range(1, 4):
            for feed_forward in (False, True):
                explorer.set(direction=direction, rounds=rounds, feed_forward=feed_forward)
                assert -2.3 < explorer.shown["output"].min() and explorer.shown["output"].max() < 2.8


@pytest.mark.parametrize("design", depth.designs())
def test_curves_and_bands_of_every_design_lie_within_their_panels(design):
    residual, norm, feed_forward = design
    explorer = explorers.explore_depth()
    explorer.set(residual=residual, norm=norm, feed_forward=feed_forward)
    for shape in re.findall(r'<poly(?:gon|line) points="([^"]*)"', explorer.html):
        y = [float(point.split(",")[1]) for point in shape.split()]
        assert 40 <= min(y) and max(y) <= 330


@pytest.mark.parametrize("x", [[-0.1, -0.2, 0.3], [-0.001, 0.0, 0.0]])
def test_mean_of_x_is_no_minus_0(x):
    explorer = explorers.explore_layer_norm()
    explorer.set(x=[x])
    assert explorer.shown["mean"] < 0 and explorer.text.startswith("The mean is 0.000 and")
    assert "-0.000" not in explorer.text
