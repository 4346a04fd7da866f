"""Attention in plain NumPy. Tokens are rows; a mask is Boolean, and True means *may attend*."""

import math
from typing import NamedTuple

import numpy as np

from helpers.support import inputs, threads
from helpers.support.documented import documented


class Attention(NamedTuple):
    """What attention gives, and the two matrices it went through.

    output : (..., num_queries, d_v), the weighted sums of the values
    weights : (..., num_queries, num_keys), each row sums to 1
    scores : (..., num_queries, num_keys), scaled and masked (-inf where blocked), as they enter softmax
    """

    output: np.ndarray
    weights: np.ndarray
    scores: np.ndarray


def _nothing_left(scores, axis, base):
    blocked = np.isneginf(np.asarray(scores)).all(axis=axis)
    if blocked.any():
        raise ValueError(
            f"scores must hold a finite number along axis {axis}, got nothing but -inf in "
            f"{inputs.first(blocked, 'scores', axis)}. There is nothing left to choose from."
        )


@documented(otherwise=_nothing_left)
def softmax(scores, axis=-1, base=math.e):
    r"""Turn scores into weights that are positive and sum to 1.

    .. math:: w_j = b^{s_j} / \sum_k b^{s_k}

    The largest score is subtracted first: the shares stay the same, and no power overflows.

    Parameters
    ----------
    scores : any shape, not empty; -inf gives weight 0, as long as one score along `axis` is finite
    axis : whole number, the axis along which the weights sum to 1
    base : number above 1, raised to the scores; base 3 keeps small whole scores exact fractions

    Returns
    -------
    weights : the shape of `scores`

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1.

    Examples
    --------
    >>> softmax([0, 0, 1, 0], base=3).round(4)
    array([0.1667, 0.1667, 0.5   , 0.1667])
    """
    largest = np.max(np.asarray(scores), axis=axis, keepdims=True)  # a constant to derivatives: no share depends on it
    with np.errstate(over="ignore"):  # a gap wider than the largest float is -inf: weight 0, which is right
        gaps = scores - largest
        gaps = gaps if base == math.e else gaps * inputs.scalar_like(scores, math.log(base))
    room = inputs.room(gaps)  # fresh memory costs more than the step
    powers = np.exp(gaps, out=room)
    return np.divide(powers, np.sum(powers, axis=axis, keepdims=True), out=room)


@documented
def softmax_jacobian(weights):
    r"""Tell how fast each weight moves with each score.

    .. math:: \partial w_i / \partial s_j = w_i (\delta_{ij} - w_j)

    Parameters
    ----------
    weights : (..., n), finite, what softmax in base e made of the scores s

    Returns
    -------
    jacobian : (..., n, n); row i belongs to weight i, column j to score j; rows and columns sum to 0

    Examples
    --------
    >>> softmax_jacobian([0.5, 0.5])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    inputs.shares("weights", weights)
    identity = np.eye(weights.shape[-1], dtype=weights.dtype)
    return weights[..., :, None] * (identity - weights[..., None, :])


@documented
def scaled_dot_product_attention(query, key, value, *, mask=None, scale=None, base=math.e):
    r"""Let every query ask every key, and mix the values by the answers.

    .. math:: \mathrm{softmax}(Q K^\top / \sqrt{d_k}) \, V

    Parameters
    ----------
    query : (..., num_queries, d_k)
    key : (..., num_keys, d_k)
    value : (..., num_keys, d_v)
    mask : Boolean, broadcastable to (..., num_queries, num_keys), True = may attend; None = everything may
    scale : number, the factor on the dot products; None = 1 / sqrt(d_k)
    base : number above 1, the base of softmax

    Returns
    -------
    Attention
        output (..., num_queries, d_v), weights and scores (..., num_queries, num_keys)

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
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = query @ np.swapaxes(key, -1, -2) * inputs.scalar_like(query, scale)
    if mask is not None:
        scores = np.where(mask, scores, inputs.scalar_like(scores, -np.inf))
    weights = softmax(scores, base=base)
    return Attention(weights @ value, weights, scores)


@documented
def causal_mask(num_queries, num_keys=None):
    """Let each token attend to itself and to the past.

    With more keys than queries, the queries are the last tokens: the last query sees every key.

    Parameters
    ----------
    num_queries : whole number, at least 1, of tokens that ask
    num_keys : whole number, at least num_queries, of tokens that are asked; None = num_queries

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
    num_keys = num_queries if num_keys is None else num_keys
    inputs.affordable(1, num_queries=num_queries, num_keys=num_keys)
    return np.tri(num_queries, num_keys, num_keys - num_queries, dtype=bool)


@documented
def padding_mask(lengths, num_keys):
    """Let every query attend to the real tokens of its sequence, and not to the padding after them.

    Parameters
    ----------
    lengths : (batch,) whole numbers, at least 1, at most num_keys: how many tokens of each sequence are real
    num_keys : whole number, at least 1, the length to which the sequences were padded

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
    inputs.affordable(1, lengths=len(lengths), num_keys=num_keys)
    return np.arange(num_keys) < lengths[:, None, None]


@documented
def split_heads(x, num_heads):
    """Cut the width of every token into equal pieces, one for each head.

    Head h gets the columns from h * d_head up to, not including, (h + 1) * d_head, of every token.

    Parameters
    ----------
    x : (..., num_tokens, num_heads * d_head), of any type
    num_heads : whole number, at least 1, of pieces

    Returns
    -------
    heads : (..., num_heads, num_tokens, d_head); of an array a view: writing into it writes into `x`

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2.

    Examples
    --------
    >>> split_heads([[1, 2], [3, 4], [5, 6]], num_heads=2)[0].ravel()
    array([1, 3, 5])
    """
    *batches, num_tokens, width = x.shape
    return np.swapaxes(x.reshape(*batches, num_tokens, num_heads, width // num_heads), -2, -3)


@documented
def merge_heads(x):
    """Lay the heads side by side again: what `split_heads` did, undone.

    Parameters
    ----------
    x : (..., num_heads, num_tokens, d_head), of any type

    Returns
    -------
    tokens : (..., num_tokens, num_heads * d_head); of a single head a view: writing into it writes into `x`

    Examples
    --------
    >>> merge_heads([[[1], [3], [5]], [[2], [4], [6]]])
    array([[1, 2],
           [3, 4],
           [5, 6]])
    """
    *batches, num_heads, num_tokens, d_head = x.shape
    return np.swapaxes(x, -2, -3).reshape(*batches, num_tokens, num_heads * d_head)


@documented
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
    W_key : (d_context, num_heads * d_k)
    W_value : (d_context, num_heads * d_v)
    W_output : (num_heads * d_v, d_output)
    num_heads : whole number, at least 1
    context : (..., num_keys, d_context), the tokens C that are asked; None = query_tokens, those that ask (self-attention)
    mask : Boolean, True = may attend; None = everything may. (num_queries, num_keys) holds for all; one with the batch
        axes of the tokens, (..., num_queries, num_keys) or padding_mask's (batch, 1, num_keys), holds for every head:
        the axis of the heads is put in; one with an axis more than the tokens, (..., num_heads, num_queries, num_keys),
        has it already and is used as it is
    b_query, b_key : (num_heads * d_k,) or a number
    b_value : (num_heads * d_v,) or a number
    b_output : (d_output,) or a number

    Returns
    -------
    Attention
        output (..., num_queries, d_output), weights and scores (..., num_heads, num_queries, num_keys)

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
    context = query_tokens if context is None else context
    with threads.one_for_blas():  # many small products
        query = split_heads(query_tokens @ W_query + b_query, num_heads)
        key = split_heads(context @ W_key + b_key, num_heads)
        value = split_heads(context @ W_value + b_value, num_heads)
        if mask is not None and 3 <= mask.ndim < query.ndim:
            mask = np.expand_dims(mask, -3)  # the axis of the heads
        heads, weights, scores = scaled_dot_product_attention(query, key, value, mask=mask)
        return Attention(merge_heads(heads) @ W_output + b_output, weights, scores)
