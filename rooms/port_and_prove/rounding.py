"""Numbers with fewer bits, and what that costs a language model, place by place: data/roundings.npz."""

from typing import NamedTuple

import numpy as np

from helpers.support import data_files
from workbench import Drawing, in_two_widths

PATH = data_files.path("roundings.npz")
FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])  # what 4 bits can say, beside the sign
COLOURS = {16: "first", 8: "high", 4: "wrong"}  # bits


class Rounded(NamedTuple):
    """where : what is rounded; bits : to how many; kl : the mean KL divergence from the same weights in 32 bits, in nats; changed : the
    share of tokens at which another logit is the largest"""

    where: str
    bits: int
    kl: float
    changed: float


def bfloat16(x):
    """Keep 8 binary digits of each number, as bfloat16 does.

    Examples
    --------
    >>> bfloat16(np.array([1.0, 3.14159, 50.596]))
    array([ 1.      ,  3.140625, 50.5     ], dtype=float32)
    """
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def float8(x):
    """Keep 4 binary digits of each number, up to 448, as fp8 (e4m3) does.

    Examples
    --------
    >>> float8(np.array([0.3, 17.0, 1000.0])).tolist()
    [0.3125, 16.0, 448.0]
    """
    size = np.abs(x)
    step = 2.0 ** np.maximum(np.floor(np.log2(np.maximum(size, 1e-30))) - 3, -9)
    return (np.sign(x) * np.minimum(np.round(size / step) * step, 448)).astype(np.float32)


def float4(x):
    """Take the nearest of 0, ½, 1, 1½, 2, 3, 4 and 6, with its sign.

    Examples
    --------
    >>> float4(np.array([0.2, -2.6, 7.0])).tolist()
    [0.0, -3.0, 6.0]
    """
    return np.sign(x) * FP4[np.searchsorted((FP4[1:] + FP4[:-1]) / 2, np.abs(x))]


def in_blocks(W, size, rounded, most, power=True):
    """Round each `size` numbers of a row with one scale, a power of two as in MX formats, or else the largest itself.

    Examples
    --------
    >>> in_blocks(np.array([[0.431, 0.1]]), 2, float4, 6).tolist()
    [[0.375, 0.09375]]
    """
    blocks = W.reshape(-1, size)
    top = np.maximum(np.abs(blocks).max(axis=1, keepdims=True), 1e-30)
    scale = 2.0 ** (np.floor(np.log2(top)) - np.floor(np.log2(most))) if power else top / most
    return (rounded(np.clip(blocks / scale, -most, most)) * scale).reshape(W.shape).astype(np.float32)


def load():
    """All that was measured: list of Rounded.

    Examples
    --------
    >>> load()[0].where
    'softmax weights'
    """
    arrays = data_files.arrays(PATH)
    columns = (arrays[name].tolist() for name in Rounded._fields)
    return [Rounded(*row) for row in zip(*columns)]


def picture(rows=None):
    """A bar for each place, on a scale of factors of ten, and the largest logits that change beside it."""
    return _bars(load() if rows is None else rows)


@in_two_widths((736, 260, 30), (340, 16, 46))
def _bars(rows, width, left, row):
    above, low, top = 16 if left < 100 else 0, -6, 20
    unit, end = (width - left - 70) / (0.5 - low), top + row * len(rows)
    picture = Drawing(width, end + 64)
    picture.words(width, 14, "largest logits that change", size=12, colour="muted", anchor="end")
    picture.words(left + 3 * unit, end + 40, "KL divergence", size=12, colour="muted")
    for power in range(low, 1, 2):
        x = left + (power - low) * unit
        picture.line((x, top + 6), (x, end + 8), "line", 1)
        words = "1" if power == 0 else "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        picture.words(x, end + 24, words, size=12, colour="muted")
    for k, each in enumerate(rows):
        y = top + 8 + row * k + above
        place = (left, y - 3) if above else (left - 10, y + 14)
        picture.words(*place, each.where, size=13, anchor="start" if above else "end", halo=True)
        length = max(2, (np.log10(each.kl) - low) * unit)
        picture.box(left, y, length, 18 if not above else 16, fill=COLOURS[each.bits])
        picture.words(left + length + 6, y + 14, f"{each.changed:.1%}", size=13, anchor="start", halo=True)
    for k, (bits, colour) in enumerate(COLOURS.items()):
        x = left + k * (104 if width > 400 else 100)
        picture.box(x, end + 50, 12, 12, fill=colour)
        picture.words(x + 18, end + 61, f"{bits} bits", size=12, colour="muted", anchor="start")
    told = "; ".join(f"{each.where} in {each.bits} bits, KL {each.kl:.1e}, {each.changed:.1%}" for each in rows)
    return picture.html(f"What rounding costs, as KL divergence and as largest logits that change. {told}.")
