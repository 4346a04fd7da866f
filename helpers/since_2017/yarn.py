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


def yarn_speeds(width, *, factor, num_positions, base=10_000.0, slow=1.0, fast=32.0, whole=True):
    r"""The angle that each pair turns by at one step, for texts `factor` times as long as those of training.

    .. math:: \theta'_i = g_i \, \theta_i + (1 - g_i) \, \theta_i / s, \qquad g_i = 1 - \frac{i - i_\beta}{i_\alpha - i_\beta} \in [0, 1],
              \qquad i_r = \frac{d}{2} \, \frac{\ln (L / 2 \pi r)}{\ln b}

    A pair that went round `fast` times in training keeps its speed, for it tells neighbours apart. One that has not gone round
    `slow` times is squeezed, so that it meets no new angle. Those between are squeezed in part, evenly by their number.

    Parameters
    ----------
    width : d, even
    factor : s, at least 1
    num_positions : L, of training
    base : b, greater than 1
    slow, fast : alpha and beta, in turns
    whole : round the two bounds to whole pairs, outwards; in a config.json this is `truncate`

    Returns
    -------
    speeds : (width / 2,), in radians; `positions.turn(x, places[:, None] * speeds)` uses them

    References
    ----------
    Peng et al., "YaRN: Efficient Context Window Extension of Large Language Models" (2023), as its published code and the library
    transformers have it. Section 3.2 lets g run along the turns instead, as `llama3_speeds` does.

    Examples
    --------
    >>> yarn_speeds(8, factor=4, num_positions=4096) * 10_000 ** (np.arange(4) / 4)
    array([1.   , 1.   , 0.625, 0.25 ])
    """
    turns_in_training(width, num_positions, base)  # looks at the arguments
    factor, slow, fast = _bounds(factor, slow, fast)
    if slow == 0:
        raise ValueError("slow must be greater than 0, got 0. No pair turns so slowly that it never moves.")
    first, last = (
        width / 2 * math.log(num_positions / (2 * math.pi * turns)) / math.log(base) for turns in (fast, slow)
    )
    if whole:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, width - 1)
    kept = 1 - np.clip((np.arange(width // 2) - first) / (last - first or 0.001), 0, 1)
    return (kept + (1 - kept) / factor) * base ** (-np.arange(0, width, 2) / width)


def llama3_speeds(width, *, factor=8.0, num_positions=8192, base=500_000.0, slow=1.0, fast=4.0):
    r"""The same with another share: it runs along the turns that a pair made in training.

    .. math:: g_i = \frac{r_i - \alpha}{\beta - \alpha} \in [0, 1]

    With the numbers that stand here it is what Llama 3.1 has in every text, short or long; with `fast` = 32, the rule that the paper
    on YaRN states.

    Parameters
    ----------
    width, factor, num_positions, base, slow, fast : as in `yarn_speeds`

    Returns
    -------
    speeds : (width / 2,), in radians

    Examples
    --------
    >>> plain = 500_000 ** (-np.arange(64) / 64)
    >>> int((llama3_speeds(128) < 0.999 * plain).sum()), round(float((llama3_speeds(128) / plain).min()), 3)
    (35, 0.125)
    """
    turns = turns_in_training(width, num_positions, base)
    factor, slow, fast = _bounds(factor, slow, fast)
    kept = np.clip((turns - slow) / (fast - slow), 0, 1)
    return (kept + (1 - kept) / factor) * base ** (-np.arange(0, width, 2) / width)


def _bounds(factor, slow, fast):
    factor = inputs.number_from("factor", factor, 1.0)
    slow, fast = inputs.number_from("slow", slow, 0.0), inputs.number_from("fast", fast, 0.0)
    if fast <= slow:
        raise ValueError(f"fast must be above slow = {slow:g}, got {fast:g}.")
    return factor, slow, fast


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
