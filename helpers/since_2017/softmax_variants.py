"""Softmax and its scores after 2017: rows that need not sum to 1, and scores that stay in bounds. Plain NumPy."""

import math

import numpy as np

from helpers.attention import softmax
from helpers.support import inputs
from helpers.support.documented import documented


@documented
def softmax_with_sink(scores, sink=0.0, base=math.e):
    r"""Turn scores into weights that sum to less than 1: a sink takes part in the sharing, and brings nothing.

    .. math:: w_j = b^{s_j} / (b^{z} + \sum_k b^{s_k})

    A row that is blocked altogether, nothing but -inf, has weights 0.

    Parameters
    ----------
    scores : (..., num_keys); -inf gives weight 0
    sink : broadcastable to (..., 1), such as (num_heads, 1, 1): z, the score of the sink
    base : number above 1, raised to the scores

    Returns
    -------
    weights : the shape of `scores`

    References
    ----------
    Xiao et al., "Efficient Streaming Language Models with Attention Sinks" (2023), section 3.3, where z = 0; learned, one
    for each head: OpenAI, "gpt-oss-120b & gpt-oss-20b Model Card" (2025).

    Examples
    --------
    >>> 9 * softmax_with_sink([0, 0, 1, 0], 1, base=3)
    array([1., 1., 3., 1.])
    """
    zeros = np.zeros((*scores.shape[:-1], 1), scores.dtype)
    sink = inputs.alike(sink, scores) + zeros  # a learned one keeps its derivatives
    return softmax(np.concatenate([scores, sink], axis=-1), base=base)[..., :-1]


@documented
def soft_cap(scores, cap):
    r"""Bend scores so that none goes beyond a bound; small ones hardly change.

    .. math:: c \tanh(s / c)

    Parameters
    ----------
    scores : any shape, finite or -inf, which becomes -c: masks come later
    cap : number above 0, c

    Returns
    -------
    capped : the shape of `scores`, between -c and c

    References
    ----------
    Gemma Team, "Gemma 2: Improving Open Language Models at a Practical Size" (2024), section 2.

    Examples
    --------
    >>> soft_cap([1, 10, 100, 1000], 50).round(2)
    array([ 1.  ,  9.87, 48.2 , 50.  ])
    """
    with np.errstate(over="ignore"):  # tanh of infinity is 1, which is right
        return cap * np.tanh(scores / cap)


def _no_direction(x):
    if (nothing := ~np.any(np.asarray(x), axis=-1)).any():
        raise ValueError(
            f"x must hold vectors that are longer than 0, but {inputs.first(nothing, 'x')} is 0: it has no direction."
        )


@documented(otherwise=_no_direction)
def unit_length(x):
    r"""Shrink or stretch every vector to length 1, so that dot products are cosines (query-key normalization).

    .. math:: x / \lVert x \rVert

    Parameters
    ----------
    x : (..., width), no vector of length 0

    Returns
    -------
    units : the shape of `x`

    References
    ----------
    Henry et al., "Query-Key Normalization for Transformers" (2020).

    Examples
    --------
    >>> round(float(unit_length([3, 4]) @ unit_length([4, 3])), 12)
    0.96
    """
    x = x / np.max(np.abs(x), axis=-1, keepdims=True)  # so that no square overflows
    return x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True))
