"""Photographs in the page."""

import base64
import html
import io

import numpy as np

from workbench.pictures.html import Html
from workbench.pictures.shades import MUTED

HEAD = 22  # pixels of the line above


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
        f'style="max-width:100%;height:auto;outline:1px solid var(--line,#ccc);" src="{source(pixels)}">',
        text,
    )


def source(pixels):
    """The address of an image that carries the pixels, (height, width, 4)."""
    from PIL import Image, WebPImagePlugin  # noqa: F401  (else PIL reads in all of its forty kinds of files)

    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "webp", quality=80, method=0)
    return f"data:image/webp;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"
