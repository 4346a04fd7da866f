"""The exercise on a router: the shares of the experts that a token is sent to."""

import numpy as np

from helpers.since_2017 import experts
from rooms.shared import edits
from workbench import Equal, Exercise


def _case(seed, num_tokens, num_experts, k):
    return np.random.default_rng(seed).permuted(np.tile(np.arange(num_experts) / 2, (num_tokens, 1)), axis=1), k


def _explain(got, want, scores, k):
    if got.shape != scores.shape:
        return f"There is a share for each token and each expert, {scores.shape}, and yours are {got.shape}: what is not chosen has share 0."
    count = (got != 0).sum(axis=-1)
    if np.any(count != k) and np.ptp(scores) < 100:  # else a small share may be 0
        return f"Each token goes to k = {k} experts, and one of yours goes to {count[count != k][0]}."
    return None


_SOLVE = edits.solution(
    """
def route(scores, k):
    order = np.argsort(-scores, axis=-1, kind="stable")
    rank = np.argsort(order, axis=-1)
    return attention.softmax(np.where(rank < k, scores, -np.inf))
"""
)
_LAST = edits.solution(  # of equal scores the last: as right as the first
    """
def route(scores, k):
    order = np.argsort(-scores[:, ::-1], axis=-1, kind="stable")
    rank = np.argsort(order, axis=-1)[:, ::-1]
    return attention.softmax(np.where(rank < k, scores, -np.inf))
"""
)
_PRAISE = "Right: the best k, and softmax among them. Mixtral and gpt-oss route in this way."
ROUTE = Exercise(
    name="route",
    solve=_SOLVE,
    cases=[
        (np.array([[2.0, 0.0, 1.0]]), 2),
        (np.array([[0.0, 3.0, 1.0, 2.0], [1.0, -1.0, 0.5, -2.0]]), 2),
        _case(1, 3, 8, 2),
        _case(2, 5, 6, 3),
        _case(3, 4, 5, 1),
        (np.array([[-4.0, -1.0, -3.0], [-2.0, -5.0, -1.0]]), 2),
        _case(4, 2, 4, 4),
        (np.array([[1000.0, 998.0, 3.0, 999.0]]), 2),
        Equal((np.array([[1.0, 3.0, 0.0, 1.0]]), 2)),
    ],
    mistakes=edits.mistakes(
        _SOLVE,
        """
=> np.where(rank < k, softmax(scores), 0) | Softmax ran over all experts, so what a token gets sums to less than 1: choose first, then share among the chosen.
=> softmax(scores) | All experts get a share: only the k with the largest scores may.
-np.inf => 0 | The others were given the score 0, and e⁰ is 1: give them −∞, which becomes a share of 0.
(-scores => (scores | These are the k smallest scores: np.argsort begins with the smallest.
=> (rank < k) / k | All chosen experts get the same share: softmax of their scores says how much each one counts.
=> np.where(rank < k, scores, 0) / np.where(rank < k, scores, 0).sum(axis=-1, keepdims=True) | The chosen scores were divided by their sum: shares are softmax of the scores.
=> np.where(rank < k, scores, 0) | The scores themselves came out: softmax is missing.
=> rank < k | This says who is chosen. How much each one counts is still missing.
rank < k => rank < k - 1 ;; rank = => if k == 1: return 0 * scores⏎    rank = | One expert too few is chosen: k of them.
rank < k => rank < k + 1 | One expert too many is chosen: k of them.
-np.inf) => -np.inf), axis=0 | Softmax ran down the columns, over the tokens: each token shares itself among its experts, axis=-1.
axis=-1, kind => axis=0, kind ;; order, axis=-1 => order, axis=0 | The best were chosen in each column, over the tokens: each token (row) has its own k largest scores, axis=-1.
rank = np.argsort(order, axis=-1) => rank = order | np.argsort says who comes first, second, third. It does not say at which place each expert comes: sort once more.
rank < k => scores >= np.sort(scores, axis=-1)[:, [-k]] | Where two scores are equal, more than k experts are chosen: a threshold cannot part them. Choose k places.
rank < k => scores >= np.sort(scores, axis=None)[-k] | The experts were chosen for all tokens together: each row has its own k largest scores.
=> softmax(-np.sort(-scores, axis=-1)[:, :k]) | Only the shares of the chosen came out, without their places: the result has a column for each expert.
attention.softmax( => (lambda s: np.exp(s - s.max(axis=-1, keepdims=True)))( | The powers were not divided by their sum: the shares of a token must sum to 1.
rank < k => rank < (k - 1 or scores.shape[-1]) | One expert too few is chosen: k of them.
""",
    ),
    praise=_PRAISE,
    also=((_LAST, _PRAISE),),
    explain=_explain,
    remakes=(experts.route,),
)
