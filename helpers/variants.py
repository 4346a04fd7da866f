"""Attention after 2017: heads that share their keys, a window, a cache, and a state instead of it. Plain NumPy."""

from collections import deque

import numpy as np

from helpers.attention import Attention, causal_mask, scaled_dot_product_attention, softmax
from helpers.since_2017.softmax_variants import soft_cap
from helpers.support import inputs

# --- fewer keys and values -------------------------------------------------------------------------------------------


def grouped_query_attention(query, key, value, *, mask=None, scale=None, softcap=None):
    r"""Let groups of query heads share one head of keys and values.

    .. math:: H_h = \mathrm{Attention}(Q_h, K_{\lfloor h / g \rfloor}, V_{\lfloor h / g \rfloor}), \qquad
              g = \frac{\text{query heads}}{\text{key-value heads}}

    One key-value head for all query heads is multi-query attention; one for each is multi-head attention.

    Parameters
    ----------
    query : (..., num_heads, num_queries, d_k)
    key : (..., num_key_value_heads, num_keys, d_k)
    value : (..., num_key_value_heads, num_keys, d_v)
    mask : Boolean, broadcastable to (..., num_heads, num_queries, num_keys); True = may attend; None = everything may
    scale : the factor on the dot products; None = 1 / sqrt(d_k)
    softcap : c, greater than 0: every scaled score s becomes c tanh(s / c) before the mask; None = they stay

    Returns
    -------
    Attention
        output (..., num_heads, num_queries, d_v), weights and scores (..., num_heads, num_queries, num_keys)

    Raises
    ------
    TypeError, ValueError
        If the heads of key and value differ or do not divide those of the query, softcap is not greater than 0, or as in
        `attention.scaled_dot_product_attention`.

    References
    ----------
    Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models" (2023), section 2.2; one shared head:
    Shazeer, "Fast Transformer Decoding" (2019), section 3; softcap: Gemma 2 (2024), section 2.

    Examples
    --------
    >>> query = np.ones((4, 1, 1)) * [1, 0]  # four heads that ask the same
    >>> key = np.array([[[1, 0]], [[0, 1]]])  # two heads that are asked
    >>> grouped_query_attention(query, key, key, scale=1).scores.ravel()
    array([1., 1., 0., 0.])
    """
    query, key, value = (
        inputs.finite(name, x, min_axes=3) for name, x in (("query", query), ("key", key), ("value", value))
    )
    _check_widths(query, key)
    _check_counts(key, value)
    num_heads, shared = query.shape[-3], key.shape[-3]
    if value.shape[-3] != shared:
        raise ValueError(
            "key and value must have the same number of heads (third-last axis), "
            f"got key {key.shape} and value {value.shape}."
        )
    if shared == 0 or num_heads % shared:
        raise ValueError(
            "the heads of key and value must divide those of query (third-last axis), "
            f"got {shared} for {num_heads} query heads: query {query.shape} and key {key.shape}."
        )
    if softcap is not None and inputs.finite_number("softcap", softcap) <= 0:
        raise ValueError(
            f"softcap must be greater than 0, got {softcap:g}. It is the largest size that a score can have."
        )
    key, value = (np.repeat(x, num_heads // shared, axis=-3) for x in (key, value))  # 0 0 1 1, not 0 1 0 1
    plain = scaled_dot_product_attention(query, key, value, mask=mask, scale=scale)
    if softcap is None:
        return plain
    blocked = np.isneginf(np.asarray(plain.scores))
    scores = np.where(blocked, plain.scores, soft_cap(np.where(blocked, 0, plain.scores), softcap))
    weights = softmax(scores)
    return Attention(np.matmul(weights, value), weights, scores)


def window_mask(num_queries, num_keys=None, *, window):
    """Let each token attend to itself and to the tokens just before it, `window` in all.

    With more keys than queries, the queries are the last tokens, as in `attention.causal_mask`.

    Parameters
    ----------
    num_queries : number of tokens that ask
    num_keys : number of tokens that are asked, at least `num_queries`; None = as many as ask
    window : how many keys a query may attend to, itself among them; at least 1

    Returns
    -------
    mask : (num_queries, num_keys) Boolean, True = may attend

    Raises
    ------
    TypeError, ValueError
        If a count is no whole number of at least 1, or there are fewer keys than queries.

    References
    ----------
    Beltagy, Peters, Cohan, "Longformer" (2020), section 3.1; causal, W keys with the token itself: Jiang et al., "Mistral
    7B" (2023), section 2.

    Examples
    --------
    >>> window_mask(3, window=2).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 1, 1]])
    """
    past = causal_mask(num_queries, num_keys)
    window = inputs.whole_number("window", window, minimum=1)
    rows, columns = past.shape
    return past & ~np.tri(rows, columns, columns - rows - min(window, columns), dtype=bool)


class KeyValueCache:
    """Keep the keys and values of all tokens so far, so that a new token computes only its own.

    `len(cache)` is the number of tokens kept, `cache.nbytes` the memory that their numbers take.

    References
    ----------
    Pope et al., "Efficiently Scaling Transformer Inference" (2022).

    Examples
    --------
    >>> cache = KeyValueCache()
    >>> for token in np.array([[1, 0], [0, 1], [1, 1]]):
    ...     keys, values = cache.append([token], [token])
    >>> len(cache), keys.tolist()
    (3, [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    """

    def __init__(self):
        self._kept = None

    def __len__(self):
        return 0 if self._kept is None else self._kept[0].shape[-2]

    @property
    def nbytes(self):
        return 0 if self._kept is None else sum(array.nbytes for array in self._kept)

    def append(self, key, value):
        """Put the keys and values of new tokens behind those that are kept, and give all of them.

        Parameters
        ----------
        key : (..., num_new, d_k)
        value : (..., num_new, d_v)

        Returns
        -------
        keys, values : (..., num_tokens, d_k) and (..., num_tokens, d_v), the new ones last; they cannot be written into

        Raises
        ------
        TypeError, ValueError
            If something is no number or not finite, key and value are not as many, or another shape than before came.
        """
        new = _rows("key", key), _rows("value", value)
        _check_counts(*new)
        if self._kept is None:
            kept = tuple(array.copy() for array in new)
        else:
            for name, old, array in zip(("key", "value"), self._kept, new):
                if old.shape[:-2] + old.shape[-1:] != array.shape[:-2] + array.shape[-1:]:
                    raise ValueError(
                        f"{name} must have the batch axes, heads and width of the tokens that are kept, "
                        f"{old.shape}, got {array.shape}."
                    )
            kept = tuple(np.concatenate(pair, axis=-2) for pair in zip(self._kept, new))
        for array in kept:
            array.setflags(write=False)
        self._kept = kept
        return kept


# --- a state instead of a cache --------------------------------------------------------------------------------------


def linear_attention(query, key, value, *, decay=1.0, strength=None):
    r"""Attend without softmax: the past is one matrix, which grows by a product of key and value at each token.

    .. math:: S_t = \gamma S_{t - 1} + k_t^\top v_t, \qquad y_t = q_t S_t

    Causal, not scaled and not divided by anything: y equals (Q Kᵀ ∘ D) V with D_ij = γ^(i - j) for j ≤ i, else 0. With a strength
    the delta rule corrects the state, as in `state_after`.

    Parameters
    ----------
    query, key : (..., num_tokens, d_k)
    value : (..., num_tokens, d_v)
    decay : gamma, from 0 to 1: how much of the state remains after a token; one number, or one for each token (..., num_tokens)
    strength : beta, as in `state_after`

    Returns
    -------
    output : (..., num_tokens, d_v)

    Raises
    ------
    TypeError, ValueError
        If something is no number or not finite, shapes do not fit, decay or strength leaves 0 to 1, a sum overflows, or, with a
        strength, a key is longer than 1.

    References
    ----------
    Katharopoulos et al., "Transformers are RNNs" (2020), section 3.4; decay: Sun et al., "Retentive Network" (2023),
    section 2.1.

    Examples
    --------
    >>> tokens = np.array([[1, 0], [0, 1], [1, 1]])
    >>> linear_attention(tokens, tokens, tokens)[-1], linear_attention(tokens, tokens, tokens, decay=0.5)[-1]
    (array([3., 3.]), array([2.25, 2.5 ]))
    """
    return _read(query, key, value, _writing(key, decay, strength))


def state_after(key, value, *, decay=1.0, strength=None):
    r"""Give the state when all tokens have passed: that of `linear_attention`, or one that the delta rule corrects.

    .. math:: S_t = \gamma_t S_{t - 1} + \beta_t \, k_t^\top (v_t - \gamma_t k_t S_{t - 1})

    A query q reads q S from it. With a key of length 1 and beta = 1 it gives exactly the newest value for that key. Each
    correction is a step of gradient descent on |v - k S|² / 2, of size beta. With a decay it is the gated delta rule.

    Parameters
    ----------
    key : (..., num_tokens, d_k); for the delta rule keys of length 1 at most, or the corrections overshoot
    value : (..., num_tokens, d_v)
    decay : gamma, as in `linear_attention`
    strength : beta, from 0 to 1: how much of the error is corrected; one number, or one for each token (..., num_tokens);
        None = add the value, and correct nothing

    Returns
    -------
    state : (..., d_k, d_v)

    Raises
    ------
    TypeError, ValueError
        As in `linear_attention`, and if a key is longer than 1 or strength leaves 0 to 1.

    References
    ----------
    Schlag, Irie, Schmidhuber, "Linear Transformers Are Secretly Fast Weight Programmers" (2021), section 4.2; with decay:
    Yang, Kautz, Hatamizadeh, "Gated Delta Networks" (2024), section 3.1.

    Examples
    --------
    >>> tokens = np.array([[1, 0], [0, 1], [1, 1]])
    >>> state_after(tokens, tokens)
    array([[2., 1.],
           [1., 2.]])
    """
    last = deque(_states(key, value, _writing(key, decay, strength)), maxlen=1).pop()
    return _narrow("the state", last, np.result_type(_rows("key", key), _rows("value", value)))


def _writing(key, decay, strength):
    return _fading(key, decay) if strength is None else _correcting(key, strength, decay)


def _fading(key, decay):
    decay = _gates("decay", decay, key)
    return lambda t, state, k, v: decay(t) * state + k * v


def _correcting(key, strength, decay):
    strength, decay, key = _gates("strength", strength, key), _gates("decay", decay, key), _rows("key", key)
    with np.errstate(over="ignore"):  # then it is longer than 1
        lengths = np.sqrt(np.sum(np.square(inputs.wide(key)), axis=-1))
    if (lengths > 1 + max(1e-5, 4 * np.finfo(key.dtype).eps)).any():
        raise ValueError(
            f"key must hold vectors of length 1 at most, got {lengths.max():g}. unit_length(key) makes them so."
        )

    def correct(t, state, k, v):
        faded = decay(t) * state
        says = np.sum(k * faded, axis=-2, keepdims=True)
        return faded + strength(t) * k * (v - says)

    return correct


def _gates(name, values, key):
    """function(t) -> the gate of token t, from one number or one for each token."""
    if not (isinstance(values, (list, tuple)) or getattr(values, "ndim", 0)):
        share = _share(name, values)
        return lambda t: share
    key, values = _rows("key", key), np.asarray(inputs.finite(name, values))
    try:
        np.broadcast_to(values, key.shape[:-1])
    except ValueError:
        raise ValueError(
            f"{name} must be one number, or one for each token, {key.shape[:-1]}, got shape {values.shape}."
        ) from None
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"{name} must lie between 0 and 1, got numbers from {values.min():g} to {values.max():g}.")
    values = np.broadcast_to(values, key.shape[:-1]).astype(inputs.wide(key).dtype)[..., None, None]
    return lambda t: values[..., t, :, :]


def _states(key, value, write):
    """The states after each token, in at least 32 bits: `write(t, state, key as a column, value as a row)` makes the next."""
    key, value = inputs.wide(_rows("key", key)), inputs.wide(_rows("value", value))
    _check_counts(key, value)
    batch = _batch_of(key=key, value=value)
    state = np.zeros((*batch, key.shape[-1], value.shape[-1]), np.result_type(key, value))
    for t in range(key.shape[-2]):
        with np.errstate(over="ignore", invalid="ignore"):
            state = write(t, state, key[..., t, :, None], value[..., t, None, :])
        if not np.isfinite(state).all():
            raise ValueError(f"the state must stay finite, but its sums are too large for {state.dtype}.")
        yield state


def _read(query, key, value, write):
    """What the query of each token reads from the state, once the token itself has written."""
    query, key, value = _rows("query", query), _rows("key", key), _rows("value", value)
    _check_widths(query, key)
    if query.shape[-2] != key.shape[-2]:
        raise ValueError(
            "query and key must have the same number of tokens (second-last axis), since each token asks and is asked, "
            f"got query {query.shape} and key {key.shape}."
        )
    _check_counts(key, value)
    batch = _batch_of(query=query, key=key, value=value)
    dtype, query = np.result_type(query, key, value), inputs.wide(query)
    output = np.empty((*batch, *value.shape[-2:]), np.result_type(dtype, np.float32))
    with np.errstate(over="ignore", invalid="ignore"):
        for t, state in enumerate(_states(key, value, write)):
            output[..., t, :] = np.matmul(query[..., t, None, :], state)[..., 0, :]
    return _narrow("output", output, dtype)


def _narrow(name, sums, dtype):
    """The sums in the dtype of what was given, if it can hold them."""
    with np.errstate(over="ignore"):
        return inputs.stays_finite(name, sums.astype(dtype, copy=False), "its sums are too large for {}.")


def _batch_of(**arrays):
    try:
        return np.broadcast_shapes(*(array.shape[:-2] for array in arrays.values()))
    except ValueError:
        *first, last = arrays
        *shapes, last_shape = (f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(
            f"{', '.join(first)} and {last} must have batch axes that broadcast, got {', '.join(shapes)} and {last_shape}."
        ) from None


def _check_widths(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"query and key must have the same width d_k (last axis), got query {query.shape} and key {key.shape}."
        )


def _check_counts(key, value):
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            "key and value must have the same number of tokens (second-last axis), "
            f"got key {key.shape} and value {value.shape}."
        )


def _rows(name, x):
    x = inputs.without_derivatives(name, inputs.finite(name, x, min_axes=2), "array")
    if 0 in x.shape[-2:]:
        raise ValueError(f"{name} must hold at least one token of width at least 1, got shape {x.shape}.")
    return x


def _share(name, value):
    value = inputs.finite_number(name, value)
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must lie between 0 and 1, got {value:g}.")
    return value
