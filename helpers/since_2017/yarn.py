"""Positions beyond those of training: fast pairs keep their speed, slow ones are squeezed (YaRN). Plain NumPy."""

import math

import numpy as np

from helpers.support.documented import documented


@documented
def turns_in_training(width, num_positions, base=10_000.0):
    r"""How often each pair of `positions.rotate` has gone round over the positions of training.

    .. math:: r_i = L / (2 \pi \, b^{2i / d})

    Parameters
    ----------
    width : whole number, at least 2, even: d
    num_positions : whole number, at least 1: L
    base : number above 1: b

    Returns
    -------
    turns : (width / 2,)

    Examples
    --------
    >>> turns_in_training(4, 4096).round(2)
    array([651.9 ,   6.52])
    """
    return num_positions / (2 * np.pi) * _plain_speeds(width, base)


def _plain_speeds(width, base):
    if width % 2:
        raise ValueError(f"width must be even, got {width}. Dimensions turn in pairs.")
    return base ** (-np.arange(0, width, 2) / width)


@documented
def yarn_speeds(width, *, factor, num_positions, base=10_000.0, slow=1.0, fast=32.0, whole=True):
    r"""The angle that each pair turns by at one step, for texts `factor` times as long as those of training.

    .. math:: \theta'_i = g_i \, \theta_i + (1 - g_i) \, \theta_i / s, \qquad g_i = 1 - \frac{i - i_\beta}{i_\alpha - i_\beta} \in [0, 1],
              \qquad i_r = \frac{d}{2} \, \frac{\ln (L / 2 \pi r)}{\ln b}

    A pair that went round `fast` times in training keeps its speed, for it tells neighbours apart. One that has not gone round
    `slow` times is squeezed, so that it meets no new angle. Those between are squeezed in part, evenly by their number.

    Parameters
    ----------
    width : whole number, at least 2, even: d
    factor : number, at least 1: s
    num_positions : whole number, at least 1: L, of training
    base : number above 1: b
    slow : number above 0: alpha, in turns
    fast : number above slow: beta, in turns
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
    first, last = (
        width / 2 * math.log(num_positions / (2 * math.pi * turns)) / math.log(base) for turns in (fast, slow)
    )
    if whole:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, width - 1)
    kept = 1 - np.clip((np.arange(width // 2) - first) / (last - first or 0.001), 0, 1)
    return (kept + (1 - kept) / factor) * _plain_speeds(width, base)


@documented
def llama3_speeds(width, *, factor=8.0, num_positions=8192, base=500_000.0, slow=1.0, fast=4.0):
    r"""The same with another share: it runs along the turns that a pair made in training.

    .. math:: g_i = \frac{r_i - \alpha}{\beta - \alpha} \in [0, 1]

    With the numbers that stand here it is what Llama 3.1 has in every text, short or long; with `fast` = 32, the rule that the paper
    on YaRN states.

    Parameters
    ----------
    width : whole number, at least 2, even: d
    factor : number, at least 1: s
    num_positions : whole number, at least 1: L, of training
    base : number above 1: b
    slow : number, at least 0: alpha, in turns
    fast : number above slow: beta, in turns

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
    kept = np.clip((turns - slow) / (fast - slow), 0, 1)
    return (kept + (1 - kept) / factor) * _plain_speeds(width, base)


@documented
def yarn_sharpness(factor):
    r"""What YaRN multiplies queries and keys by, so that weights over a longer text stay as sharp.

    .. math:: 0.1 \ln s + 1

    Parameters
    ----------
    factor : number, at least 1: s

    Returns
    -------
    sharpness : float, for queries and for keys alike

    Examples
    --------
    >>> yarn_sharpness(1), round(yarn_sharpness(32), 3)
    (1.0, 1.347)
    """
    return 0.1 * math.log(factor) + 1
