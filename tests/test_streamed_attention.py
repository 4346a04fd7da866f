"""Streamed attention against the plain one, by pure loops, and in the memory that it takes."""

import os
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import mygrad
import numpy as np
import pytest
import threadpoolctl
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import streaming
from helpers.attention import causal_mask, scaled_dot_product_attention
from helpers.streaming import streamed_attention

quick = settings(max_examples=60, deadline=None, derandomize=True, database=None)
BATCHES, QUERIES, KEYS, D_K, D_V = 2, 3, 5, 7, 11  # a different prime on each axis
TOLERANCE = {np.float32: 1e-6, np.float64: 1e-12}


def example(seed=0, batches=(), dtype=np.float64, queries=QUERIES, keys=KEYS):
    rng = np.random.default_rng(seed)
    shapes = (queries, D_K), (keys, D_K), (keys, D_V)
    return [rng.normal(size=(*batches, *shape)).astype(dtype) for shape in shapes]


@quick
@given(
    st.sampled_from([np.float32, np.float64]), st.integers(1, 40), st.integers(1, 40), st.integers(1, 50),
    st.sampled_from([(), (2,), (2, 3)]), st.sampled_from(["none", "random", "causal"]), st.sampled_from([None, 0.3]),
    st.integers(0, 2**32),
)  # fmt: skip
def test_streamed_attention_equals_the_plain_one(dtype, queries, keys, block_size, batches, kind, scale, seed):
    arrays = example(seed, batches, dtype, queries, keys)
    mask = None
    if kind == "random":
        mask = np.random.default_rng(seed).random((*batches, queries, keys)) < 0.4
        mask[..., 0] |= ~mask.any(axis=-1)
    elif kind == "causal" and keys >= queries:
        mask = causal_mask(queries, keys)
    output = streamed_attention(*arrays, block_size=block_size, mask=mask, scale=scale)
    plain = scaled_dot_product_attention(*arrays, mask=mask, scale=scale).output
    assert output.dtype == dtype
    np.testing.assert_allclose(output, plain, rtol=0, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_streamed_attention_is_right_over_several_blocks_of_queries(dtype):
    queries = 2 * streaming._QUERIES_AT_ONCE + 17
    arrays = example(1, (), dtype, queries, 601)
    mask = np.random.default_rng(2).random((queries, 601)) < 0.5
    for each in (None, mask):
        exact = scaled_dot_product_attention(*(x.astype(np.float64) for x in arrays), mask=each).output
        np.testing.assert_allclose(streamed_attention(*arrays, mask=each), exact, rtol=0, atol=TOLERANCE[dtype])


def test_streamed_attention_broadcasts_batch_axes():
    query, key, value = example(batches=(BATCHES,))
    for arrays in [(query, key[0], value[0]), (query[0], key, value[1]), (query[0], key[1], value)]:
        plain = scaled_dot_product_attention(*arrays).output
        output = streamed_attention(*arrays, block_size=2)
        assert output.shape == plain.shape == (BATCHES, QUERIES, D_V)
        np.testing.assert_allclose(output, plain, atol=1e-12)


@pytest.mark.parametrize("size", [1e3, 1e6, 1e300])
def test_streamed_attention_survives_extreme_scores_that_grow_and_fall(size):
    query, value = np.ones((2, 1)), np.arange(5.0)[:, None]
    for factors in ([0, -1, 1, 0.5, 1], [-1, -1, -1, -1, -1], [1, 0.5, -1, 0, 0], [-1, -0.5, 0, 0.5, 1]):
        key = size * np.array(factors, dtype=float)[:, None]
        plain = scaled_dot_product_attention(query, key, value).output
        np.testing.assert_allclose(streamed_attention(query, key, value, block_size=1), plain, rtol=1e-15)


def test_streamed_attention_takes_no_memory_that_grows_with_the_square():
    def peak(num_tokens):
        arrays = [np.ones((num_tokens, 64), np.float32) for _ in range(3)]
        tracemalloc.start()
        streamed_attention(*arrays)
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    inputs_and_output = 4 * 4096 * 64 * 4
    blocks = min(8, os.cpu_count()) * streaming._QUERIES_AT_ONCE * 256 * 4
    assert peak(4096) < 3 * (inputs_and_output + blocks)
    assert peak(4096) - peak(2048) < inputs_and_output  # twice the tokens, at most twice what depends on them


def test_streamed_attention_gives_blas_its_threads_back_even_after_an_error_and_from_two_threads():
    def threads():
        return [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]

    before, tokens = threads(), np.ones((3 * streaming._QUERIES_AT_ONCE, 2))
    with ThreadPoolExecutor(4) as pool:
        outputs = list(pool.map(lambda _: streamed_attention(tokens, tokens, tokens), range(8)))
    assert all((output == 1).all() for output in outputs) and threads() == before
    with pytest.raises(ValueError, match="streamed_attention must stay finite"):
        streamed_attention(1e200 * tokens, 1e200 * tokens, tokens)
    assert threads() == before


def test_streamed_attention_carries_derivatives_over_several_blocks_of_queries():
    arrays = example(3, (), np.float64, streaming._QUERIES_AT_ONCE + 3, 13)
    slopes = []
    for attend in (lambda *x: streamed_attention(*x, block_size=5), lambda *x: scaled_dot_product_attention(*x).output):
        tensors = [mygrad.tensor(array) for array in arrays]
        (attend(*tensors) ** 2).sum().backward()
        slopes.append([tensor.grad for tensor in tensors])
    for streamed, plain in zip(*slopes):
        np.testing.assert_allclose(streamed, plain, atol=1e-11)


@pytest.mark.parametrize("block_size", [1, 7, 256])
def test_16_bits_are_enough_for_many_keys(block_size):
    num_keys = 5000
    query, key = np.zeros((1, 1), np.float16), np.zeros((num_keys, 1), np.float16)
    value = np.arange(num_keys)[:, None] >= 2048
    output = streamed_attention(query, key, value.astype(np.float16), block_size=block_size)
    assert output.dtype == np.float16 and abs(output.item() - (num_keys - 2048) / num_keys) < 0.001
    hundreds = streamed_attention(query, key, np.full((num_keys, 1), 100, np.float16), block_size=block_size)
    assert abs(hundreds.item() - 100) < 0.1


def test_scores_may_be_wider_than_the_query():
    query, key = np.float16([[-300]]), np.float32([[300], [301]])
    np.testing.assert_allclose(
        streamed_attention(query, key, key), scaled_dot_product_attention(query, key, key).output
    )
