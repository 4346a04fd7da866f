"""Softmax and its scores after 2017: rows that need not sum to 1, and scores that stay in bounds. Plain NumPy."""

import math

import numpy as np

from helpers.attention import softmax
from helpers.support import inputs


def softmax_with_sink(scores, sink=0.0, base=math.e):
    r"""Turn scores into weights that sum to less than 1: a sink takes part in the sharing, and brings nothing.

    .. math:: w_j = b^{s_j} / (b^{z} + \sum_k b^{s_k})

    A row that is blocked altogether, nothing but -inf, has weights 0.

    Parameters
    ----------
    scores : (..., num_keys); -inf gives weight 0
    sink : z, the score of the sink; one number, or broadcastable to (..., 1), such as (num_heads, 1, 1)
    base : the number raised to the scores, greater than 1

    Returns
    -------
    weights : the shape of `scores`

    Raises
    ------
    TypeError, ValueError
        If the sink is not finite or does not fit the scores, or as in `attention.softmax`.

    References
    ----------
    Xiao et al., "Efficient Streaming Language Models with Attention Sinks" (2023), section 3.3, where z = 0; learned, one
    for each head: OpenAI, "gpt-oss-120b & gpt-oss-20b Model Card" (2025).

    Examples
    --------
    >>> 9 * softmax_with_sink([0, 0, 1, 0], 1, base=3)
    array([1., 1., 3., 1.])
    """
    scores = inputs.numbers("scores", scores, min_axes=1)
    sink = inputs.finite("sink", sink)
    column = (*scores.shape[:-1], 1)
    try:
        np.broadcast_to(np.asarray(sink), column)
    except ValueError:
        raise ValueError(
            f"sink must be one number, or broadcast to {column}, as scores are {scores.shape}, got shape {sink.shape}."
        ) from None
    sink = inputs.alike(sink, scores) + np.zeros(column, scores.dtype)  # a learned sink keeps its derivatives
    return softmax(np.concatenate([scores, sink], axis=-1), base=base)[..., :-1]


def soft_cap(scores, cap):
    r"""Bend scores so that none goes beyond a bound; small ones hardly change.

    .. math:: c \tanh(s / c)

    Parameters
    ----------
    scores : any shape, finite; masks come later
    cap : c, greater than 0

    Returns
    -------
    capped : the shape of `scores`, between -c and c

    Raises
    ------
    TypeError, ValueError
        If something is no number or not finite, or the cap is not greater than 0.

    References
    ----------
    Gemma Team, "Gemma 2: Improving Open Language Models at a Practical Size" (2024), section 2.

    Examples
    --------
    >>> soft_cap([1, 10, 100, 1000], 50).round(2)
    array([ 1.  ,  9.87, 48.2 , 50.  ])
    """
    scores, cap = inputs.finite("scores", scores), inputs.finite_number("cap", cap)
    if cap <= 0:
        raise ValueError(f"cap must be greater than 0, got {cap:g}. It is the largest size that a score can have.")
    with np.errstate(over="ignore"):  # tanh of infinity is 1, which is right
        if not 0 < scores.dtype.type(cap) < np.inf:
            raise ValueError(f"cap must be a number that {scores.dtype} can hold, as scores are, got {cap:g}.")
        return cap * np.tanh(scores / cap)


def unit_length(x):
    r"""Shrink or stretch every vector to length 1, so that dot products are cosines (query-key normalization).

    .. math:: x / \lVert x \rVert

    Parameters
    ----------
    x : (..., width), no vector of length 0

    Returns
    -------
    units : the shape of `x`

    Raises
    ------
    TypeError, ValueError
        If something is no number or not finite, or a vector has length 0.

    References
    ----------
    Henry et al., "Query-Key Normalization for Transformers" (2020).

    Examples
    --------
    >>> round(float(unit_length([3, 4]) @ unit_length([4, 3])), 12)
    0.96
    """
    x = inputs.finite("x", x, min_axes=1)
    if x.shape[-1] == 0:
        raise ValueError(f"x must hold vectors of at least one number, got shape {x.shape}.")
    largest = np.max(np.abs(x), axis=-1, keepdims=True)  # taken out first, so that no square overflows
    if (nothing := np.asarray(largest)[..., 0] == 0).any():
        where = inputs.first(nothing, "x") if x.ndim > 1 else "x"
        raise ValueError(f"x must hold vectors that are longer than 0, but {where} is 0: it has no direction.")
    x = x / largest
    with np.errstate(over="ignore"):
        squares = np.sum(inputs.wide(x * x), axis=-1, keepdims=True)
    lengths = np.sqrt(inputs.stays_finite("the sum of squares", squares, "x is too wide for {}."))
    return x / inputs.alike(lengths, x)
