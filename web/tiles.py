"""Figures of a recording: cut into small squares, each kept once, all of them in one picture."""

import base64
import contextlib
import io
import re

import numpy as np
from PIL import Image

from helpers import plots

SIDE = 16  # pixels of a square
ACROSS = 64  # squares in a line of the sheet
SHADES = 32  # of each colour, where a figure is no photograph
IMAGE = re.compile(r'<img class="(figure|photo)" alt="([^"]*)" width="(\d+)" height="(\d+)"[^>]*src="([^"]*)">')


@contextlib.contextmanager
def unpacked():
    """Inside, a figure in the picture of an explorer stands for its pixels: yields dict source -> (height, width, 4)."""
    kept, packed = {}, plots.source

    def keep(pixels, kind, exact=False):
        name = f"pixels:{len(kept)}"
        kept[name] = pixels.copy()
        return name

    plots.source = keep
    try:
        yield kept
    finally:
        plots.source = packed


def pixels_of(source, kept):
    """The pixels behind the address of a picture, (height, width, 4)."""
    if source in kept:
        return kept[source]
    data = base64.b64decode(source.partition("base64,")[2])
    return np.array(Image.open(io.BytesIO(data)).convert("RGBA"))


def reduced(pixels, look):
    """What is kept of a figure: few shades of each colour; of a photograph, all."""
    if look == "photo":
        return pixels
    steps = SHADES - 1
    fewer = (pixels.astype(int) * steps + 127) // 255 * 255 // steps
    return fewer.astype(np.uint8)


class Sheet:
    """All squares of the figures of one explorer.

    Attributes
    ----------
    images : list of (look, width, height, squares), the squares by their numbers, line by line
    """

    def __init__(self):
        self.images, self._numbers, self._known, self._photo = [], {}, {}, False

    def add(self, pixels, look):
        """Keep a figure; returns its number."""
        height, width, _ = pixels.shape
        small = reduced(pixels, look)
        self._photo |= look == "photo"
        padded = np.pad(small, ((0, -height % SIDE), (0, -width % SIDE), (0, 0)), mode="edge")
        lines, columns = padded.shape[0] // SIDE, padded.shape[1] // SIDE
        squares = padded.reshape(lines, SIDE, columns, SIDE, 4).swapaxes(1, 2).reshape(-1, SIDE, SIDE, 4)
        numbers = tuple(self._numbers.setdefault(square.tobytes(), len(self._numbers)) for square in squares)
        image = (look, width, height, numbers)
        if image not in self._known:
            self._known[image] = len(self.images)
            self.images.append(image)
        return self._known[image]

    def webp(self):
        """The sheet as a picture, base64; "" if there is no figure."""
        if not self._numbers:
            return ""
        squares = np.frombuffer(b"".join(self._numbers), np.uint8).reshape(-1, SIDE, SIDE, 4)
        lines = -(-len(squares) // ACROSS)
        squares = np.pad(squares, ((0, lines * ACROSS - len(squares)), (0, 0), (0, 0), (0, 0)), mode="edge")
        whole = squares.reshape(lines, ACROSS, SIDE, SIDE, 4).swapaxes(1, 2).reshape(lines * SIDE, ACROSS * SIDE, 4)
        image, file = Image.fromarray(whole), io.BytesIO()
        if self._photo:
            image.save(file, "webp", quality=60, method=4)
        else:
            image.convert("RGB").save(file, "webp", lossless=True, method=4, quality=75)
        return base64.b64encode(file.getvalue()).decode("ascii")


def figure(sheet, image):
    """One figure out of a sheet that was read: (height, width, 4).

    Parameters
    ----------
    sheet : base64, from `Sheet.webp`
    image : (look, width, height, squares)
    """
    whole = np.array(Image.open(io.BytesIO(base64.b64decode(sheet))).convert("RGBA"))
    _, width, height, numbers = image
    squares = whole.reshape(-1, SIDE, ACROSS, SIDE, 4).swapaxes(1, 2).reshape(-1, SIDE, SIDE, 4)[list(numbers)]
    columns = -(-width // SIDE)
    lines = len(numbers) // columns
    return squares.reshape(lines, columns, SIDE, SIDE, 4).swapaxes(1, 2).reshape(lines * SIDE, -1, 4)[:height, :width]
