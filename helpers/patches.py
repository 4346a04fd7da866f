"""An image as a sequence: square patches, one row each, and back."""

import numpy as np

from helpers.support import inputs


def patchify(image, patch_size):
    """Cut an image into square patches, and lay each out as one row of numbers.

    Patches follow each other as in a text, left to right and then down; so do the pixels inside a patch, and the
    channels (red, green, blue) of each pixel stay together.

    Parameters
    ----------
    image : (height, width), grey, or (height, width, channels)
    patch_size : side of a patch in pixels; it must divide height and width

    Returns
    -------
    patches : (num_patches, patch_size * patch_size * channels), of the type of the image

    Raises
    ------
    TypeError, ValueError
        If the image holds no numbers or has not two or three axes, or the patch size does not divide its sides.

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
    image = _image(image)
    height, width = image.shape[:2]
    rows, columns, patch_size = _grid(height, width, patch_size)
    blocks = image.reshape(rows, patch_size, columns, patch_size, -1)
    return _own(np.swapaxes(blocks, 1, 2).reshape(rows * columns, -1))


def unpatchify(patches, patch_size, image_shape):
    """Put patches together again: what `patchify` did, undone.

    Parameters
    ----------
    patches : (num_patches, patch_size * patch_size * channels), row-major
    patch_size : side of a patch in pixels
    image_shape : (height, width) or (height, width, channels) of the image

    Returns
    -------
    image : of shape `image_shape`

    Raises
    ------
    TypeError, ValueError
        If the patches hold no numbers, or are not as many or as wide as the image's shape asks for.

    Examples
    --------
    >>> image = np.arange(16).reshape(4, 4)
    >>> unpatchify(patchify(image, 2), 2, image.shape)
    array([[ 0,  1,  2,  3],
           [ 4,  5,  6,  7],
           [ 8,  9, 10, 11],
           [12, 13, 14, 15]])
    """
    patches = _numbers("patches", patches)
    if not isinstance(image_shape, (tuple, list)) or len(image_shape) not in (2, 3):
        raise ValueError(f"image_shape must be (height, width) or (height, width, channels), got {image_shape!r}.")
    image_shape = tuple(image_shape)
    height, width, channels = (
        inputs.whole_number(f"{name} of image_shape", size, minimum=1)
        for name, size in zip(("height", "width", "channels"), (*image_shape, 1))
    )
    rows, columns, patch_size = _grid(height, width, patch_size)
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


def _numbers(name, values):
    return inputs.carrier(values, inputs.real(name, values))


def _image(image):
    image = _numbers("image", image)
    if image.ndim not in (2, 3) or 0 in image.shape:
        raise ValueError(
            f"image must have the axes (height, width) or (height, width, channels), none empty, got shape {image.shape}."
        )
    return image


def _grid(height, width, patch_size):
    patch_size = inputs.whole_number("patch_size", patch_size, minimum=1)
    if height % patch_size or width % patch_size:
        raise ValueError(
            f"patch_size must divide the height and the width of the image, got {patch_size} and {height} × {width}."
        )
    return height // patch_size, width // patch_size, patch_size
