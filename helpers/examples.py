"""The worked examples of the lecture notes: what is given, what the notes print, what is right, and how to get there.

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

from helpers import data_files, inputs
from helpers.attention import causal_mask, scaled_dot_product_attention, softmax
from helpers.positions import sinusoidal_positional_encoding
from helpers.tokens import one_hot

PATH = data_files.path("worked_examples.json")
VERDICTS = ("match", "erratum", "computed", "formula")
KINDS = {"id": str, "row": str, "lesson": int, "what": str, "given": dict, "decimals": int | None, "why": str}
FIELDS = ("id", "row", "source", "lesson", "what", "given", "printed", "decimals", "right", "verdict", "why")


@dataclass(frozen=True, eq=False)
class Example:
    """One thing that the notes print, or that follows from what they print. Nothing in it can be changed.

    id, row : "B4-y1", and the row of the notes it belongs to, "B4"
    source : which notes, one of the handles in `sources()`
    lesson : number of the lesson that teaches it
    what : the thing in words
    given : name -> array, number or text; what the recomputation starts from
    printed : array as printed; text for a formula; None where the notes print no number
    right : array or text, as it should be
    decimals : how many decimals are printed; None = the printed numbers are exact
    verdict : "match"; "erratum", printed and wrong; "computed", not printed; "formula", a slip in a formula or a word
    why : for a slip, how it came about, in one line
    """

    id: str
    row: str
    source: str
    lesson: int
    what: str
    given: Mapping
    printed: np.ndarray | str | None
    right: np.ndarray | str
    decimals: int | None
    verdict: str
    why: str


def load():
    """Read all worked examples.

    Returns
    -------
    examples : dict, id -> Example, in the order of the notes; the dict is yours, the examples are read-only

    Raises
    ------
    FileNotFoundError, ValueError
        If the file is missing or damaged; the message says which file and what is wrong with it.

    Examples
    --------
    >>> [id for id, example in load().items() if example.row == "A4"]
    ['A4-output', 'A4-output-base-e']
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
    tokens (patches) are rows: z is m x d
    """
    return {handle: dict(about) for handle, about in _read(PATH)[0].items()}


def get(id):
    """Take out one worked example.

    Parameters
    ----------
    id : text, such as "B4-y1"

    Returns
    -------
    Example

    Raises
    ------
    ValueError
        If there is no such example; the message names close ones.

    Examples
    --------
    >>> get("B4-y1").printed
    array([1.203, 0.599])
    """
    examples = _read(PATH)[1]
    if isinstance(id, str) and id in examples:
        return examples[id]
    wanted = str(id).lower()
    lower = {known.lower(): known for known in examples}
    near = [known for low, known in lower.items() if wanted and low.startswith(wanted)]
    near = near or [lower[low] for low in difflib.get_close_matches(wanted, lower, n=3, cutoff=0.5)]
    hint = f"Close to it: {', '.join(near)}." if near else "list(examples.load()) shows them all."
    raise ValueError(f"id must be that of a worked example, got {id!r}. {hint}")


def compute(example):
    """Work out the right value again, from what is given, with the functions of this course.

    Parameters
    ----------
    example : Example, or its id

    Returns
    -------
    values : array of the shape of `example.right`

    Raises
    ------
    ValueError
        If there is no such example, or it is about a formula, which has no number.

    Examples
    --------
    >>> compute("B4-y1").round(3)
    array([0.802, 0.599])
    """
    example = _example(example)
    if example.verdict == "formula":
        raise ValueError(f"example must hold numbers to compute, but {example.id} is about a formula: {example.right}.")
    if example.id not in RECIPES:
        raise ValueError(f"example must have a row in RECIPES of helpers/examples.py, but {example.id} has none.")
    return np.array(RECIPES[example.id](SimpleNamespace(**example.given)), dtype=float)


def agrees(example, values):
    """Tell whether values equal what the notes print, as far as the printed decimals go.

    Half a unit of the last printed decimal is allowed; where the printed numbers are exact, only rounding of floats.

    Parameters
    ----------
    example : Example, or its id
    values : array-like; text for a formula

    Returns
    -------
    bool; values of another shape than the printed ones do not agree

    Raises
    ------
    ValueError
        If there is no such example, the notes print nothing there, or a value is NaN.

    Examples
    --------
    >>> agrees("B4-y1", [0.802, 0.599])
    False
    """
    example = _example(example)
    printed = example.printed
    if printed is None:
        raise ValueError(f"example must have something printed, but for {example.id} the notes print no number.")
    if isinstance(printed, str):
        return printed == values
    values = np.asarray(inputs.numbers("values", values))
    return values.shape == printed.shape and not differs(example, values).any()


def differs(example, values):
    """Tell which of the printed numbers are not those of `values`, as far as the printed decimals go.

    Numbers that stand in the same row and column are compared; a printed number without a counterpart differs.

    Parameters
    ----------
    example : Example, or its id
    values : array-like

    Returns
    -------
    differs : Boolean array of the shape of `example.printed`

    Raises
    ------
    ValueError
        If there is no such example, the notes print no number there, or a value is NaN.

    Examples
    --------
    >>> differs("B4-y1", [0.802, 0.599])
    array([ True, False])
    """
    example = _example(example)
    printed = example.printed
    if not isinstance(printed, np.ndarray):
        raise ValueError(f"example must have numbers printed, but for {example.id} the notes print none.")
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
    name = f"{path.parent.name}/{path.name}"
    data = inputs.json_file(path)
    if not isinstance(data, dict) or not isinstance(data.get("sources"), dict):
        raise ValueError(f"{name} must hold an object 'sources', but it holds none.")
    if not isinstance(data.get("examples"), list):
        raise ValueError(f"{name} must hold a list 'examples', but it holds none.")
    examples = {}
    for place, entry in enumerate(data["examples"], start=1):
        example = _checked(entry, f"{name}, example {place}", data["sources"])
        if example.id in examples:
            raise ValueError(f"{name}, example {place} must have an id of its own, got {example.id} again.")
        examples[example.id] = example
    return data["sources"], examples


def _checked(entry, where, handles):
    """Turn one entry of the file into an Example, or say what is wrong with it."""
    if not isinstance(entry, dict) or set(entry) != set(FIELDS):
        odd = sorted(set(FIELDS) ^ set(entry)) if isinstance(entry, dict) else repr(entry)
        raise ValueError(f"{where} must have exactly the fields {', '.join(FIELDS)}; missing or unknown: {odd}.")
    where = f"{where} ({entry['id']})"
    for field, allowed in (("source", tuple(handles)), ("verdict", VERDICTS)):
        if entry[field] not in allowed:
            raise ValueError(f"{where} must have one of {', '.join(allowed)} as {field}, got {entry[field]!r}.")
    for field, kind in KINDS.items():
        if not isinstance(entry[field], kind):
            wanted = getattr(kind, "__name__", kind)
            raise ValueError(f"{where} must have {wanted} as {field}, got {entry[field]!r}.")
    given = {name: _given(value, f"{where}, given {name}") for name, value in entry["given"].items()}
    if entry["verdict"] == "formula":
        printed, right = entry["printed"], entry["right"]
        if not (isinstance(printed, str) and isinstance(right, str)):
            raise ValueError(f"{where} must have texts as printed and right, as its verdict is 'formula'.")
    else:
        printed = None if entry["printed"] is None else _array(entry["printed"], f"{where}, printed")
        right = _array(entry["right"], f"{where}, right")
        if (printed is None) != (entry["verdict"] == "computed"):
            raise ValueError(f"{where} must have null as printed if its verdict is 'computed', and only then.")
    return Example(**{**entry, "given": MappingProxyType(given), "printed": printed, "right": right})


def _given(value, where):
    """Keep numbers and texts, turn lists of texts into tuples, and lists of numbers into arrays."""
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        if not any(re.fullmatch(r"-?\d+(/\d+)?", each) for each in value):
            return tuple(value)
    return _array(value, where) if isinstance(value, list) else value


def _array(value, where):
    try:
        array = np.array(_floats(value), dtype=float)
    except (ValueError, TypeError, ArithmeticError):  # ArithmeticError: "1/0" or infinity
        raise ValueError(f"{where} must hold numbers or fractions in rows of one length, got {value!r}.") from None
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


def _spread(width):
    """Standard deviation of a dot product over all vectors of +1 and -1: its terms are then +1 or -1 as well."""
    return np.std([sum(terms) for terms in itertools.product([1, -1], repeat=int(width))])


def _behind_mask(g):
    """Weights (num_tokens, num_tokens) of tokens that see only themselves and the past."""
    mask = causal_mask(len(g.X))
    return scaled_dot_product_attention(g.X, g.X, g.X, mask=mask, scale=1, base=g.base).weights


def _select(g):
    """The value of the one key that is most similar to the query."""
    return g.values[np.argmax(g.keys @ g.query)]


def _soft(g):
    """Weights (num_queries, num_keys) of the soft select."""
    return softmax(g.queries @ g.keys.T, base=g.base)


def _heads(g):
    """Self-attention in heads that each see some of the columns, side by side again."""
    heads = np.split(g.X, g.num_heads, axis=1)
    return np.hstack([scaled_dot_product_attention(head, head, head, base=g.base).output for head in heads])


def _cost(g):
    """Multiplications of the two attention products, and of the four projections."""
    return 2 * g.num_tokens**2 * g.d_model, 4 * g.num_tokens * g.d_model**2


RECIPES = {
    "P1-mixture": lambda g: g.columns @ g.weights,
    "P2-weights": _similar,
    "P2-output": lambda g: g.columns @ _similar(g),
    "P3-sentences": lambda g: [len(re.findall(r"\w+|[^\w\s]", sentence)) for sentence in g.sentences],
    "P5-weights": _columns,
    "P5-output": lambda g: g.W_value @ g.columns @ _columns(g),
    "P6-peak": _peak,
    "P6-slope": lambda g: _peak(g) * (1 - _peak(g)),
    "P6-spread": lambda g: [_spread(width) for width in g.widths],
    "A1-strings": lambda g: ["B" in string for string in g.strings],
    "A2-keys": lambda g: one_hot(g.letters, g.vocabulary),
    "A2-scores": lambda g: g.keys @ g.query,
    "A3-weights": lambda g: softmax(g.scores, base=g.base),
    "A3-weights-base-e": lambda g: softmax(g.scores),
    "A3-temperature": lambda g: 1 / math.log(g.base),
    "A3-weights-temperature": lambda g: softmax(g.scores / (1 / math.log(g.base))),
    "A4-output": lambda g: g.weights @ g.tokens,
    "A4-output-base-e": lambda g: softmax(g.scores) @ g.tokens,
    "A5-keys": lambda g: g.tokens @ g.W_key,
    "A5-scores": _boosted,
    "A5-weights": lambda g: softmax(_boosted(g)),
    "A5-output": lambda g: softmax(_boosted(g)) @ g.tokens,
    "A6-one-matrix": lambda g: g.W_key.T @ g.W_query,
    "A6-scores": lambda g: g.keys @ g.W @ g.query,
    "A7-E": lambda g: one_hot(g.letters, g.vocabulary),
    "A7-Q": lambda g: g.E @ g.W_query,
    "A7-K": lambda g: g.E @ g.W_key,
    "A7-S": lambda g: _ab(g, scale=1).scores,
    "A7-weights": lambda g: _ab(g, scale=1).weights,
    "A7-output": lambda g: _ab(g, scale=1).output,
    "A9-weights": lambda g: _ab(g).weights[0],
    "A9-output": lambda g: _ab(g).output[0],
    "A10-shape": lambda g: _ab(g, scale=1).output.shape,
    "S3-row-1": lambda g: sinusoidal_positional_encoding(g.position + 1, g.d_model)[g.position],
    "S3-dot-products": lambda g: np.matmul(
        sinusoidal_positional_encoding(g.num_positions, g.d_model), sinusoidal_positional_encoding(1, g.d_model)[0]
    ),
    "S6-layer-norm": lambda g: (g.x - np.mean(g.x)) / np.std(g.x),
    "S8-mask": lambda g: causal_mask(len(g.tokens)),
    "S8-weights": _behind_mask,
    "L1-select": _select,
    "L1-weights": _soft,
    "L1-soft-select": lambda g: _soft(g) @ g.values,
    "L4-matrix": lambda g: np.column_stack([g.first_columns, 1 - g.first_columns.sum(axis=1)]),
    "L4-row-sums": lambda g: g.matrix.sum(axis=1),
    "B3-row-sums": lambda g: _three(g).weights.sum(axis=1),
    "B4-identity": lambda g: np.eye(g.size),
    "B4-Q": lambda g: g.X @ g.W_query,
    "B4-K-transposed": lambda g: (g.X @ g.W_key).T,
    "B4-scores": lambda g: _three(g, scale=1).scores,
    "B4-scaled": lambda g: _three(g).scores,
    "B4-weights-row-1": lambda g: _three(g).weights[0],
    "B4-weights-rows-2-3": lambda g: _three(g).weights[1:],
    "B4-y1-values": lambda g: g.X @ g.W_value,
    "B4-y1": lambda g: _three(g).output[0],
    "B4-y2-y3": lambda g: _three(g).output[1:],
    "B4-weights-base-3": lambda g: _three(g, scale=1, base=g.base).weights,
    "B4-output-base-3": lambda g: _three(g, scale=1, base=g.base).output,
    "B6-two-heads": _heads,
    "B6-parameters": lambda g: [h * 3 * g.d_model * (g.d_model / h) + g.d_model**2 for h in g.num_heads],
    "B8-additions": lambda g: g.multiplications - 1,
    "B8-additions-last": lambda g: g.multiplications - 1,
    "B8-cost-3-tokens": _cost,
    "B8-cost-4-tokens": _cost,
}
