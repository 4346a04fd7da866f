"""Two sentences whose words are rows of features, made by hand and read from data/she_sentences.json."""

from typing import NamedTuple

import numpy as np

from helpers.support import data_files, inputs

PATH = data_files.path("she_sentences.json")
IS = ["is Sarah", "is Alex", "is the cat", "is the watch"]  # what the identities say


class Words(NamedTuple):
    """Sentences as rows of features.

    sentences : list of lists of tokens, words and punctuation marks
    tokens : all of them in one list, num_tokens long
    features : the names of the features, d_model long
    table : dict word -> its features (d_model,); a word that is not in it has none
    X : (num_tokens, d_model), one row for each token
    who : the words that name somebody or something, "Sarah" among them
    identities : (num_tokens, len(who)), 1 where the token is that word: who or what it is
    """

    sentences: list
    tokens: list
    features: list
    table: dict
    X: np.ndarray
    who: list
    identities: np.ndarray


def she_sentences():
    """Read the two sentences and their hand-made features.

    Returns
    -------
    Words
        lists and arrays of your own: change them as you like

    Examples
    --------
    >>> words = she_sentences()
    >>> words.features
    ['living', 'person', 'female', 'name', 'worn']
    >>> words.X[words.tokens.index("She")]
    array([1., 1., 1., 0., 0.])
    """
    data = data_files.json_file(PATH)
    sentences, features = data["sentences"], data["features"]
    table = {word: np.array(row, dtype=float) for word, row in data["table"].items()}
    tokens = [token for sentence in sentences for token in sentence]
    identities = np.array([[float(token == each) for each in data["who"]] for token in tokens])
    return Words(sentences, tokens, features, table, rows(tokens, table, len(features)), data["who"], identities)


def she_words(swapped=False):
    """The tokens of the two sentences and all that is known of each word: what it is, then who or what it is.

    Parameters
    ----------
    swapped : whether Sarah and Alex trade places

    Returns
    -------
    tokens : list of str
    X : (num_tokens, num_features + len(who))
    """
    words = she_sentences()
    tokens, X = list(words.tokens), np.hstack([words.X, words.identities])
    if inputs.yes_or_no("swapped", swapped):
        pair = [tokens.index("Sarah"), tokens.index("Alex")]
        X[pair] = X[pair[::-1]]
        tokens[pair[0]], tokens[pair[1]] = tokens[pair[1]], tokens[pair[0]]
    return tokens, X


def numbered(tokens):
    """Labels for a choice among tokens, each with its position, from 0: list of (label, index)."""
    return [(f"{k} {token}", k) for k, token in enumerate(inputs.labels("tokens", tokens))]


def rows(tokens, table, d_model):
    """Give every token its row of features.

    Parameters
    ----------
    tokens : list of words and punctuation marks
    table : dict word -> (d_model,); a token that is not in it gets zeros
    d_model : number of features

    Returns
    -------
    X : (num_tokens, d_model)

    Examples
    --------
    >>> rows(["She", "was"], {"She": [1, 1]}, d_model=2)
    array([[1., 1.],
           [0., 0.]])
    """
    d_model = inputs.whole_number("d_model", d_model, minimum=1)
    tokens = inputs.listed("tokens", tokens, str, "words")
    inputs.affordable(tokens=len(tokens), d_model=d_model)
    if not isinstance(table, dict):
        raise TypeError(f"table must be a dict word -> features, got {type(table).__name__}.")
    for word, row in table.items():
        if np.shape(inputs.finite(f"table[{word!r}]", row)) != (d_model,):
            raise ValueError(
                f"table must have d_model = {d_model} features for each word, got {np.shape(row)} for {word!r}."
            )
    return np.array([table.get(token, np.zeros(d_model)) for token in tokens], dtype=float).reshape(-1, d_model)
