"""Many numbers as a map of one pixel for each, enlarged by the page: crisp, small, and never resampled."""

import base64
import io

import numpy as np

from workbench.pictures.colours import COLOURS
from workbench.pictures.svg import Drawing

SHADES = 60  # from none to full: more than an eye tells apart, and a third of the bytes


def numbers_map(values, text, *, kind="weights", limit=None, cell=6, ticks=None):
    """Show a matrix as a map, row 0 on top.

    Parameters
    ----------
    values : (num_rows, num_columns)
    text : what it shows, one sentence
    kind : "weights", ink by opacity from 0 to `limit`; or "scores", two hues around 0
    limit : the size at which the shade is full; None = the largest in this matrix
    cell : pixels of the page for one number, a whole number
    ticks : dict of what stands above a column and left of the row of the same index; None = nothing

    Returns
    -------
    Html
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 2 or kind not in ("weights", "scores"):
        raise ValueError(
            f'values must be a matrix and kind "weights" or "scores", got shape {values.shape} and {kind!r}.'
        )
    rows, columns = values.shape
    side = 24 if ticks else 0
    drawing = Drawing(columns * cell + 3 * side // 2, side + rows * cell)
    add_map(drawing, values, side, side, kind=kind, limit=limit, cell=cell)
    for k, words in (ticks or {}).items():
        middle = side + (k + 0.5) * cell
        drawing.words(middle, side - 6, words, size=12, colour="muted")
        drawing.words(side - 5, middle + 4, words, size=12, colour="muted", anchor="end")
    return drawing.html(text)


def add_map(drawing, values, x=0, y=0, *, kind="weights", limit=None, cell=6):
    """Put such a map into a drawing, its upper left corner at (x, y); `cell` may be a pair, width and height."""
    values = np.asarray(values, dtype=float)
    (rows, columns), (width, height) = values.shape, cell if isinstance(cell, tuple) else (cell, cell)
    shares = values / (limit or np.abs(values).max() or 1.0)
    add_images(drawing, images(shares, kind), x, y, columns * width, rows * height)


def images(shares, kind="weights"):
    """dict theme -> a picture of shares from -1 to 1, one pixel for each number, as an address."""
    return {theme: _source(shares, kind, theme) for theme in ("light", "dark")}


def add_images(drawing, sources, x, y, width, height):
    """Draw what `images` has made, in a size that is a whole multiple of its pixels."""
    for theme, source in sources.items():
        drawing.add("image", href=source, class_=f"only-{theme}", x=x, y=y, width=width, height=height,
                    preserveAspectRatio="none", style="image-rendering:pixelated;")  # fmt: skip


def shades(shares, kind, theme):
    """Colours (num_rows, num_columns, 3), as bytes, of shares from -1 to 1."""
    paper, ink, low, high = (_rgb(getattr(COLOURS[name], theme)) for name in ("paper", "ink", "low", "high"))
    full = np.where(shares[..., None] < 0, low, high) if kind == "scores" else ink
    part = np.clip(np.abs(shares), 0, 1)[..., None]
    return (paper + part * (full - paper)).round().astype(np.uint8)


def _rgb(colour):
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], dtype=float)


def _source(shares, kind, theme):
    from PIL import Image

    lowest = -SHADES if kind == "scores" else 0
    steps = np.arange(lowest, SHADES + 1)
    image = Image.fromarray((np.clip((shares * SHADES).round(), lowest, SHADES) - lowest).astype(np.uint8), "P")
    image.putpalette(shades(steps[None] / SHADES, kind, theme)[0].tobytes())
    return _written(image, "png", optimize=True)


def address(pixels, kind="png", **how):
    """The address of an image that carries pixels from 0 to 1, (height, width, 3 or 4), as a "png" or a "webp"."""
    from PIL import Image

    return _written(Image.fromarray((np.clip(pixels, 0, 1) * 255).round().astype(np.uint8)), kind, **how)


def _written(image, kind, **how):
    file = io.BytesIO()
    image.save(file, kind, **how)
    return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode('ascii')}"
