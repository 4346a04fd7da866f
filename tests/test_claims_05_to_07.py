"""What the text of lessons 05 to 07 says in numbers, computed on its own."""

import math

import numpy as np
import pytest

from helpers import attention, explorers
from helpers.positions import sinusoidal_positional_encoding, wavelengths
from helpers.sources import examples
from helpers.sources.words import she_sentences
from tests.references import waves
from tests.test_claims_02_to_04 import function_of

# --- 05 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(3, 4), (11, 6), (50, 128)])
def test_lesson_05_writes_the_encoding_of_the_helpers(shape):
    np.testing.assert_allclose(function_of(5, "waves")(*shape), waves(*shape), atol=1e-12)


def test_lesson_05_its_own_encoding_is_wrong_for_an_odd_width_and_at_width_3_says_nothing():
    encoding = function_of(5, "waves")
    quiet = encoding(3, 3)
    assert quiet.shape == (3, 3) and np.array_equal(quiet[:, 0], quiet[:, 2])
    for width in (5, 7):
        with pytest.raises(ValueError, match="broadcast"):
            encoding(3, width)


def test_lesson_05_longest_wave():
    assert f"{wavelengths(512).max():,.0f}" == "60,611"


def test_lesson_05_only_a_turn_tells_left_from_right():
    encoding = sinusoidal_positional_encoding(40, 32)
    scores = encoding @ encoding.T
    np.testing.assert_allclose(scores[20, 20:1:-1], scores[20, 20:39])
    explorer = explorers.explore_encoding()
    explorer.set(back=1)
    for position in (5, 50, 59):
        explorer.set(position=position)
        assert explorer.shown["scores"].argmax() == position - 1


def attend(tokens, mask=True):
    """Attention of one-hot words with themselves, on its own."""
    powers = np.exp(tokens @ tokens.T / math.sqrt(tokens.shape[1])) * mask
    weights = powers / powers.sum(axis=1, keepdims=True)
    return weights, weights @ tokens


CAT = np.eye(5)[[0, 1, 2, 3, 0, 4]]  # the cat sat on the mat
ORDER = [0, 5, 2, 3, 4, 1]  # the mat sat on the cat


def test_lesson_05_outputs_know_no_order_until_positions_are_added_or_the_future_is_hidden():
    weights, output = attend(CAT)
    np.testing.assert_allclose(attend(CAT[ORDER])[1], output[ORDER])
    np.testing.assert_allclose(output[0], output[4])  # "the" at places 1 and 5
    assert weights[1, [0, 4]].round(3).tolist() == [0.152, 0.152] and output[1, 0] > output[1, 1]
    places = sinusoidal_positional_encoding(6, 5)
    assert np.abs(attend(CAT[ORDER] + places)[1][5] - attend(CAT + places)[1][1]).max() > 0.1
    hidden = np.tri(6)
    moved = np.abs(attend(CAT[ORDER], hidden)[1] - attend(CAT, hidden)[1][ORDER]).max()
    assert f"{moved:.2f}" == "0.37"  # told in lesson 07


def test_lesson_05_a_query_turned_back_fits_the_position_before_best():
    positions = np.arange(5)[:, None] / [1, 100]
    keys, turned = (np.exp(1j * angles) for angles in (positions, positions - [1, 1 / 100]))
    scores = (turned @ keys.conj().T).real
    assert scores.argmax(axis=1).tolist() == [0, 0, 1, 2, 3]
    straight = (keys @ keys.conj().T).real[0]
    assert straight[3] < straight[4] < straight[0]  # the quick hand comes round again


def test_lesson_05_she_finds_the_name_in_front():
    words = she_sentences()
    near = [sum(math.cos(k / 10**pair) for pair in range(4)) for k in range(len(words.tokens))]
    parts = [math.exp(4 * (token in ("Sarah", "Alex")) + score) for token, score in zip(words.tokens, near)]
    assert words.tokens[0] == "Sarah" and words.tokens[10] == "Alex"
    assert f"{parts[0] / sum(parts):.0%}" == "84%" and parts[10] / sum(parts) < 0.1


# --- 06 --------------------------------------------------------------------------------------------------------------


def lesson_09(X, *matrices, num_heads):
    """multi_head_attention of lesson 06, with its two ways to cut and to lay side by side."""
    function = function_of(6, "multi_head_attention")
    function.__globals__.update({name: function_of(6, name) for name in ("cut_into_heads", "side_by_side")})
    return function(X, *matrices, num_heads)


@pytest.mark.parametrize("num_heads", [1, 2, 3, 4, 6, 12])
def test_lesson_06_cuts_what_a_loop_over_narrow_matrices_makes(num_heads):
    rng = np.random.default_rng(9)
    tokens, W_O = rng.normal(size=(5, 12)), rng.normal(size=(12, 7))
    W_Q, W_K, W_V = rng.normal(size=(3, 12, 12))
    narrow = zip(*(np.split(W, num_heads, axis=1) for W in (W_Q, W_K, W_V)), strict=True)
    loop = [attention.scaled_dot_product_attention(*(tokens @ w for w in three)).output for three in narrow]
    output = lesson_09(tokens, W_Q, W_K, W_V, W_O, num_heads=num_heads)
    np.testing.assert_allclose(output, np.concatenate(loop, axis=1) @ W_O)
    helper = attention.multi_head_attention(tokens, W_Q, W_K, W_V, W_O, num_heads=num_heads).output
    np.testing.assert_allclose(output, helper)


def test_lesson_06_full_width_matrices_for_each_head_work_with_any_number_of_heads():
    rng, D, H = np.random.default_rng(12), 4, 3
    X, W = rng.normal(size=(5, D)), rng.normal(size=(3, D, H * D))
    W_O = rng.normal(size=(H * D, D))
    heads = [
        attention.scaled_dot_product_attention(*(X @ w[:, h * D : (h + 1) * D] for w in W)).output for h in range(H)
    ]
    output = attention.multi_head_attention(X, *W, W_O, num_heads=H).output
    np.testing.assert_allclose(output, np.concatenate(heads, axis=1) @ W_O)


def test_lesson_06_head_1_cannot_tell_the_first_two_tokens_apart_and_head_2_can():
    tokens = np.array([[1, 0], [0, 1], [1, 1]])
    first, second = ((tokens @ W)[:, 0].tolist() for W in ([[1], [1]], [[0], [1]]))
    assert first == [1, 1, 2] and second == [0, 1, 1]
    heads = [3.0 ** np.outer(x, x) @ x / (3.0 ** np.outer(x, x)).sum(axis=1) for x in map(np.array, (first, second))]
    np.testing.assert_allclose(heads, [[8 / 5, 8 / 5, 20 / 11], [2 / 3, 6 / 7, 6 / 7]])


def test_lesson_06_a_straight_reshape_fills_head_1_with_query_1_and_half_of_query_2():
    assert np.array([[1, 2], [3, 4], [5, 6]]).reshape(2, 3, 1)[0].ravel().tolist() == [1, 2, 3]


# --- 07 --------------------------------------------------------------------------------------------------------------


def test_lesson_07_writes_the_masked_attention_of_the_helpers():
    rng = np.random.default_rng(10)
    query, key, value = (rng.normal(size=size) for size in ((2, 5, 3), (2, 7, 3), (2, 7, 11)))
    pads = attention.padding_mask([7, 4], 7)
    output, weights = function_of(7, "masked_attention")(query, key, value, pads)
    for batch, length in enumerate([7, 4]):
        for i in range(5):
            powers = [math.exp(query[batch, i] @ key[batch, j] / math.sqrt(3)) for j in range(length)]
            shares = np.array(powers) / sum(powers)
            np.testing.assert_allclose(weights[batch, i], [*shares, *[0] * (7 - length)])
            np.testing.assert_allclose(output[batch, i], shares @ value[batch, :length])


def test_lesson_07_a_hidden_score_leaves_nothing_to_divide():
    def rest(score):
        powers = np.exp(np.array([1.0, score, 1.0]) - score)
        return (powers / powers.sum())[[0, 2]]

    assert rest(1000).tolist() == [0, 0] and (rest(700) > 0).all()


def test_lesson_07_weights_of_dogs_where_love_is_hidden():
    parts = 3.0 ** np.array([1, 1, 2])  # I, love, dogs
    assert parts[2] / parts.sum() == 3 / 5 and parts[2] / parts[[0, 2]].sum() == 3 / 4


def test_lesson_07_scores_of_minus_a_billion_become_equal_shares():
    assert attention.softmax(np.where(np.zeros(3, bool), [0.0, 1.0, 2.0], -1e9)).tolist() == [1 / 3] * 3


# --- 07, across --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_queries", "num_keys"), [(2, 4), (4, 2), (3, 7), (5, 5)])
def test_lesson_07_asks_with_one_query_after_the_other(num_queries, num_keys):
    rng = np.random.default_rng(11)
    query, key, value = (rng.normal(size=size) for size in ((num_queries, 6), (num_keys, 6), (num_keys, 3)))
    function = function_of(7, "attend_across")
    function.__globals__["attend_with_one_query"] = function_of(7, "attend_with_one_query")
    np.testing.assert_allclose(
        function(query, key, value), attention.scaled_dot_product_attention(query, key, value).output
    )


def test_lesson_07_answers_are_those_of_lesson_01():
    soft = examples.get("select: soft")
    asked = soft.given["queries"].tolist()
    answers = [float(np.ravel(soft.right[asked.index(query)])[0]) for query in ([0, 1], [1, 0])]
    np.testing.assert_allclose(explorers.explore_cross().shown["output"].ravel(), answers)
