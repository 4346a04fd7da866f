"""Exercises on cutting images into patches."""

import numpy as np

from helpers.patches import patchify
from rooms.shared import edits


def _image(*shape):
    return np.arange(float(np.prod(shape))).reshape(shape)


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


PATCHIFY = edits.exercise(
    """
def patchify(image, patch_size):
    rows = []
    for top in range(0, image.shape[0], patch_size):
        for left in range(0, image.shape[1], patch_size):
            rows.append(image[top : top + patch_size, left : left + patch_size].ravel())
    return np.array(rows)
""",
    remakes=(patchify,),
    cases=[
        (_image(4, 4), 2), (_image(6, 6), 3), (_image(4, 6), 2), (_image(9, 6), 3), (_image(4, 4, 3), 2),
        (_image(4, 8, 3), 4), (_image(6, 9, 3), 3), (_image(4, 2, 5), 1), (_image(2, 4) / 8, 2), (_image(2, 2, 1), 2),
    ],
    mistakes="""
=> image.reshape(len(rows), -1) | The shape is right and the pixels are mixed up: reshape alone goes along whole rows of the image. Reshape to (rows, size, columns, size), then swap the two middle axes.
for top in range(0, image.shape[0], patch_size):⏎        for left in range(0, image.shape[1], patch_size): => for left in range(0, image.shape[1], patch_size):⏎        for top in range(0, image.shape[0], patch_size): | The patches come column by column: row-major means left to right first, then down.
].ravel() => ].swapaxes(0, 1).ravel() | Inside a patch the pixels come column by column: go left to right first, then down.
].ravel() => ].T.ravel() |
for top in range(0, image.shape[0], patch_size):⏎        for left in range(0, image.shape[1], patch_size): => for left in range(0, image.shape[1], patch_size):⏎        for top in range(0, image.shape[0], patch_size): ;; ].ravel() => ].swapaxes(0, 1).ravel() | Both the patches and their pixels come column by column: go left to right first, then down.
].ravel() => ].reshape(patch_size, patch_size, -1).transpose(2, 0, 1).ravel() | In colour, each patch lists all reds, then all greens, then all blues; the channels of one pixel stay together.
image.shape[0], patch_size => image.shape[0], image.shape[0] // patch_size ;; image.shape[1], patch_size => image.shape[1], image.shape[1] // patch_size ;; top + patch_size => top + image.shape[0] // patch_size ;; left + patch_size => left + image.shape[1] // patch_size | patch_size was taken for the number of patches along a side; it is the side of a patch in pixels.
=> image.reshape(patch_size, image.shape[0] // patch_size, patch_size, image.shape[1] // patch_size, -1).swapaxes(1, 2).reshape(len(rows), -1) | The sizes stand in the wrong order: reshape to (rows, size, columns, size), the number of patches before the side of one.
(0, image.shape[0], patch_size) => (image.shape[0] // patch_size) ;; (0, image.shape[1], patch_size) => (image.shape[1] // patch_size) | The number of a patch was taken for its place: patch i begins at pixel i times patch_size.
(0, image.shape[0], patch_size) => (image.shape[0] - patch_size + 1) ;; (0, image.shape[1], patch_size) => (image.shape[1] - patch_size + 1) | The patches overlap: the next one starts patch_size pixels further, not one.
.ravel() => | Each patch is still a square: lay it out as one row of numbers, with reshape.
range(0, image.shape[0], patch_size) => range(0, image.shape[0] - patch_size, patch_size) | The lowest row of patches is missing: the last one begins at height - patch_size, so the range must reach beyond it.
range(0, image.shape[1], patch_size) => range(0, image.shape[1] - patch_size, patch_size) | The last column of patches is missing: the last one begins at width - patch_size, so the range must reach beyond it.
range(0, image.shape[1], patch_size) => range(0, image.shape[0], patch_size) | Columns are counted by the height of the image; its width is image.shape[1].
rows.append => rows.extend | All pixels stand in one long row; each patch needs a row of its own: append, not extend.
""",
    praise="Right, grey and colour: the image is a sequence now.",
    explain=_explain,
    hint=_hint,
)  # fmt: skip
