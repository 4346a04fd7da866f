"""Dates, their letters, the trained model and one that is trained here."""

import datetime

import numpy as np
import pytest

from rooms.shared import dates
from tests.refusals import refused

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


def test_vocabulary_holds_each_token_once_and_no_letter_too_many():
    assert len(set(dates.VOCABULARY)) == len(dates.VOCABULARY) == 39
    days = [dates.FIRST + datetime.timedelta(n) for n in range(0, 36525, 7)]
    used = {letter for day in days for style in dates.FORMATS for letter in dates.write(day, style).lower()}
    assert used == set(dates.LETTERS)


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


def test_moment_is_read_as_its_day():
    moment, day = (dates.batch_of(["1/1/69"], [kind(1969, 1, 1)]) for kind in (datetime.datetime, datetime.date))
    assert moment.targets.tolist() == day.targets.tolist()


RNG = np.random.default_rng(0)
WRONG_VALUES = [
    (lambda: dates.write(DAY, "21-11-2026"), "style must be one of '21 Nov 2026'…"),
    (lambda: dates.to_numbers("21 xyz 2026"), "No date has 'x' in it. Letters, digits, spaces and , - . / are read, as in 21 Nov 2026."),
    (lambda: dates.to_numbers("21 März 2026"), "No date has 'z' in it…"),
    (lambda: dates.to_numbers("1/1"), "A date needs a day, a month and a year, as in 1/1/69; '1/1' is too short for that."),
    (lambda: dates.to_numbers("november the twenty-first in 2026"), "The longest date has 29 letters…"),
    (lambda: dates.to_numbers("tomorrow"), "A date needs a day and a year in digits, as in 21 Nov 2026; this text has none."),
    (lambda: dates.held_out(0), "count must be at least 1, got 0."),
    (lambda: dates.held_out(1001), "count must be at most 1000, the days that are held out, got 1001."),
    (lambda: dates.random_batches(RNG, []), "days must hold at least one day, got none."),
    (lambda: dates.random_batches(RNG, [DAY], size=0), "size must be at least 1, got 0."),
]  # fmt: skip


test_what_is_no_date_is_told_in_friendly_words = refused(ValueError, WRONG_VALUES)
