"""Known answers of the explorers of patches, pixel by pixel, and what answers the hand."""

import base64
import functools
import io
import math
import re

import numpy as np
from matplotlib import cbook
from PIL import Image

from helpers import explorers
from helpers.support import data_files
from rooms.see_patches_as_tokens import explorers as room
from rooms.shared import photos
from tests import driving


@functools.cache
def photograph():
    return photos.photograph()


@functools.cache
def cut(size):
    image, per_row = photograph(), 224 // size
    squares = [
        image[r * size : (r + 1) * size, c * size : (c + 1) * size] for r in range(per_row) for c in range(per_row)
    ]
    return np.array([[x for line in square for pixel in line for x in pixel] for square in squares])


def test_photograph_is_the_one_that_matplotlib_brings_along():
    with cbook.get_sample_data("grace_hopper.jpg") as file:
        assert file.read() == data_files.path("photograph.jpg").read_bytes()


def test_photograph_is_square_in_colour_and_between_0_and_1():
    image = photograph()
    assert image.shape == (224, 224, 3) and 0 <= image.min() < 0.1 < 0.9 < image.max() <= 1
    red, green, blue = image[20:60, 190:220].mean(axis=(0, 1))
    assert blue > green > red  # the wall


SHADE = 1 / 255  # pictures are kept in bytes


def images(explorer):
    """What the pictures of a view hold: list of arrays, from 0 to 1."""
    found = re.findall(r'<image [^>]*href="data:image/\w+;base64,([^"]*)"', explorer.html)
    return [np.asarray(Image.open(io.BytesIO(base64.b64decode(data)))) / 255 for data in found]


def test_explore_patches_lays_the_weights_over_the_patches_they_belong_to():
    explorer = explorers.explore_patches()
    explorer.set(patch_size=56, down=68, across=132, sharpness=3)
    colour, grey, overlay, patch, output, *narrow = images(explorer)
    assert len(narrow) == 5  # the same on a phone
    weights = explorer.shown["weights"]
    wanted = [[0.85 * (weights[4 * row + column] / max(weights)) ** 0.5 for column in range(4)] for row in range(4)]
    np.testing.assert_allclose(overlay[..., 3], wanted, atol=SHADE)
    assert np.abs(colour - photograph()).mean() < 0.02 and np.ptp(grey, axis=2).mean() < 0.02
    np.testing.assert_allclose(patch, photograph()[56:112, 112:168], atol=SHADE)
    np.testing.assert_allclose(output.ravel(), explorer.shown["output"].clip(0, 1), atol=SHADE)
    left, right = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="79" height="79"', explorer.html)
    assert left == ("150", "95") and right == ("464", "95")  # two pixels outside the patch, and below the titles
    assert explorer.html.count("<line ") == 4  # the point, in both layouts
    explorer.set(patch_size=8)
    assert explorer.html.count("<line ") == 0  # it would hide the patch


def test_explore_patch_shuffle_exchanges_two_patches_and_follows_one():
    explorer = explorers.explore_patch_shuffle()
    explorer.set(shuffle=0)
    assert "0 of its 64 patches somewhere else" in explorer._picture_text
    driving.point(explorer, "patches", 14, 14)
    driving.point(explorer, "patches", 100, 70, kind="mousemove")
    driving.point(explorer, "patches", 100, 70, kind="mouseup")
    want = list(range(64))
    want[0], want[19] = 19, 0  # rows 0 and 2, columns 0 and 3, of 28 pixels each
    assert explorer.shown["order"].tolist() == want and explorer.controls["followed"].value == 19
    driving.point(explorer, "patches", 50, 200)
    driving.point(explorer, "patches", 52, 205, kind="mouseup")
    assert explorer.controls["followed"].value == 57 and explorer.shown["order"].tolist() == want


def test_explore_patches_buttons_point_at_what_they_name():
    explorer = explorers.explore_patches()
    press, brightness = driving.buttons(explorer), photograph().mean(axis=2)
    press["a star"].click()
    patch = explorer.shown["value"][explorer.shown["chosen"]].reshape(16, 16, 3)
    assert patch[4:12, 4:12].mean() > 0.7 and patch[[0, -1], -1].mean() < 0.4  # on blue
    press["an eye"].click()
    for size in (16, 8):
        explorer.set(patch_size=size)
        pixels = explorer.shown["value"][explorer.shown["chosen"]]
        assert pixels.min() < 0.15, size  # the pupil
    press["the coat"].click()
    assert explorer.shown["value"][explorer.shown["chosen"]].mean() < 0.2 < brightness.mean()


def test_explore_patch_shuffle_puts_the_outputs_back_where_their_patches_were():
    explorer = explorers.explore_patch_shuffle()
    explorer.controls["shuffle"].value = 3
    mixed, _, back, taken, straight, difference = (image for image, *_ in room._six(explorer._now))
    np.testing.assert_allclose(back, straight, atol=1e-12)
    frame = (taken != photograph()).any(axis=2)
    row, column = divmod(int(explorer.shown["order"][27]), 8)  # where the patch that is followed was
    around = frame[28 * row : 28 * row + 28, 28 * column : 28 * column + 28]
    assert around.sum() == frame.sum() == 28**2 - 24**2 and not around[2:-2, 2:-2].any()
    np.testing.assert_allclose(mixed[:28, :28].ravel(), cut(28)[explorer.shown["order"][0]], atol=1e-12)
    assert difference.max() < 1e-12
    sources = re.findall(r'<img class="photo"[^>]*src="data:image/webp;base64,([^"]*)"', explorer.html)
    assert len(sources) == 6
    shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(sources[0])))) / 255
    assert np.abs(shown - mixed).mean() < 0.03
    explorer.controls["positions"].value = "sinusoidal"
    assert room._six(explorer._now)[5][0].mean() > 0.05


def test_why_no_star_finds_a_star():
    image, rows = photograph(), cut(16)
    average = sum(rows) / len(rows)

    def likeness_to_star(pixels):
        star, other = image[32:48, 16:32].ravel() - average, np.ravel(pixels) - average
        return (star * other).sum() / math.sqrt((star**2).sum() * (other**2).sum())

    moved = [likeness_to_star(image[32:48, 16 + k : 32 + k]) for k in (0, 2, 4, 8)]
    assert np.round(moved, 2).tolist() == [1.0, 0.73, 0.44, 0.13]
    scores = [likeness_to_star(row) for row in rows]
    best = sorted(range(196), key=lambda k: -scores[k])[:2]
    assert best == [2 * 14 + 1, 12 * 14 + 6] and round(scores[best[1]], 2) == 0.69 > moved[2]  # itself, then the collar


def test_the_last_picture_is_black_however_they_are_shuffled():
    explorer = explorers.explore_patch_shuffle()
    explorer.set(shuffle=3)
    assert (explorer.shown["order"] != np.arange(64)).sum() > 60 and explorer.shown["difference"].max() < 1e-9
    assert room._six(explorer._now)[5][0].max() < 1e-12


def test_second_drag_takes_the_patch_that_is_under_the_hand():
    explorer, now = explorers.explore_patch_shuffle(), None
    explorer.set(shuffle=0)
    for start, end in ((0, 63), (63, 62), (62, 5)):
        values = room._exchange(explorer._now, *((28 * (k % 8) + 14, 28 * (k // 8) + 14) for k in (start, end)))
        now = explorer.set(**values) or explorer._now
        assert now.order[end] == 0 and explorer.controls["followed"].value == end
