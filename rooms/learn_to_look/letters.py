"""A language of A's and B's, and the smallest model that can learn it: one attention head and a linear output.

In the language a string of A's is followed by A, and a string with a B in it, wherever it stands, by B.
"""

import itertools

import numpy as np

from helpers.attention import scaled_dot_product_attention
from helpers.learning import training
from helpers.support import inputs
from helpers.tokens import one_hot

LENGTH = 4  # of the strings to learn from, as A A B A
NAMES = ("W_query", "W_key", "W_output", "b_output")


def strings_of(length):
    """Every string of A's and B's of one length, in the order of the alphabet.

    Examples
    --------
    >>> strings_of(2)
    ['AA', 'AB', 'BA', 'BB']
    """
    length = inputs.whole_number("length", length, minimum=1, maximum=16)  # 65,536 strings
    return ["".join(letters) for letters in itertools.product("AB", repeat=length)]


def follows(string):
    """The number of the letter that follows a string: 0 for A, 1 for B.

    Examples
    --------
    >>> follows("AAAA"), follows("AABA")
    (0, 1)
    """
    return int("B" in inputs.text("string", string))


def as_data(strings):
    """Turn strings into what the model reads and what it is to say.

    Parameters
    ----------
    strings : list of strings of one length

    Returns
    -------
    X : (num_strings, length, 2), one row for each letter: A = [1, 0], B = [0, 1]
    targets : (num_strings, length), the letter that follows the string, asked of every row

    Examples
    --------
    >>> X, targets = as_data(["AA", "AB"])
    >>> X.shape, targets.tolist()
    ((2, 2, 2), [[0, 0], [1, 1]])
    """
    strings = inputs.listed("strings", strings, str, "strings")
    if len({len(string) for string in strings}) != 1:
        raise ValueError(f"strings must all be of one length, got {sorted({len(string) for string in strings})}.")
    X = np.array([one_hot(string, "AB") for string in strings])
    return X, np.repeat([[follows(string)] for string in strings], X.shape[1], axis=1)


def balanced(length=LENGTH):
    """All strings of one length; the one without a B as often as all others together, so that a guess is right half the time.

    Examples
    --------
    >>> balanced(2)
    ['AB', 'BA', 'BB', 'AA', 'AA', 'AA']
    """
    none, *some = strings_of(length)
    return [*some, *[none] * len(some)]


def random_parameters(seed=16):
    """Draw the parameters at random, as training starts.

    Returns
    -------
    parameters : dict with W_query, W_key, W_output (2, 2) and b_output (2,)
    """
    rng = inputs.seeded("seed", seed)
    drawn = {"W_query": rng.normal(scale=0.5, size=(2, 2)), "W_key": rng.normal(scale=0.5, size=(2, 2))}
    return drawn | {"W_output": rng.normal(scale=0.01, size=(2, 2)), "b_output": np.zeros(2)}


def look(X, parameters):
    r"""Attend, then say what follows: one head whose values are the letters themselves, and a linear output.

    .. math:: \mathrm{softmax}(X W_Q (X W_K)^\top / \sqrt 2) \, X \, W_O + b_O

    Parameters
    ----------
    X : (..., length, 2)
    parameters : dict with W_query, W_key, W_output and b_output

    Returns
    -------
    scores : (..., length, 2), for A and for B, at every letter
    weights : (..., length, length), where each letter looked

    Examples
    --------
    >>> X, _ = as_data(["AABA"])
    >>> parameters = {"W_query": [[0, 1], [0, 1]], "W_key": 10 * np.eye(2), "W_output": np.eye(2), "b_output": [0, 0]}
    >>> look(X, parameters)[1][0, 0].round(4)
    array([8.000e-04, 8.000e-04, 9.975e-01, 8.000e-04])
    """
    X, W_query, W_key, W_output, b_output = _checked(X, parameters)
    answer = scaled_dot_product_attention(X @ W_query, X @ W_key, X)
    return answer.output @ W_output + b_output, answer.weights


def _checked(X, parameters):
    X = inputs.finite("X", X, min_axes=2)
    if not isinstance(parameters, dict) or not set(NAMES) <= parameters.keys():
        got = ", ".join(map(str, parameters)) if isinstance(parameters, dict) else type(parameters).__name__
        raise ValueError(f"parameters must be a dict with {', '.join(NAMES)}, got {got or 'none'}.")
    arrays = [inputs.floats(name, parameters[name]) for name in NAMES]
    if X.shape[-1] != 2 or 0 in X.shape:
        raise ValueError(f"X must have shape (..., length, 2), one row for each letter, got {X.shape}.")
    for name, array in zip(NAMES, arrays):
        wanted = (2,) if name == "b_output" else (2, 2)
        if array.shape[-len(wanted) :] != wanted:
            raise ValueError(f"{name} must have shape {wanted}, or more such in leading axes, got {array.shape}.")
    return X, *arrays


def loss_of(parameters, X, targets):
    """The surprise of the model at what follows, the mean over all letters of all strings."""
    return training.cross_entropy(look(X, parameters)[0], targets)


def accuracy(parameters, strings):
    """The share of strings, all of one length, at which every letter predicts correctly what follows."""
    X, targets = as_data(strings)
    said = np.argmax(look(X, parameters)[0], axis=-1)
    return float(np.mean(np.all(said == targets, axis=-1)))
