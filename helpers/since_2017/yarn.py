"""Positions beyond those of training: fast pairs keep their speed, slow ones are squeezed (YaRN). Plain NumPy."""

import math

import numpy as np

from helpers.support import inputs


def turns_in_training(width, num_positions, base=10_000.0):
    r"""How often each pair of `positions.rotate` has gone round over the positions of training.

    .. math:: r_i = L / (2 \pi \, b^{2i / d})

    Parameters
    ----------
    width : d, even
    num_positions : L
    base : b, greater than 1

    Returns
    -------
    turns : (width / 2,)

    Examples
    --------
    >>> turns_in_training(4, 4096).round(2)
    array([651.9 ,   6.52])
    """
    width = inputs.whole_number("width", width, minimum=2)
    if width % 2:
        raise ValueError(f"width must be even, got {width}. Dimensions turn in pairs.")
    num_positions = inputs.whole_number("num_positions", num_positions, minimum=1)
    if inputs.finite_number("base", base) <= 1:
        raise ValueError(f"base must be greater than 1, got {base:g}.")
    return num_positions / (2 * np.pi * base ** (np.arange(0, width, 2) / width))


def yarn_speeds(width, *, factor, num_positions, base=10_000.0, slow=1.0, fast=32.0):
    r"""The angle that each pair turns by at one step, for texts `factor` times as long as those of training.

    .. math:: \theta'_i = (1 - g) \, \theta_i / s + g \, \theta_i, \qquad g = \frac{r_i - \alpha}{\beta - \alpha} \in [0, 1]

    A pair that went round `fast` times in training keeps its speed, for it tells neighbours apart. One that has not gone round
    `slow` times is squeezed, so that it meets no new angle. Those between are squeezed in part.

    Parameters
    ----------
    width : d, even
    factor : s, at least 1
    num_positions : of training
    base : b, greater than 1
    slow, fast : alpha and beta, in turns

    Returns
    -------
    speeds : (width / 2,), in radians; `positions.turn(x, places[:, None] * speeds)` uses them

    References
    ----------
    Peng et al., "YaRN: Efficient Context Window Extension of Large Language Models" (2023), section 3.2. Published code lets g
    run along i instead of r.

    Examples
    --------
    >>> yarn_speeds(4, factor=2, num_positions=4, base=100, slow=0.1, fast=0.5)
    array([1.  , 0.05])
    """
    turns = turns_in_training(width, num_positions, base)
    factor = inputs.number_from("factor", factor, 1.0)
    slow, fast = inputs.number_from("slow", slow, 0.0), inputs.number_from("fast", fast, 0.0)
    if fast <= slow:
        raise ValueError(f"fast must be above slow = {slow:g}, got {fast:g}.")
    kept = np.clip((turns - slow) / (fast - slow), 0, 1)
    return (kept + (1 - kept) / factor) * base ** (-np.arange(0, width, 2) / width)


def yarn_sharpness(factor):
    r"""What YaRN multiplies queries and keys by, so that weights over a longer text stay as sharp.

    .. math:: 0.1 \ln s + 1

    Parameters
    ----------
    factor : s, at least 1

    Returns
    -------
    sharpness : float, for queries and for keys alike

    Examples
    --------
    >>> yarn_sharpness(1), round(yarn_sharpness(32), 3)
    (1.0, 1.347)
    """
    return 0.1 * math.log(inputs.number_from("factor", factor, 1.0)) + 1
