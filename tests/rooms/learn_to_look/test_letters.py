"""The language of A's and B's, and the head that learns it."""

import math

import numpy as np
import pytest

from helpers.attention import scaled_dot_product_attention
from helpers.learning import optimizers, training
from helpers.learning.parameters import tree_map
from rooms.learn_to_look import letters

X, TARGETS = letters.as_data(letters.balanced())


def learned(seed, **how):
    defaults = {"num_steps": 150, "learning_rate": 1.0, "optimizer": optimizers.gradient_descent, "progress": None}
    start = letters.random_parameters(seed)
    return training.train(start, letters.loss_of, training.full_batch(X, TARGETS), **(defaults | how))


def test_strings_are_all_there_once():
    strings = letters.strings_of(5)
    assert len(strings) == len(set(strings)) == 32 and set("".join(strings)) == {"A", "B"}
    with pytest.raises(ValueError, match="length must be at least 1"):
        letters.strings_of(0)


def test_a_string_is_followed_by_b_if_one_stands_anywhere():
    assert [letters.follows(string) for string in ("AAAAAA", "ABAAAA", "ABAABA", "AAAABA")] == [0, 1, 1, 1]


def test_balanced_strings_are_followed_by_a_half_the_time():
    assert sum(map(letters.follows, letters.balanced(6))) * 2 == len(letters.balanced(6)) == 126


def test_first_loss_is_that_of_a_coin_for_any_seed():
    for seed in range(20):
        assert abs(letters.loss_of(letters.random_parameters(seed), X, TARGETS) - math.log(2)) < 0.03


def test_look_is_one_head_and_a_linear_output():
    p = letters.random_parameters(3)
    scores, weights = letters.look(X, p)
    for k in (0, 7, 29):
        answer = scaled_dot_product_attention(X[k] @ p["W_query"], X[k] @ p["W_key"], X[k])
        np.testing.assert_allclose(weights[k], answer.weights)
        np.testing.assert_allclose(scores[k], answer.output @ p["W_output"] + p["b_output"])


def test_the_gradient_of_the_loss_is_that_of_trying():
    start = letters.random_parameters(3)
    _, gradient = training.loss_and_gradient(letters.loss_of, start, X, TARGETS)
    tried = training.numerical_gradient(letters.loss_of, start, X, TARGETS)
    for name, slope in gradient.items():
        np.testing.assert_allclose(slope, tried[name], atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_head_learns_to_look_for_the_b_and_generalises(seed):
    history = learned(seed)
    assert history.losses[-1] < 0.05
    for length in (3, 6, 9):
        assert letters.accuracy(history.parameters, letters.strings_of(length)) == 1
    _, weights = letters.look(letters.as_data(["AABA"])[0], history.parameters)
    assert weights[0, :, 2].min() > 0.7


@pytest.mark.parametrize(
    ("optimizer", "rate"), [(optimizers.momentum, 0.3), (optimizers.rmsprop, 0.03), (optimizers.adam, 0.1)]
)
def test_every_optimizer_learns_from_a_few_strings_at_a_time(optimizer, rate):
    batches = training.random_batches(np.random.default_rng(0), X, TARGETS, size=8)
    history = training.train(
        letters.random_parameters(), letters.loss_of, batches, num_steps=150, learning_rate=rate, optimizer=optimizer,
        progress=None,
    )  # fmt: skip
    assert letters.accuracy(history.parameters, letters.strings_of(9)) == 1


def test_zeros_never_learn_to_look():
    start = tree_map(np.zeros_like, letters.random_parameters())
    history = training.train(
        start, letters.loss_of, training.full_batch(X, TARGETS), num_steps=100, learning_rate=1.0, progress=None,
        optimizer=optimizers.gradient_descent,
    )  # fmt: skip
    assert not history.parameters["W_query"].any() and not history.parameters["W_key"].any()
    assert history.losses[-1] < math.log(2) / 2
