"""Known answers of the explorers of the layer, and what answers the hand."""

import numpy as np

from helpers import explorers


def test_bare_attention_makes_all_tokens_the_same_and_pre_norm_with_residual_does_not():
    explorer = explorers.explore_depth()
    explorer.set(residual=False, norm="none", feed_forward=False, depth=4)
    assert explorer.shown["top"][2] < 1e-9 and "✗ at the top words hardly differ" in explorer.html
    explorer.set(residual=True, norm="pre", feed_forward=True, depth=48)
    assert explorer.shown["top"][2] > 0.1 and "✗" not in explorer.html


def test_without_residual_the_gradient_dies_and_without_norm_it_explodes():
    explorer = explorers.explore_depth()
    explorer.set(residual=False, norm="none", feed_forward=True, depth=48)
    assert explorer.shown["top"][1] < 1e-10 and explorer.shown["top"][0] < 1e-10
    explorer.set(residual=True)
    assert explorer.shown["top"][1] > 1e6 and explorer.shown["top"][0] > 1e6
    assert "✗ at the bottom the gradient is 4·10¹⁰" in explorer.html


def test_post_norm_lets_the_gradient_fade_and_pre_norm_does_not():
    explorer = explorers.explore_depth()
    explorer.set(residual=True, norm="post", feed_forward=True, depth=48)
    assert explorer.shown["top"][1] < 0.05
    explorer.set(norm="pre")
    assert 5 < explorer.shown["top"][1] < 30
    sizes = explorer.shown["signal"][1]  # about as the root of the depth
    assert 0.7 < (sizes[48] / sizes[12]) / 2 < 1.3


def test_words_are_grey_by_the_second_layer_and_keep_their_colours_with_bypass_and_norm():
    explorer = explorers.explore_depth()
    apart = explorer.shown["words"] - explorer.shown["words"].mean(axis=1, keepdims=True)
    sizes = np.sqrt((explorer.shown["words"] ** 2).mean(axis=(1, 2)))
    shares = np.abs(apart).max(axis=(1, 2)) / sizes
    assert (shares[2:] < 0.03).all() and shares[0] > 1
    explorer.set(residual=True, norm="pre", depth=48)
    words = explorer.shown["words"]
    assert words.shape == (13, 4, 8) and (np.ptp(words[-1], axis=0) > 0.1 * np.abs(words[-1]).mean()).all()


def test_all_twenty_stacks_turn_grey():
    explorer = explorers.explore_depth()
    for drawn in range(1, 21):
        explorer.set(drawn=drawn)
        words = explorer.shown["words"]
        assert np.ptp(words[3], axis=0).max() < 0.05 * np.abs(words[3]).max()
