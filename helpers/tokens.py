"""From letters and words to vectors."""

import numpy as np


def one_hot(tokens, vocabulary):
    """Give every token a row with a single 1, at the token's place in the vocabulary.

    Parameters
    ----------
    tokens : string of letters, or list of words
    vocabulary : the tokens that exist, in order

    Returns
    -------
    rows : (num_tokens, len(vocabulary)), float64

    Raises
    ------
    ValueError
        If there is no token, or one that the vocabulary does not hold.

    Examples
    --------
    >>> one_hot("ABA", "AB")
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """
    tokens, vocabulary = list(tokens), list(vocabulary)
    if not tokens:
        raise ValueError("tokens must hold at least one token, got none.")
    for place, token in enumerate(tokens, start=1):
        if token not in vocabulary:
            raise ValueError(
                f"tokens must come from {', '.join(map(str, vocabulary))}, got {token!r} at place {place}."
            )
    return np.eye(len(vocabulary))[[vocabulary.index(token) for token in tokens]]
