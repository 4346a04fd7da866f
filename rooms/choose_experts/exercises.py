"""The exercise on a router: the shares of the experts that a token is sent to."""

import numpy as np

from helpers.since_2017 import experts
from rooms.shared import edits
from workbench import Equal


def _case(seed, num_tokens, num_experts, k):
    """Scores and a bias in which nothing is equal, and in which the bias changes the choice."""
    rng = np.random.default_rng(seed)
    scores = rng.permuted(np.tile(np.linspace(-2, 2, num_experts), (num_tokens, 1)), axis=1)
    return scores, rng.permutation(np.linspace(-0.4, 0.5, num_experts)), k


def _explain(got, want, scores, bias, k):
    if got.shape != scores.shape:
        return f"There is a share for each token and each expert, {scores.shape}, and yours are {got.shape}: what is not chosen has share 0."
    count = (got != 0).sum(axis=-1)
    if np.any(count != k):
        return f"Each token goes to k = {k} experts; in one of your rows so many have a share: {count[count != k][0]}."
    return None


_LAST = edits.solution(  # of equal ones the last: as right as the first
    """
def route(scores, bias, k):
    said = 1 / (1 + np.exp(-scores))
    order = np.argsort(-(said + bias)[:, ::-1], axis=-1, kind="stable")
    rank = np.argsort(order, axis=-1)[:, ::-1]
    shares = np.where(rank < k, said, 0)
    return shares / shares.sum(axis=-1, keepdims=True)
"""
)
_PRAISE = "Right: the bias chooses, and the sigmoids are shared. DeepSeek-V3 routes in this way, in its best groups, times 2.5."
ROUTE = edits.exercise(
    """
def route(scores, bias, k):
    said = 1 / (1 + np.exp(-scores))
    order = np.argsort(-(said + bias), axis=-1, kind="stable")
    rank = np.argsort(order, axis=-1)
    shares = np.where(rank < k, said, 0)
    return shares / shares.sum(axis=-1, keepdims=True)
""",
    cases=[
        (np.array([[2.0, 0.0, 1.0]]) * np.log(3), np.array([0, 0.5, 0]), 2),
        (np.array([[0.0, 3.0, 1.0, 2.0], [1.0, -1.0, 0.5, -2.0]]), np.array([0.5, 0, 0, 0.3]), 2),
        _case(1, 3, 8, 2),
        _case(2, 5, 6, 3),
        _case(3, 4, 5, 1),
        (np.array([[-4.0, -1.0, -3.0], [-2.0, -5.0, -1.0]]), np.array([0.2, -0.1, 0.1]), 2),
        (np.array([[2.0, -2.0, -0.5, 1.0], [-0.5, 1.0, -2.0, 2.0]]), np.array([-0.4, -0.1, 0.5, 0.2]), 4),
        (np.array([[1.0, 2.0, 0.5]]), np.zeros(3), 2),
        (np.array([[2.0, 1.8, 0.0], [3.0, 2.5, 0.0]]), np.array([0, 0.3, 0]), 1),
        Equal((np.array([[1.0, 3.0, 0.0, 1.0]]), np.zeros(4), 2)),
    ],
    mistakes="""
(rank < k, said, 0) => (rank < k, said + bias, 0) | The bias is in the shares here: it has a say in who is chosen, and the share is what the sigmoid said.
=> np.where(rank < k, said + bias, 0) / shares.sum(axis=-1, keepdims=True) |
said + bias => said | The bias has no say here: add it to what the sigmoids say, and choose by that.
said + bias => scores + bias | The bias was added to the scores: it is added to what the sigmoids say of them.
said + bias => said - bias | The sign of the bias is turned: it is added.
np.exp(-scores) => np.exp(-scores - bias) ;; said + bias => said | The bias was put into the sigmoid, so it changes the shares as well: add it afterwards, for the choice alone.
np.exp(-scores) => np.exp(-scores - bias) | The bias was put into the sigmoid, so it changes the shares as well: add it afterwards, for the choice alone.
np.exp(-scores) => np.exp(scores) | The sign of the exponent is turned: a sigmoid is 1 / (1 + e^−s), which grows with the score.
1 / (1 + np.exp(-scores)) => softmax(scores) | Softmax compares all experts: here each one is asked alone, by a sigmoid.
=> softmax(np.where(rank < k, scores, -np.inf)) | The shares are a softmax of the chosen scores, as in gpt-oss: here they are the sigmoids of the chosen, divided by their sum.
=> softmax(np.where(rank < k, said, -np.inf)) | Softmax ran over what the sigmoids say: divide them by their sum.
=> shares | The shares of a token do not sum to 1: divide them by their sum.
=> np.where(rank < k, said / said.sum(axis=-1, keepdims=True), 0) | The sum that divides is that of all experts: it is that of the chosen ones.
=> said / said.sum(axis=-1, keepdims=True) | All experts get a share: only the k that are chosen may.
(rank < k, said, 0) => (rank < k, scores, 0) | The scores themselves were shared: the share is made of what the sigmoids say.
=> np.where(rank < k, scores / np.where(rank < k, scores, 0).sum(axis=-1, keepdims=True), 0) |
=> (rank < k) / k | All chosen experts get the same share: what the sigmoids say tells how much each one is worth.
=> rank < k | This says who is chosen. How much each one is worth is still missing.
-(said => (said | These are the k smallest: np.argsort begins with the smallest.
rank < k => rank < k - 1 ;; rank = => if k == 1: return 0 * scores⏎    rank = | One expert too few is chosen: k of them.
rank < k => rank < k + 1 | One expert too many is chosen: k of them.
rank < k => rank < (k - 1 or scores.shape[-1]) | One expert too few is chosen: k of them.
rank < k => rank < max(k - 1, 1) |
shares.sum(axis=-1, keepdims=True) => shares.sum(axis=0) | The sum runs down the columns, over the tokens: each token shares itself among its experts, axis=-1.
shares.sum(axis=-1, keepdims=True) => (shares.sum(axis=0) + 1e-300) |
shares.sum(axis=-1, keepdims=True) => shares.sum() | The sum is that of all tokens: each token has its own, axis=-1, keepdims=True.
axis=-1, kind => axis=0, kind ;; order, axis=-1 => order, axis=0 ;; keepdims=True) => keepdims=True) + 1e-300 | The best were chosen in each column, over the tokens: each token (row) has its own k, axis=-1.
rank = np.argsort(order, axis=-1) => rank = order | np.argsort says who comes first, second, third. It does not say at which place each expert comes: sort once more.
rank < k => said + bias >= np.sort(said + bias, axis=-1)[:, [-k]] | Where two are equal, more than k experts are chosen: a threshold cannot part them. Choose k places.
rank < k => said + bias >= np.sort(said + bias, axis=None)[-k] ;; keepdims=True) => keepdims=True) + 1e-300 | The experts were chosen for all tokens together: each row has its own k.
=> -np.sort(-shares, axis=-1)[:, :k] / shares.sum(axis=-1, keepdims=True) | Only the shares of the chosen came out, without their places: the result has a column for each expert.
=> np.take_along_axis(shares, order, axis=-1)[:, :k] / shares.sum(axis=-1, keepdims=True) |
""",
    praise=_PRAISE,
    also=((_LAST, _PRAISE),),
    explain=_explain,
    remakes=(experts.route, experts.share_out),
)
