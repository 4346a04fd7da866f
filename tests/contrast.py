"""How light a colour is, and how much two differ, as the guidelines for readable pages (WCAG 2) count it."""

import numpy as np


def luminance(colour):
    """Of #rgb, of #rrggbb, or of three numbers from 0 to 1."""
    if isinstance(colour, str):
        digits = colour.removeprefix("#")
        digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
        colour = np.array([int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)])
    return float(
        np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
    )


def contrast(one, other):
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)
