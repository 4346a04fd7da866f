"""Temperatures from 0 to infinity, both limits included: the stops of a slider, and the weights at each of them."""

import math

import numpy as np

from helpers.explorers.controls import stops

HEAT = np.arange(41) / 40  # temperature / (1 + temperature): 0 is the one limit, 1 the other, 0.5 is temperature 1


def temperature_stops():
    """A slider over temperatures from 0 to infinity; its value is temperature / (1 + temperature)."""
    return stops("temperature", [(named(heat), float(heat)) for heat in HEAT], 0.5)


def named(heat):
    """The temperature in words."""
    if heat in (0, 1):
        return "0, the limit" if heat == 0 else "∞, the limit"
    return f"{heat / (1 - heat):.2f}"


def nearest(heat):
    """The stop that is nearest to a value."""
    return float(HEAT[np.abs(HEAT - heat).argmin()])


def parts_at(scores, heat, base=math.e):
    """The powers base^(score / temperature), as parts of the best one's.

    A point of score less than the best leaves r = base^(-1 / temperature) of its part: r is 0 in the one limit, where only
    the best stay (0 to the power 0 is 1), and 1 in the other, where all count the same.
    """
    r = base ** (-(1 - heat) / heat) if heat else 0.0
    return r ** np.round(scores.max() - scores, 9)  # rounded: equal scores must not differ by a last digit


def weights_at(scores, heat, base=math.e):
    """Softmax at a temperature, limits included."""
    parts = parts_at(scores, heat, base)
    return parts / parts.sum()
