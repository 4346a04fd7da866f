"""Positions as vectors: what to add to a token so that attention can tell where it stands."""

import numpy as np

from helpers.support import inputs
from helpers.support.documented import documented


@documented
def sinusoidal_positional_encoding(num_positions, d_model, base=10_000.0):
    r"""Give every position a vector of sines and cosines, pair after pair, each pair slower than the one before.

    .. math:: PE(pos, 2i) = \sin(pos / b^{2i / d}), \qquad PE(pos, 2i + 1) = \cos(pos / b^{2i / d})

    Here i counts sine-cosine *pairs*, from 0. An odd width ends with a sine without its cosine.

    Parameters
    ----------
    num_positions : whole number, at least 1, of positions, from position 0
    d_model : whole number, at least 1, the width of a token, even or odd
    base : number above 1, b; the wavelengths run from 2 pi towards 2 pi b positions

    Returns
    -------
    encoding : (num_positions, d_model), entries between -1 and 1

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.5.

    Examples
    --------
    >>> sinusoidal_positional_encoding(2, 4).round(4)
    array([[0.    , 1.    , 0.    , 1.    ],
           [0.8415, 0.5403, 0.01  , 1.    ]])
    """
    inputs.affordable(num_positions=num_positions, d_model=d_model)
    angles = np.arange(num_positions)[:, None] * _angular_speeds(d_model, base)  # (num_positions, d_model)
    encoding = np.empty(angles.shape)
    encoding[:, 0::2] = np.sin(angles[:, 0::2])
    encoding[:, 1::2] = np.cos(angles[:, 1::2])
    return encoding


@documented
def wavelengths(d_model, base=10_000.0):
    r"""Tell after how many positions each dimension repeats itself.

    .. math:: \lambda_{2i} = \lambda_{2i + 1} = 2 \pi \, b^{2i / d}

    Parameters
    ----------
    d_model : whole number, at least 1, the width of a token
    base : number above 1, b

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
    inputs.affordable(d_model=d_model)
    pair = np.arange(d_model) // 2  # 0 0 1 1 2 2 …
    return base ** (-2 * pair / d_model)  # radians per position


@documented
def turn(x, angles, *, layout="pairs"):
    r"""Turn each pair of dimensions of every token by an angle, as the hand of a clock turns.

    .. math:: (a, b) \mapsto (a \cos\theta - b \sin\theta, \; a \sin\theta + b \cos\theta)

    Parameters
    ----------
    x : (..., num_tokens, 2 * num_pairs)
    angles : broadcastable to (..., num_tokens, num_pairs), in radians
    layout : "pairs" or "halves", which dimensions are a pair: (0, 1), (2, 3), … or (0, num_pairs), (1, num_pairs + 1), …

    Returns
    -------
    turned : the shape of `x`; every token is as long as before

    Examples
    --------
    >>> for layout in ("pairs", "halves"):
    ...     turn([[1, 2, 3, 4]], [np.pi / 2, 0], layout=layout).round(12)
    array([[-2.,  1.,  3.,  4.]])
    array([[-3.,  2.,  1.,  4.]])
    """
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    if layout == "pairs":
        a, b = x[..., 0::2], x[..., 1::2]
        return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)
    a, b = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


@documented
def rotate(x, positions=None, *, base=10_000.0, layout="pairs"):
    r"""Turn queries or keys by their positions, so that their dot products depend on the distance alone (RoPE).

    .. math:: \theta_{pos, i} = pos / b^{2i / d}, \qquad (R_m q) \cdot (R_n k) = q \cdot R_{n - m} k

    Pair i of the dimensions turns by the angle that pair i of `sinusoidal_positional_encoding` has.

    Parameters
    ----------
    x : (..., num_tokens, 2 * num_pairs), an even width d
    positions : broadcastable to (..., num_tokens), where each token stands; None = 0, 1, 2, …; fractions are positions, too
    base : number above 1, b
    layout : "pairs" or "halves", as in `turn`

    Returns
    -------
    turned : the shape of `x`; every token is as long as before

    References
    ----------
    Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021), section 3.2.2 (pairs). Halves: the
    layout of the Llama models in Hugging Face transformers.

    Examples
    --------
    >>> same = rotate([[1, 0]] * 4, np.arange(4) * np.pi / 3)  # 60° a step
    >>> (same[0] @ same.T).round(12)
    array([ 1. ,  0.5, -0.5, -1. ])
    """
    positions = np.arange(x.shape[-2]) if positions is None else positions
    return turn(x, positions[..., None] * _angular_speeds(x.shape[-1], base)[::2], layout=layout)


@documented
def alibi(num_queries, num_keys=None, *, slope=1.0):
    r"""Give what a linear penalty on distance adds to the scores of each head (ALiBi).

    .. math:: b_{ij} = -m \, |i - j|

    With more keys than queries, the queries are the last tokens, as in `attention.causal_mask`.

    Parameters
    ----------
    num_queries : whole number, at least 1, of tokens that ask
    num_keys : whole number, at least num_queries, of tokens that are asked; None = num_queries
    slope : (num_heads,) or a number, at least 0: m, one for each head

    Returns
    -------
    bias : (num_queries, num_keys), or (num_heads, num_queries, num_keys); to be added to the scaled scores

    References
    ----------
    Press, Smith, Lewis, "Train Short, Test Long: Attention with Linear Biases" (2021), section 3.

    Examples
    --------
    >>> alibi(1, 3)
    array([[-2., -1.,  0.]])
    """
    num_keys = num_queries if num_keys is None else num_keys
    inputs.affordable(num_queries=num_queries, num_keys=num_keys)
    query = np.arange(num_keys - num_queries, num_keys)[:, None]
    return 0.0 - np.asarray(slope)[..., None, None] * np.abs(query - np.arange(num_keys))
