"""Exercises on masks, and on one sequence that asks another."""

from types import SimpleNamespace

import numpy as np

from helpers import parts, variants
from helpers.attention import causal_mask
from rooms.shared import edits
from rooms.shared.she import SHE, N, column, she
from workbench import like, whole
from workbench.judging.run import is_own

_ADDED_BY = "-np.inf -1e9 -1e4 -1e30 -1e10 -1e6 -1e5 -1e3 -1e2 np.finfo(np.float32).min np.finfo(float).min".split()


def _added(mask, said):
    """Rows for a mask as numbers to be added, with what people add to a blocked score."""
    return "\n".join(f"=> np.where({mask}, 0.0, {by}) | {said * (by == _ADDED_BY[0])}" for by in _ADDED_BY)


def _flaw_of_mask(results, returned):
    kinds = {result.dtype.name for result in results} - {"bool"}
    if not kinds and not all(isinstance(each, np.ndarray) for each in returned):
        return "The right triangle, but a list of lists: ~mask, and whoever goes on with it, needs an array, np.array(rows)."
    return (
        kinds
        and f"The right triangle, but of numbers: its dtype is {kinds.pop()}. A mask is Boolean, so that ~mask turns it round: dtype=bool, or .astype(bool)."
    )


def _explain_mask(got, want, num_queries, num_keys=None):
    asks, asked = (int(i) for i in np.argwhere(got != want)[0])
    if num_keys not in (None, num_queries):
        token, may = num_keys - num_queries + asks + 1, "may" if want[asks, asked] else "must not"
        return f"For {num_queries} queries and {num_keys} keys, query {asks + 1} is token {token} and {may} look at token {asked + 1}, but yours has {got[asks, asked]:g} there (1 = may)."
    seen = [int(row.sum()) for row in got]
    if all((row == (np.arange(num_queries) < many)).all() for row, many in zip(got, seen)):
        wrong = [f"token {i + 1} sees {_far(many, i)}" for i, many in enumerate(seen) if many != i + 1]
        return f"For {num_queries} tokens, {'; '.join(wrong)}."
    return f"For {num_queries} tokens, token {asks + 1} {'may' if want[asks, asked] else 'must not'} look at token {asked + 1}, but yours has {got[asks, asked]:g} there (1 = may)."


def _far(many, i):
    """How far token i sees that sees the first so many, in words."""
    return f"token {many}, too" if many > i else f"no further than token {many}" if many else "nothing, not even itself"


_SEEN, _SQUARE = "np.arange(num_keys) <= query[:, None]", [(3,), (4,), (2,), (1,), (6,)]
CAUSAL = edits.exercise(
    edits.part("causal_mask"),
    remakes=(causal_mask, variants.window_mask),
    cases=[*_SQUARE, (2, 5), (1, 4), (3, 3)],
    mistakes=f"""
<= => > | True and False are exchanged: this opens the future and blocks the rest. True means may attend, so True belongs on and below the diagonal.
<= => >= | Transposed: here the past is blocked. Queries run down and keys across, so token 1, the first row, sees itself alone: np.tri, not np.triu.
<= query => < query | The diagonal is missing: a token sees itself, too. Without it the first token has nothing to see.
<= query[:, None] => <= query[:, None] + 1 | This lets every token see one step into the future: the last True of row i is on the diagonal.
=> np.arange(num_keys) != query[:, None] + 1 | Only the next token is hidden; all later ones must be, too.
{_added(_SEEN, "These are numbers to be added to scores, 0 and a huge negative one; a mask of this course is Boolean, True = may attend: np.tri(n, dtype=bool), or additive == 0.")}
=> np.where({_SEEN}, -np.inf, 0.0) | This is the logic of added numbers, and the wrong way round as well: -inf stands where a token may look.
=> np.where({_SEEN}, 1.0, -np.inf) | The scores of the future become -inf later; the mask itself says True or False.
=> np.ones((num_queries, num_keys), bool) | Nothing is blocked: the future, above the diagonal, must be False.
<= => == | Every token sees itself alone; it may see those before it, too.
=> ({_SEEN}).T | It lies on its side: rows are queries, columns are keys.
=> np.tri(num_keys, num_queries, num_keys - num_queries, dtype=bool) |
=> ({_SEEN}) / (query[:, None] + 1) | These are weights, with rows that sum to 1; the mask comes before softmax and says True or False.
{_added(f"{_SEEN} + 1", "These are numbers to be added; a mask here is Boolean, True = may attend: additive == 0. And then: This lets every token see one step into the future: the last True of row i is on the diagonal.")}
np.arange(num_keys - num_queries, num_keys) => np.arange(num_queries) | With fewer queries than keys the triangle begins at the top left. The queries are the last tokens, so with num_keys it ends at the bottom right: query i is token num_keys - num_queries + i.
np.arange(num_keys - num_queries, num_keys) => np.arange(num_queries) ;; => (np.arange(num_queries) <= query[:, None]) | num_keys changes nothing: the mask needs a column for each key.
=> np.where(query[:, None] == num_keys - num_queries, False, {_SEEN}) | The first row stays empty: each token sees itself, the first one too.
=> np.where(np.arange(num_keys) == 0, True, np.arange(num_keys) < query[:, None]) | The diagonal is missing but for the first token: every token sees itself, too.
np.arange(num_keys - num_queries, num_keys) => np.arange(num_queries - num_keys, 2 * num_queries - num_keys) | The triangle is shifted the wrong way: query i is token num_keys - num_queries + i.
""",
    flaw=_flaw_of_mask,
    explain=_explain_mask,
    hint=lambda error, *arguments: (
        "num_keys is None: then there are as many as queries." if "NoneType" in str(error) else None
    ),
    praise="Right: True on the diagonal and below it, which ends at the bottom right. The last query sees all keys.",
)
CAUSAL = CAUSAL._replace(
    shorter=CAUSAL._replace(
        cases=_SQUARE,
        mistakes={said: made for said, made in CAUSAL.mistakes.items() if "num_keys" not in said},
        praise="Right: True on the diagonal and below it. A model that writes has one query and many keys, though: take num_keys, too, with num_keys=None by default; the queries are the last tokens.",
    ),
)


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
        return "One query has nothing to see there, so raise ValueError(...) yourself, first of all."
    if "NaN" in str(error):
        return "−∞ × 0 is NaN: put −∞ in the place of a blocked score, by np.where."
    if isinstance(error, ValueError) and is_own(error):
        return "Here every query has a key to see: refuse a row only where mask.any(axis=-1) is False."
    return None


_SCORES = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]])
_WIDE = np.array([[0.5, 2.0, -1.0, 0.0], [1.0, 0.0, 3.0, 1.5]])


def _powers(scores):
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


def _shares(powers):
    return powers / powers.sum(axis=-1, keepdims=True)


MASKED_SOFTMAX = edits.exercise(
    """
def masked_softmax(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("every query needs at least one key to look at")
    return attention.softmax(np.where(mask, scores, -np.inf))
""",
    # all -inf must become NaN, which attention.softmax refuses
    names={"attention": SimpleNamespace(softmax=parts.softmax), "powers": _powers, "shares": _shares},
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
    mistakes="""
not mask.any(axis=-1).all() => False | The query with nothing to see became NaN, which then spreads to all that use it. Raise a ValueError there.
not mask.any(axis=-1).all() => not mask.any() | A mask in which one query sees nothing must be refused, too, and not only one that blocks everything.
np.where(mask, scores, -np.inf) => np.where(mask, scores / math.sqrt(scores.shape[-1]), -np.inf) | The scores were divided by a root; they come scaled already.
not mask.any(axis=-1).all() => False ;; -np.inf => -1e9 | The query with nothing to see got the same share of every key, also of those that the mask forbids. Raise a ValueError there.
np.where(mask, scores, -np.inf) => scores + np.where(mask, 0, -1e9) | −1e9 was added to blocked scores, and one of 2e9 is still the largest: set them to -np.inf.
not mask.any(axis=-1).all() => False ;; => np.nan_to_num(attention.softmax(np.where(mask, scores, -np.inf))) | The query with nothing to see got weights of 0, which are no shares: they do not sum to 1. Raise a ValueError there.
not mask.any(axis=-1).all() => False ;; => softmax(scores) * mask | The mask was applied after softmax, so the rows no longer sum to 1: set the scores to -inf before it.
not mask.any(axis=-1).all() => False ;; => shares(powers(scores) * mask) | A blocked score of 5000 took everything before it was removed, and left 0/0: block first, then take the largest.
=> shares(powers(scores) * mask) |
=> np.where(mask, shares(powers(scores) * mask), 0.0) |
not mask.any(axis=-1).all() => False ;; -np.inf => 0.0 | Blocked scores were set to 0, and 0 still gets a share: set them to -inf.
np.where(mask, scores, -np.inf) => scores - 100 * ~mask | A number, however large, blocks no score that is larger still: set blocked scores to -inf, by np.where.
np.where(mask, scores, -np.inf) => scores - 1e4 * ~mask |
not mask.any(axis=-1).all() => False ;; np.where(mask => np.where(~mask | The mask is read upside down: True means may attend, so block where it is False.
not mask.any(axis=-1).all() => False ;; np.where(mask, scores, -np.inf) => scores | Blocked keys have weight, as if there were no mask.
not mask.any(axis=-1).all() => False ;; => shares(np.where(mask, np.exp(scores), 0)) | Scores of 1000 overflow: subtract the largest allowed score of every row first.
=> shares(np.where(mask, np.exp(scores), 0)) |
=> np.where(mask, shares(np.where(mask, np.exp(scores), 0)), 0.0) |
not mask.any(axis=-1).all() => False ;; => softmax(np.where(mask, scores, -1e30), axis=0) | Softmax ran down the columns; each query's row must sum to 1.
=> (lambda p: p / p.sum(axis=0, keepdims=True))(powers(np.where(mask, scores, -np.inf))) |
not mask.any(axis=-1).all() => False ;; => np.where(mask, scores, -np.inf) | These are masked scores; softmax is still to come.
not mask.any(axis=-1).all() => False ;; => powers(np.where(mask, scores, -np.inf)) | These are powers that were not divided by their sum.
""",
    praise="Right: blocked keys get 0, rows sum to 1, and a query with nothing to see is told so.",
    explain=_explain_masked,
    hint=_hint_to_refuse,
)


# --- drawn with the answer ------------------------------------------------------------------------------------------

_WORN = np.tile(4.0 * column("worn"), (N, 1))  # what She asks for comes later
CAUSAL_MASK_DRAWN = she(
    "causal_mask",
    lambda causal_mask: parts.softmax(np.where(like(causal_mask(N), (N, N)), _WORN, -np.inf)[SHE]),
    "what is worn, which comes later",
)
MASKED_SOFTMAX_DRAWN = she(
    "masked_softmax",
    lambda masked_softmax: like(masked_softmax(_WORN, causal_mask(N)), (N, N))[SHE],
    "what is worn, which comes later",
)
