"""Attention in plain NumPy. Tokens are rows; a mask is Boolean, and True means *may attend*."""

import math
from typing import NamedTuple

import numpy as np

from helpers.support import inputs, shapes, threads


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
    TypeError
        If scores or base are no numbers, or the axis is no whole number.
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
    scores, axis, base = shapes.softmax(scores, axis, base)
    # to derivatives the largest score is a constant: no share, and so no slope, depends on it
    largest = np.max(np.asarray(scores), axis=axis, keepdims=True)
    shapes.largest(scores, axis, largest)
    with np.errstate(over="ignore"):  # a gap wider than the largest float is -inf: weight 0, which is right
        gaps = scores - largest
        if base != math.e:
            gaps = gaps * inputs.scalar_like(scores, math.log(base))
        room = inputs.room(gaps)
        powers = np.exp(gaps, out=room)
        total = np.sum(inputs.wide(powers), axis=axis, keepdims=True)
    inputs.stays_finite("the sum of the powers", total, "there are too many scores for {}.")
    return np.divide(powers, total, out=room)


def softmax_jacobian(weights):
    r"""Tell how fast each weight moves with each score.

    .. math:: \partial w_i / \partial s_j = w_i (\delta_{ij} - w_j)

    Parameters
    ----------
    weights : (..., n), what softmax in base e made of the scores s

    Returns
    -------
    jacobian : (..., n, n); row i belongs to weight i, column j to score j; rows and columns sum to 0

    Raises
    ------
    TypeError
        If the weights are not numbers.
    ValueError
        If a weight is NaN or negative, or the weights do not sum to 1 along the last axis.

    Examples
    --------
    >>> softmax_jacobian([0.5, 0.5])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    weights = shapes.weights(weights)
    identity = np.eye(weights.shape[-1], dtype=weights.dtype)
    return weights[..., :, None] * (identity - weights[..., None, :])


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
    query, key, value, mask, scale = shapes.attention(query, key, value, mask, scale)
    with np.errstate(over="ignore", invalid="ignore"):
        scores = query @ np.swapaxes(key, -1, -2) * scale
        if not shapes.cannot_overflow(query, key, scale):
            shapes.scores(scores)
        if mask is not None:
            scores = np.where(mask, scores, inputs.scalar_like(scores, -np.inf))
        weights = softmax(scores, base=base)
        output = weights @ value
    inputs.stays_finite("output", output, "value is too large for {}: its weighted sums overflow.")
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

    Raises
    ------
    TypeError, ValueError
        If a number of tokens is no whole number of at least 1, or there are fewer keys than queries.

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
    inputs.affordable(1, num_queries=num_queries, num_keys=num_keys)
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

    Raises
    ------
    TypeError, ValueError
        If a length is no whole number from 1 to `num_keys`.

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
    inputs.affordable(1, lengths=len(lengths), num_keys=num_keys)
    return np.arange(num_keys) < lengths[:, None, None]


def split_heads(x, num_heads):
    """Cut the width of every token into equal pieces, one for each head.

    Head h gets the columns from h * d_head up to, not including, (h + 1) * d_head, of every token.

    Parameters
    ----------
    x : (..., num_tokens, num_heads * d_head)
    num_heads : how many pieces

    Returns
    -------
    heads : (..., num_heads, num_tokens, d_head); of an array of floats a view: writing into it writes into `x`

    Raises
    ------
    TypeError, ValueError
        If x holds no numbers, has fewer than two axes, or a width that `num_heads` does not divide.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2.

    Examples
    --------
    >>> split_heads([[1, 2], [3, 4], [5, 6]], num_heads=2)[0].ravel()
    array([1., 3., 5.])
    """
    x = shapes.tokens("x", x)
    num_heads = inputs.whole_number("num_heads", num_heads, minimum=1)
    *batches, num_tokens, width = x.shape
    if width % num_heads:
        raise ValueError(f"num_heads must divide the width of x (last axis), got {num_heads} heads and x {x.shape}.")
    return np.swapaxes(x.reshape(*batches, num_tokens, num_heads, width // num_heads), -2, -3)


def merge_heads(x):
    """Lay the heads side by side again: what `split_heads` did, undone.

    Parameters
    ----------
    x : (..., num_heads, num_tokens, d_head)

    Returns
    -------
    tokens : (..., num_tokens, num_heads * d_head); of a single head a view: writing into it writes into `x`

    Raises
    ------
    TypeError, ValueError
        If x holds no numbers, or has fewer than three axes.

    Examples
    --------
    >>> merge_heads([[[1], [3], [5]], [[2], [4], [6]]])
    array([[1., 2.],
           [3., 4.],
           [5., 6.]])
    """
    x = shapes.tokens("x", x)
    if x.ndim < 3:
        raise ValueError(f"x must have at least 3 axes (heads, tokens, width of a head), got shape {x.shape}.")
    *batches, num_heads, num_tokens, d_head = x.shape
    return np.swapaxes(x, -2, -3).reshape(*batches, num_tokens, num_heads * d_head)


@threads.along_the_batch(query_tokens=0, context=0, mask=1)
def multi_head_attention(
    query_tokens, W_query, W_key, W_value, W_output, *, num_heads, context=None, mask=None,
    b_query=0.0, b_key=0.0, b_value=0.0, b_output=0.0,
):  # fmt: skip
    r"""Let several heads attend in parallel, each in its own columns, and mix what they bring.

    .. math:: Y = [H_1, ..., H_h] \, W_O + b_O, \qquad H_i = \mathrm{Attention}(X W_Q^i + b_Q^i, \; C W_K^i + b_K^i, \; C W_V^i + b_V^i)

    The matrices of all heads stand side by side in one: W_query = [W_Q^1, ..., W_Q^h].

    Parameters
    ----------
    query_tokens : (..., num_queries, d_model), the tokens X that ask
    W_query : (d_model, num_heads * d_k)
    W_key : (width of the context, num_heads * d_k)
    W_value : (width of the context, num_heads * d_v)
    W_output : (num_heads * d_v, d_output)
    num_heads : how many heads
    context : (..., num_keys, width), the tokens C that are asked; None = those that ask (self-attention)
    mask : Boolean, True = may attend; None = everything may. (num_queries, num_keys) holds for all; one with the batch
        axes of the tokens, (..., num_queries, num_keys) or padding_mask's (batch, 1, num_keys), holds for every head:
        the axis of the heads is put in; one with an axis more than the tokens, (..., num_heads, num_queries, num_keys),
        has it already and is used as it is
    b_query, b_key, b_value, b_output : numbers, or one for each column of the matrix of that name

    Returns
    -------
    Attention
        output (..., num_queries, d_output), weights and scores (..., num_heads, num_queries, num_keys)

    Raises
    ------
    TypeError, ValueError
        If a shape does not fit, `num_heads` does not divide a width, a number is NaN or infinite, or the mask leaves a
        query no key.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2. Bishop & Bishop, "Deep Learning" (2024),
    algorithm 12.2.

    Examples
    --------
    >>> tokens, I = np.array([[1, 0], [0, 1], [1, 1]]), np.eye(2)
    >>> multi_head_attention(tokens, I, I, I, I, num_heads=2).output.round(3)
    array([[0.845, 0.667],
           [0.667, 0.845],
           [0.845, 0.845]])
    """
    query_tokens, context, num_heads = shapes.heads(query_tokens, context, num_heads)
    asks, asked = f"query_tokens {query_tokens.shape}", f"context {context.shape}"
    with threads.one_for_blas():  # many small products
        query = _project(query_tokens, asks, "query", W_query, b_query, num_heads)
        key = _project(context, asked, "key", W_key, b_key, num_heads)
        value = _project(context, asked, "value", W_value, b_value, num_heads)
        shapes.same_columns(query, key, num_heads)
        query, key, value = (split_heads(x, num_heads) for x in (query, key, value))
        if mask is not None:
            mask = shapes.mask_over_heads(mask, query, key)
        heads, weights, scores = scaled_dot_product_attention(query, key, value, mask=mask)
        merged = merge_heads(heads)  # (..., num_queries, num_heads * d_v)
        output = _project(merged, f"the merged heads {merged.shape}", "output", W_output, b_output)
    return Attention(output, weights, scores)


def _project(tokens, described, role, W, b, num_heads=1):
    """(..., num_tokens, columns of W), with the names of `role` in the messages."""
    W, b = shapes.projection(described, tokens.shape[-1], role, W, b, num_heads)
    with np.errstate(over="ignore", invalid="ignore"):
        projected = tokens @ W + b
    return inputs.stays_finite(f"tokens @ W_{role} + b_{role}", projected, **{f"W_{role}": W, f"b_{role}": b})
