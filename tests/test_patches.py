"""Patches against loops over pixels, by content and not by shape; and there and back again."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.patches import patchify, unpatchify

quick = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def by_loops(image, size):
    height, width = len(image), len(image[0])
    rows = []
    for top in range(0, height, size):
        for left in range(0, width, size):
            row = []
            for i in range(size):
                for j in range(size):
                    row += np.atleast_1d(image[top + i][left + j]).tolist()
            rows.append(row)
    return rows


def test_patchify_of_sixteen_pixels_gives_squares_of_neighbours():
    image = np.arange(16).reshape(4, 4)
    expected = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    assert patchify(image, 2).tolist() == expected
    assert patchify(image.tolist(), 2).tolist() == expected


@quick
@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 4), st.sampled_from([(), (1,), (2,), (3,), (7,)]))
def test_patchify_equals_loops_and_unpatchify_undoes_it(rows, columns, size, channels):
    shape = (rows * size, columns * size, *channels)
    image = np.random.default_rng(rows + 10 * columns).normal(size=shape)
    patches = patchify(image, size)
    assert patches.tolist() == by_loops(image, size)
    np.testing.assert_array_equal(unpatchify(patches, size, shape), image)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float16, np.float32, np.float64, np.bool_])
def test_patchify_keeps_the_type_of_the_image(dtype):
    image = np.ones((4, 6, 3), dtype)
    assert patchify(image, 2).dtype == dtype == unpatchify(patchify(image, 2), 2, image.shape).dtype


@pytest.mark.parametrize("size", [1, 2, 4])
def test_patches_share_no_numbers_with_the_image_whatever_their_side(size):
    image = np.ones((4, 4))
    patches = patchify(image, size)
    assert not np.shares_memory(patches, image)
    assert not np.shares_memory(unpatchify(patches, size, (4, 4)), patches)


FITS = "patches must have shape (6, 4) for an image (4, 6) in patches of side 2, got"
WRONG_VALUES = [
    (lambda: unpatchify(np.ones((5, 4)), 2, (4, 6)), f"{FITS} (5, 4)."),
    (lambda: unpatchify(np.ones((6, 12)), 2, (4, 6)), f"{FITS} (6, 12)."),
    (lambda: unpatchify(np.ones((6, 4)), 2, (24,)), "image_shape must be (height, width) or (height, width, channels), got (24,)."),
    (lambda: unpatchify(np.ones((6, 4)), 2, (4, 6, 0)), "channels of image_shape must be at least 1, got 0."),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), WRONG_VALUES)
def test_patches_say_what_is_wrong(call, message):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message
