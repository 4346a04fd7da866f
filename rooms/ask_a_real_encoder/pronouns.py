"""What *she* and *he* look at in 80 sentences with two people, and in two sentences with one of 55 names: the rows of the pronoun in
all heads of all-MiniLM-L6-v2, data/pronoun_rows.npz, read without pickles."""

import functools
from typing import NamedTuple

import numpy as np

from helpers.support import data_files, inputs

PATH = data_files.path("pronoun_rows.npz")
SETS = ("32 sentences", "32 others", "one gender")
PRONOUNS = ("she", "he")
SCALE = 2.0**14  # small weights stay apart in 16 bits


class Sentence(NamedTuple):
    """A sentence with two people, and where its pronoun looks. Places are counted from 0.

    text : str
    tokens : list of num_tokens str
    asks : place of the pronoun
    meant, other : places of the one that a reader takes it for, and of the other one
    weights : (num_layers, num_heads, num_tokens), the pronoun's row in each head, which sums to 1
    """

    text: str
    tokens: list
    asks: int
    meant: int
    other: int
    weights: np.ndarray


class Names(NamedTuple):
    """What a pronoun gives to the one name in a sentence, mean of two sentences.

    words : list of num_names str
    kinds : list of num_names str, "names of women" and so on
    weights : dict "she" and "he" -> (num_names, num_layers, num_heads)
    """

    words: list
    kinds: list
    weights: dict


def load(name="32 sentences"):
    """Return the sentences of a set.

    Parameters
    ----------
    name : "32 sentences", eight stories with two people, in either order and with either pronoun; "32 others", told of eight more;
        "one gender", 16 in which only the meaning says who it is

    Returns
    -------
    list of Sentence

    Examples
    --------
    >>> first = load()[0]
    >>> first.text
    'Anna met Peter at the station because she had lost a ticket.'
    >>> print(first.tokens[first.meant], first.weights[1, 3, first.meant].round(2))
    anna 0.43
    """
    return list(_sentences(inputs.one_of("name", name, dict(zip(SETS, SETS)))))


@functools.cache
def names():
    """Return the names, and what each pronoun gives to them.

    Examples
    --------
    >>> names().words[0], names().weights["he"].shape
    ('Anna', (55, 6, 12))
    """
    arrays = data_files.arrays(PATH)
    rows = dict(zip(PRONOUNS, arrays["names_rows"].astype(float) / SCALE))
    return Names(arrays["names"].tolist(), arrays["names_kinds"].tolist(), rows)


@functools.cache
def _sentences(name):
    arrays, key = data_files.arrays(PATH), name.replace(" ", "_")
    tokens = [line.split() for line in arrays[f"{key}_tokens"].tolist()]
    rows = arrays[f"{key}_rows"].astype(float) / SCALE
    rows = np.split(rows, np.cumsum([len(each) for each in tokens])[:-1], axis=-1)
    texts, places = arrays[f"{key}_texts"].tolist(), arrays[f"{key}_places"].tolist()
    return tuple(
        Sentence(text, each, *where, row / row.sum(axis=-1, keepdims=True))
        for text, each, where, row in zip(texts, tokens, places, rows)
    )
