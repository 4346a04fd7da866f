"""From letters and words to vectors."""

import numpy as np

from helpers.support import inputs


def one_hot(tokens, vocabulary):
    """Give every token a row with a single 1, at the token's place in the vocabulary.

    Parameters
    ----------
    tokens : string of letters, or list of words
    vocabulary : the tokens that exist, in order

    Returns
    -------
    rows : (num_tokens, len(vocabulary)), float64

    Examples
    --------
    >>> one_hot("ABA", "AB")
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """
    tokens, vocabulary = _listed("tokens", tokens), _listed("vocabulary", vocabulary)
    for token in vocabulary:
        if vocabulary.count(token) > 1:
            raise ValueError(f"vocabulary must hold every token once, got {token!r} {vocabulary.count(token)} times.")
    for place, token in enumerate(tokens, start=1):
        if token not in vocabulary:
            raise ValueError(
                f"tokens must come from {', '.join(map(str, vocabulary))}, got {token!r} at place {place}."
            )
    return np.eye(len(vocabulary))[[vocabulary.index(token) for token in tokens]]


def _listed(name, values):
    if isinstance(values, (set, frozenset, bytes, dict)) or not hasattr(values, "__iter__") or isinstance(values, type):
        raise TypeError(f"{name} must be a string of letters or a list of words, got {values!r:.60}.")
    values = list(values)
    if np.ndim(inputs.rectangle(name, values)) != 1:
        raise ValueError(f"{name} must be a plain list of words, got one of lists.")
    if not values:
        raise ValueError(f"{name} must hold at least one token, got none.")
    return values
