"""The worked examples: what is given, what our text of the lecture notes has, what is right, and how to get there.

The data stand in data/worked_examples.json. `RECIPES`, at the end, says for each number how this course computes it.
"""

import difflib
import functools
import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType, SimpleNamespace

import numpy as np

from helpers.attention import causal_mask, scaled_dot_product_attention, softmax
from helpers.positions import sinusoidal_positional_encoding
from helpers.support import data_files, inputs
from helpers.tokens import one_hot

PATH = data_files.path("worked_examples.json")
OURS = "ours"  # the source of an example that is this course's own
READINGS = {
    "stated": "the notes state the assumption; nothing to correct",
    "convention": "another use of words or of parameters, right in itself",
    "source": "the notes quote their source faithfully",
    "transcription": "there is evidence that the reading of the sheet is at fault",
    "open": "our text cannot tell",
    "author": "a mix-up that the notes themselves show",
}


@dataclass(frozen=True, eq=False)
class Example:
    """One thing that our text of the notes has, that follows from it, or that is our own. Nothing in it can be changed.

    id : its name, "three tokens: y1"
    row : the row of the notes it belongs to; None where it is our own
    source : which notes, one of the handles in `sources()`; "ours"
    lesson : number of the lesson that teaches it
    what : the thing in words
    given : name -> array, number or text; what the recomputation starts from
    printed : array as our text has it; text for a formula; None where it has no number
    right : array or text, as computed or usual
    decimals : how many decimals our text has; None = the numbers are exact
    verdict : "match"; "differs"; "computed", no number in our text; "formula", another formula or word than usual
    reading : where something differs, one of `READINGS`; None where nothing does
    evidence : what speaks for that reading, in one line
    """

    id: str
    row: str | None
    source: str
    lesson: int
    what: str
    given: Mapping
    printed: np.ndarray | str | None
    right: np.ndarray | str
    decimals: int | None
    verdict: str
    reading: str | None
    evidence: str


def load():
    """Read all worked examples.

    Returns
    -------
    examples : dict, id -> Example, in the order of the notes; the dict is yours, the examples are read-only

    Examples
    --------
    >>> [id for id in load() if id.startswith("booster")]
    ['booster: keys', 'booster: scores', 'booster: weights', 'booster: output']
    """
    return dict(_read(PATH)[1])


def sources():
    """Tell which notes a handle stands for.

    Returns
    -------
    sources : dict, handle -> {"title": ..., "convention": ...}

    Examples
    --------
    >>> print(sources()["lecture-sal"]["convention"])
    tokens (patches) are rows: z is m × d
    """
    return {handle: dict(about) for handle, about in _read(PATH)[0].items()}


def get(id):
    """Take out one worked example.

    Parameters
    ----------
    id : text, such as "three tokens: y1"

    Returns
    -------
    Example

    Examples
    --------
    >>> get("three tokens: y1").printed
    array([1.203, 0.599])
    """
    examples = _read(PATH)[1]
    if isinstance(id, str) and id in examples:
        return examples[id]
    wanted = str(id).lower()
    lower = {known.lower(): known for known in examples}
    near = [known for low, known in lower.items() if wanted and low.startswith(wanted)]
    near = near or [lower[low] for low in difflib.get_close_matches(wanted, lower, n=3, cutoff=0.5)]
    hint = f"Close to it: {', '.join(map(repr, near[:4]))}." if near else "list(examples.load()) shows them all."
    raise ValueError(f"id must be that of a worked example, got {id!r:.60}. {hint}")


def compute(example):
    """Work out the right value again, from what is given, with the functions of this course.

    Parameters
    ----------
    example : Example, or its id

    Returns
    -------
    values : array of the shape of `example.right`

    Examples
    --------
    >>> compute("three tokens: y1").round(3)
    array([0.802, 0.599])
    """
    example = _example(example)
    if example.verdict == "formula":
        raise ValueError(
            f"example must hold numbers to compute, but {example.id!r} is about a formula: {example.right}."
        )
    if example.id not in RECIPES:
        raise ValueError(
            f"example must have a row in RECIPES of rooms/shared/examples.py, but {example.id!r} has none."
        )
    return np.array(RECIPES[example.id](SimpleNamespace(**example.given)), dtype=float)


def agrees(example, values):
    """Tell whether values equal what our text of the notes has, as far as its decimals go.

    Half a unit of its last decimal is allowed; where its numbers are exact, only rounding of floats.

    Parameters
    ----------
    example : Example, or its id
    values : array-like; text for a formula

    Returns
    -------
    bool; values of another shape do not agree

    Examples
    --------
    >>> agrees("three tokens: y1", [0.802, 0.599])
    False
    """
    example = _example(example)
    printed = example.printed
    if printed is None:
        raise ValueError(
            f"example must have something in our text of the notes, but for {example.id!r} it has no number."
        )
    if isinstance(printed, str):
        return isinstance(values, str) and printed == values
    values = np.asarray(inputs.numbers("values", values))
    return values.shape == printed.shape and not differs(example, values).any()


def differs(example, values):
    """Tell which numbers of our text of the notes are not those of `values`, as far as its decimals go.

    Numbers that stand in the same row and column are compared; one without a counterpart differs.

    Parameters
    ----------
    example : Example, or its id
    values : array-like

    Returns
    -------
    differs : Boolean array of the shape of `example.printed`

    Examples
    --------
    >>> differs("three tokens: y1", [0.802, 0.599])
    array([ True, False])
    """
    example = _example(example)
    printed = example.printed
    if not isinstance(printed, np.ndarray):
        raise ValueError(f"example must have numbers in our text of the notes, but for {example.id!r} it has none.")
    values = np.asarray(inputs.numbers("values", values))
    if values.ndim != printed.ndim:
        return np.ones(printed.shape, bool)
    beside = np.full(printed.shape, np.inf)
    shared = tuple(slice(min(sizes)) for sizes in zip(values.shape, printed.shape))
    beside[shared] = values[shared]
    exact = 1e-12 * np.maximum(1, np.abs(printed))
    allowed = exact if example.decimals is None else 0.5 * 10.0**-example.decimals + 1e-9
    return np.asarray(np.abs(beside - printed) > allowed)


# --- reading the file ------------------------------------------------------------------------------------------------


def _example(example):
    return example if isinstance(example, Example) else get(example)


@functools.cache
def _read(path):
    data = data_files.json_file(path)
    return data["sources"], {entry["id"]: _example_of(entry) for entry in data["examples"]}


def _example_of(entry):
    given = MappingProxyType({name: _given(value) for name, value in entry["given"].items()})
    if entry["verdict"] == "formula":
        return Example(**{**entry, "given": given})
    printed = None if entry["printed"] is None else _array(entry["printed"])
    return Example(**{**entry, "given": given, "printed": printed, "right": _array(entry["right"])})


def _given(value):
    """Keep numbers and texts, turn lists of texts into tuples, and lists of numbers into arrays."""
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        if not any(re.fullmatch(r"-?\d+(/\d+)?", each) for each in value):
            return tuple(value)
    return _array(value) if isinstance(value, list) else value


def _array(value):
    array = np.array(_floats(value), dtype=float)
    return np.frombuffer(array.tobytes()).reshape(array.shape)  # on bytes, so that nobody can make it writeable again


def _floats(value):
    return [_floats(each) for each in value] if isinstance(value, list) else float(Fraction(value))


# --- recipes ---------------------------------------------------------------------------------------------------------


def _boosted(g):
    """Scores (num_tokens,) of boosted keys against one query."""
    return (g.tokens @ g.W_key) @ g.query


def _ab(g, scale=None):
    """Self-attention over the letters, values = the letters; `scale` 1 as in the first formula of those notes."""
    return scaled_dot_product_attention(g.E @ g.W_query, g.E @ g.W_key, g.E, scale=scale)


def _three(g, **options):
    """Self-attention over the three tokens; where no W_V is given, the values are the tokens."""
    value = g.X @ getattr(g, "W_value", np.eye(2))
    return scaled_dot_product_attention(g.X @ g.W_query, g.X @ g.W_key, value, **options)


def _columns(g):
    """Weights (m, m), one column per query, from tokens that are columns."""
    return softmax((g.W_key @ g.columns).T @ (g.W_query @ g.columns) / math.sqrt(len(g.W_key)), axis=0)


def _similar(g):
    """Weights (m, m), one column per query, when tokens are columns and nothing is learned."""
    return softmax(g.columns.T @ g.columns, axis=0, base=g.base)


def _peak(g):
    """The larger of two weights, for each gap between the two scores."""
    return softmax(np.stack([g.gaps, 0 * g.gaps], axis=-1))[:, 0]


def _behind_mask(g):
    """Weights (num_tokens, num_tokens) of tokens that see only themselves and the past."""
    mask = causal_mask(len(g.X))
    return scaled_dot_product_attention(g.X, g.X, g.X, mask=mask, scale=1, base=g.base).weights


def _soft(g):
    """Weights (num_queries, num_keys) of the soft select."""
    return softmax(g.queries @ g.keys.T, base=g.base)


def _heads(g):
    """Self-attention in heads that each see some of the columns, side by side again."""
    heads = np.split(g.X, g.num_heads, axis=1)
    return np.hstack([scaled_dot_product_attention(head, head, head, base=g.base).output for head in heads])


def _suspect(g):
    """Row and column, counted from 1, of the one number that is no dot product, and what belongs there."""
    products = g.X @ g.X.T
    place = tuple(np.argwhere(products != g.page)[0])
    return [place[0] + 1, place[1] + 1, products[place]]


def _cost(g):
    """Multiplications of the two attention products, and of the four projections."""
    return 2 * g.num_tokens**2 * g.d_model, 4 * g.num_tokens * g.d_model**2


RECIPES = {
    "columns: one mixture": lambda g: g.columns @ g.weights,
    "columns, nothing learned: weights": _similar,
    "columns, nothing learned: output": lambda g: g.columns @ _similar(g),
    "two sentences: tokens": lambda g: [len(re.findall(r"\w+|[^\w\s]", sentence)) for sentence in g.sentences],
    "columns: weights": _columns,
    "columns: output": lambda g: g.W_value @ g.columns @ _columns(g),
    "gap: larger weight": _peak,
    "gap: slope": lambda g: _peak(g) * (1 - _peak(g)),
    # over all vectors of +1 and -1: the terms of a dot product are then +1 or -1 as well
    "signs: spread": lambda g: [
        np.std([*map(sum, itertools.product([1, -1], repeat=int(width)))]) for width in g.widths
    ],
    "A/B strings: last letter": lambda g: ["B" in string for string in g.strings],
    "A/B query: keys": lambda g: one_hot(g.letters, g.vocabulary),
    "A/B query: scores": lambda g: g.keys @ g.query,
    "A/B query: weights": lambda g: softmax(g.scores, base=g.base),
    "A/B query: weights, base e": lambda g: softmax(g.scores),
    "A/B query: temperature": lambda g: 1 / math.log(g.base),
    "A/B query: weights at that temperature": lambda g: softmax(g.scores / (1 / math.log(g.base))),
    "A/B query: output": lambda g: g.weights @ g.tokens,
    "A/B query: output, base e": lambda g: softmax(g.scores) @ g.tokens,
    "booster: keys": lambda g: g.tokens @ g.W_key,
    "booster: scores": _boosted,
    "booster: weights": lambda g: softmax(_boosted(g)),
    "booster: output": lambda g: softmax(_boosted(g)) @ g.tokens,
    "one matrix: W": lambda g: g.W_key.T @ g.W_query,
    "one matrix: scores": lambda g: g.keys @ g.W @ g.query,
    "whole string: E": lambda g: one_hot(g.letters, g.vocabulary),
    "whole string: Q": lambda g: g.E @ g.W_query,
    "whole string: K": lambda g: g.E @ g.W_key,
    "whole string: scores": lambda g: _ab(g, scale=1).scores,
    "whole string: weights": lambda g: _ab(g, scale=1).weights,
    "whole string: output": lambda g: _ab(g, scale=1).output,
    "whole string, scaled: weights": lambda g: _ab(g).weights[0],
    "whole string, scaled: output": lambda g: _ab(g).output[0],
    "whole string: shape": lambda g: _ab(g, scale=1).output.shape,
    "waves: position 1": lambda g: sinusoidal_positional_encoding(g.position + 1, g.d_model)[g.position],
    "waves: dot products": lambda g: np.matmul(
        sinusoidal_positional_encoding(g.num_positions, g.d_model), sinusoidal_positional_encoding(1, g.d_model)[0]
    ),
    "layer norm: 1, 2, 3": lambda g: (g.x - np.mean(g.x)) / np.std(g.x),
    "I love dogs: mask": lambda g: causal_mask(len(g.tokens)),
    "three tokens, causal: weights": _behind_mask,
    "select: hard": lambda g: g.values[np.argmax(g.keys @ g.query)],
    "select: weights": _soft,
    "select: soft": lambda g: _soft(g) @ g.values,
    "similarity matrix": lambda g: np.column_stack([g.first_columns, 1 - g.first_columns.sum(axis=1)]),
    "similarity matrix: row sums": lambda g: g.matrix.sum(axis=1),
    "three tokens: row sums": lambda g: _three(g).weights.sum(axis=1),
    "three tokens: identity": lambda g: np.eye(g.size),
    "three tokens: Q": lambda g: g.X @ g.W_query,
    "three tokens: K transposed": lambda g: (g.X @ g.W_key).T,
    "three tokens: scores": lambda g: _three(g, scale=1).scores,
    "three tokens: scaled scores": lambda g: _three(g).scores,
    "three tokens: weights, row 1": lambda g: _three(g).weights[0],
    "three tokens: weights, rows 2 and 3": lambda g: _three(g).weights[1:],
    "three tokens: values": lambda g: g.X @ g.W_value,
    "three tokens: y1": lambda g: _three(g).output[0],
    "three tokens: y2 and y3": lambda g: _three(g).output[1:],
    "three tokens: weights, base 3": lambda g: _three(g, scale=1, base=g.base).weights,
    "three tokens: output, base 3": lambda g: _three(g, scale=1, base=g.base).output,
    "two heads: output": _heads,
    "two heads: parameters": lambda g: [h * 3 * g.d_model * (g.d_model / h) + g.d_model**2 for h in g.num_heads],
    "cost: additions": lambda g: g.multiplications - 1,
    "cost: last additions": lambda g: g.multiplications - 1,
    "cost: 3 tokens": _cost,
    "cost: 4 tokens": _cost,
    "a page with a suspect": _suspect,
}
