"""All heads of a model on one wall: a thumbnail for each, one pixel for one number, and one of them large with its words."""

import numpy as np

from helpers.pictures.maps import add_map
from helpers.pictures.plane import Axes
from helpers.pictures.svg import Drawing, text_width

PITCH, LARGEST = 26, 26  # pixels from one thumbnail to the next, and of a thumbnail
MARGIN, TOP = 22, 18
CUT = 9  # letters of a word beside a map


class Wall:
    """Where the heads are: layers across, and the heads of a layer down.

    Parameters
    ----------
    num_layers, num_heads : of the model
    """

    def __init__(self, num_layers, num_heads):
        self.num_layers, self.num_heads = num_layers, num_heads
        width, height = MARGIN + PITCH * num_layers, TOP + PITCH * num_heads + 2
        self.axes = Axes(width, height, (-0.5, num_layers - 0.5), (num_heads - 0.5, -0.5), margin=(MARGIN, TOP, 0, 2))

    def place(self, layer, head, order=None):
        """(column, row) of a head; `order` is a list of (layer, head), the first one top left, or None."""
        if order is None:
            return layer, head
        row, column = divmod(order.index((layer, head)), self.num_layers)
        return column, row

    def head(self, x, y, order=None):
        """The (layer, head) at a place, or None where there is none."""
        column, row = round(x), round(y)
        if not (0 <= column < self.num_layers and 0 <= row < self.num_heads):
            return None
        return (column, row) if order is None else order[row * self.num_layers + column]

    def draw(self, maps, text, *, chosen=None, off=(), order=None):
        """Draw the wall.

        Parameters
        ----------
        maps : (num_layers, num_heads, num_queries, num_keys), from 0 to 1
        text : what it shows, one sentence
        chosen : (layer, head) that is framed
        off : (layer, head) pairs that are crossed out
        order : list of all (layer, head), as they are sorted; None = by layer and head

        Returns
        -------
        Html
        """
        drawing = Drawing(*self.axes.size)
        small, cell = thumbnails(maps)
        small = small.repeat(cell, axis=-2).repeat(cell, axis=-1)
        side = small.shape[-1]
        wall = np.zeros((PITCH * self.num_heads, PITCH * self.num_layers))
        for pair in np.ndindex(*small.shape[:2]):
            left, top = (PITCH * place + (PITCH - side) // 2 for place in self.place(*pair, order))
            wall[top : top + side, left : left + side] = small[pair]
        add_map(drawing, wall, MARGIN, TOP, limit=1.0, cell=1)
        self._part(drawing)
        if order is None:
            for layer in range(self.num_layers):
                drawing.words(MARGIN + PITCH * (layer + 0.5), TOP - 6, str(layer), size=11, colour="muted")
            for head in range(self.num_heads):
                drawing.words(MARGIN - 8, TOP + PITCH * (head + 0.5) + 4, str(head), size=11, colour="muted")
        for pair in off:
            self._cross(drawing, *self.place(*pair, order))
        if chosen is not None:
            column, row = self.place(*chosen, order)
            drawing.box(MARGIN + PITCH * column, TOP + PITCH * row, PITCH, PITCH, fill="none", stroke="chosen", stroke_width=2.5)  # fmt: skip
        return drawing.html(text)

    def _part(self, drawing):
        """A pixel of paper between thumbnails, so that no diagonal runs from one into the next."""
        right, bottom = MARGIN + PITCH * self.num_layers, TOP + PITCH * self.num_heads
        for layer in range(1, self.num_layers):
            drawing.line((MARGIN + PITCH * layer, TOP), (MARGIN + PITCH * layer, bottom), "paper", 1)
        for head in range(1, self.num_heads):
            drawing.line((MARGIN, TOP + PITCH * head), (right, TOP + PITCH * head), "paper", 1)

    def _cross(self, drawing, column, row):
        left, top = MARGIN + PITCH * column + 1, TOP + PITCH * row + 1
        size = PITCH - 2
        drawing.box(left, top, size, size, fill="paper", fill_opacity=0.7)
        for ends in (((0, 0), (size, size)), ((size, 0), (0, size))):
            drawing.line(*[(left + x, top + y) for x, y in ends], "wrong", 2)


def thumbnails(maps):
    """Maps as small as a thumbnail, and the pixels for one number. Of a long text each pixel is the largest of a square of numbers.
    The first token's row is left out, where there is no choice, and so is the last token's column, which it alone sees.

    Parameters
    ----------
    maps : (..., num_queries, num_keys)
    """
    maps = np.asarray(maps)[..., 1:, :-1]
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
    add_map(drawing, weights, margin, top, limit=1.0, cell=cell)
    drawing.box(margin, top, side, side, fill="none", stroke="line", stroke_width=1)
    for k, word in enumerate(words):
        middle = cell * (k + 0.5)
        drawing.words(margin - 4, top + middle + font / 3, word, size=font, colour="muted", anchor="end")
        x, y = margin + middle + font / 3, top + side + 4
        drawing.words(x, y, word, size=font, colour="muted", anchor="end", transform=f"rotate(-90 {x:.1f} {y:.1f})")
    return drawing.html(text)
