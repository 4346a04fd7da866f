"""The model that translates dates: what it learned, where it looks, and its files."""

import datetime
import os
import signal
import sys

import numpy as np
import pytest

from helpers.learning.parameters import named_arrays, save, tree_leaves, tree_map
from rooms.shared import date_model, dates
from tests.refusals import says


@pytest.fixture(scope="module")
def model():
    return date_model.load_model()


def test_trained_model_is_right_on_99_percent_of_held_out_dates(model):
    assert date_model.accuracy(model, dates.held_out()) >= 0.99


def test_random_model_is_right_on_none():
    assert date_model.accuracy(date_model.random_model(), dates.held_out(100)) < 0.02


def test_random_model_has_its_size_and_single_precision():
    parameters = tree_leaves(date_model.random_model())
    assert {str(array.dtype) for array in parameters} == {"float32"}
    assert sum(array.size for array in parameters) == 88_999


def test_first_loss_is_about_that_of_a_guess():
    assert abs(float(date_model.loss_of(date_model.random_model(), *dates.held_out(64))) - np.log(39)) < 1


@pytest.mark.parametrize(("how", "most"), [({"positions": False}, 0.2), ({"padding": False}, 0.8)])
def test_trained_model_needs_positions_and_masks(model, how, most):
    held_out = dates.held_out(200)
    assert date_model.accuracy(model, held_out, **how) <= most < 0.98 <= date_model.accuracy(model, held_out)


def test_without_head_silences_one_head_and_changes_nothing_else(model):
    before = {name: array.copy() for name, array in named_arrays(model).items()}
    quiet = named_arrays(date_model.without_head(model, "cross", 2))
    for name, array in named_arrays(model).items():
        np.testing.assert_array_equal(array, before[name])
        if name == "decoder.0.cross_attention.W_output":
            assert not quiet[name][32:48].any()
            np.testing.assert_array_equal(np.delete(quiet[name], range(32, 48), 0), np.delete(array, range(32, 48), 0))
        else:
            np.testing.assert_array_equal(quiet[name], array)


def test_translate_does_not_depend_on_padding_or_company(model):
    precise = tree_map(lambda array: array.astype(float), model)
    alone = dates.batch_of(["1/1/69"], [datetime.date(1969, 1, 1)])
    both = dates.batch_of(["1/1/69", "wednesday, september 30, 2026"], [datetime.date(1969, 1, 1)] * 2)
    one, two = (date_model.translate(precise, batch.sources, batch.lengths) for batch in (alone, both))
    np.testing.assert_allclose(two.probabilities[0], one.probabilities[0], atol=1e-9)
    np.testing.assert_allclose(two.attention["cross"][0, :, :, :6], one.attention["cross"][0], atol=1e-9)
    assert not two.attention["cross"][0, :, :, 6:].any()


def test_translate_writes_what_teacher_forcing_finds_likeliest(model):
    """Letter by letter, or all at once with the right letters shown: the same where the translation is right."""
    precise, batch = tree_map(lambda array: array.astype(float), model), dates.held_out(60)
    translation = date_model.translate(precise, batch.sources, batch.lengths)
    right = (translation.numbers == batch.targets).all(axis=-1)
    chosen = np.take_along_axis(translation.probabilities, batch.targets[..., None], axis=-1)[right]
    loss = date_model.loss_of(precise, batch.sources[right], batch.lengths[right], batch.targets[right])
    assert right.sum() > 50 and np.isclose(-np.log(chosen).mean(), float(loss), rtol=1e-9)


@pytest.mark.parametrize("attention", date_model.ATTENTIONS)
def test_translate_shows_weights_that_sum_to_one(model, attention):
    batch = dates.held_out(20)
    weights = date_model.translate(model, batch.sources, batch.lengths).attention[attention]
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)


@pytest.mark.everything
def test_small_model_learns_from_zero():
    """Width 32, from random numbers, in a few seconds: the loss falls far, and letters come out right."""
    start, held_out = date_model.random_model(d_model=32, d_ff=64), dates.held_out(200)
    history = date_model.train(start, num_steps=220, peak=1e-2, warm_up=30, progress=None)
    numbers = date_model.translate(history.parameters, held_out.sources, held_out.lengths).numbers
    first, last = history.losses[:5].mean(), history.losses[-20:].mean()
    assert last < first / 5, (first, last)
    letters_right = (numbers == held_out.targets).mean()
    assert letters_right > 0.8, letters_right
    assert date_model.accuracy(history.parameters, held_out) > 0.2


@pytest.mark.skipif(sys.platform == "win32", reason="there, no test can press stop without stopping all")
def test_training_that_is_stopped_while_the_days_are_drawn_is_a_history(monkeypatch):
    drawn = dates.split

    def pressing():
        os.kill(os.getpid(), signal.SIGINT)
        return drawn()

    monkeypatch.setattr(dates, "split", pressing)
    history = date_model.train(date_model.random_model(d_model=8), num_steps=100, progress=None)
    assert history.interrupted and len(history.losses) <= 1


WRONG = [
    (lambda m: date_model.without_head(m, "encoder", 4), ValueError, "head must be at most 3, since each attention has 4 heads, counted from 0, got 4."),
    (lambda m: date_model.without_head(m, "encoder", -1), ValueError, "head must be at least 0, got -1."),
    (lambda m: date_model.without_head(m, "encoder", 1.0), TypeError, "head must be a whole number, got 1.0."),
    (lambda m: date_model.without_head(m, "self", 0), ValueError, "attention must be one of 'encoder', 'decoder', 'cross', got 'self'."),
    (lambda m: date_model.train(m, num_steps=3, peak=np.nan, progress=None), ValueError, "peak must be a finite number, got nan."),
    (lambda m: date_model.random_model(width=3), ValueError, "sizes must be some of vocabulary_size, d_model, d_ff, num_layers, got width."),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), WRONG)
def test_what_the_model_has_not_is_refused(model, call, error, message):
    says(lambda: call(model), error, message)


def test_checkpoint_of_other_sizes_is_refused(tmp_path):
    save(tmp_path / "model.npz", date_model.random_model(d_model=32))
    with pytest.raises(ValueError, match=r"must hold .* as float32 \(.*64.*\), got float32 \(.*32.*\)"):
        date_model.load_model(tmp_path / "model.npz")
