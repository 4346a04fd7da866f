"""Exercises on cutting images into patches."""

import numpy as np

from helpers.checks.exercise import Exercise
from helpers.patches import patchify


def _image(*shape):
    return np.arange(float(np.prod(shape))).reshape(shape)


def _blocks(image, size):
    """(patch rows, size, patch columns, size, channels), cut but not yet in order."""
    height, width = image.shape[:2]
    return image.reshape(height // size, size, width // size, size, -1)


def _in_order(*axes):
    """Patches with the axes of the blocks in another order; the first two count patches."""

    def cut(image, size):
        blocks = np.transpose(_blocks(image, size), axes)
        return blocks.reshape(blocks.shape[0] * blocks.shape[1], -1)

    return cut


def _strided(image, size):
    rows, columns = image.shape[0] // size, image.shape[1] // size
    return np.stack([image[i::rows, j::columns].ravel() for i in range(rows) for j in range(columns)])


def _by_number(image, number):
    height, width = image.shape[0] // number, image.shape[1] // number
    blocks = image.reshape(number, height, number, width, -1)
    return np.swapaxes(blocks, 1, 2).reshape(number * number, -1)


def _sizes_exchanged(image, size):
    rows, columns = image.shape[0] // size, image.shape[1] // size
    blocks = image.reshape(size, rows, size, columns, -1)
    return np.swapaxes(blocks, 1, 2).reshape(rows * columns, -1)


def _windows(image, size):
    height, width = image.shape[:2]
    places = [(i, j) for i in range(height - size + 1) for j in range(width - size + 1)]
    return np.stack([image[i : i + size, j : j + size].ravel() for i, j in places])


def _unscaled(image, size):
    places = [(i, j) for i in range(len(image) // size) for j in range(image.shape[1] // size)]
    return np.stack([image[i : i + size, j : j + size].ravel() for i, j in places])


def _square_patches(image, size):
    patches = patchify(image, size)
    return patches.reshape(len(patches), size, size, *image.shape[2:])


def _explain(got, want, image, size):
    patch, place = (int(i) for i in np.argwhere(got != want)[0])
    return f"For an image of shape {image.shape} and patches of side {size}, patch {patch} holds {got[patch, place]:g} at place {place}, where {want[patch, place]:g} is right (counted from 0)."


def _hint(error, image, size):
    if image.ndim == 3 and isinstance(error, (ValueError, IndexError, TypeError)):
        return "A colour image has a third axis, the channels: they stay together at the end."
    if isinstance(error, TypeError) and "float" in str(error):
        return "A number of patches is a whole number: divide by //, not by /."
    if image.shape[0] != image.shape[1]:
        return "Height and width may differ: image.shape[0] and image.shape[1]."
    return None


PATCHIFY = Exercise(
    name="patchify",
    stages={"patches": _square_patches},
    solve=patchify,
    cases=[
        (_image(4, 4), 2),
        (_image(6, 6), 3),
        (_image(4, 6), 2),
        (_image(9, 6), 3),
        (_image(4, 4, 3), 2),
        (_image(4, 8, 3), 4),
        (_image(6, 9, 3), 3),
        (_image(4, 2, 5), 1),
        (_image(2, 4) / 8, 2),
        (_image(2, 2, 1), 2),
    ],
    mistakes={
"The shape is right and the pixels are mixed up: reshape alone goes along whole rows of the image. Reshape to (rows, size, columns, size), then swap the two middle axes.": lambda image, size: image.reshape((image.shape[0] // size) * (image.shape[1] // size), -1),
"The patches come column by column: row-major means left to right first, then down.": _in_order(2, 0, 1, 3, 4),
"Inside a patch the pixels come column by column: go left to right first, then down.": _in_order(0, 2, 3, 1, 4),
"Both the patches and their pixels come column by column: go left to right first, then down.": _in_order(2, 0, 3, 1, 4),
"In colour, each patch lists all reds, then all greens, then all blues; the channels of one pixel stay together.": _in_order(0, 2, 4, 1, 3),
"patch_size was taken for the number of patches along a side; it is the side of a patch in pixels.": _by_number,
"The sizes stand in the wrong order: reshape to (rows, size, columns, size), the number of patches before the side of one.": _sizes_exchanged,
"The number of a patch was taken for its place: patch i begins at pixel i times patch_size.": _unscaled,
"The patches overlap: the next one starts patch_size pixels further, not one.": _windows,
"The colours were averaged away: every channel of every pixel belongs in the patch.": lambda image, size: patchify(image.mean(axis=2) if image.ndim == 3 else image, size),
"Each patch is still a square: lay it out as one row of numbers, with reshape.": _square_patches,
},
    praise="Right, grey and colour: the image is a sequence now.",
    explain=_explain,
    hint=_hint,
)  # fmt: skip
