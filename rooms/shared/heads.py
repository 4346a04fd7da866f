"""The maps of many heads: all of them as a wall of thumbnails, and one of them large, with its words.

Shades go by the root of a weight, so that small ones show, in a dark theme, too.
"""

import numpy as np

from workbench import Axes, Drawing, add_map, text_width
from workbench.pictures.maps import add_images, images

LEFT, TOP = 26, 30  # pixels for the numbers of layers and heads
WIDEST, BESIDE, LARGEST_CELL, SMALLEST_CELL = 780, 400, 84, 14
NAMED = 24  # pixels of a line of what heads are known for
FRAME = 0.18  # the share as whose shade a thumbnail's frame is drawn
LONGEST_WORD = 84  # pixels beside a map


class Wall:
    """All heads of a model as thumbnails, a whole number of pixels for each number, layers and heads counted from 0. It keeps
    its size, whatever the maps, so that a Plane can lie over it.

    Parameters
    ----------
    num_layers, num_heads : how many; the longer side runs across
    named : dict (layer, head) -> what this head is known for: ringed, and said below all of them

    Attributes
    ----------
    axes : Axes, for a Plane; `head_at` says which head is where
    cell : pixels from one thumbnail to the next
    """

    def __init__(self, num_layers, num_heads, named=()):
        self.named = dict(named)
        self.shape, self.across = (num_layers, num_heads), num_layers > num_heads
        self._rows, self._columns = (num_heads, num_layers) if self.across else (num_layers, num_heads)
        widest = BESIDE if self._columns <= 16 else WIDEST
        self.cell = int(np.clip(widest // self._columns, SMALLEST_CELL, LARGEST_CELL))
        self._painted = (None, None, None)
        width, height = LEFT + self._columns * self.cell, TOP + self._rows * self.cell
        below = NAMED * (1 + -(-len(self.named) // 2)) if self.named else 0
        across, down = (-0.5, self._columns - 0.5), (self._rows - 0.5, -0.5)
        self.axes = Axes(width, height + below, across, down, margin=(LEFT, TOP, 0, below))

    def head_at(self, x, y, order=None):
        """The (layer, head) at a place in the data of `axes`; `order` as in `draw`."""
        column, row = (int(np.clip(round(at), 0, most - 1)) for at, most in ((x, self._columns), (y, self._rows)))
        if order is not None:
            return order[row * self._columns + column]
        return (column, row) if self.across else (row, column)

    def place(self, head, order=None):
        """(column, row) of a head."""
        if order is not None:
            return divmod(order.index(tuple(head)), self._columns)[::-1]
        return tuple(head) if self.across else tuple(head)[::-1]

    def draw(self, maps, text, *, chosen, off=(), order=None, limit=None):
        """Show all maps.

        Parameters
        ----------
        maps : (num_layers, num_heads, num_queries, num_keys); of a long text each pixel is the largest of a square of numbers
        text : what is shown, one sentence
        chosen : (layer, head), framed; None in it = all of them
        off : pairs (layer, head) that are switched off: crossed out
        order : list of all (layer, head) as they are sorted, the first one top left; None = by layer and head
        limit : the weight that is shown full; None = the largest of each map
        """
        if np.shape(maps)[:2] != self.shape:
            raise ValueError(f"maps must be those of {self.shape} layers and heads, got shape {np.shape(maps)}.")
        drawing, (width, height) = Drawing(*self.axes.size), (self._columns * self.cell, self._rows * self.cell)
        if self._painted[0] is not maps or self._painted[1] != order:  # a click paints no thumbnail anew
            self._painted = maps, order, images(self._mosaic(maps, order, limit))
        add_images(drawing, self._painted[2], LEFT, TOP, width, height)
        for x in range(LEFT + self.cell, LEFT + width, self.cell):  # so that no diagonal runs from one into the next
            drawing.line((x, TOP), (x, TOP + height), "paper", 1)
        for y in range(TOP + self.cell, TOP + height, self.cell):
            drawing.line((LEFT, y), (LEFT + width, y), "paper", 1)
        self._number(drawing, order)
        for head in off:
            self._cross_out(drawing, *self._corner(head, order))
        self._name(drawing, order)
        self._frame(drawing, chosen, order)
        known = "; ".join(f"{layer}.{head} {words}" for (layer, head), words in self.named.items())
        return drawing.html(f"{text} Ringed: {known}." if known else text)

    def _mosaic(self, maps, order, limit):
        """All maps side by side, each in the middle of its cell."""
        shares = np.asarray(pooled(maps, self.cell), np.float32)
        full = limit or np.maximum(shares.max(axis=(-1, -2), keepdims=True), 1e-30)
        shares = np.sqrt(shares / full)  # small ones show
        times = self.cell // max(shares.shape[-2:])
        shares = shares.repeat(times, axis=-1).repeat(times, axis=-2)
        high, wide = shares.shape[-2:]
        top, left = (self.cell - high) // 2, (self.cell - wide) // 2
        wall = np.zeros((self._rows * self.cell, self._columns * self.cell), np.float32)
        for head in np.ndindex(self.shape):
            column, row = self.place(head, order)
            tile = wall[row * self.cell :, column * self.cell :][: self.cell, : self.cell]
            if min(top, left) > 0:
                tile[top - 1 : top + high + 1, left - 1 : left + wide + 1] = FRAME
            tile[top : top + high, left : left + wide] = shares[head]
        return wall

    def _number(self, drawing, order):
        if order is not None:
            return
        across, down = ("layer", "head") if self.across else ("head", "layer")
        size = 13 if self._columns <= 16 else 11  # fewer heads are a smaller wall, which a phone shows smaller still
        drawing.words(0, 11, f"{down} ↓, {across} →", size=size, colour="muted", anchor="start")
        for k in range(self._columns):
            drawing.words(LEFT + (k + 0.5) * self.cell, TOP - 5, str(k), size=size, colour="muted")
        for k in range(self._rows):
            drawing.words(LEFT - 6, TOP + (k + 0.5) * self.cell + 4, str(k), size=size, colour="muted", anchor="end")

    def _name(self, drawing, order):
        """A ring around each head that is known for something, and two of them in each line below."""
        for k, (head, known) in enumerate(self.named.items()):
            x, y = self._corner(head, order)
            drawing.box(x + 1, y + 1, self.cell - 2, self.cell - 2, rx=5, fill="none", stroke="ink", stroke_width=1.5)
            x = LEFT + 0.5 * (self.axes.size[0] - LEFT) * (k % 2)
            y = self.axes.bottom + NAMED * (1.25 + k // 2)
            number = ".".join(map(str, head))
            drawing.words(x, y, number, bold=True, anchor="start")
            drawing.words(x + 42, y, known, colour="muted", anchor="start")

    def _corner(self, head, order):
        column, row = self.place(head, order)
        return LEFT + column * self.cell, TOP + row * self.cell

    def _frame(self, drawing, chosen, order):
        first = [0 if k is None else k for k in chosen]
        last = [most - 1 if k is None else k for k, most in zip(chosen, self.shape)]
        (x, y), (right, low) = self._corner(first, order), self._corner(last, order)
        drawing.box(x, y, right - x + self.cell, low - y + self.cell, rx=2, fill="none", stroke="chosen", stroke_width=2.5)  # fmt: skip

    def _cross_out(self, drawing, x, y):
        low, high = 2, self.cell - 2
        drawing.box(x, y, self.cell, self.cell, fill="paper", fill_opacity=0.7)
        drawing.line((x + low, y + low), (x + high, y + high), "wrong", 2)
        drawing.line((x + low, y + high), (x + high, y + low), "wrong", 2)


def pooled(maps, most):
    """Maps of at most so many rows and columns: of larger ones each number is the largest of a square.

    Parameters
    ----------
    maps : (..., num_queries, num_keys)
    """
    maps = np.asarray(maps)
    side = -(-max(maps.shape[-2:]) // most)
    for axis in (-2, -1) if side > 1 else ():
        maps = np.maximum.reduceat(maps, np.arange(0, maps.shape[axis], side), axis=axis)
    return maps


def head_map(weights, words, name, *, chosen=None, keys=None, places=None, width=400, limit=None, text=None):
    """Show one map large, with its words where they are few, and the row of the word that asks outlined.

    Parameters
    ----------
    weights : (num_queries, num_keys)
    words : list of str, at the rows of at most 40
    name : what it is called
    chosen : index of the word that asks, or None
    keys : list of str, at the columns; None = the same words
    places : Places, names for the rows, one index each
    width : about how many pixels the numbers may take; each takes a whole number of them
    limit : the weight that is shown full; None = the largest
    text : what is shown, one sentence; None = the name, the size, and the word that asks
    """
    keys = words if keys is None else keys
    rows, columns = np.shape(weights)
    cell = max(1, min(18, width // max(rows, columns)))
    labelled, every = (
        max(rows, columns) <= 40 and cell >= 9,
        1 if cell >= 11 else 2,
    )  # letters of 11 pixels need as much
    beside, above = ([short(word) for word in each] if labelled else [] for each in (words, keys))
    left, top = (max((text_width(word, 11) for word in each), default=-4) + 8 for each in (beside, above))
    title, top = f"{name}: query ↓ key →", top + 18
    wide = text_width(title, 11) + 12  # arrows are wider than letters
    drawing = Drawing(max(left + columns * cell + 4, wide), top + rows * cell + 4)
    start = left if left + wide <= drawing.width else 0
    drawing.words(start, 12, title, size=11, colour="muted", anchor="start")
    for k, word in enumerate(beside):
        colour = "query" if k == chosen else "muted"
        if (len(beside) - 1 - k) % every == 0 or k == chosen:  # the last word asks, so it has its name
            drawing.words(left - 5, top + (k + 0.5) * cell + 4, word, size=11, colour=colour, anchor="end")
    for k, word in enumerate(above):
        turn = f"translate({left + (k + 0.5) * cell + 4:.1f} {top - 5:.1f}) rotate(-90)"
        if (len(above) - 1 - k) % every == 0:
            drawing.words(0, 0, word, size=11, colour="muted", anchor="start", transform=turn)
    add_map(drawing, np.sqrt(np.asarray(weights) / (limit or np.max(weights) or 1.0)), left, top, limit=1.0, cell=cell)
    frame = {"x": left, "width": columns * cell, "height": cell}
    drawing.box(left, top, columns * cell, rows * cell, fill="none", stroke="line")
    if chosen is not None:
        drawing.add("rect", y=top + chosen * cell, fill="none", stroke="query", stroke_width=1.5, **frame)
    for k in range(rows) if places else ():
        drawing.add("rect", y=top + k * cell, fill="transparent", place=(places, k), **frame)
    row = "" if chosen is None else f"; the row of {words[chosen]} is outlined"
    return drawing.html(text or f"{name}, {rows} tokens by {columns}, queries down and keys across{row}.")


def short(word):
    """A word cut to what fits beside a map."""
    while text_width(word, 11) > LONGEST_WORD:
        word = word[: -2 if word.endswith("…") else -1] + "…" if len(word) > 2 else word[:1]
    return word
