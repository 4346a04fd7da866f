"""What the language model did where it served many texts and checked guesses: data/serving_readings.npz, for pages without the model."""

import functools
from typing import NamedTuple

import numpy as np

from helpers.support import data_files, inputs

PATH = data_files.path("serving_readings.npz")
ROWS = (1, 2, 4, 8, 16)  # in one pass: of so many texts, or tokens of one text
PIECES = (512, 128, 32)  # in which a prompt of 512 tokens is read
LONGEST = 15  # tokens that are guessed at once


class Written(NamedTuple):
    """A text that the model wrote on, each time the likeliest token.

    ids : list of its tokens, those of the prompt first
    begin : how many belong to the prompt
    says : (num_new, LONGEST + 1) row t is what the model says after t new tokens and 0, 1, 2 … of the guesses that `look_up` makes
        there; -1 where it guesses no more
    left_in : at which new token the text changes if wrong guesses stay in the cache; their number where it never does
    drawn : (2,) tokens for a pass, 5 guessed, where the text is drawn at temperature 1 instead
    early : (2,) the share of new tokens that the first 20 of 30 layers would say, and the first 28
    """

    ids: list
    begin: int
    says: np.ndarray
    left_in: int
    drawn: np.ndarray
    early: np.ndarray


def look_up(ids, k):
    """Guess by looking up: at most k tokens that came the last time the text was at such a place, as `seen_before` finds it.

    Examples
    --------
    >>> look_up("the cat sat . the".split(), 3)
    ['cat', 'sat', '.']
    """
    start = seen_before(ids)
    return [] if start is None else list(ids[start : start + k])


def seen_before(ids):
    """What came after the last time the text was at such a place: where it begins, None if it never was.

    A place is known by the three last tokens, or else by fewer.

    Examples
    --------
    >>> seen_before("the cat sat . the".split())
    1
    """
    for n in (3, 2, 1):
        for start in range(len(ids) - n - 1, -1, -1):
            if ids[start : start + n] == ids[-n:]:
                return start + n
    return None


def draw_and_check(draft, chances, rng):
    """Keep guesses as if each token had been drawn: guess x with probability p(x), and what replaces it is drawn from the others.

    Parameters
    ----------
    draft : list of k tokens
    chances : (k + 1, vocabulary_size), row i is p after i of them
    rng : numpy.random.Generator

    Returns
    -------
    tokens : list of 1 to k + 1 tokens, the last one drawn
    """
    kept = []
    for guess, p in zip(draft, chances):
        if rng.random() >= p[guess]:
            others = np.where(np.arange(len(p)) == guess, 0, p)
            return [*kept, int(rng.choice(len(p), p=others / others.sum()))]
        kept.append(guess)
    return [*kept, int(rng.choice(len(chances[-1]), p=chances[len(draft)] / chances[len(draft)].sum()))]


def names():
    """List the texts.

    Examples
    --------
    >>> names()
    ['a copied text', 'a story', 'code', 'a table', 'an answer']
    """
    return _arrays()["names"].tolist()


@functools.cache
def load(name):
    """Return one of the texts, a `Written`.

    Parameters
    ----------
    name : one of `names()`
    """
    number = inputs.one_of("name", name, {name: number for number, name in enumerate(names())})
    own = {part: _arrays()[f"{part}_{number}"] for part in ("ids", "prompt", *Written._fields[2:])}
    left = own.pop("left_in")
    return Written(own.pop("ids").tolist(), int(own.pop("prompt")), left_in=int(left), **own)


def spoken(ids):
    """Tokens as text, each by itself: list of str."""
    return [_words()[k] for k in ids]


@functools.cache
def _words():
    return dict(zip(_arrays()["tokens"].tolist(), _arrays()["words"].tolist()))


def one_page_for_two(shared):
    """What follows *The capital of France is* and *The capital of Italy is*, two texts that begin alike in pages of four tokens.

    Parameters
    ----------
    shared : whether both have the first page, in which there is room for one token more

    Returns
    -------
    list of two dicts token -> probability, the three likeliest

    Examples
    --------
    >>> [next(iter(each)) for each in one_page_for_two(False)]
    [' Paris', ' Rome']
    """
    name = "shared" if shared else "own"
    rows = zip(_arrays()[f"{name}_likeliest"].tolist(), _arrays()[f"{name}_chances"].tolist())
    return [dict(zip(*row)) for row in rows]


def seconds(what):
    """How long the model took, as stored, the best of several runs.

    Parameters
    ----------
    what : "step", one token of each of ROWS texts; "pass", ROWS tokens of one text; "piece", a prompt of 512 tokens in each of PIECES
        while four texts are written

    Returns
    -------
    seconds : (len(ROWS),); for "piece" (len(PIECES), 2), the longest wait of the four, and all steps together
    """
    return _arrays()[f"{inputs.one_of('what', what, {each: each for each in ('step', 'pass', 'piece')})}_seconds"]


def _arrays():
    return data_files.arrays(PATH)
