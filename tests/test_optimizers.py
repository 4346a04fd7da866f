"""Optimisers by hand and by their definitions, the length of a gradient, and the learning rate's way up and down."""

import math
import re

import numpy as np
import pytest

from helpers.learning import training
from helpers.learning.optimizers import adam, clip, gradient_descent, momentum, rmsprop, warm_up_and_decay
from helpers.learning.training import train

GRADIENTS = np.random.default_rng(20).normal(size=(6, 2, 3))


def walk(optimizer, rate=0.1, **how):
    """Changes that an optimiser makes of six gradients."""
    state, changes = None, []
    for g in GRADIENTS:
        change, state = optimizer(g, state, rate, **how)
        changes.append(change)
    return np.array(changes)


def test_gradient_descent_by_hand():
    np.testing.assert_allclose(walk(gradient_descent), -0.1 * GRADIENTS)


def test_momentum_is_a_sum_of_fading_gradients():
    want = [-0.1 * sum(0.9 ** (t - i) * GRADIENTS[i] for i in range(t + 1)) for t in range(6)]
    np.testing.assert_allclose(walk(momentum), want)


def test_rmsprop_divides_by_the_fading_mean_square():
    sizes = [np.sqrt(sum(0.1 * 0.9 ** (t - i) * GRADIENTS[i] ** 2 for i in range(t + 1))) for t in range(6)]
    np.testing.assert_allclose(walk(rmsprop), -0.1 * GRADIENTS / (np.array(sizes) + 1e-8))


def test_adam_is_weighted_means_of_gradients_and_squares():
    def mean(values, keep):
        weights = [keep ** (len(values) - 1 - i) for i in range(len(values))]
        return sum(w * v for w, v in zip(weights, values)) / sum(weights)

    want = [
        -0.1 * mean(GRADIENTS[: t + 1], 0.9) / (np.sqrt(mean(GRADIENTS[: t + 1] ** 2, 0.999)) + 1e-8) for t in range(6)
    ]
    np.testing.assert_allclose(walk(adam), want)


@pytest.mark.parametrize("optimizer", [gradient_descent, momentum, rmsprop, adam])
def test_optimizers_find_the_bottom_of_a_bowl(optimizer):
    bottom = np.array([3.0, -1.0])
    history = train(
        {"x": np.zeros(2)}, lambda p: np.sum((p["x"] - bottom) ** 2), training.full_batch(), num_steps=300,
        learning_rate=warm_up_and_decay(0.1, 300, 0), optimizer=optimizer, progress=None,
    )  # fmt: skip
    np.testing.assert_allclose(history.parameters["x"], bottom, atol=0.02)


def test_clip_shortens_all_arrays_by_one_factor():
    gradient = {"a": np.array([3.0]), "b": [np.array([[0.0, 4.0]])]}
    short = clip(gradient, 2.5)
    assert short["a"].tolist() == [1.5] and short["b"][0].tolist() == [[0, 2]]
    assert clip(gradient, 5.0) is gradient


@pytest.mark.parametrize("optimizer", [gradient_descent, momentum, rmsprop, adam])
def test_optimizers_change_neither_gradient_nor_state_and_keep_single_precision(optimizer):
    g = np.array([1.0, -2.0], np.float32)
    _, state = optimizer(g, None, 0.1)
    first, again = optimizer(g, state, 0.1)[0], optimizer(g, state, 0.1)[0]
    assert g.tolist() == [1, -2] and first.tolist() == again.tolist() and first.dtype == np.float32


def test_warm_up_and_decay_climbs_and_falls_in_straight_lines():
    rate = warm_up_and_decay(2.0, 110, 10)
    np.testing.assert_allclose([rate(step) for step in range(10)], 0.2 * np.arange(1, 11))
    np.testing.assert_allclose([rate(step) for step in (10, 60, 109, 110, 500)], [2, 1, 0.02, 0, 0])


TWO = np.ones(2)
WRONG = [
    (lambda: warm_up_and_decay(-1.0, 10, 2), ValueError, "peak must be at least 0, got -1; a step of a negative rate climbs."),
    (lambda: warm_up_and_decay(math.nan, 10, 2), ValueError, "peak must be a finite number, got nan."),
    (lambda: warm_up_and_decay("0.1", 10, 2), TypeError, "peak must be a number, got '0.1'."),
    (lambda: momentum(TWO, None, 0.1, beta=1.5), ValueError, "beta must be…"),
    (lambda: rmsprop(TWO, None, 0.1, beta=1.0), ValueError, "beta must be…"),
    (lambda: rmsprop(TWO, None, 0.1, epsilon=-1.0), ValueError, "epsilon must be…"),
    (lambda: adam(TWO, None, 0.1, beta2=math.nan), ValueError, "beta2 must be…"),
    (lambda: adam(TWO, None, 0.1, epsilon=math.inf), ValueError, "epsilon must be…"),
    (lambda: momentum(TWO, np.ones(3), 0.1), ValueError, "state must…"),
    (lambda: adam(TWO, (TWO, 1), 0.1), TypeError, "state must…"),
    (lambda: adam(np.float32([1e20]), None, 0.1), ValueError, "the step must stay finite, but gradient or learning_rate is too large."),
    (lambda: rmsprop(np.array([1e200]), None, 0.1), ValueError, "the step must stay finite, but gradient or learning_rate is too large."),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), WRONG)
def test_what_would_end_in_nan_is_refused(call, error, message):
    with pytest.raises(error, match="^" + re.escape(message.removesuffix("…"))):
        call()
