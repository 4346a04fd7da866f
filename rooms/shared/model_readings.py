"""What the language model made of nine short texts: data/language_model_readings.npz, for pages that run without the model."""

import functools
from typing import NamedTuple

import numpy as np

from helpers import decoder
from helpers.support import data_files, inputs

PATH = data_files.path("language_model_readings.npz")
NAMES = (" Mary", " John")
TEMPERATURES = [k / 10 for k in range(1, 21)]  # at which the likeliest tokens can be told exactly
WRITTEN_AT = (0.1, 0.7, 1.0, 1.5)  # temperatures at which the model wrote on
WRITTEN = 24  # tokens
LIKELIEST, FEW = 20, 8
COPIES = [(17, 3), (17, 4), (17, 5), (18, 6)]  # the heads with the highest induction scores


class Stored(NamedTuple):
    """What the model made of one text.

    name, text : str
    ids : list of num_tokens whole numbers
    tokens : list of num_tokens pieces of text
    weights : (num_layers, num_heads, num_tokens, num_tokens), rounded to 255ths, rows divided by their sums
    value_lengths : (num_layers, num_tokens), how long the value of each token is, mean of the heads
    likeliest : list of the tokens that are most likely to follow
    logits : (LIKELIEST,) theirs
    rest : (len(TEMPERATURES),) the logarithm of the sum of exp(logit / T) over all others
    losses : (num_tokens - 1,) of each token after the first, in nats
    written : dict temperature -> list of Step, one for each token that the model wrote on, and one for what it would write next
    shares : dict " Mary" and " John" -> (heads (num_layers, num_heads), feed_forward (num_layers,), start), what each part of the
        residual stream adds to this logit at the end, less what it adds to all logits on average
    without : dict frozenset of (layer, head) -> Next, what is left with these heads off
    copying : dict frozenset of (layer, head) -> dict head -> its induction score with these heads off; of the text that repeats
    """

    name: str
    text: str
    ids: list
    tokens: list
    weights: np.ndarray
    value_lengths: np.ndarray
    likeliest: list
    logits: np.ndarray
    rest: np.ndarray
    losses: np.ndarray
    written: dict
    shares: dict
    without: dict
    copying: dict


class Next(NamedTuple):
    """What may follow, and how well the text itself was foretold: likeliest (FEW,) with probabilities (FEW,), losses (num_tokens - 1,)."""

    likeliest: list
    probabilities: np.ndarray
    losses: np.ndarray


class Reread(NamedTuple):
    """A text read with some heads off: weights (num_layers, num_heads, num_tokens, num_tokens) and shares, both as in `Stored`."""

    weights: np.ndarray
    shares: dict


class Step(NamedTuple):
    """One token written on, "" where none is yet, and what was likely there: likeliest (FEW,), probabilities (FEW,)."""

    token: str
    likeliest: list
    probabilities: np.ndarray


def draw(model, ids, temperature, rng):
    """Let a model write on without end: a Step for each token."""
    tokens, logits_of = list(ids), model.logits_of()
    while True:
        shares = decoder.probabilities(logits_of(tokens)[-1], temperature=temperature)
        best = np.argsort(-shares, kind="stable")[:FEW]
        tokens.append(int(rng.choice(len(shares), p=shares)))
        yield Step(model.decode(tokens[-1:]), [model.decode([k]) for k in best], shares[best])


def kept(model, ids, logits, few=False):
    """What is kept of the logits for a text, (num_tokens, vocabulary_size): dict name -> array."""
    logits = logits.astype(float)
    top = logits - logits.max(axis=-1, keepdims=True)
    logs = top - np.log(np.exp(top).sum(axis=-1, keepdims=True))
    losses = -logs[np.arange(len(ids) - 1), ids[1:]]
    order = np.argsort(-logs[-1], kind="stable")
    best, others = order[: FEW if few else LIKELIEST], order[LIKELIEST:]
    tokens = np.array([model.decode([k]) for k in best])
    if few:
        chances = np.exp(logs[-1, best]).astype(np.float32)
        return {"likeliest": tokens, "probabilities": chances, "losses": losses.astype(np.float32)}
    rest = [np.logaddexp.reduce(logs[-1, others] / T) for T in TEMPERATURES]
    return {"likeliest": tokens, "logits": logs[-1, best], "rest": np.array(rest), "losses": losses.astype(np.float32)}


def names():
    """List the names of the stored texts.

    Examples
    --------
    >>> names()[0]
    'Mary'
    """
    return list(_read())


def load(name="Mary"):
    """Return the model's reading of one stored text.

    Parameters
    ----------
    name : one of `names()`

    Examples
    --------
    >>> mary = load("Mary")
    >>> print(mary.likeliest[0], mary.weights.shape, np.exp(mary.logits[0]).round(3))
     Mary (30, 9, 14, 14) 0.923
    """
    return inputs.one_of("name", name, _read())


def finish(text):
    """What the model writes after one of the beginnings of lesson 29, two tokens, each time the likeliest one.

    Examples
    --------
    >>> finish("The capital of France is")
    ' Paris.'
    """
    arrays = data_files.arrays(PATH)
    endings = dict(zip(arrays["finished_beginnings"].tolist(), arrays["finished_endings"].tolist()))
    return inputs.one_of("text", text, endings)


def find(text):
    """Return the reading of a text if it is stored, else None."""
    return next((stored for stored in _read().values() if stored.text == text), None)


def at_temperature(stored, temperature):
    """The probabilities of the likeliest tokens at one of TEMPERATURES, (LIKELIEST,).

    Examples
    --------
    >>> print(at_temperature(load("Paris"), 1.0)[0].round(3))
    0.773
    """
    logits, places = stored.logits / temperature, {f"{T:.1f}": k for k, T in enumerate(TEMPERATURES)}
    rest = stored.rest[inputs.one_of("temperature", f"{temperature:.1f}", places)]
    return np.exp(logits - np.logaddexp(np.logaddexp.reduce(logits), rest))


def heads(words):
    """The pairs (layer, head) that words such as "23.3 1.5" name.

    Examples
    --------
    >>> heads("23.3 1.5") == {(23, 3), (1, 5)}
    True
    """
    return frozenset(tuple(map(int, word.split("."))) for word in words.split())


@functools.lru_cache(4)
def reread(name, off):
    """What the heads do in one of the stored texts while some of them are off, or None where that is not stored.

    Parameters
    ----------
    name : one of `names()`
    off : frozenset of (layer, head)

    Returns
    -------
    Reread

    Examples
    --------
    >>> intact, left = load("random, twice"), reread("random, twice", heads("16.0"))
    >>> print(intact.weights[17, 3, -1].max().round(2), left.weights[17, 3, -1].argmax())
    0.91 0
    """
    arrays, number = data_files.arrays(PATH), names().index(name)
    stored = [heads(words) for words in arrays.get(f"reread_off_{number}", np.array([], str)).tolist()]
    if off not in stored:
        return None
    k, maps = stored.index(off), arrays[f"maps_{number}"].copy()
    changed = arrays[
        f"reread_maps{k}_{number}"
    ]  # of the layers that hear of it, below the diagonal, bytes that are added
    maps[-len(changed) or len(maps) :, :, *np.tril_indices(maps.shape[-1])] += changed
    return Reread(_shares_of_one(maps), _by_name(arrays[f"reread_shares_{number}"][k]))


def _shares_of_one(maps):
    """Maps in bytes as weights, whose rows sum to 1."""
    return maps / np.maximum(maps.sum(axis=-1, keepdims=True, dtype=int), 1)


def _by_name(shares):
    """What each part adds to the logits of NAMES, from (2, num_layers, num_heads + 2)."""
    return {name: (each[:, :-2], each[:, -2], each[0, -1]) for name, each in zip(NAMES, shares.astype(float))}


@functools.cache
def _read():
    arrays = data_files.arrays(PATH)
    return {name: _stored(name, arrays, number) for number, name in enumerate(arrays["names"].tolist())}


def _stored(name, arrays, number):
    part = {each.removesuffix(f"_{number}"): array for each, array in arrays.items() if each.endswith(f"_{number}")}
    rows = zip(*(part.get(each, []) for each in ("off", "off_likeliest", "off_probabilities", "off_losses")))
    without = {
        heads(off): Next(best.tolist(), chances.astype(float), losses.astype(float))
        for off, best, chances, losses in rows
    }
    rows = zip(part.get("copying_off", []), part.get("copying_scores", []))
    copying = {heads(off): dict(zip(COPIES, scores)) for off, scores in rows}
    rows = zip(WRITTEN_AT, *(part[f"written_{each}"] for each in ("tokens", "likeliest", "probabilities")))
    written = {T: [Step(*each) for each in zip(tokens, best.tolist(), chances)] for T, tokens, best, chances in rows}
    return Stored(
        name=name, text=str(part["text"]), ids=part["ids"].tolist(), tokens=part["tokens"].tolist(),
        weights=_shares_of_one(part["maps"]), value_lengths=part["value_lengths"].astype(float),
        likeliest=part["likeliest"].tolist(), logits=part["logits"], rest=part["rest"], losses=part["losses"].astype(float),
        written=written, shares=_by_name(part["shares"]), without=without, copying=copying,
    )  # fmt: skip
