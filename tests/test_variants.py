"""Attention after 2017 by pencil, by pure loops, against PyTorch where it is there, and with bad input."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.attention import causal_mask, scaled_dot_product_attention
from helpers.learning import training
from helpers.since_2017.softmax_variants import unit_length
from helpers.variants import (
    KeyValueCache,
    grouped_query_attention,
    linear_attention,
    state_after,
    window_mask,
)

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)
X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def heads(seed=0, batch=(2,), groups=3, shared=2, queries=5, keys=7, d_k=11, d_v=13):
    rng = np.random.default_rng(seed)
    shapes = (groups * shared, queries, d_k), (shared, keys, d_k), (shared, keys, d_v)
    return [rng.normal(size=(*batch, *shape)) for shape in shapes]


# --- grouped heads ---------------------------------------------------------------------------------------------------


def grouped_by_loops(query, key, value, mask, scale, cap):
    """One head, one query, one key at a time."""
    *batch, num_heads, num_queries, _ = query.shape
    group = num_heads // key.shape[-3]
    output = np.empty((*batch, num_heads, num_queries, value.shape[-1]))
    mask = np.broadcast_to(True if mask is None else mask, (*batch, num_heads, num_queries, key.shape[-2]))
    for *b, h, i in np.ndindex(*batch, num_heads, num_queries):
        keys, values = key[*b, h // group], value[*b, h // group]
        scores = [scale * math.fsum(q * k for q, k in zip(query[*b, h, i], row)) for row in keys]
        scores = [cap * math.tanh(s / cap) for s in scores] if cap else scores
        powers = [math.exp(s) if allowed else 0.0 for s, allowed in zip(scores, mask[*b, h, i])]
        output[*b, h, i] = [math.fsum(p * v for p, v in zip(powers, column)) / sum(powers) for column in values.T]
    return output


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
@pytest.mark.parametrize(("groups", "shared"), [(1, 3), (3, 1), (3, 2), (1, 1)])
@pytest.mark.parametrize("cap", [None, 0.7])
@pytest.mark.parametrize("masked", [False, True])
def test_grouped_query_attention_equals_pure_loops(batch, groups, shared, cap, masked):
    query, key, value = heads(1, batch, groups, shared)
    mask = causal_mask(5, 7) if masked else None
    found = grouped_query_attention(query, key, value, mask=mask, scale=0.9, softcap=cap)
    np.testing.assert_allclose(found.output, grouped_by_loops(query, key, value, mask, 0.9, cap), atol=1e-13)
    np.testing.assert_allclose(found.weights.sum(axis=-1), 1)
    np.testing.assert_allclose(found.output, found.weights @ np.repeat(value, groups, axis=-3), rtol=1e-12)
    assert np.isneginf(found.scores).any() == masked


def test_a_mask_may_differ_from_head_to_head():
    query, key, value = heads(4)
    mask = np.random.default_rng(4).random((2, 6, 5, 7)) < 0.6
    mask[..., 0] = True
    found = grouped_query_attention(query, key, value, mask=mask)
    np.testing.assert_array_equal(found.weights > 0, mask)
    np.testing.assert_allclose(found.output, grouped_by_loops(query, key, value, mask, 11**-0.5, None), atol=1e-13)


# --- window ----------------------------------------------------------------------------------------------------------


@quick
@given(st.integers(1, 9), st.integers(0, 9), st.integers(1, 20))
def test_window_mask_equals_loops(num_queries, before, window):
    mask = window_mask(num_queries, num_queries + before, window=window)
    assert mask.dtype == bool and mask.shape == (num_queries, num_queries + before)
    for i, row in enumerate(mask):
        for j, allowed in enumerate(row):
            assert allowed == (0 <= i + before - j < window)


# --- the cache -------------------------------------------------------------------------------------------------------


@quick
@given(st.sampled_from([(), (2,), (2, 3)]), st.lists(st.integers(1, 4), min_size=1, max_size=5), st.integers(0, 2**32))
def test_attention_with_a_cache_equals_attention_at_once(batch, pieces, seed):
    rng = np.random.default_rng(seed)
    n = sum(pieces)
    query, key, value = (rng.normal(size=(*batch, n, width)) for width in (5, 5, 7))
    whole = scaled_dot_product_attention(query, key, value, mask=causal_mask(n)).output
    cache, start, rows = KeyValueCache(), 0, []
    for piece in pieces:
        part = np.s_[..., start : start + piece, :]
        keys, values = cache.append(key[part], value[part])
        start += piece
        assert len(cache) == start and keys.shape[-2] == values.shape[-2] == start
        rows.append(scaled_dot_product_attention(query[part], keys, values, mask=causal_mask(piece, start)).output)
    np.testing.assert_allclose(np.concatenate(rows, axis=-2), whole, rtol=1e-12)
    np.testing.assert_array_equal(keys, key)


def test_cache_counts_its_tokens_and_bytes():
    cache = KeyValueCache()
    assert (len(cache), cache.nbytes) == (0, 0)
    cache.append(np.ones((2, 3, 5), np.float32), np.ones((2, 3, 7), np.float32))
    assert (len(cache), cache.nbytes) == (3, 4 * 2 * 3 * (5 + 7))


def test_what_is_kept_is_safe_from_both_sides():
    cache, key = KeyValueCache(), np.ones((1, 2))
    keys, _ = cache.append(key, key)
    key[:] = 9
    with pytest.raises(ValueError, match="read-only"):
        keys[0, 0] = 9
    earlier = keys
    keys, values = cache.append(key, key)
    assert keys.tolist() == values.tolist() == [[1, 1], [9, 9]] and earlier.tolist() == [[1, 1]]
    assert keys.dtype == np.float64


@pytest.mark.parametrize(
    ("key", "value", "error", "message"),
    [
        (np.ones((1, 3)), np.ones((1, 3)), ValueError, "key must have the batch axes, heads and width of the tokens that are kept, (4, 2), got (1, 3)."),
        (np.ones((5, 1, 2)), np.ones((5, 1, 3)), ValueError, "key must have the batch axes, heads and width of the tokens that are kept, (4, 2), got (5, 1, 2)."),
        (np.ones((1, 2)), np.ones((1, 2)), ValueError, "value must have the batch axes, heads and width of the tokens that are kept, (4, 3), got (1, 2)."),
    ],
)  # fmt: skip
def test_cache_refuses_and_stays_as_it_was(key, value, error, message):
    cache = KeyValueCache()
    cache.append(np.zeros((4, 2)), np.zeros((4, 3)))
    with pytest.raises(error) as caught:
        cache.append(key, value)
    assert str(caught.value) == message
    assert len(cache) == 4


# --- a state ---------------------------------------------------------------------------------------------------------


def masked_product(query, key, value, decay):
    """(Q Kᵀ ∘ D) V, one number at a time."""
    output = np.zeros((len(query), value.shape[1]))
    for i in range(len(query)):
        for j in range(i + 1):
            output[i] += math.fsum(a * b for a, b in zip(query[i], key[j])) * decay ** (i - j) * value[j]
    return output


def test_linear_attention_of_three_tokens_both_ways():
    np.testing.assert_allclose(linear_attention(X, X, X), [[1, 0], [0, 1], [3, 3]])
    np.testing.assert_allclose(np.tril(X @ X.T) @ X, [[1, 0], [0, 1], [3, 3]])
    np.testing.assert_allclose(X.T @ X, [[2, 1], [1, 2]])  # the state after all three
    np.testing.assert_allclose(linear_attention(X, X, X, decay=0.5)[2], [2.25, 2.5])


@quick
@given(st.floats(0, 1), st.integers(1, 13), st.integers(0, 2**32))
def test_linear_attention_equals_the_masked_product(decay, num_tokens, seed):
    rng = np.random.default_rng(seed)
    query, key, value = (rng.normal(size=(num_tokens, width)) for width in (5, 5, 7))
    found = linear_attention(query, key, value, decay=decay)
    np.testing.assert_allclose(found, masked_product(query, key, value, decay), atol=1e-10)
    np.testing.assert_allclose(found, read(query, key, value, decay=decay), atol=1e-10)


def test_linear_attention_broadcasts_batch_axes():
    rng = np.random.default_rng(10)
    query, key, value = (rng.normal(size=(2, 3, 5, width)).astype(np.float32) for width in (7, 7, 11))
    found = linear_attention(query, key[:, :1], value, decay=0.9)
    assert found.shape == (2, 3, 5, 11) and found.dtype == np.float32
    for b in range(2):
        for h in range(3):
            one = masked_product(query[b, h], key[b, 0], value[b, h], 0.9)
            np.testing.assert_allclose(found[b, h], one, atol=1e-4)


def read(query, key, value, **how):
    """What the query of each token reads from the state that its past has left."""
    states = [state_after(key[..., : t + 1, :], value[..., : t + 1, :], **how) for t in range(key.shape[-2])]
    return np.stack([query[..., t, None, :] @ state for t, state in enumerate(states)], axis=-3)[..., 0, :]


def test_same_key_twice_reads_30_by_the_sum_and_20_by_the_delta_rule():
    ones, values = [[1.0], [1.0]], [[10.0], [20.0]]
    assert linear_attention(ones, ones, values)[-1] == 30
    assert state_after(ones, values, strength=1) == 20
    assert state_after(ones, values, strength=0) == 0


def test_gated_delta_rule_is_the_formula_of_its_paper():
    """S_t = S_{t-1} (α_t (I − β_t k_t k_tᵀ)) + β_t v_t k_tᵀ with columns, as in Gated Delta Networks."""
    rng = np.random.default_rng(14)
    query, key, value = rng.normal(size=(2, 7, 3)), unit_length(rng.normal(size=(2, 7, 3))), rng.normal(size=(2, 7, 5))
    alpha, beta, S, reads = rng.random((2, 7)), rng.random((2, 7)), np.zeros((2, 5, 3)), np.zeros((2, 7, 5))
    for h, t in np.ndindex(2, 7):
        k, v, a, b = key[h, t], value[h, t], alpha[h, t], beta[h, t]
        S[h] = S[h] @ (a * (np.eye(3) - b * np.outer(k, k))) + b * np.outer(v, k)
        reads[h, t] = S[h] @ query[h, t]
    np.testing.assert_allclose(state_after(key, value, strength=beta, decay=alpha), np.swapaxes(S, 1, 2), atol=1e-12)
    np.testing.assert_allclose(linear_attention(query, key, value, strength=beta, decay=alpha), reads, atol=1e-12)


def test_two_names_of_which_one_is_written_again_read_as_on_paper():
    key, value = np.array([[1, 0], [0, 1], [1, 0]]), np.array([[10.0], [20.0], [30.0]])
    reads = {"sum": {}, "decay": {"decay": 0.5}, "delta": {"strength": 1}, "gated": {"strength": 1, "decay": 0.5}}
    reads = {name: state_after(key, value, **how).ravel().tolist() for name, how in reads.items()}
    assert reads == {"sum": [40, 20], "decay": [32.5, 10], "delta": [30, 20], "gated": [30, 10]}
    assert state_after(key, value, strength=[1, 1, 0]).ravel().tolist() == [10, 20]  # strength 0 writes nothing
    assert state_after(key, value, decay=[1, 1, 0]).ravel().tolist() == [30, 0]  # decay 0 wipes what was there


def test_state_of_three_pairs_in_two_dimensions():
    key, value = np.array([[1, 0], [0, 1], [0.6, 0.8]]), np.array([[10.0], [20.0], [30.0]])
    np.testing.assert_allclose(key @ state_after(key, value), [[28], [44], [52]])
    np.testing.assert_allclose(key @ state_after(key, value, strength=1), [[14.8], [26.4], [30]])


def test_delta_rule_takes_what_unit_length_made_in_16_bits():
    key = unit_length(np.random.default_rng(0).normal(size=(200, 2)).astype(np.float16))
    assert np.isfinite(state_after(key, key, strength=1)).all()


@pytest.mark.parametrize("how", [{}, {"decay": 0.9999}, {"strength": 0.05}])
def test_a_state_in_16_bits_does_not_stand_still(how):
    key, value = np.full((3000, 1), 1 / 16, np.float16), np.full((3000, 1), 16, np.float16)
    state = state_after(key, value, **how)
    assert state.dtype == np.float16
    np.testing.assert_allclose(state, state_after(key.astype(float), value.astype(float), **how), rtol=1e-3)
    if "strength" not in how:
        found = linear_attention(key * 16, key, value, **how)
        assert found.dtype == np.float16 and np.isclose(found[-1], state.item(), rtol=1e-3)


LONG = np.full((5000, 2), 1 / 64, np.float16).T  # of length 1.10, however it lies in memory


@pytest.mark.parametrize(("key", "got"), [(X, "1.41421"), (LONG, "1.10")])
def test_delta_rule_refuses_keys_that_are_too_long(key, got):
    with pytest.raises(
        ValueError, match=rf"^key must hold vectors of length 1 at most, got {got}.*\. unit_length\(key\) makes"
    ):
        state_after(key, np.ones((len(key), 1)), strength=1)


@pytest.mark.parametrize("how", [{}, {"decay": 0.5}, {"decay": 0.9, "strength": [0.5, 1, 0.25]}])
def test_a_state_carries_derivatives(how):
    rng = np.random.default_rng(17)
    parameters = {name: rng.normal(size=(3, 2)) / 3 for name in ("query", "key", "value")}

    def loss_of(p):
        return (linear_attention(p["query"], p["key"], p["value"], **how) ** 2).sum()

    _, slopes = training.loss_and_gradient(loss_of, parameters)
    tried = training.numerical_gradient(loss_of, parameters)
    for name, slope in slopes.items():
        np.testing.assert_allclose(slope, tried[name], atol=1e-8)
