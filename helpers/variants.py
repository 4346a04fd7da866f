"""Attention after 2017: heads that share their keys, a window, a cache, and a state instead of it. Plain NumPy."""

from collections import deque

import numpy as np

from helpers.attention import Attention, causal_mask, scaled_dot_product_attention, softmax
from helpers.since_2017.softmax_variants import soft_cap
from helpers.support import inputs
from helpers.support.documented import documented

# --- fewer keys and values -------------------------------------------------------------------------------------------


@documented
def grouped_query_attention(query, key, value, *, mask=None, scale=None, softcap=None):
    r"""Let groups of query heads share one head of keys and values.

    .. math:: H_h = \mathrm{Attention}(Q_h, K_{\lfloor h / g \rfloor}, V_{\lfloor h / g \rfloor}), \qquad
              g = \frac{\text{query heads}}{\text{key-value heads}}

    One key-value head for all query heads is multi-query attention; one for each is multi-head attention.

    Parameters
    ----------
    query : (..., num_key_value_heads * group, num_queries, d_k), finite
    key : (..., num_key_value_heads, num_keys, d_k), finite
    value : (..., num_key_value_heads, num_keys, d_v)
    mask : Boolean, True = may attend, broadcastable to (..., num_heads, num_queries, num_keys); None = everything may
    scale : number, the factor on the dot products; None = 1 / sqrt(d_k)
    softcap : number above 0, c: every scaled score s becomes c tanh(s / c) before the mask; None = they stay

    Returns
    -------
    Attention
        output (..., num_heads, num_queries, d_v), weights and scores (..., num_heads, num_queries, num_keys)

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
    group = query.shape[-3] // key.shape[-3]
    key, value = (np.repeat(x, group, axis=-3) for x in (key, value))  # 0 0 1 1, not 0 1 0 1
    plain = scaled_dot_product_attention(query, key, value, mask=mask, scale=scale)
    if softcap is None:
        return plain
    blocked = np.isneginf(np.asarray(plain.scores))
    scores = np.where(blocked, plain.scores, soft_cap(plain.scores, softcap))
    weights = softmax(scores)
    return Attention(weights @ value, weights, scores)


@documented
def window_mask(num_queries, num_keys=None, *, window):
    """Let each token attend to itself and to the tokens just before it, `window` in all.

    With more keys than queries, the queries are the last tokens, as in `attention.causal_mask`.

    Parameters
    ----------
    num_queries : whole number, at least 1, of tokens that ask
    num_keys : whole number, at least num_queries, of tokens that are asked; None = num_queries
    window : whole number, at least 1, of keys that a query may attend to, itself among them

    Returns
    -------
    mask : (num_queries, num_keys) Boolean, True = may attend

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

    @documented
    def append(self, key, value):
        """Put the keys and values of new tokens behind those that are kept, and give all of them.

        Parameters
        ----------
        key : (..., num_new, d_k), finite
        value : (..., num_new, d_v), finite

        Returns
        -------
        keys, values : (..., num_tokens, d_k) and (..., num_tokens, d_v), the new ones last; they cannot be written into
        """
        new = [inputs.without_derivatives(name, x, "array") for name, x in (("key", key), ("value", value))]
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


@documented
def linear_attention(query, key, value, *, decay=1.0, strength=None):
    r"""Attend without softmax: the past is one matrix, which grows by a product of key and value at each token.

    .. math:: S_t = \gamma S_{t - 1} + k_t^\top v_t, \qquad y_t = q_t S_t

    Causal, not scaled and not divided by anything: y equals (Q Kᵀ ∘ D) V with D_ij = γ^(i - j) for j ≤ i, else 0. With a strength
    the delta rule corrects the state, as in `state_after`.

    Parameters
    ----------
    query, key : (..., num_tokens, d_k)
    value : (..., num_tokens, d_v)
    decay : (..., num_tokens) or a number, at least 0, at most 1: gamma, how much of the state remains after a token
    strength : (..., num_tokens) or a number, at least 0, at most 1: beta, as in `state_after`

    Returns
    -------
    output : (..., num_tokens, d_v)

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
    reads = [query[..., t, None, :] @ state for t, state in enumerate(_states(key, value, decay, strength))]
    return np.concatenate(reads, axis=-2)


@documented
def state_after(key, value, *, decay=1.0, strength=None):
    r"""Give the state when all tokens have passed: that of `linear_attention`, or one that the delta rule corrects.

    .. math:: S_t = \gamma_t S_{t - 1} + \beta_t \, k_t^\top (v_t - \gamma_t k_t S_{t - 1})

    A query q reads q S from it. With a key of length 1 and beta = 1 it gives exactly the newest value for that key. Each
    correction is a step of gradient descent on |v - k S|² / 2, of size beta. With a decay it is the gated delta rule.

    Parameters
    ----------
    key : (..., num_tokens, d_k); for the delta rule keys of length 1 at most, or the corrections overshoot
    value : (..., num_tokens, d_v)
    decay : (..., num_tokens) or a number, at least 0, at most 1: gamma, as in `linear_attention`
    strength : (..., num_tokens) or a number, at least 0, at most 1: beta, how much of the error is corrected;
        None = add the value, and correct nothing

    Returns
    -------
    state : (..., d_k, d_v)

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
    return deque(_states(key, value, decay, strength), maxlen=1).pop()


def _states(key, value, decay, strength):
    """The states after each token."""
    if strength is not None:
        _refuse_long(key)
    decay, strength, state = inputs.alike(decay, key), inputs.alike(strength, key), 0
    for t in range(key.shape[-2]):
        k, v = key[..., t, :, None], value[..., t, None, :]
        state = _of_token(t, decay) * state
        if strength is not None:
            v = _of_token(t, strength) * (v - np.sum(k * state, axis=-2, keepdims=True))
        state = state + k * v
        yield state


def _of_token(t, gate):
    return gate[..., t, None, None] if np.ndim(gate) else gate


def _refuse_long(key):
    plain = np.asarray(key)
    longest = np.sqrt(np.max(np.sum(plain * plain, axis=-1)))
    if longest > 1 + max(1e-5, 4 * np.finfo(np.float16).eps if plain.dtype == np.float32 else 0):
        raise ValueError(f"key must hold vectors of length 1 at most, got {longest:g}. unit_length(key) makes them so.")
