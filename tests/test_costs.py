"""Counts against hand-computed numbers, and against matrix products that are counted while they run."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.attention import multi_head_attention, softmax
from helpers.costs import Operations, count_attention, count_product, weights_bytes

quick = settings(max_examples=30, deadline=None, derandomize=True, database=None)


class Tally:
    """A number that counts what is done with it."""

    multiplications = additions = 0

    def __init__(self, value):
        self.value = value

    def __mul__(self, other):
        Tally.multiplications += 1
        return Tally(self.value * other.value)

    def __add__(self, other):
        Tally.additions += 1
        return Tally(self.value + other.value)


tally = np.vectorize(Tally, otypes=[object])
plain = np.vectorize(lambda number: number.value)


def counted(run):
    Tally.multiplications = Tally.additions = 0
    result = run()
    return result, Operations(Tally.multiplications, Tally.additions)


def total(steps):
    return Operations(*(sum(counts) for counts in zip(*steps.values())))


@pytest.mark.parametrize(
    ("num_tokens", "d_model", "projections", "meetings", "additions"),
    [(3, 2, 48, 36, 45), (4, 2, 64, 64, 72), (1, 1, 4, 2, 0), (2, 3, 72, 24, 62)],
)
def test_count_attention_equals_hand_computed_numbers(num_tokens, d_model, projections, meetings, additions):
    steps = count_attention(num_tokens, d_model)
    assert list(steps) == ["query", "key", "value", "scores", "mixing", "output"]
    assert sum(steps[name].multiplications for name in ("query", "key", "value", "output")) == projections
    assert steps["scores"].multiplications + steps["mixing"].multiplications == meetings
    assert total(steps) == (projections + meetings, additions)


@quick
@given(st.integers(1, 7), st.integers(1, 7), st.integers(1, 7))
def test_count_product_equals_a_product_that_is_counted(n, k, m):
    first, second = tally(np.ones((n, k))), tally(np.ones((k, m)))
    product, operations = counted(lambda: first @ second)
    assert operations == count_product(n, k, m)
    assert (plain(product) == k).all()


@quick
@given(st.integers(1, 7), st.integers(1, 4), st.integers(1, 3))
def test_count_attention_equals_an_attention_that_is_counted(num_tokens, d_head, num_heads):
    d_model = d_head * num_heads
    rng = np.random.default_rng(num_tokens * 100 + d_model)
    X, *W = rng.normal(size=(num_tokens, d_model)), *rng.normal(size=(4, d_model, d_model))

    def run():
        tokens, W_query, W_key, W_value, W_output = map(tally, (X, *W))
        query, key, value = tokens @ W_query, tokens @ W_key, tokens @ W_value
        heads = []
        for start in range(0, d_model, d_head):
            columns = slice(start, start + d_head)
            scores = plain(query[:, columns] @ key[:, columns].T) / math.sqrt(d_head)
            heads.append(tally(softmax(scores)) @ value[:, columns])
        return np.concatenate(heads, axis=1) @ W_output

    output, operations = counted(run)
    assert operations == total(count_attention(num_tokens, d_model, num_heads))
    np.testing.assert_allclose(plain(output), multi_head_attention(X, *W, num_heads=num_heads).output, atol=1e-12)


def test_weights_bytes_of_1024_tokens_are_4_mib_in_float32():
    assert weights_bytes(1024) == 4 * 2**20
    assert weights_bytes(1024, num_heads=8) == 32 * 2**20
    assert weights_bytes(1024, bytes_per_number=8) == np.zeros((1024, 1024)).nbytes


def test_counts_stay_exact_where_floats_would_round():
    assert weights_bytes(2**40) == 4 * 2**80
    assert count_product(10**9 + 7, 10**9 + 9, 3).multiplications == 3 * (10**18 + 16 * 10**9 + 63)
