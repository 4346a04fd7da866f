"""The ten wrong attentions: what each breaks and what it keeps, found by hand, and the right one that breaks nothing."""

import numpy as np
import pytest

from helpers.attention import causal_mask, multi_head_attention, scaled_dot_product_attention
from rooms.hunt_the_bugs import specimens

ROWS, BLOCKED, LAST, FIRST, SHUFFLE, ASKS, DOUBLE, WIDE, LARGE, TWICE = range(10)
BREAKS = {  # mistake -> the rules that it breaks, and no others
    "softmax runs over the queries": {ROWS, LAST, FIRST, ASKS},
    "the scores are not divided by √d_k": {WIDE},
    "the largest score is not subtracted": {LARGE},
    "queries and keys are exchanged": {ASKS},
    "keys are mixed, not values": {DOUBLE},
    "weights are masked after softmax": {ROWS, LAST, FIRST},
    "blocked scores are set to 0": {BLOCKED, LAST, FIRST},
    "the mask opens one step too many": {BLOCKED, LAST},
    "heads are cut by reshape alone": {LAST, SHUFFLE, ASKS},
    "a matrix is changed along the way": {TWICE},
}
THREE = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
I = np.eye(2)  # noqa: E741 - the identity


def wrong(mistake):
    return specimens.attention_of(specimens.MISTAKES[mistake])


def test_attention_of_right_steps_equals_the_helper():
    rng = np.random.default_rng(1)
    X, W, mask = rng.normal(size=(5, 7)), rng.normal(size=(3, 7, 6)), causal_mask(5)
    for num_heads in (1, 2, 3, 6):
        for allowed in (None, mask):
            output, weights = specimens.attention_of(specimens.RIGHT)(X, *W, num_heads, allowed)
            want = multi_head_attention(X, *W, np.eye(6), num_heads=num_heads, mask=allowed)
            np.testing.assert_allclose(output, want.output)
            np.testing.assert_allclose(weights, want.weights, atol=1e-15)


def test_a_right_attention_breaks_no_rule():
    assert not specimens.gaps(specimens.attention_of(specimens.RIGHT)).any()

    def by_the_helper(X, W_query, W_key, W_value, num_heads=1, mask=None):
        answer = multi_head_attention(
            X, W_query, W_key, W_value, np.eye(W_value.shape[1]), num_heads=num_heads, mask=mask
        )
        return answer.output, answer.weights

    assert not specimens.gaps(by_the_helper).any()


@pytest.mark.parametrize("mistake", specimens.MISTAKES)
def test_each_mistake_breaks_its_rules_and_no_others(mistake):
    assert set(np.flatnonzero(specimens.gaps(wrong(mistake)))) == BREAKS[mistake]


def test_broken_rules_tell_all_mistakes_apart():
    assert set(BREAKS) == set(specimens.MISTAKES) and len(specimens.RULES) == 10
    assert len({frozenset(rules) for rules in BREAKS.values()}) == 10


# --- the numbers of single mistakes, by hand --------------------------------------------------------------------------


def test_exchanged_queries_and_keys_hide_behind_the_identity():
    output, weights = wrong("queries and keys are exchanged")(THREE, I, I, I)
    right = scaled_dot_product_attention(THREE, THREE, THREE)
    assert np.array_equal(weights[0], right.weights) and np.array_equal(output, right.output)


def test_softmax_over_the_queries_gives_columns_that_sum_to_one():
    _, weights = wrong("softmax runs over the queries")(THREE, I, I, I)
    np.testing.assert_allclose(weights[0].sum(axis=0), 1)


def test_masking_after_softmax_leaves_what_the_mask_left():
    _, weights = wrong("weights are masked after softmax")(np.zeros((4, 2)), I, I, I, 1, causal_mask(4))
    np.testing.assert_allclose(weights[0].sum(axis=1), [0.25, 0.5, 0.75, 1])


def test_a_blocked_score_of_zero_gets_the_share_of_zero():
    _, weights = wrong("blocked scores are set to 0")(np.zeros((4, 2)), I, I, I, 1, causal_mask(4))
    np.testing.assert_allclose(weights[0], 0.25)


def test_one_step_too_many_shows_the_next_token():
    _, weights = wrong("the mask opens one step too many")(np.zeros((4, 2)), I, I, I, 1, causal_mask(4))
    thirds, quarters = [1 / 3, 1 / 3, 1 / 3, 0], [0.25] * 4
    np.testing.assert_allclose(weights[0], [[0.5, 0.5, 0, 0], thirds, quarters, quarters])


def test_reshape_alone_gives_whole_tokens_to_a_head():
    split = specimens.MISTAKES["heads are cut by reshape alone"].split
    assert split(np.array([[1, 2], [3, 4], [5, 6]]), 2)[0].ravel().tolist() == [1, 2, 3]


def test_without_the_largest_subtracted_thousands_become_nan():
    output, _ = wrong("the largest score is not subtracted")(1000 * THREE, I, I, I)
    assert np.isnan(output).all()


def test_a_changed_matrix_is_noticed_by_whoever_handed_it_over():
    W_query = 4 * I
    first = wrong("a matrix is changed along the way")(THREE, W_query, I, I)[0]
    np.testing.assert_allclose(first, scaled_dot_product_attention(4 * THREE, THREE, THREE).output)
    assert np.array_equal(W_query, 2 * I)


# --- which is which ---------------------------------------------------------------------------------------------------


def changed(change):
    def attend(X, W_query, W_key, W_value, num_heads=1, mask=None):
        output, weights = specimens.attention_of(specimens.RIGHT)(X, W_query, W_key, W_value, num_heads, mask)
        return change(X, output.copy(), weights.copy(), mask)

    return attend


def below_0(X, output, weights, mask):
    if mask is not None:
        weights[:, 0, 0] += 9
        weights[:, 0, 3] -= 9
    return output, weights


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (below_0, 1),
        (lambda X, output, weights, mask: (np.where(np.abs(X).max() > 100, np.inf, output), weights), LARGE),
        (lambda X, output, weights, mask: (output * np.nan, weights * np.nan), 0),
    ],
)
def test_weights_below_0_infinities_and_nan_break_rules(change, broken):
    assert specimens.gaps(changed(change))[broken] > 0
