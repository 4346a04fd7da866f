"""Positions as vectors: what to add to a token so that attention can tell where it stands."""

import numpy as np

from helpers import inputs


def sinusoidal_positional_encoding(num_positions, d_model, base=10_000.0):
    r"""Give every position a vector of sines and cosines, pair after pair, each pair slower than the one before.

    .. math:: PE(pos, 2i) = \sin(pos / b^{2i / d}), \qquad PE(pos, 2i + 1) = \cos(pos / b^{2i / d})

    Here i counts sine-cosine *pairs*, from 0. An odd width ends with a sine without its cosine.

    Parameters
    ----------
    num_positions : number of positions, from position 0
    d_model : width of a token, even or odd
    base : b, greater than 1; the wavelengths run from 2 pi towards 2 pi b positions

    Returns
    -------
    encoding : (num_positions, d_model), entries between -1 and 1

    Raises
    ------
    TypeError, ValueError
        If a count is no whole number of at least 1, or the base is not greater than 1.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.5.

    Examples
    --------
    >>> sinusoidal_positional_encoding(2, 4).round(4)
    array([[0.    , 1.    , 0.    , 1.    ],
           [0.8415, 0.5403, 0.01  , 1.    ]])
    """
    num_positions = inputs.whole_number("num_positions", num_positions, minimum=1)
    angles = np.arange(num_positions)[:, None] * _angular_speeds(d_model, base)  # (num_positions, d_model)
    encoding = np.empty(angles.shape)
    encoding[:, 0::2] = np.sin(angles[:, 0::2])
    encoding[:, 1::2] = np.cos(angles[:, 1::2])
    return encoding


def wavelengths(d_model, base=10_000.0):
    r"""Tell after how many positions each dimension repeats itself.

    .. math:: \lambda_{2i} = \lambda_{2i + 1} = 2 \pi \, b^{2i / d}

    Parameters
    ----------
    d_model : width of a token
    base : b, greater than 1

    Returns
    -------
    lengths : (d_model,), in positions

    Examples
    --------
    >>> wavelengths(4).round(2)
    array([  6.28,   6.28, 628.32, 628.32])
    """
    return 2 * np.pi / _angular_speeds(d_model, base)


def _angular_speeds(d_model, base):
    d_model = inputs.whole_number("d_model", d_model, minimum=1)
    base = inputs.finite_number("base", base)
    if base <= 1:
        raise ValueError(f"base must be greater than 1, got {base:g}. The waves must grow longer, pair after pair.")
    pair = np.arange(d_model) // 2  # 0 0 1 1 2 2 …
    return base ** (-2 * pair / d_model)  # radians per position
