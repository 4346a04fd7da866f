"""Attention in plain NumPy. Tokens are rows; a mask is Boolean, and True means *may attend*."""

import math
from typing import NamedTuple

import numpy as np

from helpers import inputs


class Attention(NamedTuple):
    """What attention gives, and the two matrices it went through.

    output : (..., num_queries, d_v), the weighted sums of the values
    weights : (..., num_queries, num_keys), each row sums to 1
    scores : (..., num_queries, num_keys), scaled and masked (-inf where blocked), as they enter softmax
    """

    output: np.ndarray
    weights: np.ndarray
    scores: np.ndarray


def softmax(scores, axis=-1, base=math.e):
    r"""Turn scores into weights that are positive and sum to 1.

    .. math:: w_j = b^{s_j} / \sum_k b^{s_k}

    The largest score is subtracted first: the shares stay the same, and no power overflows.

    Parameters
    ----------
    scores : (..., n, ...) numbers; -inf gives weight 0, as long as one score along `axis` is finite
    axis : the axis along which the weights sum to 1
    base : the number raised to the scores, greater than 1; base 3 keeps small whole scores exact fractions

    Returns
    -------
    weights : the shape of `scores`

    Raises
    ------
    ValueError
        NaN or +inf among the scores, nothing but -inf along `axis`, no such axis, an empty one, or base <= 1.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1.

    Examples
    --------
    >>> softmax([0, 0, 1, 0], base=3).round(4)
    array([0.1667, 0.1667, 0.5   , 0.1667])
    """
    scores = inputs.numbers("scores", scores)
    base = inputs.finite_number("base", base)
    if base <= 1:
        raise ValueError(f"base must be greater than 1, got {base:g}. A larger score would not get a larger weight.")
    _check_scores(np.asarray(scores), axis)
    with np.errstate(over="ignore"):  # a gap wider than the largest float is -inf: weight 0, which is right
        powers = np.exp((scores - np.max(scores, axis=axis, keepdims=True)) * math.log(base))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def scaled_dot_product_attention(query, key, value, *, mask=None, scale=None, base=math.e):
    r"""Let every query ask every key, and mix the values by the answers.

    .. math:: \mathrm{softmax}(Q K^\top / \sqrt{d_k}) \, V

    Parameters
    ----------
    query : (..., num_queries, d_k)
    key : (..., num_keys, d_k)
    value : (..., num_keys, d_v)
    mask : Boolean, broadcastable to (..., num_queries, num_keys); True = may attend; None = everything may
    scale : the factor on the dot products; None = 1 / sqrt(d_k)
    base : the base of softmax

    Returns
    -------
    Attention
        output (..., num_queries, d_v), weights and scores (..., num_queries, num_keys)

    Raises
    ------
    TypeError
        If query, key or value are not numbers, or the mask is not Boolean.
    ValueError
        If shapes do not fit, a number is NaN or infinite, or the mask leaves a query no key.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1, equation 1.

    Examples
    --------
    >>> tokens = np.array([[1, 0], [0, 1], [1, 1]])
    >>> scaled_dot_product_attention(tokens, tokens, tokens).output.round(3)
    array([[0.802, 0.599],
           [0.599, 0.802],
           [0.752, 0.752]])
    """
    query, key, value = (_tokens(name, x) for name, x in (("query", query), ("key", key), ("value", value)))
    _check_shapes(query, key, value)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else inputs.finite_number("scale", scale)
    with np.errstate(over="ignore", invalid="ignore"):
        scores = np.matmul(query, np.swapaxes(key, -1, -2)) * scale
    _check_finite("scores", scores, "query and key are too large for {}: their products overflow.")
    if mask is not None:
        scores = np.where(_checked_mask(mask, scores.shape), scores, -np.inf)
    weights = softmax(scores, base=base)
    with np.errstate(over="ignore"):
        output = np.matmul(weights, value)
    _check_finite("output", output, "value is too large for {}: its weighted sums overflow.")
    return Attention(output, weights, scores)


def causal_mask(num_queries, num_keys=None):
    """Let each token attend to itself and to the past.

    With more keys than queries, the queries are the last tokens: the last query sees every key.

    Parameters
    ----------
    num_queries : number of tokens that ask
    num_keys : number of tokens that are asked, at least `num_queries`; None = as many as ask

    Returns
    -------
    mask : (num_queries, num_keys) Boolean, True = may attend

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.3.

    Examples
    --------
    >>> causal_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    num_queries = inputs.whole_number("num_queries", num_queries, minimum=1)
    num_keys = num_queries if num_keys is None else inputs.whole_number("num_keys", num_keys, minimum=1)
    if num_keys < num_queries:
        raise ValueError(
            f"num_keys must be at least num_queries, got {num_queries} queries and {num_keys} keys. "
            "The first queries would have nothing to see."
        )
    return np.tri(num_queries, num_keys, num_keys - num_queries, dtype=bool)


def padding_mask(lengths, num_keys):
    """Let every query attend to the real tokens of its sequence, and not to the padding after them.

    Parameters
    ----------
    lengths : (batch,) whole numbers, how many tokens of each sequence are real, 1 to `num_keys`
    num_keys : the length to which the sequences were padded

    Returns
    -------
    mask : (batch, 1, num_keys) Boolean, True = may attend; the same for every query

    Examples
    --------
    >>> padding_mask([3, 1], num_keys=3).astype(int)
    array([[[1, 1, 1]],
    <BLANKLINE>
           [[1, 0, 0]]])
    """
    num_keys = inputs.whole_number("num_keys", num_keys, minimum=1)
    lengths = inputs.rectangle("lengths", lengths)
    if lengths.ndim != 1 or lengths.size == 0:
        raise ValueError(f"lengths must be a list with one length per sequence, got shape {lengths.shape}.")
    if lengths.dtype.kind not in "iu":
        raise TypeError(f"lengths must be whole numbers, got {lengths.dtype}.")
    if lengths.min() < 1 or lengths.max() > num_keys:
        raise ValueError(f"lengths must lie between 1 and num_keys = {num_keys}, got {lengths.tolist()}.")
    return np.arange(num_keys) < lengths[:, None, None]


def _check_scores(scores, axis):
    if scores.ndim == 0:
        raise ValueError("scores must have at least one axis, got a single number.")
    if not isinstance(axis, (int, np.integer)) or isinstance(axis, bool):
        raise TypeError(f"axis must be a whole number, got {axis!r}.")
    if not -scores.ndim <= axis < scores.ndim:
        raise ValueError(f"axis must be one of the {scores.ndim} axes of scores {scores.shape}, got {axis}.")
    if scores.shape[axis] == 0:
        raise ValueError(f"scores must hold at least one score along axis {axis}, got shape {scores.shape}.")
    if np.isposinf(scores).any():
        raise ValueError(f"scores must be finite or -inf, got +inf in {inputs.count(np.isposinf(scores))}.")
    blocked = np.isneginf(scores).all(axis=axis)
    if blocked.any():
        raise ValueError(
            f"scores must hold a finite number along axis {axis}, got nothing but -inf in "
            f"{inputs.first(blocked, 'scores', axis)}. There is nothing left to choose from."
        )


def _tokens(name, x):
    x = inputs.numbers(name, x, min_axes=2)
    if 0 in x.shape[-2:]:
        raise ValueError(f"{name} must hold at least one token of width at least 1, got shape {x.shape}.")
    if np.isinf(np.asarray(x)).any():
        raise ValueError(f"{name} must be finite, got infinity in {inputs.count(np.isinf(np.asarray(x)))}.")
    return x


def _check_shapes(query, key, value):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"query and key must have the same width d_k (last axis), got query {query.shape} and key {key.shape}."
        )
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            "key and value must have the same number of tokens (second-last axis), "
            f"got key {key.shape} and value {value.shape}."
        )
    try:
        np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    except ValueError:
        raise ValueError(
            "query, key and value must have batch axes that broadcast, "
            f"got query {query.shape}, key {key.shape} and value {value.shape}."
        ) from None


def _check_finite(name, product, cause):
    if not np.isfinite(np.asarray(product)).all():
        raise ValueError(f"{name} must stay finite, but {cause.format(product.dtype)}")


def _checked_mask(mask, shape):
    mask = inputs.booleans("mask", mask)
    try:
        everywhere = np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(
            f"mask must broadcast to the shape of the scores {shape} (queries down, keys across), got {mask.shape}."
        ) from None
    blocked = ~everywhere.any(axis=-1)
    if blocked.any():
        raise ValueError(
            f"mask must leave every query at least one key, but {inputs.first(blocked, 'query')} may attend to none. "
            "Softmax over nothing has no answer."
        )
    return mask
