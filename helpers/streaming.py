"""Attention that never holds all the scores: the keys pass by in blocks."""

import math

import numpy as np

from helpers.support import inputs, threads
from helpers.support.documented import documented


@documented
def streamed_attention(query, key, value, *, block_size=256, mask=None, scale=None):
    r"""Attend without ever holding all the scores: the keys pass by in blocks, and the output is kept up to date.

    For each query three things are remembered: the largest score so far m, the sum of the powers so far l, and the sum
    of the powers times their values so far u. A block with scores s and values v moves them on:

    .. math:: m' = \max(m, \max_j s_j), \quad l' = l e^{m - m'} + \sum_j e^{s_j - m'}, \quad
              u' = u e^{m - m'} + \sum_j e^{s_j - m'} v_j

    At any moment u / l is the attention over the keys so far; at the end it is the output. Many queries are shared out
    among threads; until all are done, NumPy's BLAS keeps to one thread for each of them.

    Parameters
    ----------
    query : (..., num_queries, d_k)
    key : (..., num_keys, d_k)
    value : (..., num_keys, d_v)
    block_size : whole number, at least 1, of keys that pass by at once; any gives the same output
    mask : Boolean, broadcastable to (..., num_queries, num_keys), True = may attend; None = everything may
    scale : number, the factor on the dot products; None = 1 / sqrt(d_k)

    Returns
    -------
    output : (..., num_queries, d_v), that of `scaled_dot_product_attention`

    References
    ----------
    Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018), section 3; Rabe and Staats,
    "Self-attention Does Not Need O(n^2) Memory" (2021); Dao et al., "FlashAttention" (2022).

    Examples
    --------
    >>> tokens = np.array([[1, 0], [0, 1], [1, 1]])
    >>> streamed_attention(tokens, tokens, tokens, block_size=2).round(3)
    array([[0.802, 0.599],
           [0.599, 0.802],
           [0.752, 0.752]])
    """
    query = query * inputs.scalar_like(query, 1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if mask is not None:
        batches = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
        mask = np.broadcast_to(mask, (*batches, query.shape[-2], key.shape[-2]))

    def attend(start):
        rows = slice(start, start + _QUERIES_AT_ONCE)
        masked = None if mask is None else mask[..., rows, :]
        with np.errstate(over="ignore", invalid="ignore"):  # a gap wider than the largest float is -inf: weight 0
            return _stream(query[..., rows, :], key, value, masked, block_size)

    starts = range(0, query.shape[-2], _QUERIES_AT_ONCE)
    if not all(type(x) is np.ndarray for x in (query, key, value)):  # tensors with derivatives keep one book
        return np.concatenate([*map(attend, starts)], axis=-2)
    return np.concatenate(threads.side_by_side(attend, starts), axis=-2)


def _stream(query, key, value, mask, block_size):
    """Attention of some queries. m, l and u are those of the equation; at first m is below every score."""
    m, l, u = np.finfo(np.result_type(query.dtype, key.dtype)).min, 0, 0  # noqa: E741
    ones = np.ones((min(block_size, key.shape[-2]), 1), value.dtype)
    for start in range(0, key.shape[-2], block_size):
        block = slice(start, start + block_size)
        scores = query @ np.swapaxes(key[..., block, :], -1, -2)
        if mask is not None:
            scores = np.where(mask[..., block], scores, inputs.scalar_like(scores, -np.inf))
        m_new = np.maximum(m, np.max(scores, axis=-1, keepdims=True))
        room = inputs.room(scores)
        powers = np.exp(np.subtract(scores, m_new, out=room), out=room)
        shrink = np.exp(m - m_new)
        l = l * shrink + powers @ ones[: powers.shape[-1]]  # noqa: E741  (their sums; a product is quicker than np.sum)
        u = u * shrink + powers @ value[..., block, :]
        m = m_new
    return u / l


_QUERIES_AT_ONCE = 512  # measured: more is hardly faster, and each thread holds a block of 512 × 256 scores
