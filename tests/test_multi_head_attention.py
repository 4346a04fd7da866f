"""Heads against known answers, slow loops and invariants; masks and a second sequence; and what is said of wrong input."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.attention import (
    merge_heads,
    multi_head_attention,
    padding_mask,
    split_heads,
)

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)
BATCHES, QUERIES, KEYS, HEADS, D_K, D_V, OF_QUERY, OF_CONTEXT, D_OUT = 2, 3, 5, 7, 11, 13, 17, 19, 23  # all different


def example(batches=(), seed=0, dtype=np.float64):
    """Tokens, context and the arguments by name, of sizes that are all different."""
    rng = np.random.default_rng(seed)
    shapes = {
        "W_query": (OF_QUERY, HEADS * D_K),
        "W_key": (OF_CONTEXT, HEADS * D_K),
        "W_value": (OF_CONTEXT, HEADS * D_V),
        "W_output": (HEADS * D_V, D_OUT),
        "b_query": (HEADS * D_K,),
        "b_key": (HEADS * D_K,),
        "b_value": (HEADS * D_V,),
        "b_output": (D_OUT,),
    }
    arguments = {name: (rng.normal(size=shape) / 3).astype(dtype) for name, shape in shapes.items()}
    tokens = rng.normal(size=(*batches, QUERIES, OF_QUERY)).astype(dtype)
    return tokens, {**arguments, "context": rng.normal(size=(*batches, KEYS, OF_CONTEXT)).astype(dtype)}


def slow_heads(tokens, context, W_query, W_key, W_value, W_output, b_query, b_key, b_value, b_output, may):
    """One sequence, one head and one number at a time; `may` is a function (head, query, key) -> bool."""

    def project(rows, W, b):
        return [[math.fsum(x * w for x, w in zip(row, column)) + c for column, c in zip(W.T, b)] for row in rows]

    query, key, value = (
        project(tokens, W_query, b_query),
        project(context, W_key, b_key),
        project(context, W_value, b_value),
    )
    weights, merged = [], [[] for _ in tokens]
    for h in range(HEADS):
        weights.append([])
        for i, asks in enumerate(query):
            asks, powers = asks[h * D_K : (h + 1) * D_K], []
            for j, asked in enumerate(key):
                score = math.fsum(a * b for a, b in zip(asks, asked[h * D_K : (h + 1) * D_K])) / math.sqrt(D_K)
                powers.append(math.exp(score) if may(h, i, j) else 0.0)
            shares = [power / math.fsum(powers) for power in powers]
            weights[-1].append(shares)
            columns = range(h * D_V, (h + 1) * D_V)
            merged[i] += [math.fsum(share * row[c] for share, row in zip(shares, value)) for c in columns]
    return weights, project(merged, W_output, b_output)


# --- split and merge -------------------------------------------------------------------------------------------------


@quick
@given(st.lists(st.integers(1, 3), max_size=3), st.integers(1, 5), st.integers(1, 4), st.integers(1, 4))
def test_split_heads_equals_slicing_and_merge_heads_undoes_it(batches, num_tokens, num_heads, d_head):
    size = (*batches, num_tokens, num_heads * d_head)
    x = np.arange(float(np.prod(size))).reshape(size)
    heads = split_heads(x, num_heads)
    assert heads.shape == (*batches, num_heads, num_tokens, d_head)
    for h in range(num_heads):
        np.testing.assert_array_equal(heads[..., h, :, :], x[..., h * d_head : (h + 1) * d_head])
    np.testing.assert_array_equal(merge_heads(heads), x)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_split_and_merge_keep_the_floating_type_and_copy_nothing_they_need_not(dtype):
    x = np.ones((2, 3, 4), dtype)
    heads = split_heads(x, 2)
    assert heads.dtype == merge_heads(heads).dtype == dtype and np.shares_memory(heads, x)


# --- multi-head attention --------------------------------------------------------------------------------------------


def test_multi_head_attention_of_the_notes_in_two_heads():
    tokens, one = np.array([[1, 0], [0, 1], [1, 1]]), np.eye(2)
    answer = multi_head_attention(tokens, one, one, one, one, num_heads=2)
    a = 2 * math.e / (2 * math.e + 1)  # base 3 makes this 6/7
    np.testing.assert_allclose(answer.output, [[a, 2 / 3], [2 / 3, a], [a, a]], rtol=1e-14)
    thirds = multi_head_attention(tokens, one * math.log(3), one, one, one, num_heads=2).output
    np.testing.assert_allclose(thirds, [[6 / 7, 2 / 3], [2 / 3, 6 / 7], [6 / 7, 6 / 7]], rtol=1e-14)


@pytest.mark.parametrize("masked", [False, True])
def test_multi_head_attention_equals_slow_loop(masked):
    tokens, arguments = example((BATCHES,))
    for array in (tokens, *arguments.values()):
        array.flags.writeable = False
    mask = np.random.default_rng(5).random((BATCHES, HEADS, QUERIES, KEYS)) < 0.5
    mask[..., 1] = True
    answer = multi_head_attention(tokens, **arguments, num_heads=HEADS, mask=mask if masked else None)
    assert answer.output.shape == (BATCHES, QUERIES, D_OUT)
    assert answer.weights.shape == answer.scores.shape == (BATCHES, HEADS, QUERIES, KEYS)
    for n in range(BATCHES):
        one = {**arguments, "context": arguments["context"][n]}
        weights, output = slow_heads(tokens[n], **one, may=lambda h, i, j, n=n: not masked or mask[n, h, i, j])
        np.testing.assert_allclose(answer.weights[n], weights, rtol=1e-10, atol=1e-15)
        np.testing.assert_allclose(answer.output[n], output, rtol=1e-10, atol=1e-12)


@quick
@given(
    st.sampled_from([(), (1,), (2,), (2, 3)]),
    st.sampled_from([(), (1,), (2,), (2, 1)]),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_multi_head_attention_broadcasts_batches(of_query, of_context, num_heads, width):
    try:
        batches = np.broadcast_shapes(of_query, of_context)
    except ValueError:
        batches = None
    rng = np.random.default_rng(7)
    tokens, context = rng.normal(size=(*of_query, 4, 5)), rng.normal(size=(*of_context, 3, 2))
    shapes = [(5, num_heads * width), (2, num_heads * width), (2, num_heads), (num_heads, 6)]
    matrices = [rng.normal(size=shape) for shape in shapes]
    if batches is None:
        with pytest.raises(ValueError, match="context must have batch axes that broadcast with those of query_tokens"):
            multi_head_attention(tokens, *matrices, num_heads=num_heads, context=context)
        return
    answer = multi_head_attention(tokens, *matrices, num_heads=num_heads, context=context)
    assert answer.output.shape == (*batches, 4, 6) and answer.weights.shape == (*batches, num_heads, 4, 3)
    np.testing.assert_allclose(answer.weights.sum(axis=-1), 1, rtol=1e-12)
    last = (0,) * len(batches)
    one = [np.broadcast_to(x, (*batches, *x.shape[-2:]))[last] for x in (tokens, context)]
    alone = multi_head_attention(one[0], *matrices, num_heads=num_heads, context=one[1])
    np.testing.assert_allclose(answer.output[last], alone.output, rtol=1e-9, atol=1e-12)


# --- masks -----------------------------------------------------------------------------------------------------------


def masked(mask, batches=(BATCHES,)):
    tokens, arguments = example(batches)
    return multi_head_attention(tokens, **arguments, num_heads=HEADS, mask=mask)


@pytest.mark.parametrize("shape", [(KEYS,), (1, KEYS), (QUERIES, KEYS), (QUERIES, 1)])
def test_mask_over_queries_and_keys_holds_for_every_head_and_sequence(shape):
    mask = np.arange(np.prod(shape)).reshape(shape) % 3 < 2 if shape[-1] == KEYS else np.ones(shape, bool)
    weights = masked(mask).weights
    assert (weights[:, :, ~np.broadcast_to(mask, (QUERIES, KEYS))] == 0).all() and (weights.max(axis=-1) > 0).all()


def test_mask_with_batch_axes_gets_the_axis_of_the_heads():
    mask = padding_mask([5, 2], KEYS)
    answer, by_hand = masked(mask), masked(mask[:, None])
    np.testing.assert_array_equal(answer.weights, by_hand.weights)
    assert (answer.weights[1, :, :, 2:] == 0).all() and (answer.weights[0] > 0).all()


def test_mask_with_batch_axes_is_not_taken_for_one_over_heads_when_the_numbers_are_equal():
    rng = np.random.default_rng(9)
    X, W = rng.normal(size=(2, 3, 4)), rng.normal(size=(4, 4, 4))
    weights = multi_head_attention(X, *W, num_heads=2, mask=padding_mask([3, 1], 3)).weights  # 2 sequences, 2 heads
    assert (weights[1, :, :, 1:] == 0).all() and (weights[0] > 0).all()


def test_mask_with_the_axis_of_the_heads_is_used_as_it_is():
    mask = np.ones((HEADS, 1, KEYS), bool)
    mask[3, 0, 1:] = False
    without_batch = masked(mask, batches=()).weights
    assert (without_batch[3, :, 0] == 1).all() and (np.delete(without_batch, 3, axis=0) > 0).all()
    np.testing.assert_array_equal(masked(mask[None]).weights[:, 3, :, 0], 1)


# --- arrays of every kind --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bias", [0.0, 0, np.float64(0.5)])
def test_a_bias_that_is_one_number_leaves_the_floating_type(bias):
    tokens, arguments = example(dtype=np.float32)
    plain = {name: x for name, x in arguments.items() if not name.startswith("b_")}
    output = multi_head_attention(tokens, **plain, num_heads=HEADS, b_query=bias, b_output=bias).output
    assert output.dtype == np.float32
