"""Losses, gradients, optimisers, the loop, and the files of parameters."""

import math
import os
import re
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import mygrad
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import attention, layers, transformer
from helpers.learning import training
from helpers.learning.optimizers import adam, clip, gradient_descent, momentum, rmsprop, warm_up_and_decay
from helpers.learning.parameters import named_arrays, tree_leaves, tree_map
from helpers.learning.training import cross_entropy, loss_and_gradient, numerical_gradient, train
from helpers.support import measuring

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


@pytest.mark.parametrize(
    ("scores", "targets", "error", "message"),
    [
        (np.zeros((2, 3)), [0], ValueError, "targets must have the shape of scores without its last axis, got targets (1,) and scores (2, 3)."),
        (np.zeros((2, 3)), [0.0, 1.0], TypeError, "targets must be whole numbers, the right choice each, got float64."),
        (np.zeros((2, 3)), [0, 3], ValueError, "targets must lie between 0 and 2, got 0 to 3."),
        (np.zeros((2, 3)), [-1, 2], ValueError, "targets must lie between 0 and 2, got -1 to 2."),
        ([[np.inf, 0.0]], [0], ValueError, "scores must be finite; a probability of 0 would be an endless surprise."),
        (np.zeros((0, 3)), np.zeros(0, int), ValueError, "targets must have the shape of scores without its last axis, got targets (0,) and scores (0, 3)."),
    ],
)  # fmt: skip
def test_cross_entropy_refuses(scores, targets, error, message):
    with pytest.raises(error, match=re.escape(message)):
        cross_entropy(scores, targets)


# --- gradients -------------------------------------------------------------------------------------------------------


def assert_gradient(loss_of, parameters, *batch):
    """Derivatives of every number against finite differences."""
    loss, gradient = loss_and_gradient(loss_of, parameters, *batch)
    assert math.isclose(loss, float(loss_of(parameters, *batch)), rel_tol=1e-12)
    by_trial = named_arrays(numerical_gradient(loss_of, parameters, *batch))
    by_rule = named_arrays(gradient)
    assert by_rule.keys() == by_trial.keys()
    for name, slopes in by_trial.items():
        assert by_rule[name].shape == slopes.shape and by_rule[name].dtype == np.float64
        np.testing.assert_allclose(by_rule[name], slopes, rtol=1e-6, atol=2e-9, err_msg=name)
    return gradient


def away_from_zero(rng, parameters):
    """No bias is 0, no gain is 1."""
    return tree_map(lambda array: array + 0.2 * rng.normal(size=array.shape), parameters)


def weigh(rng, shape):
    """A loss that counts every output differently."""
    weights = rng.normal(size=shape)
    return lambda output: np.sum(output * weights)


def test_gradient_of_cross_entropy():
    rng = np.random.default_rng(0)
    targets = rng.integers(5, size=(2, 3))
    assert_gradient(lambda p: cross_entropy(p["scores"], targets), {"scores": rng.normal(size=(2, 3, 5))})


@pytest.mark.parametrize("masked", [False, True])
def test_gradient_of_attention(masked):
    rng, total = np.random.default_rng(1), weigh(np.random.default_rng(2), (2, 3, 7))
    inputs = {
        "query": rng.normal(size=(2, 3, 5)),
        "key": rng.normal(size=(2, 3, 5)),
        "value": rng.normal(size=(2, 3, 7)),
    }
    mask = attention.causal_mask(3) if masked else None
    assert_gradient(lambda p: total(attention.scaled_dot_product_attention(**p, mask=mask).output), inputs)


@pytest.mark.parametrize("base", [math.e, 3.0])
def test_gradient_of_softmax(base):
    total = weigh(np.random.default_rng(4), (3, 5))
    scores = np.random.default_rng(3).normal(size=(3, 5))
    assert_gradient(lambda p: total(attention.softmax(p[0], base=base)), [scores])


def test_gradient_of_layer_norm():
    rng, total = np.random.default_rng(5), weigh(np.random.default_rng(6), (2, 3, 5))
    parameters = {"x": rng.normal(size=(2, 3, 5)), "gain": rng.normal(size=5), "bias": rng.normal(size=5)}
    assert_gradient(lambda p: total(layers.layer_norm(**p)), parameters)


@pytest.mark.parametrize("activation", [layers.relu, layers.gelu])
def test_gradient_of_feed_forward(activation):
    rng, total = np.random.default_rng(7), weigh(np.random.default_rng(8), (3, 5))
    shapes = {"x": (3, 5), "W_in": (5, 7), "b_in": (7,), "W_out": (7, 5), "b_out": (5,)}
    parameters = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    assert_gradient(lambda p: total(layers.feed_forward(**p, activation=activation)), parameters)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_gradient_of_encoder_layer(norm):
    rng, total = np.random.default_rng(9), weigh(np.random.default_rng(10), (2, 3, 4))
    parameters = {"layer": away_from_zero(rng, layers.random_layer(rng, 4, 2, 5)), "x": rng.normal(size=(2, 3, 4))}
    mask = attention.padding_mask([3, 2], 3)
    assert_gradient(
        lambda p: total(layers.encoder_layer(p["x"], p["layer"], num_heads=2, norm=norm, mask=mask)), parameters
    )


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_gradient_of_decoder_layer(norm):
    rng, total = np.random.default_rng(11), weigh(np.random.default_rng(12), (3, 4))
    parameters = {
        "layer": away_from_zero(rng, layers.random_layer(rng, 4, 2, 5, decoder=True)),
        "x": rng.normal(size=(3, 4)),
        "memory": rng.normal(size=(2, 4)),
    }
    how = {"num_heads": 2, "norm": norm, "mask": attention.causal_mask(3)}
    assert_gradient(lambda p: total(layers.decoder_layer(p["x"], p["memory"], p["layer"], **how)), parameters)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_gradient_of_the_whole_transformer(norm):
    rng = np.random.default_rng(13)
    parameters = away_from_zero(rng, transformer.random_transformer(rng, 5, 4, 2, 6, num_layers=1, norm=norm))
    source, target = rng.integers(5, size=(2, 3)), rng.integers(5, size=(2, 2))

    def loss_of(p):
        memory = transformer.encode(source, p, num_heads=2, norm=norm, mask=attention.padding_mask([3, 1], 3))
        return cross_entropy(transformer.decode(target, memory, p, num_heads=2, norm=norm), target[:, ::-1])

    gradient = assert_gradient(loss_of, parameters)
    assert all(np.abs(array).max() > 1e-6 for name, array in named_arrays(gradient).items() if "b_key" not in name)


def test_gradient_of_the_first_letter_ignores_the_later_ones():
    rng = np.random.default_rng(14)
    tokens = {"x": rng.normal(size=(5, 4))}
    layer = layers.random_layer(rng, 4, 2, 8)
    mask = attention.causal_mask(5)
    _, gradient = loss_and_gradient(
        lambda p: np.sum(layers.encoder_layer(p["x"], layer, num_heads=2, mask=mask)[1] ** 2), tokens
    )
    assert np.abs(gradient["x"][:2]).max() > 1e-6 and not gradient["x"][2:].any()


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


def test_loss_and_gradient_refuses_what_is_no_loss():
    with pytest.raises(TypeError, match="must give one number that depends on the parameters, got float"):
        loss_and_gradient(lambda p: 1.0, {"x": np.ones(2)})
    with pytest.raises(TypeError, match="must give one number"):
        loss_and_gradient(lambda p: p["x"] * 2, {"x": np.ones(2)})
    with np.errstate(over="ignore"), pytest.raises(ValueError, match=r"must be finite, got inf\. Is the learning rate"):
        loss_and_gradient(lambda p: np.sum(p["x"] * p["x"]), {"x": np.array([1e200])})


# --- optimisers ------------------------------------------------------------------------------------------------------

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
def test_optimizers_change_neither_gradient_nor_state(optimizer):
    g = np.array([1.0, -2.0])
    _, state = optimizer(g, None, 0.1)
    first, again = optimizer(g, state, 0.1)[0], optimizer(g, state, 0.1)[0]
    assert g.tolist() == [1, -2] and first.tolist() == again.tolist()


@pytest.mark.parametrize("optimizer", [gradient_descent, momentum, rmsprop, adam])
def test_optimizers_keep_single_precision(optimizer):
    change, state = optimizer(np.ones(3, np.float32), None, 0.1)
    assert change.dtype == np.float32 and optimizer(np.ones(3, np.float32), state, 0.1)[0].dtype == np.float32


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


@pytest.mark.parametrize(
    ("max_norm", "message"), [(0, "greater than 0, got 0"), (-1, "got -1"), (math.nan, "finite number")]
)
def test_clip_refuses_a_length_that_is_none(max_norm, message):
    with pytest.raises(ValueError, match=message):
        clip([np.ones(2)], max_norm)


def test_warm_up_and_decay_climbs_and_falls_in_straight_lines():
    rate = warm_up_and_decay(2.0, 110, 10)
    np.testing.assert_allclose([rate(step) for step in range(10)], 0.2 * np.arange(1, 11))
    np.testing.assert_allclose([rate(step) for step in (10, 60, 109, 110, 500)], [2, 1, 0.02, 0, 0])
    with pytest.raises(ValueError, match="warm_up must be less than num_steps, got 10 of 10"):
        warm_up_and_decay(1.0, 10, 10)


NO_RATES = [  # value, error, what it is told; each is said of "learning_rate" or of "peak"
    (math.nan, ValueError, "must be a finite number, got nan."),
    (math.inf, ValueError, "must be a finite number, got inf."),
    ("0.1", TypeError, "must be a number, got '0.1'."),
    (None, TypeError, "must be a number, got None."),
    (True, TypeError, "must be a number, got True."),
    (-1.0, ValueError, "must be at least 0, got -1; a step of a negative rate climbs."),
]


@pytest.mark.parametrize(("peak", "error", "message"), NO_RATES)
def test_warm_up_and_decay_refuses_a_peak_that_is_none(peak, error, message):
    with pytest.raises(error, match=re.escape(f"peak {message}")):
        warm_up_and_decay(peak, 10, 2)


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


def test_train_without_words_is_silent(capsys):
    run()
    assert capsys.readouterr() == ("", "")


def test_train_says_that_the_loss_has_left_all_bounds():
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="the loss must be finite"):
        run(num_steps=2000, learning_rate=10.0)


@pytest.mark.parametrize(("rate", "error", "message"), NO_RATES)
@pytest.mark.parametrize("as_function", [False, True])
def test_train_refuses_a_learning_rate_that_is_none(rate, error, message, as_function):
    with pytest.raises(error, match=re.escape(f"learning_rate {message}")):
        run(learning_rate=(lambda step: rate) if as_function else rate)


def test_train_refuses_a_constant_rate_before_the_first_step():
    with pytest.raises(ValueError, match=r"^learning_rate must be at least 0"):
        run(learning_rate=-1.0, num_steps=0)


@pytest.mark.parametrize(
    ("rates", "error", "message"),
    [
        ([0.1, math.nan], ValueError, "learning_rate must not hold NaN (not a number), got 1 of 2 entries"),
        ([0.1, math.inf], ValueError, "learning_rate must hold finite numbers, got inf at learning_rate[1]."),
        ([-0.1, 0.1], ValueError, "learning_rate must be at least 0, got -0.1; a step of a negative rate climbs."),
        (["a", "b"], TypeError, "learning_rate must hold real numbers"),
    ],
)
def test_train_refuses_rates_of_which_one_is_none(rates, error, message):
    with pytest.raises(error, match=re.escape(message)):
        run(learning_rate=np.array(rates))


def test_train_takes_a_rate_for_each_part_and_a_rate_of_zero():
    history = train(
        {"x": np.array([4.0, 4.0])}, bowl, training.full_batch(), num_steps=1, learning_rate=np.array([0.25, 0.0]),
        optimizer=gradient_descent, progress=None,
    )  # fmt: skip
    assert history.parameters["x"].tolist() == [2, 4]


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


def test_train_limits_the_threads_only_while_it_runs():
    from threadpoolctl import threadpool_info

    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before, during = threads(), []
    train(
        {"x": np.ones(1)},
        lambda p: (during.append(threads()), bowl(p))[1],
        training.full_batch(),
        num_steps=1,
        learning_rate=0.1,
        progress=None,
    )
    assert all(count == 1 for count in during[0]) and threads() == before


# --- batches ---------------------------------------------------------------------------------------------------------


def test_random_batches_draw_every_row_with_its_partner():
    rows, partners = np.arange(7), 10 * np.arange(7)
    batches = training.random_batches(np.random.default_rng(0), rows, partners, size=5)
    drawn = [next(batches) for _ in range(40)]
    assert all(len(x) == 5 and (y == 10 * x).all() for x, y in drawn)
    assert {int(k) for x, _ in drawn for k in x} == set(range(7))


@pytest.mark.parametrize(
    ("size", "data", "error", "message"),
    [
        (5, [np.arange(5), np.arange(3)], ValueError, "arrays_of_data must have as many rows each, and at least one, got 5, 3."),
        (5, [np.arange(0)], ValueError, "arrays_of_data must have as many rows each, and at least one, got 0."),
        (5, [], ValueError, "arrays_of_data must have as many rows each, and at least one, got no array."),
        (0, [np.arange(5)], ValueError, "size must be at least 1, got 0."),
        (2.5, [np.arange(5)], TypeError, "size must be a whole number, got 2.5."),
    ],
)  # fmt: skip
def test_random_batches_refuse(size, data, error, message):
    with pytest.raises(error, match=re.escape(message)):
        training.random_batches(np.random.default_rng(0), *data, size=size)


# --- nothing silently wrong ------------------------------------------------------------------------------------------


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


def test_parameters_that_are_no_numbers_are_named():
    with pytest.raises(ValueError, match=r"^parameters\['layers'\]\[1\] must not hold NaN"):
        loss_and_gradient(bowl, {"x": np.ones(2), "layers": [np.ones(2), np.array([1, np.nan])]})
    with pytest.raises(TypeError, match=r"^parameters\['x'\] must hold real numbers"):
        numerical_gradient(bowl, {"x": "word"})


@pytest.mark.parametrize("step", [0, -1e-5, math.nan, math.inf, "small"])
def test_numerical_gradient_refuses_a_step_that_is_none(step):
    with pytest.raises((TypeError, ValueError), match=r"^step must be"):
        numerical_gradient(bowl, {"x": np.ones(2)}, step=step)


def test_cross_entropy_of_scores_that_are_too_far_apart_is_refused():
    with pytest.raises(ValueError, match=r"^scores must be small enough for float64: the gap between two of them"):
        cross_entropy([[1e308, -1e308]], [0])
    assert cross_entropy([[1e308, 0.0]], [0]) == 0


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


def test_cross_entropy_takes_every_kind_of_whole_number():
    for kind in (np.uint8, np.int16, np.uint64):
        assert math.isclose(cross_entropy(np.zeros((2, 3)), np.array([0, 2], kind)), math.log(3))


@pytest.mark.parametrize(
    ("optimizer", "constants"),
    [
        (momentum, {"beta": 1.5}),
        (momentum, {"beta": -0.1}),
        (rmsprop, {"beta": 1.0}),
        (rmsprop, {"epsilon": -1.0}),
        (adam, {"beta1": 1.0}),
        (adam, {"beta2": math.nan}),
        (adam, {"epsilon": math.inf}),
    ],
)
def test_optimizers_refuse_constants_that_would_end_in_nan(optimizer, constants):
    (name,) = constants
    with pytest.raises(ValueError, match=rf"^{name} must be"):
        optimizer(np.ones(2), None, 0.1, **constants)


@pytest.mark.parametrize(("optimizer", "state"), [(momentum, np.ones(3)), (adam, np.ones(2)), (adam, (np.ones(2), 1))])
def test_optimizers_refuse_a_state_that_is_not_theirs(optimizer, state):
    with pytest.raises((TypeError, ValueError), match=r"^state must"):
        optimizer(np.ones(2), state, 0.1)


def test_train_refuses_a_step_that_leaves_the_numbers():
    with pytest.raises(training.StepFailed, match=r"^step 0: the (step|parameters) must stay finite") as caught:
        run(num_steps=1, learning_rate=1e308)
    assert caught.value.history.parameters["x"].tolist() == [4]


def test_train_refuses_an_optimizer_and_batches_that_are_none():
    with pytest.raises(TypeError, match=r"^optimizer must give \(change, state\)"):
        run(optimizer=lambda gradient, state, learning_rate: gradient)
    with pytest.raises(TypeError, match=r"^batches must give tuples"):
        train({"x": np.ones(2)}, bowl, [1.0], num_steps=1, learning_rate=0.1, progress=None)
    with pytest.raises(ValueError, match=r"^state must be None, or the state of a history of these parameters"):
        run(state={"y": None})


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


@interrupts
def test_train_in_another_thread_leaves_the_stop_button_alone():
    with ThreadPoolExecutor(1) as pool:
        assert len(pool.submit(run).result().losses) == 5


def test_a_progress_bar_starts_no_thread(capsys):
    before = threading.active_count()
    run(progress="down the bowl")
    assert threading.active_count() == before


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


@pytest.mark.parametrize(("value", "step"), [(1e12, 1e-5), (1.0, 1e-300)])
def test_numerical_gradient_refuses_a_step_that_moves_nothing(value, step):
    with pytest.raises(ValueError, match="small enough for a step of"):
        numerical_gradient(lambda p: (p**2).sum(), np.array([value]), step=step)


@pytest.mark.parametrize(
    ("optimizer", "gradient"), [(adam, np.float32([1e20])), (rmsprop, np.float32([1e20])), (adam, np.array([1e200]))]
)
def test_gradient_whose_square_overflows_is_refused_and_not_forgotten(optimizer, gradient):
    with pytest.raises(ValueError, match="gradient or learning_rate is too large"):
        optimizer(gradient, None, 0.1)


def test_what_was_handed_over_may_be_changed_afterwards():
    gradient, start = np.array([2.0]), np.ones(3)
    _, velocity = momentum(gradient, None, 0.5)
    history = train(
        {"x": start}, lambda p: p["x"].sum(), training.full_batch(), num_steps=1, learning_rate=0.1, progress=None
    )
    gradient[:] = start[:] = 9
    assert velocity.tolist() == [2.0] and history.snapshots[0]["x"].tolist() == [1.0, 1.0, 1.0]
