"""The exercise on writing: draw the next token, judged by how often each was drawn."""

import re

import numpy as np

from helpers import decoder, parts
from helpers.learning import small_models
from workbench import Drawn, Exercise, matrices

_SHARES = np.array([0.05, 0.6, 0.1, 0.25])
_LOGITS = np.log(_SHARES) + 2.0  # logits may be shifted
_LARGE = 1000.0  # by which they are shifted, too: e^1000 is larger than any float
_SETTINGS = [
    (1.0, 1.0),
    (4.0, 1.0),
    (0.7, 1.0),
    (0.25, 1.0),
    (1.0, 0.8),
    (1.0, 0.5),
    (4.0, 0.5),
    (4.0, 0.3),
    (4.0, 0.8),
    (0.0, 1.0),
]  # temperature, top_p
_EACH = 64
_AGAIN = 16  # draws from four equal logits at top_p 0.5, any two of them; of the same generators again; of large logits
_UNLIKELY = 80  # of right draws the surprise is below it in all but one of ten million answers


def _nucleus(shares, top_p, keep=lambda ordered, top_p: np.cumsum(ordered) - ordered < top_p):
    """The shares that are kept, where `keep` says which of the ordered ones."""
    order = np.argsort(-shares)
    kept = np.zeros_like(shares)
    kept[order] = shares[order] * keep(shares[order], top_p)
    return kept / kept.sum() if kept.any() else kept


def _at(temperature):
    return parts.softmax(_LOGITS / temperature) if temperature else np.eye(4)[1]


def _places(shares, top_p):
    """What is drawn if the sorted tokens are not given their own numbers again."""
    return _nucleus(-np.sort(-shares), top_p)


def _before(shares):
    """The sum before each token, in the order of the vocabulary."""
    return np.cumsum(shares) - shares


def _shared(shares):
    return shares / shares.sum()


_IN_NO_ORDER = "The sum runs over the tokens as they are numbered. Sort them first, the likeliest in front."
_KNOWN = [  # (sentence, the probabilities that such an answer draws with)
    ("It always takes the likeliest token. Draw one: rng.choice(len(p), p=p).", lambda T, p: np.eye(4)[1]),
    (
        "Below temperature 1 it always takes the likeliest token. Only at 0 it should: draw at every other one.",
        lambda T, p: np.eye(4)[1] if T < 1 else _nucleus(_at(T), p),
    ),
    ("Each token is drawn equally often. Pass the probabilities to rng.choice as p=.", lambda T, p: np.full(4, 0.25)),
    (
        "The temperature changes nothing. Divide the logits by it, before softmax.",
        lambda T, p: _nucleus(_SHARES, p),
    ),
    (
        "The logits are multiplied by the temperature. Divide them, so that a high temperature levels.",
        lambda T, p: _nucleus(_at(1 / T), p),
    ),
    (
        "The probabilities are divided by the temperature. Divide the logits, before softmax.",
        lambda T, p: _nucleus(_SHARES / T, p),
    ),
    ("top_p changes nothing. Keep the likeliest tokens until their probabilities sum to top_p.", lambda T, p: _at(T)),
    (
        "Tokens are kept for their own probability. Sort them, and keep the likeliest until their sum reaches top_p.",
        lambda T, p: _nucleus(_at(T), p, lambda s, p: (s >= 1 - p) | (np.arange(4) == 0)),
    ),
    (
        "The token that brings the sum to top_p is left out. It belongs to those that are kept.",
        lambda T, p: _nucleus(_at(T), p, lambda s, p: (np.cumsum(s) <= p) | (np.arange(4) == 0)),
    ),
    (
        "One token too many is kept. The one that brings the sum to top_p is the last.",
        lambda T, p: _nucleus(_at(T), p, lambda s, p: np.r_[0, np.cumsum(s)[:-1] - s[:-1]] < p),
    ),
    (
        "The sum runs from the least likely token up. Sort the tokens so that the likeliest comes first.",
        lambda T, p: _nucleus(_at(T), p, lambda s, p: np.cumsum(s[::-1])[::-1] - s < p),
    ),
    (_IN_NO_ORDER, lambda T, p: _shared(np.where(_before(_at(T)) < p, _at(T), 0))),
    (_IN_NO_ORDER, lambda T, p: _nucleus(_at(T), p, lambda s, p: _before(_at(T)) < p)),
    (
        "top_p was taken as a share of the tokens. It is a share of the probability: keep until that reaches it.",
        lambda T, p: _nucleus(_at(T), p, lambda s, p: np.arange(4) < max(1, int(4 * p))),
    ),
    (
        "Those that are kept are drawn equally often. Pass their probabilities to rng.choice as p=.",
        lambda T, p: _shared((_nucleus(_at(T), p) > 0) * 1.0),
    ),
    (
        "That is a place among the sorted tokens. Return the token's own number: order[place].",
        lambda T, p: _places(_at(T), p),
    ),
    (
        "Tokens are kept for top_p at temperature 1. Divide by the temperature first, then keep.",
        lambda T, p: _shared(np.where(_nucleus(_SHARES, p) > 0, _at(T), 0)),
    ),
]


def _counts(results):
    """(settings, 4): how often each token was drawn, of the settings that were tried to the end."""
    count = min(len(results) // _EACH, len(_SETTINGS))
    drawn = np.array([int(result) for result in results[: count * _EACH]]).reshape(count, _EACH)
    return np.stack([np.bincount(row, minlength=4) for row in drawn])


def _surprise(counts, shares_of, settings=_SETTINGS):
    """How much such counts surprise whoever expects these probabilities: twice the log of the likelihood ratio."""
    expected = _EACH * np.array([shares_of(*setting) for setting in settings])
    drawn = counts[: len(settings)]
    with np.errstate(divide="ignore"):
        return 2 * np.sum(drawn[drawn > 0] * np.log(drawn[drawn > 0] / expected[drawn > 0]))


def _may_come_of(counts, shares_of, settings=_SETTINGS):
    """Whether such counts may come of these probabilities: none that cannot be, none four deviations off, nor all together."""
    for count, setting in zip(counts, settings):
        shares = shares_of(*setting)
        if (count[shares == 0] > 0).any():
            return False
        if (np.abs(count - _EACH * shares) > 4 * np.sqrt(_EACH * shares * (1 - shares)) + 1).any():
            return False
    return _surprise(counts, shares_of, settings) < _UNLIKELY


def _fault(results):
    """None if the tokens are drawn as often as they should be, else a sentence."""
    for result in results:
        if result.shape != () or result.dtype.kind not in "iu":
            return f"next_token must return one whole number, the token's, got {result.dtype} of shape {result.shape}."
        if not 0 <= result < 4:
            return f"next_token must return a number from 0 to 3, since there are 4 logits, got {result}."
    if len(results) < (len(_SETTINGS) - 1) * _EACH:
        return None  # it stopped before much was drawn
    counts, first = _counts(results), results[:_AGAIN]
    equal, again, large = (results[-k * _AGAIN :][:_AGAIN] for k in (3, 2, 1))
    is_whole, settings = len(results) == len(NEXT_TOKEN.cases), _SETTINGS[: len(counts)]
    if is_whole and again != first:
        return "It does not draw from rng, so nobody can repeat it: the same generator must give the same token."
    if is_whole and counts.max(axis=1).min() == _EACH and counts[:, 1].min() < _EACH:
        return "Every generator gives the same token: draw from rng, and make none of your own."
    right = lambda T, p: decoder.probabilities(_LOGITS, temperature=T, top_p=p)  # noqa: E731
    if _may_come_of(counts, right, settings):
        if not is_whole:
            return None
        if large != first:
            return f"Logits that are {_LARGE:g} larger give other tokens: subtract the largest before np.exp, as softmax does."
        if len({int(result) for result in equal}) > 2:
            return "Where probabilities are equal, a threshold keeps all of them: of four equal tokens two reach a top_p of 0.5. Keep places of the sorted tokens."
        return None
    sentence, shares_of = min(_KNOWN, key=lambda known: _surprise(counts, known[1], _SETTINGS[:-1]))
    if _may_come_of(counts, shares_of, _SETTINGS[:-1]):  # whatever it does at 0
        return sentence
    for count, (T, p) in zip(counts, _SETTINGS):
        shares = right(T, p)
        token = int(np.argmax(np.abs(count - _EACH * shares)))
        if abs(count[token] / _EACH - shares[token]) > 0.2 or (shares[token] == 0 and count[token]):
            return (
                f"At temperature {T:g} with top_p {p:g}, token {token} has a probability of {shares[token]:.2f}, "
                f"and it was drawn {count[token]} of {_EACH} times."
            )
    return "The tokens are not drawn as often as their probabilities say."


def _hint(error, logits, temperature, top_p, rng):
    text = str(error)
    if temperature == 0 and "'NoneType'" in text:
        return "At temperature 0 nothing is drawn, so rng may be None: return the number of the largest logit, and draw at all others."
    if temperature == 0:
        return (
            "Nothing can be divided by a temperature of 0. Return the number of the largest logit before the division."
        )
    if logits.max() >= _LARGE - 10:
        return f"A logit of {_LARGE:g} overflows in np.exp: subtract the largest first, as softmax does."
    if re.search("empty|size 0|zero-size|NaN", text) and _at(temperature).max() > top_p:
        return "The likeliest token alone exceeds top_p, so nothing is left. Count the sum before each token."
    if "do not sum to 1" in text and top_p < 1:
        return "What is kept no longer sums to 1, and rng.choice refuses it. Divide by its sum."
    if "do not sum to 1" in text and temperature != 1:
        return "Nothing is cut off here, and at temperature 1 it did sum to 1. Divide the logits by the temperature, before softmax."
    if "do not sum to 1" in text:
        return "Nothing is cut off here, so p= got no probabilities: rng.choice(tokens, p=their probabilities)."
    return None


NEXT_TOKEN = Exercise(
    name="next_token",
    solve=lambda logits, temperature, top_p, rng: decoder.next_token(
        logits, temperature=temperature, top_p=top_p, rng=rng
    ),
    cases=[
        (_LOGITS, temperature, top_p, np.random.default_rng([k, seed]) if temperature else None)
        for k, (temperature, top_p) in enumerate(_SETTINGS)
        for seed in range(_EACH)
    ]
    + [
        (logits, 1.0, top_p, np.random.default_rng([k, seed]))
        for logits, top_p, k in ((np.zeros(4), 0.5, 99), (_LOGITS, 1.0, 0), (_LOGITS + _LARGE, 1.0, 0))
        for seed in range(_AGAIN)
    ],
    mistakes={},
    accepts=_fault,
    hint=_hint,
    praise=lambda results: (
        f"Right: in {len(results)} draws every token came as often as temperature and top_p allow. A chatbot adds no more than this to its logits."
    ),
)


# --- drawn with the answer ------------------------------------------------------------------------------------------

_BEGINNING, _LETTERS = "attention is ", 32


def _write(next_token):
    """What the stored model writes where this function draws each letter."""
    parameters, rng = small_models.load_model("letters"), np.random.default_rng(14)
    tokens = small_models.to_numbers(_BEGINNING, small_models.LETTERS)
    for _ in range(_LETTERS):
        logits = decoder.decode(tokens, parameters, num_heads=small_models.NUM_HEADS).logits[-1]
        tokens.append(int(next_token(np.asarray(logits), 0.8, 0.8, rng)))
    return small_models.to_text(tokens, small_models.LETTERS)


NEXT_TOKEN_DRAWN = Drawn(
    "next_token",
    _write,
    lambda made, caption, wrong: matrices.sentence(f"“{made}”, {caption}"),
    "The model of letters writes at temperature 0.8 and top-p 0.8",
)
