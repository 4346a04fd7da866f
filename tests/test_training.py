"""Losses, gradients, optimisers, the loop, and the files of parameters."""

import math
import os
import re
import signal
import sys
import threading
import time

import mygrad
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import attention, transformer
from helpers.learning import training
from helpers.learning.optimizers import adam, gradient_descent, momentum
from helpers.learning.parameters import tree_leaves, tree_map
from helpers.learning.training import cross_entropy, loss_and_gradient, numerical_gradient, train
from rooms.count_the_cost import measuring

# --- cross-entropy ---------------------------------------------------------------------------------------------------


def test_cross_entropy_of_a_guess_is_the_logarithm_of_the_choices():
    for choices in (2, 3, 39):
        assert math.isclose(cross_entropy(np.zeros((5, choices)), np.zeros(5, int)), math.log(choices))


def test_cross_entropy_by_hand():
    # shares 1/4 and 3/4; right is the second, then the first
    scores = np.log([[1.0, 3.0], [1.0, 3.0]])
    assert math.isclose(cross_entropy(scores, [1, 0]), (math.log(4 / 3) + math.log(4)) / 2)


@settings(deadline=None)
@given(st.lists(st.integers(1, 4), min_size=0, max_size=3), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_cross_entropy_equals_a_loop(shape, choices, seed):
    rng = np.random.default_rng(seed)
    scores, targets = rng.normal(scale=3, size=(*shape, choices)), rng.integers(choices, size=shape)
    rows, right = scores.reshape(-1, choices).tolist(), np.ravel(targets).tolist()
    surprises = [math.log(sum(math.exp(x) for x in row)) - row[k] for row, k in zip(rows, right)]
    assert math.isclose(cross_entropy(scores, targets), sum(surprises) / len(surprises), abs_tol=1e-12)


def test_cross_entropy_survives_scores_of_a_thousand():
    assert cross_entropy([[1000.0, 0.0]], [0]) == 0
    assert cross_entropy([[1000.0, 0.0]], [1]) == 1000


# --- gradients -------------------------------------------------------------------------------------------------------


def test_gradient_keeps_single_precision_all_the_way():
    rng = np.random.default_rng(15)
    drawn = transformer.random_transformer(rng, 5, 4, 2, 6, num_layers=1, norm="pre")
    parameters = tree_map(lambda array: array.astype(np.float32), drawn)
    seen = []

    def loss_of(p):
        memory = transformer.encode([[0, 1, 2]], p, num_heads=2, norm="pre", mask=attention.padding_mask([2], 3))
        scores = transformer.decode([[3, 4]], memory, p, num_heads=2, norm="pre")
        loss = cross_entropy(scores, [[1, 2]])
        seen.extend([memory.dtype, scores.dtype, loss.dtype])
        return loss

    _, gradient = loss_and_gradient(loss_of, parameters)
    assert {str(dtype) for dtype in seen} == {"float32"}
    assert {str(array.dtype) for array in tree_leaves(gradient)} == {"float32"}


def test_gradient_of_what_the_loss_does_not_use_is_zero():
    _, gradient = loss_and_gradient(lambda p: np.sum(p["a"]), {"a": np.ones(2), "b": np.ones(3)})
    assert gradient["b"].tolist() == [0, 0, 0]


def test_loss_and_gradient_leaves_the_parameters_as_they_are_and_writable():
    parameters = {"x": np.array([1.0, 2.0])}
    loss_and_gradient(lambda p: np.sum(p["x"] ** 3), parameters)
    assert parameters["x"].tolist() == [1, 2] and parameters["x"].flags.writeable
    assert mygrad.mem_guard_active()


# --- the loop --------------------------------------------------------------------------------------------------------


def bowl(p, middle=0.0):
    return np.sum((p["x"] - middle) ** 2)


def run(**changes):
    how = {"num_steps": 5, "learning_rate": 0.25, "optimizer": gradient_descent, "progress": None}
    return train({"x": np.array([4.0])}, bowl, training.full_batch(), **(how | changes))


def test_train_halves_the_distance_at_every_step():
    history = run(keep_every=2)
    assert history.losses.tolist() == [16, 4, 1, 0.25, 0.0625] and not history.interrupted
    assert {step: p["x"].tolist() for step, p in history.snapshots.items()} == {0: [4], 2: [1], 4: [0.25], 5: [0.125]}


def test_train_goes_on_where_it_stopped():
    whole = run(num_steps=6, optimizer=adam, learning_rate=lambda step: 0.1 * (step + 1))
    first = run(num_steps=2, optimizer=adam, learning_rate=lambda step: 0.1 * (step + 1))
    rest = train(
        first.parameters, bowl, training.full_batch(), num_steps=4, learning_rate=lambda step: 0.1 * (step + 1),
        state=first.state, first_step=2, progress=None,
    )  # fmt: skip
    np.testing.assert_array_equal(rest.parameters["x"], whole.parameters["x"])


def test_train_ends_with_the_batches():
    history = train({"x": np.array([4.0])}, bowl, [(0.0,), (1.0,)], num_steps=9, learning_rate=0.25, progress=None)
    assert len(history.losses) == 2


@pytest.mark.parametrize("stop_at", [0, 1, 3])
def test_train_that_is_interrupted_keeps_what_it_has(stop_at):
    calls = []

    def pressed(p):
        calls.append(p)
        if len(calls) == stop_at + 1:
            raise KeyboardInterrupt
        return bowl(p)

    history = train(
        {"x": np.array([4.0])}, pressed, training.full_batch(), num_steps=9, learning_rate=0.25,
        optimizer=gradient_descent, progress=None,
    )  # fmt: skip
    assert history.interrupted and len(history.losses) == stop_at
    assert history.parameters["x"].tolist() == [4 / 2**stop_at] == history.snapshots[stop_at]["x"].tolist()
    more = train(
        history.parameters, bowl, training.full_batch(), num_steps=1, learning_rate=0.25, optimizer=gradient_descent,
        state=history.state, progress=None,
    )  # fmt: skip
    assert more.parameters["x"].tolist() == [2 / 2**stop_at]


def test_train_shows_a_bar_with_the_loss(capsys):
    run(progress="down the bowl")
    told = capsys.readouterr().err
    assert "down the bowl" in told and "5/5" in told and "loss 0.062" in told


@pytest.mark.parametrize("rate", [0.25, np.float64(0.25), np.array(0.25), 1])
def test_train_keeps_single_precision_whatever_number_the_rate_is(rate):
    for learning_rate in (rate, lambda step: rate):
        history = train(
            {"x": np.ones(2, np.float32)}, bowl, training.full_batch(), num_steps=1, learning_rate=learning_rate,
            progress=None,
        )  # fmt: skip
        assert history.parameters["x"].dtype == np.float32


def test_train_that_fails_says_in_which_step_and_keeps_the_steps_before():
    with np.errstate(all="ignore"), pytest.raises(training.StepFailed) as caught:
        run(num_steps=9, learning_rate=1e160)
    assert str(caught.value) == "step 1: the loss must be finite, got inf. Is the learning rate too large?"
    assert caught.value.history.losses.tolist() == [16] and caught.value.history.interrupted
    assert caught.value.history.parameters is caught.value.history.snapshots[1]


def test_train_asks_about_the_learning_rate_once_a_step_was_taken():
    def refuses(p, number):
        if number == 2:
            raise ValueError("the batch must be good.")
        return bowl(p)

    for batches, told in {
        ((0,), (1,), (2,)): "step 12: the batch must be good. Is the learning rate too large?",
        ((2,),): "step 10: the batch must be good.",
    }.items():
        with pytest.raises(ValueError) as caught:
            train({"x": np.ones(2)}, refuses, batches, num_steps=3, learning_rate=0.1, first_step=10, progress=None)
        assert str(caught.value) == told


# --- batches ---------------------------------------------------------------------------------------------------------


def test_random_batches_draw_every_row_with_its_partner():
    rows, partners = np.arange(7), 10 * np.arange(7)
    batches = training.random_batches(np.random.default_rng(0), rows, partners, size=5)
    drawn = [next(batches) for _ in range(40)]
    assert all(len(x) == 5 and (y == 10 * x).all() for x, y in drawn)
    assert {int(k) for x, _ in drawn for k in x} == set(range(7))


@pytest.mark.parametrize("x", [np.array([1, 3]), [1, 3], np.array([1.0, 3.0], np.float16), np.array([1, 3], np.uint64)])
def test_whole_numbers_and_half_precision_learn_as_floats(x):
    parameters = {"x": x}

    def loss_of(p):
        return sum(np.sum(array**2) for array in tree_leaves(p))

    assert np.concatenate(
        [np.atleast_1d(g) for g in tree_leaves(loss_and_gradient(loss_of, parameters)[1])]
    ).tolist() == [2, 6]
    by_trial = [np.atleast_1d(g) for g in tree_leaves(numerical_gradient(loss_of, parameters))]
    np.testing.assert_allclose(np.concatenate(by_trial), [2, 6], rtol=1e-6)
    how = {"num_steps": 2, "learning_rate": 0.1, "optimizer": gradient_descent, "progress": None}
    learned = train(parameters, loss_of, training.full_batch(), **how).parameters
    np.testing.assert_allclose(np.concatenate([np.atleast_1d(a) for a in tree_leaves(learned)]), [0.64, 1.92])


@pytest.mark.parametrize("shape", [(5000, 2), (70_000, 1)])
def test_cross_entropy_in_16_bits_counts_every_choice_however_it_lies_in_memory(shape):
    scores = np.zeros(shape, np.float16).T
    losses = cross_entropy(scores, np.zeros(shape[1], int)), cross_entropy(scores[0], 0)
    assert [loss.dtype for loss in losses] == [np.float16] * 2
    np.testing.assert_allclose(losses, math.log(shape[0]), rtol=1e-3)


def test_cross_entropy_of_a_large_vocabulary_holds_no_matrix_of_choices_by_choices():
    scores = np.zeros((2, 20_000), np.float32)
    peak = measuring.peak_bytes(lambda: cross_entropy(scores, [1, 19_999]))
    assert peak < 20 * scores.nbytes


# --- what is refused -------------------------------------------------------------------------------------------------

RNG = np.random.default_rng(0)
CLIMBS = "a step of a negative rate climbs."
WRONG_VALUES = [
    (lambda: loss_and_gradient(bowl, {"x": np.ones(2), "layers": [np.array([1, np.nan])]}), "parameters['layers'][0] must not hold NaN…"),
    (lambda: loss_and_gradient(lambda p: np.sum(p["x"] * p["x"]), {"x": np.array([1e200])}), "the loss must be finite, got inf. Is the learning rate too large?"),
    (lambda: numerical_gradient(bowl, {"x": np.ones(2)}, step=0), "step must be…"),
    (lambda: numerical_gradient(bowl, {"x": np.array([1e12])}, step=1e-5), "parameters must be small enough for a step of…"),
    (lambda: run(learning_rate=-1.0, num_steps=0), f"learning_rate must be at least 0, got -1; {CLIMBS}"),
    (lambda: run(learning_rate=lambda step: math.nan), "step 0: learning_rate must be a finite number, got nan."),
    (lambda: run(learning_rate=np.array([0.1, math.inf])), "learning_rate must hold finite numbers, got inf at learning_rate[1]."),
    (lambda: run(learning_rate=np.array([-0.1, 0.1])), f"learning_rate must be at least 0, got -0.1; {CLIMBS}"),
    (lambda: run(num_steps=1, learning_rate=1e308), "step 0: the step must stay finite, but gradient or learning_rate is too large."),
    (lambda: run(state={"y": None}), "state must be None, or the state of a history of these parameters…"),
    (lambda: training.random_batches(RNG, np.arange(5), np.arange(3), size=5), "arrays_of_data must have as many rows each, and at least one, got 5, 3."),
    (lambda: training.random_batches(RNG, size=5), "arrays_of_data must have as many rows each, and at least one, got no array."),
    (lambda: training.random_batches(RNG, np.arange(5), size=0), "size must be at least 1, got 0."),
]  # fmt: skip
WRONG_TYPES = [
    (lambda: loss_and_gradient(lambda p: 1.0, {"x": np.ones(2)}), "loss_of must give one number that depends on the parameters, got float…"),
    (lambda: loss_and_gradient(lambda p: p["x"] * 2, {"x": np.ones(2)}), "loss_of must give one number…"),
    (lambda: numerical_gradient(bowl, {"x": "word"}), "parameters['x'] must hold real numbers…"),
    (lambda: run(learning_rate="0.1"), "learning_rate must be a number, got '0.1'."),
    (lambda: run(optimizer=lambda gradient, state, learning_rate: gradient), "optimizer must give (change, state)…"),
    (lambda: train({"x": np.ones(2)}, bowl, [1.0], num_steps=1, learning_rate=0.1, progress=None), "batches must give tuples…"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), WRONG_VALUES)
def test_wrong_values_are_named(call, message):
    with np.errstate(all="ignore"):
        told(call, ValueError, message)


@pytest.mark.parametrize(("call", "message"), WRONG_TYPES)
def test_wrong_types_are_named(call, message):
    told(call, TypeError, message)


def told(call, error, message):
    with pytest.raises(error, match="^" + re.escape(message.removesuffix("…"))):
        call()


# --- the stop button -------------------------------------------------------------------------------------------------

interrupts = pytest.mark.skipif(sys.platform == "win32", reason="there, no test can press stop without stopping all")


def pressing_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


@interrupts
@pytest.mark.parametrize("seconds", [0.0, 0.01, 0.03, 0.1, 0.2])
def test_train_comes_back_with_a_history_whenever_stop_is_pressed(seconds):
    before = signal.getsignal(signal.SIGINT)

    def slow_bowl(p):
        time.sleep(0.002)
        return bowl(p)

    def pressing():  # with the first batch, so that the training has begun
        pressing_after(seconds)
        yield from training.full_batch()

    history = train(
        {"x": np.array([4.0])}, slow_bowl, pressing(), num_steps=100_000, learning_rate=1e-5, progress="down the bowl",
        optimizer=gradient_descent,
    )  # fmt: skip
    steps = len(history.losses)
    assert history.interrupted and steps < 2000 and signal.getsignal(signal.SIGINT) is before
    np.testing.assert_allclose(history.parameters["x"], 4 * (1 - 2e-5) ** steps)
    assert history.snapshots.keys() == {0, steps}


@interrupts
def test_train_breaks_a_step_off_when_stop_is_pressed_again():
    def endless(p):
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)

    start = time.monotonic()
    history = train({"x": np.ones(1)}, endless, training.full_batch(), num_steps=3, learning_rate=0.1, progress=None)
    assert history.interrupted and len(history.losses) == 0 and time.monotonic() - start < 30


def test_a_training_calls_whoever_watches_after_each_step():
    seen = []
    training.train(
        {"x": np.array(4.0)}, lambda p: p["x"] ** 2, training.full_batch(), num_steps=3, learning_rate=0.25,
        optimizer=gradient_descent, progress=None,
        watch=lambda losses, parameters: seen.append((losses.tolist(), float(parameters["x"]))),
    )  # fmt: skip
    assert seen == [([16.0], 2.0), ([16.0, 4.0], 1.0), ([16.0, 4.0, 1.0], 0.5)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 100, 1000])
def test_numerical_gradient_counts_in_64_bits(dtype, size):
    found = numerical_gradient(lambda p: (p**2).sum(), np.array([size, 3 * size], dtype))
    np.testing.assert_allclose(found, [2 * size, 6 * size], rtol=1e-6)


def test_what_was_handed_over_may_be_changed_afterwards():
    gradient, start = np.array([2.0]), np.ones(3)
    _, velocity = momentum(gradient, None, 0.5)
    history = train(
        {"x": start}, lambda p: p["x"].sum(), training.full_batch(), num_steps=1, learning_rate=0.1, progress=None
    )
    gradient[:] = start[:] = 9
    assert velocity.tolist() == [2.0] and history.snapshots[0]["x"].tolist() == [1.0, 1.0, 1.0]
