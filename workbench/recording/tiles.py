"""Figures of a recording: cut into small squares, each kept once, in two pictures: photographs, and all else without loss."""

import base64
import contextlib
import functools
import io
import re

import numpy as np
from PIL import Image

from workbench.pictures import photos

SIDE = 16  # pixels of a square
ACROSS = 64  # squares in a line of the sheet
MANY = 24  # a square of a photograph with fewer colours is kept without loss
QUALITY = {"quality": 80, "subsampling": 0}  # squares of 16 then share nothing with their neighbours: no seams
IMAGE = re.compile(r'<img class="(photo)" alt="([^"]*)" width="(\d+)" height="(\d+)"[^>]*src="([^"]*)">')


@contextlib.contextmanager
def unpacked():
    """Inside, a figure in the picture of an explorer stands for its pixels: yields dict source -> (height, width, 4)."""
    kept, packed = {}, photos.source

    def keep(pixels):
        name = f"pixels:{len(kept)}"
        kept[name] = pixels.copy()
        return name

    photos.source = keep
    try:
        yield kept
    finally:
        photos.source = packed


def pixels_of(source, kept):
    """The pixels behind the address of a picture, (height, width, 4)."""
    if source in kept:
        return kept[source]
    data = base64.b64decode(source.partition("base64,")[2])
    return np.array(Image.open(io.BytesIO(data)).convert("RGBA"))


class Sheet:
    """All squares of the figures of one explorer.

    Attributes
    ----------
    images : list of (look, width, height, squares), line by line; 2k is square k that is kept without loss, 2k + 1 square k
        of a photograph
    """

    def __init__(self):
        self.images, self._squares, self._known = [], ({}, {}), {}

    def add(self, pixels, look):
        """Keep a figure; returns its number."""
        height, width, _ = pixels.shape
        padded = np.pad(pixels, ((0, -height % SIDE), (0, -width % SIDE), (0, 0)), mode="edge")
        lines, columns = padded.shape[0] // SIDE, padded.shape[1] // SIDE
        squares = padded.reshape(lines, SIDE, columns, SIDE, 4).swapaxes(1, 2).reshape(-1, SIDE, SIDE, 4)
        image = (look, width, height, tuple(self._number(square, look) for square in squares))
        if image not in self._known:
            self._known[image] = len(self.images)
            self.images.append(image)
        return self._known[image]

    def _number(self, square, look):
        photo = look == "photo" and bool(square[..., 3].min() == 255) and len(set(square.view(np.uint32).flat)) >= MANY
        known = self._squares[photo]
        return 2 * known.setdefault(square.tobytes(), len(known)) + photo

    def pictures(self):
        """Two pictures, base64: the squares without loss, and those of photographs; "" where there are none."""
        return [_packed(squares, photo) for photo, squares in enumerate(self._squares)]


def _packed(squares, photo):
    if not squares:
        return ""
    pixels = np.frombuffer(b"".join(squares), np.uint8).reshape(-1, SIDE, SIDE, 4)
    lines = -(-len(pixels) // ACROSS)
    pixels = np.pad(pixels, ((0, lines * ACROSS - len(pixels)), (0, 0), (0, 0), (0, 0)), mode="edge")
    whole = pixels.reshape(lines, ACROSS, SIDE, SIDE, 4).swapaxes(1, 2).reshape(lines * SIDE, ACROSS * SIDE, 4)
    image, file = Image.fromarray(whole), io.BytesIO()
    if photo:
        image.convert("RGB").save(file, "jpeg", optimize=True, progressive=True, **QUALITY)
    else:
        image.save(file, "webp", lossless=True, method=4, quality=75)
    return base64.b64encode(file.getvalue()).decode("ascii")


def figure(pictures, image):
    """One figure out of the pictures of a sheet: (height, width, 4).

    Parameters
    ----------
    pictures : from `Sheet.pictures`
    image : (look, width, height, squares)
    """
    _, width, height, numbers = image
    kept = [_squares(picture) for picture in pictures]
    squares = np.array([kept[number % 2][number // 2] for number in numbers])
    columns = -(-width // SIDE)
    lines = len(numbers) // columns
    return squares.reshape(lines, columns, SIDE, SIDE, 4).swapaxes(1, 2).reshape(lines * SIDE, -1, 4)[:height, :width]


@functools.lru_cache(4)
def _squares(picture):
    if not picture:
        return []
    whole = np.array(Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGBA"))
    return whole.reshape(-1, SIDE, ACROSS, SIDE, 4).swapaxes(1, 2).reshape(-1, SIDE, SIDE, 4)
