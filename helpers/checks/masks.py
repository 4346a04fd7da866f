"""Exercises on masks."""

import numpy as np

from helpers import variants
from helpers.attention import causal_mask, softmax
from helpers.checks.cases import whole
from helpers.checks.exercise import Exercise, Symptom
from helpers.checks.watch import is_own

_BLOCKED = [-np.inf, -1e9, -1e4, -1e30, -1e10, -1e6, -1e5, -1e3, -1e2]  # what people add to a blocked score
_BLOCKED += [float(np.finfo(kind).min) for kind in (np.float32, np.float64)]
_ADDITIVE = "These are numbers to be added to scores, 0 and a huge negative one; a mask of this course is Boolean, True = may attend: np.tri(n, dtype=bool), or additive == 0."


def _lower(n):
    return np.tri(n, dtype=bool)


def _flaw_of_mask(results):
    kinds = {result.dtype.name for result in results} - {"bool"}
    if not kinds:
        return None
    return f"The right triangle, but of numbers: its dtype is {kinds.pop()}. A mask is Boolean, so that ~mask turns it round: dtype=bool, or .astype(bool)."


def _explain_mask(got, want, num_tokens):
    seen = [int(row.sum()) for row in got]
    if all((row == (np.arange(num_tokens) < many)).all() for row, many in zip(got, seen)):
        wrong = [f"token {i + 1} sees {_far(many, i)}" for i, many in enumerate(seen) if many != i + 1]
        return f"For {num_tokens} tokens, {'; '.join(wrong)}."
    asks, asked = (int(i) for i in np.argwhere(got != want)[0])
    return f"For {num_tokens} tokens, token {asks + 1} {'may' if want[asks, asked] else 'must not'} look at token {asked + 1}, but yours has {got[asks, asked]:g} there (1 = may)."


def _far(many, i):
    """How far token i sees that sees the first so many, in words."""
    return f"token {many}, too" if many > i else f"no further than token {many}" if many else "nothing, not even itself"


_WRONG_MASKS = {
    "True and False are exchanged: this opens the future and blocks the rest. True means may attend, so True belongs on and below the diagonal.": lambda n: (
        ~_lower(n)
    ),
    "Transposed: here the past is blocked. Queries run down and keys across, so token 1, the first row, sees itself alone: np.tri, not np.triu.": lambda n: (
        _lower(n).T
    ),
    "The diagonal is missing: a token sees itself, too. Without it the first token has nothing to see.": lambda n: (
        np.tri(n, k=-1, dtype=bool)
    ),
    "This lets every token see one step into the future: the last True of row i is on the diagonal.": lambda n: np.tri(
        n, k=1, dtype=bool
    ),
    "Only the next token is hidden; all later ones must be, too.": lambda n: ~np.eye(n, k=1, dtype=bool),
}


def _added(mask, blocked):
    """A mask as numbers to be added."""
    return lambda n: np.where(mask(n), 0.0, blocked)


CAUSAL = Exercise(
    name="causal_mask",
    solve=causal_mask,
    remakes=(variants.window_mask,),
    cases=[(3,), (4,), (2,), (1,), (6,)],
    mistakes={
        **_WRONG_MASKS,
        _ADDITIVE: [_added(_lower, blocked) for blocked in _BLOCKED],
        "This is the logic of added numbers, and the wrong way round as well: -inf stands where a token may look.": lambda n: (
            np.where(_lower(n), -np.inf, 0.0)
        ),
        "The scores of the future become -inf later; the mask itself says True or False.": lambda n: np.where(
            _lower(n), 1.0, -np.inf
        ),
        "Nothing is blocked: the future, above the diagonal, must be False.": lambda n: np.ones((n, n), bool),
        "Every token sees itself alone; it may see those before it, too.": lambda n: np.eye(n, dtype=bool),
        "The rows are in reverse order: the first row is the first token's.": lambda n: _lower(n)[::-1],
        "These are weights, with rows that sum to 1; the mask comes before softmax and says True or False.": lambda n: (
            _lower(n) / _lower(n).sum(axis=1, keepdims=True)
        ),
        **{
            f"These are numbers to be added; a mask here is Boolean, True = may attend: additive == 0. And then: {said}": [
                _added(mask, blocked) for blocked in _BLOCKED
            ]
            for said, mask in list(_WRONG_MASKS.items())[1:]
        },
    },
    praise="Right: True on the diagonal and below it. The first token sees itself alone, the last one sees all.",
    flaw=_flaw_of_mask,
    explain=_explain_mask,
)


def _refusing(weigh):
    """Weights, and an error where a query has nothing to see."""

    def weights(scores, mask):
        if not mask.any(axis=-1).all():
            raise ValueError("every query needs at least one key")
        return weigh(scores, mask)

    return weights


def _twice(weigh):
    """The same, without and with an error where a query has nothing to see."""
    return [weigh, _refusing(weigh)]


_refuse_blind_queries = _refusing(lambda scores, mask: softmax(np.where(mask, scores, -np.inf)))


def _powers(scores):
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


def _shares(powers):
    return powers / powers.sum(axis=-1, keepdims=True)


def _filled(scores, mask, fill):
    return _shares(_powers(np.where(mask, scores, fill)))


def _in_the_first_places(scores, mask):
    """Each row's weights, right ones, but moved to its first columns."""
    weights = _filled(scores, mask, -np.inf)
    return np.stack([row[np.argsort(~may, kind="stable")] for row, may in zip(weights, mask)])


_UNIFORM = "The query with nothing to see got the same share of every key, also of those that the mask forbids. Raise a ValueError there."


def _explain_masked(got, want, scores, mask):
    sums = got.sum(axis=-1)
    worst = sums.flat[np.argmax(np.abs(sums - 1))]
    if abs(worst - 1) > 1e-3:
        return f"The weights of a query must sum to 1, yours sum to {worst:.3f}."
    leak = np.where(mask, 0, got)
    if np.abs(leak).max() > 1e-3:
        return f"Blocked keys must have weight 0, one of yours has {leak.flat[np.abs(leak).argmax()]:.3f}."
    return None


def _hint_to_refuse(error, scores, mask):
    if not mask.any(axis=-1).all():
        return "A query with nothing to see is to be told so: raise ValueError(...)."
    if "NaN" in str(error):
        return "−∞ × 0 is NaN: put −∞ in the place of a blocked score, by np.where."
    if isinstance(error, ValueError) and is_own(error):
        return "Here every query has a key to see: refuse a row only where mask.any(axis=-1) is False."
    return None


_SCORES = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]])
_WIDE = np.array([[0.5, 2.0, -1.0, 0.0], [1.0, 0.0, 3.0, 1.5]])

MASKED_SOFTMAX = Exercise(
    name="masked_softmax",
    stages={"masked scores": lambda scores, mask: np.where(mask, scores, -np.inf)},
    solve=_refuse_blind_queries,
    cases=[
        # first masks that leave every query a key when read upside down, too, so that an answer which refuses gets past
        (_WIDE, np.array([[True, False, True, True], [False, True, False, True]])),
        (_WIDE, np.array([[True, False, True, False], [True, False, False, True]])),
        (_SCORES, causal_mask(3)),
        (np.add(_WIDE, [[1000.0], [-1000.0]]), np.array([[True, False, True, True], [False, True, True, False]])),
        (np.array([[0.0, 5000.0, 1.0], [2.0, 1.0, 0.0]]), np.array([[True, False, True], [True, True, True]])),
        (_SCORES, np.array([[True, True, False], [False, False, False], [True, True, True]])),
        (_WIDE[:1], np.zeros((1, 4), bool)),
        whole((_SCORES, causal_mask(3))),
        (np.array([[-1e6, 1 - 1e6, 0.0]]), np.array([[True, True, False]])),
        (np.array([[2e9, 1.0, 0.0], [2.0, 0.0, 1e300]]), np.array([[False, True, True], [True, True, False]])),
        (np.array([[0.5, 2.0, 1.0]]), np.array([[True, False, True]])),
        (np.array([[3.0], [0.0]]), np.ones((2, 1), bool)),
    ],
    refuses=lambda scores, mask: not mask.any(axis=-1).all(),
    mistakes={
        "The query with nothing to see became NaN, which then spreads to all that use it. Raise a ValueError there.": lambda scores, mask: (
            _filled(scores, mask, -np.inf)
        ),
        _UNIFORM: lambda scores, mask: _filled(scores, mask, -1e9),
        "Where all scores got the same number added, the mask is gone: the query with nothing to see sees everything. Raise a ValueError there.": lambda scores, mask: (
            _shares(_powers(scores + np.where(mask, 0, -1e9)))
        ),
        "The query with nothing to see got weights of 0, which are no shares: they do not sum to 1. Raise a ValueError there.": lambda scores, mask: (
            np.nan_to_num(_filled(scores, mask, -np.inf))
        ),
        "The mask was applied after softmax, so the rows no longer sum to 1: set the scores to -inf before it.": lambda scores, mask: (
            softmax(scores) * mask
        ),
        "A blocked score of 5000 took everything before it was removed, and left 0/0: block first, then take the largest.": [
            lambda scores, mask: _shares(_powers(scores) * mask),
            _refusing(lambda scores, mask: _shares(_powers(scores) * mask)),
            _refusing(lambda scores, mask: np.where(mask, _shares(_powers(scores) * mask), 0.0)),
        ],
        "Blocked scores were set to 0, and 0 still gets a share: set them to -inf.": lambda scores, mask: softmax(
            np.where(mask, scores, 0.0)
        ),
        Symptom(
            "A number, however large, blocks no score that is larger still: set blocked scores to -inf, by np.where."
        ): [_refusing(lambda scores, mask, by=by: softmax(scores - by * ~mask)) for by in (100, 1e4)],
        "The mask is read upside down: True means may attend, so block where it is False.": lambda scores, mask: (
            _filled(scores, ~mask, -np.inf)
        ),
        "The weights of a row fill its first places; each belongs to the key that it was made for: weights[i, mask[i]] = …": (
            _refusing(_in_the_first_places)
        ),
        "Blocked keys have weight, as if there were no mask.": lambda scores, mask: softmax(scores),
        "Scores of 1000 overflow: subtract the largest allowed score of every row first.": _twice(
            lambda scores, mask: _shares(np.where(mask, np.exp(scores), 0))
        ),
        "Softmax ran down the columns; each query's row must sum to 1.": lambda scores, mask: softmax(
            np.where(mask, scores, -1e30), axis=0
        ),
        "These are masked scores; softmax is still to come.": lambda scores, mask: np.where(mask, scores, -np.inf),
        "These are powers that were not divided by their sum.": lambda scores, mask: _powers(
            np.where(mask, scores, -np.inf)
        ),
    },
    praise="Right: blocked keys get 0, rows sum to 1, and a query with nothing to see is told so.",
    explain=_explain_masked,
    hint=_hint_to_refuse,
)
