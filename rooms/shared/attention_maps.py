"""What a real model, all-MiniLM-L6-v2, paid attention to in a few texts: data/attention_maps.npz, read without pickles."""

import functools
import math
from typing import NamedTuple

import numpy as np

from helpers.support import data_files, inputs

PATH = data_files.path("attention_maps.npz")
ROUNDING = 2e-3  # a row of float16 shares may miss 1 by so much
MARKS = ("[CLS]", "[SEP]")  # that the model puts before and behind a text


class AttentionMap(NamedTuple):
    """All attention of the model in one text.

    name : what the text is called here
    text : str
    tokens : list of num_tokens pieces of words, [CLS] in front and [SEP] at the end
    weights : (num_layers, num_heads, num_tokens, num_tokens), rows are queries and sum to 1
    """

    name: str
    text: str
    tokens: list
    weights: np.ndarray


class Head(NamedTuple):
    """One trained head, and the tokens as they reach its layer in the text "She".

    layer, head : which one, counted from 0
    X : (num_tokens, d_model)
    W_query, W_key : (d_model, d_head)
    b_query, b_key : (d_head,)
    value : (num_tokens, d_head), what each token gives
    """

    layer: int
    head: int
    X: np.ndarray
    W_query: np.ndarray
    W_key: np.ndarray
    b_query: np.ndarray
    b_key: np.ndarray
    value: np.ndarray


def names():
    """List the names of the stored texts.

    Examples
    --------
    >>> names()[0]
    'She'
    """
    return list(_read(PATH)["maps"])


def load(name="She"):
    """Return the model's attention in one stored text.

    The file keeps float16. Each row is divided by its sum once more, so that it sums to 1 exactly.

    Parameters
    ----------
    name : one of `names()`

    Returns
    -------
    AttentionMap
        arrays and lists of your own: change them as you like

    Raises
    ------
    FileNotFoundError, ValueError
        If there is no text of that name, or the file is missing or damaged.

    Examples
    --------
    >>> she = load("She")
    >>> she.weights.shape
    (6, 12, 22, 22)
    >>> print(she.weights[3, 1, she.tokens.index("she"), she.tokens.index("sarah")].round(2))
    0.45
    """
    maps = _read(PATH)["maps"]
    if not isinstance(name, str) or name not in maps:
        raise ValueError(f"name must be one of {', '.join(maps)}, got {name!r:.60}.")
    found = maps[name]
    weights = found.weights.astype(float)
    return found._replace(tokens=list(found.tokens), weights=weights / weights.sum(axis=-1, keepdims=True))


def find(text):
    """Return the model's attention in a text if that is stored, else None.

    Examples
    --------
    >>> find("The cat slept.").tokens
    ['[CLS]', 'the', 'cat', 'slept', '.', '[SEP]']
    """
    words = inputs.text("text", text).strip()
    return next((load(name) for name, found in _read(PATH)["maps"].items() if found.text == words), None)


def one_head():
    """Return the matrices of one head, layer 3, head 1, what it was given, and the values that it made of that.

    Examples
    --------
    >>> one_head().W_query.shape
    (384, 32)
    """
    head = _read(PATH)["head"]
    return Head(head.layer, head.head, *(array.copy() for array in head[2:]))


def scores_of_one_head():
    """Return the scores of that head in the text "She" as they reach softmax, divided by √d_head: (num_tokens, num_tokens).

    Examples
    --------
    >>> print(scores_of_one_head()[13, 1].round(2))
    4.54
    """
    head = one_head()
    query, key = head.X @ head.W_query + head.b_query, head.X @ head.W_key + head.b_key
    return query @ key.T / math.sqrt(query.shape[-1])


def learned_positions():
    """Return the vectors that the model has learned for its first positions, (num_positions, d_model).

    Examples
    --------
    >>> learned_positions().shape
    (32, 384)
    """
    return _read(PATH)["positions"].astype(float)


def value_lengths():
    """Return how long the value of each token of the text "She" is in each layer, mean of the heads: (num_layers, num_tokens).

    Examples
    --------
    >>> print(value_lengths()[4, :3].round(2))
    [0.13 3.89 3.88]
    """
    return _read(PATH)["value_lengths"].astype(float)


@functools.cache
def _read(path):
    where = f"{path.parent.name}/{path.name}"
    arrays = data_files.arrays(path)

    def take(name, kind, *shape):
        if name not in arrays:
            raise ValueError(f"{where} must hold {name}, but it does not. {data_files.AGAIN}")
        array = arrays[name]
        fits = len(array.shape) == len(shape) and all(size in (None, got) for size, got in zip(shape, array.shape))
        if array.dtype.kind != kind or not fits:
            sizes = ", ".join("any" if size is None else str(size) for size in shape)
            raise ValueError(f"{where} must have {name} in shape ({sizes}), got {array.dtype} of shape {array.shape}.")
        if kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{where} must have finite numbers in {name}. {data_files.AGAIN}")
        return array

    take("source", "U")
    maps, texts = {}, take("texts", "U", None).tolist()
    for number, (name, text) in enumerate(zip(take("names", "U", len(texts)).tolist(), texts)):
        tokens = take(f"tokens_{number}", "U", None).tolist()
        weights = take(f"weights_{number}", "f", None, None, len(tokens), len(tokens))  # small as long as nobody asks
        sums = weights.sum(axis=-1, dtype=float)
        if weights.min() < 0 or np.abs(sums - 1).max() > ROUNDING:
            raise ValueError(f"{where} must have rows that sum to 1 in weights_{number}. {data_files.AGAIN}")
        maps[name] = AttentionMap(name, text, tokens, weights)
    X = take("head_X", "f", len(next(iter(maps.values())).tokens), None)
    width = X.shape[1]
    W_query = take("head_W_query", "f", width, None)
    d_head = W_query.shape[1]
    W_key = take("head_W_key", "f", width, d_head)
    biases = (take(f"head_b_{role}", "f", d_head) for role in ("query", "key"))
    value = take("head_value", "f", len(X), d_head)
    layer, head = take("head", "i", 2).tolist()
    positions = take("positions", "f", None, width)
    lengths = take("value_lengths", "f", None, len(X))
    one = Head(layer, head, X, W_query, W_key, *biases, value)
    return {"maps": maps, "head": one, "positions": positions, "value_lengths": lengths}
