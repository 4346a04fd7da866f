"""A task of pure memory: a phone book is read once, name by name, and then every name is asked for its digit."""

import math
from typing import NamedTuple

import numpy as np

from helpers.attention import scaled_dot_product_attention
from helpers.since_2017.softmax_variants import unit_length
from helpers.support import inputs
from helpers.variants import state_after

NUM_DIGITS = 10
RULES = ("softmax", "sum", "decay", "delta rule", "least squares")


class PhoneBook(NamedTuple):
    """What is read, entry by entry, and what is asked afterwards.

    key : (num_entries, d_k), the name of each entry as a vector of length 1
    value : (num_entries, 10), its digit, one-hot
    names : (num_names, d_k), each name once
    digits : (num_names,), the digit that was written last beside each
    """

    key: np.ndarray
    value: np.ndarray
    names: np.ndarray
    digits: np.ndarray


def phone_book(rng, num_names, d_k, num_changed=0):
    """Draw names and digits at random.

    Parameters
    ----------
    rng : numpy.random.Generator
    num_names : how many names
    d_k : width of a name's vector
    num_changed : so many names, the first ones, come a second time at the end, each with another digit

    Returns
    -------
    PhoneBook

    Examples
    --------
    >>> book = phone_book(np.random.default_rng(0), num_names=5, d_k=3, num_changed=2)
    >>> book.key.shape, book.value.shape, len(book.digits)
    ((7, 3), (7, 10), 5)
    """
    inputs.generator("rng", rng)
    num_names, d_k = inputs.whole_number("num_names", num_names, minimum=1), inputs.whole_number("d_k", d_k, minimum=1)
    num_changed = inputs.whole_number("num_changed", num_changed, minimum=0, maximum=num_names)
    inputs.affordable(num_names=num_names, d_k=d_k)
    names = unit_length(rng.normal(size=(num_names, d_k)))
    first = rng.integers(NUM_DIGITS, size=num_names)
    digits = first.copy()
    digits[:num_changed] += rng.integers(1, NUM_DIGITS, size=num_changed)  # never the same digit again
    digits %= NUM_DIGITS
    key = np.concatenate([names, names[:num_changed]])
    value = np.eye(NUM_DIGITS)[np.concatenate([first, digits[:num_changed]])]
    return PhoneBook(key, value, names, digits)


def answers(book, rule, *, decay=0.95, strength=0.3, scale=None):
    """Ask every name once the whole book has been read.

    Parameters
    ----------
    book : PhoneBook
    rule : "softmax", which keeps all entries; "sum", "decay" or "delta rule", which carry one state along; or "least squares", the
        state whose answers have the smallest squared error, chosen with all names and their newest digits in view
    decay : of the rule "decay"
    strength : beta of the rule "delta rule"
    scale : of the rule "softmax", the factor on the cosines; None = sqrt(d_k), what 1 / sqrt(d_k) comes to on keys of length sqrt(d_k)

    Returns
    -------
    answers : (..., num_names, 10), how much each digit is named; the largest is the answer
    """
    if not isinstance(book, PhoneBook):
        raise TypeError(f"book must be a PhoneBook, as phone_book makes it, got {type(book).__name__}.")
    if not isinstance(rule, str) or rule not in RULES:
        raise ValueError(f"rule must be one of {', '.join(RULES)}, got {rule!r:.60}.")
    if rule == "softmax":
        scale = math.sqrt(book.key.shape[-1]) if scale is None else scale
        return scaled_dot_product_attention(book.names, book.key, book.value, scale=scale).output
    if rule == "least squares":
        return book.names @ np.linalg.pinv(book.names) @ np.eye(NUM_DIGITS)[book.digits]
    how = {"sum": {}, "decay": {"decay": decay}, "delta rule": {"strength": strength}}[rule]
    return book.names @ state_after(book.key, book.value, **how)


def share_right(book, rule, **how):
    """The share of names that are given their newest digit, from 0 to 1; a tie between two digits is no answer.

    Parameters
    ----------
    book, rule, how : as in `answers`; many books of one size count as one, their arrays stacked along a first axis
    """
    named = answers(book, rule, **how)
    digits = np.expand_dims(book.digits, -1)
    right = np.take_along_axis(named, digits, axis=-1)
    np.put_along_axis(named, digits, -np.inf, axis=-1)
    return float(np.mean(right > named.max(axis=-1, keepdims=True) + 2e-9 * np.abs(right)))  # less is a tie
