"""A head that can turn itself down: a factor between 0 and 1 on what it says. Plain NumPy."""

import math

import numpy as np

from helpers.attention import Attention, scaled_dot_product_attention
from helpers.support.documented import documented


@documented
def sigmoid(x):
    r"""Squeeze every number between 0 and 1: the share that x gets beside a score of 0.

    .. math:: \sigma(x) = e^x / (e^x + e^0)

    Parameters
    ----------
    x : any shape, finite

    Returns
    -------
    shares : the shape of `x`

    Examples
    --------
    >>> sigmoid([0, math.log(3), -math.log(3)])
    array([0.5 , 0.75, 0.25])
    """
    small = np.exp(-np.abs(x))  # never overflows
    return np.where(x >= 0, 1, small) / (1 + small)


@documented
def gated_attention(query, key, value, gate, *, mask=None, scale=None, base=math.e):
    r"""Attend, then multiply what each head says by a gate.

    .. math:: \mathrm{softmax}(Q K^\top / \sqrt{d_k}) V \circ \sigma(G)

    Parameters
    ----------
    query : (..., num_queries, d_k)
    key : (..., num_keys, d_k)
    value : (..., num_keys, d_v)
    gate : broadcastable to (..., num_queries, d_v), such as (..., num_queries, 1) with one number for the whole head: G, usually
        the asking tokens times a matrix of their own
    mask, scale, base : as in `attention.scaled_dot_product_attention`

    Returns
    -------
    Attention
        output (..., num_queries, d_v), weights and scores as without a gate

    References
    ----------
    Qiu et al., "Gated Attention for Large Language Models" (2025), section 2.2.

    Examples
    --------
    >>> gated_attention([[1.0]], [[1.0]], [[10.0]], [[-math.log(3)]]).output
    array([[2.5]])
    """
    plain = scaled_dot_product_attention(query, key, value, mask=mask, scale=scale, base=base)
    return Attention(plain.output * sigmoid(gate), plain.weights, plain.scores)
