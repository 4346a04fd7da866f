"""Pictures of one pixel for each number: their shades once for all themes, as letters of a text.

A map that is sorted anew, square by square, is written as the places of its squares in the first map of its size; any other one
by what differs from there, where that is shorter.
"""

import base64
import io
import math
import re
import zlib

import numpy as np
from PIL import Image

from workbench.recording.columns import lettered, numbered

SMALLEST = 8  # numbers along a square
SAME = 90  # the shade of what is the same as in the first map of its size
SOURCE = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=]+)")
MARK = re.compile(r"map:(\d+):(\d+)")


class Maps:
    """Takes maps out of pictures: what stays is `map:number:colours`."""

    def __init__(self):
        self._shades, self._colours, self._known = {}, {}, {}

    def taken_out(self, markup):
        return SOURCE.sub(self._mark, markup)

    def _mark(self, found):
        if found[1] not in self._known:
            self._known[found[1]] = self._taken(found)
        return self._known[found[1]]

    def _taken(self, found):
        image = Image.open(io.BytesIO(base64.b64decode(found[1])))
        if image.mode != "P":
            return found[0]
        places = np.array(image)
        colours = bytes(image.getpalette()).hex()
        times = next(k for k in (4, 3, 2, 1) if _is_enlarged(places, k))
        small = places[::times, ::times]
        shades = small.shape[1], times, small.tobytes()
        number = self._shades.setdefault(shades, len(self._shades))
        return f"map:{number}:{self._colours.setdefault(colours, len(self._colours))}"

    def written(self):
        """[list of [num_columns, how many times enlarged, shades], list of colours in hexadecimal]. Behind the shades may stand the
        number of the first map of its size; and then the side of the squares, of which the shades are the places there."""
        first, found = {}, []
        for number, (columns, times, shades) in enumerate(self._shades):
            places = np.frombuffer(shades, np.uint8).reshape(-1, columns)
            base, before = first.setdefault(places.shape, (number, places))
            found.append([columns, times, *_against(before, base, places, base == number)])
        return [found, list(self._colours)]


def _is_enlarged(places, times):
    return np.array_equal(places[::times, ::times].repeat(times, 0).repeat(times, 1), places)


def _against(before, base, places, is_first):
    """[shades], [shades, number of the first map] or [places of the squares, number of the first map, their side]."""
    whole = lettered(places.ravel().tolist())
    if is_first:
        return [whole]
    for side in _sides(places.shape):
        known = {square.tobytes(): k for k, square in reversed([*enumerate(_squares(before, side))])}
        at = [known.get(square.tobytes()) for square in _squares(places, side)]
        if None not in at:
            return [at, base, side]
    if places.max() >= SAME:
        return [whole]
    differs = lettered(np.where(places == before, SAME, places).ravel().tolist())
    return min([whole], [differs, base], key=lambda each: len(zlib.compress(each[0].encode())))


def _sides(shape):
    """Sides of the squares, several of them, into which a map can be cut, the largest first."""
    both = math.gcd(*shape)
    return [side for side in range(both, SMALLEST - 1, -1) if both % side == 0 and shape != (side, side)]


def _squares(places, side):
    lines, columns = (length // side for length in places.shape)
    return places.reshape(lines, side, columns, side).swapaxes(1, 2).reshape(-1, side, side)


def shades(written, number):
    """The shades of a map, (num_rows, num_columns), from what `Maps.written` returned."""
    columns, _, own, *others = written[0][number]
    if len(others) < 2:
        found = np.array(numbered(own), np.uint8).reshape(-1, columns)
        return np.where(found == SAME, shades(written, others[0]), found) if others else found
    base, side = others
    squares = _squares(shades(written, base), side)[own]
    return squares.reshape(-1, columns // side, side, side).swapaxes(1, 2).reshape(-1, columns)


def put_back(markup, written):
    """The picture as it was, from what `Maps.written` returned."""
    return MARK.sub(lambda found: _source(written, int(found[1]), written[1][int(found[2])]), markup)


def _source(written, number, colours):
    times = written[0][number][1]
    places = shades(written, number).repeat(times, 0).repeat(times, 1)
    image = Image.fromarray(places, "P")
    image.putpalette(bytes.fromhex(colours))
    file = io.BytesIO()
    image.save(file, "png", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"
