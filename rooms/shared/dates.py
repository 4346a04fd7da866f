"""Dates as people write them, and as ISO 8601 does: a small task of translation, letter by letter.

A source such as "saturday, november 21, 2026" becomes a row of token numbers, one for each letter, padded to the longest
row of its batch. The target is always ten letters long, "2026-11-21". `date_model` translates them.
"""

import datetime
import itertools
from typing import NamedTuple

import numpy as np

from helpers.support import inputs

PAD, START = 0, 1  # the first two tokens of the vocabulary
LETTERS = " ,-./0123456789abcdefghijlmnoprstuvwy"  # all that dates need: no month and no weekday has a k, q, x or z
VOCABULARY = ["<pad>", "<s>", *LETTERS]
NUMBERS = {token: number for number, token in enumerate(VOCABULARY)}
TARGET_LENGTH = len("2026-11-21")
SHORTEST, LONGEST = len("1/1/69"), len("wednesday, september 30, 2026")
FIRST, LAST = datetime.date(1969, 1, 1), datetime.date(2068, 12, 31)  # a hundred years: two digits tell which
FORMATS = {
    "21 Nov 2026": lambda day: f"{day.day} {_MONTHS[day.month - 1][:3]} {day.year}",
    "21 November 2026": lambda day: f"{day.day} {_MONTHS[day.month - 1]} {day.year}",
    "November 21, 2026": lambda day: f"{_MONTHS[day.month - 1]} {day.day}, {day.year}",
    "Nov 21, 2026": lambda day: f"{_MONTHS[day.month - 1][:3]} {day.day}, {day.year}",
    "Saturday, November 21, 2026": lambda day: f"{_WEEKDAYS[day.weekday()]}, {_MONTHS[day.month - 1]} {day.day}, {day.year}",
    "Sat 21 Nov 2026": lambda day: f"{_WEEKDAYS[day.weekday()][:3]} {day.day} {_MONTHS[day.month - 1][:3]} {day.year}",
    "21/11/26": lambda day: f"{day.day}/{day.month}/{day.year % 100:02}",
    "21/11/2026": lambda day: f"{day.day:02}/{day.month:02}/{day.year}",
    "21.11.2026": lambda day: f"{day.day}.{day.month}.{day.year}",
    "2026-11-21": datetime.date.isoformat,
}  # fmt: skip
_MONTHS = "January February March April May June July August September October November December".split()
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
BATCH_SIZE, SEED = 64, 17


class Dates(NamedTuple):
    """A batch of dates.

    sources : (num_dates, longest) whole numbers, PAD after the end of a row
    lengths : (num_dates,) letters in each row
    targets : (num_dates, 10) whole numbers
    """

    sources: np.ndarray
    lengths: np.ndarray
    targets: np.ndarray


# --- letters ---------------------------------------------------------------------------------------------------------


def write(day, style):
    """Write a day as people do.

    Parameters
    ----------
    day : datetime.date
    style : one of FORMATS

    Returns
    -------
    text : str

    Examples
    --------
    >>> [write(datetime.date(2026, 3, 5), style) for style in ("Sat 21 Nov 2026", "21/11/26", "21/11/2026")]
    ['Thu 5 Mar 2026', '5/3/26', '05/03/2026']
    """
    return inputs.one_of("style", style, FORMATS)(_day("day", day))


def _day(name, value):
    if not isinstance(value, datetime.date):
        raise TypeError(f"{name} must be a datetime.date, got {type(value).__name__}.")
    return value


def _days(values):
    days = inputs.listed("days", values, datetime.date, "datetime.date")
    if not days:
        raise ValueError("days must hold at least one day, got none.")
    return days


def read(text):
    """Find the day that a text names, by the rules and without any learning.

    Parameters
    ----------
    text : str

    Returns
    -------
    day : datetime.date from FIRST to LAST, or None if the text is written in none of the FORMATS

    Examples
    --------
    >>> read("saturday, november 21, 2026")
    datetime.date(2026, 11, 21)
    >>> read("31 feb 2026") is None
    True
    """
    letters = "".join(inputs.text("text", text).lower().split())
    for part in _READERS:
        try:
            day = datetime.datetime.strptime(letters, part).date()
        except ValueError:
            continue
        if FIRST <= day <= LAST:
            return day
    return None


_READERS = "%d%b%Y %d%B%Y %B%d,%Y %b%d,%Y %A,%B%d,%Y %a%d%b%Y %d/%m/%y %d/%m/%Y %d.%m.%Y %Y-%m-%d".split()


def to_numbers(text):
    """Turn the letters of a date into token numbers; capitals count as small letters.

    Parameters
    ----------
    text : str, 6 to 29 letters

    Returns
    -------
    numbers : (num_letters,) whole numbers

    Examples
    --------
    >>> to_numbers("1/1/69").tolist()
    [8, 6, 8, 6, 13, 16]
    """
    if not isinstance(text, str):
        raise TypeError(f"a date must be text, such as '21 Nov 2026', got {type(text).__name__}.")
    letters = text.strip().lower()
    strangers = sorted(set(letters) - set(LETTERS))
    if strangers:
        raise ValueError(
            f"No date has {strangers[0]!r} in it. Letters, digits, spaces and , - . / are read, as in 21 Nov 2026."
        )
    if len(letters) < SHORTEST:
        raise ValueError(f"A date needs a day, a month and a year, as in 1/1/69; {letters!r} is too short for that.")
    if len(letters) > LONGEST:
        raise ValueError(
            f"The longest date has {LONGEST} letters, {'wednesday, september 30, 2026'!r}; this text has {len(letters)}."
        )
    if not any(letter.isdigit() for letter in letters):
        raise ValueError("A date needs a day and a year in digits, as in 21 Nov 2026; this text has none.")
    return np.array([NUMBERS[letter] for letter in letters])


def to_text(numbers):
    """Turn token numbers back into letters; padding and start become nothing.

    Examples
    --------
    >>> to_text(to_numbers("21 Nov 2026"))
    '21 nov 2026'
    """
    numbers = inputs.whole_numbers("numbers", numbers, axes=1)
    if numbers.min() < 0 or numbers.max() >= len(VOCABULARY):
        raise ValueError(
            f"numbers must lie between 0 and {len(VOCABULARY) - 1}, got {numbers.min()} to {numbers.max()}."
        )
    return "".join(VOCABULARY[number] for number in numbers if number not in (PAD, START))


def batch_of(texts, days):
    """Make a batch of dates and their translations.

    Parameters
    ----------
    texts : list of str
    days : list of datetime.date, the day that each text names

    Returns
    -------
    Dates

    Examples
    --------
    >>> batch_of(["1/1/69", "2 jan 1969"], [datetime.date(1969, 1, 1), datetime.date(1969, 1, 2)]).lengths
    array([ 6, 10])
    """
    texts, days = inputs.listed("texts", texts, str, "texts"), inputs.listed("days", days, datetime.date, "dates")
    rows = [to_numbers(text) for text in texts]
    if len(rows) != len(days) or not rows:
        raise ValueError(f"texts and days must be as many, and at least one, got {len(rows)} and {len(days)}.")
    lengths = np.array([len(row) for row in rows])
    sources = np.full((len(rows), lengths.max()), PAD)
    for source, row in zip(sources, rows):
        source[: len(row)] = row
    targets = np.array([[NUMBERS[letter] for letter in datetime.date.isoformat(day)] for day in days])
    return Dates(sources, lengths, targets)


# --- data ------------------------------------------------------------------------------------------------------------


def split(seed=SEED, num_held_out=1000):
    """Shuffle the days of a hundred years and hold some back: no day is in both parts.

    Returns
    -------
    training_days, held_out_days : lists of datetime.date

    Examples
    --------
    >>> training_days, held_out_days = split()
    >>> len(training_days), len(held_out_days), set(training_days) & set(held_out_days)
    (35525, 1000, set())
    """
    num_held_out = inputs.whole_number("num_held_out", num_held_out, minimum=1)
    days = [datetime.date.fromordinal(n) for n in range(FIRST.toordinal(), LAST.toordinal() + 1)]
    if num_held_out >= len(days):
        raise ValueError(f"num_held_out must leave some of {len(days)} days to learn from, got {num_held_out}.")
    days = [days[k] for k in inputs.seeded("seed", seed).permutation(len(days))]
    return days[num_held_out:], days[:num_held_out]


def in_random_styles(rng, days):
    """Write each day in one of the FORMATS, drawn at random.

    Returns
    -------
    Dates
    """
    inputs.generator("rng", rng)
    days = _days(days)
    styles = rng.choice(list(FORMATS), size=len(days))
    return batch_of([write(day, style) for day, style in zip(days, styles)], days)


def held_out(count=1000):
    """The first `count` of the 1000 days that no training of the lesson sees, each in a style drawn at random.

    Returns
    -------
    Dates
    """
    _, days = split()
    if inputs.whole_number("count", count, minimum=1) > len(days):
        raise ValueError(f"count must be at most {len(days)}, the days that are held out, got {count}.")
    return in_random_styles(np.random.default_rng(SEED), days[:count])


def random_batches(rng, days, *, size=BATCH_SIZE):
    """Draw days at random, in random styles, again and again; yields Dates."""
    size = inputs.whole_number("size", size, minimum=1)
    inputs.affordable(size=size)
    inputs.generator("rng", rng)
    days = _days(days)
    return (in_random_styles(rng, [days[k] for k in rng.integers(len(days), size=size)]) for _ in itertools.count())
