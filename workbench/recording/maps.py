"""Pictures of one pixel for each number: their shades once for all themes, as letters of a text."""

import base64
import io
import re

import numpy as np
from PIL import Image

from workbench.recording.columns import lettered, numbered

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
        shades = small.shape[1], times, lettered(small.ravel().tolist())
        number = self._shades.setdefault(shades, len(self._shades))
        return f"map:{number}:{self._colours.setdefault(colours, len(self._colours))}"

    def written(self):
        """[list of [num_columns, how many times enlarged, shades], list of colours in hexadecimal]."""
        return [[list(each) for each in self._shades], list(self._colours)]


def _is_enlarged(places, times):
    return np.array_equal(places[::times, ::times].repeat(times, 0).repeat(times, 1), places)


def put_back(markup, written):
    """The picture as it was, from what `Maps.written` returned."""
    return MARK.sub(lambda found: _source(*written[0][int(found[1])], written[1][int(found[2])]), markup)


def _source(columns, times, shades, colours):
    places = np.array(numbered(shades), np.uint8).reshape(-1, columns).repeat(times, 0).repeat(times, 1)
    image = Image.fromarray(places, "P")
    image.putpalette(bytes.fromhex(colours))
    file = io.BytesIO()
    image.save(file, "png", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"
