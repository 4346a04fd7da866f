"""Attention against known answers, slow loops and its invariants."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from helpers.attention import causal_mask, padding_mask, scaled_dot_product_attention, softmax

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)
INF = math.inf
LETTERS = np.array([[1, 0], [1, 0], [0, 1], [1, 0]])  # A A B A
THREE_TOKENS = np.array([[1, 0], [0, 1], [1, 1]])
BATCHES, QUERIES, KEYS, D_K, D_V = 2, 3, 5, 7, 11  # a different prime on each axis


def example(seed=0, batches=(), dtype=np.float64):
    rng = np.random.default_rng(seed)
    shapes = (QUERIES, D_K), (KEYS, D_K), (KEYS, D_V)
    return [rng.normal(size=(*batches, *shape)).astype(dtype) for shape in shapes]


# --- softmax ---------------------------------------------------------------------------------------------------------


def slow_softmax(scores, base=math.e):
    largest = max(scores)
    powers = [base ** (score - largest) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def test_softmax_base_3_gives_the_sixths_of_the_notes():
    np.testing.assert_allclose(softmax([0, 0, 1, 0], base=3), [1 / 6, 1 / 6, 1 / 2, 1 / 6], rtol=1e-15)


@pytest.mark.parametrize("base", [2, 3, 10])
def test_softmax_of_whole_scores_equals_exact_fractions(base):
    scores = [2, 0, 5, 3, 1]
    powers = [Fraction(base) ** score for score in scores]
    np.testing.assert_allclose(softmax(scores, base=base), [float(p / sum(powers)) for p in powers], rtol=1e-14)


def test_softmax_equals_slow_loop_along_each_axis():
    scores = np.random.default_rng(1).normal(scale=3, size=(2, 3, 5))
    for axis in (-3, -2, -1, 0, 1, 2):
        expected = np.apply_along_axis(slow_softmax, axis, scores)
        np.testing.assert_allclose(softmax(scores, axis=axis), expected, rtol=1e-13)


@quick
@given(
    arrays.arrays(np.float64, arrays.array_shapes(max_dims=3, max_side=5), elements=st.floats(-1e308, 1e308)),
    st.floats(1.001, 1e6),
)
def test_softmax_rows_sum_to_1_and_keep_the_order_whatever_the_size(scores, base):
    weights = softmax(scores, base=base)
    assert weights.shape == scores.shape and (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-14)
    order = np.argsort(scores, axis=-1)
    assert (np.diff(np.take_along_axis(weights, order, axis=-1), axis=-1) >= 0).all()


@quick
@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8), st.floats(-1e6, 1e6))
def test_softmax_ignores_what_is_added_to_all_scores(scores, shift):
    np.testing.assert_allclose(softmax(np.array(scores) + shift), slow_softmax(scores), rtol=1e-8, atol=1e-300)


@pytest.mark.parametrize("size", [1e3, 1e6, 1e308])
def test_softmax_of_extreme_scores_is_one_hot_or_even(size):
    assert softmax([-size, size, 0]).tolist() == [0, 1, 0]
    assert softmax([size, size]).tolist() == [0.5, 0.5]
    assert softmax([-size, -size, -size, -size]).tolist() == [0.25] * 4


def test_softmax_gives_blocked_scores_weight_zero():
    assert softmax([[-INF, 0, 0], [0, -INF, -INF]]).tolist() == [[0, 0.5, 0.5], [1, 0, 0]]
    assert softmax([-INF, -1e308]).tolist() == [0, 1]
    assert softmax([-1e6, -INF, 1e6], base=1e300).tolist() == [0, 0, 1]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_softmax_keeps_the_floating_type(dtype):
    largest = np.finfo(dtype).max
    weights = softmax(np.array([largest, -largest, largest], dtype), base=3)
    assert weights.dtype == dtype and weights.tolist() == [0.5, 0, 0.5]


@pytest.mark.parametrize("scores", [[0, 1], (0, 1), np.array([0, 1], np.int8), np.array([0, 1], np.uint64)])
def test_softmax_of_whole_numbers_is_float64(scores):
    weights = softmax(scores, base=3)
    assert weights.dtype == np.float64
    np.testing.assert_allclose(weights, [0.25, 0.75], rtol=1e-15)


# --- scaled_dot_product_attention ------------------------------------------------------------------------------------


def slow_attention(query, key, value, mask=None, scale=None, base=math.e):
    """One query, one key, one number at a time."""
    scale = 1 / math.sqrt(len(query[0])) if scale is None else scale
    output = []
    for i, asks in enumerate(query):
        open_to = [j for j in range(len(key)) if mask is None or mask[i][j]]
        weights = slow_softmax([scale * math.fsum(a * b for a, b in zip(asks, key[j])) for j in open_to], base)
        columns = range(len(value[0]))
        output.append([math.fsum(w * value[j][column] for w, j in zip(weights, open_to)) for column in columns])
    return np.array(output)


@pytest.mark.parametrize(
    ("query", "weights", "output"),
    [([0, 1], [1 / 6, 1 / 6, 3 / 6, 1 / 6], 15), ([0, 2], [1 / 12, 1 / 12, 9 / 12, 1 / 12], 17.5), ([1, 0], None, 11)],
)
def test_attention_looks_up_the_letters_of_the_notes(query, weights, output):
    weights = [0.3, 0.3, 0.1, 0.3] if weights is None else weights
    found = scaled_dot_product_attention([query], LETTERS, [[10], [10], [20], [10]], scale=1, base=3)
    np.testing.assert_allclose(found.weights, [weights], rtol=1e-14)
    np.testing.assert_allclose(found.output, [[output]], rtol=1e-14)


def test_attention_on_three_tokens_gives_the_numbers_of_the_notes():
    found = scaled_dot_product_attention(THREE_TOKENS, THREE_TOKENS, THREE_TOKENS)
    root = 1 / math.sqrt(2)
    np.testing.assert_allclose(found.scores, [[root, 0, root], [0, root, root], [root, root, 2 * root]], rtol=1e-14)
    expected = [[0.4011, 0.1978, 0.4011], [0.1978, 0.4011, 0.4011], [0.2483, 0.2483, 0.5035]]
    np.testing.assert_allclose(found.weights, expected, atol=5e-5)
    np.testing.assert_allclose(found.output, [[0.802, 0.599], [0.599, 0.802], [0.752, 0.752]], atol=5e-4)
    exact = scaled_dot_product_attention(THREE_TOKENS, THREE_TOKENS, THREE_TOKENS, scale=1, base=3)
    np.testing.assert_allclose(exact.weights, [[3 / 7, 1 / 7, 3 / 7], [1 / 7, 3 / 7, 3 / 7], [1 / 5, 1 / 5, 3 / 5]])
    masked = scaled_dot_product_attention(*[THREE_TOKENS] * 3, mask=causal_mask(3), scale=1, base=3)
    np.testing.assert_allclose(masked.weights, [[1, 0, 0], [1 / 4, 3 / 4, 0], [1 / 5, 1 / 5, 3 / 5]])


def test_attention_with_three_matrices_gives_the_companion_numbers():
    query = THREE_TOKENS @ [[1, 1, 0, 0], [0, 0, 1, 1]]
    key = THREE_TOKENS @ [[0, 0, 2, 2], [1, 1, 0, 0]]
    value = THREE_TOKENS @ [[1, 0, 2], [0, 3, 1]]
    found = scaled_dot_product_attention(query, key, value, base=3)
    assert found.scores.tolist() == [[0, 1, 1], [2, 0, 2], [2, 1, 3]]
    expected = [[4 / 7, 18 / 7, 14 / 7], [18 / 19, 30 / 19, 46 / 19], [12 / 13, 30 / 13, 34 / 13]]
    np.testing.assert_allclose(found.output, expected, rtol=1e-14)
    expected = [[0.5777, 2.5339, 2], [0.9366, 1.5951, 2.4049], [0.9100, 2.2658, 2.5752]]
    np.testing.assert_allclose(scaled_dot_product_attention(query, key, value).output, expected, atol=5e-5)


@pytest.mark.parametrize("scale", [None, 1, 0.25, -2, 0])
def test_attention_equals_slow_loop(scale):
    query, key, value = example()
    mask = np.random.default_rng(3).random((QUERIES, KEYS)) < 0.6
    mask[:, 1] = True
    for chosen in (None, mask):
        found = scaled_dot_product_attention(query, key, value, mask=chosen, scale=scale, base=3)
        expected = slow_attention(query, key, value, chosen, scale, base=3)
        np.testing.assert_allclose(found.output, expected, rtol=1e-12, atol=1e-14)


def test_attention_scores_are_scaled_and_masked():
    query, key, value = example()
    mask = causal_mask(QUERIES, KEYS)
    scores = scaled_dot_product_attention(query, key, value, mask=mask).scores
    np.testing.assert_allclose(scores[mask], (query @ key.T / math.sqrt(D_K))[mask], rtol=1e-14)
    assert (scores[~mask] == -INF).all()


@pytest.mark.parametrize(
    ("of_query", "of_key", "of_value", "of_mask"),
    [
        ((2,), (2,), (2,), (2,)),
        ((2,), (), (), ()),
        ((), (13,), (1,), ()),
        ((2, 1), (13,), (), (2, 13)),
        ((), (), (2,), ()),
    ],
)
def test_attention_broadcasts_batch_axes(of_query, of_key, of_value, of_mask):
    rng = np.random.default_rng(5)
    query = rng.normal(size=(*of_query, QUERIES, D_K))
    key = rng.normal(size=(*of_key, KEYS, D_K))
    value = rng.normal(size=(*of_value, KEYS, D_V))
    mask = rng.random((*of_mask, QUERIES, KEYS)) < 0.5
    mask[..., 0] = True
    found = scaled_dot_product_attention(query, key, value, mask=mask)
    batches = np.broadcast_shapes(of_query, of_key, of_value)
    everything = [np.broadcast_to(x, batches + x.shape[-2:]) for x in (query, key, value, mask)]
    assert found.output.shape == (*batches, QUERIES, D_V)
    for place in np.ndindex(batches):
        expected = slow_attention(*(x[place] for x in everything))
        np.testing.assert_allclose(found.output[place], expected, rtol=1e-12, atol=1e-14)


@st.composite
def cases(draw):
    """Query, key, value and mask of any small shape, some with a batch."""
    batches = draw(arrays.array_shapes(min_dims=0, max_dims=2, max_side=3))
    queries, keys, d_k, d_v = (draw(st.integers(1, 5)) for _ in range(4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = draw(st.sampled_from([1e-6, 1.0, 1e3]))  # scores up to 1e6 and beyond
    query, key = (size * rng.normal(size=(*batches, n, d_k)) for n in (queries, keys))
    mask = rng.random((queries, keys)) < 0.5
    mask[np.arange(queries), rng.integers(keys, size=queries)] = True
    return query, key, rng.normal(size=(*batches, keys, d_v)), mask


@quick
@given(cases())
def test_attention_weights_are_shares_and_outputs_stay_between_the_values(case):
    query, key, value, mask = case
    found = scaled_dot_product_attention(query, key, value, mask=mask)
    assert found.weights.shape == found.scores.shape == (*query.shape[:-1], key.shape[-2])
    np.testing.assert_allclose(found.weights.sum(axis=-1), 1, rtol=1e-12)
    assert (found.weights >= 0).all() and (found.weights[..., ~mask] == 0).all()
    assert (found.output >= value.min(axis=-2, keepdims=True) - 1e-12).all()
    assert (found.output <= value.max(axis=-2, keepdims=True) + 1e-12).all()


@pytest.mark.parametrize("size", [1e3, 1e77, 1e153])
def test_attention_survives_scores_up_to_the_largest_float(size):
    letters = size * LETTERS.astype(float)
    found = scaled_dot_product_attention(letters, letters, LETTERS)  # scores up to 1e306
    np.testing.assert_allclose(found.output, LETTERS, rtol=1e-14)


def test_attention_of_lists_and_whole_numbers_equals_that_of_floats():
    expected = scaled_dot_product_attention(*[THREE_TOKENS.astype(float)] * 3).output
    for tokens in (THREE_TOKENS, THREE_TOKENS.tolist(), THREE_TOKENS.astype(np.int8), THREE_TOKENS.astype(bool)):
        found = scaled_dot_product_attention(tokens, tokens, tokens).output
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, expected)


def test_attention_mixes_values_near_the_largest_float():
    query, key, _ = example()
    found = scaled_dot_product_attention(query, key, np.full((KEYS, 1), 1e308))
    np.testing.assert_allclose(found.output, 1e308, rtol=1e-14)


# --- masks -----------------------------------------------------------------------------------------------------------


OTHER_SENSE = "Here True means may attend. In PyTorch's MultiheadAttention it means blocked: if yours does, pass ~mask."


@pytest.mark.parametrize(
    ("batches", "blocked", "named"),
    [
        ((), [(2,)], "query[2]"),
        ((), [(1,), (2,)], "query[1] (and 1 more)"),
        ((), [(0,), (1,), (2,)], "query[0] (and 2 more)"),
        ((2,), [(1, 0)], "query[1, 0]"),
        ((2, 2), [(0, 1, 2), (1, 1, 0), (1, 1, 1)], "query[0, 1, 2] (and 2 more)"),
    ],
)
def test_attention_names_the_query_that_the_mask_leaves_without_keys(batches, blocked, named):
    mask = np.ones((*batches, QUERIES, KEYS), bool)
    for place in blocked:
        mask[place] = False
    message = (
        f"mask must leave every query at least one key, but {named} may attend to none. "
        f"{'Softmax over nothing has no answer.' if mask.any() else OTHER_SENSE}"
    )
    with pytest.raises(ValueError) as caught:
        scaled_dot_product_attention(*example(batches=batches), mask=mask)
    assert str(caught.value) == message


def test_causal_mask_lets_each_token_see_itself_and_the_past():
    for num_tokens in (1, 2, 7):
        expected = [[key <= query for key in range(num_tokens)] for query in range(num_tokens)]
        mask = causal_mask(num_tokens)
        assert mask.dtype == bool and mask.tolist() == expected


def test_causal_mask_ends_with_a_query_that_sees_every_key():
    assert causal_mask(2, 5).tolist() == [[True, True, True, True, False], [True] * 5]
    np.testing.assert_array_equal(causal_mask(3, 7), causal_mask(7)[-3:])


@pytest.mark.parametrize("lengths", [[3, 1, 5], (3, 1, 5), np.array([3, 1, 5], np.uint8)])
def test_padding_mask_opens_the_real_tokens_only(lengths):
    mask = padding_mask(lengths, num_keys=5)
    assert mask.shape == (3, 1, 5) and mask.dtype == bool
    assert mask[:, 0].tolist() == [[key < length for key in range(5)] for length in (3, 1, 5)]


@pytest.mark.parametrize("shape", [(70_000, 1), (5000, 3)])
def test_softmax_in_half_precision_sums_to_1_over_many_scores(shape):
    for weights in (softmax(np.zeros(shape, np.float16), axis=0), softmax(np.zeros(shape, np.float16).T).T):
        assert weights.dtype == np.float16
        np.testing.assert_allclose(weights, 1 / shape[0], rtol=5e-3)


# --- what is refused in words of its own -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "axis", "named"),
    [
        ([-INF, -INF], -1, "scores[:]"),
        ([[-INF, -INF], [0, -INF], [-INF, -INF]], -1, "scores[0, :] (and 1 more)"),
        ([[0, -INF, 0], [0, -INF, 0]], 0, "scores[:, 1]"),
    ],
)
def test_softmax_names_the_row_that_has_nothing_left(scores, axis, named):
    message = f"scores must hold a finite number along axis {axis}, got nothing but -inf in {named}. There is nothing left to choose from."
    with pytest.raises(ValueError) as caught:
        softmax(scores, axis=axis)
    assert str(caught.value) == message


def test_a_mask_of_numbers_is_told_how_it_becomes_boolean():
    with pytest.raises(
        TypeError, match=r"mask must be Boolean, True = may attend, got float64. A mask of 1 and 0 becomes"
    ):
        scaled_dot_product_attention(*example(), mask=np.ones((QUERIES, KEYS)))
