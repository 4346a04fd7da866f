"""Dates, their letters, the trained model and one that is trained here."""

import datetime
import re

import numpy as np
import pytest

from helpers import dates
from helpers.parameters import named_arrays, save, tree_leaves, tree_map

DAY = datetime.date(2026, 3, 5)
WRITTEN = {
    "21 Nov 2026": "5 Mar 2026",
    "21 November 2026": "5 March 2026",
    "November 21, 2026": "March 5, 2026",
    "Nov 21, 2026": "Mar 5, 2026",
    "Saturday, November 21, 2026": "Thursday, March 5, 2026",
    "Sat 21 Nov 2026": "Thu 5 Mar 2026",
    "21/11/26": "5/3/26",
    "21/11/2026": "05/03/2026",
    "21.11.2026": "5.3.2026",
    "2026-11-21": "2026-03-05",
}


def test_write_in_every_style():
    assert {style: dates.write(DAY, style) for style in dates.FORMATS} == WRITTEN


def test_styles_are_named_after_what_they_write():
    assert all(dates.write(datetime.date(2026, 11, 21), style) == style for style in dates.FORMATS)


def test_names_are_those_of_the_calendar():
    for n in range(366):
        day = datetime.date(2028, 1, 1) + datetime.timedelta(n)
        assert dates.write(day, "Saturday, November 21, 2026") == f"{day:%A}, {day:%B} {day.day}, {day.year}"
        assert dates.write(day, "Sat 21 Nov 2026") == f"{day:%a} {day.day} {day:%b} {day.year}"


@pytest.mark.parametrize("style", dates.FORMATS)
def test_read_undoes_write_and_every_letter_is_known(style):
    rng = np.random.default_rng(0)
    span = (dates.LAST - dates.FIRST).days
    for n in [0, span, *rng.integers(span, size=300)]:
        day = dates.FIRST + datetime.timedelta(int(n))
        text = dates.write(day, style)
        assert dates.read(text) == dates.read(text.upper()) == day
        assert dates.to_text(dates.to_numbers(text)) == text.lower()
        assert dates.SHORTEST <= len(text) <= dates.LONGEST


@pytest.mark.parametrize(
    "text", ["", "31 feb 2026", "30/2/26", "1 jan 1968", "1 jan 2069", "garbage 12", "21 nov", "2026"]
)
def test_read_of_what_is_no_date_is_none(text):
    assert dates.read(text) is None


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (20261121, TypeError, "a date must be text, such as '21 Nov 2026', got int."),
        ("21 xyz 2026", ValueError, "No date has 'x' in it. Letters, digits, spaces and , - . / are read, as in 21 Nov 2026."),
        ("21 Nov 2026!", ValueError, "No date has '!' in it."),
        ("21 März 2026", ValueError, "No date has 'z' in it."),
        ("1/1", ValueError, "A date needs a day, a month and a year, as in 1/1/69; '1/1' is too short for that."),
        ("", ValueError, "'' is too short"),
        ("november the twenty-first in 2026", ValueError, "The longest date has 29 letters"),
        ("tomorrow", ValueError, "A date needs a day and a year in digits, as in 21 Nov 2026; this text has none."),
    ],
)  # fmt: skip
def test_encode_refuses_with_a_friendly_word(text, error, message):
    with pytest.raises(error, match=re.escape(message)):
        dates.to_numbers(text)


def test_vocabulary_holds_each_token_once_and_no_letter_too_many():
    assert len(set(dates.VOCABULARY)) == len(dates.VOCABULARY) == 39
    days = [dates.FIRST + datetime.timedelta(n) for n in range(0, 36525, 7)]
    used = {letter for day in days for style in dates.FORMATS for letter in dates.write(day, style).lower()}
    assert used == set(dates.LETTERS)


def test_write_in_an_unknown_style_says_which_there_are():
    with pytest.raises(ValueError, match=r"style must be one of '21 Nov 2026', .*, '2026-11-21', got '21-11-2026'\."):
        dates.write(DAY, "21-11-2026")


def test_batch_is_padded_to_its_longest_row():
    batch = dates.batch_of(["1/1/69", "2 jan 1969"], [datetime.date(1969, 1, 1), datetime.date(1969, 1, 2)])
    assert batch.sources.shape == (2, 10) and batch.lengths.tolist() == [6, 10]
    assert batch.sources[0, 6:].tolist() == [dates.PAD] * 4 and dates.to_text(batch.sources[0]) == "1/1/69"
    assert [dates.to_text(row) for row in batch.targets] == ["1969-01-01", "1969-01-02"]
    with pytest.raises(ValueError, match="texts and days must be as many, and at least one, got 1 and 0"):
        dates.batch_of(["1/1/69"], [])


def test_split_shares_no_day_and_loses_none():
    training_days, held_out_days = dates.split()
    assert len(training_days) + len(held_out_days) == len({*training_days, *held_out_days}) == 36525
    assert len(held_out_days) == 1000 and dates.split() == (training_days, held_out_days)
    assert dates.split(seed=1)[1] != held_out_days
    with pytest.raises(ValueError, match="must leave some of 36525 days"):
        dates.split(num_held_out=36525)


def test_held_out_dates_are_none_of_the_batches():
    training_days, held_out_days = dates.split()
    batch = next(dates.random_batches(np.random.default_rng(3), training_days, size=500))
    trained = {dates.to_text(row) for row in batch.targets}
    held_out = {dates.to_text(row) for row in dates.held_out().targets}
    assert not trained & held_out and held_out == {day.isoformat() for day in held_out_days}


@pytest.mark.parametrize(
    ("count", "error", "message"),
    [
        (0, ValueError, "count must be at least 1, got 0."),
        (-1, ValueError, "count must be at least 1, got -1."),
        (1001, ValueError, "count must be at most 1000, the days that are held out, got 1001."),
        (1.5, TypeError, "count must be a whole number, got 1.5."),
    ],
)
def test_held_out_refuses_a_count_that_there_is_not(count, error, message):
    with pytest.raises(error, match=re.escape(message)):
        dates.held_out(count)


def test_held_out_has_as_many_dates_as_asked_for():
    assert [len(dates.held_out(count).targets) for count in (1, 7, 1000)] == [1, 7, 1000]


def test_random_batches_refuse():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"days must hold at least one day, got none\."):
        dates.random_batches(rng, [])
    with pytest.raises(ValueError, match=r"size must be at least 1, got 0\."):
        dates.random_batches(rng, [DAY], size=0)


# --- the model -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model():
    return dates.load_model()


def test_trained_model_is_right_on_99_percent_of_held_out_dates(model):
    assert dates.accuracy(model, dates.held_out()) >= 0.99


def test_random_model_is_right_on_none():
    assert dates.accuracy(dates.random_model(), dates.held_out(100)) < 0.02


def test_random_model_has_its_size_and_single_precision():
    parameters = tree_leaves(dates.random_model())
    assert {str(array.dtype) for array in parameters} == {"float32"}
    assert sum(array.size for array in parameters) == 88_999


def test_first_loss_is_about_that_of_a_guess():
    assert abs(float(dates.loss_of(dates.random_model(), *dates.held_out(64))) - np.log(39)) < 1


@pytest.mark.parametrize(
    ("how", "most"), [({"positions": False}, 0.2), ({"causal": False}, 0.8), ({"padding": False}, 0.8)]
)
def test_trained_model_needs_positions_and_masks(model, how, most):
    held_out = dates.held_out(200)
    assert dates.accuracy(model, held_out, **how) <= most < 0.98 <= dates.accuracy(model, held_out)


def test_without_head_silences_one_head_and_changes_nothing_else(model):
    before = {name: array.copy() for name, array in named_arrays(model).items()}
    quiet = named_arrays(dates.without_head(model, "cross", 2))
    for name, array in named_arrays(model).items():
        np.testing.assert_array_equal(array, before[name])
        if name == "decoder.0.cross_attention.W_output":
            assert not quiet[name][32:48].any()
            np.testing.assert_array_equal(np.delete(quiet[name], range(32, 48), 0), np.delete(array, range(32, 48), 0))
        else:
            np.testing.assert_array_equal(quiet[name], array)


@pytest.mark.parametrize(
    ("attention", "head", "error", "message"),
    [
        ("encoder", 4, ValueError, "head must be at most 3, since each attention has 4 heads, counted from 0, got 4."),
        ("encoder", -1, ValueError, "head must be at least 0, got -1."),
        ("encoder", 1.0, TypeError, "head must be a whole number, got 1.0."),
        ("self", 0, ValueError, "attention must be one of 'encoder', 'decoder', 'cross', got 'self'."),
        (["encoder"], 0, ValueError, "attention must be one of 'encoder', 'decoder', 'cross', got ['encoder']."),
    ],
)
def test_without_head_refuses_a_head_that_there_is_not(model, attention, head, error, message):
    with pytest.raises(error, match=re.escape(message)):
        dates.without_head(model, attention, head)


def test_translate_does_not_depend_on_padding_or_company(model):
    precise = tree_map(lambda array: array.astype(float), model)
    alone = dates.batch_of(["1/1/69"], [datetime.date(1969, 1, 1)])
    both = dates.batch_of(["1/1/69", "wednesday, september 30, 2026"], [datetime.date(1969, 1, 1)] * 2)
    one, two = (dates.translate(precise, batch.sources, batch.lengths) for batch in (alone, both))
    np.testing.assert_allclose(two.probabilities[0], one.probabilities[0], atol=1e-9)
    np.testing.assert_allclose(two.attention["cross"][0, :, :, :6], one.attention["cross"][0], atol=1e-9)
    assert not two.attention["cross"][0, :, :, 6:].any()


def test_translate_writes_what_teacher_forcing_finds_likeliest(model):
    """Letter by letter, or all at once with the right letters shown: the same where the translation is right."""
    precise, batch = tree_map(lambda array: array.astype(float), model), dates.held_out(60)
    translation = dates.translate(precise, batch.sources, batch.lengths)
    right = (translation.numbers == batch.targets).all(axis=-1)
    chosen = np.take_along_axis(translation.probabilities, batch.targets[..., None], axis=-1)[right]
    loss = dates.loss_of(precise, batch.sources[right], batch.lengths[right], batch.targets[right])
    assert right.sum() > 50 and np.isclose(-np.log(chosen).mean(), float(loss), rtol=1e-9)


@pytest.mark.parametrize("attention", dates.ATTENTIONS)
def test_translate_shows_weights_that_sum_to_one(model, attention):
    batch = dates.held_out(20)
    weights = dates.translate(model, batch.sources, batch.lengths).attention[attention]
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)


def test_checkpoint_of_other_sizes_is_refused(tmp_path):
    path = tmp_path / "model.npz"
    save(path, dates.random_model(d_model=32))
    with pytest.raises(ValueError, match=r"must hold .* as float32 \(.*64.*\), got float32 \(.*32.*\)"):
        dates.load_model(path)


def test_checkpoint_that_is_cut_off_is_refused(tmp_path):
    path = tmp_path / "model.npz"
    path.write_bytes(dates.PATH.read_bytes()[:100_000])
    with pytest.raises(ValueError, match=r"model\.npz must be a file of arrays, but it is damaged"):
        dates.load_model(path)


def test_losses_are_those_of_the_training_that_made_the_model(model):
    """Before the first step, and, within what the last steps still move, before the last one."""
    losses, (training_days, _) = dates.load_losses(), dates.split()
    assert losses.shape == (dates.NUM_STEPS,) and losses.min() > 0
    batches = dates.random_batches(np.random.default_rng(dates.SEED), training_days)
    drawn = [next(batches) for _ in losses]
    assert np.isclose(losses[0], dates.loss_of(dates.random_model(), *drawn[0]), rtol=1e-4)
    recomputed = [dates.loss_of(model, *batch) for batch in drawn[-10:]]
    np.testing.assert_allclose(losses[-10:], recomputed, rtol=0.05)


def test_losses_that_are_missing_or_others_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"losses\.npz must be there, but it is missing"):
        dates.load_losses(tmp_path / "losses.npz")
    save(tmp_path / "losses.npz", {"losses": np.ones(9)})
    with pytest.raises(ValueError, match=r"must hold losses as float64 \(1000,\), got float64 \(9,\)"):
        dates.load_losses(tmp_path / "losses.npz")


@pytest.mark.parametrize(
    ("peak", "error", "message"), [(np.nan, ValueError, "peak must be a finite number"), ("a", TypeError, "peak must be a number")]
)  # fmt: skip
def test_train_refuses_a_peak_that_is_none(peak, error, message):
    with pytest.raises(error, match=message):
        dates.train(dates.random_model(), num_steps=3, peak=peak, progress=None)


def test_small_model_learns_from_zero():
    """Width 32, from random numbers, in a few seconds: the loss falls far, and letters come out right."""
    start, held_out = dates.random_model(d_model=32, d_ff=64), dates.held_out(200)
    history = dates.train(start, num_steps=220, peak=1e-2, warm_up=30, progress=None)
    numbers = dates.translate(history.parameters, held_out.sources, held_out.lengths).numbers
    first, last = history.losses[:5].mean(), history.losses[-20:].mean()
    assert last < first / 5, (first, last)
    letters_right = (numbers == held_out.targets).mean()
    assert letters_right > 0.8, letters_right
    assert dates.accuracy(history.parameters, held_out) > 0.2
