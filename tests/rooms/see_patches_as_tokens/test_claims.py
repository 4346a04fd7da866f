"""What the text of this lesson says in numbers, computed on its own."""

import numpy as np
import pytest

from helpers import explorers
from helpers.patches import patchify
from rooms.shared import photos
from tests import driving


@pytest.mark.parametrize("button", ["Reset", "a star", "the coat", "an eye"])
def test_as_they_are_everyone_gives_most_to_the_brightest_patch(button):
    explorer = explorers.explore_patches()
    driving.buttons(explorer)[button].click()
    explorer.set(tokens="as they are", alone=False)
    tokens = patchify(photos.photograph(), 16)
    brightest = np.linalg.norm(tokens, axis=1).argmax()
    assert explorer.shown["weights"].argmax() == brightest
    assert 0.7 < ((tokens @ tokens.T).argmax(axis=1) == brightest).mean() < 0.8
    explorer.set(sharpness=60.0, tokens="minus the average patch")
    assert (explorer.shown["weights"].max() > 0.99) == (button in ("a star", "an eye"))


def test_the_wall_has_25_doubles_and_the_star_none():
    tokens = patchify(photos.photograph(), 16)
    left = tokens - tokens.mean(axis=0)
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    explorer, others = explorers.explore_patches(), {}
    for button in ("Reset", "a star"):
        driving.buttons(explorer)[button].click()
        likeness = left @ left[explorer.shown["chosen"]]
        others[button] = np.delete(likeness, explorer.shown["chosen"])
    assert (others["Reset"] > 0.9).sum() == 25 and f"{others['a star'].max():.2f}" == "0.69"
    average, patch = tokens.mean(axis=0), tokens[40]
    half = (patch - average) / 2  # another patch, which differs from the average in the same way
    assert half @ left[40] / np.linalg.norm(half) == pytest.approx(1)


def test_wall_and_coat_find_their_colour_a_star_itself_and_an_eye_not_the_other_eye():
    explorer, tokens, weights = explorers.explore_patches(), patchify(photos.photograph(), 16), {}
    for button in ("Reset", "the coat", "a star", "an eye"):
        driving.buttons(explorer)[button].click()
        weights[button] = explorer.shown["weights"]
    for button in ("Reset", "the coat"):
        colours = tokens.reshape(196, -1, 3).mean(axis=1)
        twenty = np.argsort(-weights[button])[:20]
        assert np.abs(colours[twenty] - colours[twenty[0]]).max() < 0.12, button  # from 0 to 1
    star, eye, other_eye = 2 * 14 + 1, 5 * 14 + 6, 5 * 14 + 8
    assert weights["a star"].argmax() == star and weights["a star"][star] > 0.6
    assert weights["an eye"].argmax() == eye and (weights["an eye"] > weights["an eye"][other_eye]).sum() > 20


def test_shuffled_with_positions_every_output_moves():
    explorer = explorers.explore_patch_shuffle()
    explorer.set(shuffle=3)
    assert explorer.shown["difference"].max() < 1e-9
    explorer.set(positions="sinusoidal")
    assert explorer.shown["difference"].min() > 0.02


@pytest.mark.everything
def test_a_convolution_with_a_stride_is_the_same_patches_times_a_matrix_with_its_rows_in_another_order():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    image, side, rng = photos.photograph()[:48, :32], 16, np.random.default_rng(3)
    W = rng.normal(size=(side * side * 3, 5))
    kernel = W.reshape(side, side, 3, 5).transpose(3, 2, 0, 1)
    found = torch.nn.functional.conv2d(
        torch.tensor(image.transpose(2, 0, 1)[None].copy()), torch.tensor(kernel.copy()).double(), stride=side
    )
    np.testing.assert_allclose(found[0].reshape(5, -1).T.numpy(), patchify(image, side) @ W, atol=1e-9)
