"""Attention in plain NumPy. Tokens are rows; a mask is Boolean, and True means *may attend*."""

import functools
import math
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import threadpoolctl

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
    base = _checked_base(base)
    _check_scores(np.asarray(scores), axis)
    return _shares(scores, axis, base)


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
    weights = inputs.numbers("weights", weights)
    plain = np.asarray(weights)
    _check_weights(plain)
    return weights[..., :, None] * (np.eye(plain.shape[-1], dtype=plain.dtype) - weights[..., None, :])


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
    scores = _scaled_scores(query, key, scale)
    if mask is not None:
        scores = np.where(_checked_mask(mask, scores.shape), scores, inputs.scalar_like(scores, -np.inf))
    weights = _shares(scores, -1, _checked_base(base))
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


def split_heads(x, num_heads):
    """Cut the width of every token into equal pieces, one for each head.

    Head h gets the columns from h * d_head up to, not including, (h + 1) * d_head, of every token.

    Parameters
    ----------
    x : (..., num_tokens, num_heads * d_head)
    num_heads : how many pieces

    Returns
    -------
    heads : (..., num_heads, num_tokens, d_head), a view: writing into it writes into `x`

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
    x = _tokens("x", x)
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
    tokens : (..., num_tokens, num_heads * d_head)

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
    x = _tokens("x", x)
    if x.ndim < 3:
        raise ValueError(f"x must have at least 3 axes (heads, tokens, width of a head), got shape {x.shape}.")
    *batches, num_heads, num_tokens, d_head = x.shape
    return np.swapaxes(x, -2, -3).reshape(*batches, num_tokens, num_heads * d_head)


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
    query_tokens = _tokens("query_tokens", query_tokens)
    context = query_tokens if context is None else _tokens("context", context)
    num_heads = inputs.whole_number("num_heads", num_heads, minimum=1)
    asks, asked = f"query_tokens {query_tokens.shape}", f"context {context.shape}"
    try:
        batches = np.broadcast_shapes(query_tokens.shape[:-2], context.shape[:-2])
    except ValueError:
        raise ValueError(
            f"query_tokens and context must have batch axes that broadcast, got {asks} and {asked}."
        ) from None
    query = _project(query_tokens, asks, "query", W_query, b_query, num_heads)
    key = _project(context, asked, "key", W_key, b_key, num_heads)
    value = _project(context, asked, "value", W_value, b_value, num_heads)
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            "W_query and W_key must have the same number of columns, "
            f"got {query.shape[-1]} and {key.shape[-1]} for {num_heads} heads."
        )
    query, key, value = (split_heads(x, num_heads) for x in (query, key, value))
    if mask is not None:
        mask = _over_heads(mask, (*batches, num_heads, query.shape[-2], key.shape[-2]))
    heads, weights, scores = scaled_dot_product_attention(query, key, value, mask=mask)
    merged = merge_heads(heads)  # (..., num_queries, num_heads * d_v)
    output = _project(merged, f"the merged heads {merged.shape}", "output", W_output, b_output)
    return Attention(output, weights, scores)


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
    block_size : how many keys pass by at once; any number gives the same output
    mask : Boolean, broadcastable to (..., num_queries, num_keys); True = may attend; None = everything may
    scale : the factor on the dot products; None = 1 / sqrt(d_k)

    Returns
    -------
    output : (..., num_queries, d_v), that of `scaled_dot_product_attention`

    Raises
    ------
    TypeError, ValueError
        As in `scaled_dot_product_attention`, and if the block size is no whole number of at least 1.

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
    query, key, value = (_tokens(name, x) for name, x in (("query", query), ("key", key), ("value", value)))
    _check_shapes(query, key, value)
    block_size = inputs.whole_number("block_size", block_size, minimum=1)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else inputs.finite_number("scale", scale)
    if mask is not None:
        shape = (*np.broadcast_shapes(query.shape[:-2], key.shape[:-2]), query.shape[-2], key.shape[-2])
        mask = np.broadcast_to(_checked_mask(mask, shape), shape)
    value_and_1 = np.concatenate([value, np.ones((*value.shape[:-1], 1), value.dtype)], axis=-1)
    with np.errstate(over="ignore"):
        query = query * inputs.scalar_like(query, scale)

    def attend(start):
        rows = slice(start, start + _QUERIES_AT_ONCE)
        masked = None if mask is None else mask[..., rows, :]
        return _stream(query[..., rows, :], key, value_and_1, masked, block_size)

    starts = range(0, query.shape[-2], _QUERIES_AT_ONCE)
    plain = all(type(x) is np.ndarray for x in (query, key, value_and_1))  # tensors with derivatives keep one book
    in_order = _side_by_side if plain and len(starts) > 1 else map
    return np.concatenate(list(in_order(attend, starts)), axis=-2)


def _shares(scores, axis, base):
    """Softmax of scores that are known to be good; each step after the first writes over the one before it."""
    with np.errstate(over="ignore"):  # a gap wider than the largest float is -inf: weight 0, which is right
        # a constant: no share, and no slope, depends on it
        largest = np.max(np.asarray(scores), axis=axis, keepdims=True)
        shares = scores - largest
        room = shares if type(shares) is np.ndarray else None  # a tensor with derivatives needs every step
        if base != math.e:
            shares = np.multiply(shares, math.log(base), out=room)
        shares = np.exp(shares, out=room)
        total = np.sum(shares, axis=axis, keepdims=True)
    _check_finite("the sum of the powers", total, "there are too many scores for {}.")
    return np.divide(shares, total, out=room)


def _checked_base(base):
    base = inputs.finite_number("base", base)
    if base <= 1:
        raise ValueError(f"base must be greater than 1, got {base:g}. A larger score would not get a larger weight.")
    return base


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


def _check_weights(weights):
    if weights.ndim == 0 or weights.size == 0:
        raise ValueError(f"weights must hold at least one weight along the last axis, got shape {weights.shape}.")
    if weights.min() < 0:
        raise ValueError(f"weights must be at least 0, got {weights.min():g}. Were these the scores?")
    sums = weights.sum(axis=-1)
    worst = sums.flat[np.argmax(np.abs(sums - 1))]
    if not abs(worst - 1) < 1e-3:
        raise ValueError(f"weights must sum to 1 along the last axis, got a sum of {worst:g}. Were these the scores?")


def _tokens(name, x):
    x = inputs.finite(name, x, min_axes=2)
    if 0 in x.shape[-2:]:
        raise ValueError(f"{name} must hold at least one token of width at least 1, got shape {x.shape}.")
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


def _project(tokens, described, role, W, b, num_heads=1):
    """tokens @ W + b, (..., num_tokens, columns of W), with the names of `role` in the messages."""
    name, W = f"W_{role}", inputs.numbers(f"W_{role}", W)
    if W.ndim != 2 or W.shape[0] != tokens.shape[-1]:
        raise ValueError(f"{name} must be a matrix with one row for each column of {described}, got {name} {W.shape}.")
    if W.shape[1] == 0:
        raise ValueError(f"{name} must have at least one column, got {name} {W.shape}.")
    if W.shape[1] % num_heads:
        raise ValueError(f"num_heads must divide the columns of {name}, got {num_heads} heads and {name} {W.shape}.")
    plain = np.isscalar(b)  # arrays and tensors without axes are not
    b = inputs.finite_number(f"b_{role}", b) if plain else inputs.numbers(f"b_{role}", b)
    if not plain and b.shape not in ((), W.shape[1:]):
        raise ValueError(f"b_{role} must be one number, or {W.shape[1]} as {name} has columns, got shape {b.shape}.")
    with np.errstate(over="ignore", invalid="ignore"):
        projected = np.matmul(tokens, W) + b
    _check_finite(f"tokens @ {name} + b_{role}", projected, "one of them holds infinity, or is too large for {}.")
    return projected


def _over_heads(mask, shape):
    """Give a mask over tokens the axis of the heads; `shape` is (..., num_heads, num_queries, num_keys)."""
    mask = inputs.booleans("mask", mask)
    every_head = np.expand_dims(mask, -3) if 3 <= mask.ndim < len(shape) else mask
    try:
        np.broadcast_to(every_head, shape)
    except ValueError:
        raise ValueError(
            f"mask must broadcast to (queries down, keys across) {shape[:-3] + shape[-2:]}, or with an axis for the "
            f"heads to {shape}, got {mask.shape}."
        ) from None
    return every_head


def _scaled_scores(query, key, scale):
    with np.errstate(over="ignore", invalid="ignore"):
        scores = np.matmul(query, np.swapaxes(key, -1, -2))
        if scale != 1:  # over the products themselves: a second large array would cost more than the multiplication
            room = scores if type(scores) is np.ndarray else None
            scores = np.multiply(scores, inputs.scalar_like(scores, scale), out=room)
    _check_finite("scores", scores, "query and key are too large for {}: their products overflow.")
    return scores


_QUERIES_AT_ONCE = 512  # measured: more is hardly faster, and each thread holds a block of 512 × 256 scores


_BLAS_IS_HELD = threading.Lock()  # two calls at once would each give back the number of threads that the other had set


@functools.cache
def _blas():
    return threadpoolctl.ThreadpoolController()  # it takes milliseconds to find NumPy's BLAS: once is enough


def _side_by_side(call, arguments):
    """[call(argument), ...] in threads of our own. BLAS keeps to one thread each meanwhile: its own ones would wait for
    each other after every small product, which takes far longer than the product on a busy machine."""
    workers = min(8, os.cpu_count() or 1)
    with _BLAS_IS_HELD, _blas().limit(limits=1, user_api="blas"), ThreadPoolExecutor(workers) as pool:
        return list(pool.map(call, arguments))


def _stream(query, key, value_and_1, mask, block_size):
    """Attention of some queries, already scaled. The keys pass by; the last column of `sums` is the sum of the powers."""
    largest, sums = inputs.scalar_like(query, -np.inf), inputs.scalar_like(query, 0)
    for start in range(0, key.shape[-2], block_size):
        block = slice(start, start + block_size)
        scores = _scaled_scores(query, key[..., block, :], 1)
        if mask is not None:
            scores = np.where(mask[..., block], scores, inputs.scalar_like(scores, -np.inf))
        new_largest = np.maximum(largest, np.max(scores, axis=-1, keepdims=True))
        blocked = np.isneginf(np.asarray(new_largest))  # every key so far
        reference = np.where(blocked, inputs.scalar_like(scores, 0), new_largest)
        room = scores if type(scores) is np.ndarray else None  # a tensor with derivatives needs every step
        with np.errstate(over="ignore"):  # a gap wider than the largest float is -inf: weight 0, which is right
            powers = np.exp(np.subtract(scores, reference, out=room), out=room)
            sums = sums * np.exp(largest - reference) + np.matmul(powers, value_and_1[..., block, :])
        largest = new_largest
    _check_finite("output", sums, "value is too large for {}: its weighted sums overflow.")
    return sums[..., :-1] / sums[..., -1:]


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
