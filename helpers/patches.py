"""An image as a sequence: square patches, one row each, and back."""

import numpy as np

from helpers.support import inputs
from helpers.support.documented import documented


@documented
def patchify(image, patch_size):
    """Cut an image into square patches, and lay each out as one row of numbers.

    Patches follow each other as in a text, left to right and then down; so do the pixels inside a patch, and the
    channels (red, green, blue) of each pixel stay together.

    Parameters
    ----------
    image : (height, width), grey, or (height, width, channels), of any type
    patch_size : whole number, at least 1, that divides height and that divides width: the side of a patch in pixels

    Returns
    -------
    patches : (num_patches, patch_size * patch_size * channels), of the type of the image

    References
    ----------
    Dosovitskiy et al., "An Image is Worth 16x16 Words" (2021), section 3.1.

    Examples
    --------
    >>> patchify(np.arange(16).reshape(4, 4), patch_size=2)
    array([[ 0,  1,  4,  5],
           [ 2,  3,  6,  7],
           [ 8,  9, 12, 13],
           [10, 11, 14, 15]])
    """
    rows, columns = image.shape[0] // patch_size, image.shape[1] // patch_size
    blocks = image.reshape(rows, patch_size, columns, patch_size, -1)
    return _own(np.swapaxes(blocks, 1, 2).reshape(rows * columns, -1))


@documented
def unpatchify(patches, patch_size, image_shape):
    """Put patches together again: what `patchify` did, undone.

    Parameters
    ----------
    patches : (num_patches, patch_size * patch_size * channels), of any type, row-major
    patch_size : whole number, at least 1: the side of a patch in pixels
    image_shape : that of the image, (height, width) or (height, width, channels)

    Returns
    -------
    image : of shape `image_shape`

    Examples
    --------
    >>> image = np.arange(16).reshape(4, 4)
    >>> unpatchify(patchify(image, 2), 2, image.shape)
    array([[ 0,  1,  2,  3],
           [ 4,  5,  6,  7],
           [ 8,  9, 10, 11],
           [12, 13, 14, 15]])
    """
    if not isinstance(image_shape, (tuple, list)) or len(image_shape) not in (2, 3):
        raise ValueError(f"image_shape must be (height, width) or (height, width, channels), got {image_shape!r}.")
    image_shape = tuple(image_shape)
    height, width, channels = (
        inputs.whole_number(f"{name} of image_shape", size, minimum=1)
        for name, size in zip(("height", "width", "channels"), (*image_shape, 1))
    )
    if height % patch_size or width % patch_size:
        raise ValueError(f"patch_size must divide the sides of image_shape, got {patch_size} and {height} × {width}.")
    rows, columns = height // patch_size, width // patch_size
    expected = (rows * columns, patch_size * patch_size * channels)
    if patches.shape != expected:
        raise ValueError(
            f"patches must have shape {expected} for an image {image_shape} in patches of side {patch_size}, "
            f"got {patches.shape}."
        )
    blocks = patches.reshape(rows, columns, patch_size, patch_size, channels)
    return _own(np.swapaxes(blocks, 1, 2).reshape(image_shape))


def _own(x):
    """An array that shares no numbers with the one that it was cut from, as a single patch would."""
    return x.copy() if type(x) is np.ndarray else x
