"""Positions as vectors: what to add to a token so that attention can tell where it stands."""

import numpy as np

from helpers.support import inputs


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
    inputs.affordable(num_positions=num_positions, d_model=inputs.whole_number("d_model", d_model, minimum=1))
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

    Raises
    ------
    TypeError, ValueError
        If `d_model` is no whole number of at least 1, or `base` is not greater than 1.

    Examples
    --------
    >>> wavelengths(4).round(2)
    array([  6.28,   6.28, 628.32, 628.32])
    """
    return 2 * np.pi / _angular_speeds(d_model, base)


def _angular_speeds(d_model, base):
    d_model = inputs.whole_number("d_model", d_model, minimum=1)
    inputs.affordable(d_model=d_model)
    base = inputs.finite_number("base", base)
    if base <= 1:
        raise ValueError(f"base must be greater than 1, got {base:g}. The waves must grow longer, pair after pair.")
    pair = np.arange(d_model) // 2  # 0 0 1 1 2 2 …
    return base ** (-2 * pair / d_model)  # radians per position


def turn(x, angles, *, layout="pairs"):
    r"""Turn each pair of dimensions of every token by an angle, as the hand of a clock turns.

    .. math:: (a, b) \mapsto (a \cos\theta - b \sin\theta, \; a \sin\theta + b \cos\theta)

    Parameters
    ----------
    x : (..., num_tokens, width), an even width
    angles : one for each pair, broadcastable to (..., num_tokens, width / 2), in radians
    layout : which dimensions are a pair: "pairs" = (0, 1), (2, 3), …; "halves" = (0, width / 2), (1, width / 2 + 1), …

    Returns
    -------
    turned : the shape of `x`; every token is as long as before

    Raises
    ------
    TypeError, ValueError
        If something is no number or not finite, the width is odd, the shapes do not fit, or layout is another word.

    Examples
    --------
    >>> for layout in ("pairs", "halves"):
    ...     turn([[1, 2, 3, 4]], [np.pi / 2, 0], layout=layout).round(12)
    array([[-2.,  1.,  3.,  4.]])
    array([[-3.,  2.,  1.,  4.]])
    """
    x = _even("x", x)
    angles = inputs.finite("angles", angles)
    pairs = (*x.shape[:-1], x.shape[-1] // 2)
    try:
        angles = np.broadcast_to(angles, pairs)
    except ValueError:
        raise ValueError(
            f"angles must broadcast to one for each pair of each token, {pairs}, as x is {x.shape}, got {angles.shape}."
        ) from None
    if not isinstance(layout, str) or layout not in ("pairs", "halves"):
        raise ValueError(f'layout must be "pairs" or "halves", got {layout!r}.')
    cos, sin = (wave(angles).astype(x.dtype) for wave in (np.cos, np.sin))
    a, b = (x[..., 0::2], x[..., 1::2]) if layout == "pairs" else (x[..., : pairs[-1]], x[..., pairs[-1] :])
    with np.errstate(over="ignore"):
        turned = [a * cos - b * sin, a * sin + b * cos]
    turned = np.stack(turned, axis=-1).reshape(x.shape) if layout == "pairs" else np.concatenate(turned, axis=-1)
    return inputs.stays_finite("what is turned", turned, "x is too large for {}.")


def rotate(x, positions=None, *, base=10_000.0, layout="pairs"):
    r"""Turn queries or keys by their positions, so that their dot products depend on the distance alone (RoPE).

    .. math:: \theta_{pos, i} = pos / b^{2i / d}, \qquad (R_m q) \cdot (R_n k) = q \cdot R_{n - m} k

    Pair i of the dimensions turns by the angle that pair i of `sinusoidal_positional_encoding` has.

    Parameters
    ----------
    x : (..., num_tokens, d), an even width d
    positions : where each token stands, broadcastable to (..., num_tokens); None = 0, 1, 2, …; fractions are positions, too
    base : b, greater than 1
    layout : which dimensions are a pair: "pairs" = (0, 1), (2, 3), …; "halves" = (0, d / 2), (1, d / 2 + 1), …

    Returns
    -------
    turned : the shape of `x`; every token is as long as before

    Raises
    ------
    TypeError, ValueError
        If something is no number or not finite, the width is odd, the shapes do not fit, the base is not greater than 1,
        or layout is another word.

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
    x = _even("x", x)
    positions = np.arange(x.shape[-2]) if positions is None else inputs.finite("positions", positions)
    try:
        np.broadcast_to(positions, x.shape[:-1])
    except ValueError:
        raise ValueError(
            f"positions must hold one number for each of the {x.shape[-2]} tokens of x {x.shape}, or broadcast to "
            f"{x.shape[:-1]}, got shape {positions.shape}."
        ) from None
    return turn(x, positions[..., None] * _angular_speeds(x.shape[-1], base)[::2], layout=layout)


def alibi(num_queries, num_keys=None, *, slope=1.0):
    r"""Give what a linear penalty on distance adds to the scores of each head (ALiBi).

    .. math:: b_{ij} = -m \, |i - j|

    With more keys than queries, the queries are the last tokens, as in `attention.causal_mask`.

    Parameters
    ----------
    num_queries : number of tokens that ask
    num_keys : number of tokens that are asked, at least `num_queries`; None = as many as ask
    slope : m, at least 0; one number, or (num_heads,), one for each head

    Returns
    -------
    bias : (num_queries, num_keys), or (num_heads, num_queries, num_keys); to be added to the scaled scores

    Raises
    ------
    TypeError, ValueError
        If a count is no whole number of at least 1, there are fewer keys than queries, or a slope is negative.

    References
    ----------
    Press, Smith, Lewis, "Train Short, Test Long: Attention with Linear Biases" (2021), section 3.

    Examples
    --------
    >>> alibi(1, 3)
    array([[-2., -1.,  0.]])
    """
    num_queries = inputs.whole_number("num_queries", num_queries, minimum=1)
    num_keys = num_queries if num_keys is None else inputs.whole_number("num_keys", num_keys, minimum=1)
    if num_keys < num_queries:
        raise ValueError(f"num_keys must be at least num_queries, got {num_queries} queries and {num_keys} keys.")
    slope = inputs.finite("slope", slope)
    if slope.ndim > 1 or slope.size == 0:
        raise ValueError(f"slope must be one number, or one for each head, got shape {slope.shape}.")
    if (slope < 0).any():
        raise ValueError(f"slope must be at least 0, got {slope.min():g}. Far keys would gain by their distance.")
    inputs.affordable(num_queries=num_queries, num_keys=num_keys)
    query = np.arange(num_keys - num_queries, num_keys)[:, None]
    with np.errstate(over="ignore"):
        bias = 0.0 - slope[..., None, None] * np.abs(query - np.arange(num_keys))
    if not np.isfinite(bias).all():
        raise ValueError(
            f"slope must be small enough for {num_keys} keys, got {slope.max():g}: its multiples overflow."
        )
    return bias


def _even(name, x):
    x = inputs.finite(name, x, min_axes=2)
    if x.shape[-1] % 2 or 0 in x.shape[-2:]:
        raise ValueError(
            f"{name} must hold at least one token of an even width, got shape {x.shape}. Dimensions turn in pairs."
        )
    return x
