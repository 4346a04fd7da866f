"""Photographs in the page."""

import base64
import html
import io

import numpy as np

from helpers.support import data_files
from workbench.pictures.html import Html
from workbench.pictures.shades import MUTED

HEAD = 22  # pixels of the line above


def photograph():
    """Read the photograph of the course, cut to a square and halved by averaging 2 × 2 pixels.

    Returns
    -------
    image : (224, 224, 3), red, green and blue between 0 and 1
    """
    from PIL import Image

    with Image.open(io.BytesIO(data_files.content_of(data_files.path("photograph.jpg")))) as file:
        pixels = np.asarray(file)[10:458, 24:472] / 255
    return pixels.reshape(224, 2, 224, 2, 3).mean(axis=(1, 3))


def photo(image, title, text):
    """Show an image under its title.

    Parameters
    ----------
    image : (height, width, 3), cut to what lies between 0 and 1
    title : a few words
    text : what it shows, one sentence

    Returns
    -------
    Html
    """
    pixels = (np.clip(image, 0, 1) * 255).round().astype(np.uint8)
    pixels = np.dstack([pixels, np.full(pixels.shape[:2], 255, np.uint8)])
    height, width = pixels.shape[:2]
    head = f'<div style="height:{HEAD}px;font-size:13px;{MUTED}"><b>{html.escape(title)}</b></div>'
    return Html(
        f'{head}<img class="photo" alt="{html.escape(text, quote=True)}" width="{width}" height="{height}" decoding="sync" '
        f'style="max-width:100%;height:auto;" src="{source(pixels)}">',
        text,
    )


def source(pixels):
    """The address of an image that carries the pixels, (height, width, 4)."""
    from PIL import Image, WebPImagePlugin  # noqa: F401  (else PIL reads in all of its forty kinds of files)

    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "webp", quality=80, method=0)
    return f"data:image/webp;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"
