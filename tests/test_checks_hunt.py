"""Answers to the exercise of the hunt, right and wrong; tests/test_checks.py tries them all."""

import numpy as np
import pytest

from helpers.attention import causal_mask, multi_head_attention
from helpers.checks import EXERCISES, collect, judge
from helpers.checks.hunt import SHOWS
from helpers.sources import specimens


def beside_the_helper(attend, sizes=(1, 1000), num_heads=2, mask=True, times=2, symmetric=False, outputs=True):
    """Compare with the helper: a good test, from which each of the wrong answers leaves something out."""
    rng = np.random.default_rng(0)
    X, allowed = rng.normal(size=(5, 6)), causal_mask(5) if mask else None
    for size in sizes:
        W = rng.normal(size=(3, 6, 6))
        W[1] = W[0] if symmetric == "queries and keys" else W[1]
        W[2] = W[1] if symmetric == "keys and values" else W[2]
        want = multi_head_attention(size * X, *W, np.eye(6), num_heads=num_heads, mask=allowed)
        for _ in range(times):
            output, weights = attend(size * X, *W, num_heads, allowed)
            if not np.allclose(output if outputs else weights, want.output if outputs else want.weights):
                return False
    return True


def with_booleans_of_numpy(attend):
    return np.bool_(beside_the_helper(attend))


def one_or_zero(attend):
    return int(beside_the_helper(attend))


def by_the_rules(attend):
    return not specimens.gaps(attend).any()


def by_four_examples(attend):
    """No example sees all: each is there for something."""
    I = np.eye(4)  # noqa: E741
    X = np.array([[1.0, 2, 0, 1], [0, 1, 1, 0], [2, 0, 1, 1]])
    W_query, W_key, W_value = I + np.eye(4, k=1), I - np.eye(4, k=2), np.diag([1.0, 2, 3, 4])
    matrices = W_query.copy(), W_key.copy(), W_value.copy()
    plain = multi_head_attention(X, *matrices, I, num_heads=2)
    masked = multi_head_attention(X, *matrices, I, num_heads=2, mask=causal_mask(3))
    good = np.allclose(attend(X, *matrices, num_heads=2)[0], plain.output)
    unchanged = all(np.array_equal(*pair) for pair in zip(matrices, (W_query, W_key, W_value)))
    hidden = np.allclose(attend(X, W_query, W_key, W_value, num_heads=2, mask=causal_mask(3))[0], masked.output)
    finite = np.isfinite(attend(1000 * X, *matrices)[0]).all()
    return good and unchanged and hidden and finite


def says_false_when_it_stops(attend):
    try:
        assert beside_the_helper(attend)
    except AssertionError:
        return False
    return True


def rows_alone(attend):
    return np.allclose(specimens.ask(attend)[1].sum(axis=-1), 1)


def on_three_tokens(attend):
    X = np.array([[1.0, 0], [0, 1], [1, 1]])
    want = [[0.802, 0.599], [0.599, 0.802], [0.752, 0.752]]
    return np.allclose(attend(X, np.eye(2), np.eye(2), np.eye(2))[0], want, atol=1e-3)


def to_the_last_digit(attend):
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(5, 6)), rng.normal(size=(3, 6, 6))
    want = multi_head_attention(X, *W, np.eye(6), num_heads=3).output
    return bool((attend(X, *W, num_heads=3)[0] == want).all()) and beside_the_helper(attend)


RIGHT = {
    "is_right": {
        "beside the helper": beside_the_helper,
        "NumPy's Boolean": with_booleans_of_numpy,
        "1 or 0": one_or_zero,
        "by the rules": by_the_rules,
        "by four examples": by_four_examples,
        "catches its own assert": says_false_when_it_stops,
    }
}
WRONG = {
    "is_right": {
        "trusts everything": (lambda attend: True, r"says True for everything"),
        "trusts nothing": (lambda attend: False, r"says False for everything"),
        "upside down": (lambda attend: not beside_the_helper(attend), r"upside down"),
        "rows alone": (rows_alone, r"specimen 1, in which queries and keys are exchanged.*Its rows do sum to 1"),
        "three tokens": (on_three_tokens, r"specimen 1, in which queries and keys are exchanged"),
        "W_key equals W_query": (
            lambda attend: beside_the_helper(attend, symmetric="queries and keys"),
            r"specimen 1, .*In all your calls W_query equals W_key",
        ),
        "W_value equals W_key": (
            lambda attend: beside_the_helper(attend, symmetric="keys and values"),
            r"specimen 9, in which keys are mixed, not values.*In all your calls W_value equals W_key",
        ),
        "weights alone": (
            lambda attend: beside_the_helper(attend, outputs=False), r"specimen 9, .*Its weights are right; its output is not"
        ),
        "no mask": (lambda attend: beside_the_helper(attend, mask=False), r"specimen 2, .*None of your calls had a mask that blocks a key"),
        "one head": (lambda attend: beside_the_helper(attend, num_heads=1), r"specimen 4, .*All your calls had one head"),
        "small numbers": (
            lambda attend: beside_the_helper(attend, sizes=(1,)), r"specimen 5, .*None of your calls had tokens with scores of 1000"
        ),
        "large numbers alone": (lambda attend: beside_the_helper(attend, sizes=(1000,)), r"specimen \d+, in which"),
        "asks once": (lambda attend: beside_the_helper(attend, times=1), r"specimen 8, .*You never gave it the same matrix twice|specimen 8, .*has changed afterwards"),
        "to the last digit": (to_the_last_digit, r"says False for a right attention.*np\.allclose"),
        "the gap": (lambda attend: specimens.gaps(attend).max(), r"must say True or False"),
        "asserts": (
            lambda attend: rows_alone(attend) and [][0], r"stopped with IndexError.*attend takes X, W_query"
        ),
        "stops": (lambda attend: exec("assert False"), r"AssertionError.*Return False where something is wrong"),
        "both": (lambda attend: [True, False], r"One True or False is asked for, yours has shape \(2,\)"),
        "rule by rule": (lambda attend: specimens.gaps(attend) == 0, r"got \(10,\); .*\.all\(\) joins them into one"),
        "the course's own matrices": (
            lambda attend: bool(
                np.isfinite(attend(specimens.X, specimens.W_QUERY, specimens.W_KEY, specimens.W_VALUE)[0]).all()
            )
            and beside_the_helper(attend),
            r"specimen_8\) stopped with ValueError: .*read-only\. This specimen changes what it is given",
        ),
        "the helper without its last matrix": (
            lambda attend: multi_head_attention(specimens.X, *np.ones((3, 4, 4))) is attend,
            r"TypeError.*The helper is called as .*np\.eye\(d_model\), num_heads=2, mask=mask\).*\.weights",
        ),
        "a mask of numbers": (
            lambda attend: attend(specimens.X, *np.ones((3, 4, 4)), 2, np.tri(4)) is None, r"The mask is Boolean"
        ),
    }
}  # fmt: skip


def test_every_specimen_has_a_word_on_what_shows_it():
    assert list(SHOWS) == list(specimens.MISTAKES)


@pytest.mark.parametrize("number", range(1, 11))
def test_is_right_names_the_one_specimen_that_is_trusted(number):
    gaps = specimens.gaps(specimens.specimen(number))

    def blind_for_one(attend):
        return np.array_equal(specimens.gaps(attend), gaps) or beside_the_helper(attend)

    feedback = EXERCISES["is_right"](blind_for_one)
    assert feedback.status == "wrong"
    assert f"specimen {number}, in which {specimens.mistake_of(number)}." in feedback.message


def test_answer_is_judged_by_its_own_calls_and_not_by_those_of_another():
    record = collect("is_right", beside_the_helper)
    assert EXERCISES["is_right"](lambda attend: True).status == "wrong"  # one that calls nothing, in the same process
    assert judge("is_right", record).status == "right"
