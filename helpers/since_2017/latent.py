"""Latent attention: one short vector a token is kept, and keys and values are made of it. Plain NumPy."""

import math

import numpy as np

from helpers.attention import Attention, scaled_dot_product_attention
from helpers.support import inputs


def latent_attention(query, latent, up_key, up_value, *, turned=None, mask=None, scale=None, base=math.e):
    r"""Attend to keys and values that are never built.

    .. math:: q_h \cdot (c\, U_h) = (q_h U_h^\top) \cdot c, \qquad \sum_j w_j (c_j V_h) = \Big(\sum_j w_j c_j\Big) V_h

    With U = `up_key` and V = `up_value`: the query takes the one over before the keys are asked, the output the other after.

    Parameters
    ----------
    query : (num_heads, num_queries, d_k)
    latent : c, (num_keys, d_c), all that the cache keeps
    up_key : (num_heads, d_c, d_k), makes the keys of each head
    up_value : (num_heads, d_c, d_v), makes its values
    turned : (query, key), (num_heads, num_queries, d_r) and (num_keys, d_r), turned by their positions, whose products are added to
        the scores; one turned key for all heads is kept beside the latent. None = without
    mask : Boolean, broadcastable to (num_heads, num_queries, num_keys); True = may attend
    scale : the factor on the scores; None = 1 / sqrt(d_k + d_r)
    base : the base of softmax

    Returns
    -------
    Attention
        output (num_heads, num_queries, d_v), weights and scores (num_heads, num_queries, num_keys)

    References
    ----------
    DeepSeek-AI, "DeepSeek-V2" (2024), section 2.1.

    Examples
    --------
    >>> latent_attention([[[1, 2]]], [[1], [2], [3]], [[[1, 1]]], [[[1, -1]]], scale=1).scores
    array([[[3., 6., 9.]]])
    """
    query, latent = inputs.finite("query", query, min_axes=3), inputs.finite("latent", latent, min_axes=2)
    up_key, up_value = inputs.finite("up_key", up_key, min_axes=3), inputs.finite("up_value", up_value, min_axes=3)
    heads, _, d_k = query.shape
    if up_key.shape != (heads, latent.shape[-1], d_k):
        raise ValueError(
            f"up_key must be (heads, width of the latent, width of the query), {(heads, latent.shape[-1], d_k)}, "
            f"got {up_key.shape}."
        )
    if up_value.shape[:2] != up_key.shape[:2]:
        raise ValueError(f"up_value must have the heads and rows of up_key, {up_key.shape}, got {up_value.shape}.")
    asks, kept = query @ up_key.swapaxes(-1, -2), latent
    if turned is not None:
        turned_query, turned_key = turned
        turned_query = inputs.finite("the turned query", turned_query, min_axes=3)
        turned_key = inputs.finite("the turned key", turned_key, min_axes=2)
        if turned_query.shape != (*query.shape[:2], turned_key.shape[-1]) or len(turned_key) != len(latent):
            raise ValueError(
                f"turned must be (heads, queries, d_r) and (keys, d_r), got {turned_query.shape} and {turned_key.shape}."
            )
        asks, kept = np.concatenate([asks, turned_query], axis=-1), np.concatenate([latent, turned_key], axis=-1)
        d_k += turned_key.shape[-1]
    scale = 1 / math.sqrt(d_k) if scale is None else scale
    mixed = scaled_dot_product_attention(asks, kept, latent, mask=mask, scale=scale, base=base)
    return Attention(mixed.output @ up_value, mixed.weights, mixed.scores)
