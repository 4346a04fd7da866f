"""The maps of many heads: all of them as a wall of thumbnails, and one of them large, with its words."""

import numpy as np

from helpers.pictures.maps import add_images, add_map, images
from helpers.pictures.plane import Axes
from helpers.pictures.svg import Drawing, text_width

LEFT, TOP = 34, 30  # pixels for the numbers of layers and heads
GAP = 2
WIDEST, BESIDE, LARGEST_CELL, SMALLEST_CELL = 640, 400, 84, 14
LONGEST_WORD = 84  # pixels beside a map


class Wall:
    """All heads of a model as thumbnails, each number one pixel, or a whole number of pixels. It keeps its size, whatever the
    maps, so that a Plane can lie over it.

    Parameters
    ----------
    num_layers, num_heads : how many; the longer side runs across
    counted_from : the number of the first layer and head

    Attributes
    ----------
    axes : Axes, for a Plane; `head_at` says which head is where
    room : how many tokens a thumbnail shows
    """

    def __init__(self, num_layers, num_heads, counted_from=1):
        self.shape, self.first, self.across = (num_layers, num_heads), counted_from, num_layers > num_heads
        self._rows, self._columns = (num_heads, num_layers) if self.across else (num_layers, num_heads)
        self.cell = int(
            np.clip((BESIDE if self._columns <= 16 else WIDEST) // self._columns, SMALLEST_CELL, LARGEST_CELL)
        )
        self.room, self._painted = self.cell - 2 * GAP, (None, None, None)
        width, height = LEFT + self._columns * self.cell, TOP + self._rows * self.cell
        self.axes = Axes(width, height, (-0.5, self._columns - 0.5), (self._rows - 0.5, -0.5), margin=(LEFT, TOP, 0, 0))

    def head_at(self, x, y):
        """The (layer, head) at a place in the data of `axes`, counted from 0."""
        column, row = (int(np.clip(round(at), 0, most - 1)) for at, most in ((x, self._columns), (y, self._rows)))
        return (column, row) if self.across else (row, column)

    def draw(self, maps, chosen, *, off=(), start=0):
        """Show all maps, each as dark as its largest number allows.

        Parameters
        ----------
        maps : (num_layers, num_heads, num_queries, num_keys)
        chosen : (layer, head), counted from 0, framed; None in it = all of them
        off : pairs (layer, head) that are switched off: crossed out
        start : the first token that is shown where there is no room for all

        Returns
        -------
        Html
        """
        if np.shape(maps)[:2] != self.shape:
            raise ValueError(f"maps must be those of {self.shape} layers and heads, got shape {np.shape(maps)}.")
        drawing = Drawing(*self.axes.size)
        add_images(drawing, self._images(maps, start), LEFT, TOP, self._columns * self.cell, self._rows * self.cell)
        self._number(drawing)
        for head in off:
            self._cross_out(drawing, *self._corner(head))
        self._frame(drawing, chosen)
        heads = self.shape[0] * self.shape[1]
        told = f"The maps of {heads} heads, {self._of('layer')} and {self._of('head')}; framed: {self.name(chosen)}."
        crossed = f" Switched off: {', '.join(map(self.name, off))}." if len(off) else ""
        return drawing.html(told + crossed)

    def name(self, head):
        """A head as it is called, or all heads of a layer, or all."""
        layer = "all layers" if head[0] is None else f"layer {head[0] + self.first}"
        return f"{layer}, {'all heads' if head[1] is None else f'head {head[1] + self.first}'}"

    def _of(self, what):
        return f"{what}s {'across' if (what == 'layer') == self.across else 'down'}"

    def _images(self, maps, start):
        if self._painted[0] is not maps or self._painted[1] != start:  # a click paints no thumbnail anew
            window = np.asarray(maps[..., start : start + self.room, start : start + self.room], np.float32)
            self._painted = maps, start, images(self._mosaic(window))
        return self._painted[2]

    def _mosaic(self, maps):
        """All maps side by side, each in the middle of its cell, as shares of its own largest number."""
        times = max(1, self.room // max(maps.shape[-2:]))
        shares = maps / np.maximum(maps.max(axis=(-1, -2), keepdims=True), 1e-30)
        shares = shares.repeat(times, axis=-1).repeat(times, axis=-2)
        (top, low), (left, right) = (
            (before, before + side) for side in shares.shape[-2:] for before in [(self.cell - side) // 2]
        )
        tiles = np.pad(shares, [(0, 0), (0, 0), (top, self.cell - low), (left, self.cell - right)])
        tiles[..., top - 1 : low + 1, [left - 1, right]], tiles[..., [top - 1, low], left - 1 : right + 1] = (
            FRAME,
            FRAME,
        )
        if self.across:
            tiles = tiles.swapaxes(0, 1)
        return tiles.swapaxes(1, 2).reshape(self._rows * self.cell, self._columns * self.cell)

    def _number(self, drawing):
        across, down = ("layer", "head") if self.across else ("head", "layer")
        drawing.words(0, 10, f"{down} ↓, {across} →", size=11, colour="muted", anchor="start")
        for k in range(self._columns):
            drawing.words(LEFT + (k + 0.5) * self.cell, TOP - 5, str(k + self.first), size=10, colour="muted")
        for k in range(self._rows):
            y = TOP + (k + 0.5) * self.cell + 4
            drawing.words(LEFT - 6, y, str(k + self.first), size=10, colour="muted", anchor="end")

    def _corner(self, head):
        column, row = head if self.across else head[::-1]
        return LEFT + column * self.cell, TOP + row * self.cell

    def _frame(self, drawing, chosen):
        first = [0 if k is None else k for k in chosen]
        last = [most - 1 if k is None else k for k, most in zip(chosen, self.shape)]
        (x, y), (right, low) = self._corner(first), self._corner(last)
        drawing.box(x, y, right - x + self.cell, low - y + self.cell, rx=2, fill="none", stroke="chosen", stroke_width=2.5)  # fmt: skip

    def _cross_out(self, drawing, x, y):
        ends = [(x + GAP, y + GAP), (x + self.cell - GAP, y + self.cell - GAP)]
        drawing.box(x, y, self.cell, self.cell, fill="paper", fill_opacity=0.7)
        drawing.line(*ends, "wrong", 2)
        drawing.line((ends[0][0], ends[1][1]), (ends[1][0], ends[0][1]), "wrong", 2)


FRAME = 0.18  # the share as whose shade a thumbnail's frame is drawn


def head_map(weights, words, chosen, name, *, keys=None, places=None, width=400):
    """Show one map large, with its words where they are few, and the row of the word that asks outlined.

    Parameters
    ----------
    weights : (num_queries, num_keys)
    words : list of str, at the rows of at most 40
    chosen : index of the word that asks
    name : what it is called
    keys : list of str, at the columns; None = the same words
    places : Places, names for the rows, one index each
    width : about how many pixels the numbers may take; each takes a whole number of them

    Returns
    -------
    Html
    """
    keys = words if keys is None else keys
    rows, columns = np.shape(weights)
    cell = max(1, min(18, width // max(rows, columns)))
    labelled = max(rows, columns) <= 40 and cell >= 9
    beside, above = ([short(word) for word in each] if labelled else [] for each in (words, keys))
    left, top = (max((text_width(word, 11) for word in each), default=-4) + 8 for each in (beside, above))
    title, top = f"{name}: query ↓ key →", top + 18
    drawing = Drawing(max(left + columns * cell + 4, text_width(title, 11)), top + rows * cell + 4)
    drawing.words(left if columns >= 12 else 0, 12, title, size=11, colour="muted", anchor="start")
    for k, word in enumerate(beside):
        colour = "query" if k == chosen else "muted"
        drawing.words(left - 5, top + (k + 0.5) * cell + 4, word, size=min(11, cell), colour=colour, anchor="end")
    for k, word in enumerate(above):
        turn = f"translate({left + (k + 0.5) * cell + 4:.1f} {top - 5:.1f}) rotate(-90)"
        drawing.words(0, 0, word, size=min(11, cell), colour="muted", anchor="start", transform=turn)
    add_map(drawing, weights, left, top, cell=cell)
    frame = {"x": left, "width": columns * cell, "height": cell}
    drawing.box(left, top, columns * cell, rows * cell, fill="none", stroke="line")
    drawing.add("rect", y=top + chosen * cell, fill="none", stroke="query", stroke_width=1.5, **frame)
    for k in range(rows) if places else ():
        drawing.add("rect", y=top + k * cell, fill="transparent", place=(places, k), **frame)
    return drawing.html(
        f"{name}, {rows} tokens by {columns}, queries down and keys across; the row of {words[chosen]} is outlined."
    )


def short(word):
    """A word cut to what fits beside a map."""
    while text_width(word, 11) > LONGEST_WORD:
        word = word[: -2 if word.endswith("…") else -1] + "…" if len(word) > 2 else word[:1]
    return word
