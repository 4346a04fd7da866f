"""Who hears whom, as a map: along the top the word that is replaced, and a filled cell is an output that moves."""

import numpy as np

from rooms.stack_a_transformer.translator import ASK, HEARD, LOOK_BACK, READ


def add_hearing(drawing, moves, words, n, to, off, places):
    """Draw moves (n + m, n + m) where `to` says: title, map and cell; of the words, the first n are the encoder's."""
    (left, top), cell, m = to.map, to.cell, len(words) - n
    size = cell * len(words)
    x, y = to.title
    drawing.words(x, y, "who hears whom", size=13, colour="ink", anchor="start")
    drawing.words(x, y + 16, "top: the word that is replaced", size=11, colour="muted", anchor="start")
    for k, word in enumerate(words):
        colour, x = "key" if k < n else "ink", left + cell * (k + 0.5) + 4
        turned = f"rotate(-60 {x:.1f} {top - 6})"
        drawing.words(x, top - 6, word, size=11, anchor="start", colour=colour, transform=turned)
        drawing.words(left - 5, top + cell * (k + 1) - 2, word, size=11, anchor="end", colour=colour)
    edge = left + n * cell
    drawing.line((edge, top), (edge, top + size), "line", 1)
    drawing.line((left, top + n * cell), (left + size, top + n * cell), "line", 1)
    add_cells(drawing, moves, left, top, cell, later(n, m), places)
    emptied = {  # corners of the block that goes empty, in cells
        READ: [(0, 0), (n, 0), (n, n), (0, n)],
        ASK: [(0, n), (n, n), (n, n + m), (0, n + m)],
        LOOK_BACK: [(n, n + 1), *((n + k, n + k + step) for k in range(1, m) for step in (0, 1)), (n, n + m)],
    }
    if off in emptied:
        outline = "M " + " L ".join(f"{left + cell * x} {top + cell * y}" for x, y in emptied[off])
        drawing.add("path", d=f"{outline} Z", fill="none", stroke="wrong", stroke_width=2, stroke_dasharray="4 3")


def later(n, m):
    """Which cells belong to French words that come later than the one that hears them."""
    rows, columns = np.indices((n + m, n + m))
    return (rows >= n) & (columns > rows)


def add_cells(drawing, moves, left, top, cell, wrong, places):
    """Filled where an output moves, the farther the darker, and red where it must not; a dot where it doesn't."""
    for (i, j), move in np.ndenumerate(moves):
        x, y = left + cell * j, top + cell * i
        if move > HEARD:
            look = {"fill": "wrong" if wrong[i, j] else "ink", "fill_opacity": 0.18 + 0.8 * min(1, move)}
            drawing.box(x + 0.5, y + 0.5, cell - 1, cell - 1, rx=1.5, **look)
        else:
            drawing.add("circle", cx=x + cell / 2, cy=y + cell / 2, r=1, fill="muted")
        drawing.box(x, y, cell, cell, fill="transparent", place=(places, i, j))
