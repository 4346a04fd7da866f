"""What the text of this lesson says in numbers, computed on its own."""

import numpy as np
import pytest

from helpers import explorers
from helpers.patches import patchify
from helpers.pictures import photos
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


def test_a_star_looks_at_the_collar_next():
    explorer = explorers.explore_patches()
    driving.buttons(explorer)["a star"].click()
    explorer.set(alone=True)
    assert divmod(int(explorer.shown["weights"].argmax()), 14) == (12, 6)
