"""All heads of a model on one wall: a thumbnail for each, one pixel for one number, and one of them large with its words."""

import numpy as np

from helpers.pictures.maps import add_numbers
from helpers.pictures.plane import Axes
from helpers.pictures.svg import Drawing, text_width

PITCH, LARGEST = 30, 28  # pixels from one thumbnail to the next, and of a thumbnail
MARGIN, TOP = 22, 20
CUT = 9  # letters of a word beside a map


class Wall:
    """Where the heads hang: layers across, in bands one below the other, and the heads of a layer down.

    Parameters
    ----------
    num_layers, num_heads : of the model
    across : how many thumbnails stand side by side
    """

    def __init__(self, num_layers, num_heads, across=15):
        self.num_layers, self.num_heads, self.across = num_layers, num_heads, min(across, num_layers)
        self.bands = -(-num_layers // self.across)
        self.rows = self.bands * num_heads
        width, height = MARGIN + PITCH * self.across, TOP + PITCH * self.rows + TOP
        self.axes = Axes(
            width, height, (-0.5, self.across - 0.5), (self.rows - 0.5, -0.5), margin=(MARGIN, TOP, 0, TOP)
        )

    def place(self, layer, head, order=None):
        """(column, row) of a head; `order` is a list of (layer, head), the first one top left, or None."""
        if order is None:
            return layer % self.across, layer // self.across * self.num_heads + head
        k = order.index((layer, head))
        return k % self.across, k // self.across

    def head(self, x, y, order=None):
        """The (layer, head) at a place, or None where none hangs."""
        column, row = round(x), round(y)
        if order is not None:
            k = row * self.across + column
            return order[k] if 0 <= k < len(order) else None
        layer, head = row // self.num_heads * self.across + column, row % self.num_heads
        return (layer, head) if 0 <= layer < self.num_layers and 0 <= row else None

    def draw(self, maps, text, *, chosen=None, off=(), order=None):
        """Draw the wall.

        Parameters
        ----------
        maps : (num_layers, num_heads, num_queries, num_keys), from 0 to 1
        text : what it shows, one sentence
        chosen : (layer, head) that is framed
        off : (layer, head) pairs that are crossed out
        order : list of all (layer, head), as they hang; None = by layer and head

        Returns
        -------
        Html
        """
        drawing = Drawing(*self.axes.size)
        small, cell = thumbnails(maps)
        pitch, side = PITCH // cell, small.shape[-1]
        start = (pitch - side) // 2
        wall = np.full((self.rows * pitch, self.across * pitch), np.nan)
        for layer, head in np.ndindex(*small.shape[:2]):
            column, row = self.place(layer, head, order)
            top, left = row * pitch + start, column * pitch + start
            wall[top : top + side, left : left + side] = small[layer, head]
        add_numbers(drawing, wall, (MARGIN, TOP), cell)
        if order is None:
            self._label(drawing)
        for pair in off:
            self._cross(drawing, *self.place(*pair, order))
        if chosen is not None:
            column, row = self.place(*chosen, order)
            drawing.add("rect", x=MARGIN + PITCH * column, y=TOP + PITCH * row, width=PITCH, height=PITCH,
                        fill="none", stroke="chosen", stroke_width=2.5)  # fmt: skip
        return drawing.html(text)

    def _label(self, drawing):
        for layer in range(self.num_layers):
            column, row = self.place(layer, 0)
            last = row // self.num_heads == self.bands - 1 and self.bands > 1
            y = TOP + PITCH * self.rows + 14 if last else TOP - 6 + PITCH * row * (row > 0)
            drawing.words(MARGIN + PITCH * (column + 0.5), y, str(layer), size=11, colour="muted")
        for row in range(self.rows):
            y = TOP + PITCH * (row + 0.5) + 4
            drawing.words(MARGIN - 8, y, str(row % self.num_heads), size=11, colour="muted")
        for band in range(1, self.bands):
            y = TOP + PITCH * band * self.num_heads
            drawing.line((0, y), (self.axes.size[0], y), "line", 1)

    def _cross(self, drawing, column, row):
        left, top = MARGIN + PITCH * column + 1, TOP + PITCH * row + 1
        size = PITCH - 2
        drawing.add("rect", x=left, y=top, width=size, height=size, fill="paper", fill_opacity=0.7)
        for ends in (((0, 0), (size, size)), ((size, 0), (0, size))):
            drawing.line(*[(left + x, top + y) for x, y in ends], "wrong", 2)


def thumbnails(maps):
    """Maps as small as a thumbnail, and the pixels for one number. Of a long text each pixel is the largest of a square of numbers.

    Parameters
    ----------
    maps : (..., num_queries, num_keys)
    """
    maps = np.asarray(maps)
    longest = max(maps.shape[-2:])
    pool = -(-longest // LARGEST)
    if pool > 1:
        rows, columns = (-(-size // pool) * pool for size in maps.shape[-2:])
        padded = np.zeros((*maps.shape[:-2], rows, columns), maps.dtype)
        padded[..., : maps.shape[-2], : maps.shape[-1]] = maps
        maps = padded.reshape(*maps.shape[:-2], rows // pool, pool, columns // pool, pool).max(axis=(-3, -1))
        longest = max(maps.shape[-2:])
    side = np.zeros((*maps.shape[:-2], longest, longest), maps.dtype)
    side[..., : maps.shape[-2], : maps.shape[-1]] = maps
    return side, next(cell for cell in (6, 5, 3, 2, 1) if cell * longest <= LARGEST)


def labelled_map(weights, words, text, *, size=240, title=""):
    """Show one map large, queries down and keys across, with its words where they fit.

    Parameters
    ----------
    weights : (num_tokens, num_tokens)
    words : list of str
    text : what it shows, one sentence
    size : pixels of the page for the map at most
    title : written above

    Returns
    -------
    Html
    """
    cell = max(1, size // len(words))
    side = cell * len(words)
    words = [word if len(word) <= CUT else word[: CUT - 1] + "…" for word in words] if cell >= 9 else []
    font = min(12, cell)
    margin = 6 + max((text_width(word, font) for word in words), default=0)
    top = 24 if title else 4
    drawing = Drawing(margin + side + 2, top + side + margin)
    if title:
        drawing.words(margin, 15, title, size=13, anchor="start", font_weight=600)
    add_numbers(drawing, weights, (margin, top), cell)
    drawing.add("rect", x=margin, y=top, width=side, height=side, fill="none", stroke="line", stroke_width=1)
    for k, word in enumerate(words):
        middle = cell * (k + 0.5)
        drawing.words(margin - 4, top + middle + font / 3, word, size=font, colour="muted", anchor="end")
        x, y = margin + middle + font / 3, top + side + 4
        drawing.words(x, y, word, size=font, colour="muted", anchor="end", transform=f"rotate(-90 {x:.1f} {y:.1f})")
    return drawing.html(text)
